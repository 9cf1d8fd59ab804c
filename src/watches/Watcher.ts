import { Cause, Clock, Context, Effect, Exit, Layer, Schedule } from "effect"
import { makeCache } from "../platform/Shared.ts"
import { Providers } from "../providers/Providers.ts"
import { Writes } from "../records/Writes.ts"
import { intervalsOf } from "./Intervals.ts"
import { planOf } from "./Plan.ts"
import { Poll } from "./Poll.ts"
import { nameOf } from "./Watchable.ts"
import { type Claimed, WatchedConnections } from "./WatchedConnections.ts"
import { WatchedResources } from "./WatchedResources.ts"
import { Watches } from "./Watches.ts"

/** Connections that a process polls at a time. */
const concurrency = 16

/** Milliseconds after which a connection makes way for others: a provider that answers slowly does not hold them all up. */
const longest = 60_000

/** Milliseconds between looks for what is due, and for new connections. */
const tick = 1000
const adoption = 5000

/** Between looks whether anything is watched at all, where nothing was. */
const rest = "1 minute"

/** Between renewals of a lease, well within it. */
const renewal = "3 seconds"

/** Seconds for which the number of connections is good that share what an application may call. */
const counted = 60

/** Polls what is watched, on every instance, for as long as the Layer lives. */
export class Watcher extends Context.Tag("tributary/watches/Watcher")<
  Watcher,
  {
    /** Takes up what is to be watched since a moment (milliseconds), and looks at once. */
    readonly wake: (now: number) => Effect.Effect<void>
    /** As that of the connections, and looks at once. */
    readonly poke: WatchedConnections["Type"]["poke"]
    /** Connections to a provider that are watched, as of the last minute. */
    readonly count: (provider: string) => Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.scoped(
    Watcher,
    Effect.gen(function* () {
      const connections = yield* WatchedConnections
      const resources = yield* WatchedResources
      const watches = yield* Watches
      const poll = yield* Poll
      const providers = yield* Providers
      const writes = yield* Writes
      const scope = yield* Effect.scope
      const counts = yield* makeCache<number, never>({ capacity: 1000, ttl: () => counted })
      const awake = yield* Effect.makeLatch(false)
      let running = 0
      let isWatching = false
      /** More was due than could be taken. */
      let isMore = false
      let adopted = -Infinity

      const count = (provider: string) => counts.get(provider, connections.count(provider))

      const slugs = () => providers.all().map(({ slug }) => slug)

      const adopt = (now: number) => connections.adopt(slugs(), now)

      const keepingLease = (claimed: Claimed) =>
        Effect.repeat(connections.renew(claimed), {
          schedule: Schedule.spaced(renewal),
          while: (isOurs) => isOurs
        }).pipe(Effect.delay(renewal))

      /** Polls what is due of a connection, one resource after the other; what is left when its time is over stays due. */
      const turn = Effect.fn("Watcher.turn")(function* (claimed: Claimed) {
        const adapter = providers.get(claimed.provider)
        if (adapter === undefined) return
        const until = (yield* Clock.currentTimeMillis) + longest
        const key = watches.keyOf(claimed, claimed.hashKey)
        const plans = Object.keys(claimed.resources).flatMap((name) => planOf(adapter, name) ?? [])
        const due = yield* resources.due(
          claimed,
          plans.map(({ name }) => name)
        )
        if (key === undefined) return yield* Effect.dieMessage("the key of a watch's digests does not open")
        const load = {
          environment: claimed.environment,
          wish: claimed.interval,
          resources: plans.length,
          connections: yield* count(claimed.provider)
        }
        for (const state of due) {
          const plan = plans.find(({ name }) => name === state.resource)
          if (plan === undefined) continue
          yield* poll.turn({ claimed, adapter, plan, key, intervals: intervalsOf(plan, load), until }, state)
          if ((yield* Clock.currentTimeMillis) >= until) return
        }
      })

      /** Of a turn that broke nothing is given back: the lease keeps it from being tried again at once. */
      const ended = (claimed: Claimed, exit: Exit.Exit<unknown>) =>
        Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)
          ? Effect.ignoreLogged(connections.release(claimed))
          : Effect.logWarning("a watched connection could not be polled; it is tried again", exit.cause).pipe(
              Effect.annotateLogs({ connection: claimed.connection, provider: claimed.provider })
            )

      const run = (claimed: Claimed) =>
        Effect.raceFirst(turn(claimed), keepingLease(claimed)).pipe(
          Effect.catchTag("LeaseLost", () => Effect.void),
          Effect.onExit((exit) => ended(claimed, exit)),
          Effect.ensuring(
            Effect.suspend(() => {
              running -= 1
              return isMore ? awake.open : Effect.void
            })
          ),
          Effect.ignore
        )

      /** Takes up what is due. */
      const look = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (now - adopted >= adoption || !isWatching) {
          adopted = now
          isWatching = yield* adopt(now)
        }
        const free = concurrency - running
        if (!isWatching || free === 0) return
        const claimed = yield* connections.claim(slugs(), free)
        isMore = claimed.length === free
        running += claimed.length
        yield* Effect.forEach(claimed, (one) => Effect.forkIn(run(one), scope), { discard: true })
      }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("watches cannot be polled now", cause)))

      yield* Effect.gen(function* () {
        yield* awake.close
        yield* look
        yield* Effect.race(awake.await, Effect.sleep(isWatching ? tick : rest))
      }).pipe(Effect.forever, Effect.withTracerEnabled(false), Effect.forkScoped)

      const poke: Watcher["Type"]["poke"] = (connection, resource, remoteIds) =>
        Effect.tap(connections.poke(connection, resource, remoteIds), (isWatched) =>
          isWatched ? awake.open : Effect.void
        )

      yield* writes.listen((connection, resource) =>
        isWatching
          ? Effect.asVoid(Effect.forkIn(Effect.ignoreLogged(poke(connection, nameOf(resource))), scope))
          : Effect.void
      )

      return Watcher.of({
        wake: (now) => Effect.zipRight(adopt(now), awake.open),
        poke,
        count
      })
    })
  )
}
