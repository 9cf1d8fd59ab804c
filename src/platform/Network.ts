import { NodeHttpClient, Undici } from "@effect/platform-node"
import { Effect, Layer } from "effect"

/** The way out to the network: connections are kept and shared, and none waits for ever. */
export const layer = NodeHttpClient.layerUndiciWithoutDispatcher.pipe(
  Layer.provide(
    Layer.scoped(
      NodeHttpClient.Dispatcher,
      Effect.acquireRelease(
        Effect.sync(
          () =>
            new Undici.Agent({
              connections: 64,
              pipelining: 1,
              keepAliveTimeout: 30_000,
              headersTimeout: 30_000,
              bodyTimeout: 30_000,
              connect: { timeout: 5_000 }
            })
        ),
        (agent) => Effect.promise(() => agent.close())
      )
    )
  )
)
