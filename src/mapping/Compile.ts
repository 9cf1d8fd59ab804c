import { Either, Schema } from "effect"
import { commonFields, type Field, type Resource } from "../canonical/Resource.ts"
import { compileDecode, type Decoded } from "./Decode.ts"
import { type Body, encode, type EncodeInput, type Mode, type Plan, type Refusals } from "./Encode.ts"
import { type Needs, needsOf } from "./EncodeNeeds.ts"
import { type Bundle, type Entry, type EntryAccess, type Mapping, shownPath, type Variant } from "./Mapping.ts"
import { named, type RecordContext, tableOf, tables, type Transform } from "./Transform.ts"

/** A variant as functions. */
export interface CompiledVariant {
  readonly nativeType: string
  /** Native fields it reads, which have to be requested. */
  readonly reads: ReadonlyArray<string>
  readonly parts: ReadonlyArray<string>
  readonly lookups: ReadonlyArray<string>
  readonly decode: (bundle: Bundle, context: RecordContext) => Decoded
  readonly needs: (body: Body, mode: Mode) => Needs
  readonly encode: (body: Body, mode: Mode, input: EncodeInput) => Either.Either<Plan, Refusals>
}

/** A row of `/field-mappings`. */
export interface MappingRow {
  readonly resource: string
  readonly native_type: string
  readonly field: string
  readonly native_field: string
  readonly transform: string
  readonly access: EntryAccess
  readonly source: "default" | "override"
  /** Of an override: its table of values. */
  readonly values?: ValueTable
}

export interface CompiledMapping {
  readonly resource: Resource
  /** Native path that holds `integration_params`; "" for the record itself. */
  readonly root: string
  readonly variants: ReadonlyArray<CompiledVariant>
  readonly variant: (nativeType: string) => CompiledVariant | undefined
  /** The variant that a create with this body makes. */
  readonly choose: (body: Body) => CompiledVariant | undefined
  readonly rows: ReadonlyArray<MappingRow>
  /** Canonical fields that are requested besides the common ones; undefined: all. */
  readonly fields: ReadonlyArray<string> | undefined
  /** The same for reads of a few fields: what only others need is not read. Made again each time, and never cached. */
  readonly only: (fields: ReadonlyArray<string>) => CompiledMapping
}

/** Native value -> canonical value, of an override. */
export type ValueTable = { readonly [native: string]: string }

/** An organisation's replacement of an entry, or, for a field outside the catalogue, a new one under `custom_fields`. */
export interface Override {
  readonly field: string
  readonly nativeField: string
  /** Name of a transform; absent: the one that the provider uses for the field's kind. */
  readonly transform: string | undefined
  /** Values of a transform that is a table. */
  readonly values?: ValueTable | undefined
  /** `read`: the native field cannot be written; absent: it can. */
  readonly access?: EntryAccess
  /** The variant it is for; absent: all. */
  readonly nativeType: string | undefined
}

const namesOf = (entry: Entry): ReadonlyArray<string> => (entry.kind === "group" ? entry.canonical : [entry.canonical])

/** The native path that an override names; fields under a provider's root may be named with it or without. */
export const nativePathOf = (mapping: Mapping, native: string) => {
  if (mapping.nativePath !== undefined) return mapping.nativePath(native)
  return mapping.root === "" || native.startsWith(`${mapping.root}.`) ? native : `${mapping.root}.${native}`
}

/** Path of an override's field in a record. */
export const canonicalPathOf = (resource: Resource, name: string) =>
  Object.hasOwn(resource.fields, name) ? name : `custom_fields.${name}`

/** The transform of an override; undefined if none is named and the provider has none for the field's kind. */
export const transformOf = (
  resource: Resource,
  mapping: Mapping,
  { field: name, transform, values }: Pick<Override, "field" | "transform" | "values">
): Transform | undefined => {
  if (values !== undefined) return tableOf(tables.find((table) => table === transform) ?? "values", values)
  const kind = Object.hasOwn(resource.fields, name) ? resource.fields[name]?.kind : undefined
  return named.get(transform ?? "") ?? mapping.dialect[kind ?? "raw"]
}

/**
 * Reads native values that the field cannot have, such as 40 for a share, as null, since an organisation chose the field.
 */
const keptTo = (field: Field | undefined, transform: Transform): Transform => {
  if (field === undefined) return transform
  const isValue: (value: unknown) => boolean = Schema.is(field.out)
  return {
    ...transform,
    decode: (native, context) => {
      const value = transform.decode(native, context)
      return isValue(value) ? value : null
    }
  }
}

