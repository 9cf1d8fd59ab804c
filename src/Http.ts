import {
  HttpClient,
  HttpLayerRouter,
  HttpMiddleware,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
  HttpTraceContext
} from "@effect/platform"
import { Cause, Clock, Context, Effect, FiberRef, flow, HashMap, Layer, Option, Tracer } from "effect"
import { randomUUID } from "node:crypto"
import { AgentApi } from "./agent/Api.ts"
import { ChatLive } from "./agent/ChatHttp.ts"
import * as Cors from "./agent/Cors.ts"
import * as AgentHttp from "./agent/Http.ts"
import { RuntimeLive } from "./agent/RuntimeHttp.ts"
import { RuntimeAuthorizationLive, WorkspaceAuthorizationLive } from "./agent/WorkspaceAuthorization.ts"
import { ManagementApi } from "./Api.ts"
import { ApprovalsLive } from "./approvals/Http.ts"
import { ToolCallsLive } from "./audit/Http.ts"
import * as ApprovalPages from "./authorization/ApprovalPages.ts"
import { McpAccessLive, SignInLive } from "./authorization/Http.ts"
import * as InteractionHttp from "./authorization/InteractionHttp.ts"
import * as ConsolePages from "./authorization/ConsolePages.ts"
import * as OAuthHttp from "./authorization/OAuthHttp.ts"
import { challengeOf, workspaceInPath } from "./authorization/Resource.ts"
import { find } from "./canonical/Catalogue.ts"
import { ConnectionsLive, ConnectLive } from "./connections/Http.ts"
import { Integrations } from "./connections/Integrations.ts"
import { Sandbox } from "./connections/Sandbox.ts"
import * as ConsentPages from "./connections/ConsentPages.ts"
import { PageApi } from "./connections/SessionApi.ts"
import { ConnectSessionLive } from "./connections/SessionHttp.ts"
import * as WidgetRoutes from "./connections/widget/WidgetRoutes.ts"
import * as ConsoleHttp from "./console/Http.ts"
import * as Documents from "./Documents.ts"
import { EndUsersLive } from "./endusers/Http.ts"
import { EventsLive } from "./events/Http.ts"
import { FieldMappingsLive } from "./fieldmappings/Http.ts"
import * as HooksHttp from "./hooks/Http.ts"
import { RoutedPassthroughApi } from "./passthrough/Api.ts"
import { PassthroughLive } from "./passthrough/Http.ts"
import * as Address from "./platform/Address.ts"
import * as Database from "./platform/Database.ts"
import * as Deadline from "./platform/Deadline.ts"
import { DiskSpace } from "./platform/DiskSpace.ts"
import { endUserOf } from "./platform/EndUserHeader.ts"
import {
  type ApiError,
  BadRequest,
  GatewayTimeout,
  headersOf,
  InternalError,
  isApiError,
  MethodNotAllowed,
  NotFound,
  pathOf,
  toBody,
  Unavailable,
  shortPath
} from "./platform/Errors.ts"
import type { ErrorCode } from "./platform/ErrorCodes.ts"
import { isKeyMissing } from "./platform/Encryption.ts"
import * as Health from "./platform/Health.ts"
import * as Metrics from "./platform/Metrics.ts"
import { basePath } from "./platform/Paths.ts"
import { memoize } from "./platform/Memoize.ts"
import {
  attributesOf,
  newNotes,
  noting,
  type RequestNotes,
  requestNotes,
  type ToldFailure
} from "./platform/RequestNotes.ts"
import { bodyLimit, isEncoded } from "./platform/Requests.ts"
import { makeTimeLimit } from "./platform/TimeLimit.ts"
import { ProvidersLive } from "./providers/Http.ts"
import * as RecordsHttp from "./records/Http.ts"
import { described } from "./requests/Described.ts"
import { RequestsLive } from "./requests/Http.ts"
import { logged, unmatched } from "./requests/Logged.ts"
import { RequestLog } from "./requests/RequestLog.ts"
import { type KnownRoute, routeTable } from "./RouteTable.ts"
import { Authentication, AuthorizationLive } from "./tenancy/Authentication.ts"
import { AllowedOriginsLive, ApiKeysLive } from "./tenancy/Http.ts"
import * as Welcome from "./Welcome.ts"
import { WebhooksLive } from "./webhooks/Http.ts"
import { WatchesLive } from "./watches/Http.ts"

// ---------------------------------------------------------------------------------------------------------------------
// one answer for every outcome

const failureResponse = (error: ApiError) =>
  Effect.map(toBody(error), (body) =>
    HttpServerResponse.unsafeJson(body, { status: error.status, headers: headersOf(error) })
  )

