import {
  HttpClient,
  HttpLayerRouter,
  type HttpMethod,
  HttpMiddleware,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
  HttpTraceContext
} from "@effect/platform"
import { Cause, Clock, Context, Effect, FiberRef, flow, HashMap, Layer, Option, Tracer } from "effect"
import { randomUUID } from "node:crypto"
import * as ChatHttp from "./agent/ChatHttp.ts"
import * as AgentHttp from "./agent/Http.ts"
import { Api, ManagementApi } from "./Api.ts"
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
import * as PassthroughHttp from "./passthrough/Http.ts"
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
import { attributesOf, newNotes, noting, type RequestNotes, requestNotes } from "./platform/RequestNotes.ts"
import { bodyLimit, isEncoded } from "./platform/Requests.ts"
import { makeTimeLimit } from "./platform/TimeLimit.ts"
import { ProvidersLive } from "./providers/Http.ts"
import * as RecordsHttp from "./records/Http.ts"
import { described } from "./requests/Described.ts"
import { RequestsLive } from "./requests/Http.ts"
import { logged, unmatched } from "./requests/Logged.ts"
import { RequestLog } from "./requests/RequestLog.ts"
import { Authentication, AuthorizationLive } from "./tenancy/Authentication.ts"
import { Authorization } from "./tenancy/Api.ts"
import { AllowedOriginsLive, ApiKeysLive } from "./tenancy/Http.ts"
import { type Requirement, requirementOf } from "./tenancy/Scopes.ts"
import * as Welcome from "./Welcome.ts"
import { WebhooksLive } from "./webhooks/Http.ts"
import { WatchesLive } from "./watches/Http.ts"

// ---------------------------------------------------------------------------------------------------------------------
// places

interface Place {
  readonly template: string
  readonly methods: Set<string>
  /** Needs no key. */
  readonly isOpen: boolean
  /** Requested by machines again and again, or on every visit: not worth a log line each time. */
  readonly isQuiet: boolean
}

/** A place for one method. */
interface Spot extends Place {
  /** Scope that the operation needs, or `any`. */
  readonly needs: Requirement | undefined
}

/** The parts of an operation of the interface that are used here. */
interface Operation {
  readonly method: HttpMethod.HttpMethod
  readonly path: string
  readonly annotations: Context.Context<never>
}

interface Group {
  readonly endpoints: { readonly [name: string]: Operation }
  readonly middlewares: ReadonlySet<unknown>
}

/** Every path of the interface with its methods: for scopes, for 405 and for the route label of metrics and logs. */
const places = (withMetrics: boolean) => {
  // by their own methods, as routes are, so that none is taken for another; and, for 405, by any method
  const byMethod = HttpLayerRouter.FindMyWay.make<Spot>(routerConfig)
  const byAny = HttpLayerRouter.FindMyWay.make<Spot>(routerConfig)
  const known = new Map<string, Place>()
  const add = (
    method: HttpMethod.HttpMethod,
    template: string,
    is: Pick<Place, "isOpen" | "isQuiet">,
    needs?: Requirement
  ) => {
    const place = known.get(template) ?? { template, methods: new Set(), ...is }
    // a path of a provider has many segments
    const path: `/${string}` = `/${template.replace(/^\//, "").replace(/:path$/, "*")}`
    if (!known.has(template)) byAny.on("GET", path, { ...place, needs: undefined })
    known.set(template, place)
    place.methods.add(method)
    byMethod.on(method, path, { ...place, needs })
  }
  // reflecting on the API would look at every Schema, which takes longer than the rest of a start
  const groups: ReadonlyArray<Group> = [...Object.values(Api.groups), ...Object.values(PageApi.groups)]
  for (const { endpoints, middlewares } of groups) {
    const isOpen = !middlewares.has(Authorization)
    for (const endpoint of Object.values(endpoints)) {
      add(endpoint.method, endpoint.path, { isOpen, isQuiet: false }, requirementOf(endpoint))
    }
  }
  const beside = [
    Welcome.path,
    ...Object.values(Documents.paths),
    "/health/live",
    "/health/ready",
    ...WidgetRoutes.paths,
    ConsoleHttp.assetsPath
  ]
  for (const template of [...beside, ...(withMetrics ? ["/metrics"] : [])]) {
    add("GET", template, { isOpen: true, isQuiet: true })
  }
  for (const [template, methods] of Object.entries({
    ...ConsentPages.paths,
    ...ApprovalPages.paths,
    ...ConsoleHttp.paths,
    ...HooksHttp.paths,
    ...ConsolePages.paths,
    ...OAuthHttp.paths,
    ...InteractionHttp.paths
  })) {
    for (const method of methods) add(method, template, { isOpen: true, isQuiet: false })
  }
  return ({ method, url }: HttpServerRequest.HttpServerRequest): Spot | undefined =>
    (byMethod.find(method === "HEAD" ? "GET" : method, url) ?? byAny.find("GET", url))?.handler
}

