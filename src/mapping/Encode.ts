import { Either } from "effect"
import type { Field, Fields, Resource, Shape } from "../canonical/Resource.ts"
import {
  type Bundle,
  type ComputedEntry,
  type ConstantEntry,
  type Draft,
  type Encoding,
  type Entry,
  type FieldEntry,
  type GroupEntry,
  getPath,
  isNative,
  type LineForm,
  type LinesEntry,
  listIn,
  type Mapping,
  merge,
  type Mode,
  type Native,
  setPath,
  type SlotsEntry,
  type Variant
} from "./Mapping.ts"
import { type HeldLine, isUnchanged, same, withoutIds } from "./LinesWithoutIds.ts"
import { type EncodeContext, type Identity, leaveOut } from "./Transform.ts"
import type { Handling, Warning } from "./Warning.ts"

export type { Mode }

export type Body = { readonly [field: string]: unknown }

/** What must be at hand before a body can be encoded. */
export interface Needs {
  /** Every UUID of the body, with the path it stands at. */
  readonly references: ReadonlyArray<{ readonly path: string; readonly uuid: string }>
  readonly lookups: ReadonlyArray<string>
  /** The record as the provider holds it now. */
  readonly current: boolean
}

/** What encoding may use; all of it fetched beforehand, so that encoding is pure. */
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

/** The write plan: the native record, and what is to be done besides. */
export interface Encoded {
  readonly nativeType: string
  readonly record: Native
  readonly steps: { readonly [name: string]: unknown }
}

/** A write plan, with the values of the body that it leaves out or changes. */
export interface Plan extends Encoded {
  readonly warnings: ReadonlyArray<Warning>
}

export type Refusals = { readonly [path: string]: string }

const isShape = (item: Field | Shape): item is Shape => "fields" in item

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const customPrefix = "custom_fields."

const given = (body: Body, name: string) => body[name] !== undefined && body[name] !== null

/** Every reference of a body, by its path. */
const referencesOf = (fields: Fields, body: Body, prefix: string): Array<{ path: string; uuid: string }> =>
  Object.entries(fields).flatMap(([name, field]) => {
    const value = body[name]
    const path = prefix + name
    if (value === undefined || value === null || isReadOnly(field)) return []
    if (field.kind === "reference") return [{ path, uuid: String(value) }]
    const item = field.item
    if (item === undefined || !isList(value)) return []
    if (isShape(item)) {
      return value.flatMap((line, i) => (isNative(line) ? referencesOf(item.fields, line, `${path}.${i}.`) : []))
    }
    return item.kind === "reference" ? value.map((uuid, i) => ({ path: `${path}.${i}`, uuid: String(uuid) })) : []
  })

const canonicalOf = (entry: Entry): ReadonlyArray<string> =>
  entry.kind === "group" ? entry.canonical : [entry.canonical]

const writes = (entry: Entry): boolean =>
  entry.kind === "field" ? entry.access !== "read" : entry.kind === "computed" ? entry.encode !== undefined : true

/** How a body of some mode writes an entry. */
const modeOf = ({ isElsewhere }: Entry, mode: Mode): Mode =>
  isElsewhere === true && mode === "replace" ? "patch" : mode

const touched = (entry: Entry, body: Body, mode: Mode): boolean =>
  canonicalOf(entry).some((name) => {
    // a path: fields of the organisation's own are under custom_fields
    const value = getPath(body, name)
    if (mode === "create")
      return (value !== undefined && value !== null) || (entry.kind === "computed" && entry.fills === true)
    return value !== undefined || modeOf(entry, mode) === "replace"
  })

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

