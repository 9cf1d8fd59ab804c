import { Decimal } from "decimal.js"
import { type Draft, isNative, natives, type Native } from "../../mapping/Mapping.ts"

/**
 * Converts records between NetSuite's form and that of the mappings, which have sublists with canonical forms in one list,
 * `lines`: each line has the name of its sublist, a key that is unique in the record, and its role: `billed`, `note` for lines
 * that bill nothing, or `shipping`.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/chapter_1545142407.html
 */

const itemsOf = (value: unknown) => (isNative(value) ? natives(value.items) : [])

/** The key of a line. With two sublists its letter comes first, as each numbers its lines from 1. */
const keyOf = (sublists: ReadonlyArray<string>, sublist: string, line: Native) =>
  sublists.length === 1 ? String(line.line) : `${sublist.slice(0, 1)}:${String(line.line)}`

const referenceOnly = ({ id, refName }: Native): Native => (refName === undefined ? { id } : { id, refName })

/** A custom field as lists have it: an option with its id and name, several options with their ids. */
const customValue = (value: unknown): unknown => {
  if (!isNative(value)) return value
  if (Array.isArray(value.items)) return { items: natives(value.items).map(({ id }) => ({ id })) }
  return value.id === undefined ? value : referenceOnly(value)
}

/** A record whose custom fields are alike in lists and single reads. */
export const withCustomFields = (record: Native): Native =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, /^cust[a-z]*_/.test(name) ? customValue(value) : value])
  )

/** Types of items whose lines bill nothing: subtotals, texts, and the first and last line of an item group. */
const noteTypes: ReadonlyArray<unknown> = ["Subtotal", "Description", "Group", "EndGroup"]

/** The type of a line's item, which records have as a reference and queries as text. */
const itemTypeOf = ({ itemType }: Native): unknown => (isNative(itemType) ? itemType.id : itemType)

export const isNote = (line: Native): boolean => noteTypes.includes(itemTypeOf(line))

/** Whether a line begins or ends an item group. NetSuite makes the lines of a group itself, whenever its first line is sent. */
const isGroup = (line: Native): boolean => ["Group", "EndGroup"].includes(String(itemTypeOf(line)))

/** What a sale costs besides its items. It is no line of the record, but part of its total. */
export const shippingOf = ({ handlingCost, shippingCost }: Native): number =>
  [shippingCost, handlingCost]
    .reduce<Decimal>((sum, cost) => sum.plus(typeof cost === "number" ? cost : 0), new Decimal(0))
    .toNumber()

/** Adds a line for shipping after the last billed one: notes after that one stay at the end when lines are added. */
const withShippingLine = (lines: ReadonlyArray<Native>, amount: number): ReadonlyArray<Native> =>
  amount === 0
    ? lines
    : lines.toSpliced(lines.findLastIndex(({ role }) => role === "billed") + 1, 0, {
        sublist: "shipping",
        role: "shipping",
        key: "shipping",
        amount
      })

/** A record with its sublists merged into one list. */
export const laid = (sublists: ReadonlyArray<string>, record: Native): Native =>
  sublists.length === 0
    ? record
    : {
        ...Object.fromEntries(Object.entries(record).filter(([name]) => !sublists.includes(name))),
        lines: withShippingLine(
          sublists.flatMap((sublist) =>
            itemsOf(record[sublist]).map((line) => ({
              ...line,
              sublist,
              role: isNote(line) ? "note" : "billed",
              key: keyOf(sublists, sublist, line)
            }))
          ),
          shippingOf(record)
        )
      }

/** Replaces empty references (`{id: null}`) by null. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isNative(value)) return value
  return value.id === null ? null : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}

/** Whether the record already holds the sent values; members it has besides (`refName`, `links`) do not matter. */
const holds = (held: unknown, sent: unknown): boolean => {
  if (sent === null) return held === undefined || held === null
  if (Array.isArray(sent)) {
    return Array.isArray(held) && held.length === sent.length && sent.every((one, i) => holds(held[i], one))
  }
  if (isNative(sent)) {
    const members = Object.entries(sent)
    // where there is no address, an empty one changes nothing
    if (held === undefined || held === null) return members.length > 0 && members.every(([, one]) => one === null)
    return isNative(held) && members.every(([name, one]) => holds(held[name], one))
  }
  return held === sent
}

