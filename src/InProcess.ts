import { HttpApp, HttpLayerRouter, HttpServer } from "@effect/platform"
import { Context, Effect, Layer, Redacted } from "effect"
import { services } from "./Application.ts"
import { Connections } from "./connections/Connections.ts"
import { atHand, routes, withoutPlatformSpans } from "./Http.ts"
import { routerConfig } from "./RouteTable.ts"
import { Encryption } from "./platform/Encryption.ts"
import { RateLimiter } from "./platform/RateLimiter.ts"
import type { Environment } from "./tenancy/CurrentCaller.ts"
import { ApiKeys } from "./tenancy/ApiKeys.ts"
import { EndUsers } from "./tenancy/EndUsers.ts"
import { Organisations } from "./tenancy/Organisations.ts"
import * as Sender from "./webhooks/Sender.ts"

/** An organisation's environment and key, as which a test sends requests. */
export interface Tenancy {
  /** UUID of the organisation. */
  readonly organisation: string
  readonly environment: Environment
  readonly key: Redacted.Redacted
}

/** The application without a port: requests go in, answers come out, through every route and middleware. */
export class InProcess extends Context.Tag("tributary/InProcess")<
  InProcess,
  {
    readonly handle: (request: Request) => Promise<Response>
    /** A new organisation with a key. */
    readonly tenancy: (name: string, environment?: Environment) => Effect.Effect<Tenancy>
    /**
     * Connects an end user to a provider with an access token that never expires, which a mocked provider does not look at;
     * returns the connection's UUID.
     */
    readonly connect: (
      tenancy: Tenancy,
      endUser: string,
      provider: string,
      accessToken?: string
    ) => Effect.Effect<string>
  }
>() {
  /** Over the services of `application`. */
  static readonly layer = Layer.scoped(
    InProcess,
    Effect.gen(function* () {
      const organisations = yield* Organisations
      const keys = yield* ApiKeys
      const endUsers = yield* EndUsers
      const connections = yield* Connections
      const app = yield* Effect.provideService(
        HttpLayerRouter.toHttpEffect(routes),
        HttpLayerRouter.RouterConfig,
        routerConfig
      )
      const runtime = yield* Effect.mapInputContext(withoutPlatformSpans(Effect.runtime()), atHand)
      const handler = HttpApp.toWebHandlerRuntime(runtime)(app)
      return {
        handle: (request) => handler(request),
        tenancy: (name, environment = "sandbox") =>
          Effect.gen(function* () {
            const { id } = yield* Effect.orDie(organisations.create(name))
            const { key } = yield* Effect.orDie(keys.create(id, environment))
            return { organisation: id, environment, key }
          }),
        connect: ({ environment, organisation }, endUser, provider, accessToken = "token") =>
          Effect.gen(function* () {
            const user = yield* endUsers.ensure(organisation, environment, endUser)
            const connection = yield* connections.create({
              organisation,
              environment,
              endUser: user.id,
              provider,
              credentials: {
                kind: "accessToken",
                secret: Redacted.make(accessToken),
                refreshToken: undefined,
                expiresAt: undefined,
                values: {}
              }
            })
            return connection.id
          }).pipe(Effect.orDie)
      }
    })
  ).pipe(Layer.provide(HttpServer.layerContext))
}

/**
 * An application with the given providers, for tests: limits in memory, its own encryption key. It needs a database and an
 * `HttpClient`; with `Simulators` provided as well, sandbox calls stay in the process.
 */
export const application = <A, E, R>(providers: Layer.Layer<A, E, R>) =>
  Layer.merge(InProcess.layer, Sender.layer).pipe(
    Layer.provideMerge(providers),
    Layer.provideMerge(services),
    Layer.provideMerge(Layer.mergeAll(Encryption.layerTest, RateLimiter.layerMemory))
  )