/** A process may have many applications, all of them with the same places. */
const placesMade = new Map<boolean, ReturnType<typeof places>>()

const placesOnce = (withMetrics: boolean) => {
  const made = placesMade.get(withMetrics) ?? places(withMetrics)
  placesMade.set(withMetrics, made)
  return made
}

// ---------------------------------------------------------------------------------------------------------------------
// one answer for every outcome

const failureResponse = (error: ApiError) =>
  Effect.map(Effect.all([toBody(error), challenge(error)]), ([body, challenge]) =>
    HttpServerResponse.unsafeJson(body, {
      status: error.status,
      headers: {
        ...headersOf(error),
        ...challenge
      }
    })
  )

/** Tells a caller refused at a workspace where to ask for access, or for more of it. */
const challenge = (error: ApiError) =>
  Effect.gen(function* () {
    const lacksScope = error.code === "INSUFFICIENT_SCOPE"
    const request = Option.getOrUndefined(yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest))
    if (request === undefined || !(error.status === 401 || lacksScope)) return {}
    const workspace = workspaceInPath(pathOf(request))
    if (workspace === undefined) return {}
    const publicUrl = yield* Effect.orDie(Address.publicUrl)
    return { "www-authenticate": challengeOf(publicUrl, workspace, lacksScope ? "insufficient_scope" : undefined) }
  })

