import { type Draft, isNative, natives, type Native } from "../../mapping/Mapping.ts"

/**
 * Converts records between NetSuite's form and that of the mappings, which have sublists with canonical forms in one list,
 * `lines`: each line has the name of its sublist and a key that is unique in the record.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/chapter_1545142407.html
 */

const itemsOf = (value: unknown) => (isNative(value) ? natives(value.items) : [])

/** The key of a line. With two sublists its letter comes first, as each numbers its lines from 1. */
const keyOf = (sublists: ReadonlyArray<string>, sublist: string, line: Native) =>
  sublists.length === 1 ? String(line.line) : `${sublist.slice(0, 1)}:${String(line.line)}`

/** A record with its sublists merged into one list. */
export const laid = (sublists: ReadonlyArray<string>, record: Native): Native =>
  sublists.length === 0
    ? record
    : {
        ...Object.fromEntries(Object.entries(record).filter(([name]) => !sublists.includes(name))),
        lines: sublists.flatMap((sublist) =>
          itemsOf(record[sublist]).map((line) => ({ ...line, sublist, key: keyOf(sublists, sublist, line) }))
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
  const kept = Object.entries(present).filter(
    ([name]) => !["links", "refName", "key", "sublist"].includes(name) && !(isRepriced && reckoned.includes(name))
  )
  const bare = kept.map(([name, one]) => [name, isNative(one) && "id" in one ? { id: one.id } : one] as const)
  return { ...Object.fromEntries(bare), ...over }
}

/** Lines of one sublist, as sent. */
interface Lines {
  readonly items: ReadonlyArray<Native>
  /** True where lines are removed or inserted: the sublist is sent in full. */
  readonly isReplaced: boolean
}

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
    .map(({ key, sublist: _, ...line }) => {
      const present = byKey.get(key)
      return { present, over: changed(present ?? {}, line) }
    })
  const isReplaced = held.some((line, i) => mine[i]?.present !== line)
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
    body[sublist] = { items: written.items }
    if (written.isReplaced) replaced.push(sublist)
  }
  return { body, replaced }
}
