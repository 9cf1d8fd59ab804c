import { Schema } from "effect"
import { commonFilters, type Filters } from "./Filter.ts"
import type { AmountRule } from "./AmountRule.ts"
import type { Rule } from "./Rule.ts"

/**
 * Declarations of resources: their fields, how each may be used, and which ones a create needs. The record and body Schemas,
 * the path names and the OpenAPI are all derived from this one declaration.
 */
export const categories = ["crm", "accounting"] as const
export type Category = (typeof categories)[number]

/** `writable`: every verb. `update-only`: no create, no delete. `read-only`: list and get. */
export type Class = "writable" | "update-only" | "read-only"

/**
 * `ro` fields are accepted in a body and ignored, so that a client can send back what it read. `computed` fields are accepted
 * and compared with what the provider computed.
 */
export type Access = "rw" | "ro" | "wo" | "computed"

/** How a value looks on the wire; `reference` is a bare UUID, `providerId` the provider's own id. */
export type Kind =
  | "text"
  | "date"
  | "dateTime"
  | "number"
  | "integer"
  | "boolean"
  | "decimal"
  | "reference"
  | "providerId"
  | "object"
  | "list"

/**
 * One field. `Out` is its type in a record, `In` in a body, `Needed` whether every create must have it.
 */
export interface Field<Out = unknown, In = unknown, A extends Access = Access, Needed extends boolean = boolean> {
  readonly kind: Kind
  readonly description: string
  readonly access: A
  readonly required: Needed
  /** Allowed values, for enumerations. */
  readonly values?: ReadonlyArray<string>
  /** Resources a `reference` or `providerId` points to. */
  readonly targets?: ReadonlyArray<string>
  /** Items of a list, or shape of an object. */
  readonly item?: Field | Shape
  /** Of a tree: the name under which a row holds its own rows. */
  readonly children?: string
  /** Every record has it: never null. */
  readonly always?: true
  /** Of an entry's `remote_id`: sent back, it identifies the entry of the record. */
  readonly matches?: true
  /** Tells how to interpret another field. Sending it without that field is 422. */
  readonly describes?: Describes
  readonly out: Schema.Schema.AnyNoContext
  readonly in: Schema.Schema.AnyNoContext
  /** For the compiler only. */
  readonly types?: { readonly out: Out; readonly in: In }
}

export type Fields = { readonly [name: string]: Field }

/** The described field, and what holds for a body that does not say. */
export interface Describes {
  readonly field: string
  readonly byDefault: string
}

type Items<F extends Field> =
  F extends Field<infer Out>
    ? Out extends ReadonlyArray<unknown>
      ? Out
      : F["always"] extends true
        ? Out
        : Out | null
    : never

/** The record of some fields: every field is there, null where the provider has no value; lists and ids are never null. */
export type RecordOf<F extends Fields> = {
  readonly [K in keyof F as F[K]["access"] extends "wo" ? never : K]: Items<F[K]>
}

type NeededKeys<F extends Fields> = { [K in keyof F]: F[K]["required"] extends true ? K : never }[keyof F]

/** A partial body: every field may be left out, null clears. */
export type PatchOf<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Field<unknown, infer In> ? In | null : never
}

/** A partial body that says which record it changes. */
export type ChangeOf<F extends Fields> = Omit<PatchOf<F>, "id"> & { readonly id: string }

/** A full body: the fields that a create needs must be there. */
export type BodyOf<F extends Fields> = Omit<PatchOf<F>, NeededKeys<F>> & {
  readonly [K in NeededKeys<F>]: F[K] extends Field<unknown, infer In> ? In : never
}

/** A named group of fields: a nested object, or the fields of a resource. */
export interface Shape<F extends Fields = Fields> {
  readonly name: string
  readonly description: string
  readonly fields: F
}

export const isShape = (item: Field | Shape | undefined): item is Shape => item !== undefined && "fields" in item

// ---------------------------------------------------------------------------------------------------------------------
// fields

