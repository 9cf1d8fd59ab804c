import { Either } from "effect"
import { commonFields, type Resource } from "../canonical/Resource.ts"
import { nativePathOf, type Override, canonicalPathOf, type ValueTable } from "../mapping/Compile.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { named, type NativeType, tableOf, tables, type Transform } from "../mapping/Transform.ts"
import type { FieldErrors } from "../platform/Errors.ts"
import type { NativeField } from "../providers/ProviderAdapter.ts"

/** An override as a request has it. */
export interface OverrideInput {
  readonly field: string
  readonly native_field: string
  readonly transform?: string | undefined
  readonly values?: ValueTable | undefined
  readonly native_type?: string | undefined
}

/** Result of looking up the native field in the provider's metadata, for one native type. */
export type Known =
  | { readonly is: "found"; readonly field: NativeField }
  | { readonly is: "missing"; readonly nearest: ReadonlyArray<NativeField> }
  | { readonly is: "unchecked"; readonly readOnly: boolean }

/** The kinds of canonical fields whose value is one native value, so that an override can move them. */
const movable = new Set(["text", "date", "dateTime", "number", "integer", "boolean", "decimal", "providerId"])

const customPrefix = "custom_fields."

/** The name of an override's field, which may have the prefix `custom_fields.` that it is listed with. */
export const fieldNamed = (resource: Resource, name: string) =>
  name.startsWith(customPrefix) && !Object.hasOwn(resource.fields, name.slice(customPrefix.length))
    ? name.slice(customPrefix.length)
    : name

const catalogueField = (resource: Resource, name: string) =>
  Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined

const listed = (words: Iterable<string>) => [...words].join(", ")

/** Native types that an override is for. */
export const typesOf = (mapping: Mapping, { native_type }: Pick<OverrideInput, "native_type">) =>
  mapping.variants.map(({ nativeType }) => nativeType).filter((one) => native_type === undefined || one === native_type)

const fieldProblem = (resource: Resource, mapping: Mapping, given: string): string | undefined => {
  const name = fieldNamed(resource, given)
  const field = catalogueField(resource, name)
  if (field === undefined) {
    const canonical = name.slice(customPrefix.length)
    if (name.startsWith(customPrefix) && catalogueField(resource, canonical) !== undefined) {
      return `${canonical} is a field of the catalogue: name it without custom_fields`
    }
    return /^(?!constructor$)[a-z][a-z0-9_]{0,62}$/.test(name)
      ? undefined
      : "must be a canonical field, or a new name of lower-case letters, digits and _ (it appears under custom_fields)"
  }
  if (!movable.has(field.kind) || Object.hasOwn(commonFields, name)) {
    return `${name} is not made of one native field, so it cannot be moved`
  }
  return mapping.variants.some(({ when = {} }) => Object.hasOwn(when, name))
    ? `${name} tells native types apart, so it cannot be moved`
    : undefined
}

const step = /^[\w$][\w$-]*(\[\w+=[\w-]+\])?(\.[\w$][\w$-]*(\[\w+=[\w-]+\])?)*$/

