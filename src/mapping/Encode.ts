import { Either } from "effect"
import { isShape, type Resource, type Shape } from "../canonical/Resource.ts"
import { encodeSlots } from "./EncodeSlots.ts"
import { type HeldLine, isUnchanged, same, withoutIds } from "./LinesWithoutIds.ts"
import {
  type Bundle,
  type ComputedEntry,
  type ConstantEntry,
  type Draft,
  type Encoding,
  type Entry,
  getPath,
  isNative,
  type LineForm,
  type LinesContext,
  type LinesEntry,
  type Mapping,
  merge,
  type Mode,
  type Native,
  setPath,
  type Variant
} from "./Mapping.ts"
import { leaveOut } from "./Transform.ts"
import type { Warning } from "./Warning.ts"
import {
  type Body,
  canonicalOf,
  customPrefix,
  encodeField,
  encodeGroup,
  type EncodeInput,
  given,
  heldBy,
  isList,
  isNothing,
  isReadOnly,
  leaveOutUnheld,
  leaveOutValue,
  modeOf,
  touched,
  type Writer,
  writes
} from "./Writer.ts"

export type { Body, EncodeInput, Mode }

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
  const get = (native: string) => getPath(draft, native) ?? getPath(current?.record, native)
  const writer: Writer = {
    ...outer,
    parent: { body, get }
  }
  const value = body[entry.canonical]
  const items = isList(value) ? value.filter(isNative) : []
  const before = get(entry.native)
  const raw = isList(before) ? before.filter(isNative) : []
  const held = entry.view?.open(raw, get) ?? raw
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
    const fixed = entry.forms.find((one) => line !== undefined && matches(line, one.where))
    if (line !== undefined && fixed?.isFixed !== undefined && !taken.has(line)) {
      taken.add(line)
      const canonical = known.find((one) => one.remote_id === String(remoteId))
      warnOfFixed(writer, item, canonical, fixed.isFixed, prefix)
      return [line]
    }
    const writable = entry.forms.filter((one) => one.isFixed === undefined)
    const form =
      writable.find((one) => one.given !== undefined && given(item, one.given)) ??
      // a line that says nothing else stays what it is
      writable.find((one) => line !== undefined && matches(line, one.where)) ??
      writable.find((one) => one.given === undefined)
    if (form === undefined) {
      writer.context.refuse(prefix.slice(0, -1), `needs one of ${writable.map((one) => one.given).join(", ")}`)
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
  const lines = [...rest, ...placed]
  const { lookups } = outer.input
  const context: LinesContext = { ...writer.context, get, lookups, canonical: entry.canonical }
  setPath(draft, entry.native, entry.view?.close(lines, raw, context) ?? lines)
}

