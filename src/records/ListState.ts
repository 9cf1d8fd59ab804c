import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { ListBroken, ProviderError } from "../providers/ProviderError.ts"
import type { Page } from "../providers/ProviderAdapter.ts"

/** The trail of a walk: the names of the last few, and one further back, so that a circle of any length is noticed. */
const Trail = Schema.Struct({ steps: Schema.Int, mark: Schema.String, last: Schema.Array(Schema.String) })
type Trail = typeof Trail.Type

/** Where a walk stands in the list of one connection. Its size is bounded, whatever the provider does. */
export const ListState = Schema.Struct({
  /** The adapter's own position; null at the start. */
  position: Schema.NullOr(Schema.String),
  /** Of a page larger than asked for: the size that was asked for, its native records that were given, and the last one. */
  part: Schema.optionalWith(Schema.Struct({ size: Schema.Int, skip: Schema.Int, anchor: Schema.String }), {
    exact: true
  }),
  /** The records given last, by their names, packed. */
  given: Schema.optionalWith(Schema.String, { exact: true }),
  /** Positions that were asked for. */
  positions: Schema.optionalWith(Trail, { exact: true }),
  /** The first new record of each page. */
  heads: Schema.optionalWith(Trail, { exact: true }),
  /** Pages without a new record, by their weights, since the last one with some. */
  idle: Schema.optionalWith(Schema.Int, { exact: true })
})
export type ListState = typeof ListState.Type

/** The canonical record, as far as a walk looks at it. */
interface Identified {
  readonly id?: unknown
}

/** One page on from a state. */
export interface Step<A> {
  readonly records: ReadonlyArray<A>
  /** Null at the end of the list. */
  readonly next: ListState | null
}

/** How a connection is asked, and what of its records is shown. */
export interface Source<N, A extends Identified, R> {
  readonly provider: string
  readonly fetch: (
    position: string | null,
    size: number
  ) => Effect.Effect<Omit<Page, "records"> & { readonly records: ReadonlyArray<N> }, ProviderError, R>
  readonly show: (records: ReadonlyArray<N>) => Effect.Effect<ReadonlyArray<A>, ProviderError, R>
  /** Records that a state remembers, so that those which come again are told. */
  readonly memory: number
  /** Which of its records are given; absent: all. */
  readonly keeps?: ((record: A) => boolean) | undefined
}

/** Records that a whole walk remembers, which makes its cursor some 1,100 characters longer. */
export const memory = 100

/** Hexadecimal digits of a name: 48 bits of a hash. */
const nameLength = 12

/** The first bits of a record's service id, which is a hash itself. */
const nameOf = ({ id }: Identified) => {
  const uuid = String(id)
  return uuid.slice(9, 17) + uuid.slice(18, 22)
}

const nameOfPosition = (position: string | null) =>
  position === null ? "" : createHash("sha256").update(position).digest("hex").slice(0, nameLength)

const pack = (names: ReadonlyArray<string>) => Buffer.from(names.join(""), "hex").toString("base64url")

const unpack = (packed: string) => Buffer.from(packed, "base64url").toString("hex").match(/.{12}/g) ?? []

/** Names that a trail keeps. */
const kept = 4

/** The trail with one more name; undefined when the name is on it. The mark moves ahead at each power of two (Brent). */
const passed = (trail: Trail | undefined, name: string): Trail | undefined => {
  const { last, mark, steps } = trail ?? { steps: 0, mark: "", last: [] }
  if (last.includes(name) || (steps > 0 && mark === name)) return undefined
  const isPower = (steps & (steps - 1)) === 0
  return { steps: steps + 1, mark: isPower ? name : mark, last: [...last, name].slice(-kept) }
}

/** Pages that are asked for in one call until one has a new record. */
const asks = 5

/** Native records that a page has which is sifted. */
const sifted = 100

/** A page without a record weighs as much as a hundred in which records were looked through and left out. */
const weights = { empty: 100, sparse: 1 }
const patience = 20 * weights.empty

/**
 * The next records of a list, `limit` at most, none of which was among those given last. Fails with `ListBroken` when the
 * provider goes in a circle, or on and on without a new record. What a page has beyond `limit` comes with the next step.
 */
