import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Schema } from "effect"
import * as Deadline from "../platform/Deadline.ts"
import { utf8 } from "../platform/EndUserHeader.ts"
import { basePath } from "../platform/Paths.ts"
import { relay } from "../platform/Relay.ts"
import { requestDecoder } from "../platform/RequestDecoder.ts"
import { showingLimits } from "../providers/base/Limits.ts"
import { Headers } from "../records/Api.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import { methods } from "./Api.ts"
import { type Passed, Passthrough } from "./Passthrough.ts"

const nothing = Schema.Struct({})
const decode = requestDecoder(nothing, nothing, Headers)

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

/**
 * `/passthrough/{provider}/{path}`. The router takes a path of many segments only as `*`, which neither OpenAPI nor typed
 * clients know: so the API declares it as `:path`, and these routes serve it.
 */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const passthrough = yield* Passthrough
    const passing = (method: (typeof methods)[number]) =>
      Effect.gen(function* () {
        const caller = yield* authentication.admit
        yield* showingLimits
        const request = yield* HttpServerRequest.HttpServerRequest
        const { headers } = yield* decode({ path: {}, query: {}, headers: request.headers })
        const { provider = "" } = yield* HttpLayerRouter.params
        const isHead = request.method === "HEAD"
        const subject = {
          caller,
          endUser: utf8(headers["x-end-user-id"]),
          connection: headers["x-connection-id"]?.toLowerCase()
        }
        const answer = yield* relay(
          passthrough.send(subject, provider, { ...sentTo(request.url), method: isHead ? "HEAD" : method, request }),
          request,
          Effect.succeed(Deadline.fileTime * 1000)
        )
        return respond(answer, isHead)
      })
    return methods.map((method) =>
      HttpLayerRouter.route(method, `${basePath}/passthrough/:provider/*`, passing(method))
    )
  })
)
