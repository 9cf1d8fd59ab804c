import type { Entries } from "./Entries.ts"
import type { ComputedEntry, Encoding, Native } from "./Mapping.ts"

/** Fields that link a record to another one, the more specific first. */
const bySpecificity = ["opportunity", "lead", "contact", "account"] as const

export type Link = (typeof bySpecificity)[number]

/** A native link that leads to one record, of any of several kinds, each of which is a field of its own here. */
export interface OneLink<N extends Link> {
  readonly fields: ReadonlyArray<N>
  /** The record with the link, for messages: `a note`. */
  readonly noun: string
  /** Native fields that the link is in. */
  readonly native: ReadonlyArray<string>
  /** Id of the linked record, where it is of a field's kind. */
  readonly idIn: (record: Native, field: N) => string | null
  /** The value of a field, where it may follow from another link; absent: the id of the linked record. */
  readonly shows?: (record: Native, field: N) => unknown
  /** Fields of which the provider finds a value by the link: whether it is the one sent shows once that is written. */
  readonly follows?: ReadonlyArray<N>
  /** Writes the link, or takes it away. */
  readonly write: (link: { readonly field: N; readonly id: unknown } | null, encoding: Encoding) => void
  /** Whether a value can be the id of a record of the field's kind; it refuses one that cannot. */
  readonly accepts?: (field: N, value: unknown, encoding: Encoding) => boolean
  readonly isSame?: (a: unknown, b: unknown) => boolean
  /** A record stays on the one it was made for. */
  readonly isFixed?: true
}

/** Writes what the fields of a body come to; the entry of each of them calls it, the outcome is the same. */
const place = <N extends Link>(link: OneLink<N>, encoding: Encoding): void => {
  const { accepts = () => true, follows = [], idIn, isFixed, isSame = Object.is, noun, shows = idIn } = link
  const { body, current, mode, prefix, warn } = encoding
  const fields = bySpecificity.flatMap((name) => link.fields.filter((field) => field === name))
  const given = fields.filter((field) => (body[field] ?? null) !== null)
  const wrong = given.filter((field) => !accepts(field, body[field], encoding))
  if (wrong.length > 0) return

  const shown = (field: N) => (current === undefined ? null : (shows(current.record, field) ?? null))
  const said = fields.filter((field) => body[field] !== undefined)
  const different = said.filter((field) => !isSame(body[field] ?? null, shown(field)))
  if (current !== undefined && isFixed === true) {
    for (const field of different)
      warn(
        prefix + field,
        shown(field) === null ? "NOT_HELD" : "CHANGED",
        `cannot be changed: ${noun} stays on the record it was made for`
      )
    return
  }

  const [chosen, ...others] = given
  const held = current === undefined ? undefined : fields.find((field) => idIn(current.record, field) !== null)
  const isKept = held !== undefined && mode === "patch" && body[held] === undefined
  if (chosen === undefined) {
    if (held !== undefined && !isKept) return link.write(null, encoding)
    // what follows from another link cannot go without it
    const isAlone = ["contacts", ...bySpecificity].every(
      (name) => body[name] === undefined || different.some((field) => field === name)
    )
    if (isAlone)
      for (const field of different) warn(prefix + field, "CHANGED", "follows another link, and goes with that alone")
    return
  }
  if (isKept && different.length === 0) return
  for (const field of others.filter((one) => !follows.includes(one)))
    warn(prefix + field, "NOT_HELD", `is not held: ${noun} is on one record here, its ${chosen}`)
  if (isKept && held !== chosen)
    warn(prefix + held, "CHANGED", `is no longer held: ${noun} is on one record here, now its ${chosen}`)
  if (held !== chosen || different.includes(chosen)) link.write({ field: chosen, id: body[chosen] }, encoding)
}

/**
 * Links of which a record has one at a time. Of several the most specific is held; one that takes the place of another is
 * written, and what goes is said.
 */
export const oneLink = <N extends Link>(
  of: Pick<Entries<N>, "computed">,
  link: OneLink<N>
): ReadonlyArray<ComputedEntry<N>> =>
  link.fields.map((canonical) =>
    of.computed({
      canonical,
      native: link.native,
      needsCurrent: true,
      decode: ({ record }) => (link.shows ?? link.idIn)(record, canonical),
      encode: (_, encoding) => place(link, encoding)
    })
  )
