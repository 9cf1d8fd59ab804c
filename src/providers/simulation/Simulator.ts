import {
  type HttpBody,
  HttpClient,
  HttpClientError,
  HttpClientResponse,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import { FindMyWay } from "@effect/platform/HttpLayerRouter"
import { Data, Effect, Either, Layer, Schema, Stream } from "effect"
import { IncomingMessage } from "node:http"
import { decoder, issuesOf } from "../../platform/Issues.ts"
import { ownerHeader, Transport } from "../Transport.ts"
import type { Requirement } from "../Requirement.ts"
import { type Account, marker, type State } from "./Account.ts"
import { accountNumber } from "./AccountNumber.ts"
import type { Reply, SimulatedRequest } from "./Exchange.ts"
import { Faults, PortFault } from "./Faults.ts"
import { isWithout, withdraw } from "./Features.ts"
import { type Limits, makeCounts, Strictness } from "./Limits.ts"
import { noting, Pushes, type Pushing } from "./Pushes.ts"
import { SimulationStore } from "./SimulationStore.ts"
import { type Kind, unfit } from "./table/Kind.ts"

export type { Reply, SimulatedRequest } from "./Exchange.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

export interface Route {
  readonly method: Method
  /** Path with `:name` places. */
  readonly path: string
  /** True where no token is needed, as at token endpoints. */
  readonly open?: boolean
  /** Cost of a call, where the provider counts something other than calls. */
  readonly cost?: number
  /** Milliseconds by which the data shown lags in strict mode: a search over an index. */
  readonly lag?: number
  /** Names the account of an open route; the account is made when the route stores something in it. */
  readonly account?: (request: SimulatedRequest) => string
  /** `features`: features that the simulator's accounts may lack. */
  readonly handle: (request: SimulatedRequest, account: Account, features: ReadonlyArray<Feature>) => Reply
}

/** A feature that a provider's account, or the application that asks, may lack. */
export interface Feature extends Requirement {
  /** The provider's response to an account without the feature; undefined where the request does not need it. */
  readonly refuse?: (request: SimulatedRequest, account: Account) => Reply | undefined
}

/** The refusal of a request that needs a feature its account lacks. */
const refusalFor = ({ features = [] }: Simulator, request: SimulatedRequest, account: Account): Reply | undefined =>
  features
    .filter((feature) => isWithout(account, feature))
    .map(({ refuse }) => refuse?.(request, account))
    .find((refusal) => refusal !== undefined)

/** A provider's API in memory: its own paths, paging, error bodies and limits, over the records of an account. */
export interface Simulator {
  readonly slug: string
  readonly routes: ReadonlyArray<Route>
  /** Kinds of records behind the routes; one without its id, or with a link to a kind that is not here, is refused. */
  readonly kinds?: ReadonlyArray<Kind>
  /** The token a request carries; undefined when it carries none. */
  readonly tokenOf: (request: SimulatedRequest) => string | undefined
  /** For a token request: the token (refresh token, code) that leads to the account. */
  readonly accountOf?: (request: SimulatedRequest) => string | undefined
  /** The provider's own values beside an account's tokens, such as `instanceUrl` or `realmId`. */
  readonly values?: (account: string) => { readonly [name: string]: string }
  /** Sample data shared by accounts that begin at a moment (milliseconds since 1970), made by `dailySample`. */
  readonly sample: (now: number) => State
  /** Sets a new account's own values in place of the sample's. */
  readonly begin?: (account: Account) => void
  /** The provider's own id of an account, where its pushes name it. */
  readonly accountId?: (account: string) => string
  /** Pushes of changes, where the provider has them. */
  readonly pushes?: Pushing
  /** Limits as the provider documents them; enforced in strict mode. */
  readonly limits?: Limits
  /** Features that an account may be made without; it has all of them unless asked otherwise. */
  readonly features?: ReadonlyArray<Feature>
  /** Scopes of an account's tokens, where the provider states them. */
  readonly scopes?: (account: Account) => ReadonlyArray<string>
  /** The provider's own words for failures that no route decides. */
  readonly failures: {
    readonly unauthorized: Reply
    /** For a token request whose token belongs to no account. */
    readonly badGrant?: (request: SimulatedRequest) => Reply
    readonly notFound: (request: SimulatedRequest) => Reply
    readonly methodNotAllowed: (request: SimulatedRequest) => Reply
    readonly rateLimited: (retryAfter: number) => Reply
    readonly broken: (status: number) => Reply
    /** For a request without a `User-Agent`, where the provider documents that it refuses those. */
    readonly anonymous?: Reply
  }
  /** Headers on every authorised response, such as the rest of a limit, from `leftOf`. */
  readonly headers?: (account: Account) => { readonly [name: string]: string }
}

// Tokens: `<account>.<random>`, kept in the account so that they can expire and be revoked.

export const tokens = "oauth_token"

/** Tokens of a connection to a simulated account. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Seconds. */
  readonly expiresIn: number
}

