import { Effect, type Tracer } from "effect"
import { unread } from "../../../src/platform/Spans.ts"
import { agentOf, clientOf } from "../../../src/platform/Network.ts"
import { type Detour, many } from "./compare.ts"
import { reading } from "./network.ts"

const attributes = { provider: "hubspot", "http.request.method": "GET", "url.template": "/crm/v3/objects/contacts" }

/** A call in the spans of a list: the request's, the list's and the call's. */
const spanned = <E>(call: Effect.Effect<string, E>) => {
  const sent = Effect.useSpan("hubspot list", { kind: "client", captureStackTrace: false, attributes }, (span) =>
    Effect.tap(call, (text) => {
      span.attribute("http.response.status_code", 200)
      span.attribute("http.response.body.size", text.length)
    })
  )
  return sent.pipe(
    Effect.map((text): unknown => JSON.parse(text)),
    Effect.withSpan("Records.list", { captureStackTrace: false }),
    Effect.withSpan("GET /api/v1/crm/contact", { kind: "server", captureStackTrace: false, attributes })
  )
}

/** Spans that nobody reads, as ids, beside those that Effect keeps by itself. */
export const spans = (origin: string) =>
  Effect.gen(function* () {
    const client = clientOf(yield* agentOf({ connections: 256 }), Infinity)
    const detour = (concurrency: number, calls: number): Detour => {
      const list = many(spanned(reading(client, origin, 100)), calls, concurrency)
      return {
        name: `spans nobody reads: a list of 100 records, ${concurrency} at once`,
        calls,
        shipped: Effect.withTracer(list, unread satisfies Tracer.Tracer),
        plain: list
      }
    }
    return [detour(16, 16), detour(200, 200)]
  })
