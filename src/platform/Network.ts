import { HttpClient } from "@effect/platform"
import { NodeHttpClient, Undici } from "@effect/platform-node"
import { Effect, Layer } from "effect"

/**
 * The way out: connections are kept and shared, and nothing of our traces goes to a third party. Each call has a span of
 * its own further in, which carries the path's template; the client's would carry the whole address.
 */
export const layer = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    client.pipe(
      HttpClient.withTracerPropagation(false),
      HttpClient.withTracerDisabledWhen(() => true)
    )
  )
).pipe(
  Layer.provide(NodeHttpClient.layerUndiciWithoutDispatcher),
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
