import { Effect } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"
import { anchored, cursor, type Fetch, keyset, offset, since, type Slice, whole } from "./Paginator.ts"
import type { Answer } from "./Upstream.ts"

/**
 * How a provider's lists page, as data for `rest`: the names of its parameters, and where its answers say that there is
 * more. Paths lead into the body of an answer; `most` is the most records of one answer.
 */
export type Query = {
  readonly [name: string]: string | number | boolean | ReadonlyArray<string> | undefined
}

/** The records of one answer, and the answer itself. */
export interface Listed {
  readonly records: ReadonlyArray<NativeRecord>
  readonly answer: Answer
}

export type Ask = (parameters: Query) => Effect.Effect<Listed, ProviderError>

type IdOf = (record: NativeRecord) => string

export type Paging = (ask: Ask, idOf: IdOf) => Fetch

interface Sized {
  readonly most: number
  /** The parameter for the number of records. */
  readonly size: string
  /** Query of every page, such as the order. */
  readonly order?: Query
}

export const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null)

interface ByCursor extends Sized {
  readonly after: string
  readonly next: string
  /** Slug of a provider that ends lists with an explicit `null`. A full page with neither a cursor nor `null` is an error. */
  readonly saysEnd?: string
}

/** A cursor or page token, which stays good for any page size: sent as `after`, found at `next`. */
export const byCursor =
  ({ after, most, next, order, saysEnd, size }: ByCursor): Paging =>
  (ask) =>
    cursor(most, (from, limit) =>
      Effect.flatMap(
        ask({ ...order, [size]: limit, [after]: from }),
        ({ answer, records }): Effect.Effect<Slice, ProviderError> => {
          const found = getPath(answer.body, next)
          return saysEnd === undefined || found !== undefined || records.length < limit
            ? Effect.succeed({ records, next: textOf(found) })
            : Effect.fail(
                new ProviderError({
                  provider: saysEnd,
                  operation: "list",
                  reason: new Malformed(),
                  status: answer.status,
                  detail: `the answer lacks ${next}, so the rest of the list cannot be read`
                })
              )
        }
      )
    )

/** The query of the `next` address in a `Link` header (RFC 8288). */
const linked = (header: string | undefined) => {
  const [, address] = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(header ?? "") ?? []
  return address === undefined ? null : (address.split("?")[1] ?? null)
}

/** A `Link` header that leads to the next page by a cursor, which stays good for any page size. */
export const byLink =
  ({ most, order, size }: Sized): Paging =>
  (ask) =>
    cursor(most, (after, limit) =>
      Effect.map(
        ask({ ...order, ...Object.fromEntries(new URLSearchParams(after ?? "")), [size]: limit }),
        ({ answer, records }) => ({ records, next: linked(answer.headers.link) })
      )
    )

interface Counted extends Sized {
  /** Paths of the flag that says whether more records follow. Without the flag, a full page means that more follow. */
  readonly more?: string | ReadonlyArray<string>
  /** The value that sorts the list, where it never changes and sorts as text; absent: the list only keeps its order. */
  readonly key?: (record: NativeRecord) => string
}

const counted = ({ key, most }: Counted, idOf: IdOf, fetch: Parameters<typeof anchored>[2]) =>
  key === undefined ? anchored(most, idOf, fetch) : offset(most, idOf, key, fetch)

/**
 * Whether more records follow. Without a flag, only a page that is not full ends the list, so a flag that the provider moves
 * or omits costs one more call and loses no records.
 */
const isMore = ({ more = [] }: Counted, { answer: { body }, records }: Listed, size: number): boolean =>
  [more].flat().flatMap((path) => [getPath(body, path)].filter((flag) => typeof flag === "boolean"))[0] ??
  records.length >= size

/** Records are counted from 0: `start` is where an answer begins. */
export const byOffset =
  (of: Counted & { readonly start: string }): Paging =>
  (ask, idOf) =>
    counted(of, idOf, (start, size) =>
      Effect.map(ask({ ...of.order, [of.start]: start, [of.size]: size }), (listed) => ({
        records: listed.records,
        more: isMore(of, listed, size)
      }))
    )

/** The smallest page that holds all of a part of a list; the largest where none does. */
export const pageAround = (most: number, start: number, size: number) => {
  let wide = size
  while (wide < most && Math.floor(start / wide) !== Math.floor((start + size - 1) / wide)) wide += 1
  return { page: Math.floor(start / wide) + 1, pageSize: wide, skip: start % wide }
}

/** Pages are counted from 1. */
export const byPage =
  (of: Counted & { readonly page: string }): Paging =>
  (ask, idOf) =>
    counted(of, idOf, (start, wanted) => {
      const { page, pageSize, skip } = pageAround(of.most, start, wanted)
      return Effect.map(ask({ ...of.order, [of.page]: page, [of.size]: pageSize }), (listed) => ({
        records: listed.records.slice(skip),
        more: isMore(of, listed, pageSize)
      }))
    })

/** Records after an id, in the order of ids. */
export const byId =
  ({ after, most, order, size }: Sized & { readonly after: string }): Paging =>
  (ask, idOf) =>
    keyset(most, idOf, (from, limit) =>
      Effect.map(ask({ ...order, [size]: limit, [after]: from }), ({ records }) => records)
    )

/** Records from a creation time on (inclusive), in that order; `key` is the time as the parameter `from` takes it. */
export const byTime =
  (of: Sized & { readonly from: string; readonly key: (record: NativeRecord) => string }): Paging =>
  (ask, idOf) =>
    since(of.most, idOf, of.key, (from, limit) =>
      Effect.map(ask({ ...of.order, [of.size]: limit, [of.from]: from }), ({ records }) => records)
    )

/** Everything in one answer. */
export const atOnce: Paging = (ask, idOf) =>
  whole(
    idOf,
    Effect.map(ask({}), ({ records }) => records)
  )