/** The account that a token opens; empty when it is no token of a simulated account. */
export const accountIn = (token: string) => token.slice(0, Math.max(0, token.lastIndexOf(".")))

/** Makes an account's access and refresh token, good for some seconds; without `refreshExpiresIn` the latter never ends. */
export const issueTokens = (account: Account, expiresIn: number, refreshExpiresIn?: number): IssuedTokens => {
  const accessToken = `${account.name}.at${account.nextId()}-${crypto.randomUUID()}`
  const refreshToken = `${account.name}.rt${account.nextId()}-${crypto.randomUUID()}`
  account.put(tokens, accessToken, { kind: "access", expiresAt: account.now + expiresIn * 1000 })
  const end = refreshExpiresIn === undefined ? {} : { expiresAt: account.now + refreshExpiresIn * 1000 }
  account.put(tokens, refreshToken, { kind: "refresh", ...end })
  return { accessToken, refreshToken, expiresIn }
}

/** Whether a token of a kind is good now. */
export const isTokenGood = (account: Account, kind: "access" | "refresh", token: string): boolean => {
  const held = account.get(tokens, token)
  return held?.kind === kind && (typeof held.expiresAt !== "number" || held.expiresAt > account.now)
}

/** Revokes a token at once. */
export const revokeToken = (account: Account, token: string): void => account.remove(tokens, token)

/** User and password of basic authentication; undefined when a request has none. */
export const basicOf = ({ headers }: Pick<SimulatedRequest, "headers">) => {
  const credentials = /^Basic ([\w+/=-]+)$/i.exec(headers.authorization ?? "")?.[1] ?? ""
  const [, user, password] = /^([^:]+):(.*)$/s.exec(Buffer.from(credentials, "base64").toString("utf8")) ?? []
  return user === undefined || password === undefined ? undefined : { user, password }
}

/** The client that a token request names by basic authentication, with a secret. */
export const clientNamed = (request: SimulatedRequest): string | undefined => {
  const named = basicOf(request)
  return named?.password === "" ? undefined : named?.user
}

/** Expires every access token of an account, as tests of expiry in mid-walk need. */
export const expireAccessTokens = (account: Account): void => {
  for (const [token, held] of account.entries(tokens)) if (held.kind === "access") account.remove(tokens, token)
}

/**
 * Makes a simulated account, if there is none of that name, and tokens for it. `owner`: UUID of an end user; `lacks`:
 * features that a new account is made without.
 */
export const connect = (
  simulator: Simulator,
  account: string,
  expiresIn = 3600,
  owner?: string,
  lacks: ReadonlyArray<Requirement> = []
) =>
  Effect.flatMap(SimulationStore, (store) =>
    store.make(
      simulator.slug,
      account,
      (held) => {
        if (lacks.length > 0) withdraw(held, lacks)
        return issueTokens(held, expiresIn)
      },
      owner
    )
  )

// ---------------------------------------------------------------------------------------------------------------------

const methods: ReadonlyArray<Method> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/** A request before a route is found for it. */
export type BareRequest = Omit<SimulatedRequest, "params">

/** A request before its body is read. */
type Head = Omit<BareRequest, "text" | "bytes">

const none = new Uint8Array()

/** The connection closes without an answer. */
class Dropped extends Data.TaggedError("Dropped") {}

/** Withdraws a feature from one new account in ten, always the same ones. */
const lackSomething = ({ features = [] }: Simulator, account: Account): void => {
  const number = accountNumber(account, 9)
  const feature = features[Math.floor(number / 10) % features.length]
  if (number % 10 > 0 || feature === undefined || account.get(marker.type, marker.id) !== undefined) return
  withdraw(account, [feature])
}