/** Whether it is `YYYY-MM-DD`, and a day of the calendar. */
export const isRealDate = (text: string) => {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Whether it is an ISO 8601 date-time with the offset from UTC, whose year has four digits in UTC, too. */
export const isRealDateTime = (text: string) => {
  const parts = dateTimePattern.exec(text)
  return parts?.[1] !== undefined && isRealDate(parts[1]) && /^(?!0000)\d/.test(new Date(text).toISOString())
}

const uuidPattern = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

const saying = (message: string) => ({ message: () => ({ message, override: true as const }) })

const string = (message: string, json: object, holds: (text: string) => boolean) =>
  Schema.String.annotations(saying(message)).pipe(
    Schema.filter(holds, { ...saying(message), jsonSchema: { type: "string", ...json } })
  )

type Extra = Partial<Pick<Field, "values" | "targets" | "item" | "children">>

const make = <Out, In>(
  kind: Kind,
  description: string,
  out: Schema.Schema<Out>,
  into: Schema.Schema<In>,
  extra: Extra = {}
): Field<Out, In, "rw", false> => ({
  kind,
  description,
  access: "rw",
  required: false,
  out,
  in: into,
  ...extra
})

const scalar = <A>(kind: Kind, description: string, schema: Schema.Schema<A>, extra?: Extra) =>
  make(kind, description, schema, schema, extra)

const Text = Schema.String.annotations(saying("must be a string"))
const Day = string("must be a date such as 2026-01-31", { format: "date" }, isRealDate)
const Instant = string("must be a date-time such as 2026-01-31T09:30:00Z", { format: "date-time" }, isRealDateTime)
const Finite = Schema.Number.annotations(saying("must be a number")).pipe(
  Schema.filter(Number.isFinite, { ...saying("must be a finite number"), jsonSchema: { type: "number" } })
)
const Share = Schema.Number.annotations(saying("must be a number from 0 to 1")).pipe(
  Schema.filter((value) => value >= 0 && value <= 1, {
    ...saying("must be a number from 0 to 1"),
    jsonSchema: { type: "number", minimum: 0, maximum: 1 }
  })
)
const Whole = Schema.Number.annotations(saying("must be an integer")).pipe(
  Schema.filter(Number.isSafeInteger, { ...saying("must be an integer"), jsonSchema: { type: "integer" } })
)
const Flag = Schema.Boolean.annotations(saying("must be true or false"))
const Decimal = string(
  'must be a decimal above 0, written as a string, such as "1.25"',
  { pattern: "^(?=.*[1-9])\\d+(\\.\\d+)?$" },
  (text) => /^(?=.*[1-9])\d+(\.\d+)?$/.test(text)
)
const Uuid = string("must be a UUID", { format: "uuid" }, (text) => new RegExp(`^${uuidPattern}$`).test(text))
/** Says what a reference to a record of one of these resources has to be. */
export const uuidOf = (targets: ReadonlyArray<string>) =>
  `must be the UUID of ${/^[aeiou]/.test(targets[0] ?? "") ? "an" : "a"} ${targets.map(named).join(" or ")} record (its id, not its remote_id), with or without urn:uuid: in front`

/** Says what a field with a provider's own id takes in place of a service id. */
export const remoteIdOf = (targets: ReadonlyArray<string>) => {
  const whose =
    targets.length === 0
      ? ""
      : ` of ${/^[aeiou]/.test(targets[0] ?? "") ? "an" : "a"} ${targets.map(named).join(" or ")}`
  return `takes the remote_id${whose}; urn:uuid:… is a service id`
}

/** Whether it is a service id, which no provider knows. */
export const isServiceId = (text: string) => /^urn:uuid:/i.test(text)

/** Whether it is a UUID, with or without `urn:uuid:` in front. */
export const isUuid = (text: string) => new RegExp(`^(urn:uuid:)?${uuidPattern}$`).test(text)

/** Any JSON value; documented as `json` says. */
const anything = (json: object) =>
  Schema.declare((_: unknown): _ is unknown => true, {
    jsonSchema: { type: ["string", "number", "boolean", "object", "array", "null"], ...json }
  })

const Bag = Schema.Record({ key: Schema.String, value: anything({ description: "any JSON value" }) }).annotations(
  saying("must be an object")
)

const expanded = Schema.optional(
  Schema.Record({ key: Schema.String, value: anything({ description: "a record, or a list of them" }) }).annotations({
    description: "with expand: records that it refers to, by the field; null for one that is missing"
  })
)

/** A string. */
export const text = (description: string) => scalar("text", description, Text)

/** One of some strings. */
export const literal = <const V extends ReadonlyArray<string>>(description: string, ...values: V) =>
  scalar("text", description, Schema.Literal(...values).annotations(saying(`must be one of ${values.join(", ")}`)), {
    values
  })

/** `YYYY-MM-DD`. */
export const date = (description: string) => scalar("date", description, Day)

/** ISO 8601 date-time with its offset. */
export const dateTime = (description: string) => scalar("dateTime", description, Instant)

/** A JSON number; money is in the record's currency, major units. */
export const number = (description: string) => scalar("number", description, Finite)

/** A share of the whole. */
export const share = (description: string) => scalar("number", description, Share)

export const integer = (description: string) => scalar("integer", description, Whole)

export const boolean = (description: string) => scalar("boolean", description, Flag)

/** A rate: a decimal above 0 written as a string, since binary floats would round it. */
export const decimal = (description: string) => scalar("decimal", description, Decimal)

/** A free-form object. */
export const bag = (description: string) => scalar("object", description, Bag)

/** The UUID of another accounting record; in a body `urn:uuid:` may stand in front. */
export const reference = (description: string, ...targets: ReadonlyArray<string>) =>
  make("reference", description, Uuid, string(uuidOf(targets), { format: "uuid" }, isUuid), { targets })

/** The provider's own id of another CRM record. */
export const providerId = (description: string, ...targets: ReadonlyArray<string>) =>
  make(
    "providerId",
    description,
    Text,
    Text.pipe(
      Schema.filter((id) => !isServiceId(id), {
        message: () => ({ message: remoteIdOf(targets), override: true }),
        jsonSchema: {}
      })
    ),
    { targets }
  )

/** A list of plain values. */
export const listOf = <Out, In>(description: string, item: Field<Out, In>) =>
  make<ReadonlyArray<Out>, ReadonlyArray<In>>("list", description, Schema.Array(item.out), Schema.Array(item.in), {
    item
  })

/** A list of nested objects. */
export const list = <F extends Fields>(description: string, item: Shape<F>) =>
  make<ReadonlyArray<RecordOf<F>>, ReadonlyArray<BodyOf<F>>>(
    "list",
    description,
    Schema.Array(recordStruct<RecordOf<F>>(item.fields, expansionsOf(item.fields))),
    Schema.Array(bodyStruct<BodyOf<F>>(item.fields, true)),
    { item }
  )

/** Rows of `F` that hold rows of the same kind under `children`. */
export type Tree<F extends Fields, Children extends string> = RecordOf<F> & {
  readonly [K in Children]: ReadonlyArray<Tree<F, Children>>
}

/** A list of nested objects that hold such lists themselves; read only. */
export const tree = <F extends Fields, const Children extends string>(
  description: string,
  children: Children,
  item: Shape<F>
): Field<ReadonlyArray<Tree<F, Children>>, unknown, "ro", false> => {
  const row: Schema.Schema<Tree<F, Children>> = withExtras(recordStruct(item.fields), item.name, {
    [children]: Schema.Array(Schema.suspend((): Schema.Schema<Tree<F, Children>> => row)).annotations({
      description: "rows below it"
    })
  })
  return readOnly(make("list", description, Schema.Array(row), Schema.Array(row), { item, children }))
}

/** Makes a field required in every create. */
export const required = <O, I, A extends Access>(field: Field<O, I, A>): Field<O, I, A, true> => ({
  ...field,
  required: true
})

/** Makes a field that says how another field of the record is to be read. */
export const describing = <O, I>(field: Field<O, I, "rw", false>, describes: Describes): Field<O, I, "rw", false> => ({
  ...field,
  describes
})

/** Makes a field read-only. */
export const readOnly = <O, I>(field: Field<O, I>): Field<O, I, "ro", false> => ({
  ...field,
  access: "ro",
  required: false
})

/** Read-only, and in every record; named, so that declarations of routes stay short enough for the compiler to write. */
export interface Always<Out, In> extends Field<Out, In, "ro", false> {
  readonly always: true
}

const always = <O, I>(field: Field<O, I>): Always<O, I> => ({ ...readOnly(field), always: true })

/** The provider's id of a list's entry: sent back with the entry, it keeps the provider's own one. */
export const entryId = (description: string): Field<string, string, "ro", false> => ({
  ...readOnly(text(`${description}; send it back on PATCH and PUT to keep the entry`)),
  matches: true
})

/** Makes a field write-only: it is never in an answer. */
export const writeOnly = <O, I>(field: Field<O, I>): Field<O, I, "wo", false> => ({
  ...field,
  access: "wo",
  required: false
})

/** Marks a field that the provider computes: accepted in a body, and compared with the provider's value after the write. */
export const computed = <O, I>(field: Field<O, I>): Field<O, I, "computed", false> => ({
  ...field,
  access: "computed",
  required: false
})

// ---------------------------------------------------------------------------------------------------------------------
// schemas of shapes. `Schema.make` gives the computed type to a struct whose fields are known only as data.

const struct = <A>(fields: Record<string, Schema.Struct.Field>): Schema.Schema<A> =>
  Schema.make(Schema.Struct(fields).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } }).ast)

