import { Effect, Schema } from "effect"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { everything } from "../base/Paginator.ts"
import type { Answer, Call, Caller } from "../base/Upstream.ts"
import type { NativeType } from "../../mapping/Transform.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type KeptValues, keeping } from "../KeptValues.ts"
import type { NativeField, ProviderAdapter } from "../ProviderAdapter.ts"
import { Malformed, ProviderError, type Reason } from "../ProviderError.ts"
import { placesIn } from "./AddressPicklists.ts"
import { heldBy, withoutType } from "./Lacks.ts"

/** https://developer.salesforce.com/docs/platform/api-rest/guide/resources-list */
export const api = "/services/data/v66.0"

/** The fields of a type that an org has and the connected user may see. */
const Fields = Schema.Struct({
  /** Names of fields and of relationships to parents. */
  readable: Schema.ReadonlySet(Schema.String),
  /** Fields that take null. */
  clearable: Schema.ReadonlySet(Schema.String),
  /** Values that stand for none in pick lists that do not take null, by field. */
  defaults: Schema.ReadonlyMap({ key: Schema.String, value: Schema.Unknown }),
  /** Countries of addresses, where they are chosen from a list. */
  countries: Schema.optionalWith(Schema.Array(Schema.Struct({ code: Schema.String, name: Schema.String })), {
    default: () => []
  }),
  /** States, with the codes of their countries. */
  states: Schema.optionalWith(
    Schema.Array(Schema.Struct({ code: Schema.String, name: Schema.String, countries: Schema.Array(Schema.String) })),
    { default: () => [] }
  )
})

export type Fields = typeof Fields.Type

/** Operations on the org of a connection that all resources share. */
export interface Org {
  readonly call: Caller
  /** Every row of a query, through all its batches; `isAll`: with the recycle bin and old activities. */
  readonly query: (
    connection: ConnectionRef,
    operation: string,
    soql: string,
    isAll?: boolean
  ) => Effect.Effect<ReadonlyArray<Native>, ProviderError>
  /** Orgs differ in their fields (currencies, licences, field security), so what is asked for is looked up first. */
  readonly fieldsOf: (connection: ConnectionRef, type: string) => Effect.Effect<Fields, ProviderError>
  /** Everything the org says about a type's fields, read afresh. */
  readonly describe: NonNullable<ProviderAdapter["fieldsOf"]>
  /** Finds out in one call which types of records the org shows. */
  readonly held: NonNullable<ProviderAdapter["held"]>
}

export const failure = (operation: string, reason: Reason, detail?: string) =>
  new ProviderError({ provider: "salesforce", operation, reason, ...(detail === undefined ? {} : { detail }) })

const isRows = (value: unknown): value is ReadonlyArray<Native> => Array.isArray(value) && value.every(isNative)

interface Batch {
  readonly records: ReadonlyArray<Native>
  /** Names the next batch. */
  readonly next: string | null
}

/**
 * Even a short result may come in several batches.
 * https://developer.salesforce.com/docs/platform/api-rest/guide/resources-query
 */
const batchOf = (operation: string, { body }: Answer): Effect.Effect<Batch, ProviderError> => {
  if (!isNative(body) || !isRows(body.records)) return failure(operation, new Malformed(), "the answer has no records")
  if (body.done !== false) return Effect.succeed({ records: body.records, next: null })
  const locator = typeof body.nextRecordsUrl === "string" ? body.nextRecordsUrl.split("/").at(-1) : undefined
  return locator === undefined
    ? failure(operation, new Malformed(), "the answer does not say where it goes on")
    : Effect.succeed({ records: body.records, next: locator })
}

/** https://developer.salesforce.com/docs/platform/api-rest/guide/dome-sobject-describe */
const rowsIn = (operation: string, { body }: Answer): Effect.Effect<ReadonlyArray<Native>, ProviderError> =>
  isNative(body) && isRows(body.fields)
    ? Effect.succeed(body.fields)
    : failure(operation, new Malformed(), "the answer has no fields")

