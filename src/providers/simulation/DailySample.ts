import { type Account, marker, open, type State } from "./Account.ts"

/** Ids of sample data come after those that an account gives before its first request: of tokens. */
const firstId = 1000

const dayLength = 86_400_000

/** The UTC day of a moment in milliseconds since 1970, as `2030-01-31`. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

/** Days whose samples are kept: a service sees two around midnight, and tests live on some more. */
const days = 4

/**
 * Sample data as of the beginning of a day in UTC, shared by all accounts that begin on that day: much of it takes long to
 * make. Nothing of it may depend on the account's name.
 */
export const dailySample = (make: (account: Account) => void): ((now: number) => State) => {
  const kept = new Map<number, State>()
  return (now) => {
    const day = Math.floor(now / dayLength)
    const known = kept.get(day)
    if (known !== undefined) return known
    const session = open("sample", { lastId: firstId, types: new Map() }, day * dayLength, new Map())
    session.account.put(marker.type, marker.id, {})
    make(session.account)
    const state = session.state()
    for (const [oldest] of kept) if (kept.size >= days) kept.delete(oldest)
    kept.set(day, state)
    return state
  }
}
