import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { app, connect, type Simulator } from "../../src/providers/simulation/Simulator.ts"

/** A simulator served on a free port until the scope ends, with tokens that open an account of its own. */
export const onPort = (simulator: Simulator) =>
  Effect.gen(function* () {
    const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
    yield* server.serve(yield* app(simulator))
    const tokens = yield* connect(simulator, "acme")
    return { url: HttpServer.formatAddress(server.address), ...tokens }
  }).pipe(Effect.provide(Layer.merge(SimulationStore.layerMemory, Faults.layer)))