/** Answers requests as the provider would, and misbehaves as asked. */
const answering = Effect.fnUntraced(function* (simulator: Simulator) {
  const mistakes = unfit(simulator.kinds ?? [])
  if (mistakes.length > 0) return yield* Effect.dieMessage(`the simulator of ${simulator.slug}: ${mistakes.join("; ")}`)
  const store = yield* SimulationStore
  const faults = yield* Faults
  const strictness = yield* Strictness
  const pushes = yield* Pushes
  const { features = [] } = simulator
  const counts = makeCounts(simulator.limits ?? { windows: [] }, strictness)
  const router = FindMyWay.make<Route>({ ignoreTrailingSlash: true })
  for (const route of simulator.routes) router.on(route.method, `/${route.path.replace(/^\//, "")}`, route)

  /** The account as a route shows it. */
  const shownBy = ({ lag }: Route, account: Account): Account =>
    strictness.isStrict && lag !== undefined ? (account.before?.(lag) ?? account) : account

  const decide = Effect.fnUntraced(function* (request: BareRequest, expire: boolean, calls: number) {
    const bare = { ...request, params: {} }
    const method = methods.find((one) => one === request.method)
    const found = method === undefined ? undefined : router.find(method, request.path)
    if (found === undefined) {
      const routesElsewhere = methods.flatMap((one) => router.find(one, request.path) ?? [])
      return routesElsewhere.length > 0 ? simulator.failures.methodNotAllowed(bare) : simulator.failures.notFound(bare)
    }
    const params = Object.fromEntries(Object.entries(found.params).map(([name, value]) => [name, value ?? ""]))
    const matched: SimulatedRequest = { ...request, params }
    const route = found.handler
    const isOpen = route.open === true
    if (route.account !== undefined) {
      return yield* store.make(
        simulator.slug,
        route.account(matched),
        (account) => {
          if (strictness.isStrict && method !== "GET") lackSomething(simulator, account)
          return route.handle(matched, account, features)
        },
        request.headers[ownerHeader]
      )
    }
    const { anonymous } = simulator.failures
    const isAnonymous = !isOpen && (request.headers["user-agent"] ?? "") === ""
    if (anonymous !== undefined && strictness.isStrict && isAnonymous) return anonymous
    const token = isOpen ? simulator.accountOf?.(matched) : simulator.tokenOf(matched)
    if (token === undefined && !isOpen) return simulator.failures.unauthorized
    const ways = simulator.pushes === undefined || pushes === undefined ? undefined : yield* pushes.of(simulator.slug)
    const respond = (own: Account) => {
      const { account, changed } = ways === undefined ? { account: own, changed: () => [] } : noting(own)
      const reply = replyOf(account)
      return { reply, pushed: ways === undefined ? [] : (simulator.pushes?.(own, changed(), ways.target) ?? []) }
    }
    const replyOf = (account: Account): Reply => {
      if (expire) expireAccessTokens(account)
      if (!isOpen && !isTokenGood(account, "access", token ?? "")) return simulator.failures.unauthorized
      const refusal = isOpen
        ? undefined
        : (counts.spend(matched, route.cost ?? 1, account, calls) ?? refusalFor(simulator, matched, account))
      const reply = refusal ?? route.handle(matched, shownBy(route, account), features)
      return { ...reply, headers: { ...simulator.headers?.(account), ...reply.headers } }
    }
    // sample data comes with an account's first request
    const { pushed = [], reply } = (yield* store.run(simulator.slug, accountIn(token ?? ""), respond, simulator)) ?? {}
    if (pushes !== undefined && pushed.length > 0) yield* pushes.send(simulator.slug, pushed)
    return reply ?? (isOpen ? simulator.failures.badGrant?.(matched) : undefined) ?? simulator.failures.unauthorized
  })

  const answer = Effect.fnUntraced(function* (head: Head, readBody: Effect.Effect<Uint8Array>) {
    const asked = yield* faults.take(simulator.slug, head.method, head.path)
    for (const one of asked) {
      if (one.kind === "latency" && one.after !== true) yield* Effect.sleep(one.milliseconds)
      if (one.kind === "drop" && one.after !== true) return yield* new Dropped()
      if (one.kind === "limit") return simulator.failures.rateLimited(one.retryAfter)
      if (one.kind === "status") return simulator.failures.broken(one.status)
      if (one.kind === "html")
        return {
          status: one.status,
          headers: { "content-type": "text/html" },
          body: "<html><body>Bad gateway</body></html>"
        }
    }
    const bytes = yield* readBody
    const late = asked.reduce(
      (sum, one) => sum + (one.kind === "latency" && one.after === true ? one.milliseconds : 0),
      0
    )
    const reply: Reply = yield* decide(
      { ...head, bytes, text: new TextDecoder().decode(bytes), answeredAfter: late },
      asked.some((one) => one.kind === "expire"),
      asked.find((one) => one.kind === "spend")?.calls ?? 1
    )
    if (late > 0) yield* Effect.sleep(late)
    for (const one of asked) {
      if (one.kind === "drop") return yield* new Dropped()
      if (one.kind === "empty") return { status: 200 }
      if (one.kind === "half") {
        const content = contentOf(reply)
        return { ...reply, body: content.slice(0, Math.floor(content.length / 2)) }
      }
    }
    return reply
  })

  return (head: Head, readBody: Effect.Effect<Uint8Array>) => {
    const request = { ...head, params: {}, text: "", bytes: none }
    return counts.beside(request, accountIn(simulator.tokenOf(request) ?? ""), answer(head, readBody))
  }
})

const contentOf = ({ body }: Reply): string | Uint8Array =>
  typeof body === "string" || body instanceof Uint8Array ? body : body === undefined ? "" : JSON.stringify(body)

