import { HttpApp, HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option } from "effect"
import type { DeclaredGroup } from "../platform/ApiErrors.ts"
import { routerPath } from "../platform/Paths.ts"
import { isUuid } from "../platform/Uuid.ts"
import { isKey } from "../tenancy/KeyText.ts"
import { AgentApi } from "./Api.ts"
import { WorkspaceFacts } from "./WorkspaceFacts.ts"

const readable = "WWW-Authenticate, X-Session-Id, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy"

const sendable = [
  ...["authorization", "content-type", "accept", "idempotency-key", "last-event-id"],
  ...["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"],
  ...["x-connection-id", "x-end-user-id", "x-mcp-readonly", "x-mcp-tools", "x-session-id", "x-request-id"]
].join(", ")

/** An API key has no place in a page, so a page with one is not let in. */
const bearsKey = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  isKey((headers["authorization"] ?? "").replace(/^Bearer /i, ""))

/** Finds the origin of the request being answered, where the workspace in its path lets it in. */
const allowedOrigin = Effect.map(WorkspaceFacts, ({ find }) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const { workspaceId = "" } = yield* HttpLayerRouter.params
    const sent = headers["origin"]
    if (sent === undefined || !isUuid(workspaceId)) return undefined
    return Option.match(yield* find(workspaceId), {
      onNone: () => undefined,
      onSome: ({ allowedOrigins }) => (allowedOrigins.includes(sent) ? sent : undefined)
    })
  })
)

/**
 * Lets pages of the origins allowed in the workspace's organisation and environment read what they asked for without an API
 * key: the answer of a route, or its refusal.
 */
export const exposeToPages = Effect.map(allowedOrigin, (find) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.headers["origin"] === undefined || bearsKey(request)) return
    const origin = yield* find
    if (origin === undefined) return
    yield* HttpApp.appendPreResponseHandler((_, response) =>
      Effect.succeed(
        HttpServerResponse.setHeaders(response, {
          vary: "Origin",
          "access-control-allow-origin": origin,
          "access-control-expose-headers": readable
        })
      )
    )
  })
)

const groups: ReadonlyArray<DeclaredGroup> = Object.values(AgentApi.groups)
const paths = groups.flatMap(({ endpoints }) => Object.values(endpoints).map(({ path }) => routerPath(path)))

/** Answers what a browser asks before it lets a page call. */
export const preflights = HttpLayerRouter.addAll(
  Effect.map(allowedOrigin, (find) => {
    const preflight = Effect.map(find, (origin) =>
      HttpServerResponse.empty({
        status: 204,
        headers: {
          vary: "Origin",
          ...(origin === undefined
            ? {}
            : {
                "access-control-allow-origin": origin,
                "access-control-allow-methods": "GET, POST",
                "access-control-allow-headers": sendable,
                "access-control-max-age": "600"
              })
        }
      })
    )
    return paths.map((path) => HttpLayerRouter.route("OPTIONS", path, preflight))
  })
)