export const step = <N, A extends Identified, R>(
  source: Source<N, A, R>,
  state: ListState,
  limit: number,
  asked = 1
): Effect.Effect<Step<A>, ProviderError, R> => {
  const { idle = 0, part, position } = state
  const broken = (detail: string) =>
    Effect.fail(new ProviderError({ provider: source.provider, operation: "list", reason: new ListBroken(), detail }))
  const positions = part === undefined ? passed(state.positions, nameOfPosition(position)) : state.positions
  if (positions === undefined) return broken("it gave a position in the list that it had given before")
  const size = part?.size ?? (source.keeps === undefined ? limit : sifted)

  return Effect.flatMap(source.fetch(position, size), (page) =>
    Effect.flatMap(cut(source, page.records, part, limit), ({ end, shown }) => {
      const known = new Set(state.given === undefined ? [] : unpack(state.given))
      const records = shown.filter((record) => {
        const name = nameOf(record)
        return known.size < known.add(name).size
      })
      const isWhole = end >= page.records.length
      if (isWhole && page.next === null) return Effect.succeed<Step<A>>({ records, next: null })

      const isSparse = page.sparse === true || source.keeps !== undefined
      // what is sifted may be long, and comes to its end
      const isSifted = source.keeps !== undefined && page.records.length > 0
      const weight = isSifted ? 0 : isSparse ? weights.sparse : weights.empty
      const waited = records.length > 0 ? 0 : isWhole ? idle + weight : idle
      if (waited >= patience) return broken("it gave page after page without a new record")
      const [head] = records
      const heads = head === undefined || part !== undefined ? state.heads : passed(state.heads, nameOf(head))
      if (head !== undefined && heads === undefined && part === undefined) {
        return broken("it gave records again that it had given before")
      }
      const last = shown.at(-1)
      const next: ListState = {
        position: isWhole ? page.next : position,
        ...(isWhole
          ? {}
          : { part: { size, skip: end, anchor: last === undefined ? (part?.anchor ?? "") : nameOf(last) } }),
        given: pack([...known].slice(-Math.max(source.memory, records.length))),
        positions,
        ...(heads === undefined ? {} : { heads }),
        ...(waited === 0 ? {} : { idle: waited })
      }
      return records.length === 0 && !isSparse && asked < asks
        ? step(source, next, limit, asked + 1)
        : Effect.succeed<Step<A>>({ records, next })
    })
  )
}

/** Pages that one call sifts at most. */
const reach = 5

/** The next records of a list that is sifted: reads on until there are `limit`, within a bound. */
export const fill = <N, A extends Identified, R>(
  source: Source<N, A, R>,
  state: ListState,
  limit: number,
  pages = reach
): Effect.Effect<Step<A>, ProviderError, R> =>
  Effect.flatMap(step(source, state, limit), ({ next, records }) =>
    next === null || records.length >= limit || pages <= 1
      ? Effect.succeed({ records, next })
      : Effect.map(fill(source, next, limit - records.length, pages - 1), (more) => ({
          records: [...records, ...more.records],
          next: more.next
        }))
  )

/** Records that are shown together at least to be sifted, so that few which are wanted take few steps. */
const together = 25

/** The records of a page that are to be given now, and where among its native records they end. */
const cut = <N, A extends Identified, R>(
  { keeps, show }: Source<N, A, R>,
  all: ReadonlyArray<N>,
  part: ListState["part"],
  limit: number
): Effect.Effect<{ readonly shown: ReadonlyArray<A>; readonly end: number }, ProviderError, R> => {
  const from = (start: number) =>
    keeps === undefined
      ? Effect.map(show(all.slice(start, start + limit)), (shown) => ({
          shown,
          end: Math.min(start + limit, all.length)
        }))
      : Effect.iterate(
          { shown: Array.of<A>(), end: start },
          {
            while: ({ end, shown }) => end < all.length && shown.length < limit,
            body: ({ end, shown }) => {
              const wanted = limit - shown.length
              const looked = all.slice(end, end + Math.max(wanted, together))
              return Effect.map(show(looked), (some) => {
                const found = some.flatMap((record, i) => (keeps(record) ? [{ record, end: end + i + 1 }] : []))
                const last = found[wanted - 1]
                return {
                  shown: [...shown, ...found.slice(0, wanted).map(({ record }) => record)],
                  // should one not be shown, this is too early, and what comes again is told
                  end: last === undefined ? end + looked.length : last.end
                }
              })
            }
          }
        )
  if (part === undefined) return from(0)
  const { anchor, skip } = part
  const isAnchor = (record: A) => nameOf(record) === anchor
  return Effect.flatMap(show(all.slice(Math.max(0, skip - 1), skip)), ([before]) =>
    before === undefined || isAnchor(before)
      ? from(skip)
      : // the page has changed since: it goes on after the same record, wherever that is now
        Effect.flatMap(
          Effect.forEach(all, (native) => Effect.map(show([native]), ([record]) => record)),
          (shown) => {
            const at = shown.findIndex((record) => record !== undefined && isAnchor(record))
            // of one that is gone, what was given before is told by its names
            return from(at + 1)
          }
        )
  )
}
