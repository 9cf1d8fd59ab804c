import { HttpClient } from "@effect/platform"
import type { SqlClient } from "@effect/sql"
import { type ConfigProvider, Context, Effect, identity, Layer, Redacted, TestClock } from "effect"
import { Sandbox } from "../../connections/Sandbox.ts"
import { application, InProcess, type Tenancy } from "../../InProcess.ts"
import type { SimulationStore } from "../../providers/simulation/SimulationStore.ts"
import { Strictness } from "../../providers/simulation/Limits.ts"
import { layer as simulatorLayer, type SimulatorSource } from "../../providers/simulation/Simulator.ts"
import type { Environment } from "../../tenancy/CurrentCaller.ts"
import { EndUsers } from "../../tenancy/EndUsers.ts"
import type { Call, Options } from "./Answers.ts"
import { NotedRequests } from "./NotedRequests.ts"
import { whileTimePasses } from "./Time.ts"

/** Someone who sends requests: an organisation's key and one of its end users, with connections by provider. */
export interface Caller {
  readonly tenancy: Tenancy
  readonly endUser: string
  readonly connections: { readonly [provider: string]: string }
  /** `path` under the base path. */
  readonly call: Call
}

/** The whole application over a real database, with simulators behind its providers. */
export class SandboxApplication extends Context.Tag("tributary/testing/contract/SandboxApplication")<
  SandboxApplication,
  {
    /** A request without a key or an end user; `path` as it is. */
    readonly send: Call
    /** A new end user, of a new organisation unless one is given, connected to these providers of the sandbox. */
    readonly caller: (
      providers: ReadonlyArray<string>,
      given?: { readonly tenancy?: Tenancy; readonly environment?: Environment; readonly endUser?: string }
    ) => Effect.Effect<Caller>
    /** One more connection of a caller. */
    readonly connect: (caller: Caller, provider: string) => Effect.Effect<string>
  }
>() {}

/** No test reaches the network. */
export const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.dieMessage("a test called the network"))
)

const origin = "http://localhost"

/** Milliseconds from now within which a sleep of the application is not waited for: pauses before a repeat. */
const pauses = 2500

const requestOf = (method: string, url: string, { body, headers = {} }: Options) => {
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream
  const sent = new Headers(body === undefined ? {} : { "content-type": "application/json" })
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) sent.delete(name)
    else sent.set(name, value)
  }
  return new Request(url, {
    method,
    headers: sent,
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body), duplex: "half" })
  })
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Milliseconds beyond which no test waits for what is spent of a limit: that of a day lasts. */
const longestWait = 3_600_000

/** Has strict simulators in front of a test that does not spend more than half of a limit at once: time passes before. */
const makePace = () => {
  let until = 0
  return {
    strictness: { isStrict: true, duration: 0, onHalfSpent: (time: number) => void (until = Math.max(until, time)) },
    /** Lets what was spent come back. */
    keep: Effect.clockWith((clock) => {
      const now = clock.unsafeCurrentTimeMillis()
      const wait = until - now
      until = 0
      return wait > 0 && wait <= longestWait ? TestClock.setTime(now + wait) : Effect.void
    })
  }
}

const make = (pace: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const app = yield* InProcess
    const sandbox = yield* Sandbox
    const endUsers = yield* EndUsers
    let made = 0

    const send: Call = (method, path, options = {}) =>
      Effect.promise(async () => {
        const response = await app.handle(requestOf(method, origin + path, options))
        return { status: response.status, headers: response.headers, body: parse(await response.text()) }
      }).pipe(options.timeStands === true ? identity : (sent) => Effect.zipRight(pace, whileTimePasses(pauses)(sent)))

    const connectTo = (tenancy: Tenancy, endUser: string, provider: string) =>
      tenancy.environment === "production"
        ? app.connect(tenancy, endUser, provider)
        : endUsers.ensure(tenancy.organisation, tenancy.environment, endUser).pipe(
            Effect.flatMap((user) => sandbox.connect(user, provider)),
            Effect.map(({ id }) => id),
            Effect.orDie
          )

    return {
      send,
      connect: ({ endUser, tenancy }: Caller, provider: string) => connectTo(tenancy, endUser, provider),
      caller: Effect.fnUntraced(function* (
        providers: ReadonlyArray<string>,
        given: { readonly tenancy?: Tenancy; readonly environment?: Environment; readonly endUser?: string } = {}
      ) {
        made += 1
        const tenancy = given.tenancy ?? (yield* app.tenancy(`Organisation ${made}`, given.environment))
        const endUser = given.endUser ?? `user-${made}`
        yield* Effect.orDie(endUsers.ensure(tenancy.organisation, tenancy.environment, endUser))
        const connections: { [provider: string]: string } = {}
        for (const provider of providers) connections[provider] = yield* connectTo(tenancy, endUser, provider)
        const own = { authorization: `Bearer ${Redacted.value(tenancy.key)}`, "x-end-user-id": endUser }
        return {
          tenancy,
          endUser,
          connections,
          call: (method, path, options = {}) =>
            send(method, `/api/v1${path}`, { ...options, headers: { ...own, ...options.headers } })
        } satisfies Caller
      })
    }
  })

/** Parts and surroundings of an application under test. */
export interface SandboxParts<A, E, R, D> {
  /** Milliseconds since 1970 at which it starts: a clock that is set ahead has all done that is due until then. */
  readonly now: number
  readonly config: ConfigProvider.ConfigProvider
  /** Simulators are as hard as the providers. */
  readonly isStrict?: boolean
  readonly providers: Layer.Layer<A, E, R>
  readonly simulators: ReadonlyArray<SimulatorSource>
  readonly database: Layer.Layer<SqlClient.SqlClient | D>
  /** The network that calls in production reach. */
  readonly network: Layer.Layer<HttpClient.HttpClient>
  /** Where simulated accounts are kept. */
  readonly store: Layer.Layer<SimulationStore, never, SqlClient.SqlClient>
}

/** The application of some parts, on the test's clock. */
export const layer = <A, E, R, D>(parts: SandboxParts<A, E, R, D>) => {
  const pace = makePace()
  return Layer.effect(SandboxApplication, make(parts.isStrict === true ? pace.keep : Effect.void)).pipe(
    Layer.provideMerge(
      application(
        Layer.mergeAll(parts.providers, ...parts.simulators.map(simulatorLayer), Sandbox.layer(parts.simulators))
      )
    ),
    Layer.provideMerge(Layer.mergeAll(parts.store, NotedRequests.layer)),
    Layer.provideMerge(parts.database),
    Layer.provide(parts.network),
    Layer.provide(Layer.setConfigProvider(parts.config)),
    Layer.provide(parts.isStrict === true ? Layer.succeed(Strictness, pace.strictness) : Layer.empty),
    Layer.provide(Layer.effectDiscard(TestClock.setTime(parts.now)))
  )
}
