import { Decimal } from "decimal.js"
import { type Field, type Fields, isShape, type Resource, type Shape } from "../canonical/Resource.ts"
import type { Body, Mode } from "../mapping/Encode.ts"
import { getPath, isNative } from "../mapping/Mapping.ts"
import { textOfSimpleHtml } from "../mapping/TextContent.ts"
import { bare } from "../mapping/Transform.ts"
import type { Warning, WarningCode } from "../mapping/Warning.ts"
import { isList, isNothing } from "../mapping/Writer.ts"
import type { CanonicalRecord } from "./Presenter.ts"

/**
 * Compares a record with the body that was just written. Every write is, so that no answer says more than is true.
 */
interface Comparison {
  readonly provider: string
  readonly mode: Mode
  readonly tell: (field: string, code: WarningCode, message: string) => void
}

/** Values that leave nothing to clear in a field left out of a full body. */
const isBlank = (value: unknown) => isNothing(value) || value === false || value === 0

/** Characters of a value that a warning shows. */
const shown = 200

const show = (value: unknown) => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > shown ? `${text.slice(0, shown)}…` : text
}

const millisecondsOf = (value: unknown) => (typeof value === "string" ? Date.parse(value) : NaN)

const isAmount = (value: unknown): value is number | string =>
  typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value))

/** Text with its keys in order, to compare objects by. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isNative(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part
  )

/** Whether two values of a field are one value, however each is written. */
const isSame = ({ kind }: Pick<Field, "kind">, sent: unknown, held: unknown): boolean => {
  switch (kind) {
    case "reference":
      return bare(String(sent)) === bare(String(held))
    case "dateTime":
      return millisecondsOf(sent) === millisecondsOf(held)
    case "number":
    case "integer":
    case "decimal":
      return isAmount(sent) && isAmount(held) && new Decimal(sent).eq(held)
    case "providerId":
      return String(sent) === String(held)
    case "text":
    case "date":
    case "boolean":
      return sent === held
    case "object":
    case "list":
      return ordered(sent) === ordered(held)
  }
}

/** As much of a field as a comparison needs. */
type Typed = Pick<Field, "kind" | "item">

/** A value that the catalogue does not know. */
const anything: Typed = { kind: "object" }

const compareValue = (comparison: Comparison, field: Typed, path: string, sent: unknown, held: unknown) => {
  const { provider, tell } = comparison
  if (isNothing(sent)) {
    if (!isNothing(held)) tell(path, "CHANGED", `cannot be cleared at ${provider}; it stays ${show(held)}`)
    return
  }
  if (isList(sent)) return compareList(comparison, field, path, sent, isList(held) ? held : [])
  if (isNative(sent) && isNative(held) && isShape(field.item)) {
    return compareFields(comparison, field.item.fields, `${path}.`, sent, held)
  }
  if (isNothing(held)) tell(path, path === "status" ? "STATUS_NOT_REACHED" : "NOT_HELD", `${provider} does not hold it`)
  else if (!isSame(field, sent, held)) {
    if (path === "status") tell(path, "STATUS_NOT_REACHED", `is ${show(held)} at ${provider}`)
    else tell(path, "CHANGED", `is held as ${show(held)}`)
  }
}

const compareList = (
  comparison: Comparison,
  { item }: Typed,
  path: string,
  sent: ReadonlyArray<unknown>,
  held: ReadonlyArray<unknown>
) => {
  const { provider, tell } = comparison
  if (held.length === 0) return tell(path, "NOT_HELD", `${provider} does not hold it`)
  const differs = (a: unknown, b: unknown) => {
    let found = false
    compareEntry({ ...comparison, tell: () => (found = true) }, item, "", a, b)
    return found
  }
  const free = new Set(held)
  const pairs = new Map<number, unknown>()
  const take = (i: number, entry: unknown) => {
    if (entry === undefined) return
    pairs.set(i, entry)
    free.delete(entry)
  }
  const idOf = (entry: unknown) => getPath(entry, "remote_id") ?? null
  for (const [i, entry] of sent.entries()) {
    const id = idOf(entry)
    take(i, id === null ? undefined : [...free].find((one) => idOf(one) === id))
  }
  for (const [i, entry] of sent.entries())
    if (!pairs.has(i))
      take(
        i,
        [...free].find((one) => !differs(entry, one))
      )
  for (const i of sent.keys()) if (!pairs.has(i)) take(i, [...free][0])
  for (const [i, entry] of sent.entries()) {
    if (pairs.has(i)) compareEntry(comparison, item, `${path}.${i}`, entry, pairs.get(i))
    else tell(`${path}.${i}`, "NOT_HELD", `${provider} does not hold it`)
  }
  if (free.size > 0) tell(path, "CHANGED", `${provider} holds ${free.size} more than were sent`)
}

