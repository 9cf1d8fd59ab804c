import { HttpClient } from "@effect/platform"
import type { SqlClient } from "@effect/sql"
import { ConfigProvider, Context, Effect, identity, Layer, Redacted, Schema, TestClock } from "effect"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import { application, InProcess, type Tenancy } from "../../src/InProcess.ts"
import { All } from "../../src/All.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { simulators } from "../../src/Simulators.ts"
import { layer as simulatorLayer, type SimulatorSource } from "../../src/providers/simulation/Simulator.ts"
import type { Environment } from "../../src/tenancy/CurrentCaller.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import * as TestDatabase from "./TestDatabase.ts"

/** A JSON object whose members are looked at one by one. */
export type Doc = { readonly [name: string]: unknown }

/** What came back; `body` is the parsed JSON, or the text when it is none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface Options {
  /** Sent as JSON; a string, bytes or a stream as they are. */
  readonly body?: unknown
  /** Laid on the caller's own; undefined leaves one out. */
  readonly headers?: { readonly [name: string]: string | undefined }
  /** The test's clock stands still, whatever the application sleeps for. */
  readonly timeStands?: boolean
}

export type Call = (method: string, path: string, options?: Options) => Effect.Effect<Answer>

/** Someone who sends requests: an organisation's key and one of its end users, with connections by provider. */
export interface Caller {
  readonly tenancy: Tenancy
  readonly endUser: string
  readonly connections: { readonly [provider: string]: string }
  /** `path` under the base path. */
  readonly call: Call
}

/** The whole application over a real database, with every provider's simulator behind it. */
export class SandboxApplication extends Context.Tag("tributary/test/SandboxApplication")<
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
const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.dieMessage("a test called the network"))
)

const origin = "http://localhost"

/** Milliseconds from now within which a sleep of the application is not waited for: pauses before a repeat. */
const pauses = 2500

export const nextTick = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 2)))

/** The test's clock keeps sleeps that were given up too, and a list of them costs more the longer it gets: it is looked at seldom. */
const look = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 10)
  return Effect.sync(() => clearTimeout(timer))
})

/** Lets the test's clock run ahead to what the application sleeps for, as far as `horizon`, while an effect runs. */
export const whileTimePasses =
  (horizon: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.raceFirst(
      effect,
      Effect.forever(
        Effect.gen(function* () {
          yield* look
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          let next = Infinity
          for (const at of yield* TestClock.sleeps()) if (at > now && at < next) next = at
          if (next <= now + horizon) yield* TestClock.setTime(next)
        })
      )
    )

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

const make = Effect.gen(function* () {
  const app = yield* InProcess
  const sandbox = yield* Sandbox
  const endUsers = yield* EndUsers
  let made = 0

  const send: Call = (method, path, options = {}) =>
    Effect.promise(async () => {
      const response = await app.handle(requestOf(method, origin + path, options))
      return { status: response.status, headers: response.headers, body: parse(await response.text()) }
    }).pipe(options.timeStands === true ? identity : whileTimePasses(pauses))

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

const withoutRedis = ConfigProvider.fromEnv().pipe(
  ConfigProvider.mapInputPath((path) => (path === "REDIS_URL" ? "REDIS_URL_OF_NO_TEST" : path))
)

/**
 * The application as it starts at a time: a clock that is set later has what is done every hour done for each hour between.
 * `config` is what the operator would set; calls are not limited unless it says so. `providers` and their simulators:
 * instead of all. `network`: what calls in production reach, instead of nothing. `store`: where simulated accounts are kept.
 */
export const sandboxApplicationAt =
  (now: number) =>
  (
    config: { readonly [name: string]: string } = {},
    providers: typeof All = All,
    sources: ReadonlyArray<SimulatorSource> = simulators,
    network: Layer.Layer<HttpClient.HttpClient> = noNetwork,
    store: Layer.Layer<SimulationStore, never, SqlClient.SqlClient> = SimulationStore.layerMemory
  ) =>
    Layer.effect(SandboxApplication, make).pipe(
      Layer.provideMerge(
        application(Layer.mergeAll(providers, ...sources.map(simulatorLayer), Sandbox.layer(sources)))
      ),
      Layer.provideMerge(Layer.mergeAll(store, Faults.layer)),
      Layer.provideMerge(TestDatabase.layer),
      Layer.provide(network),
      Layer.provide(
        Layer.setConfigProvider(
          // the pauses of providers go by the test's clock, which Redis does not know
          ConfigProvider.fromMap(new Map(Object.entries({ RATE_LIMIT: "0", ...config }))).pipe(
            ConfigProvider.orElse(() => withoutRedis)
          )
        )
      ),
      Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
    )

/** The application on the day that most tests are about. */
export const sandboxApplication = sandboxApplicationAt(Date.UTC(2026, 10, 20, 9))

// ---------------------------------------------------------------------------------------------------------------------
// looking at answers

const record = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Found = Schema.decodeUnknownSync(Schema.Struct({ data: record }))
const Page = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      data: Schema.Array(record),
      pagination: Schema.Struct({
        cursor: Schema.NullOr(Schema.String),
        hasMore: Schema.Boolean,
        limit: Schema.Int
      }),
      errors: Schema.optional(Schema.Array(record))
    })
  })
)
const Failure = Schema.decodeUnknownSync(
  Schema.Struct({
    success: Schema.Literal(false),
    statusCode: Schema.Int,
    message: Schema.String,
    code: Schema.String,
    requestId: Schema.NonEmptyString,
    timestamp: Schema.String,
    path: Schema.String,
    errors: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
    limit: Schema.optional(
      Schema.Struct({ name: Schema.String, requests: Schema.Int, seconds: Schema.optional(Schema.Int) })
    ),
    provider: Schema.optional(
      Schema.Struct({
        slug: Schema.String,
        status: Schema.optional(Schema.Int),
        message: Schema.optional(Schema.String),
        done: Schema.optional(Schema.Array(Schema.String))
      })
    )
  }),
  { onExcessProperty: "error" }
)

