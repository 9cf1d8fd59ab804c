import { type Fields, isShape, type Resource } from "../canonical/Resource.ts"
import {
  type ComputedEntry,
  type Entry,
  getPath,
  isNative,
  type LinesEntry,
  listIn,
  type Mode,
  type SlotsEntry,
  type Variant
} from "./Mapping.ts"
import { type Body, canonicalOf, customPrefix, given, isList, isReadOnly, modeOf, touched, writes } from "./Writer.ts"

/** Data that must be at hand before a body can be encoded. */
export interface Needs {
  /** Every UUID of the body, with the path it stands at. */
  readonly references: ReadonlyArray<{ readonly path: string; readonly uuid: string }>
  readonly lookups: ReadonlyArray<string>
  /** Fields of the body whose values the lookups decide. */
  readonly lookedUp: ReadonlyArray<string>
  /** The record as the provider holds it now. */
  readonly current: boolean
  /** The same, if it can be read. */
  readonly currentIfReadable: boolean
}

/** Every id of a body that refers to another record, by its path. */
const idsOf = (
  kind: "reference" | "providerId",
  fields: Fields,
  body: Body,
  prefix: string
): ReadonlyArray<{ readonly path: string; readonly id: string }> =>
  Object.entries(fields).flatMap(([name, field]) => {
    const value = body[name]
    const path = prefix + name
    if (value === undefined || value === null || isReadOnly(field)) return []
    if (field.kind === kind) return [{ path, id: String(value) }]
    const item = field.item
    if (item === undefined || !isList(value)) return []
    if (isShape(item)) {
      return value.flatMap((line, i) => (isNative(line) ? idsOf(kind, item.fields, line, `${path}.${i}.`) : []))
    }
    return item.kind === kind ? value.map((id, i) => ({ path: `${path}.${i}`, id: String(id) })) : []
  })

const referencesOf = (fields: Fields, body: Body) =>
  idsOf("reference", fields, body, "").map(({ id, path }) => ({ path, uuid: id }))

/** The ids of providers in a body, by their paths. */
export const providerIdsOf = ({ fields }: Resource, body: Body) => idsOf("providerId", fields, body, "")

const needsCurrent = (entry: ComputedEntry, body: Body): boolean =>
  typeof entry.needsCurrent === "function"
    ? entry.needsCurrent(body[entry.canonical] ?? null)
    : entry.needsCurrent === true

/** The computed entries that the lines of a body will be written with. */
const computedInLines = (entry: LinesEntry, body: Body): ReadonlyArray<ComputedEntry> => {
  const value = body[entry.canonical]
  const items = isList(value) ? value.filter(isNative) : []
  return entry.forms
    .flatMap((form) => form.entries)
    .filter((part) => part.kind === "computed")
    .filter((part) => items.some((item) => given(item, part.canonical)))
}

/** Whether a list has a value whose native form is kept if it means the same. */
const keepsHeld = ({ canonical, slots }: SlotsEntry, body: Body): boolean => {
  const value = body[canonical]
  const items = isList(value) ? value.filter(isNative) : []
  return slots.some(({ entries }) =>
    entries.some(
      (part) =>
        part.kind === "field" && part.transform.keepsHeld === true && items.some((item) => given(item, part.canonical))
    )
  )
}

/** Tells which data encoding a body needs beforehand. */
export const needsOf = (resource: Resource, variant: Variant, body: Body, mode: Mode): Needs => {
  const written = variant.entries.filter((entry) => writes(entry) && touched(entry, body, mode))
  const computedOnes = written.filter((entry): entry is ComputedEntry => entry.kind === "computed")
  const inLines = written.flatMap((entry) => (entry.kind === "lines" ? computedInLines(entry, body) : []))
  const looksUp = (entry: ComputedEntry) => (entry.encodeLookups ?? []).length > 0
  const readOnlyGiven = variant.entries.some(
    (entry) => !writes(entry) && isWritableByNature(resource.fields, entry) && touchedByValue(entry, body)
  )
  return {
    references: referencesOf(resource.fields, body),
    lookups: [...new Set([...computedOnes, ...inLines].flatMap((entry) => entry.encodeLookups ?? []))],
    lookedUp: written.flatMap((entry) =>
      (entry.kind === "computed" && looksUp(entry)) ||
      (entry.kind === "lines" && computedInLines(entry, body).some(looksUp))
        ? [entry.canonical]
        : []
    ),
    current:
      mode !== "create" &&
      (readOnlyGiven ||
        computedOnes.some((entry) => needsCurrent(entry, body)) ||
        written.some(
          (entry) =>
            entry.kind === "lines" ||
            (entry.kind === "slots" && keepsHeld(entry, body)) ||
            (entry.kind === "field" && listIn(entry.native) !== undefined)
        ) ||
        written.some(
          (entry) =>
            entry.kind === "group" &&
            modeOf(entry, mode) === "patch" &&
            entry.canonical.some((name) => body[name] === undefined)
        )),
    currentIfReadable:
      mode !== "create" && computedOnes.some((entry) => entry.prefersCurrent?.(body[entry.canonical] ?? null) === true)
  }
}

/** Whether a body may give it: what the catalogue has open, and an organisation's own fields. */
const isWritableByNature = (fields: Fields, entry: Entry) =>
  canonicalOf(entry).some((name) => {
    const access = fields[name]?.access
    return access === "rw" || access === "wo" || name.startsWith(customPrefix)
  })

const touchedByValue = (entry: Entry, body: Body) =>
  canonicalOf(entry).some((name) => (getPath(body, name) ?? null) !== null)