/** Tells callers that are refused how to ask for access, and at a workspace where, or that they have to ask for more. */
const challenges = Effect.map(
  Address.publicUrl,
  (publicUrl) =>
    (path: string, status: number, { code }: ToldFailure): Record<string, string> => {
      const lacksScope = code === "INSUFFICIENT_SCOPE"
      if (status !== 401 && !lacksScope) return {}
      return { "www-authenticate": challengeOf(publicUrl, workspaceInPath(path), lacksScope) }
    }
)

const noRoute = (route: KnownRoute | undefined, request: HttpServerRequest.HttpServerRequest): ApiError => {
  const path = pathOf(request)
  if (route === undefined) return isEncoded(path) ? new NotFound(unknownPath(path)) : misencoded
  return new MethodNotAllowed({
    message: `${request.method} is not possible on ${shortPath(path)}.`,
    allow: [...route.methods]
  })
}

/** The router finds nothing where an escape cannot be read. */
const misencoded = new BadRequest({
  code: "INVALID_PARAMETER",
  message: "path: a % must begin an escape such as %20, of UTF-8; a plain one is %25."
})

/** `/crm/contcat` is an unknown resource; any other unknown path is just not found. */
const unknownPath = (path: string): { readonly code: ErrorCode; readonly message: string } => {
  const [, category, resource] = /^\/api\/v1\/(crm|accounting)\/([^/]+)/.exec(path) ?? []
  const isKnown = (category === "crm" || category === "accounting") && find(category, resource ?? "") !== undefined
  return category === undefined || resource === undefined || isKnown
    ? { code: "NOT_FOUND", message: `There is nothing at ${path}.` }
    : { code: "RESOURCE_UNKNOWN", message: `There is no ${category} resource ${resource}.` }
}

/** Notes that the request being answered does nothing that needs a scope. */
const needsNothing = noting((notes) => {
  notes.needs = "any"
})

const databaseAway = new Unavailable({ message: "The service's database does not answer.", retryAfter: 1 })

const databaseFull = new Unavailable({
  message: "The service's database has no space left, so this could not be stored.",
  retryAfter: 5
})

const holdsNul = new BadRequest({
  code: "INVALID_PARAMETER",
  message: "The address holds a NUL character (%00), which no id or parameter can have."
})

const attachments = `${basePath}/accounting/attachment`

/** Whether a body is larger than JSON may be, or does not say how large it is. */
const isLarge = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > bodyLimit

/** Seconds that a request may take; undefined for tool calls and chat, which have limits of their own. */
const secondsOf = (
  request: HttpServerRequest.HttpServerRequest,
  template: string | undefined,
  requestTimeout: number
): number | undefined => {
  if (template?.startsWith(`${basePath}/mcp/:`) === true) return undefined
  const isFile =
    (request.method === "POST" && template === attachments) ||
    template === `${attachments}/:id/content` ||
    (template?.startsWith(`${basePath}/passthrough/`) === true && isLarge(request))
  return isFile ? Deadline.fileTime : requestTimeout
}

/** The answer to a request whose time is up: nothing more is sent to providers, but what was begun is finished. */
const tooLate = ({ begun, changed }: Deadline.Deadline, isRead: boolean, seconds: number): ApiError => {
  if (changed !== undefined) {
    return new GatewayTimeout({
      message: `${changed} did not answer within ${seconds} seconds. What was sent is finished; the same request with its Idempotency-Key tells how it ended.`,
      provider: { slug: changed }
    })
  }
  const late = `The request had no answer within ${seconds} seconds`
  if (isRead && !begun) return new Unavailable({ message: `${late}.`, retryAfter: Deadline.retryAfter })
  return new GatewayTimeout({
    code: "REQUEST_TIMEOUT",
    message: begun
      ? `${late}. It was begun and is being finished: look whether it is done before you send it again. With an Idempotency-Key, the same request tells how it ended.`
      : `${late} and was broken off. It may have been done all the same: look before you send it again.`
  })
}

/** A client's own request id is kept when it is harmless in a log. */
const requestIdOf = (request: HttpServerRequest.HttpServerRequest) => {
  const sent = request.headers["x-request-id"]
  return sent !== undefined && /^[A-Za-z0-9._-]{8,128}$/.test(sent) ? sent : randomUUID()
}

/**
 * Wraps every request: its id, the envelope for every failure, the log line and the metrics. Under the base path 401 comes
 * before anything else, so strangers cannot learn which paths exist. Answers without a `Cache-Control` of their own get
 * `no-store`.
 */