const named = (name: string) => name.replaceAll("_", " ")

/** Contents of the kinds of fields that refer to other records. */
const referring = { reference: "UUID of the accounting", providerId: "`remote_id` of the CRM" } as const

/** The description of a field, with the resources it refers to. */
export const described = ({ description, item, kind, targets = [] }: Field): string => {
  if (item !== undefined && "kind" in item) return described({ ...item, description })
  const what = kind === "reference" || kind === "providerId" ? referring[kind] : undefined
  return what === undefined || targets.length === 0
    ? description
    : `${description}; ${what} ${targets.map(named).join(" or ")}`
}

const valueOf = (field: Field) =>
  (field.kind === "list" || field.always === true ? field.out : Schema.NullOr(field.out)).annotations({
    description: described(field)
  })

const isReadable = ([, { access }]: readonly [string, Field]) => access !== "wo"

/** The field for the records that an object refers to, in answers to requests with `expand`. */
const expansionsOf = (fields: Fields): Record<string, Schema.Struct.Field> =>
  refersToOthers(fields) ? { expanded } : {}

const refersToOthers = (fields: Fields) =>
  Object.values(fields).some(({ item, targets }) => targets !== undefined || (item !== undefined && "targets" in item))

const recordStruct = <A>(fields: Fields, extras: Record<string, Schema.Struct.Field> = {}): Schema.Schema<A> =>
  struct({
    ...Object.fromEntries(
      Object.entries(fields)
        .filter(isReadable)
        .map(([name, field]) => [name, valueOf(field)])
    ),
    ...extras
  })

