import { HttpClient, HttpLayerRouter } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer, Logger, LogLevel } from "effect"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { All } from "../../src/All.ts"
import { services } from "../../src/Application.ts"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import { routes } from "../../src/Http.ts"
import { routerConfig } from "../../src/RouteTable.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { RateLimiter } from "../../src/platform/RateLimiter.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { Simulators, simulators } from "../../src/Simulators.ts"
import * as TestDatabase from "./TestDatabase.ts"

const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.dieMessage("a test called the network"))
)

/** A server on a free port until the scope ends; gives the port. */
export const listen = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<Server>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

const withoutRedis = ConfigProvider.fromEnv().pipe(
  ConfigProvider.mapInputPath((path) => (path === "REDIS_URL" ? "REDIS_URL_OF_NO_TEST" : path))
)

/**
 * The real application on a port, with what stands on its services: `make` is given the service's origin, `parts` are in it
 * besides its own providers and toolkits, `settings` are what its operator would set. It listens where its own configuration
 * says.
 */
export const served = <A, E, R, B, E2, R2>(
  make: (service: string) => Layer.Layer<A, E, R>,
  parts: Layer.Layer<B, E2, R2>,
  settings: { readonly [name: string]: string } = {}
) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const port = yield* Effect.scoped(listen(() => {}))
      const config = new Map([
        ["HOST", "127.0.0.1"],
        ["PORT", String(port)],
        ["RATE_LIMIT", "0"],
        ...Object.entries(settings)
      ])
      return make(`http://127.0.0.1:${port}`).pipe(
        Layer.provideMerge(
          HttpLayerRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig })
        ),
        Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port })),
        Layer.provideMerge(Layer.mergeAll(All, parts, Simulators, Sandbox.layer(simulators))),
        Layer.provideMerge(services),
        Layer.provideMerge(
          Layer.mergeAll(SimulationStore.layerMemory, Faults.layer, Encryption.layerTest, RateLimiter.layerMemory)
        ),
        Layer.provideMerge(TestDatabase.layer),
        Layer.provide(Layer.merge(noNetwork, Logger.minimumLogLevel(LogLevel.Error))),
        Layer.provide(
          Layer.setConfigProvider(ConfigProvider.fromMap(config).pipe(ConfigProvider.orElse(() => withoutRedis)))
        )
      )
    })
  )
