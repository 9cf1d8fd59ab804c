import { HttpApp, HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option } from "effect"
import { isUuid } from "../platform/Uuid.ts"
import { isKey } from "../tenancy/KeyText.ts"
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

/**
 * Lets pages call a workspace with an end user's token: those of the origins allowed in its organisation and environment, whatever they are
 * answered.
 */
export const cors = Effect.map(WorkspaceFacts, ({ find }) => {
  /** The origin of the request being answered, where the workspace in its path lets it in. */
  const origin = Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const { workspaceId = "" } = yield* HttpLayerRouter.params
    const sent = headers["origin"]
    if (sent === undefined || !isUuid(workspaceId)) return undefined
    return Option.match(yield* find(workspaceId), {
      onNone: () => undefined,
      onSome: ({ allowedOrigins }) => (allowedOrigins.includes(sent) ? sent : undefined)
    })
  })

  return {
    /** Answers what a browser asks before it lets a page call. */
    preflight: Effect.map(origin, (allowed) =>
      HttpServerResponse.empty({
        status: 204,
        headers: {
          vary: "Origin",
          ...(allowed === undefined
            ? {}
            : {
                "access-control-allow-origin": allowed,
                "access-control-allow-methods": "GET, POST",
                "access-control-allow-headers": sendable,
                "access-control-max-age": "600"
              })
        }
      })
    ),

    /** Lets the page read the answer. */
    expose: Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (request.headers["origin"] === undefined || bearsKey(request)) return
      const allowed = yield* origin
      if (allowed === undefined) return
      yield* HttpApp.appendPreResponseHandler((_, response) =>
        Effect.succeed(
          HttpServerResponse.setHeaders(response, {
            vary: "Origin",
            "access-control-allow-origin": allowed,
            "access-control-expose-headers": readable
          })
        )
      )
    })
  }
})
