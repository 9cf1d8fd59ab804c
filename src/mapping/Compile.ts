import type { Either } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { compileDecode, type Decoded, type RecordContext } from "./Decode.ts"
import {
  type Body,
  encode,
  type Encoded,
  type EncodeInput,
  type Mode,
  type Needs,
  needsOf,
  type Refusals
} from "./Encode.ts"
import { type Bundle, type Entry, field, type Mapping, type Variant } from "./Mapping.ts"
import { named } from "./Transform.ts"

/** A variant as functions. */
export interface CompiledVariant {
  readonly nativeType: string
  /** Native fields it reads, to be asked for. */
  readonly reads: ReadonlyArray<string>
  readonly parts: ReadonlyArray<string>
  readonly lookups: ReadonlyArray<string>
  readonly decode: (bundle: Bundle, context: RecordContext) => Decoded
  readonly needs: (body: Body, mode: Mode) => Needs
  readonly encode: (body: Body, mode: Mode, input: EncodeInput) => Either.Either<Encoded, Refusals>
}

/** A row of `/field-mappings`. */
export interface MappingRow {
  readonly resource: string
  readonly native_type: string
  readonly field: string
  readonly native_field: string
  readonly transform: string
  readonly access: "read" | "write" | "both"
  readonly source: "default" | "override"
}

export interface CompiledMapping {
  readonly resource: Resource
  readonly variants: ReadonlyArray<CompiledVariant>
  readonly variant: (nativeType: string) => CompiledVariant | undefined
  /** The variant that a create with this body makes. */
  readonly choose: (body: Body) => CompiledVariant | undefined
  readonly rows: ReadonlyArray<MappingRow>
}

/** An organisation's replacement of an entry, or, for a field outside the catalogue, a new one under `custom_fields`. */
export interface Override {
  readonly field: string
  readonly nativeField: string
  /** Name of a transform; absent: what the provider uses for the field's kind. */
  readonly transform: string | undefined
  /** The variant it is for; absent: all. */
  readonly nativeType: string | undefined
}

const namesOf = (entry: Entry): ReadonlyArray<string> => (entry.kind === "group" ? entry.canonical : [entry.canonical])

/** The native path an override names; what the provider keeps under a root may be named with it or without. */
const nativePathOf = (mapping: Mapping, native: string) =>
  mapping.root === "" || native.startsWith(`${mapping.root}.`) ? native : `${mapping.root}.${native}`

/** Where an override's field stands in a record. */
const placeOf = (resource: Resource, name: string) =>
  Object.hasOwn(resource.fields, name) ? name : `custom_fields.${name}`

const applyOverride = (resource: Resource, mapping: Mapping, entries: ReadonlyArray<Entry>, override: Override) => {
  const place = placeOf(resource, override.field)
  const kind = resource.fields[override.field]?.kind ?? "raw"
  const transform = named.get(override.transform ?? "") ?? mapping.dialect[kind]
  if (transform === undefined) return entries
  const access = resource.fields[override.field]?.access === "ro" ? "read" : "both"
  return [
    ...entries.filter((entry) => !namesOf(entry).includes(place)),
    field(place, nativePathOf(mapping, override.nativeField), transform, access)
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
      return [entry.native]
    case "slots":
      return entry.slots.flatMap((slot) => slot.entries.flatMap(nativesOf))
  }
}

/** Entries with those of lines and slots: what needs parts and lookups may stand in a line too. */
const deep = (entry: Entry): ReadonlyArray<Entry> =>
  entry.kind === "lines" ? [entry, ...entry.forms.flatMap((form) => form.entries)] : [entry]

type Rows = ReadonlyArray<Pick<MappingRow, "field" | "native_field" | "transform" | "access">>

/** Forms of a line share rows. */
const distinct = (rows: Rows): Rows => [...new Map(rows.map((row) => [Object.values(row).join("|"), row])).values()]

const rowsOf = (entry: Entry, prefix: string, nativePrefix: string): Rows => {
  const named = prefix === "" ? (name: string) => name : (name: string) => `${prefix}[].${name}`
  const native = (path: string) => nativePrefix + path
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

/** Compiles a mapping, with an organisation's overrides laid on it. */
export const compile = (
  provider: string,
  resource: Resource,
  mapping: Mapping,
  overrides: ReadonlyArray<Override> = []
): CompiledMapping => {
  const variants = overridden(mapping, resource, overrides)
  const ours = new Set(overrides.map((override) => placeOf(resource, override.field)))
  const compiled = variants.map((variant): CompiledVariant => {
    const all = variant.entries.flatMap(deep)
    const computedOnes = all.filter((entry) => entry.kind === "computed")
    return {
      nativeType: variant.nativeType,
      reads: unique(variant.entries.flatMap(nativesOf)),
      parts: unique(computedOnes.flatMap((entry) => entry.parts ?? [])),
      lookups: unique(computedOnes.flatMap((entry) => entry.lookups ?? [])),
      decode: compileDecode(resource, variant),
      needs: (body, mode) => needsOf(resource, variant, body, mode),
      encode: (body, mode, input) => encode(provider, resource, mapping, variant, body, mode, input)
    }
  })
  const byType = new Map(compiled.map((variant) => [variant.nativeType, variant]))
  const choose = (body: Body) => {
    const found = variants.find((variant) =>
      Object.entries(variant.when ?? {}).every(([name, value]) => body[name] === value)
    )
    return found === undefined ? undefined : byType.get(found.nativeType)
  }
  return {
    resource,
    variants: compiled,
    variant: (nativeType) => byType.get(nativeType),
    choose,
    rows: variants.flatMap((variant) =>
      variant.entries.flatMap((entry) =>
        rowsOf(entry, "", "").map((row) => ({
          resource: resource.name,
          native_type: variant.nativeType,
          ...row,
          source: namesOf(entry).some((name) => ours.has(name)) ? "override" : "default"
        }))
      )
    )
  }
}
