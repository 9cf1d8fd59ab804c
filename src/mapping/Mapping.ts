import type { EncodeContext, RecordContext, Transform } from "./Transform.ts"

/**
 * The mapping language: how a canonical resource and a provider's native records correspond, as data. `Compile.ts` compiles
 * it to functions, `/field-mappings` lists it, and an organisation's overrides replace its entries.
 */
export type Native = { readonly [key: string]: unknown }

/** Input of a mapping: the native record, named parts fetched with it, and lookups cached for the connection. */
export interface Bundle {
  readonly record: Native
  /** Of a line: the record it is in. */
  readonly parent?: Native
  readonly parts?: { readonly [name: string]: unknown }
  readonly lookups?: { readonly [name: string]: unknown }
}

/** `read`: never written. `write`: never read. */
export type EntryAccess = "read" | "write" | "both"

/** One canonical field, one native field. */
export interface FieldEntry<out N extends string = string> {
  readonly kind: "field"
  readonly canonical: N
  readonly native: string
  readonly transform: Transform
  readonly access: EntryAccess
}

/** The same value for every record of the variant; a body that says otherwise is refused. */
export interface ConstantEntry<out N extends string = string> {
  readonly kind: "constant"
  readonly canonical: N
  readonly value: unknown
}

/** Several canonical fields for several native fields, such as names and street lines that one side joins. */
export interface GroupEntry<out N extends string = string> {
  readonly kind: "group"
  readonly canonical: ReadonlyArray<N>
  readonly native: ReadonlyArray<string>
  readonly decode: (native: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
  readonly encode: (canonical: ReadonlyArray<unknown>, warn: EncodeContext["warn"]) => ReadonlyArray<unknown>
}

/** A canonical list whose entries sit in fixed native places, told apart by a label (`phone=WORK`, `mobilephone=MOBILE`). */
export interface SlotsEntry<out N extends string = string> {
  readonly kind: "slots"
  readonly canonical: N
  /** The field of an entry that names its place; null if the list has one place without a name. */
  readonly label: string | null
  readonly slots: ReadonlyArray<{
    readonly is: string | null
    readonly entries: ReadonlyArray<FieldEntry | GroupEntry>
  }>
}

/** One form that a native line can have. */
export interface LineForm {
  /** Native lines of this form have these values; a new line is written with them. */
  readonly where: Native
  /**
   * A canonical line with this field is written in this form; an existing line without any such field keeps its form; the
   * form without it takes the others.
   */
  readonly given?: string
  /**
   * Set for native lines that are only read, with the reason that a warning gives: a line of a body that names one by its id
   * keeps it as it is.
   */
  readonly isFixed?: string
  readonly entries: ReadonlyArray<FieldEntry | GroupEntry | ConstantEntry | ComputedEntry>
}

/** What puts the lines of a write together may use besides the lines. */
export interface LinesContext extends EncodeContext {
  /** Returns a native value: the one written so far, otherwise the one that the provider holds. */
  readonly get: (native: string) => unknown
  readonly lookups: { readonly [name: string]: unknown }
  /** Field of the body that holds the lines, to put before a path. */
  readonly canonical: string
}

/** Native lines as the forms see them, where that is not as the provider holds them: a bundle as its members, say. */
export interface LinesView {
  readonly open: (lines: ReadonlyArray<Native>, get: (native: string) => unknown) => ReadonlyArray<Native>
  /** Turns opened lines, some of them changed, back into native ones. `held`: those of the provider before the write. */
  readonly close: (
    opened: ReadonlyArray<Native>,
    held: ReadonlyArray<Native>,
    context: LinesContext
  ) => ReadonlyArray<Native>
}

/** A canonical list for a native list of objects, such as the lines of a document. */
export interface LinesEntry<out N extends string = string> {
  readonly kind: "lines"
  readonly canonical: N
  readonly native: string
  /** Native field of a line that holds its id; lines of a body that carry it as `remote_id` keep their native line. */
  readonly id?: string
  /** If lines have no ids: the canonical field that tells them apart, such as an address. */
  readonly key?: string
  readonly view?: LinesView
  /** First match wins. */
  readonly forms: ReadonlyArray<LineForm>
}

/** `create` writes what is there, `replace` clears what is not, `patch` leaves what is not. */
export type Mode = "create" | "replace" | "patch"

/** Context of a computed entry while writing. */
export interface Encoding extends EncodeContext {
  readonly mode: Mode
  /** The whole body, or the line being written. */
  readonly body: { readonly [field: string]: unknown }
  /** The record as the provider holds it now, if an update needs it. */
  readonly current: Bundle | undefined
  readonly lookups: { readonly [name: string]: unknown }
  /** The current day, in UTC. */
  readonly today: string
  /** A native value: as written so far, else as the provider holds it. */
  readonly get: (native: string) => unknown
  /** Of a line: the body that holds it, and the record's native values. */
  readonly parent: Pick<Encoding, "body" | "get"> | undefined
  readonly set: (native: string, value: unknown) => void
  /** Something to do besides writing the record itself; the adapter knows the name. Objects of one name merge. */
  readonly step: (name: string, value: unknown) => void
  /** Path of the body (or line), to put before a field's name when refusing it: `""` or `line_items.1.`. */
  readonly prefix: string
}

/** The rare entry that takes several values, related parts or lookups. `encode` gets null to clear. */
export interface ComputedEntry<out N extends string = string> {
  readonly kind: "computed"
  readonly canonical: N
  /** Native fields it reads, which have to be requested. */
  readonly native: ReadonlyArray<string>
  /** In a line: native fields of the line's record that it reads. */
  readonly ofParent?: ReadonlyArray<string>
  readonly parts?: ReadonlyArray<string>
  readonly lookups?: ReadonlyArray<string>
  readonly decode: (bundle: Bundle, context: RecordContext) => unknown
  readonly encode?: (value: unknown, encoding: Encoding) => void
  /** Of a field that is only read: the value it has once a body is written, which the body may state. */
  readonly comesTo?: (body: Encoding["body"], current: Bundle | undefined) => unknown
  /** Lookups that only writing needs. */
  readonly encodeLookups?: ReadonlyArray<string>
  /**
   * No record is created without it: if the body of a create lacks it, `encode` gets null and uses the account's default.
   */
  readonly fills?: true
  /** Writing needs the current record, whatever else the body holds; a function if only some values do. */
  readonly needsCurrent?: boolean | ((value: unknown) => boolean)
  /** Writing is better with the current record, and possible without it if it cannot be read now. */
  readonly prefersCurrent?: (value: unknown) => boolean
}

/** One entry of a mapping. `N` is the canonical field that it maps; of a group, each of its fields. */
export type Entry<N extends string = string> = (
  FieldEntry<N> | ConstantEntry<N> | GroupEntry<N> | SlotsEntry<N> | LinesEntry<N> | ComputedEntry<N>
) & {
  /** It writes another record, so a full body of this one clears nothing there that it leaves out. */
  readonly isElsewhere?: true
}

/** Canonical fields that a provider does not hold, each with the reason that `GET /providers` shows. */
export interface NotHeldFields {
  readonly [field: string]: string
}

/** One native type behind a resource. */
export interface Variant {
  /** `Customer`, `contacts`: in service ids, so it never changes. */
  readonly nativeType: string
  /** A create with these canonical values (null: no value) makes this type; a resource's only variant has none. */
  readonly when?: { readonly [field: string]: unknown }
  /** A create whose body has none of the fields in `when`, or no kind that exists, makes this type. */
  readonly isDefault?: true
  readonly entries: ReadonlyArray<Entry>
  /** Every field of the resource that no entry maps. */
  readonly notHeld: NotHeldFields
}

/** How a provider's native records become one canonical resource and back. */
export interface Mapping {
  /** The resource whose fields its entries name. */
  readonly resource: string
  readonly variants: ReadonlyArray<Variant>
  /** Value that clears a native field: `""` at HubSpot, null elsewhere. */
  readonly blank: unknown
  /** Native path that holds overrides and `integration_params`: `properties` at HubSpot; "" for the record itself. */
  readonly root: string
  /** Native path of the field that an override names; absent: the name, below the root unless it begins with it. */
  readonly nativePath?: (named: string) => string
  /** Transform of an override that names none, by the canonical field's kind. */
  readonly dialect: { readonly [kind: string]: Transform }
}

// ---------------------------------------------------------------------------------------------------------------------
// entries

/** Marks entries that write another record than the one they are read with. */
export const elsewhere = <E extends Entry>(entries: ReadonlyArray<E>) =>
  entries.map((entry) => ({ ...entry, isElsewhere: true as const }))

/** A computed entry that is never written. */
export const onlyRead = <N extends string>({
  encode: _,
  encodeLookups: __,
  fills: ___,
  needsCurrent: ____,
  prefersCurrent: _____,
  ...entry
}: ComputedEntry<N>): ComputedEntry<N> => entry

// ---------------------------------------------------------------------------------------------------------------------
// native paths

export const isNative = (value: unknown): value is Native =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The objects of a native list; none if it is no list. */
export const natives = (value: unknown): ReadonlyArray<Native> => (Array.isArray(value) ? value.filter(isNative) : [])

/** Parses a step into a list: `CustomField[DefinitionId=1]`. */
const intoList = (step: string) => {
  const [, list, key, value] = /^([^[]+)\[([^=]+)=([^\]]+)\]$/.exec(step) ?? []
  return list === undefined || key === undefined || value === undefined ? undefined : { list, key, value }
}

/** The native path of the list that a path leads into; undefined if it leads into none. */
export const listIn = (path: string): string | undefined => {
  const end = path.indexOf("[")
  // A path that starts with a bracket is a flat key.
  return end <= 0 ? undefined : path.slice(0, end)
}

const isEntry = (key: string, value: string) => (one: unknown) => isNative(one) && String(one[key]) === value

/** The steps of the paths read so far: parsing a path costs more than following it. */
const known = new Map<string, ReadonlyArray<string | NonNullable<ReturnType<typeof intoList>>>>()
const mostKnown = 10_000

/**
 * Path of a native key that contains dots, in brackets: `custom.cf_AbC123` is one key of a Close record and not a member of
 * an object `custom`.
 */
export const flatKey = (key: string) => `[${key}]`

/** A native path without the brackets of a flat key. */
export const shownPath = (path: string) => (path.startsWith("[") && path.endsWith("]") ? path.slice(1, -1) : path)

/** Splits a path into steps. A flat key is one step. */
const split = (path: string): ReadonlyArray<string> =>
  path.startsWith("[") && path.endsWith("]") ? [path.slice(1, -1)] : path.split(".")

const stepsOf = (path: string) => {
  const found = known.get(path)
  if (found !== undefined) return found
  const steps = split(path).map((step) => intoList(step) ?? step)
  // overrides may bring ever new ones
  if (known.size >= mostKnown) known.clear()
  known.set(path, steps)
  return steps
}

/**
 * Reads a dotted path of a native record; undefined if a step is missing. A step `list[key=value]` leads into the entry of a
 * list that has the value.
 */
export const getPath = (record: unknown, path: string): unknown => {
  let value = record
  for (const step of stepsOf(path)) {
    if (!isNative(value)) return undefined
    if (typeof step === "string") {
      // A path without brackets may still name a flat key.
      if (value === record && value[step] === undefined && step !== path) {
        return Object.hasOwn(value, path) ? value[path] : undefined
      }
      value = value[step]
    } else {
      const held = value[step.list]
      value = Array.isArray(held) ? held.find(isEntry(step.key, step.value)) : undefined
    }
  }
  return value
}

/** A native record under construction. */
export type Draft = { [key: string]: unknown }

export const isDraft = (value: unknown): value is Draft => isNative(value)

/** The entry of a list that a step leads to, created if the list has none. */
const entryOf = (draft: Draft, { key, list, value }: NonNullable<ReturnType<typeof intoList>>): Draft => {
  const held: ReadonlyArray<unknown> = Array.isArray(draft[list]) ? draft[list] : []
  const found = held.find(isEntry(key, value))
  if (isDraft(found)) return found
  const made: Draft = { [key]: value }
  draft[list] = [...held, made]
  return made
}

/** Sets a dotted path, creating the objects and list entries on the way. */
export const setPath = (draft: Draft, path: string, value: unknown): void => {
  const keys = [...split(path)]
  const last = keys.pop()
  if (last === undefined) return
  let target = draft
  for (const key of keys) {
    const place = key.endsWith("]") ? intoList(key) : undefined
    const next = place === undefined ? target[key] : entryOf(target, place)
    if (isDraft(next)) target = next
    else {
      const made: Draft = {}
      target[key] = made
      target = made
    }
  }
  target[last] = value
}

/** Merges `over` into `base`: objects merge, everything else replaces. */
export const merge = (base: Native, over: Native): Draft => {
  const merged: Draft = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const present = merged[key]
    merged[key] = isNative(value) && isNative(present) ? merge(present, value) : value
  }
  return merged
}
