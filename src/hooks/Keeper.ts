import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import { BeforeRemoval } from "../connections/BeforeRemoval.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import { Credentials, lastHeld } from "../providers/Credentials.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { Providers } from "../providers/Providers.ts"
import type { ConnectionPush } from "../providers/Push.ts"
import { makeAddresses } from "./Addresses.ts"
import { type Held, Subscriptions } from "./Subscriptions.ts"
import { typesOf } from "./Types.ts"
import { WatchNeeds } from "./WatchNeeds.ts"

/** Watched connections that are looked at in one statement. */
const page = 500

/** Subscriptions that are taken, and seen to, at a time. */
const atATime = 4

/** Well within a lease. */
const renewal = "3 seconds"

/** Milliseconds. */
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** How soon after a watch began, or ended, its subscriptions are seen to: until then it polls as it does without them. */
const every = "2 minutes"

/** Time that a removal waits for one of them, and for those that are being made; and how often it looks for these. */
const patience = "5 seconds"
const pause = "200 millis"

/** Half of what is left, so that there is as much time again when that fails; what does not end is looked at once a day. */
const dueAt = (now: number, expiresAt: number = now + 2 * day) => now + Math.max(minute, (expiresAt - now) / 2)

/** Milliseconds until something that failed is tried again. */
const pauseAfter = ({ reason }: ProviderError, failures: number) =>
  Math.max(Math.min(minute * 2 ** failures, 6 * hour), reason._tag === "LimitReached" ? reason.retryAfter * 1000 : 0)

type PushingAdapter = ProviderAdapter & { readonly push: ConnectionPush }

const pushes = (adapter: ProviderAdapter): adapter is PushingAdapter => adapter.push?.kind === "connection"

const left = ({ id, provider }: ConnectionRef, reason: string) =>
  Effect.logWarning("a subscription to pushes was not ended: its pushes lead nowhere now", reason).pipe(
    Effect.annotateLogs({ connection: id, provider })
  )

/**
 * Makes subscriptions at providers as watches need them, makes them last, and ends those that no watch needs. What fails is tried
 * again later and later; watches look for changes without it.
 */
export class Keeper extends Context.Tag("tributary/hooks/Keeper")<
  Keeper,
  {
    /** Notes what is to be subscribed to, and sees to some of what is due. */
    readonly keep: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Keeper,
    Effect.gen(function* () {
      const providers = yield* Providers
      const subscriptions = yield* Subscriptions
      const watched = yield* WatchNeeds
      const addresses = yield* makeAddresses
      const credentials = yield* Credentials
      const pushing = () => providers.all().filter(pushes)
      const slugsNow = () => pushing().map(({ slug }) => slug)

      const want = Effect.gen(function* () {
        const slugs = slugsNow()
        let after: string | undefined
        for (let isLast = slugs.length === 0; !isLast;) {
          const found = yield* watched.page(slugs, { after, take: page })
          isLast = found.length < page
          const upTo = isLast ? undefined : found.at(-1)?.connection.id
          const wanted = found.map(({ connection, resources }) => ({
            connection: connection.id,
            types: typesOf(providers.get(connection.provider), resources)
          }))
          yield* subscriptions.want(slugs, wanted, { after, upTo })
          after = upTo
        }
      })

      const see = Effect.fnUntraced(function* (one: Held) {
        const { connection, failures, isWanted, remoteId } = one
        const push = pushing().find(({ slug }) => slug === connection.provider)?.push
        if (push === undefined) return yield* subscriptions.failed(one, (yield* Clock.currentTimeMillis) + day)
        const subscribing = Effect.gen(function* () {
          // a removal meanwhile takes them away
          const held = yield* credentials.current(connection)
          const by = yield* push.subscribe(connection, {
            id: one.id,
            type: one.type,
            address: addresses.to(connection.provider, one.address),
            secret: one.secret,
            ...(remoteId === undefined ? {} : { remoteId })
          })
          const now = yield* Clock.currentTimeMillis
          if (yield* subscriptions.made(one, by, dueAt(now, by.expiresAt))) return
          yield* Effect.locally(push.unsubscribe(connection, by.remoteId), lastHeld, held).pipe(
            Effect.catchTag("ProviderError", ({ reason }) => left(connection, reason._tag))
          )
        })
        const seen = isWanted
          ? subscribing
          : (remoteId === undefined ? Effect.void : push.unsubscribe(connection, remoteId)).pipe(
              Effect.zipRight(subscriptions.ended(one))
            )
        yield* Effect.catchAll(seen, (error) =>
          Effect.gen(function* () {
            // what a provider says may quote the address
            yield* Effect.logWarning("a subscription to pushes is tried again later", error.reason._tag).pipe(
              Effect.annotateLogs({ connection: connection.id, provider: connection.provider })
            )
            yield* subscriptions.failed(one, (yield* Clock.currentTimeMillis) + pauseAfter(error, failures))
          })
        )
      })

      const renewing = (one: Held): Effect.Effect<never> =>
        Effect.flatMap(
          Effect.delay(subscriptions.renew(one), renewal),
          Option.match({ onNone: () => Effect.never, onSome: renewing })
        )

      /** Holds on to one while it is seen to. */
      const holding = (one: Held) =>
        Effect.catchAllCause(renewing(one), (cause) =>
          Effect.zipRight(Effect.logWarning("the lease of a subscription was not renewed", cause), Effect.never)
        )

      const keep = Effect.gen(function* () {
        yield* want
        yield* Effect.repeat(
          Effect.tap(subscriptions.take(slugsNow(), atATime), (due) =>
            Effect.forEach(due, (one) => Effect.raceFirst(see(one), holding(one)), { concurrency: atATime })
          ),
          { until: (due) => due.length < atATime }
        )
      }).pipe(Effect.withSpan("Keeper.keep"))

      return { keep }
    })
  )
}

/** Keeps them while the Layer lives. */
export const keeping = Layer.scopedDiscard(Effect.flatMap(Keeper, ({ keep }) => runInBackground(keep, every)))

/** Ends the subscriptions of connections that are about to be removed. */
export const beforeRemoval = Layer.effect(
  BeforeRemoval,
  Effect.gen(function* () {
    const providers = yield* Providers
    const subscriptions = yield* Subscriptions

    const pushOf = ({ provider }: ConnectionRef) => {
      const push = providers.get(provider)?.push
      return push?.kind === "connection" ? push : undefined
    }

    const end = ({ connection, remoteId }: Held) =>
      (remoteId === undefined ? undefined : pushOf(connection)?.unsubscribe(connection, remoteId)) ?? Effect.void

    return (connections) => {
      const ids = connections.filter((one) => pushOf(one) !== undefined).map(({ id }) => id)
      if (ids.length === 0) return Effect.void
      const settled = subscriptions.dropUnmade(ids).pipe(
        Effect.repeat({ until: (making) => making === 0, schedule: Schedule.spaced(pause) }),
        // what is made later is ended by the one that makes it
        Effect.timeoutOption(patience)
      )
      return Effect.flatMap(
        Effect.zipRight(settled, subscriptions.ofConnections(ids)),
        Effect.forEach(
          (one) =>
            end(one).pipe(
              Effect.timeout(patience),
              Effect.catchTags({
                ProviderError: ({ reason }) => left(one.connection, reason._tag),
                TimeoutException: ({ _tag }) => left(one.connection, _tag)
              })
            ),
          { concurrency: atATime, discard: true }
        )
      )
    }
  })
)
