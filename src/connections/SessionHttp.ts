import {
  HttpClientRequest,
  HttpLayerRouter,
  type HttpMethod,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import { Effect, Layer, Redacted, Schema } from "effect"
import * as Address from "../platform/Address.ts"
import * as Database from "../platform/Database.ts"
import { DiskSpace } from "../platform/DiskSpace.ts"
import { created, ok } from "../platform/Envelope.ts"
import { NotFound, RateLimited, Unauthorized } from "../platform/Errors.ts"
import { headers as limitHeaders, type Policy, RateLimiter } from "../platform/RateLimiter.ts"
import { formLimit, jsonBody, limitedText } from "../platform/Requests.ts"
import type { Authorization, Field } from "../providers/base/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import { accountHeader, ownerHeader, Transport } from "../providers/Transport.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import * as BrowserBinding from "./BrowserBinding.ts"
import { type AttemptState, ConnectAttempts } from "./ConnectAttempts.ts"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import { Consent } from "./Consent.ts"
import { type ConnectSession, ConnectSessions } from "./ConnectSessions.ts"
import { EnteredKeys, secretField } from "./EnteredKeys.ts"
import { type Integration, Integrations, waysOf } from "./Integrations.ts"
import * as OAuth from "./OAuth.ts"
import { reachable, sandboxKey } from "./Sandbox.ts"
import { callbackPage, messagePage } from "./widget/WidgetPages.ts"

/** The routes that the widget's page and the end user's browser call, with their methods. */
export const paths = {
  "/connect/session": ["GET"],
  "/connect/session/:slug/authorize": ["POST"],
  "/connect/session/:slug/credentials": ["POST"],
  "/connect/session/attempts/:id": ["GET"],
  "/connect/session/attempts/:id/choice": ["POST"],
  "/connect/session/attempts/:id/cancel": ["POST"],
  "/connect/go": ["GET"],
  "/connect/callback": ["GET"],
  "/sandbox/:slug/*": ["GET", "POST"]
} as const satisfies { readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod> }

/** A page asks about its attempt once a second. */
const requests: Policy = { name: "connect", limit: 300, window: "1 minute" }

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const readEntered = jsonBody(
  Schema.Struct({
    fields: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) }),
    connectionId: Schema.optional(Schema.UUID)
  }).annotations(strict),
  formLimit
)

const readChoice = jsonBody(Schema.Struct({ value: Schema.String }).annotations(strict), formLimit)

const bearer = /^Bearer (\S+)$/i

// ---------------------------------------------------------------------------------------------------------------------
// contents of the page

const fieldOf = (kind: "plain" | "secret" | "secret text") => (field: Field) => ({
  name: field.name,
  label: field.label,
  help: field.help ?? null,
  placeholder: field.placeholder ?? null,
  required: field.optional !== true,
  options: field.options ?? null,
  secret: kind !== "plain",
  multiline: kind === "secret text"
})

/** The instructions and fields at the start of one way of connecting. */
const wayShown =
  ({ environment }: ConnectSession) =>
  (way: Authorization) => {
    const { fields = [], kind } = way
    if (way.kind === "oauth2") return { kind, help: way.help ?? null, fields: fields.map(fieldOf("plain")) }
    const inSandbox = environment === "sandbox"
    const secret = fieldOf(way.kind === "certificate" ? "secret text" : "secret")(secretField(way))
    // a simulated account opens without the other fields
    const others = fields.map(fieldOf("plain")).map((field) => (inSandbox ? { ...field, required: false } : field))
    return {
      kind,
      help: inSandbox ? `${way.help} In the sandbox, “${sandboxKey}” opens a simulated account.` : way.help,
      fields: [secret, ...others]
    }
  }

/** An integration with the ways to connect it, its own one first. */
const shownTo =
  (session: ConnectSession, held: ReadonlyArray<Connection>) =>
  ({ category, name, slug, ways }: Offered) => {
    const [first, other] = ways.map(wayShown(session))
    return {
      slug,
      name,
      category,
      ...first,
      other: other ?? null,
      connections: held
        .filter(({ provider }) => provider === slug)
        .map(({ accountName, id, reauthBy, status }) => ({ id, accountName, status, reauthBy }))
    }
  }

/** An integration with its available ways. */
interface Offered extends Integration {
  readonly ways: ReadonlyArray<Authorization>
}

// ---------------------------------------------------------------------------------------------------------------------
// routes