/** Warns of what a body says otherwise of a line that is only read. */
const warnOfFixed = (
  { context }: Writer,
  item: Body,
  canonical: Native | undefined,
  reason: string,
  prefix: string
) => {
  for (const [name, value] of Object.entries(item)) {
    if (value === undefined || name === "id" || isUnchanged(value, canonical?.[name])) continue
    context.warn(prefix + name, "CHANGED", reason)
  }
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

const encodeConstant = (writer: Writer, entry: ConstantEntry, shape: Shape, body: Body, prefix: string) => {
  const { canonical } = entry
  const value = body[canonical]
  // where a whole body is given, null says no more than leaving the field out
  const isSaid = value !== undefined && (value !== null || writer.mode === "patch")
  if (!isSaid || value === entry.value || isReadOnly(shape.fields[canonical])) return
  const path = prefix + canonical
  const message = `is always ${String(entry.value)} here`
  // a record cannot become one of another native type, nor be on a record that there is not
  if (prefix === "" && writer.mode !== "create" && writer.kinds.has(canonical))
    writer.context.refuse(path, `${message} and cannot be changed`)
  else if (value !== null && shape.fields[canonical]?.targets !== undefined) writer.context.refuse(path, message)
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

/** The value of a field that is only read, where it follows from others. */
const comesTo = ({ entries }: Variant, name: string, body: Body, current: Bundle | undefined): unknown => {
  const entry = entries.find((one) => one.kind === "computed" && one.canonical === name)
  return entry?.kind === "computed" ? entry.comesTo?.(body, current) : undefined
}

/** Refuses a field that says how another one is to be read, if the body does not have that one. */
const refuseUndescribed = ({ context }: Writer, { fields }: Resource, body: Body) => {
  for (const [name, { describes }] of Object.entries(fields)) {
    if (describes !== undefined && given(body, name) && body[describes.field] === undefined)
      context.refuse(
        name,
        `says how to read \`${describes.field}\`, which is missing. Send both, or leave ${name} out.`
      )
  }
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
    // the warning about the field that it describes is enough
    if (field.describes !== undefined && !held.has(field.describes.field)) continue
    const current = writer.input.currentRecord?.[name]
    if (current !== undefined && same(value, current)) continue
    const made = comesTo(variant, name, body, writer.input.current)
    if (made !== undefined) {
      if (!same(value, made)) writer.context.warn(name, "CHANGED", `is held as ${String(made)}`)
      continue
    }
    leaveOutValue(
      writer,
      field,
      name,
      value,
      `${writer.provider} does not take it on ${resource.name} ${variant.nativeType}`
    )
  }
}

/** Whether a list entry has nothing but a label. */
const saysNothing = (entry: Entry, shape: Shape, item: Body) => {
  const label = entry.kind === "slots" ? entry.label : null
  const isLabel = (name: string) => name === label || name.endsWith("_type") || shape.fields[name]?.values !== undefined
  return Object.entries(item).every(([name, value]) => isNothing(value) || isLabel(name))
}

/**
 * Refuses an update whose list has entries that the provider cannot hold and no others. Writing it would delete the entries of
 * the record. Only an empty list clears.
 */
const refuseEmptied = (
  { context, mode }: Writer,
  resource: Resource,
  variant: Variant,
  body: Body,
  warned: ReadonlyMap<string, Warning>,
  refusals: Refusals
) => {
  const isRefused = (path: string) => Object.keys(refusals).some((one) => one.startsWith(`${path}.`))
  if (mode === "create") return
  for (const entry of variant.entries.filter(writes)) {
    for (const name of canonicalOf(entry)) {
      const value = body[name]
      const item = resource.fields[name]?.item
      if (!isList(value) || value.length === 0) continue
      const problems = value.flatMap((one, i) => {
        const path = `${name}.${i}`
        const warning = warned.get(path)
        if (warning?.code === "NOT_HELD") return [{ path, message: warning.message }]
        const isEmpty =
          entry.kind !== "lines" &&
          isNative(one) &&
          item !== undefined &&
          isShape(item) &&
          saysNothing(entry, item, one)
        return isEmpty ? [{ path, message: "has no value. Send an empty list to clear the field." }] : []
      })
      if (problems.length < value.length) continue
      for (const { message, path } of problems) if (!isRefused(path)) context.refuse(path, message)
    }
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
  refuseUndescribed(writer, resource, body)
  leaveOutUnwritable(writer, resource, variant, body)
  sayKind(writer, variant, body)
  for (const entry of variant.entries) encodeEntry(writer, entry, resource, body, record, input.current, "")
  refuseEmptied(writer, resource, variant, body, warned, refusals)
  const warnings = [...warned.values()]
  const params = body.integration_params
  const changesNothing = Object.keys(record).length === 0 && Object.keys(steps).length === 0 && params === undefined
  // a change of which nothing is held would be no change
  if (input.handling === "strict" || (mode === "patch" && changesNothing))
    for (const { field, message } of warnings) refusals[field] ??= message
  if (Object.keys(refusals).length > 0) return Either.left(refusals)
  const whole = !isNative(params) ? record : merge(record, mapping.root === "" ? params : { [mapping.root]: params })
  return Either.right({ nativeType: variant.nativeType, record: whole, steps, warnings })
}
