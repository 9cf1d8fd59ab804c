import { Clock, Deferred, Effect, FiberId, FiberRef } from "effect"
import * as Deadline from "../../platform/Deadline.ts"
import type { ProviderError } from "../ProviderError.ts"

/**
 * Writes of a batch that are done side by side, each as it would be done alone. Where several want what a provider does in
 * one call, they wait for each other, until nobody else is busy, and it is asked for once.
 */
interface Gathering {
  /** Writes that are under way and do not wait for others. */
  busy: number
  /** Send off what is waited for. */
  readonly departures: Set<Effect.Effect<void>>
  /** For as many calls at a time as the provider takes: a batch takes no turns of other requests. */
  permits: Effect.Semaphore | undefined
}

/** A write of a gathering. */
export interface Attendant {
  readonly gathering: Gathering
  /** Number of calls that it waits for. */
  waiting: number
}

/** The write of a gathering that a fiber works for. */
export const current: FiberRef.FiberRef<Attendant | undefined> = FiberRef.unsafeMake<Attendant | undefined>(undefined)

/** Milliseconds that a write waits for others, however busy they are. */
const patience = 1000

/** Sends off what is waited for when nobody is busy, and whoever was woken up with the last one has had a turn. */
const offWhenIdle = (gathering: Gathering) => {
  const isIdle = () => gathering.busy <= 0 && gathering.departures.size > 0
  const depart = Effect.suspend(() =>
    isIdle() ? Effect.forEach([...gathering.departures], (one) => one, { discard: true }) : Effect.void
  )
  return Effect.suspend(() => (isIdle() ? Effect.forkDaemon(Effect.zipRight(Effect.yieldNow(), depart)) : Effect.void))
}

/** Runs so many writes as a gathering. */
export const gatheringOf = (writes: number) => {
  const gathering: Gathering = { busy: writes, departures: new Set(), permits: undefined }
  return <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.ensuring(
      Effect.locally(write, current, { gathering, waiting: 0 }),
      Effect.suspend(() => {
        gathering.busy -= 1
        return offWhenIdle(gathering)
      })
    )
}

/** Runs a call; of a gathering `most` at a time. */
export const sparing = <A, E, R>(most: number, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(current), (attendant) => {
    if (attendant === undefined) return call
    const { gathering } = attendant
    gathering.permits ??= Effect.unsafeMakeSemaphore(most)
    return gathering.permits.withPermits(1)(call)
  })

/** How something ended for one of those who waited for it. */
export type End<B> = Effect.Effect<B, ProviderError>

/** Something that can be done for several at once. */
export interface Joint<A, B> {
  /** Calls of one key go together. */
  readonly key: string
  /** For so many at most. */
  readonly most: number
  /** Does it, and gives each its end, in their order. */
  readonly send: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<End<B>>>
}

interface Waiting<A, B> {
  readonly attendant: Attendant
  readonly item: A
  readonly end: Deferred.Deferred<End<B>>
}

interface Group<A, B> {
  readonly waiting: Array<Waiting<A, B>>
  readonly depart: Effect.Effect<void>
  /** Has it depart although others are busy, after a while. */
  readonly inTime: Effect.Effect<unknown>
}

const wait = (attendant: Attendant) => {
  if (attendant.waiting === 0) attendant.gathering.busy -= 1
  attendant.waiting += 1
}

const goOn = (attendant: Attendant) => {
  attendant.waiting -= 1
  if (attendant.waiting === 0) attendant.gathering.busy += 1
}

/** Makes what holds the writes of a gathering until they are sent together. */
export const makeBatcher = <A, B>() => {
  const groups = new WeakMap<Gathering, Map<string, Group<A, B>>>()

  const groupsOf = (gathering: Gathering) => {
    const found = groups.get(gathering) ?? new Map<string, Group<A, B>>()
    groups.set(gathering, found)
    return found
  }

  const open = (gathering: Gathering, { key, send }: Joint<A, B>): Group<A, B> => {
    const waiting: Group<A, B>["waiting"] = []
    const sent = Effect.exit(Effect.suspend(() => send(waiting.map(({ item }) => item))))
    const delivered = Effect.flatMap(sent, (exit) =>
      Effect.forEach(
        waiting,
        ({ attendant, end }, i) => {
          goOn(attendant)
          return Deferred.succeed(
            end,
            Effect.flatMap(exit, (ends) => ends[i] ?? Effect.dieMessage("an end is missing"))
          )
        },
        { discard: true }
      )
    )
    const depart: Effect.Effect<void> = Effect.suspend(() => {
      if (!gathering.departures.delete(depart)) return Effect.void
      groupsOf(gathering).delete(key)
      return Effect.forkDaemon(Effect.locally(delivered, current, undefined))
    })
    // by the real time: whoever is busy may wait for one who waits here
    const inTime = Effect.flatMap(Deadline.left, (left) =>
      Effect.forkDaemon(Effect.withClock(Effect.delay(depart, Math.max(0, Math.min(patience, left))), Clock.make()))
    )
    gathering.departures.add(depart)
    const group = { waiting, depart, inTime }
    groupsOf(gathering).set(key, group)
    return group
  }

  /** Has something done for an item, together with those of others. */
  return (attendant: Attendant, joint: Joint<A, B>, item: A): End<B> =>
    Effect.suspend(() => {
      const { gathering } = attendant
      const known = groupsOf(gathering).get(joint.key)
      const group = known ?? open(gathering, joint)
      const end = Deferred.unsafeMake<End<B>>(FiberId.none)
      group.waiting.push({ attendant, item, end })
      wait(attendant)
      return Effect.all(
        [
          known === undefined ? group.inTime : Effect.void,
          group.waiting.length < joint.most ? offWhenIdle(gathering) : group.depart
        ],
        { discard: true }
      ).pipe(Effect.zipRight(Effect.flatten(Deferred.await(end))))
    })
}
