import { Args, Command, Options } from "@effect/cli"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpServer } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option, Redacted } from "effect"
import { createServer } from "node:http"
import { json, print } from "../../platform/Commands.ts"
import { NotFound, Unavailable } from "../../platform/Errors.ts"
import { Faults } from "./Faults.ts"
import { Strictness } from "./Limits.ts"
import { type Pushed, Pushes } from "./Pushes.ts"
import { SimulationStore } from "./SimulationStore.ts"
import { app, connect, type SimulatorSource } from "./Simulator.ts"

const account = "default"

/** Milliseconds that a call to a strict simulator takes: without them none would run beside another. */
const duration = 100

/** Sends pushes over the network, each once, whatever comes of it. */
const sending = Effect.map(
  HttpClient.HttpClient,
  (client) => (_: string, pushed: ReadonlyArray<Pushed>) =>
    Effect.forEach(
      pushed,
      ({ body, headers, url }) =>
        client.execute(
          HttpClientRequest.post(url, { headers }).pipe(
            HttpClientRequest.bodyText(body, headers["content-type"] ?? "application/json")
          )
        ),
      { discard: true }
    ).pipe(Effect.scoped, Effect.ignore, Effect.forkDaemon, Effect.asVoid)
)

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
      pushUrl: Options.text("push-url").pipe(
        Options.withDescription(
          "Address that the application has its pushes sent to, where it has one for all accounts"
        ),
        Options.optional
      ),
      pushSecret: Options.redacted("push-secret").pipe(
        Options.withDescription("Secret that those pushes are signed with"),
        Options.withDefault(Redacted.make(""))
      ),
      json
    },
    ({ port, provider, pushSecret, pushUrl, strict }) =>
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
        const target = Option.getOrUndefined(
          Option.map(pushUrl, (url) => ({ url, secret: Redacted.value(pushSecret) }))
        )
        const ways = { of: () => Effect.succeed({ target }), send: yield* sending }
        yield* server.serve(yield* Effect.provideService(app(simulator), Pushes, ways))
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
        Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer, FetchHttpClient.layer)),
        Effect.provideService(Strictness, { isStrict: strict, duration: strict ? duration : 0 })
      )
  ).pipe(Command.withDescription("Serve a provider's simulator on a port"))