const nativeProblem = (path: string): string | undefined => {
  if (!step.test(path) || path.length > 255) {
    return "must be a native field: a name, or names joined by dots; of a list, the entry as in CustomField[DefinitionId=1].StringValue"
  }
  return /(^|[.[])(__proto__|constructor|prototype)([.[=]|$)/.test(path) ? "is not a native field" : undefined
}

/** Transforms for a kind of canonical field; null for fields outside the catalogue, which take all. */
const transformsFor = (kind: string | null): ReadonlyArray<Transform> =>
  [...named.values()].filter(({ fit }) => kind === null || fit?.canonical.some((one) => one === kind) === true)

const transformProblem = (resource: Resource, { field: given, transform, values }: OverrideInput) => {
  const kind = catalogueField(resource, fieldNamed(resource, given))?.kind ?? null
  if (transform === undefined) return undefined
  if (values !== undefined) {
    return tables.some((table) => table === transform)
      ? undefined
      : `must be ${tables.join(" or ")} beside values, or left out`
  }
  if (tables.some((table) => table === transform)) return undefined
  const possible = transformsFor(kind).map(({ name }) => name)
  if (!named.has(transform)) return `must be one of ${listed([...possible, ...tables])}`
  return possible.includes(transform)
    ? undefined
    : `${transform} makes no ${String(kind)}, which ${given} is; possible: ${listed(possible)}`
}

const valueProblems = (resource: Resource, { field: given, transform, values }: OverrideInput): FieldErrors => {
  const field = catalogueField(resource, fieldNamed(resource, given))
  if (values === undefined) {
    return tables.some((table) => table === transform)
      ? { values: `is needed: what each native value means, such as {"<native value>": "<value of ${given}>"}` }
      : {}
  }
  if (field !== undefined && field.kind !== "text") return { values: `is for text; ${given} is a ${field.kind} field` }
  if (Object.keys(values).length === 0) return { values: "must not be empty" }
  const allowed = field?.values
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => allowed?.includes(value) === false)
      .map(([native]) => [`values.${native}`, `must be one of ${listed(allowed ?? [])}`])
  )
}

/** Errors in an override that do not depend on the account. */
export const problemsOf = (resource: Resource, mapping: Mapping, input: OverrideInput): FieldErrors => {
  const types = mapping.variants.map(({ nativeType }) => nativeType)
  const found = {
    field: fieldProblem(resource, mapping, input.field),
    native_field: nativeProblem(input.native_field),
    transform: transformProblem(resource, input),
    native_type:
      input.native_type === undefined || types.includes(input.native_type)
        ? undefined
        : `must be one of ${listed(types)}`
  }
  return {
    ...Object.fromEntries(
      Object.entries(found).flatMap(([name, words]) => (words === undefined ? [] : [[name, words]]))
    ),
    ...valueProblems(resource, input)
  }
}

/** Types as refusals name them. */
const words: { readonly [type in NativeType]: string } = {
  text: "text",
  numericText: "a number written as text",
  booleanText: "true or false written as text",
  number: "a number",
  integer: "a whole number",
  boolean: "a boolean",
  date: "a date",
  dateTime: "a date-time",
  list: "a list",
  object: "an object"
}

const isReadOnly = (known: Known) =>
  known.is === "found" ? known.field.readOnly : known.is === "unchecked" && known.readOnly

const shown = ({ label, name }: NativeField) => `${name} (${label})`

/** The reason to refuse a native field: no native type has it, or not all do. */
const absence = (path: string, known: ReadonlyMap<string, Known>, account: string): string | undefined => {
  const missing = [...known].flatMap(([type, one]) => (one.is === "missing" ? [{ type, nearest: one.nearest }] : []))
  const others = [...known].flatMap(([type, one]) => (one.is === "missing" ? [] : [type]))
  if (missing.length === 0) return undefined
  const types = listed(missing.map(({ type }) => type))
  if (others.length > 0)
    return `${types} ${missing.length === 1 ? "has" : "have"} no ${path}: give native_type, ${others.join(" or ")}`
  const near = new Map(missing.flatMap(({ nearest }) => nearest.map((field) => [field.name, shown(field)])))
  const hint = near.size === 0 ? "" : `; nearest: ${listed([...near.values()].slice(0, 3))}`
  return `${types} ${missing.length === 1 ? "has" : "have"} no field ${path} in ${account}${hint}`
}

/** A checked override, with the native types for which its native field was looked up at the provider. */
export interface Settled {
  readonly override: Override
  readonly checked: ReadonlyArray<string>
}

/**
 * Adds the transform and the access that the native field calls for, or says what is wrong with the override. `account`
 * names the account whose metadata were used.
 */