/**
 * Gives a field that describes the overridden one its default value. It was read from the native field that the override
 * replaces.
 */
const withoutDescribed = ({ fields }: Resource, entry: Entry, overridden: string): Entry => {
  if (entry.kind !== "computed") return entry
  const describes = fields[entry.canonical]?.describes
  return describes?.field === overridden
    ? { kind: "constant", canonical: entry.canonical, value: describes.byDefault }
    : entry
}

const applyOverride = (
  resource: Resource,
  mapping: Mapping,
  entries: ReadonlyArray<Entry>,
  override: Override
): ReadonlyArray<Entry> => {
  const path = canonicalPathOf(resource, override.field)
  const transform = transformOf(resource, mapping, override)
  if (transform === undefined) return entries
  const canonical = Object.hasOwn(resource.fields, override.field) ? resource.fields[override.field] : undefined
  const access = canonical?.access === "ro" ? "read" : override.access
  return [
    ...entries
      .filter((entry) => !namesOf(entry).includes(path))
      .map((entry) => withoutDescribed(resource, entry, path)),
    {
      kind: "field",
      canonical: path,
      native: nativePathOf(mapping, override.nativeField),
      transform: keptTo(canonical, transform),
      access: access ?? "both"
    }
  ]
}

const overridden = (mapping: Mapping, resource: Resource, overrides: ReadonlyArray<Override>): ReadonlyArray<Variant> =>
  mapping.variants.map((variant) => ({
    ...variant,
    entries: overrides
      .filter((override) => override.nativeType === undefined || override.nativeType === variant.nativeType)
      .reduce<ReadonlyArray<Entry>>(
        (entries, override) => applyOverride(resource, mapping, entries, override),
        variant.entries
      )
  }))

const unique = (values: ReadonlyArray<string>) => [...new Set(values)]

const ofParent = (entry: Entry): ReadonlyArray<string> => (entry.kind === "computed" ? (entry.ofParent ?? []) : [])

const nativesOf = (entry: Entry): ReadonlyArray<string> => {
  switch (entry.kind) {
    case "field":
      return entry.access === "write" ? [] : [entry.native]
    case "constant":
      return []
    case "group":
    case "computed":
      return entry.native
    case "lines":
      return [entry.native, ...entry.forms.flatMap((form) => form.entries.flatMap(ofParent))]
    case "slots":
      return entry.slots.flatMap((slot) => slot.entries.flatMap(nativesOf))
  }
}

/** Entries with those of lines, since entries of a line may need parts and lookups too. */
const deep = (entry: Entry): ReadonlyArray<Entry> =>
  entry.kind === "lines" ? [entry, ...entry.forms.flatMap((form) => form.entries)] : [entry]

type Rows = ReadonlyArray<Pick<MappingRow, "field" | "native_field" | "transform" | "access">>

/** Forms of a line share rows. */
const distinct = (rows: Rows): Rows => [...new Map(rows.map((row) => [Object.values(row).join("|"), row])).values()]

const rowsOf = (entry: Entry, prefix: string, nativePrefix: string): Rows => {
  const named = prefix === "" ? (name: string) => name : (name: string) => `${prefix}[].${name}`
  const native = (path: string) => nativePrefix + shownPath(path)
  switch (entry.kind) {
    case "field":
      return [
        {
          field: named(entry.canonical),
          native_field: native(entry.native),
          transform: entry.transform.name,
          access: entry.access
        }
      ]
    case "constant":
      return [
        {
          field: named(entry.canonical),
          native_field: "",
          transform: `constant(${String(entry.value)})`,
          access: "read"
        }
      ]
    case "group":
      return entry.canonical.map((name) => ({
        field: named(name),
        native_field: entry.native.map(native).join(", "),
        transform: "joined",
        access: "both"
      }))
    case "computed":
      return [
        {
          field: named(entry.canonical),
          native_field: entry.native.map(native).join(", "),
          transform: "computed",
          access: entry.encode === undefined ? "read" : "both"
        }
      ]
    case "slots":
      return entry.slots.flatMap((slot) => slot.entries.flatMap((part) => rowsOf(part, entry.canonical, nativePrefix)))
    case "lines":
      return distinct(
        entry.forms.flatMap((form) =>
          form.entries.flatMap((part) => rowsOf(part, entry.canonical, `${entry.native}[].`))
        )
      )
  }
}