const around = HttpLayerRouter.middleware(
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const log = yield* RequestLog
    const integrations = yield* Integrations
    const requestTimeout = yield* Deadline.requestTimeout
    const within = yield* makeTimeLimit
    const disk = yield* DiskSpace
    const challengeTo = yield* challenges
    const routeOf = routeTable(yield* Metrics.areServedBeside)

    /** Answers a failure that no key would change, but under the base path only to callers with a valid key. */
    const refusedToAll = (
      error: ApiError,
      request: HttpServerRequest.HttpServerRequest,
      route: KnownRoute | undefined
    ) =>
      pathOf(request).startsWith(`${basePath}/`) && route?.isOpen !== true
        ? Effect.zipRight(needsNothing, authentication.admitAnyone).pipe(
            Effect.zipRight(Effect.fail(error)),
            Effect.catchAll(failureResponse)
          )
        : failureResponse(error)

    const answerTo = (
      cause: Cause.Cause<unknown>,
      request: HttpServerRequest.HttpServerRequest,
      route: KnownRoute | undefined
    ) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
      const error = Cause.squash(cause)
      if (isApiError(error)) return failureResponse(error)
      if (Database.isFull(error)) return Effect.zipRight(disk.ranOut, failureResponse(databaseFull))
      if (Database.isAway(error)) {
        return Effect.zipRight(Effect.logWarning("the database is away"), failureResponse(databaseAway))
      }
      if (error instanceof HttpServerError.RouteNotFound) {
        return refusedToAll(noRoute(route, request), request, route)
      }
      if (isKeyMissing(error)) {
        return Effect.zipRight(
          Effect.logError(error.message),
          failureResponse(new InternalError({ code: "ENCRYPTION_KEY_MISSING" }))
        )
      }
      return Effect.zipRight(
        Effect.logError("a request failed unexpectedly", cause),
        failureResponse(new InternalError())
      )
    }

    /** Records an answered request in the metrics, the log and the console's log. */
    const answered = Effect.fnUntraced(function* (
      response: HttpServerResponse.HttpServerResponse,
      of: {
        readonly request: HttpServerRequest.HttpServerRequest
        readonly route: KnownRoute | undefined
        readonly notes: RequestNotes
        readonly span: Tracer.Span | undefined
        readonly started: number
      }
    ) {
      const { notes, route, request, span, started } = of
      if (span !== undefined) {
        span.attribute("http.response.status_code", response.status)
        describe(span, notes)
        const code = response.status < 400 ? undefined : notes.failure?.code
        if (code !== undefined) span.attribute("tributary.error.code", code)
        if (response.status >= 500) span.attribute("error.type", code ?? String(response.status))
      }
      const told = {
        method: request.method,
        route: route?.template ?? unmatched,
        status: response.status,
        milliseconds: (yield* Clock.currentTimeMillis) - started
      }
      yield* Metrics.httpRequest({ ...told, seconds: told.milliseconds / 1000 })
      if (route?.isQuiet !== true) {
        yield* FiberRef.update(
          FiberRef.currentLogAnnotations,
          HashMap.union(HashMap.fromIterable(Object.entries(told)))
        )
        yield* Effect.logInfo("request")
      }
      const { caller } = notes
      if (caller !== undefined) {
        const note = Effect.suspend(() => {
          const line = { ...told, key: caller.key, traceId: span?.traceId ?? null, url: request.url }
          return log.note(caller, logged(notes, line, response))
        })
        // tools run, and call their providers, while their answer streams
        yield* response.body._tag === "Stream" || response.body._tag === "Raw"
          ? Effect.addFinalizer(() => {
              if (span !== undefined) describe(span, notes)
              return note
            })
          : note
      }
      return HttpServerResponse.setHeaders(response, {
        "x-request-id": notes.id,
        ...(response.headers["cache-control"] === undefined ? { "cache-control": "no-store" } : {}),
        ...(notes.failure === undefined ? {} : challengeTo(pathOf(request), response.status, notes.failure))
      })
    })

    /** Answers a request within its time, by a deadline that everything working on it sees. */
    const inTime = Effect.fnUntraced(function* <A, E, R>(
      app: Effect.Effect<A, E, R>,
      { method }: HttpServerRequest.HttpServerRequest,
      seconds: number | undefined
    ) {
      if (seconds === undefined) return app
      const deadline = yield* Deadline.after(seconds)
      yield* FiberRef.set(Deadline.current, deadline)
      const isRead = method === "GET" || method === "HEAD"
      const late = Effect.failSync(() => tooLate(deadline, isRead, seconds))
      return within(deadline.answer, () => ({ run: app, late }))
    })

    return (app) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const started = yield* Clock.currentTimeMillis
        const route = routeOf(request)
        const notes = newNotes(
          {
            id: requestIdOf(request),
            startedAt: started,
            needs: route?.needs,
            endUser: endUserOf(request.headers["x-end-user-id"]),
            client: request.headers["user-agent"]
          },
          described(request, route?.template, (slug) => integrations.get(slug) !== undefined)
        )
        const span = probes.test(request.url) ? undefined : yield* spanOf(request, route, notes.resource !== undefined)
        // each request has its own fiber, so what is set here need not be reset
        yield* FiberRef.set(requestNotes, notes)
        yield* FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("requestId", notes.id))
        if (span !== undefined) yield* FiberRef.update(FiberRef.currentContext, Context.add(Tracer.ParentSpan, span))
        const timely = yield* inTime(app, request, secondsOf(request, route?.template, requestTimeout))
        const answer = request.originalUrl.includes("%00")
          ? refusedToAll(holdsNul, request, route)
          : Effect.catchAllCause(timely, (cause) => answerTo(cause, request, route))
        return Effect.flatMap(answer, (response) => answered(response, { request, route, notes, span, started }))
      }).pipe(Effect.flatten)
  }),
  { global: true }
)