const partStruct = <A>(fields: Fields): Schema.Schema<A> =>
  struct(
    Object.fromEntries(
      Object.entries(fields)
        .filter(isReadable)
        .map(([name, field]) => [
          name,
          Object.hasOwn(commonFields, name) ? valueOf(field) : Schema.optionalWith(valueOf(field), { exact: true })
        ])
    )
  )

/** Names of the fields that answers can have; an organisation's own are all in the last one. */
export const readableOf = ({ fields }: Resource): ReadonlyArray<string> => [
  ...Object.entries(fields)
    .filter(isReadable)
    .map(([name]) => name),
  "custom_fields"
]

const ignored = (field: Field) =>
  Schema.optional(anything({ readOnly: true, description: `${field.description}; ignored when sent` }))

/** A computed field in a body. It stays marked as read-only, since a client has no reason to send it. */
const compared = (field: Field) =>
  Schema.optional(
    Schema.NullOr(field.in).annotations({
      jsonSchema: {
        type: [field.kind === "date" ? "string" : "number", "null"],
        ...(field.kind === "date" ? { format: "date" } : {}),
        readOnly: true,
        description: `${field.description}; when sent, a different value at the provider is named in a warning`
      }
    })
  )

/** Refuses an empty string or list for a field that a create must have. */
const present = (field: Field): Schema.Schema.AnyNoContext =>
  (field.kind === "text" && field.values === undefined) || field.kind === "list"
    ? field.in.pipe(
        Schema.filter((value: { readonly length: number }) => value.length > 0, {
          message: () => ({ message: "must not be empty", override: false }),
          jsonSchema: field.kind === "text" ? { minLength: 1 } : { minItems: 1 }
        })
      )
    : field.in