const noRoute = (place: Place | undefined, request: HttpServerRequest.HttpServerRequest): ApiError => {
  const path = pathOf(request)
  if (place === undefined) return isEncoded(path) ? new NotFound(unknownPath(path)) : misencoded
  return new MethodNotAllowed({
    message: `${request.method} is not possible on ${shortPath(path)}.`,
    allow: [...place.methods]
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
    const placeOf = placesOnce(yield* Metrics.areServedBeside)

    /** Answers a failure that no key would change, but under the base path only to callers with a valid key. */
    const refusedToAll = (error: ApiError, request: HttpServerRequest.HttpServerRequest, place: Place | undefined) =>
      pathOf(request).startsWith(`${basePath}/`) && place?.isOpen !== true
        ? Effect.zipRight(needsNothing, authentication.admitAnyone).pipe(
            Effect.zipRight(Effect.fail(error)),
            Effect.catchAll(failureResponse)
          )
        : failureResponse(error)

    const answerTo = (
      cause: Cause.Cause<unknown>,
      request: HttpServerRequest.HttpServerRequest,
      place: Place | undefined
    ) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
      const error = Cause.squash(cause)
      if (isApiError(error)) return failureResponse(error)
      if (Database.isFull(error)) return Effect.zipRight(disk.ranOut, failureResponse(databaseFull))
      if (Database.isAway(error)) {
        return Effect.zipRight(Effect.logWarning("the database is away"), failureResponse(databaseAway))
      }
      if (error instanceof HttpServerError.RouteNotFound) {
        return refusedToAll(noRoute(place, request), request, place)
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
        readonly place: Place | undefined
        readonly notes: RequestNotes
        readonly span: Tracer.Span | undefined
        readonly started: number
      }
    ) {
      const { notes, place, request, span, started } = of
      if (span !== undefined) {
        span.attribute("http.response.status_code", response.status)
        describe(span, notes)
        const code = response.status < 400 ? undefined : notes.failure?.code
        if (code !== undefined) span.attribute("tributary.error.code", code)
        if (response.status >= 500) span.attribute("error.type", code ?? String(response.status))
      }
      const told = {
        method: request.method,
        route: place?.template ?? unmatched,
        status: response.status,
        milliseconds: (yield* Clock.currentTimeMillis) - started
      }
      yield* Metrics.httpRequest({ ...told, seconds: told.milliseconds / 1000 })
      if (place?.isQuiet !== true) {
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
      return HttpServerResponse.setHeaders(
        response,
        response.headers["cache-control"] === undefined
          ? { "x-request-id": notes.id, "cache-control": "no-store" }
          : { "x-request-id": notes.id }
      )
    })

    /** Answers a request within its time, by a deadline that everything working on it sees. */
    const inTime = Effect.fnUntraced(function* <A, E, R>(
      app: Effect.Effect<A, E, R>,
      { method }: HttpServerRequest.HttpServerRequest,
      seconds: number | undefined
    ) {
      if (seconds === undefined) return yield* app
      const deadline = yield* Deadline.after(seconds)
      yield* FiberRef.set(Deadline.current, deadline)
      const isRead = method === "GET" || method === "HEAD"
      const late = Effect.failSync(() => tooLate(deadline, isRead, seconds))
      return yield* within(deadline.answer, () => ({ run: app, late }))
    })

    return (app) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const started = yield* Clock.currentTimeMillis
        const place = placeOf(request)
        const notes = newNotes(
          {
            id: requestIdOf(request),
            startedAt: started,
            needs: place?.needs,
            endUser: endUserOf(request.headers["x-end-user-id"]),
            client: request.headers["user-agent"]
          },
          described(request, place?.template, (slug) => integrations.get(slug) !== undefined)
        )
        const span = probes.test(request.url) ? undefined : yield* spanOf(request, place, notes.resource !== undefined)
        // each request has its own fiber, so what is set here need not be reset
        yield* FiberRef.set(requestNotes, notes)
        yield* FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("requestId", notes.id))
        if (span !== undefined) yield* FiberRef.update(FiberRef.currentContext, Context.add(Tracer.ParentSpan, span))
        const timely = inTime(app, request, secondsOf(request, place?.template, requestTimeout))
        const response = yield* request.originalUrl.includes("%00")
          ? refusedToAll(holdsNul, request, place)
          : Effect.catchAllCause(timely, (cause) => answerTo(cause, request, place))
        return yield* answered(response, { request, place, notes, span, started })
      })
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
const spanOf = (request: HttpServerRequest.HttpServerRequest, place: Place | undefined, isOfRecords: boolean) =>
  Effect.makeSpanScoped(place === undefined ? request.method : `${request.method} ${place.template}`, {
    kind: "server",
    captureStackTrace: false,
    parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers)),
    attributes: {
      "http.request.method": request.method,
      "url.scheme": request.headers["x-forwarded-proto"] === "https" ? "https" : "http",
      ...hostOf(request.headers["host"] ?? ""),
      ...(place === undefined
        ? {}
        : { "http.route": place.template, "url.path": isOfRecords ? pathOf(request) : place.template })
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
 * Providers' ids may be long, and paths are case-sensitive. Merging two slashes into one would do so in the query too, and
 * spoil addresses there.
 */
export const routerConfig = { maxParamLength: 1024, caseSensitive: true, ignoreDuplicateSlashes: false }

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
  PassthroughHttp.routes,
  AgentHttp.routes,
  ChatHttp.routes,
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
