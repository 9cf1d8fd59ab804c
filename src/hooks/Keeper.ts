import { Clock, Context, Effect, Layer } from "effect"
import { BeforeRemoval } from "../connections/BeforeRemoval.ts"
import { upkeep } from "../platform/Upkeep.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
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

/** Subscriptions that are seen to in a row, and at a time. */
const most = 40
const atATime = 4

/** Milliseconds. */
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** How soon after a watch began, or ended, its subscriptions are seen to. */
const every = "30 seconds"

/** Time that a removal waits for one of them. */
const patience = "5 seconds"

/** Half of what is left, so that there is as much time again when that fails; what does not end is looked at once a day. */
const dueAt = (now: number, expiresAt: number = now + 2 * day) => now + Math.max(minute, (expiresAt - now) / 2)

/** Milliseconds until something that failed is tried again. */
const pauseAfter = ({ reason }: ProviderError, failures: number) =>
  Math.max(Math.min(minute * 2 ** failures, 6 * hour), reason._tag === "LimitReached" ? reason.retryAfter * 1000 : 0)

type PushingAdapter = ProviderAdapter & { readonly push: ConnectionPush }

const pushes = (adapter: ProviderAdapter): adapter is PushingAdapter => adapter.push?.kind === "connection"

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
        const seen = isWanted
          ? push
              .subscribe(connection, {
                id: one.id,
                type: one.type,
                address: addresses.to(connection.provider, one.address),
                secret: one.secret,
                ...(remoteId === undefined ? {} : { remoteId })
              })
              .pipe(
                Effect.flatMap((by) =>
                  Effect.clockWith((clock) =>
                    subscriptions.made(one, by, dueAt(clock.unsafeCurrentTimeMillis(), by.expiresAt))
                  )
                )
              )
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

      const keep = Effect.gen(function* () {
        yield* want
        yield* Effect.repeat(
          Effect.tap(subscriptions.take(slugsNow(), most), (due) => Effect.forEach(due, see, { concurrency: atATime })),
          { until: (due) => due.length < most }
        )
      }).pipe(Effect.withSpan("Keeper.keep"))

      return { keep }
    })
  )
}

/** Keeps them while the Layer lives. */
export const keeping = Layer.scopedDiscard(Effect.flatMap(Keeper, ({ keep }) => upkeep(keep, every)))

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

    const left = (connection: ConnectionRef) => (reason: string) =>
      Effect.logWarning("a subscription to pushes was not ended: its pushes lead nowhere now", reason).pipe(
        Effect.annotateLogs({ connection: connection.id, provider: connection.provider })
      )

    return (connections) => {
      const ids = connections.filter((one) => pushOf(one) !== undefined).map(({ id }) => id)
      if (ids.length === 0) return Effect.void
      return Effect.flatMap(
        subscriptions.ofConnections(ids),
        Effect.forEach(
          (one) =>
            end(one).pipe(
              Effect.timeout(patience),
              Effect.catchTags({
                ProviderError: ({ reason }) => left(one.connection)(reason._tag),
                TimeoutException: ({ _tag }) => left(one.connection)(_tag)
              })
            ),
          { concurrency: atATime, discard: true }
        )
      )
    }
  })
)