const bodyFields = (fields: Fields, full: boolean): Record<string, Schema.Struct.Field> => ({
  ...Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.access === "computed"
        ? compared(field)
        : field.access === "ro" && field.matches !== true
          ? ignored(field)
          : full && field.required
            ? present(field).annotations({ description: described(field) })
            : Schema.optional(Schema.NullOr(field.in).annotations({ description: described(field) }))
    ])
  ),
  ...(refersToOthers(fields) ? { expanded: ignored(bag("records that it refers to")) } : {})
})

const bodyStruct = <A>(fields: Fields, full: boolean): Schema.Schema<A> => struct(bodyFields(fields, full))

/** The id of a record in a batch. */
export const RecordId = Text.pipe(
  Schema.minLength(1, saying("must be the id of a record")),
  Schema.annotations({
    description: "as {id} in the path of a single record: its `remote_id`; in accounting also its `id`"
  })
)

// ---------------------------------------------------------------------------------------------------------------------
// resources

/** Fields that every record has besides its own; never overridden. */
export const commonFields = {
  id: always(text("service id, `urn:uuid:<uuid>`; the bare UUID is what accounting references carry")),
  remote_id: always(text("the provider's own id; value of {id} in single-record paths")),
  remote_was_deleted: always(boolean("true once the provider reports the record deleted or archived")),
  providerSlug: always(text("slug of the provider holding the record")),
  providerId: always(text("UUID of the connection the record was read through")),
  created_at: readOnly(dateTime("creation time at the provider, else when this service first saw the record")),
  modified_at: readOnly(dateTime("change time at the provider, else `created_at`")),
  remote_created_at: readOnly(dateTime("creation time as the provider states it")),
  remote_updated_at: readOnly(dateTime("change time as the provider states it"))
} satisfies Fields

const integrationParams = writeOnly(
  bag("native fields merged over what the mapping built, for what the model does not hold; never returned")
)

export type CommonFields = typeof commonFields

/** The name of a field that answers can have. */
export type ReadableOf<R extends Resource> =
  | { [K in keyof R["fields"] & string]: R["fields"][K]["access"] extends "wo" ? never : K }[keyof R["fields"] & string]
  | "custom_fields"

/** The common fields of a record; named, so that declarations of routes stay short enough for the compiler to write. */
export interface Common extends RecordOf<CommonFields> {}

/** A record as reads return it: all of it, or the requested fields with the common ones. */
export type PartOf<F extends Fields> = Common & Partial<RecordOf<F>>

/** The part of a record or body that an organisation's overrides fill. */
export interface Custom {
  readonly custom_fields?: { readonly [name: string]: unknown } | null
}

/** Additions to a record that a read returns on request. */
export interface Beside {
  readonly remote_data?: unknown
  /** Records that it refers to, by the field; null for one that is missing. */
  readonly expanded?: { readonly [field: string]: unknown }
}

