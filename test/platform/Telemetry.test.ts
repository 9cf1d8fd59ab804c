import { FetchHttpClient, Headers, HttpClient, HttpLayerRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { ConfigProvider, Effect, FiberRef, Layer, Predicate, Schema } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"
import * as Telemetry from "../../src/platform/Telemetry.ts"

const config = (values: Record<string, string>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(values))))

/** What the service prints, as lines. */
const printed = () => {
  const lines: Array<string> = []
  vi.spyOn(console, "log").mockImplementation((line) => lines.push(String(line)))
  return lines
}

afterEach(() => vi.restoreAllMocks())

describe("Telemetry", () => {
  it.live("sends one trace of nested spans for a request, its log, and no secret", () =>
    Effect.gen(function* () {
      printed()
      const collector = yield* fakeCollector
      yield* Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        const base = `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}`
        yield* Effect.promise(() =>
          fetch(`${base}/connect/callback?code=s3cret1&state=s3cret2&limit=5`, {
            redirect: "manual",
            headers: {
              authorization: "Bearer s3cret3",
              "x-unheard-of": "s3cret4",
              referer: `${base}/connect?token=s3cret5`,
              "x-request-id": "r1"
            }
          })
        )
      }).pipe(
        Effect.provide(
          served(`${collector.url}/provider`).pipe(
            Layer.provideMerge(FetchHttpClient.layer),
            Layer.provide(Telemetry.layer),
            Layer.provide(config({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "tributary-test" }))
          )
        )
      )

      const spans = collector.received("/v1/traces").flatMap(spansOf)
      assert.deepStrictEqual(spans.map(({ name }) => name).sort(), [
        "OAuth.exchange",
        "http.client POST",
        "http.server GET"
      ])
      assert.strictEqual(new Set(spans.map(({ traceId }) => traceId)).size, 1)
      const [server, service, client] = ["http.server GET", "OAuth.exchange", "http.client POST"].map((name) =>
        spans.find((span) => span.name === name)
      )
      assert.strictEqual(service?.parentSpanId, server?.spanId)
      assert.strictEqual(client?.parentSpanId, service?.spanId)

      const attributes = new Map(server?.attributes.map(({ key, value }) => [key, value.stringValue]))
      assert.strictEqual(attributes.get("url.query"), "code=REDACTED&state=REDACTED&limit=5")
      assert.strictEqual(attributes.get("url.path"), "/connect/callback")
      assert.strictEqual(attributes.get("http.request.header.x-request-id"), "r1")
      assert.isFalse(attributes.has("http.request.header.referer"))
      const clientAttributes = new Map(client?.attributes.map(({ key, value }) => [key, value.stringValue]))
      assert.strictEqual(clientAttributes.get("url.full"), `${collector.url}/provider?api_token=REDACTED`)

      const exported = ["/v1/traces", "/v1/logs", "/v1/metrics"].flatMap(collector.received).join()
      assert.notInclude(exported, "s3cret")
      assert.include(exported, '"tributary-test"')
      const [log] = collector.received("/v1/logs").flatMap(logsOf)
      assert.deepInclude(log, { traceId: service?.traceId, spanId: service?.spanId })
      assert.deepStrictEqual(log?.body, { stringValue: "exchanging" })

      for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics"]) {
        assert.isAbove(collector.received(path).length, 0, path)
        assert.isFalse(
          collector.headersOf(path).some((headers) => "traceparent" in headers),
          "exports are not traced"
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("goes on without the collector, and warns once", () =>
    Effect.gen(function* () {
      const lines = printed()
      yield* Effect.gen(function* () {
        yield* Effect.logInfo("at work")
        yield* Effect.withSpan(Effect.void, "work")
      }).pipe(
        Effect.provide(Telemetry.layer),
        Effect.provide(config({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", LOG_FORMAT: "json" }))
      )
      const warnings = lines.filter((line) => line.includes("127.0.0.1:1"))
      assert.strictEqual(warnings.length, 1, lines.join("\n"))
      assert.isTrue(lines.some((line) => line.includes("at work")))
    })
  )

  it.effect("prints one JSON object a line, with the request and the trace it belongs to", () =>
    Effect.gen(function* () {
      const lines = printed()
      const span = yield* Effect.gen(function* () {
        yield* Effect.logDebug("not at this level")
        yield* Effect.logInfo("started")
        yield* Effect.logWarning("slow provider", new Error("took 9 s"))
        return yield* Effect.currentSpan
      }).pipe(
        Effect.annotateLogs({ requestId: "req_1" }),
        Effect.withSpan("work"),
        Effect.provide(Telemetry.layer),
        Effect.provide(config({ LOG_FORMAT: "json", LOG_LEVEL: "INFO" }))
      )
      assert.strictEqual(lines.length, 2)
      assert.strictEqual(JSON.parse(lines[0] ?? "").message, "started")
      assert.deepStrictEqual(JSON.parse(lines[1] ?? ""), {
        timestamp: "1970-01-01T00:00:00.000Z",
        level: "WARN",
        message: ["slow provider", "Error: took 9 s"],
        requestId: "req_1",
        traceId: span.traceId,
        spanId: span.spanId
      })
    })
  )

  it.effect("keeps of spans that nobody collects their ids, and nothing that ran in them", () =>
    Effect.gen(function* () {
      const work = Effect.withSpan(Effect.currentSpan, "work", { attributes: { size: 1 } })
      const [outer, inner, next] = yield* Effect.gen(function* () {
        const both = yield* Effect.withSpan(Effect.all([Effect.currentSpan, work]), "outer")
        return [...both, yield* work] as const
      }).pipe(Effect.provide(Telemetry.layer), Effect.provide(config({})))
      for (const { attributes, spanId, traceId } of [outer, inner, next]) {
        assert.match(traceId, /^[0-9a-f]{32}$/)
        assert.match(spanId, /^[0-9a-f]{16}$/)
        assert.strictEqual(attributes.size, 0)
      }
      assert.strictEqual(inner.traceId, outer.traceId)
      assert.notStrictEqual(next.traceId, outer.traceId)
      assert.strictEqual(new Set([outer, inner, next].map(({ spanId }) => spanId)).size, 3)
      assert.notProperty(inner.status, "exit")
    })
  )

  it.effect("prints logfmt when asked", () =>
    Effect.gen(function* () {
      const lines = printed()
      yield* Effect.logInfo("hello").pipe(
        Effect.annotateLogs({ requestId: "req_1" }),
        Effect.withSpan("work"),
        Effect.provide(Telemetry.layer),
        Effect.provide(config({ LOG_FORMAT: "logfmt" }))
      )
      assert.match(lines.join(), /level=INFO .*message=hello .*traceId=[0-9a-f]{32} requestId=req_1/)
    })
  )

  for (const [name, value, expected] of [
    ["LOG_LEVEL", "loud", "warn"],
    ["LOG_FORMAT", "xml", "logfmt"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "http://"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:pass@host", "without credentials"]
  ] as const) {
    it.effect(`says what ${name} should be, given ${value}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          Effect.void.pipe(Effect.provide(Telemetry.layer), Effect.provide(config({ [name]: value })))
        )
        assert.include(String(error), name)
        assert.include(String(error), expected)
      })
    )
  }

  it.effect("redacts key headers wherever headers are printed", () =>
    Effect.gen(function* () {
      const names = yield* FiberRef.get(Headers.currentRedactedNames).pipe(
        Effect.provide(Telemetry.layer),
        Effect.provide(config({}))
      )
      const shown = Headers.redact(
        Headers.fromInput({
          "X-Api-Token": "a",
          "x-auth-key": "b",
          cookie: "c",
          "intuit-signature": "d",
          "xero-tenant-id": "e"
        }),
        names
      )
      const plain = Object.entries(shown).filter(([, value]) => Predicate.isString(value))
      assert.deepStrictEqual(plain, [["xero-tenant-id", "e"]])
    })
  )
})

/** A server with one route that calls a provider, and a probe. */
const served = (provider: string) =>
  HttpLayerRouter.serve(
    HttpLayerRouter.add(
      "GET",
      "/connect/callback",
      HttpClient.post(provider, { urlParams: { api_token: "s3cret6" } }).pipe(
        Effect.tap(Effect.log("exchanging")),
        Effect.withSpan("OAuth.exchange"),
        Effect.as(HttpServerResponse.redirect("https://app.example/done?token=s3cret7")),
        Effect.orDie
      )
    ),
    { disableListenLog: true, disableLogger: true }
  ).pipe(Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0 })))

const fakeCollector = Effect.gen(function* () {
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
  return {
    url: `http://127.0.0.1:${port}`,
    received: (path: string) => at(path).map(({ body }) => body),
    headersOf: (path: string) => at(path).map(({ headers }) => headers)
  }
})

const Attributes = Schema.Array(
  Schema.Struct({ key: Schema.String, value: Schema.Struct({ stringValue: Schema.optional(Schema.String) }) })
)

const decodeTraces = Schema.decodeSync(
  Schema.parseJson(
    Schema.Struct({
      resourceSpans: Schema.Array(
        Schema.Struct({
          scopeSpans: Schema.Array(
            Schema.Struct({
              spans: Schema.Array(
                Schema.Struct({
                  name: Schema.String,
                  traceId: Schema.String,
                  spanId: Schema.String,
                  parentSpanId: Schema.optional(Schema.String),
                  attributes: Attributes
                })
              )
            })
          )
        })
      )
    })
  )
)

const spansOf = (body: string) =>
  decodeTraces(body).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

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
                  body: Schema.Unknown
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
  decodeLogs(body).resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