const insist = (answer: Answer, expected: ReadonlyArray<number>) => {
  if (!expected.includes(answer.status)) {
    throw new Error(`${answer.status} where ${expected.join(" or ")} was expected: ${JSON.stringify(answer.body)}`)
  }
}

/** The record of a successful answer. */
export const recordOf = (answer: Answer): Doc => {
  insist(answer, [200, 201])
  return Found(answer.body).data
}

/** A page of a list. */
export const pageOf = (answer: Answer) => {
  insist(answer, [200])
  return Page(answer.body).data
}

/** The envelope of a failure, which has every member it must have and no other. */
export const failureOf = (answer: Answer) => {
  const failure = Failure(answer.body)
  if (failure.statusCode !== answer.status) throw new Error(`statusCode ${failure.statusCode} on a ${answer.status}`)
  if (answer.headers.get("x-request-id") !== failure.requestId) throw new Error("X-Request-Id is not the requestId")
  return failure
}

/** `[status, code]` of a failure: what most tests assert. */
export const refusalOf = (answer: Answer): readonly [status: number, code: string] => [
  answer.status,
  failureOf(answer).code
]

/** The fields that a 422 names. */
export const errorsOf = (answer: Answer) => {
  insist(answer, [422])
  return failureOf(answer).errors ?? {}
}

/** The objects of a list member of a record. */
export const listOf = (value: unknown): ReadonlyArray<Doc> => Schema.decodeUnknownSync(Schema.Array(record))(value)

/** Follows a list to its end; `limit` may differ from page to page. */
export const walk = Effect.fnUntraced(function* (
  call: Call,
  path: string,
  limit: number | ((page: number) => number) = 100
) {
  const records: Array<Doc> = []
  const sizes: Array<number> = []
  let cursor: string | null = null
  for (let page = 0; page < 5000; page += 1) {
    const size = typeof limit === "number" ? limit : limit(page)
    const query: string = `${path.includes("?") ? "&" : "?"}limit=${size}`
    const { data, errors, pagination } = pageOf(
      yield* call("GET", `${path}${query}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)
    )
    if (errors !== undefined) throw new Error(`a page with errors: ${JSON.stringify(errors)}`)
    if (pagination.limit !== size || data.length > size) throw new Error(`a page of ${data.length} at limit ${size}`)
    if (pagination.hasMore !== (pagination.cursor !== null)) throw new Error("hasMore and cursor disagree")
    records.push(...data)
    sizes.push(data.length)
    cursor = pagination.cursor
    if (cursor === null) return { records, sizes }
  }
  throw new Error(`${path} does not end`)
})