/** Routes for the widget's page, which sends the session's token instead of a key. */
const sessionRoutes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const limiter = yield* RateLimiter
    const sessions = yield* ConnectSessions
    const attempts = yield* ConnectAttempts
    const connections = yield* Connections
    const integrations = yield* Integrations
    const consent = yield* Consent
    const keys = yield* EnteredKeys
    const transport = yield* Transport

    /** The session of the request being answered. */
    const admitted = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const [, token] = bearer.exec(request.headers["authorization"] ?? "") ?? []
      const invalid = new Unauthorized({ code: "INVALID_CONNECT_SESSION" })
      if (token === undefined) return yield* invalid
      const session = yield* sessions.find(Redacted.make(token))
      if (session === undefined) return yield* authentication.refuse(request, invalid)
      const decision = yield* limiter.take(session.id, requests)
      if (!decision.allowed) return yield* new RateLimited({ retryAfter: decision.retryAfter })
      return { request, session, limits: limitHeaders([decision, requests]) }
    })

    /** The same, as long as something can be connected in it. */
    const open = Effect.flatMap(admitted, (received) =>
      received.session.isSpent
        ? Effect.fail(new Unauthorized({ code: "INVALID_CONNECT_SESSION" }))
        : Effect.succeed(received)
    )

    type Admitted = Effect.Effect.Success<typeof admitted>

    const answer = ({ limits }: Admitted, body: { readonly statusCode: 200 | 201 }) =>
      HttpServerResponse.unsafeJson(body, {
        status: body.statusCode,
        headers: { ...limits, "cache-control": "no-store" }
      })

    /** Whether a way is available: the provider can be reached, and there is a client to ask for consent with. */
    const isOpen = (environment: Environment, integration: Integration) => (way: Authorization) =>
      way.kind === "oauth2"
        ? OAuth.isConfigured({ provider: integration.slug, environment })
        : Effect.isSuccess(reachable(environment, integration))

    /** Integrations that the session may connect and that have an available way. */
    const offered = ({ environment, integrations: slugs }: ConnectSession) =>
      Effect.forEach(
        integrations.all().filter(({ slug }) => slugs === null || slugs.includes(slug)),
        (integration) =>
          Effect.map(Effect.filter(waysOf(integration), isOpen(environment, integration)), (ways): Offered => ({
            ...integration,
            ways
          }))
      ).pipe(
        Effect.map((all) => all.filter(({ ways }) => ways.length > 0)),
        Effect.provideService(Transport, transport)
      )

    /** The integration in the path, and the values entered for it. */
    const entered = Effect.gen(function* () {
      const received = yield* open
      const { slug = "" } = yield* HttpLayerRouter.params
      const { reconnect, integrations: slugs } = received.session
      const integration = slugs === null || slugs.includes(slug) ? integrations.get(slug) : undefined
      if (integration === undefined) {
        return yield* new NotFound({
          code: "INTEGRATION_NOT_FOUND",
          message: `This session does not connect "${slug}".`
        })
      }
      yield* reachable(received.session.environment, integration)
      const { body } = yield* readEntered(received.request)
      return {
        received,
        integration,
        given: { fields: body.fields, connectionId: body.connectionId ?? reconnect?.connectionId }
      }
    })

    const stateOf = Effect.fnUntraced(function* (session: ConnectSession, id: string) {
      const state: AttemptState | undefined = yield* attempts.state(session, id)
      return state ?? (yield* new NotFound({ code: "ATTEMPT_NOT_FOUND", message: `There is no attempt "${id}".` }))
    })

    /** Acts on the attempt in the path, and answers with its new state. */
    const attempted = <E, R>(act: (received: Admitted, id: string) => Effect.Effect<unknown, E, R>) =>
      Effect.gen(function* () {
        const received = yield* admitted
        const { id = "" } = yield* HttpLayerRouter.params
        yield* stateOf(received.session, id)
        yield* act(received, id)
        return answer(received, ok("connect attempt", yield* stateOf(received.session, id)))
      })

    yield* router.add(
      "GET",
      "/connect/session",
      Effect.gen(function* () {
        const received = yield* open
        const { session } = received
        const held = yield* connections.list(session, { endUserId: session.endUserId })
        return answer(
          received,
          ok("connect session", {
            organisation: { name: session.organisationName },
            endUser: { id: session.endUserId, displayName: session.displayName },
            environment: session.environment,
            expiresAt: session.expiresAt,
            allowedOrigins: session.allowedOrigins,
            redirectUrl: session.redirectUrl,
            reconnect: session.reconnect,
            integrations: (yield* offered(session)).map(shownTo(session, held))
          })
        )
      })
    )
    yield* router.add(
      "POST",
      "/connect/session/:slug/authorize",
      Effect.gen(function* () {
        const { given, integration, received } = yield* entered
        return answer(received, ok("consent asked for", yield* consent.start(received.session, integration, given)))
      })
    )
    yield* router.add(
      "POST",
      "/connect/session/:slug/credentials",
      Effect.gen(function* () {
        const { given, integration, received } = yield* entered
        const { accountName, id } = yield* keys.connect(received.session, integration, given)
        return answer(received, created("account connected", { connectionId: id, accountName }))
      })
    )
    yield* router.add(
      "GET",
      "/connect/session/attempts/:id",
      attempted(() => Effect.void)
    )
    yield* router.add(
      "POST",
      "/connect/session/attempts/:id/choice",
      attempted(({ request, session }, id) =>
        Effect.flatMap(readChoice(request), ({ body }) => consent.choose(session, id, body.value))
      )
    )
    yield* router.add(
      "POST",
      "/connect/session/attempts/:id/cancel",
      attempted(({ session }, id) => consent.cancel(session, id))
    )
  })
)

