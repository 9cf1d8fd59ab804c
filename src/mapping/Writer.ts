import { type Field, isShape, type Shape } from "../canonical/Resource.ts"
import {
  type Bundle,
  type Draft,
  type Encoding,
  type Entry,
  type FieldEntry,
  type GroupEntry,
  getPath,
  listIn,
  type Mode,
  type Native,
  setPath
} from "./Mapping.ts"
import { bare, type EncodeContext, type Identity, leaveOut } from "./Transform.ts"
import type { Handling } from "./Warning.ts"

/** Writing of single values, which records, lines and slots are made of. */

export type Body = { readonly [field: string]: unknown }

/** Data that encoding may use; all of it fetched beforehand, so that encoding is pure. */
export interface EncodeInput {
  readonly resolve: (uuid: string) => Identity | undefined
  readonly lookups: { readonly [name: string]: unknown }
  readonly current: Bundle | undefined
  /** The canonical form of `current`. */
  readonly currentRecord: Body | undefined
  readonly handling: Handling
  /** The day it is, in UTC. */
  readonly today: string
}

export const customPrefix = "custom_fields."

export const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/** Whether a value says nothing. */
export const isNothing = (value: unknown) =>
  value === undefined || value === null || value === "" || (isList(value) && value.length === 0)

export const given = (body: Body, name: string) => body[name] !== undefined && body[name] !== null

export const isReadOnly = (field: Field | undefined) => field?.access === "ro" || field?.access === "computed"

export const canonicalOf = (entry: Entry): ReadonlyArray<string> =>
  entry.kind === "group" ? entry.canonical : [entry.canonical]

export const writes = (entry: Entry): boolean =>
  entry.kind === "field" ? entry.access !== "read" : entry.kind === "computed" ? entry.encode !== undefined : true

/** How a body of some mode writes an entry. */
export const modeOf = ({ isElsewhere }: Entry, mode: Mode): Mode =>
  isElsewhere === true && mode === "replace" ? "patch" : mode

export const touched = (entry: Entry, body: Body, mode: Mode): boolean =>
  canonicalOf(entry).some((name) => {
    // a path: fields of the organisation's own are under custom_fields
    const value = getPath(body, name)
    if (mode === "create")
      return (value !== undefined && value !== null) || (entry.kind === "computed" && entry.fills === true)
    return value !== undefined || modeOf(entry, mode) === "replace"
  })

export interface Writer {
  readonly provider: string
  readonly blank: unknown
  readonly mode: Mode
  /** Fields that say which native type to make. */
  readonly kinds: ReadonlySet<string>
  readonly context: EncodeContext
  readonly input: EncodeInput
  readonly step: (name: string, value: unknown) => void
  readonly parent: Encoding["parent"]
}

/** The native value of the record, if the transform keeps it and it already reads as the value to write. */
const keptOf = ({ input, mode }: Writer, { native, transform }: FieldEntry, value: unknown) => {
  if (transform.keepsHeld !== true || mode === "create") return undefined
  const held = getPath(input.current?.record, native) ?? undefined
  return held !== undefined && transform.decode(held, { reference: () => "" }) === value ? held : undefined
}

export const encodeField = (writer: Writer, entry: FieldEntry, value: unknown, draft: Draft, path: string) => {
  if (entry.access === "read") return
  const list = listIn(entry.native)
  if (list !== undefined && getPath(draft, list) === undefined) {
    // a list is written as a whole
    const held = getPath(writer.input.current?.record, list)
    if (held !== undefined) setPath(draft, list, structuredClone(held))
  }
  if (value === null || value === undefined) {
    const isThere = list === undefined || getPath(draft, entry.native) !== undefined
    if (writer.mode !== "create" && isThere) setPath(draft, entry.native, writer.blank)
    return
  }
  const native = keptOf(writer, entry, value) ?? entry.transform.encode(value, writer.context, path)
  if (native !== undefined) setPath(draft, entry.native, native)
}

export const encodeGroup = (
  writer: Writer,
  entry: GroupEntry,
  body: Body,
  draft: Draft,
  current: Native | undefined,
  prefix: string
) => {
  const held = current === undefined ? [] : entry.decode(entry.native.map((path) => getPath(current, path)))
  const values = entry.canonical.map((name, i) =>
    body[name] !== undefined ? body[name] : writer.mode === "patch" ? (held[i] ?? null) : null
  )
  const warn: EncodeContext["warn"] = (name, code, message) => writer.context.warn(prefix + name, code, message)
  entry.encode(values, warn).forEach((native, i) => {
    const path = entry.native[i]
    if (path === undefined) return
    if (native !== null && native !== undefined) setPath(draft, path, native)
    else if (writer.mode !== "create") setPath(draft, path, writer.blank)
  })
}

/** Leaves out a value that no entry writes; a reference to a record that nobody knows is a mistake all the same. */
export const leaveOutValue = ({ context }: Writer, field: Field, path: string, value: unknown, message: string) => {
  const of = isList(value) && field.item !== undefined && !isShape(field.item) ? field.item : field
  if (of.kind === "reference") {
    for (const [i, uuid] of (isList(value) ? value : [value]).entries()) {
      const at = isList(value) ? `${path}.${i}` : path
      if (context.resolve(bare(String(uuid))) === undefined)
        context.refuse(at, `does not name a known ${(of.targets ?? []).join(" or ")}; list or get it first`)
    }
  }
  leaveOut(context, path, value, message)
}

/** Leaves out values of a nested object that no entry writes. */
export const leaveOutUnheld = (writer: Writer, item: Body, shape: Shape, held: ReadonlySet<string>, prefix: string) => {
  for (const [name, field] of Object.entries(shape.fields)) {
    if (held.has(name) || !given(item, name) || isReadOnly(field)) continue
    if (isList(item[name]) && item[name].length === 0) continue
    leaveOutValue(writer, field, prefix + name, item[name], `${writer.provider} does not hold it here`)
  }
}

export const heldBy = (entries: ReadonlyArray<Entry>) => new Set(entries.filter(writes).flatMap(canonicalOf))
