import { Context, Effect } from "effect"
import type { Account } from "./Account.ts"
import type { Reply, SimulatedRequest } from "./Exchange.ts"

// Limits of a provider as data. Calls are always counted, and refused in strict mode only.

interface Hardness {
  /** True where limits are enforced, searches lag, and one account in ten lacks a feature when somebody consents for it. */
  readonly isStrict: boolean
  /** Least milliseconds of a call, so that calls run at the same time. */
  readonly duration: number
  /** Called when more than half of a window's limit is spent, with when all of it is back (milliseconds since 1970). */
  readonly onHalfSpent?: (until: number) => void
}

/** How strict the simulators made here are: lenient, as for a newcomer's sandbox, unless provided otherwise. */
export class Strictness extends Context.Reference<Strictness>()("tributary/providers/simulation/Strictness", {
  defaultValue: (): Hardness => ({ isStrict: false, duration: 0 })
}) {}

/** The most calls in a window of time. */
export interface WindowLimit {
  /** The provider's word, such as `minute`. */
  readonly name: string
  /** Calls, or the provider's own unit. */
  readonly most: number
  /** Milliseconds. */
  readonly window: number
  /** True when windows begin at multiples of their length, as days do at midnight in UTC; else the window rolls. */
  readonly isAligned?: boolean
  /** The cost of a call, given that of its route; absent: 1. A cost of 0 does not count. */
  readonly cost?: (request: SimulatedRequest, ofRoute: number) => number
  /** True when the calls of all accounts count together: a limit of the application. */
  readonly isShared?: boolean
  /** Groups calls that count together within an account, such as by record or endpoint; absent: all count together. */
  readonly per?: (request: SimulatedRequest) => string
  /** The provider's refusal; `retryAfter` is in seconds. */
  readonly refuse: (retryAfter: number, account: Account) => Reply
}

/** The most calls of an account that may run at the same time. */
export interface ConcurrencyLimit {
  readonly most: number
  /** Milliseconds after which a call counts. */
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

/** The rest of a limit after the call that is being answered. */
export const leftOf = ({ memory }: Account, limit: WindowLimit): number => memory.get(place(limit)) ?? limit.most

/** Spending in a window, in parts by when they come back. */
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

/** Milliseconds between sweeps of empty tallies. */
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
    // where nothing is refused, nothing appears used up
    memory.set(place(limit), Math.max(isStrict ? 0 : Math.ceil(most / 4), most - tally.used))
    if (tally.used > most / 2) onHalfSpent?.(until)
    return undefined
  }

  return {
    /** Counts a call of an account as `calls` calls; returns a refusal where it exceeds a limit. */
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

    /** Runs a call of an account beside its others, unless too many are running. */
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
