import { Cause, Clock, Context, Effect, Exit, Layer, Queue, Schedule } from "effect"
import { Connections } from "../connections/Connections.ts"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import { sharesOf } from "../platform/Shares.ts"
import { Providers } from "../providers/Providers.ts"
import { Writes } from "../records/Writes.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { intervalsOf } from "./Intervals.ts"
import { planOf } from "./Plan.ts"
import { Poll } from "./Poll.ts"
import { nameOf } from "./Watchable.ts"
import { type Claimed, WatchedConnections } from "./WatchedConnections.ts"
import { WatchedResources } from "./WatchedResources.ts"
import { Watches } from "./Watches.ts"

/** Connections that are polled at a time: of an organisation, as many as the process's allow. */
const limits = { ofProcess: 32, ofQueue: 32 }

/** Milliseconds after which a connection makes way for others: a provider that answers slowly does not hold them all up. */
const longest = 60_000

/** Milliseconds between looks, however much comes due, unless somebody asks for one. */
const tick = 1000

/** Within which a look finds what other instances changed: watches, connections, what they were asked to poll. */
const others = 5000

/** Between looks whether anything is watched at all, where nothing was. */
const rest = 60_000

/** Between renewals of a lease, well within it. */
const renewal = "3 seconds"

/** Seconds for which the number of connections is good that share what an application may call. */
const counted = 60

/** Names the watch that a connection is of. */
const watchOf = ({ environment, organisation }: Tenant) => `${organisation}/${environment}`

