import { Effect, Schema } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"

interface Attributes {
  readonly [name: string]: unknown
}

/** A span as it came in. */
export interface ReceivedSpan {
  readonly name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly attributes: Attributes
  /** Of whoever sent it. */
  readonly resource: Attributes
  readonly status: { readonly code?: number; readonly message?: string }
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

/** A receiver of OTLP over HTTP, which keeps what it is sent. */
export const collector = Effect.gen(function* () {
  const requests: Array<{ readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      requests.push({ path: request.url ?? "", headers: request.headers, body })
      response.end("{}")
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const at = (path: string) => requests.filter((request) => request.path === path)
  const bodies = (path: string) => at(path).map(({ body }) => body)
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    headersOf: (path: string) => at(path).map(({ headers }) => headers),
    spans: (path = "/v1/traces") => bodies(path).flatMap(spansOf),
    logs: (path = "/v1/logs") => bodies(path).flatMap(logsOf)
  }
})

const Value = Schema.Struct({
  stringValue: Schema.optional(Schema.String),
  intValue: Schema.optional(Schema.Union(Schema.Number, Schema.String)),
  doubleValue: Schema.optional(Schema.Number),
  boolValue: Schema.optional(Schema.Boolean)
})
const Attributes = Schema.Array(Schema.Struct({ key: Schema.String, value: Value }))

const valueOf = ({ boolValue, doubleValue, intValue, stringValue }: typeof Value.Type) =>
  stringValue ?? boolValue ?? doubleValue ?? (intValue === undefined ? undefined : Number(intValue))

const attributesOf = (attributes: typeof Attributes.Type): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

const Resource = Schema.Struct({ attributes: Attributes })

const decodeTraces = Schema.decodeSync(
  Schema.parseJson(
    Schema.Struct({
      resourceSpans: Schema.Array(
        Schema.Struct({
          resource: Resource,
          scopeSpans: Schema.Array(
            Schema.Struct({
              spans: Schema.Array(
                Schema.Struct({
                  name: Schema.String,
                  kind: Schema.Int,
                  traceId: Schema.String,
                  spanId: Schema.String,
                  parentSpanId: Schema.optional(Schema.String),
                  attributes: Attributes,
                  status: Schema.Struct({
                    code: Schema.optionalWith(Schema.Int, { exact: true }),
                    message: Schema.optionalWith(Schema.String, { exact: true })
                  }),
                  links: Schema.Array(Schema.Struct({ traceId: Schema.String, spanId: Schema.String }))
                })
              )
            })
          )
        })
      )
    })
  )
)

const spansOf = (body: string): ReadonlyArray<ReceivedSpan> =>
  decodeTraces(body).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        parentSpanId: span.parentSpanId,
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes)
      }))
    )
  )

const decodeLogs = Schema.decodeSync(
  Schema.parseJson(
    Schema.Struct({
      resourceLogs: Schema.Array(
        Schema.Struct({
          scopeLogs: Schema.Array(
            Schema.Struct({
              logRecords: Schema.Array(
                Schema.Struct({
                  traceId: Schema.optional(Schema.String),
                  spanId: Schema.optional(Schema.String),
                  severityText: Schema.String,
                  attributes: Attributes,
                  body: Value
                })
              )
            })
          )
        })
      )
    })
  )
)

const logsOf = (body: string) =>
  decodeLogs(body).resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map(({ attributes, body: said, ...record }) => ({
        ...record,
        attributes: attributesOf(attributes),
        body: valueOf(said)
      }))
    )
  )