const headersOf = (reply: Reply) => ({
  ...(reply.body === undefined ? {} : { "content-type": "application/json;charset=utf-8" }),
  ...reply.headers
})

/** A simulator as an `HttpClient` that reaches it, whatever host a request names. */
export const client = (simulator: Simulator) =>
  Effect.map(answering(simulator), (answer) =>
    HttpClient.make((request, url) =>
      Effect.gen(function* () {
        const reply = yield* answer(
          {
            method: request.method,
            path: url.pathname,
            query: url.searchParams,
            headers: {
              ...request.headers,
              ...(request.body.contentType === undefined ? {} : { "content-type": request.body.contentType })
            }
          },
          bytesOf(request.body)
        )
        const content = contentOf(reply)
        return HttpClientResponse.fromWeb(
          request,
          new Response(content.length === 0 ? null : content, { status: reply.status, headers: headersOf(reply) })
        )
      }).pipe(
        Effect.catchTag("Dropped", () =>
          Effect.fail(
            new HttpClientError.RequestError({ request, reason: "Transport", description: "connection closed" })
          )
        )
      )
    )
  )

/** The bytes of a body; never completes for one that breaks off. */
const bytesOf = (body: HttpBody.HttpBody): Effect.Effect<Uint8Array> => {
  switch (body._tag) {
    case "Uint8Array":
      return Effect.succeed(body.body)
    case "Raw":
      return Effect.succeed(typeof body.body === "string" ? Buffer.from(body.body) : none)
    case "FormData":
      return Effect.promise(async () => Buffer.from(await new Response(body.formData).arrayBuffer()))
    case "Stream":
      return Effect.orDie(Effect.map(Stream.runCollect(body.stream), (chunks) => Buffer.concat([...chunks])))
    default:
      return Effect.succeed(none)
  }
}

/** Path for faults of a simulator on a port: POST adds one, DELETE clears all. */
const faultsPath = "/_faults"

const readFault = decoder(Schema.parseJson(PortFault))

const answerFaults = (faults: Faults["Type"], provider: string, method: string, text: string) => {
  if (method === "DELETE") return Effect.as(faults.clear, HttpServerResponse.empty())
  return Either.match(readFault(text), {
    onLeft: (error) => Effect.succeed(HttpServerResponse.unsafeJson({ errors: issuesOf(error) }, { status: 400 })),
    onRight: (fault) => Effect.as(faults.add({ provider, ...fault }), HttpServerResponse.empty())
  })
}

/** A simulator as an HTTP application, to be served on a port for the provider's own client libraries. */
export const app = (simulator: Simulator) =>
  Effect.map(Effect.all([answering(simulator), Faults]), ([answer, faults]) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const url = new URL(request.originalUrl, "http://simulator")
      if (url.pathname === faultsPath) {
        const text = yield* Effect.orElseSucceed(request.text, () => "")
        return yield* answerFaults(faults, simulator.slug, request.method, text)
      }
      const reply = yield* answer(
        { method: request.method, path: url.pathname, query: url.searchParams, headers: request.headers },
        Effect.orDie(Effect.map(request.arrayBuffer, (body) => new Uint8Array(body)))
      )
      const head = { status: reply.status, headers: headersOf(reply) }
      // no body, no content type
      if (reply.body === undefined) return HttpServerResponse.empty(head)
      return HttpServerResponse.uint8Array(Buffer.from(contentOf(reply)), {
        ...head,
        contentType: head.headers["content-type"]
      })
    }).pipe(
      Effect.catchTag("Dropped", () =>
        Effect.map(HttpServerRequest.HttpServerRequest, ({ source }) => {
          if (source instanceof IncomingMessage) source.socket.destroy()
          return HttpServerResponse.empty()
        })
      )
    )
  )

/** A simulator that is loaded when it is first needed: production needs none. */
export interface SimulatorSource {
  readonly slug: string
  readonly load: Effect.Effect<Simulator>
}

export const source = (slug: string, load: () => Promise<{ readonly simulator: Simulator }>): SimulatorSource => ({
  slug,
  load: Effect.map(Effect.promise(load), ({ simulator }) => simulator)
})

/**
 * The Layer of a simulator: sandbox calls to its provider reach it. A call without a `User-Agent` is a defect here, as some
 * providers refuse it (https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent).
 */
export const layer = ({ load, slug }: SimulatorSource) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const transport = yield* Transport
      const context = yield* Effect.context<SimulationStore | Faults>()
      const loaded = yield* Effect.cached(Effect.provide(Effect.flatMap(load, client), context))
      yield* transport.simulate(
        slug,
        HttpClient.make((request) =>
          request.headers["user-agent"] === undefined
            ? Effect.dieMessage(`a call to ${slug} has no User-Agent`)
            : Effect.flatMap(loaded, (simulated) => simulated.execute(request))
        )
      )
    })
  )
