import { type Draft, isNative, natives, type Native } from "../../mapping/Mapping.ts"

/**
 * Records as mappings see them, and what is sent. Sublists whose lines have canonical forms stand in one list `lines`, each
 * line with the name of its sublist and a key that is one of a kind in the record.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/chapter_1545142407.html
 */

const itemsOf = (value: unknown) => (isNative(value) ? natives(value.items) : [])

/** Where there are two sublists, each counts its lines from 1. */
const keyOf = (sublists: ReadonlyArray<string>, sublist: string, line: Native) =>
  sublists.length === 1 ? String(line.line) : `${sublist.slice(0, 1)}:${String(line.line)}`

/** A record with its sublists laid into one list. */
export const laid = (sublists: ReadonlyArray<string>, record: Native): Native =>
  sublists.length === 0
    ? record
    : {
        ...Object.fromEntries(Object.entries(record).filter(([name]) => !sublists.includes(name))),
        lines: sublists.flatMap((sublist) =>
          itemsOf(record[sublist]).map((line) => ({ ...line, sublist, key: keyOf(sublists, sublist, line) }))
        )
      }

/** A reference to nothing (`{id: null}`) is null. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isNative(value)) return value
  return value.id === null ? null : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}

/** Whether the record already holds what is to be written; what it holds besides (`refName`, `links`) does not matter. */
const holds = (held: unknown, sent: unknown): boolean => {
  if (sent === null) return held === undefined || held === null
  if (Array.isArray(sent)) {
    return Array.isArray(held) && held.length === sent.length && sent.every((one, i) => holds(held[i], one))
  }
  if (isNative(sent)) return isNative(held) && Object.entries(sent).every(([name, one]) => holds(held[name], one))
  return held === sent
}

/** Members that are not yet as they are to be. */
const changed = (held: Native, sent: Native): Draft =>
  Object.fromEntries(Object.entries(sent).filter(([name, value]) => !holds(held[name], value)))

/** What NetSuite reckons of a line's quantity and rate; stale where those change. */
const reckoned = ["amount", "grossAmt", "tax1Amt"]

/** A line as it can be sent back: references by their ids, without what NetSuite reckons anew. */
const whole = (present: Native, over: Native): Draft => {
  const isRepriced = ("quantity" in over || "rate" in over) && !("amount" in over)
  const kept = Object.entries(present).filter(
    ([name]) => !["links", "refName", "key", "sublist"].includes(name) && !(isRepriced && reckoned.includes(name))
  )
  const bare = kept.map(([name, one]) => [name, isNative(one) && "id" in one ? { id: one.id } : one] as const)
  return { ...Object.fromEntries(bare), ...over }
}

/** Lines of one sublist as they are sent. */
interface Lines {
  readonly items: ReadonlyArray<Native>
  /** Lines go, or come in between: the sublist is sent as a whole. */
  readonly isReplaced: boolean
}

/**
 * Lines that stay are named by their number, with what changes in them; others come after them. Lines go only when all that
 * stay are sent. Undefined when nothing changes.
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

/** Sublists whose lines are always there, one for each of something: what is sent amends them. */
const fixed = new Set(["price"])

export interface Body {
  readonly body: Native
  /** Sublists of it that replace what the record has. */
  readonly replaced: ReadonlyArray<string>
}

/** What is to be sent: on an update only what changes. */
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