const compareEntry = (
  comparison: Comparison,
  item: Field | Shape | undefined,
  path: string,
  sent: unknown,
  held: unknown
) => {
  if (!isShape(item)) return compareValue(comparison, item ?? anything, path, sent, held)
  return isNative(sent) && isNative(held)
    ? compareFields(comparison, item.fields, path === "" ? "" : `${path}.`, sent, held)
    : undefined
}

/** Compares a value that the body expects with the one that the provider computed. Left out or null, it expects nothing. */
const compareComputed = (
  { provider, tell }: Comparison,
  field: Field,
  path: string,
  expected: unknown,
  held: unknown
) => {
  if (isNothing(expected)) return
  if (isNothing(held)) tell(path, "NOT_HELD", `${provider} does not state it, so it could not be compared`)
  else if (!isSame(field, expected, held)) tell(path, "CHANGED", `is ${show(held)}: ${provider} computes it`)
}

const compareFields = (comparison: Comparison, fields: Fields, prefix: string, sent: Body, held: CanonicalRecord) => {
  for (const [name, field] of Object.entries(fields)) {
    if (field.access === "computed") compareComputed(comparison, field, prefix + name, sent[name], held[name])
    if (field.access !== "rw") continue
    const value = sent[name]
    // A field that describes another one is compared only where both the body and the record have that one.
    const described = field.describes?.field
    if (described !== undefined && [value, sent[described], held[described]].some(isNothing)) continue
    const isLeftOut = value === undefined
    // a list is written as a whole, and what an entry of it leaves out is the provider's to fill in
    if (isLeftOut && (comparison.mode !== "replace" || prefix !== "" || isBlank(held[name]))) continue
    if (isNothing(value) && comparison.mode === "create") continue
    compareValue(comparison, field, prefix + name, value, held[name])
  }
}

/** The body as it reads back: HTML that shows nothing but text reads as text. */
const asReadBack = ({ fields }: Resource, body: Body, record: CanonicalRecord): Body => {
  if (fields.content_type?.describes === undefined) return body
  if (body.content_type !== "HTML" || record.content_type !== "TEXT" || typeof body.content !== "string") return body
  const text = textOfSimpleHtml(body.content)
  return text === record.content ? { ...body, content: text, content_type: "TEXT" } : body
}

/** Names each value of a body that the record, as it is after the write, holds otherwise. */
export const differences = (
  resource: Resource,
  provider: string,
  mode: Mode,
  body: Body,
  record: CanonicalRecord
): ReadonlyArray<Warning> => {
  const found: Array<Warning> = []
  const comparison: Comparison = {
    provider,
    mode,
    tell: (field, code, message) => void found.push({ field, code, message })
  }
  compareFields(comparison, resource.fields, "", asReadBack(resource, body, record), record)
  const custom = isNative(body.custom_fields) ? body.custom_fields : {}
  for (const [name, value] of Object.entries(custom)) {
    const path = `custom_fields.${name}`
    if (!isNothing(value) || mode !== "create")
      compareValue(comparison, anything, path, value, getPath(record, path) ?? null)
  }
  return found
}

/** The value of a body at a path, which may lead through lists. */
const valueAt = (body: Body, path: string) =>
  path.split(".").reduce<unknown>((value, step) => (isList(value) ? value[Number(step)] : getPath(value, step)), body)

const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}.`)

const areOfOne = (a: Warning, b: Warning) => isWithin(a.field, b.field) || isWithin(b.field, a.field)

/**
 * The warnings of a write: those made while encoding that came true, whose words say why, and what the record holds otherwise
 * beside them.
 */
export const warningsOf = (
  planned: ReadonlyArray<Warning>,
  { fields }: Resource,
  body: Body,
  different: ReadonlyArray<Warning>
): ReadonlyArray<Warning> => {
  const isSettled = ({ code, field }: Warning) =>
    code !== "ASSUMED" &&
    code !== "ALSO_CREATED" &&
    // what no record shows cannot be compared
    fields[field.split(".", 1)[0] ?? ""]?.access === "rw" &&
    !isNothing(valueAt(body, field)) &&
    // HTML that became text is no difference where it had no formatting, but it is not held as it was sent
    fields[field]?.describes === undefined
  const kept = planned.filter((one) => !isSettled(one) || different.some((other) => areOfOne(one, other)))
  return [...kept, ...different.filter((one) => !kept.some((other) => areOfOne(one, other)))]
}

/** Adds the ids of records that the provider also created, taken from the written record. */
export const namingCreated = (warnings: ReadonlyArray<Warning>, record: CanonicalRecord): ReadonlyArray<Warning> =>
  warnings.map((warning) => {
    const id = record[warning.field]
    return warning.code === "ALSO_CREATED" && typeof id === "string" ? { ...warning, remote_id: id } : warning
  })