// ---------------------------------------------------------------------------------------------------------------------
// redirects

/** Shows failures as a page, since people see them here. */
const asPage =
  (disk: DiskSpace["Type"]) =>
  <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.catchAllDefect(answer, (defect) => {
      if (Database.isFull(defect)) return Effect.zipRight(disk.ranOut, away)
      return Database.isAway(defect)
        ? Effect.zipRight(Effect.logWarning("the database is away"), away)
        : Effect.zipRight(Effect.logError("a page was not made", defect), broken)
    })

const away = messagePage({
  title: "This does not work right now",
  message: "Wait for a moment and load this page again. If that does not help, go back to the page where you started.",
  status: 503
})

const broken = messagePage({
  title: "Something went wrong here",
  message: "Go back to the page where you started: it shows whether your account is connected. Try again later.",
  status: 500
})

/** Query parameters that occur once. */
const singles = Effect.map(HttpServerRequest.ParsedSearchParams, (query) =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
)

/** The address that providers send end users back to. */
const callbackRoute = HttpLayerRouter.use((router) =>
  Effect.flatMap(Effect.all([Consent, DiskSpace]), ([consent, disk]) =>
    router.add(
      "GET",
      "/connect/callback",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const query = yield* singles
        const { state = "" } = query
        const isBound = yield* BrowserBinding.isBound(request, state)
        const outcome = yield* consent.finish(query, isBound)
        const page = HttpServerResponse.setStatus(callbackPage(outcome), outcome.attemptId === null ? 400 : 200)
        return isBound ? yield* BrowserBinding.unbind(page, state) : page
      }).pipe(asPage(disk))
    )
  )
)

/** Sends the end user on to the provider, from the connect page only. */
const goRoute = HttpLayerRouter.use((router) =>
  Effect.flatMap(Effect.all([Consent, DiskSpace]), ([consent, disk]) =>
    router.add(
      "GET",
      "/connect/go",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!BrowserBinding.isFromHere(request)) {
          yield* Effect.logWarning(
            "A way to a provider was not opened",
            "the browser came from elsewhere than PUBLIC_URL"
          )
          return yield* notFromHere
        }
        const { state = "" } = yield* singles
        const page = yield* consent.pageFor(state)
        if (page === undefined) return yield* noConsent
        const response = HttpServerResponse.empty({
          status: 303,
          headers: { location: page.address, "cache-control": "no-store", "referrer-policy": "no-referrer" }
        })
        return yield* BrowserBinding.bind(response, state)
      }).pipe(asPage(disk))
    )
  )
)

const notFromHere = messagePage({
  title: "This address cannot be opened by itself",
  message:
    "It leads on from the page on which you connect your account, and only there. If somebody sent it to you, do not go on.",
  status: 403
})

const noConsent = messagePage({
  title: "There is nothing to consent to",
  message: "This page belongs to an attempt to connect an account that is over. Go back to where you started.",
  status: 404
})

/**
 * The consent pages of the simulators. They exist only for an attempt in the sandbox that waits for consent, exactly as it
 * asks for it, and are about the account that its connection names.
 */
const sandboxRoutes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const consent = yield* Consent
    const disk = yield* DiskSpace
    const transport = yield* Transport
    const publicUrl = yield* Address.publicUrl

    const page = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { state = "" } = yield* singles
      const asked = yield* consent.pageFor(state)
      if (asked?.attempt.environment !== "sandbox" || asked.address !== publicUrl + request.url) return yield* noConsent
      const simulator = transport.to("sandbox", asked.attempt.integration)
      if (simulator === undefined) return yield* noConsent
      const forwarded = HttpClientRequest.make(request.method === "POST" ? "POST" : "GET")(asked.url, {
        headers: { [accountHeader]: asked.attempt.connectionId, [ownerHeader]: asked.attempt.endUser }
      })
      const response = yield* simulator.execute(
        request.method === "POST"
          ? HttpClientRequest.bodyText(
              forwarded,
              yield* limitedText(request, formLimit),
              "application/x-www-form-urlencoded"
            )
          : forwarded
      )
      return HttpServerResponse.text(yield* response.text, {
        status: response.status,
        headers: response.headers,
        contentType: response.headers["content-type"]
      })
    }).pipe(Effect.scoped, asPage(disk))

    for (const method of paths["/sandbox/:slug/*"]) yield* router.add(method, "/sandbox/:slug/*", page)
  })
)

export const routes = Layer.mergeAll(sessionRoutes, goRoute, callbackRoute, sandboxRoutes)