/** Polls what is watched, on every instance, for as long as the Layer lives. */
export class Watcher extends Context.Tag("tributary/watches/Watcher")<
  Watcher,
  {
    /** Takes up what is to be watched since a moment (milliseconds), and looks at once. */
    readonly wake: (now: number) => Effect.Effect<void>
    /** As that of the resources, and looks at once. */
    readonly poke: WatchedResources["Type"]["poke"]
    /** Connections to a provider that are watched, as of the last minute. */
    readonly count: (provider: string) => Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.scoped(
    Watcher,
    Effect.gen(function* () {
      const made = yield* Connections
      const connections = yield* WatchedConnections
      const resources = yield* WatchedResources
      const watches = yield* Watches
      const poll = yield* Poll
      const providers = yield* Providers
      const writes = yield* Writes
      const scope = yield* Effect.scope
      const counts = SingleFlightCache.make<number>({ capacity: 1000, ttl: counted })
      const awake = yield* Effect.makeLatch(false)
      const underWay = new Set<Claimed>()
      let isWatching = false
      /** More was due than could be taken. */
      let isMore = false
      /** When is looked next, and for new connections; milliseconds. */
      let at = -Infinity
      let adopted = -Infinity

      const count = (provider: string) => counts.get(provider, connections.count(provider))

      const slugs = () => providers.all().map(({ slug }) => slug)

      const adopt = (now: number) => connections.adopt(slugs(), now)

      /** Looks at a time, unless it is looked before. */
      const sooner = (time: number) =>
        Effect.suspend(() => {
          if (time >= at) return Effect.void
          at = time
          return awake.open
        })

      const soon = Effect.flatMap(Clock.currentTimeMillis, sooner)

      const keepingLease = (claimed: Claimed) =>
        Effect.repeat(connections.renew(claimed), {
          schedule: Schedule.spaced(renewal),
          while: (isOurs) => isOurs
        }).pipe(Effect.delay(renewal))

      /** Watched resources of a connection that this version polls. */
      const plansOf = ({ provider, resources }: Claimed) => {
        const adapter = providers.get(provider)
        return adapter === undefined ? [] : Object.keys(resources).flatMap((name) => planOf(adapter, name) ?? [])
      }

      const namesOf = (claimed: Claimed) => plansOf(claimed).map(({ name }) => name)

      /** Polls what is due of a connection, one resource after the other; what is left when its time is over stays due. */
      const turn = Effect.fn("Watcher.turn", { root: true })(function* (claimed: Claimed) {
        yield* Effect.annotateCurrentSpan({
          "tributary.organisation.id": claimed.organisation,
          "tributary.environment": claimed.environment,
          "tributary.provider": claimed.provider,
          "tributary.connection.id": claimed.connection
        })
        const adapter = providers.get(claimed.provider)
        if (adapter === undefined) return
        const until = (yield* Clock.currentTimeMillis) + longest
        const key = watches.keyOf(claimed, claimed.hashKey)
        const plans = plansOf(claimed)
        const due = yield* resources.due(claimed, namesOf(claimed))
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

      /** Gives one back, which may be due again soon. */
      const release = (claimed: Claimed) =>
        Effect.gen(function* () {
          const due = yield* connections.release(claimed, namesOf(claimed))
          if (due !== undefined) yield* sooner(Math.max(due, (yield* Clock.currentTimeMillis) + tick))
        })

      /** Of a turn that broke nothing is given back: the lease keeps it from being tried again at once. */
      const ended = (claimed: Claimed, exit: Exit.Exit<unknown>) =>
        Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)
          ? Effect.ignoreLogged(release(claimed))
          : Effect.logWarning("a watched connection could not be polled; it is tried again", exit.cause).pipe(
              Effect.annotateLogs({ connection: claimed.connection, provider: claimed.provider })
            )

      const run = (claimed: Claimed) =>
        // whoever looks is not traced; what is told here is
        Effect.raceFirst(Effect.withTracerEnabled(turn(claimed), true), keepingLease(claimed)).pipe(
          Effect.catchTag("LeaseLost", () => Effect.void),
          Effect.onExit((exit) => ended(claimed, exit)),
          Effect.ensuring(
            Effect.suspend(() => {
              underWay.delete(claimed)
              return isMore ? soon : Effect.void
            })
          ),
          Effect.ignore
        )

      /** Takes up what is due, as far as there is room. Gives when to look again. */
      const look = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (now - adopted >= others) {
          yield* adopt(now)
          adopted = now
        }
        const { isAny, next, waiting } = yield* connections.look(slugs(), limits.ofProcess)
        isWatching = isAny
        const shares = sharesOf(waiting, [...underWay], limits, watchOf)
        const claimed = shares.length === 0 ? [] : yield* connections.claim(slugs(), shares)
        for (const one of claimed) {
          underWay.add(one)
          yield* Effect.forkIn(run(one), scope)
        }
        isMore = claimed.length < waiting.reduce((sum, { due }) => sum + due, 0)
        const due = Math.max(next?.getTime() ?? Infinity, now + tick)
        return isAny ? Math.min(due, adopted + others) : now + rest
      }).pipe(
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Effect.logWarning("watches cannot be polled now", cause),
            Effect.map(Clock.currentTimeMillis, (now) => now + tick)
          )
        )
      )

      const waitForTurn = Effect.gen(function* () {
        while (true) {
          yield* awake.close
          const left = at - (yield* Clock.currentTimeMillis)
          if (left <= 0) return
          yield* Effect.race(awake.await, Effect.sleep(left))
        }
      })

      yield* Effect.gen(function* () {
        yield* waitForTurn
        at = Infinity
        const next = yield* look
        at = Math.min(at, next)
      }).pipe(Effect.forever, Effect.withTracerEnabled(false), Effect.forkScoped)

      const poke: Watcher["Type"]["poke"] = (connection, resource, remoteIds) =>
        Effect.tap(resources.poke(connection, resource, remoteIds), (due) => {
          const isPolled = [...underWay].some((one) => one.connection === connection.id)
          return due === undefined || isPolled ? Effect.void : sooner(due)
        })

      yield* writes.listen((connection, resource) =>
        isWatching
          ? Effect.asVoid(Effect.forkIn(Effect.ignoreLogged(poke(connection, nameOf(resource))), scope))
          : Effect.void
      )

      // what was made may not be committed yet, and others may follow
      const activated = yield* made.activated
      yield* Queue.take(activated).pipe(
        Effect.zipRight(
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            if (!isWatching) return Effect.void
            adopted = -Infinity
            return sooner(now + tick)
          })
        ),
        Effect.forever,
        Effect.forkScoped
      )

      return Watcher.of({
        wake: (now) => Effect.zipRight(adopt(now), soon),
        poke,
        count
      })
    })
  )
}
