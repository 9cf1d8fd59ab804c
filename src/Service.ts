import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Context, Effect, identity, Layer, Scope } from "effect"
import { createServer } from "node:http"
import { All } from "./All.ts"
import { services } from "./Application.ts"
import { Sandbox } from "./connections/Sandbox.ts"
import { explain } from "./Explain.ts"
import { prepare } from "./FirstStart.ts"
import { atHand, routerConfig, routes, withoutPlatformSpans } from "./Http.ts"
import * as Address from "./platform/Address.ts"
import * as Database from "./platform/Database.ts"
import { Encryption } from "./platform/Encryption.ts"
import * as Network from "./platform/Network.ts"
import { RateLimiter } from "./platform/RateLimiter.ts"
import { Shutdown } from "./platform/Shutdown.ts"
import * as Telemetry from "./platform/Telemetry.ts"
import { Faults } from "./providers/simulation/Faults.ts"
import { SimulationStore } from "./providers/simulation/SimulationStore.ts"
import { Simulators, simulators } from "./Simulators.ts"

/** Milliseconds that requests under way get to end when the service stops. */
const drain = 10_000

/** A server that does not wait for ever for slow clients, nor, when it stops, for open connections. */
const server = Effect.gen(function* () {
  // files may take five minutes to come in; JSON bodies have a limit of their own
  const node = createServer({ requestTimeout: 300_000, headersTimeout: 20_000, keepAliveTimeout: 5_000 })
  const host = yield* Address.host
  const port = yield* Address.port
  const hurry = Layer.scopedDiscard(
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        node.closeIdleConnections()
        setTimeout(() => node.closeAllConnections(), drain).unref()
      })
    )
  )
  return Layer.provideMerge(
    hurry,
    NodeHttpServer.layer(() => node, { host, port })
  )
}).pipe(Layer.unwrapEffect)

const application = Layer.mergeAll(All, Simulators, Sandbox.layer(simulators)).pipe(
  Layer.provideMerge(services),
  Layer.provideMerge(Layer.mergeAll(SimulationStore.layerSql, Faults.layer, Encryption.layer, RateLimiter.layer)),
  Layer.provideMerge(Layer.mergeAll(Database.layer, Network.layer))
)

const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const address = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
    yield* prepare
    yield* Effect.logInfo(`Tributary is ready at ${address}; the documentation is at ${address}/docs`)
  })
)

const serving = Layer.scopedDiscard(
  Effect.gen(function* () {
    const app = yield* HttpLayerRouter.toHttpEffect(routes)
    yield* Effect.mapInputContext(
      // with any middleware, a request's fiber does not end with its answer, and hold on to it
      HttpServer.serveEffect(app, identity),
      (all: Context.Context<HttpServer.HttpServer | Scope.Scope>) =>
        Context.merge(Context.pick(HttpServer.HttpServer, Scope.Scope)(all), atHand(all))
    )
  }).pipe(withoutPlatformSpans, Effect.provideService(HttpLayerRouter.RouterConfig, routerConfig))
)

const service = announce.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(Shutdown.layer),
  Layer.provideMerge(server),
  Layer.provide(application),
  Layer.provide(Telemetry.layer),
  Layer.provide(Address.settled)
)

/** Serves until it is told to stop, or cannot start. */
export const run = () =>
  Layer.launch(service).pipe(
    Effect.tapErrorCause((cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : Console.error(explain(cause)))),
    NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
  )
