import { Effect, FiberSet, Layer, Redacted } from "effect"
import { makeAddresses } from "./hooks/Addresses.ts"
import { Hooks } from "./hooks/Hooks.ts"
import { WatchNeeds } from "./hooks/WatchNeeds.ts"
import { type Pushed, Pushes } from "./providers/simulation/Pushes.ts"

/** Time for which it is remembered whether anything is watched. */
const remembered = "1 second"

/** Pushes of a provider that are under way; what comes on top is not sent, as if it had been missed. */
const mostUnderWay = 100

/**
 * Has the simulators of the sandbox push to this service, in this process, as soon as anything is watched at their provider. They
 * push nowhere else: whoever has a sandbox key can register any address.
 */
export const layer = Layer.scopedContext(
  Effect.gen(function* () {
    const hooks = yield* Hooks
    const watched = yield* WatchNeeds
    const addresses = yield* makeAddresses
    const running = yield* FiberSet.make()
    const known = new Map<string, Effect.Effect<boolean>>()

    const isWatched = Effect.fnUntraced(function* (slug: string) {
      const asked = known.get(slug) ?? (yield* Effect.cachedWithTTL(watched.isAny(slug, "sandbox"), remembered))
      known.set(slug, asked)
      return yield* asked
    })

    const deliver = (slug: string, { body, headers, url }: Pushed) => {
      const base = addresses.to(slug, "")
      if (!url.startsWith(base)) return Effect.void
      const secret = url.slice(base.length)
      return hooks.receive({
        provider: slug,
        secret,
        target: `/hooks/${slug}/${secret}`,
        method: "POST",
        headers,
        body: Effect.succeed(new TextEncoder().encode(body))
      })
    }

    return Pushes.context({
      of: (slug) =>
        Effect.map(isWatched(slug), (isAny) =>
          isAny
            ? {
                target: {
                  url: addresses.ofApplication("sandbox", slug),
                  secret: Redacted.value(addresses.sandboxSecret(slug))
                }
              }
            : undefined
        ),
      send: (slug, pushed) =>
        Effect.gen(function* () {
          for (const one of pushed) {
            if ((yield* FiberSet.size(running)) >= mostUnderWay) return
            yield* FiberSet.run(
              running,
              Effect.catchAllCause(deliver(slug, one), (cause) => Effect.logDebug("a simulated push failed", cause))
            )
          }
        })
    })
  })
)
