import { Effect, Schema } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { keeping, nativeRecord, noting } from "../KeptValues.ts"
import type { ProviderError } from "../ProviderError.ts"

/** Loaders of the cached values. */
interface Loads {
  readonly organisation: (connection: ConnectionRef) => Effect.Effect<Native, ProviderError>
  readonly feeds: (connection: ConnectionRef) => Effect.Effect<ReadonlyArray<Native>, ProviderError>
  readonly balances: (connection: ConnectionRef) => Effect.Effect<Native | null, ProviderError>
}

/** Seconds that settings and balances stay valid; balances also change in Xero itself. */
const ttl = { settings: 300, balances: 60 } as const

/** Includes the version of the credentials: a new consent may let the connection read less. */
const nameOf = ({ version }: ConnectionRef, what: string) => `${what}/${version ?? ""}`

const keep = <A, I>(
  what: string,
  schema: Schema.Schema<A, I>,
  seconds: number,
  load: (connection: ConnectionRef) => Effect.Effect<A, ProviderError>
) =>
  Effect.map(keeping(schema), ({ forget, get }) => ({
    get: (connection: ConnectionRef) => get(connection, nameOf(connection, what), seconds, load(connection)),
    forget: (connection: ConnectionRef) => forget(connection, nameOf(connection, what))
  }))

/** Paths whose writes change the trial balance. */
const postings =
  /\/(?:Invoices|CreditNotes|Payments|Overpayments|Prepayments|BankTransactions|BankTransfers|ManualJournals)/

const posts = ({ method, path }: Call) => method !== "GET" && postings.test(path)

/** Caches records that other records are read with, so that they do not cost a call each time. */
export const keptFor = Effect.fnUntraced(function* (call: Caller, loads: Loads) {
  const organisation = yield* keep("organisation", nativeRecord, ttl.settings, loads.organisation)
  const feeds = yield* keep("feeds", Schema.Array(nativeRecord), ttl.settings, loads.feeds)
  const balances = yield* keep("balances", Schema.NullOr(nativeRecord), ttl.balances, loads.balances)
  const empty = yield* noting("years without lines", ttl.settings)
  const yearOf = (connection: ConnectionRef, feed: unknown, year: number) =>
    nameOf(connection, `${String(feed)}/${year}`)
  return {
    organisation: organisation.get,
    feeds: feeds.get,
    balances: balances.get,
    /** Years in which a feed brought no lines. */
    empty: {
      has: (connection: ConnectionRef, feed: unknown, year: number) =>
        Effect.map(empty.of(connection), (years) => years.has(yearOf(connection, feed, year))),
      add: (connection: ConnectionRef, feed: unknown, year: number) =>
        empty.add(connection, [yearOf(connection, feed, year)])
    },
    /** Calls Xero, and forgets the balances where the call may have changed them. */
    call: ((connection, request) =>
      posts(request)
        ? Effect.ensuring(call(connection, request), balances.forget(connection))
        : call(connection, request)) satisfies Caller
  }
})

export type Kept = Effect.Effect.Success<ReturnType<typeof keptFor>>
