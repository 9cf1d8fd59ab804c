import { Context, Effect } from "effect"
import type { Account } from "./Account.ts"
import type { Reply, SimulatedRequest } from "./Exchange.ts"

// Limits of a provider as data. Calls are counted in every mode, and refused in strict mode.

interface Hardness {
  /** Limits are enforced, searches lag, and one account in ten that somebody consents for lacks something. */
  readonly isStrict: boolean
  /** Milliseconds that a call takes at least, so that calls run at the same time. */
  readonly duration: number
  /** Hears that more than half of a window's limit is spent, and when (milliseconds since 1970) all of it is back. */
  readonly onHalfSpent?: (until: number) => void
}

/** How hard the simulators made here are: as easy as a newcomer's sandbox unless something else is provided. */
export class Strictness extends Context.Reference<Strictness>()("tributary/providers/simulation/Strictness", {
  defaultValue: (): Hardness => ({ isStrict: false, duration: 0 })
}) {}

/** Calls that are answered in a window of time. */
export interface WindowLimit {
  /** The provider's word, such as `minute`. */
  readonly name: string
  /** Calls, or what the provider counts in their place. */
  readonly most: number
  /** Milliseconds. */
  readonly window: number
  /** True when windows begin at multiples of their length, as days do at midnight in UTC; else the window rolls. */
  readonly isAligned?: boolean
  /** The cost of a call, given that of its route; 1 when absent, 0 for one that does not count. */
  readonly cost?: (request: SimulatedRequest, ofRoute: number) => number
  /** True when the calls of all accounts count together: a limit of the application. */
  readonly isShared?: boolean
  /** Groups calls that count together within an account, such as a record or an endpoint; all of them when absent. */
  readonly per?: (request: SimulatedRequest) => string
  /** The provider's refusal; seconds until there is room again. */
  readonly refuse: (retryAfter: number, account: Account) => Reply
}

/** Calls of an account that run at the same time. */
export interface ConcurrencyLimit {
  readonly most: number
  /** Milliseconds that a call must have run to count. */
  readonly after?: number
  readonly refuse: Reply
}

/** The limits of a provider, as it documents them. */
export interface Limits {
  readonly windows: ReadonlyArray<WindowLimit>
  readonly concurrency?: ConcurrencyLimit
  /** The part of an account that a request counts for, where an account has several, such as organisations. */
  readonly partOf?: (request: SimulatedRequest) => string
}

const place = ({ name }: WindowLimit) => `left of ${name}`

/** What is left of a limit after the call of an account that is being answered. */
export const leftOf = ({ memory }: Account, limit: WindowLimit): number => memory.get(place(limit)) ?? limit.most

/** What was spent in a window, in parts by when they are back. */
interface Tally {
  used: number
  readonly parts: Array<{ readonly until: number; amount: number }>
}

/** Calls within a thousandth of a rolling window come back together. */
const steps = 1000

const backAt = ({ isAligned = false, window }: WindowLimit, now: number): number =>
  isAligned ? (Math.floor(now / window) + 1) * window : now + window

const giveBack = (tally: Tally, now: number): void => {
  for (let first = tally.parts[0]; first !== undefined && first.until <= now; first = tally.parts[0]) {
    tally.used -= first.amount
    tally.parts.shift()
  }
}

/** When there is room for a cost. */
const roomAt = ({ parts, used }: Tally, most: number, cost: number): number => {
  let left = used
  return (
    parts.find(({ amount }) => {
      left -= amount
      return left + cost <= most
    })?.until ?? 0
  )
}

/** Milliseconds between looks for tallies that hold nothing any more. */
const sweepEvery = 60_000

/** Counts the calls of a simulator's accounts; when it is strict it refuses those beyond a limit. */
export const makeCounts = (
  { concurrency, partOf, windows }: Limits,
  { duration, isStrict, onHalfSpent }: Strictness["Type"]
) => {
  const tallies = new Map<string, Tally>()
  const running = new Map<string, Set<{ readonly begun: number }>>()
  let nextSweep = 0

  const keyOf = (request: SimulatedRequest, account: string) =>
    partOf === undefined ? account : `${account} ${partOf(request)}`

  const tallyOf = (key: string, now: number): Tally => {
    const known = tallies.get(key)
    if (known !== undefined) return known
    if (now >= nextSweep) {
      for (const [one, { parts }] of tallies) if ((parts.at(-1)?.until ?? 0) <= now) tallies.delete(one)
      nextSweep = now + sweepEvery
    }
    const made: Tally = { used: 0, parts: [] }
    tallies.set(key, made)
    return made
  }

  const spendOne = (limit: WindowLimit, cost: number, key: string, account: Account): Reply | undefined => {
    const { isShared = false, most, name, refuse } = limit
    const { memory, now } = account
    const tally = tallyOf(`${name} ${isShared ? "" : key}`, now)
    giveBack(tally, now)
    if (isStrict && cost > 0 && tally.used + cost > most) {
      memory.set(place(limit), 0)
      return refuse(Math.ceil((roomAt(tally, most, cost) - now) / 1000), account)
    }
    const until = backAt(limit, now)
    const last = tally.parts.at(-1)
    if (last !== undefined && until - last.until < limit.window / steps) last.amount += cost
    else tally.parts.push({ until, amount: cost })
    tally.used += cost
    // where nothing is refused nothing seems to be used up
    memory.set(place(limit), Math.max(isStrict ? 0 : Math.ceil(most / 4), most - tally.used))
    if (tally.used > most / 2) onHalfSpent?.(until)
    return undefined
  }

  return {
    /** Counts a call of an account, as so many; gives the refusal of one that is beyond a limit. */
    spend: (request: SimulatedRequest, ofRoute: number, account: Account, calls: number): Reply | undefined => {
      const key = keyOf(request, account.name)
      for (const limit of windows) {
        const cost = calls * (limit.cost?.(request, ofRoute) ?? 1)
        const part = limit.per === undefined ? key : `${key} ${limit.per(request)}`
        const refusal = spendOne(limit, cost, part, account)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },

    /** Runs a call of an account beside its others, unless too many of them run. */
    beside: <E>(request: SimulatedRequest, account: string, call: Effect.Effect<Reply, E>): Effect.Effect<Reply, E> => {
      const lasting = duration > 0 ? Effect.zipRight(Effect.sleep(duration), call) : call
      if (!isStrict || concurrency === undefined || account === "") return lasting
      const { after = 0, most, refuse } = concurrency
      return Effect.clockWith((clock) => {
        const now = clock.unsafeCurrentTimeMillis()
        const key = keyOf(request, account)
        const calls = running.get(key) ?? new Set()
        if ([...calls].filter(({ begun }) => begun <= now - after).length >= most) return Effect.succeed(refuse)
        const own = { begun: now }
        running.set(key, calls.add(own))
        return Effect.ensuring(
          lasting,
          Effect.sync(() => {
            calls.delete(own)
            if (calls.size === 0) running.delete(key)
          })
        )
      })
    }
  }
}
