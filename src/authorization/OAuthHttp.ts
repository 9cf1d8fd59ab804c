import { Cookies, HttpLayerRouter, type HttpMethod, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import { WorkspaceFacts } from "../agent/WorkspaceFacts.ts"
import * as Address from "../platform/Address.ts"
import { BadRequest, type ApiError, NotFound, pathOf, type RateLimited } from "../platform/Errors.ts"
import { isUuid } from "../platform/Uuid.ts"
import { formLimit, limitedText } from "../platform/Requests.ts"
import { type Answered, type Asked, AuthorizationServer } from "./AuthorizationServer.ts"
import { type Limited, limits } from "./Limits.ts"
import { messagePage } from "./Pages.ts"
import { authorizationQuery, failureIn, isOfSession, registration, tokenFields, withScopes } from "./Protocol.ts"
import { metadataPath, resourceOf, scopes } from "./Resource.ts"

/** The routes of the protocol with their methods: they stand at the root, where hosts look for them. */
export const paths = {
  [metadataPath(":workspaceId")]: ["GET", "OPTIONS"],
  "/.well-known/oauth-authorization-server": ["GET", "OPTIONS"],
  "/.well-known/openid-configuration": ["GET", "OPTIONS"],
  "/oauth/authorize": ["GET"],
  "/oauth/authorize/:id": ["GET"],
  "/oauth/token": ["POST", "OPTIONS"],
  "/oauth/revoke": ["POST", "OPTIONS"],
  "/oauth/register": ["POST", "OPTIONS"],
  "/oauth/jwks": ["GET", "OPTIONS"]
} as const satisfies { readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod> }

/** For documents that any page may read. */
const anyOrigin = { "access-control-allow-origin": "*" }

const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    ...anyOrigin,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "content-type, mcp-protocol-version",
    "access-control-max-age": "3600"
  }
})

/** An answer of the library as one of this service. */
const responseOf = ({ body, cookies, headers, status }: Answered) => {
  const { "content-length": _, "content-type": contentType, ...others } = headers
  return HttpServerResponse.text(body, {
    status,
    headers: others,
    ...(contentType === undefined ? {} : { contentType })
  }).pipe(HttpServerResponse.mergeCookies(Cookies.fromSetCookie(cookies.filter((one) => !isOfSession(one)))))
}

/** A refusal as clients of the protocol read it. */
const refusal = (status: number, error: string, description: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.unsafeJson(
    { error, error_description: description },
    { status, headers: { ...anyOrigin, "cache-control": "no-store", ...headers } }
  )

/** Headers that the library looks at. */
const passedOn = ["accept", "authorization", "content-type", "cookie", "origin"] as const

/** A request as the library gets it: what it says of hosts is left out. */
export const askedOf = (
  request: HttpServerRequest.HttpServerRequest,
  method: Asked["method"],
  path: string
): Asked => ({
  method,
  path,
  headers: Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => passedOn.some((one) => one === name) || name.startsWith("access-control-request-")
    )
  )
})

/**
 * Refuses requests to another host name than that of `PUBLIC_URL`: what was made for one address does not hold at another.
 * A proxy may say in `X-Forwarded-Host` which one it was asked for.
 */
export const refuseOtherHosts = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const publicUrl = yield* Effect.orDie(Address.publicUrl)
  const own = new URL(publicUrl).host
  const asked = [headers["host"], headers["x-forwarded-host"]].flatMap((host) => host?.split(",")[0]?.trim() ?? [])
  if (asked.length === 0 || asked.some((host) => host.toLowerCase() === own)) return
  return yield* new BadRequest({
    code: "INVALID_PARAMETER",
    message: `Host: programs connect at ${publicUrl}, and this is ${asked.join(", ")}. Use that address; a proxy must pass the host on.`
  })
})

const slowDown = ({ retryAfter }: RateLimited) =>
  refusal(429, "temporarily_unavailable", "Too many requests from this address", {
    "retry-after": String(Math.max(1, Math.ceil(retryAfter)))
  })

/** The protocol's own words for what is refused before the library sees it. */
const told = (error: ApiError) =>
  error._tag === "RateLimited" ? slowDown(error) : refusal(error.status, "invalid_request", error.message)

