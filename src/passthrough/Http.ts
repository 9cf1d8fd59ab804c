import { HttpApiBuilder, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import * as Deadline from "../platform/Deadline.ts"
import { utf8 } from "../platform/EndUserHeader.ts"
import { relay } from "../platform/Relay.ts"
import { showingLimits } from "../providers/base/Limits.ts"
import type { Headers } from "../records/Api.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { RoutedPassthroughApi } from "./Api.ts"
import { type Passed, Passthrough } from "./Passthrough.ts"

/** Everything behind the provider's slug, as it was sent: the router's own parameter is decoded. A request line may have a host. */
const sentTo = (url: string) => {
  const [, path = "/", query = ""] = /^(?:https?:\/\/[^/]*)?(?:\/[^/?]*){4}(\/[^?]*)?(?:\?(.*))?$/s.exec(url) ?? []
  return { path, query }
}

/** Statuses without a body. */
const bodiless = new Set([204, 205, 304])

const respond = ({ content, headers, size, status }: Passed, isHead: boolean) => {
  const own = { "provider-status": String(status), "x-content-type-options": "nosniff" }
  if (isHead || bodiless.has(status)) {
    const length = isHead && size !== undefined ? { "content-length": String(size) } : {}
    return HttpServerResponse.empty({ status, headers: { ...headers, ...length, ...own } })
  }
  return HttpServerResponse.stream(content, {
    status,
    headers: { ...headers, ...own },
    ...(size === undefined ? {} : { contentLength: size })
  })
}

interface Received {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly path: { readonly provider: string }
  readonly headers: typeof Headers.Type
}

/** `/passthrough/{provider}/{path}`. */
export const PassthroughLive = HttpApiBuilder.group(RoutedPassthroughApi, "passthrough", (handlers) =>
  Effect.map(Passthrough, (passthrough) => {
    const passing =
      (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE") =>
      ({ headers, path, request }: Received) =>
        Effect.gen(function* () {
          yield* showingLimits
          const isHead = request.method === "HEAD"
          const subject = {
            caller: yield* CurrentCaller,
            endUser: utf8(headers["x-end-user-id"]),
            connection: headers["x-connection-id"]?.toLowerCase()
          }
          const sent = { ...sentTo(request.url), method: isHead ? ("HEAD" as const) : method, request }
          const answer = yield* relay(
            passthrough.send(subject, path.provider, sent),
            request,
            Effect.succeed(Deadline.fileTime * 1000)
          )
          return respond(answer, isHead)
        }).pipe(
          // the body is not read here: no field of it can be wrong, and no type
          Effect.catchTags({ UnsupportedMediaType: Effect.die, Unprocessable: Effect.die })
        )

    return handlers
      .handleRaw("get", passing("GET"))
      .handleRaw("post", passing("POST"))
      .handleRaw("put", passing("PUT"))
      .handleRaw("patch", passing("PATCH"))
      .handleRaw("delete", passing("DELETE"))
  })
)