const fieldsIn = (rows: ReadonlyArray<Native>): Fields => {
  const names = (fields: ReadonlyArray<Native>, key: string) =>
    fields.map((field) => field[key]).filter((name) => typeof name === "string")
  return {
    readable: new Set([...names(rows, "name"), ...names(rows, "relationshipName")]),
    clearable: new Set(
      names(
        rows.filter((field) => field.updateable !== false && field.nillable !== false),
        "name"
      )
    ),
    defaults: new Map(
      rows
        .filter((field) => field.updateable !== false && field.nillable === false)
        .flatMap(({ name, picklistValues }) => {
          const found = natives(picklistValues).find(({ defaultValue }) => defaultValue === true)
          return found === undefined ? [] : [[String(name), found.value] as const]
        })
    ),
    ...placesIn(rows)
  }
}

/**
 * Types whose values are not text in JSON.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/field_types.htm
 */
const types: { readonly [type: string]: NativeType } = {
  boolean: "boolean",
  int: "integer",
  long: "integer",
  double: "number",
  currency: "number",
  percent: "number",
  date: "date",
  datetime: "dateTime",
  address: "object",
  location: "object"
}

/** A field, and the path to the record that it refers to, whose fields are read only. */
const nativeFields = (row: Native): ReadonlyArray<NativeField> => {
  const { label, name, picklistValues, referenceTo, relationshipName, type, updateable } = row
  const options = natives(picklistValues).map((one) => ({ value: String(one.value), label: String(one.label) }))
  const targets: ReadonlyArray<unknown> = Array.isArray(referenceTo) ? referenceTo : []
  return [
    {
      name: String(name),
      label: String(label),
      type: types[String(type)] ?? "text",
      readOnly: updateable === false,
      // several choices are one text with semicolons
      ...(options.length > 0 && type !== "multipicklist" ? { options } : {})
    },
    ...(typeof relationshipName === "string"
      ? [
          {
            name: relationshipName,
            label: String(label),
            type: "object" as const,
            readOnly: true,
            // a reference to several types leads to the fields that they share
            leadsTo: targets.length === 1 ? String(targets[0]) : "Name"
          }
        ]
      : [])
  ]
}

/** Orgs behind a caller; keeps what it learns about their fields for ten minutes. */
export const makeOrg = (call: Caller): Effect.Effect<Org, never, KeptValues> =>
  Effect.gen(function* () {
    const describe = (connection: ConnectionRef, type: string) => {
      const operation = `${type}.describe`
      const request: Call = { operation, method: "GET", path: `${api}/sobjects/:type/describe`, params: { type } }
      return call(connection, request).pipe(
        Effect.flatMap((answer) => rowsIn(operation, answer)),
        // a type that needs an add-on, or is hidden from the user, counts as absent
        Effect.mapError((error) =>
          error.reason._tag === "Missing" ? failure(operation, withoutType(type), error.detail) : error
        )
      )
    }

    const known = yield* keeping(Fields, 500)
    const nameOf = (type: string) => `fields/${type}`

    return {
      call,
      // https://developer.salesforce.com/docs/platform/api-rest/guide/resources-queryall
      query: (connection, operation, soql, isAll = false) =>
        everything("salesforce", operation, (locator) => {
          const request: Call =
            locator === null
              ? { operation, method: "GET", path: `${api}/${isAll ? "queryAll" : "query"}`, query: { q: soql } }
              : { operation, method: "GET", path: `${api}/query/:locator`, params: { locator } }
          return Effect.flatMap(call(connection, request), (answer) => batchOf(operation, answer))
        }),
      fieldsOf: (connection, type) =>
        known.get(connection, nameOf(type), 600, Effect.map(describe(connection, type), fieldsIn)),
      describe: Effect.fnUntraced(function* (connection, type) {
        const rows = yield* describe(connection, type)
        // forgotten, so that calls ask for a field that was just made
        yield* known.forget(connection, nameOf(type))
        // only organisations with state and country picklists have the codes of addresses
        const covers = (path: string) => !/(?:Country|State)Code$/.test(path)
        return { fields: rows.flatMap(nativeFields), covers }
      }),
      // https://developer.salesforce.com/docs/platform/api-rest/guide/resources-describeglobal
      held: (connection) =>
        Effect.map(
          call(connection, { operation: "sobjects.list", method: "GET", path: `${api}/sobjects` }),
          ({ body }) => heldBy(new Set(natives(getPath(body, "sobjects")).map(({ name }) => name)))
        )
    }
  })