/** Adds to refusals the organisation's override, if any, that decided where the field goes. */
export const namingOverrides = (rows: ReadonlyArray<MappingRow>, refusals: Refusals): Refusals =>
  Object.fromEntries(
    Object.entries(refusals).map(([path, message]) => {
      const row = rows.find(({ field: name, source }) => source === "override" && name === path)
      return [
        path,
        row === undefined
          ? message
          : `${message} (an override in /field-mappings ${row.access === "read" ? "reads it from" : "has it in"} ${row.native_field})`
      ]
    })
  )

/** Compiles a mapping with an organisation's overrides. */
export const compile = (
  provider: string,
  resource: Resource,
  mapping: Mapping,
  overrides: ReadonlyArray<Override> = []
): CompiledMapping => {
  const variants = overridden(mapping, resource, overrides)
  const overrideOf = (nativeType: string, names: ReadonlyArray<string>) =>
    overrides.findLast(
      (override) =>
        names.includes(canonicalPathOf(resource, override.field)) && (override.nativeType ?? nativeType) === nativeType
    )
  const rows = variants.flatMap((variant) =>
    variant.entries.flatMap((entry) => {
      const override = overrideOf(variant.nativeType, namesOf(entry))
      return rowsOf(entry, "", "").map((row): MappingRow => ({
        resource: resource.name,
        native_type: variant.nativeType,
        ...row,
        // in a create it selects the native type to make
        access: entry.kind === "constant" && entry.canonical in (variant.when ?? {}) ? "both" : row.access,
        source: override === undefined ? "default" : "override",
        ...(override?.values === undefined ? {} : { values: override.values })
      }))
    })
  )
  const compiled = variants.map((variant): CompiledVariant => {
    return {
      nativeType: variant.nativeType,
      ...readingOf(resource, variant),
      needs: (body, mode) => needsOf(resource, variant, body, mode),
      encode: (body, mode, input) =>
        Either.mapLeft(encode(provider, resource, mapping, variant, body, mode, input), (refusals) =>
          namingOverrides(
            rows.filter(({ native_type }) => native_type === variant.nativeType),
            refusals
          )
        )
    }
  })
  const byType = new Map(compiled.map((variant) => [variant.nativeType, variant]))
  const choose = (body: Body) => {
    const said = (name: string) => body[name] ?? null
    const usual = variants.find(({ isDefault }) => isDefault === true)
    const found =
      variants.find(({ when }) => when !== undefined && Object.keys(when).every((name) => said(name) === when[name])) ??
      (Object.keys(usual?.when ?? {}).every((name) => said(name) === null) ? usual : undefined) ??
      variants.find(({ when }) => when === undefined) ??
      usual
    return found === undefined ? undefined : byType.get(found.nativeType)
  }
  const whole: CompiledMapping = {
    resource,
    root: mapping.root,
    variants: compiled,
    variant: (nativeType) => byType.get(nativeType),
    choose,
    rows,
    fields: undefined,
    only: (fields) => {
      const wanted = new Set([...Object.keys(commonFields), ...fields])
      const some = compiled.map((one, i): CompiledVariant => {
        const { entries = [] } = variants[i] ?? {}
        const kept = entries.filter((entry) => namesOf(entry).some((name) => wanted.has(topOf(name))))
        return { ...one, ...readingOf(resource, { nativeType: one.nativeType, entries: kept }, wanted) }
      })
      return {
        ...whole,
        variants: some,
        variant: (nativeType) => some.find((one) => one.nativeType === nativeType),
        rows: rows.filter(({ field: name }) => wanted.has(topOf(name))),
        fields
      }
    }
  }
  return whole
}

/** The field of a record that a path leads into. */
const topOf = (path: string) => path.split(/[.[]/, 1)[0] ?? path

/** The reading half of a variant, for all of its fields or some. */
const readingOf = (
  resource: Resource,
  variant: Pick<Variant, "nativeType" | "entries">,
  wanted?: ReadonlySet<string>
) => {
  const computedOnes = variant.entries.flatMap(deep).filter((entry) => entry.kind === "computed")
  return {
    reads: unique(variant.entries.flatMap(nativesOf)),
    parts: unique(computedOnes.flatMap((entry) => entry.parts ?? [])),
    lookups: unique(computedOnes.flatMap((entry) => entry.lookups ?? [])),
    decode: compileDecode(resource, variant, wanted)
  }
}