export const settle = (
  resource: Resource,
  mapping: Mapping,
  input: OverrideInput,
  known: ReadonlyMap<string, Known>,
  account: string
): Either.Either<Settled, FieldErrors> => {
  const name = fieldNamed(resource, input.field)
  const path = nativePathOf(mapping, input.native_field)
  const field = catalogueField(resource, name)
  const found = [...known.values()].flatMap((one) => (one.is === "found" ? [one.field] : []))
  const isOnlyRead = field?.access === "ro" || [...known.values()].some(isReadOnly)
  const refuse = (at: string, message: string) => Either.left({ [at]: message })
  const absent = absence(path, known, account)
  if (absent !== undefined) return refuse("native_field", absent)

  /** Whether a transform fits the two fields; one that the override names may also read values from texts. */
  const fits = ({ fit }: Transform, isNamed: boolean) =>
    fit === undefined ||
    found.every(
      ({ type }) =>
        fit.native.includes(type) ||
        (isOnlyRead && fit.reads?.includes(type) === true) ||
        (isNamed && type === "text" && fit.texts === true)
    )
  const types = listed(new Set(found.map(({ type }) => words[type])))
  const options = [...new Set(found.flatMap((one) => (one.options ?? []).map(({ value }) => value)))]
  const settled = (transform: string | undefined): Either.Either<Settled, FieldErrors> =>
    Either.right({
      override: {
        field: name,
        nativeField: input.native_field,
        transform,
        values: input.values,
        access: isOnlyRead ? "read" : "both",
        nativeType: input.native_type
      },
      checked: [...known].flatMap(([type, one]) => (one.is === "found" ? [type] : []))
    })

  if (input.values !== undefined) {
    const { values } = input
    const table =
      tables.find((one) => one === input.transform) ??
      tables.find((one) => fits(tableOf(one, values), true)) ??
      "values"
    if (!fits(tableOf(table, values), true)) {
      return refuse("values", `fits no field that is ${types}, as ${path} is`)
    }
    // of several native values with the same meaning, the first is written
    const written = Object.entries(values).filter(
      ([, value], i, all) => all.findIndex(([, other]) => other === value) === i
    )
    const strange = written.filter(([native]) => !isOnlyRead && options.length > 0 && !options.includes(native))
    return strange.length === 0
      ? settled(table)
      : Either.left(
          Object.fromEntries(
            strange.map(([native]) => [`values.${native}`, `is not a value of ${path}: ${listed(optionsOf(found))}`])
          )
        )
  }
  if (field?.values !== undefined) {
    const held = options.length === 0 ? "" : ` ${path} holds ${listed(optionsOf(found))}.`
    return refuse(
      "values",
      `is needed, as ${name} is one of ${listed(field.values)}: which native value means which, such as {"${options[0] ?? "<native value>"}": "${field.values[0] ?? ""}"}.${held}`
    )
  }
  const possible = transformsFor(field?.kind ?? null).filter((one) => fits(one, true))
  if (input.transform !== undefined) {
    const given = named.get(input.transform)
    return given !== undefined && fits(given, true)
      ? settled(input.transform)
      : refuse(
          "transform",
          `${input.transform} does not fit ${path}, which is ${types}; what does: ${listed(possible.map((one) => one.name)) || "none"}`
        )
  }
  const usual = mapping.dialect[field?.kind ?? "raw"]
  // fields outside the catalogue take the provider's values as they are
  if (usual !== undefined && (field === undefined || fits(usual, false))) return settled(undefined)
  const first = possible.find((one) => fits(one, false))
  if (found.length > 0 && first !== undefined) return settled(first.name)
  const names = listed(possible.map((one) => one.name))
  if (found.length === 0) return refuse("transform", `is needed here: one of ${names}`)
  return possible.length > 0
    ? refuse(
        "transform",
        `is needed, as ${path} is ${types}, should it hold what a ${field?.kind ?? ""} field takes: ${names}`
      )
    : refuse(
        "native_field",
        `${path} is ${types}${isOnlyRead ? "" : " that can be written"}, ${name} a ${field?.kind ?? ""} field: no transform fits both`
      )
}

const optionsOf = (found: ReadonlyArray<NativeField>) =>
  new Set(
    found.flatMap(({ options = [] }) =>
      options.map(({ label, value }) => (label === value ? value : `${value} (${label})`))
    )
  )

/** Path of a settled override's field in records. */
export const overriddenPath = (resource: Resource, { override }: Settled) => canonicalPathOf(resource, override.field)