/** What encoding this body needs beforehand. */
export const needsOf = (resource: Resource, variant: Variant, body: Body, mode: Mode): Needs => {
  const written = variant.entries.filter((entry) => writes(entry) && touched(entry, body, mode))
  const computedOnes = written.filter((entry): entry is ComputedEntry => entry.kind === "computed")
  const inLines = written.flatMap((entry) => (entry.kind === "lines" ? computedInLines(entry, body) : []))
  const readOnlyGiven = variant.entries.some(
    (entry) => !writes(entry) && isWritableByNature(resource.fields, entry) && touchedByValue(entry, body)
  )
  return {
    references: referencesOf(resource.fields, body, ""),
    lookups: [...new Set([...computedOnes, ...inLines].flatMap((entry) => entry.encodeLookups ?? []))],
    current:
      mode !== "create" &&
      (readOnlyGiven ||
        computedOnes.some((entry) => needsCurrent(entry, body)) ||
        written.some(
          (entry) => entry.kind === "lines" || (entry.kind === "field" && listIn(entry.native) !== undefined)
        ) ||
        written.some(
          (entry) =>
            entry.kind === "group" &&
            modeOf(entry, mode) === "patch" &&
            entry.canonical.some((name) => body[name] === undefined)
        ))
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

// ---------------------------------------------------------------------------------------------------------------------

interface Writer {
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

const encodeField = (writer: Writer, entry: FieldEntry, value: unknown, draft: Draft, path: string) => {
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
  const native = entry.transform.encode(value, writer.context, path)
  if (native !== undefined) setPath(draft, entry.native, native)
}

const encodeGroup = (
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

/** Leaves out values of a nested object that no entry writes. */
const leaveOutUnheld = (writer: Writer, item: Body, shape: Shape, held: ReadonlySet<string>, prefix: string) => {
  for (const [name, field] of Object.entries(shape.fields)) {
    if (held.has(name) || !given(item, name) || isReadOnly(field)) continue
    if (isList(item[name]) && item[name].length === 0) continue
    leaveOut(writer.context, prefix + name, item[name], `${writer.provider} does not hold it here`)
  }
}

const heldBy = (entries: ReadonlyArray<Entry>) => new Set(entries.filter(writes).flatMap(canonicalOf))

/** A fax number is no telephone's, so no other entry is put in its place. */
const isForOthers = ({ is }: SlotsEntry["slots"][number]) => is !== "FAX"

const encodeSlots = (writer: Writer, entry: SlotsEntry, shape: Shape, value: unknown, draft: Draft) => {
  const { provider } = writer
  const items = isList(value) ? value.filter(isNative) : []
  const free = new Set(entry.slots)
  const labelOf = (item: Body) => (entry.label === null ? null : (item[entry.label] ?? null))
  const taken = new Map<Body, SlotsEntry["slots"][number]>()
  const take = (item: Body, slot: SlotsEntry["slots"][number] | undefined) => {
    if (slot === undefined) return
    taken.set(item, slot)
    free.delete(slot)
  }
  // several places may have one label, or none: they are filled in their order
  for (const item of items) {
    const label = labelOf(item)
    if (label !== null)
      take(
        item,
        [...free].find(({ is }) => is === label)
      )
  }
  // a label is advice: entries left over take the places left over, first those without a label
  for (const [i, item] of items.entries()) {
    if (taken.has(item)) continue
    const label = labelOf(item)
    const left = label === "FAX" ? [] : [...free].filter(isForOthers)
    const slot = left.find(({ is }) => is === null) ?? left[0]
    take(item, slot)
    const path = `${entry.canonical}.${i}`
    const labelPath = `${path}.${String(entry.label)}`
    if (slot === undefined) {
      const places = entry.slots.flatMap(({ is }) => is ?? [])
      const most = places.length === 0 ? entry.slots.length : `one ${places.join(", one ")}`
      writer.context.warn(path, "NOT_HELD", `${provider} holds at most ${most} here`)
    } else if (label !== null) {
      writer.context.warn(
        labelPath,
        slot.is === null ? "NOT_HELD" : "CHANGED",
        `is held ${slot.is === null ? "without it" : `as ${slot.is}`}`
      )
    }
  }
  for (const [item, slot] of taken) {
    const prefix = `${entry.canonical}.${items.indexOf(item)}.`
    const held = heldBy(slot.entries)
    if (entry.label !== null) held.add(entry.label)
    leaveOutUnheld(writer, item, shape, held, prefix)
    // the list is written as a whole: what an entry leaves out is cleared
    const whole: Writer = writer.mode === "patch" ? { ...writer, mode: "replace" } : writer
    for (const part of slot.entries) {
      if (part.kind === "field") encodeField(whole, part, item[part.canonical], draft, prefix + part.canonical)
      else encodeGroup(whole, part, item, draft, undefined, prefix)
    }
  }
  if (writer.mode === "create") return
  for (const slot of free) {
    for (const part of slot.entries) {
      for (const native of part.kind === "field" ? [part.native] : part.native) setPath(draft, native, writer.blank)
    }
  }
}

const matches = (record: Native, where: Native) =>
  Object.entries(where).every(([path, value]) => getPath(record, path) === value)

const encodeLine = (
  writer: Writer,
  entry: LinesEntry,
  form: LineForm,
  shape: Shape,
  item: Body,
  held: Native | undefined,
  prefix: string
): Native => {
  const keeps = held !== undefined && matches(held, form.where)
  const start: Native = keeps
    ? held
    : { ...form.where, ...(held !== undefined && entry.id !== undefined ? { [entry.id]: held[entry.id] } : {}) }
  const draft: Draft = structuredClone({ ...start })
  const inner: Writer = { ...writer, mode: keeps ? writer.mode : "create" }
  const params = item.integration_params
  leaveOutUnheld(inner, item, shape, heldBy(form.entries).add("integration_params"), prefix)
  for (const part of form.entries)
    encodeEntry(inner, part, shape, item, draft, keeps ? { record: held } : undefined, prefix)
  return isNative(params) ? merge(draft, params) : draft
}

/** Writes a line without an id over the one it was: what the model does not hold stays, and what is the same too. */
const encodeOver = (
  writer: Writer,
  form: LineForm,
  shape: Shape,
  item: Body,
  { canonical, native }: HeldLine,
  prefix: string
): Native => {
  const draft: Draft = structuredClone({ ...native })
  const params = item.integration_params
  leaveOutUnheld(writer, item, shape, heldBy(form.entries).add("integration_params"), prefix)
  for (const part of form.entries) {
    if (!writes(part) || canonicalOf(part).every((name) => isUnchanged(item[name], canonical[name]))) continue
    if (part.kind === "field") setPath(draft, part.native, undefined)
    const inner: Writer = { ...writer, mode: part.kind === "field" ? "create" : "replace" }
    encodeEntry(inner, part, shape, item, draft, { record: native }, prefix)
  }
  return isNative(params) ? merge(draft, params) : draft
}

const encodeLines = (outer: Writer, entry: LinesEntry, shape: Shape, body: Body, draft: Draft) => {
  const { current, currentRecord } = outer.input
  const writer: Writer = {
    ...outer,
    parent: { body, get: (native) => getPath(draft, native) ?? getPath(current?.record, native) }
  }
  const value = body[entry.canonical]
  const items = isList(value) ? value.filter(isNative) : []
  const before = getPath(draft, entry.native) ?? getPath(current?.record, entry.native)
  const held = isList(before) ? before.filter(isNative) : []
  const isOurs = (line: Native) => entry.forms.some((form) => matches(line, form.where))
  const ours = held.filter(isOurs)
  const byId = new Map(entry.id === undefined ? [] : ours.map((line) => [String(line[entry.id ?? ""]), line]))
  const read = currentRecord?.[entry.canonical]
  const known = isList(read) ? read.filter(isNative) : []
  const matched = withoutIds(
    entry,
    items,
    entry.id !== undefined || known.length !== ours.length
      ? []
      : ours.flatMap((native, i) => known.slice(i, i + 1).map((canonical) => ({ native, canonical })))
  )
  const taken = new Set<Native>()
  const written = items.flatMap((item, i) => {
    const prefix = `${entry.canonical}.${i}.`
    const over = matched.get(item)
    const remoteId = item.remote_id
    const line = over?.native ?? (remoteId === undefined || remoteId === null ? undefined : byId.get(String(remoteId)))
    const form =
      entry.forms.find((one) => one.given !== undefined && given(item, one.given)) ??
      // a line that says nothing else stays what it is
      entry.forms.find((one) => line !== undefined && matches(line, one.where)) ??
      entry.forms.find((one) => one.given === undefined)
    if (form === undefined) {
      writer.context.refuse(prefix.slice(0, -1), `needs one of ${entry.forms.map((one) => one.given).join(", ")}`)
      return []
    }
    if (over !== undefined && matches(over.native, form.where)) {
      return [encodeOver(writer, form, shape, item, over, prefix)]
    }
    if (line !== undefined && taken.has(line)) {
      writer.context.refuse(`${prefix}remote_id`, "is the line of an entry before")
    }
    if (line !== undefined) taken.add(line)
    if (line === undefined && remoteId !== undefined && remoteId !== null && writer.mode !== "create") {
      writer.context.refuse(`${prefix}remote_id`, "is not a line of this record")
    }
    return [encodeLine(writer, entry, form, shape, item, line, prefix)]
  })
  // lines without a canonical form keep their place among the others
  const rest = [...written]
  const last = held.findLastIndex(isOurs)
  const placed = held.flatMap((line, i) => {
    if (!isOurs(line)) return [line]
    return i === last ? rest.splice(0) : rest.splice(0, 1)
  })
  setPath(draft, entry.native, [...rest, ...placed])
}

const encodeComputed = (
  writer: Writer,
  entry: ComputedEntry,
  body: Body,
  draft: Draft,
  current: Bundle | undefined,
  prefix: string
) => {
  // member by member: this is made for every field of every line, where spreading takes most of the time
  const encoding: Encoding = {
    resolve: writer.context.resolve,
    refuse: writer.context.refuse,
    warn: writer.context.warn,
    mode: writer.mode,
    body,
    current,
    lookups: writer.input.lookups,
    today: writer.input.today,
    prefix,
    get: (native) => getPath(draft, native) ?? getPath(current?.record, native),
    parent: writer.parent,
    set: (native, value) => setPath(draft, native, value),
    step: writer.step
  }
  entry.encode?.(body[entry.canonical] ?? null, encoding)
}

const isReadOnly = (field: Field | undefined) => field?.access === "ro" || field?.access === "computed"

const encodeConstant = (writer: Writer, entry: ConstantEntry, shape: Shape, body: Body, prefix: string) => {
  const { canonical } = entry
  const value = body[canonical]
  // where a whole body is given, null says no more than leaving the field out
  const isSaid = value !== undefined && (value !== null || writer.mode === "patch")
  if (!isSaid || value === entry.value || isReadOnly(shape.fields[canonical])) return
  const path = prefix + canonical
  const message = `is always ${String(entry.value)} here`
  // a record cannot become one of another native type
  if (prefix === "" && writer.mode !== "create" && writer.kinds.has(canonical))
    writer.context.refuse(path, `${message} and cannot be changed`)
  else if (canonical === "status") leaveOut(writer.context, path, value, message)
  else writer.context.warn(path, "CHANGED", message)
}

const staysNull = ({ input, mode }: Writer, body: Body, name: string) =>
  mode === "patch" && body[name] === null && input.currentRecord?.[name] === null

const encodeEntry = (
  outer: Writer,
  entry: Entry,
  shape: Shape,
  body: Body,
  draft: Draft,
  current: Bundle | undefined,
  prefix: string
) => {
  if (entry.kind === "constant") return encodeConstant(outer, entry, shape, body, prefix)
  if (!touched(entry, body, outer.mode)) return
  const writer: Writer = { ...outer, mode: modeOf(entry, outer.mode) }
  const item = entry.kind === "slots" || entry.kind === "lines" ? shape.fields[entry.canonical]?.item : undefined
  switch (entry.kind) {
    case "field":
      // a native value without a canonical form reads as null: sent back, it stays
      if (prefix === "" && staysNull(writer, body, entry.canonical)) return
      return encodeField(writer, entry, getPath(body, entry.canonical), draft, prefix + entry.canonical)
    case "group":
      return encodeGroup(writer, entry, body, draft, current?.record, prefix)
    case "slots":
      return item !== undefined && isShape(item)
        ? encodeSlots(writer, entry, item, body[entry.canonical], draft)
        : undefined
    case "lines":
      return item !== undefined && isShape(item) ? encodeLines(writer, entry, item, body, draft) : undefined
    case "computed":
      return encodeComputed(writer, entry, body, draft, current, prefix)
  }
}

/** Says what kind of record a create makes whose body does not say. */
const sayKind = (writer: Writer, { isDefault, when = {} }: Variant, body: Body) => {
  if (writer.mode !== "create" || isDefault !== true) return
  for (const [name, value] of Object.entries(when)) {
    if (!given(body, name)) writer.context.warn(name, "CHANGED", `is ${String(value)} where the body does not say`)
  }
}

/** What a field that is only read comes to, where it follows from others. */
const comesTo = ({ entries }: Variant, name: string, body: Body, current: Bundle | undefined): unknown => {
  const entry = entries.find((one) => one.kind === "computed" && one.canonical === name)
  return entry?.kind === "computed" ? entry.comesTo?.(body, current) : undefined
}

/** Leaves out values that nothing can write, unless they are what the record already holds. */
const leaveOutUnwritable = (writer: Writer, resource: Resource, variant: Variant, body: Body) => {
  const held = heldBy(variant.entries)
  const custom = isNative(body.custom_fields) ? body.custom_fields : {}
  const read = new Set(variant.entries.flatMap(canonicalOf))
  for (const [name, value] of Object.entries(custom)) {
    const path = customPrefix + name
    if (held.has(path)) continue
    if (!read.has(path)) writer.context.refuse(path, "is not mapped; add it with PUT /field-mappings")
    else if (value !== null && !same(value, getPath(writer.input.currentRecord, path) ?? null)) {
      writer.context.warn(path, "NOT_HELD", "is only read here")
    }
  }
  for (const [name, field] of Object.entries(resource.fields)) {
    const value = body[name]
    if (held.has(name) || name === "integration_params" || value === undefined || value === null) continue
    if (isReadOnly(field) || (isList(value) && value.length === 0)) continue
    const current = writer.input.currentRecord?.[name]
    if (current !== undefined && same(value, current)) continue
    const made = comesTo(variant, name, body, writer.input.current)
    if (made !== undefined) {
      if (!same(value, made)) writer.context.warn(name, "CHANGED", `is held as ${String(made)}`)
      continue
    }
    leaveOut(
      writer.context,
      name,
      value,
      `${writer.provider} does not take it on ${resource.name} ${variant.nativeType}`
    )
  }
}

/** Turns a body into the write plan of one variant, or says at which paths it cannot be written. */
export const encode = (
  provider: string,
  resource: Resource,
  mapping: Mapping,
  variant: Variant,
  body: Body,
  mode: Mode,
  input: EncodeInput
): Either.Either<Plan, Refusals> => {
  const refusals: { [path: string]: string } = {}
  const warned = new Map<string, Warning>()
  const steps: Draft = {}
  const record: Draft = {}
  const writer: Writer = {
    provider,
    blank: mapping.blank,
    mode,
    kinds: new Set(mapping.variants.flatMap(({ when = {} }) => Object.keys(when))),
    input,
    parent: undefined,
    context: {
      resolve: input.resolve,
      refuse: (path, message) => {
        refusals[path] ??= message
      },
      warn: (path, code, message) => {
        if (!warned.has(path)) warned.set(path, { field: path, code, message })
      }
    },
    step: (name, value) => {
      const before = steps[name]
      steps[name] = isNative(before) && isNative(value) ? merge(before, value) : value
    }
  }
  leaveOutUnwritable(writer, resource, variant, body)
  sayKind(writer, variant, body)
  for (const entry of variant.entries) encodeEntry(writer, entry, resource, body, record, input.current, "")
  const warnings = [...warned.values()]
  const params = body.integration_params
  const isNothing = Object.keys(record).length === 0 && Object.keys(steps).length === 0 && params === undefined
  // a change of which nothing is held would be no change
  if (input.handling === "strict" || (mode === "patch" && isNothing))
    for (const { field, message } of warnings) refusals[field] ??= message
  if (Object.keys(refusals).length > 0) return Either.left(refusals)
  const whole = !isNative(params) ? record : merge(record, mapping.root === "" ? params : { [mapping.root]: params })
  return Either.right({ nativeType: variant.nativeType, record: whole, steps, warnings })
}