const documents = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const workspaces = yield* WorkspaceFacts
    const server = yield* AuthorizationServer
    const limit = yield* limits
    const publicUrl = yield* Address.publicUrl

    const resource = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* limit("metadata", request)
      yield* refuseOtherHosts
      const { workspaceId = "" } = yield* HttpLayerRouter.params
      const found = yield* workspaces.find(isUuid(workspaceId) ? workspaceId : undefined)
      if (Option.isNone(found)) {
        return yield* new NotFound({ code: "WORKSPACE_NOT_FOUND", message: `workspace ${workspaceId} not found` })
      }
      return HttpServerResponse.unsafeJson(
        {
          resource: resourceOf(publicUrl, found.value.id),
          authorization_servers: [publicUrl],
          scopes_supported: scopes,
          bearer_methods_supported: ["header"],
          resource_name: found.value.name
        },
        { headers: { ...anyOrigin, "cache-control": "public, max-age=300" } }
      )
    })

    const serverMetadata = (path: string) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* limit("metadata", request)
        yield* refuseOtherHosts
        const answered = yield* server.answer(askedOf(request, "GET", path))
        return HttpServerResponse.setHeaders(responseOf(yield* withScopes(answered)), {
          ...anyOrigin,
          "cache-control": "public, max-age=300"
        })
      })

    yield* router.add("GET", metadataPath(":workspaceId"), resource)
    yield* router.add("OPTIONS", metadataPath(":workspaceId"), Effect.succeed(preflight))
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] as const) {
      // both are one document: what OpenID asks for is in it
      yield* router.add("GET", path, serverMetadata("/.well-known/openid-configuration"))
      yield* router.add("OPTIONS", path, Effect.succeed(preflight))
    }
  })
)

const endpoints = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const server = yield* AuthorizationServer
    const limit = yield* limits

    /** Counts a request, and lets the library answer it. */
    const answered = <E, R>(
      of: Limited,
      asked: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Asked, E, R>
    ) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* limit(of, request)
        yield* refuseOtherHosts
        return yield* server.answer(yield* asked(request))
      })

    const withBody = (method: "POST", path: string, change: (body: string) => string) =>
      answered(path === "/oauth/token" ? "token" : "revoke", (request) =>
        Effect.map(limitedText(request, formLimit), (body) => ({
          ...askedOf(request, method, path),
          body: change(body)
        }))
      ).pipe(
        Effect.map(responseOf),
        Effect.catchAll((error) => Effect.succeed(told(error)))
      )

    /** People see what is wrong; programs that ask get it in the redirect, which is not an error here. */
    const inBrowser = (change: (request: HttpServerRequest.HttpServerRequest) => Asked) =>
      answered("authorize", (request) => Effect.succeed(change(request))).pipe(
        Effect.flatMap((answer) =>
          answer.status < 400
            ? Effect.succeed(responseOf(answer))
            : messagePage(
                "This cannot go on",
                `The program that sent you here asked for something that is not possible: ${failureIn(answer)}. Go back to it and start again.`,
                answer.status
              )
        ),
        Effect.catchAll((error) => messagePage("This cannot go on", error.message, error.status))
      )

    yield* router.add(
      "GET",
      "/oauth/authorize",
      inBrowser((request) =>
        askedOf(request, "GET", `/oauth/authorize?${authorizationQuery(request.url.split("?")[1] ?? "")}`)
      )
    )
    yield* router.add(
      "GET",
      "/oauth/authorize/:id",
      inBrowser((request) => askedOf(request, "GET", pathOf(request)))
    )
    yield* router.add("POST", "/oauth/token", withBody("POST", "/oauth/token", tokenFields))
    yield* router.add(
      "POST",
      "/oauth/revoke",
      withBody("POST", "/oauth/revoke", (body) => body)
    )
    for (const path of ["/oauth/token", "/oauth/revoke"] as const) {
      yield* router.add(
        "OPTIONS",
        path,
        answered("metadata", (request) => Effect.succeed(askedOf(request, "OPTIONS", path))).pipe(
          Effect.map(responseOf),
          Effect.catchAll((error) => Effect.succeed(told(error)))
        )
      )
    }
    yield* router.add(
      "POST",
      "/oauth/register",
      answered("register", (request) =>
        Effect.gen(function* () {
          const body = yield* registration(yield* limitedText(request, registrationLimit))
          return { ...askedOf(request, "POST", "/oauth/register"), body }
        })
      ).pipe(
        Effect.map((answer) => HttpServerResponse.setHeaders(responseOf(answer), anyOrigin)),
        Effect.catchTag("RegistrationRefused", ({ message }) =>
          Effect.succeed(refusal(400, "invalid_client_metadata", message))
        ),
        Effect.catchAll((error) => Effect.succeed(told(error)))
      )
    )
    yield* router.add("OPTIONS", "/oauth/register", Effect.succeed(preflight))
    yield* router.add(
      "GET",
      "/oauth/jwks",
      answered("metadata", (request) => Effect.succeed(askedOf(request, "GET", "/oauth/jwks"))).pipe(
        Effect.map((answer) => HttpServerResponse.setHeaders(responseOf(answer), anyOrigin)),
        Effect.catchAll((error) => Effect.succeed(told(error)))
      )
    )
    yield* router.add("OPTIONS", "/oauth/jwks", Effect.succeed(preflight))
  })
)

/** Bytes of a registration. */
const registrationLimit = 8 * 1024

export const routes = Layer.mergeAll(documents, endpoints)