/** The sent members that differ from the held ones. */
const changed = (held: Native, sent: Native): Draft =>
  Object.fromEntries(Object.entries(sent).filter(([name, value]) => !holds(held[name], value)))

/** Members that NetSuite computes from a line's quantity and rate; stale once those change. */
const reckoned = ["amount", "grossAmt", "tax1Amt"]

/** A full line to send back: references by id, without the members that NetSuite computes again. */
const whole = (present: Native, over: Native): Draft => {
  const isRepriced = ("quantity" in over || "rate" in over) && !("amount" in over)
  const isComputed = (name: string) => (isRepriced && reckoned.includes(name)) || (isNote(present) && name === "amount")
  const kept = Object.entries(present).filter(
    ([name]) => !["links", "refName", "key", "role", "sublist"].includes(name) && !isComputed(name)
  )
  const bare = kept.map(([name, one]) => [name, isNative(one) && "id" in one ? { id: one.id } : one] as const)
  return { ...Object.fromEntries(bare), ...over }
}

/** Lines of one sublist, as sent. */
interface Lines {
  readonly items: ReadonlyArray<Native>
  /** True where lines are removed or inserted: the sublist is sent in full. */
  readonly isReplaced: boolean
  /** Why the lines cannot be written. */
  readonly refusal?: string
}

const groupStays =
  "cannot be removed or reordered: the document has an item group, whose lines NetSuite would add a second time. Change the lines by their remote_id, or replace the group in NetSuite."

/**
 * Updates lines that stay by their number, with only their changes; new lines follow. Lines are removed only by sending all
 * that stay. Undefined when nothing changes.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545297048.html
 */
const linesOf = (
  sublist: string,
  lines: ReadonlyArray<Native>,
  before: ReadonlyArray<Native>,
  lineKey: string
): Lines | undefined => {
  const held = before.filter((line) => line.sublist === sublist)
  const byKey = new Map(held.map((line) => [line.key, line]))
  const mine = lines
    .filter((line) => line.sublist === sublist)
    .map(({ key, role: _, sublist: __, ...line }) => {
      const present = byKey.get(key)
      return { present, over: changed(present ?? {}, line) }
    })
  const isReplaced = held.some((line, i) => mine[i]?.present !== line)
  if (isReplaced && held.some(isGroup)) return { items: [], isReplaced: false, refusal: groupStays }
  const items = mine.flatMap(({ over, present }) => {
    if (present === undefined) return [over]
    if (isReplaced) return [whole(present, over)]
    return Object.keys(over).length === 0 ? [] : [{ [lineKey]: present[lineKey], ...over }]
  })
  return items.length === 0 && !isReplaced ? undefined : { items, isReplaced }
}

/** Sublists with a fixed set of lines, such as one for each currency: a body amends them. */
const fixed = new Set(["price"])

export interface Body {
  readonly body: Native
  /** Sublists of the body that replace those of the record. */
  readonly replaced: ReadonlyArray<string>
  /** Why the body cannot be sent, by native field. */
  readonly refusals?: { readonly [native: string]: string }
}

/** The body to send; on an update, only the changes. */
export const bodyOf = (
  sublists: ReadonlyArray<string>,
  encoded: Native,
  held: Native | undefined,
  lineKey = "line"
): Body => {
  const { lines, ...members } = encoded
  const body = changed(held ?? {}, Object.fromEntries(Object.entries(members).map(([name, one]) => [name, plain(one)])))
  const replaced = Object.keys(body).filter(
    (name) => !fixed.has(name) && isNative(body[name]) && Array.isArray(body[name].items)
  )
  if (sublists.length === 0 || lines === undefined) return { body, replaced }
  for (const sublist of sublists) {
    const written = linesOf(sublist, natives(plain(lines)), natives(held?.lines), lineKey)
    if (written === undefined) continue
    if (written.refusal !== undefined) return { body, replaced, refusals: { lines: written.refusal } }
    body[sublist] = { items: written.items }
    if (written.isReplaced) replaced.push(sublist)
  }
  return { body, replaced }
}
