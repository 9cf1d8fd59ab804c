import { HttpApiBuilder, HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Array, Effect, Layer, Redacted } from "effect"
import { created, ok } from "../platform/Envelope.ts"
import { NotFound, RateLimited, Unauthorized } from "../platform/Errors.ts"
import { headers as limitHeaders, type Policy, RateLimiter } from "../platform/RateLimiter.ts"
import { formLimit, jsonBody } from "../platform/Requests.ts"
import type { Authorization, Field } from "../providers/base/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import { Transport } from "../providers/Transport.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import { ConnectAttempts } from "./ConnectAttempts.ts"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import { Consent } from "./Consent.ts"
import { type ConnectSession, ConnectSessions } from "./ConnectSessions.ts"
import { EnteredKeys, secretField } from "./EnteredKeys.ts"
import { type Integration, Integrations, waysOf } from "./Integrations.ts"
import * as OAuth from "./OAuth.ts"
import { reachable, sandboxKey } from "./Sandbox.ts"
import {
  Choice,
  CurrentSession,
  Entered,
  type OfferedIntegration,
  SessionAuthorization,
  type Way,
  PageApi
} from "./SessionApi.ts"

/** A page asks about its attempt once a second. */
const requests: Policy = { name: "connect", limit: 300, window: "1 minute" }

const readEntered = jsonBody(Entered, formLimit)
const readChoice = jsonBody(Choice, formLimit)

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
  (way: Authorization): typeof Way.Type => {
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
  ({ category, name, slug, ways }: Offered): typeof OfferedIntegration.Type => {
    const [first, other] = Array.map(ways, wayShown(session))
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
  readonly ways: Array.NonEmptyReadonlyArray<Authorization>
}

// ---------------------------------------------------------------------------------------------------------------------
// routes

const invalid = new Unauthorized({ code: "INVALID_CONNECT_SESSION" })

/** Finds the session by the token that the page sends in place of a key. */
const SessionAuthorizationLive = Layer.effect(
  SessionAuthorization,
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const limiter = yield* RateLimiter
    const sessions = yield* ConnectSessions

    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const [, token] = bearer.exec(request.headers["authorization"] ?? "") ?? []
      if (token === undefined) return yield* invalid
      const session = yield* sessions.find(Redacted.make(token))
      if (session === undefined) return yield* authentication.refuse(request, invalid)
      const decision = yield* limiter.take(session.id, requests)
      if (!decision.allowed) return yield* new RateLimited({ retryAfter: decision.retryAfter })
      const limits = limitHeaders([decision, requests])
      yield* HttpApp.appendPreResponseHandler((_, response) =>
        Effect.succeed(response.status < 400 ? HttpServerResponse.setHeaders(response, limits) : response)
      )
      return session
    })
  })
)

/** The session, as long as something can be connected in it. */
const open = Effect.filterOrFail(
  CurrentSession,
  ({ isSpent }) => !isSpent,
  () => invalid
)

export const ConnectSessionLive = HttpApiBuilder.group(PageApi, "connectSession", (handlers) =>
  Effect.gen(function* () {
    const attempts = yield* ConnectAttempts
    const connections = yield* Connections
    const integrations = yield* Integrations
    const consent = yield* Consent
    const keys = yield* EnteredKeys
    const transport = yield* Transport

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
          Effect.map(
            Effect.filter(waysOf(integration), isOpen(environment, integration)),
            (ways): ReadonlyArray<Offered> => (Array.isNonEmptyReadonlyArray(ways) ? [{ ...integration, ways }] : [])
          )
      ).pipe(
        Effect.map((all) => all.flat()),
        Effect.provideService(Transport, transport)
      )

    /** The integration in the path, and the values entered for it. */
    const entered = Effect.fnUntraced(function* (slug: string, request: HttpServerRequest.HttpServerRequest) {
      const session = yield* open
      const { environment, integrations: slugs, reconnect } = session
      const integration = slugs === null || slugs.includes(slug) ? integrations.get(slug) : undefined
      if (integration === undefined) {
        return yield* new NotFound({
          code: "INTEGRATION_NOT_FOUND",
          message: `This session does not connect "${slug}".`
        })
      }
      yield* reachable(environment, integration)
      const { body } = yield* readEntered(request)
      return {
        session,
        integration,
        given: { fields: body.fields, connectionId: body.connectionId ?? reconnect?.connectionId }
      }
    })

    const stateOf = Effect.fnUntraced(function* (session: ConnectSession, id: string) {
      const state = yield* attempts.state(session, id)
      return state ?? (yield* new NotFound({ code: "ATTEMPT_NOT_FOUND", message: `There is no attempt "${id}".` }))
    })

    /** Acts on an attempt, and answers with its new state. */
    const attempted = Effect.fnUntraced(function* <E, R>(
      id: string,
      act: (session: ConnectSession) => Effect.Effect<unknown, E, R>
    ) {
      const session = yield* CurrentSession
      yield* stateOf(session, id)
      yield* act(session)
      return ok("connect attempt", yield* stateOf(session, id))
    })

    return handlers
      .handle("session", () =>
        Effect.gen(function* () {
          const session = yield* open
          const held = yield* connections.list(session, { endUserId: session.endUserId })
          return ok("connect session", {
            organisation: { name: session.organisationName },
            endUser: { id: session.endUserId, displayName: session.displayName },
            environment: session.environment,
            expiresAt: session.expiresAt,
            allowedOrigins: session.allowedOrigins,
            redirectUrl: session.redirectUrl,
            reconnect: session.reconnect,
            integrations: (yield* offered(session)).map(shownTo(session, held))
          })
        })
      )
      .handleRaw("authorize", ({ path, request }) =>
        Effect.gen(function* () {
          const { given, integration, session } = yield* entered(path.slug, request)
          return ok("consent asked for", yield* consent.start(session, integration, given))
        })
      )
      .handleRaw("credentials", ({ path, request }) =>
        Effect.gen(function* () {
          const { given, integration, session } = yield* entered(path.slug, request)
          const { accountName, id } = yield* keys.connect(session, integration, given)
          return created("account connected", { connectionId: id, accountName })
        })
      )
      .handle("attempt", ({ path }) => attempted(path.id, () => Effect.void))
      .handleRaw("choose", ({ path, request }) =>
        attempted(path.id, (session) =>
          Effect.flatMap(readChoice(request), ({ body }) => consent.choose(session, path.id, body.value))
        )
      )
      .handle("cancel", ({ path }) => attempted(path.id, (session) => consent.cancel(session, path.id)))
  })
).pipe(Layer.provide(SessionAuthorizationLive))
