import { Effect, Either } from "effect"
import type { Walk } from "./Cursor.ts"
import type { ListState } from "./ListState.ts"

/** A share of a page: the connection, where its list continues, and the most records it may return. */
export interface Share {
  readonly id: string
  readonly state: ListState
  readonly size: number
}

/** Splits a page among unfinished connections: equal shares, the remainder by turns. Shares of 0 are not requested. */
export const shares = (walk: Walk, limit: number): ReadonlyArray<Share> => {
  const count = walk.connections.length
  const base = Math.floor(limit / Math.max(1, count))
  const extra = limit - base * count
  return walk.connections.map(({ id, ...state }, index) => ({
    id,
    state,
    size: base + ((index - walk.turn + count) % count < extra ? 1 : 0)
  }))
}

/** One connection's answer. */
export interface Asked<A> {
  readonly records: ReadonlyArray<A>
  /** The state after the records; null at the end. */
  readonly next: ListState | null
}

/** The outcome of asking one connection. */
export type Outcome<A, E> =
  | ({ readonly kind: "page" } & Asked<A>)
  /** `retry`: the state stays, so that following the cursor tries again. */
  | { readonly kind: "failure"; readonly error: E; readonly retry: boolean }
  /** Its turn comes later. */
  | { readonly kind: "waiting" }

export interface Gathered<A, E> {
  readonly records: ReadonlyArray<A>
  readonly failures: ReadonlyArray<{ readonly id: string; readonly error: E; readonly retry: boolean }>
  /** Undefined when every connection is finished. */
  readonly walk: Walk | undefined
}

/** Asks the connections of a walk side by side and puts their answers together, in the order of the walk. */
export const gather = <A, E, R>(
  walk: Walk,
  limit: number,
  ask: (share: Share) => Effect.Effect<Asked<A>, E, R>,
  isTransient: (error: E) => boolean
): Effect.Effect<Gathered<A, E>, never, R> => {
  const asked = shares(walk, limit)
  const [first] = asked
  const outcomeOf = (share: Share): Effect.Effect<Outcome<A, E>, never, R> =>
    share.size === 0
      ? Effect.succeed({ kind: "waiting" })
      : Effect.map(
          Effect.either(ask(share)),
          Either.match({
            onLeft: (error): Outcome<A, E> => ({ kind: "failure", error, retry: isTransient(error) }),
            onRight: (page): Outcome<A, E> => ({ kind: "page", ...page })
          })
        )
  // a single connection needs no fiber of its own
  const outcomes =
    first !== undefined && asked.length === 1
      ? Effect.map(outcomeOf(first), Array.of<Outcome<A, E>>)
      : Effect.forEach(asked, outcomeOf, { concurrency: "unbounded" })
  return Effect.map(outcomes, (all) => together(walk, limit, asked, all))
}

const together = <A, E>(
  walk: Walk,
  limit: number,
  asked: ReadonlyArray<Share>,
  outcomes: ReadonlyArray<Outcome<A, E>>
): Gathered<A, E> => {
  const records: Array<A> = []
  const failures: Array<{ id: string; error: E; retry: boolean }> = []
  const left: Array<Walk["connections"][number]> = []
  for (const [i, share] of asked.entries()) {
    const outcome = outcomes[i]
    if (outcome === undefined) continue
    const { id, state } = share
    if (outcome.kind === "waiting") left.push({ id, ...state })
    else if (outcome.kind === "page") {
      records.push(...outcome.records)
      if (outcome.next !== null) left.push({ id, ...outcome.next })
    } else {
      failures.push({ id, error: outcome.error, retry: outcome.retry })
      if (outcome.retry) left.push({ id, ...state })
    }
  }
  const given = limit - Math.floor(limit / Math.max(1, asked.length)) * asked.length
  return {
    records,
    failures,
    walk: left.length === 0 ? undefined : { connections: left, turn: (walk.turn + given) % left.length }
  }
}
