import { Args, Command, Options } from "@effect/cli"
import { HttpServer } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import { json, print } from "../../platform/Commands.ts"
import { NotFound, Unavailable } from "../../platform/Errors.ts"
import { Faults } from "./Faults.ts"
import { Strictness } from "./Limits.ts"
import { SimulationStore } from "./SimulationStore.ts"
import { app, connect, type SimulatorSource } from "./Simulator.ts"

const account = "default"

/** Milliseconds that a call to a strict simulator takes: without them none would run beside another. */
const duration = 100

/** `simulate <provider>`: serves a simulator in memory until it is stopped, for the provider's own client libraries. */
export const simulate = (simulators: ReadonlyArray<SimulatorSource>) =>
  Command.make(
    "simulate",
    {
      provider: Args.text({ name: "provider" }).pipe(Args.withDescription("Slug, such as hubspot")),
      port: Options.integer("port").pipe(
        Options.withDefault(4010),
        Options.withDescription("Port on 127.0.0.1; 0 takes any free one")
      ),
      strict: Options.boolean("strict").pipe(
        Options.withDescription("Be as hard as the provider: enforce its limits, let searches lag")
      ),
      json
    },
    ({ port, provider, strict }) =>
      Effect.gen(function* () {
        const source = simulators.find(({ slug }) => slug === provider)
        if (source === undefined) {
          return yield* new NotFound({
            code: "PROVIDER_NOT_FOUND",
            message: `There is no simulator of "${provider}"; there are ${simulators.map(({ slug }) => slug).join(", ")}.`
          })
        }
        const simulator = yield* source.load
        const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port }).pipe(
          Effect.mapError(() => new Unavailable({ message: `--port: cannot listen on 127.0.0.1:${port}.` }))
        )
        yield* server.serve(yield* app(simulator))
        const tokens = yield* connect(simulator, account)
        yield* print(
          Effect.succeed({
            provider,
            url: HttpServer.formatAddress(server.address),
            account,
            ...tokens,
            ...simulator.values?.(account)
          })
        )
        return yield* Effect.never
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.merge(SimulationStore.layerMemory, Faults.layer)),
        Effect.provideService(Strictness, { isStrict: strict, duration: strict ? duration : 0 })
      )
  ).pipe(Command.withDescription("Serve a provider's simulator on a port"))