const describe = (span: Tracer.Span, notes: RequestNotes) => {
  for (const [name, value] of Object.entries(attributesOf(notes))) span.attribute(name, value)
}

/** Health probes and scrapes, which come again and again. */
const probes = /^\/(health\/|metrics\b)/

/** A service has few names; clients may send any. */
const hostOf = memoize(100, (host) => {
  if (host === "" || !URL.canParse(`http://${host}`)) return {}
  const { hostname, port } = new URL(`http://${host}`)
  return { "server.address": hostname, ...(port === "" ? {} : { "server.port": Number(port) }) }
})

/**
 * The span of a request, which ends when its answer is out. It names the route, and for a record also the path, but nothing
 * else that was sent: addresses and headers hold tokens, OAuth codes and searches for people. The platform's own span, which
 * would hold them, is switched off.
 */
const spanOf = (request: HttpServerRequest.HttpServerRequest, route: KnownRoute | undefined, isOfRecords: boolean) =>
  Effect.makeSpanScoped(route === undefined ? request.method : `${request.method} ${route.template}`, {
    kind: "server",
    captureStackTrace: false,
    parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers)),
    attributes: {
      "http.request.method": request.method,
      "url.scheme": request.headers["x-forwarded-proto"] === "https" ? "https" : "http",
      ...hostOf(request.headers["host"] ?? ""),
      ...(route === undefined
        ? {}
        : { "http.route": route.template, "url.path": isOfRecords ? pathOf(request) : route.template })
    }
  })

/**
 * Requests get their span from this module, and calls to providers from `Upstream`, named by the path's template. The
 * platform's spans would hold whole addresses, and reveal our traces to third parties.
 */
export const withoutPlatformSpans = flow(
  HttpMiddleware.withTracerDisabledWhenEffect(() => true),
  Effect.locally(HttpClient.currentTracerDisabledWhen, () => true)
)

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The context that requests run with. Routes hold the services they use, and a context is copied with every span, so it
 * holds only the services that are looked up at run time and may be missing.
 */
export const atHand = (all: Context.Context<never>): Context.Context<never> =>
  Option.match(Context.getOption(all, Sandbox), {
    onNone: () => Context.empty(),
    onSome: (sandbox) => Context.make(Sandbox, sandbox)
  })

/** Every route of the service. */
export const routes = Layer.mergeAll(
  HttpLayerRouter.addHttpApi(ManagementApi).pipe(
    Layer.provide(
      Layer.mergeAll(
        ProvidersLive,
        FieldMappingsLive,
        ConnectLive,
        ConnectionsLive,
        ApiKeysLive,
        EndUsersLive,
        EventsLive,
        WebhooksLive,
        WatchesLive,
        ApprovalsLive,
        RequestsLive,
        AgentHttp.WorkspacesLive,
        AgentHttp.SessionContextsLive,
        AgentHttp.ChatSessionsLive,
        ToolCallsLive,
        McpAccessLive,
        SignInLive,
        AllowedOriginsLive
      )
    ),
    Layer.provide(AuthorizationLive)
  ),
  Layer.provide(RecordsHttp.routes, AuthorizationLive),
  HttpLayerRouter.addHttpApi(RoutedPassthroughApi).pipe(
    Layer.provide(PassthroughLive),
    Layer.provide(AuthorizationLive)
  ),
  HttpLayerRouter.addHttpApi(AgentApi).pipe(
    Layer.provide([RuntimeLive, ChatLive]),
    Layer.provide([WorkspaceAuthorizationLive, RuntimeAuthorizationLive])
  ),
  Cors.preflights,
  OAuthHttp.routes,
  InteractionHttp.routes,
  HttpLayerRouter.addHttpApi(PageApi).pipe(Layer.provide(ConnectSessionLive)),
  ConsentPages.routes,
  WidgetRoutes.routes,
  HooksHttp.routes,
  ApprovalPages.routes,
  ConsoleHttp.routes,
  ConsolePages.routes,
  Health.routes,
  Documents.routes,
  Welcome.routes,
  around
)
