import {
  FetchHttpClient,
  type HttpApi,
  HttpApiClient,
  HttpClient,
  type HttpClientError,
  HttpClientRequest
} from "@effect/platform"
import { ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { Api } from "../Api.ts"
import { Integrations } from "../connections/Integrations.ts"
import { Sandbox } from "../connections/Sandbox.ts"
import { application, InProcess, type Tenancy } from "../InProcess.ts"
import { type Parts, registered, sandbox, sourcesOf } from "../Parts.ts"
import { InternalError } from "../platform/Errors.ts"
import * as MemoryDatabase from "../platform/MemoryDatabase.ts"
import { Faults } from "../providers/simulation/Faults.ts"
import { SimulationStore } from "../providers/simulation/SimulationStore.ts"
import { Providers } from "../providers/Providers.ts"
import type { Environment } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"

/** The parts and settings of a test application. */
export interface TestParts extends Parts {
  /** Settings as an operator would make them, by name; the environment of the process is not looked at. */
  readonly config?: { readonly [setting: string]: string }
}

/** Which caller is wanted. */
export interface CallerOptions {
  /** One of the same organisation and environment; absent: an organisation of its own. */
  readonly beside?: Tenancy
  /** Of a new organisation's key; `sandbox` unless given. */
  readonly environment?: Environment
  /** The organisation's own name for the end user; absent: a new one. */
  readonly endUser?: string
  /** Slugs of what the end user has connected; absent: every provider. */
  readonly connected?: ReadonlyArray<string>
}

const origin = "http://localhost"

type ClientOf<A> =
  A extends HttpApi.HttpApi<infer _Id, infer Groups, infer Failure, infer _Context>
    ? HttpApiClient.Client<Groups, Failure | HttpClientError.HttpClientError, never>
    : never

/** The typed client of the whole interface. */
export type Client = ClientOf<typeof Api>

const clientOf = (httpClient: HttpClient.HttpClient): Effect.Effect<Client> =>
  HttpApiClient.makeWith(Api, { httpClient })

/** A caller: an organisation's key, and one of its end users with connections. Calls go through no port. */
export interface Caller extends Tenancy {
  /** The organisation's own name for the end user. */
  readonly endUser: string
  /** UUIDs of the end user's connections, by slug. */
  readonly connections: { readonly [slug: string]: string }
  /** Calls a path, such as `/api/v1/crm/contact`, with the key and for the end user unless the headers say otherwise. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** The same as an `HttpClient`. */
  readonly http: HttpClient.HttpClient
  /** The typed client, made when it is first asked for. */
  readonly client: Effect.Effect<Client>
}

/** An end user, by the organisation's own name. */
export type EndUserOf = Tenancy & Pick<Caller, "endUser">

/**
 * The whole application for tests, without a port, a file or a network. It is a caller itself: of an organisation whose end
 * user has connected every provider.
 */
export class TestApplication extends Context.Tag("tributary/testing/TestApplication")<
  TestApplication,
  Caller & {
    /** Answers any request as the application would at `http://localhost`. */
    readonly handle: (request: Request) => Promise<Response>
    readonly caller: (options?: CallerOptions) => Effect.Effect<Caller>
    /** One more connection of a caller to a provider or toolkit, which may have others; gives its UUID. */
    readonly connect: (caller: EndUserOf, slug: string) => Effect.Effect<string>
  }
>() {}

const make = (parts: TestParts) =>
  Effect.gen(function* () {
    const { connect: connectLive, handle, tenancy } = yield* InProcess
    const simulated = new Set(sourcesOf(parts).map(({ slug }) => slug))
    const { connect: connectSimulated } = yield* Sandbox
    const endUsers = yield* EndUsers
    const integrations = yield* Integrations
    const slugs = (yield* Providers).all().map(({ slug }) => slug)
    const network = yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)
    let made = 0

    const connectEndUser = ({ endUser, ...of }: EndUserOf, slug: string) => {
      if (integrations.get(slug) === undefined) {
        const known = integrations.all().map((one) => one.slug)
        return Effect.dieMessage(`there is no "${slug}" to connect; there are ${known.join(", ")}`)
      }
      return of.environment === "sandbox" && simulated.has(slug)
        ? endUsers.ensure(of.organisation, of.environment, endUser).pipe(
            Effect.flatMap((user) => connectSimulated(user, slug)),
            Effect.map(({ id }) => id),
            Effect.orDie
          )
        : connectLive(of, endUser, slug)
    }

    const callerOf = Effect.fnUntraced(function* (options: CallerOptions = {}) {
      made += 1
      const of = options.beside ?? (yield* tenancy(`Organisation ${made}`, options.environment))
      const { endUser = `user-${made}`, connected = slugs } = options
      if (connected.length === 0) yield* Effect.orDie(endUsers.ensure(of.organisation, of.environment, endUser))
      const connections = yield* Effect.forEach(connected, (slug) =>
        Effect.map(connectEndUser({ ...of, endUser }, slug), (id) => [slug, id] as const)
      )
      const own = { authorization: `Bearer ${Redacted.value(of.key)}`, "x-end-user-id": endUser }
      const http = network.pipe(
        HttpClient.mapRequest((request) =>
          request.pipe(
            HttpClientRequest.setHeaders({ ...own, ...request.headers }),
            HttpClientRequest.prependUrl(origin)
          )
        ),
        HttpClient.transformResponse(
          Effect.provideService(FetchHttpClient.Fetch, (input, init) => handle(new Request(input, init)))
        )
      )
      return {
        organisation: of.organisation,
        environment: of.environment,
        key: of.key,
        endUser,
        connections: Object.fromEntries(connections),
        fetch: (path, init = {}) => {
          const headers = new Headers(own)
          new Headers(init.headers).forEach((value, name) => headers.set(name, value))
          return handle(new Request(new URL(path, origin), { ...init, headers }))
        },
        http,
        client: yield* Effect.cached(clientOf(http))
      } satisfies Caller
    })

    return {
      ...(yield* callerOf()),
      handle,
      caller: callerOf,
      connect: connectEndUser
    }
  })

/** Calls that reach for the network are a mistake of the test. */
const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(({ method }, { origin }) =>
    Effect.die(
      new InternalError({
        said: `a test application calls no network, but ${method} ${origin} was asked for: mock the provider, or give its simulator`
      })
    )
  )
)

/**
 * An application for tests, of the parts that are given: `testApplication({ providers: [mockProvider(...)] })`. Its simulators
 * and its database are in memory, and nothing of it is seen in another. Calls are not limited unless `RATE_LIMIT` says so.
 * `Faults` makes simulators misbehave.
 *
 * It goes by the clock of the test. Where a `TestClock` stands still, so does what the application waits for: a repeated call
 * to a simulator that failed, and a change of field mappings, which is answered when it is in force everywhere (900 ms).
 */
export const testApplication = (parts: TestParts) =>
  Layer.effect(TestApplication, make(parts)).pipe(
    Layer.provide(application(Layer.merge(registered(parts), sandbox(parts)))),
    Layer.provideMerge(Faults.layer),
    Layer.provide(Layer.mergeAll(SimulationStore.layerMemory, MemoryDatabase.layer, noNetwork)),
    Layer.provide(
      Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ RATE_LIMIT: "0", ...parts.config }))))
    ),
    // two of one test would else share their services
    Layer.fresh
  )
