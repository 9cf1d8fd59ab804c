import { HttpLayerRouter, HttpMiddleware, HttpServer } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Context, Effect, identity, Layer, Option, Scope } from "effect"
import { createServer } from "node:http"
import { services } from "./Application.ts"
import { explain } from "./Explain.ts"
import { prepare } from "./FirstStart.ts"
import { atHand, routes, withoutPlatformSpans } from "./Http.ts"
import { routerConfig } from "./RouteTable.ts"
import * as Address from "./platform/Address.ts"
import * as Database from "./platform/Database.ts"
import * as Draining from "./platform/Draining.ts"
import { Encryption } from "./platform/Encryption.ts"
import * as Health from "./platform/Health.ts"
import { HttpListener } from "./platform/HttpListener.ts"
import * as Metrics from "./platform/Metrics.ts"
import * as Network from "./platform/Network.ts"
import { growSlowly } from "./platform/Memory.ts"
import { RateLimiter } from "./platform/RateLimiter.ts"
import { Shutdown } from "./platform/Shutdown.ts"
import * as Telemetry from "./platform/Telemetry.ts"
import { type Parts, registered, sandbox } from "./Parts.ts"
import * as SandboxPushes from "./SandboxPushes.ts"
import { Faults } from "./providers/simulation/Faults.ts"
import { SimulationStore } from "./providers/simulation/SimulationStore.ts"
import * as Sender from "./webhooks/Sender.ts"

const server = Effect.gen(function* () {
  const { node } = yield* HttpListener
  return NodeHttpServer.layerServer(() => node, { host: yield* Address.host, port: yield* Address.port })
}).pipe(Layer.unwrapEffect)

const application = (parts: Parts) =>
  Sender.layer.pipe(
    Layer.provideMerge(Layer.merge(registered(parts), Layer.provide(sandbox(parts), SandboxPushes.layer))),
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

const listening = Layer.scopedDiscard(
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

/** Metrics where only those reach them who reach this port. A router is made once for all Layers that are not fresh. */
const metrics = Effect.gen(function* () {
  const port = yield* Metrics.port
  if (Option.isNone(port)) return Layer.empty
  return HttpLayerRouter.serve(Health.ownRoutes, { disableLogger: true, disableListenLog: true }).pipe(
    HttpMiddleware.withTracerDisabledWhen(() => true),
    Layer.provide(NodeHttpServer.layer(createServer, { host: yield* Address.host, port: port.value })),
    Layer.fresh
  )
}).pipe(Layer.unwrapEffect)

/** The service of some parts, as `npm start` runs it, for as long as the Layer lives; its settings come from `Config`. */
export const service = (parts: Parts) =>
  announce.pipe(
    Layer.provideMerge(Draining.layer),
    Layer.provideMerge(Layer.merge(listening, metrics)),
    Layer.provideMerge(server),
    Layer.provide(Layer.mergeAll(Shutdown.layer, HttpListener.layer, NodeHttpServer.layerContext)),
    Layer.provide(application(parts)),
    Layer.provide(Telemetry.layer),
    Layer.provide(Address.settled)
  )

/**
 * Runs the service of some parts as this process's program, until it is told to stop:
 * `serve({ ...everything, providers: [HubSpot, Close] })`. When it cannot start, standard error says why.
 */
export const serve = (parts: Parts): void => {
  growSlowly()
  Layer.launch(service(parts)).pipe(
    Effect.tapErrorCause((cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : Console.error(explain(cause)))),
    NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
  )
}