/** A resource, whatever its fields. */
export interface Resource extends Shape {
  readonly category: Category
  readonly class: Class
  /** Rules that hold at every provider. */
  readonly rules: ReadonlyArray<Rule>
  /** Amounts of a body that depend on each other. */
  readonly amounts: ReadonlyArray<AmountRule>
  /** Filters of its lists, by the names of their query parameters. */
  readonly filters: Filters
  /** Name of its schemas in the OpenAPI, such as `CrmContact`. */
  readonly identifier: string
  readonly record: Schema.Schema.AnyNoContext
  /** A record that may have only some of its fields. */
  readonly part: Schema.Schema.AnyNoContext
  readonly createBody: Schema.Schema.AnyNoContext
  readonly patchBody: Schema.Schema.AnyNoContext
  /** A partial body that says which record it changes. */
  readonly changeBody: Schema.Schema.AnyNoContext
}

/** A resource with the types of its fields. */
export interface ResourceOf<Name extends string, F extends Fields, L extends Filters = Filters> extends Resource {
  readonly name: Name
  readonly fields: F
  readonly filters: L & typeof commonFilters
  readonly record: Schema.Schema<RecordOf<F> & Custom & Beside>
  readonly part: Schema.Schema<PartOf<F> & Custom & Beside>
  readonly createBody: Schema.Schema<BodyOf<F> & Custom>
  readonly patchBody: Schema.Schema<PatchOf<F> & Custom>
  readonly changeBody: Schema.Schema<ChangeOf<F> & Custom>
}

const customFields = Schema.optional(
  Schema.NullOr(Bag).annotations({ description: "fields an organisation added to the mapping; see /field-mappings" })
)

/**
 * A Schema that is made when it is first used. A process uses few of the 200 of all resources, and making all of them, with
 * their parsers, took a seventh of its memory and of its start.
 */
export const later = <A>(identifier: string, make: () => Schema.Schema<A>): Schema.Schema<A> =>
  Schema.suspend(make).annotations({ identifier })

const withExtras = <A>(schema: Schema.Schema<A>, identifier: string, extras: Record<string, Schema.Struct.Field>) =>
  Schema.make<A>(
    Schema.extend(schema, Schema.Struct(extras)).annotations({
      identifier,
      parseOptions: { errors: "all", onExcessProperty: "error" }
    }).ast
  )

const pascal = (name: string) => name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())

/** Declares a resource; the common fields and `integration_params`, which only bodies have, are added. */
export const resource = <const Name extends string, const F extends Fields, const L extends Filters>(options: {
  readonly category: Category
  readonly name: Name
  readonly class: Class
  readonly description: string
  readonly fields: F
  readonly rules?: ReadonlyArray<Rule>
  readonly amounts?: ReadonlyArray<AmountRule>
  /** Besides those that every list takes. */
  readonly filters: L
}): ResourceOf<Name, F & CommonFields & { readonly integration_params: typeof integrationParams }, L> => {
  const fields = { ...commonFields, ...options.fields, integration_params: integrationParams }
  const identifier = pascal(options.category) + pascal(options.name)
  const extras = {
    custom_fields: customFields,
    remote_data: Schema.optional(anything({ description: "the provider's native object, with include_remote_data" })),
    ...expansionsOf(fields)
  }
  const body = { custom_fields: customFields, remote_data: ignored(writeOnly(bag("native object of the record"))) }
  const made = <A>(suffix: string, schema: () => Schema.Schema<A>, beside: Record<string, Schema.Struct.Field>) =>
    later(identifier + suffix, () => withExtras(schema(), identifier + suffix, beside))
  return {
    ...options,
    fields,
    rules: options.rules ?? [],
    amounts: options.amounts ?? [],
    filters: { ...commonFilters, ...options.filters },
    identifier,
    record: made("", () => recordStruct(fields), extras),
    part: made("Part", () => partStruct(fields), extras),
    createBody: made("Body", () => bodyStruct(fields, true), body),
    patchBody: made("Patch", () => bodyStruct(fields, false), body),
    changeBody: made("Change", () => struct({ ...bodyFields(fields, false), id: RecordId }), body)
  }
}

/** Whether a resource is a report. Its creation-time filters name the period or day it is for, since it has no such time. */
export const isReport = ({ fields }: Pick<Resource, "fields">) =>
  Object.values(fields).some(({ children }) => children !== undefined)
