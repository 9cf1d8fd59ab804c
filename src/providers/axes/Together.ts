import { Clock, Deferred, Effect, FiberId, FiberRef } from "effect"
import type { ProviderError } from "../ProviderError.ts"

/**
 * Writes of a batch that are done side by side, each as it would be done alone. Where several want what a provider does in
 * one call, they wait for each other, until nobody else is busy, and it is asked for once.
 */
export interface Gathering {
  /** Writes that are under way and do not wait for others. */
  busy: number
  /** Send off what is waited for. */
  readonly departures: Set<Effect.Effect<void>>
  /** Calls that go alone, as many at a time as the provider takes: a batch takes no turns of other requests. */
  permits: Effect.Semaphore | undefined
}

/** The gathering that a fiber works for. */
export const current: FiberRef.FiberRef<Gathering | undefined> = FiberRef.unsafeMake<Gathering | undefined>(undefined)

/** Milliseconds that a write waits for others, however busy they are. */
const patience = 1000

const offWhenIdle = ({ busy, departures }: Gathering) =>
  busy > 0 ? Effect.void : Effect.forEach([...departures], (depart) => depart, { discard: true })

/** A gathering of so many writes, each of which has to be `attended`. */
export const gatheringOf = (writes: number): Gathering => ({ busy: writes, departures: new Set(), permits: undefined })

export const attended =
  (gathering: Gathering) =>
  <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.ensuring(
      Effect.locally(write, current, gathering),
      Effect.suspend(() => {
        gathering.busy -= 1
        return offWhenIdle(gathering)
      })
    )

/** Runs a call that goes alone, `most` of the gathering at a time. */
export const sparing = <A, E, R>(gathering: Gathering, most: number, call: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    gathering.permits ??= Effect.unsafeMakeSemaphore(most)
    return gathering.permits.withPermits(1)(call)
  })

/** How something ended for one of those who waited for it. */
export type End<B> = Effect.Effect<B, ProviderError>

/** Something that can be done for several at once. */
export interface Joint<A, B> {
  /** What is alike is done together. */
  readonly key: string
  /** For so many at most. */
  readonly most: number
  /** Does it, and gives each its end, in their order. */
  readonly send: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<End<B>>>
}

interface Group<A, B> {
  readonly waiting: Array<{ readonly item: A; readonly end: Deferred.Deferred<End<B>> }>
  readonly depart: Effect.Effect<void>
}

/** A place where the writes of a gathering wait for each other. */
export const makePlace = <A, B>() => {
  const places = new WeakMap<Gathering, Map<string, Group<A, B>>>()

  const groupsOf = (gathering: Gathering) => {
    const found = places.get(gathering) ?? new Map<string, Group<A, B>>()
    places.set(gathering, found)
    return found
  }

  const open = (gathering: Gathering, { key, send }: Joint<A, B>): Group<A, B> => {
    const waiting: Group<A, B>["waiting"] = []
    const delivered = Effect.flatMap(
      Effect.exit(Effect.suspend(() => send(waiting.map(({ item }) => item)))),
      (sent) => {
        gathering.busy += waiting.length
        return Effect.forEach(waiting, ({ end }, i) =>
          Deferred.succeed(
            end,
            Effect.flatMap(sent, (ends) => ends[i] ?? Effect.dieMessage("an end is missing"))
          )
        )
      }
    )
    const depart: Effect.Effect<void> = Effect.suspend(() => {
      if (!gathering.departures.delete(depart)) return Effect.void
      groupsOf(gathering).delete(key)
      return Effect.forkDaemon(Effect.locally(delivered, current, undefined))
    })
    gathering.departures.add(depart)
    const group = { waiting, depart }
    groupsOf(gathering).set(key, group)
    return group
  }

  /** Has something done for an item, together with those of others. */
  return (gathering: Gathering, joint: Joint<A, B>, item: A): End<B> =>
    Effect.suspend(() => {
      const known = groupsOf(gathering).get(joint.key)
      const group = known ?? open(gathering, joint)
      const end = Deferred.unsafeMake<End<B>>(FiberId.none)
      group.waiting.push({ item, end })
      gathering.busy -= 1
      // by the real time: those who are busy may wait for one who waits here
      const inTime = Effect.forkDaemon(Effect.delay(group.depart, patience).pipe(Effect.withClock(Clock.make())))
      return (known === undefined ? inTime : Effect.void).pipe(
        Effect.zipRight(group.waiting.length < joint.most ? offWhenIdle(gathering) : group.depart),
        Effect.zipRight(Effect.flatten(Deferred.await(end)))
      )
    })
}
