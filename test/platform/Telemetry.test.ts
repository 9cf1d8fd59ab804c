import { FetchHttpClient, Headers, HttpClient, HttpLayerRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, FiberRef, Layer, Predicate, Tracer } from "effect"
import { createServer } from "node:http"
import { newNotes, requestNotes } from "../../src/platform/RequestNotes.ts"
import { queryOf } from "../../src/platform/QueryNames.ts"
import * as Telemetry from "../../src/platform/Telemetry.ts"
import { collector } from "../support/Collector.ts"
import { tellingSpans } from "../support/EndedSpans.ts"

const config = (values: Record<string, string>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(values))))

/** Captures the lines that the service prints. */
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
      const received = yield* collector
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
          served(`${received.url}/provider`).pipe(
            Layer.provideMerge(FetchHttpClient.layer),
            Layer.provide(Telemetry.layer),
            Layer.provide(config({ OTEL_EXPORTER_OTLP_ENDPOINT: received.url, OTEL_SERVICE_NAME: "tributary-test" }))
          )
        )
      )

      const spans = received.spans()
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

      assert.deepInclude(server?.attributes, {
        "url.query": "code=REDACTED&state=REDACTED&limit=5",
        "url.path": "/connect/callback",
        "http.request.header.x-request-id": "r1"
      })
      assert.notProperty(server?.attributes, "http.request.header.referer")
      assert.strictEqual(client?.attributes["url.full"], `${received.url}/provider?api_token=REDACTED`)

      const exported = ["/v1/traces", "/v1/logs", "/v1/metrics"].flatMap(received.bodies).join()
      assert.notInclude(exported, "s3cret")
      assert.include(exported, '"tributary-test"')
      const [log] = received.logs()
      assert.deepInclude(log, { traceId: service?.traceId, spanId: service?.spanId })
      assert.strictEqual(log?.body, "exchanging")

      for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics"]) {
        assert.isAbove(received.bodies(path).length, 0, path)
        assert.isFalse(
          received.headersOf(path).some((headers) => "traceparent" in headers),
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

  it.live("lets an export that is under way end when the service stops", () =>
    Effect.gen(function* () {
      printed()
      const ends: Array<string> = []
      const slow = createServer((request, response) => {
        request.resume()
        response.on("close", () => ends.push(response.writableFinished ? "whole" : "broken off"))
        setTimeout(() => response.end("{}"), 300)
      })
      yield* Effect.async<void>((resume) => void slow.listen(0, "127.0.0.1", () => resume(Effect.void)))
      const address = slow.address()
      const port = typeof address === "object" ? address?.port : undefined
      yield* Effect.zipRight(Effect.withSpan(Effect.void, "work"), Effect.sleep(150)).pipe(
        Effect.provide(Telemetry.layer),
        Effect.provide(
          config({
            OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/v1/traces`,
            OTEL_BSP_SCHEDULE_DELAY: "50"
          })
        ),
        Effect.ensuring(Effect.sync(() => slow.close()))
      )
      assert.deepStrictEqual(ends, ["whole"])
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
        message: "slow provider",
        error: "Error: took 9 s",
        requestId: "req_1",
        traceId: span.traceId,
        spanId: span.spanId
      })
    })
  )

  it.effect("prints why something failed, and why that did", () =>
    Effect.gen(function* () {
      const lines = printed()
      const failure = new Error("no answer", { cause: new Error("no connection") })
      yield* Effect.logError("gave up", Cause.fail(failure)).pipe(
        Effect.provide(Telemetry.layer),
        Effect.provide(config({ LOG_FORMAT: "json" }))
      )
      const { error, message } = JSON.parse(lines[0] ?? "")
      assert.strictEqual(message, "gave up")
      assert.match(error, /no answer[^]*no connection/)
    })
  )

  /** Works with telemetry as variables say, until all is sent. */
  const work = <A, E>(variables: Record<string, string>, run: Effect.Effect<A, E>) =>
    run.pipe(Effect.provide(Telemetry.layer), Effect.provide(config({ LOG_FORMAT: "json", ...variables })))

  const traced = Effect.zipRight(Effect.logInfo("at work"), Effect.void).pipe(Effect.withSpan("work"))

  it.live("honours the variables of OpenTelemetry", () =>
    Effect.gen(function* () {
      printed()
      const [received, others] = [yield* collector, yield* collector]
      yield* work(
        {
          OTEL_EXPORTER_OTLP_ENDPOINT: `${received.url}/base`,
          OTEL_EXPORTER_OTLP_HEADERS: "api-key=s%20t,x-team=ops",
          OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${others.url}/logs/here`,
          OTEL_EXPORTER_OTLP_LOGS_HEADERS: "api-key=other",
          OTEL_METRICS_EXPORTER: "none",
          OTEL_RESOURCE_ATTRIBUTES: "service.name=ignored,deployment.environment.name=test,team=a%2Cb",
          OTEL_SERVICE_NAME: "named"
        },
        traced
      )
      const [span] = received.spans("/base/v1/traces")
      assert.deepInclude(span?.resource, {
        "service.name": "named",
        "deployment.environment.name": "test",
        team: "a,b"
      })
      assert.match(String(span?.resource["service.instance.id"]), /^[0-9a-f-]{36}$/)
      assert.match(String(span?.resource["service.version"]), /^\d/)
      const [headers] = received.headersOf("/base/v1/traces")
      assert.deepInclude(headers, { "api-key": "s t", "x-team": "ops", "content-type": "application/json" })
      assert.strictEqual(others.headersOf("/logs/here")[0]?.["api-key"], "other")
      assert.isEmpty(received.bodies("/base/v1/logs"))
      assert.isEmpty(received.bodies("/base/v1/metrics"))
    }).pipe(Effect.scoped)
  )

  it.live("sends protobuf when asked, and nothing when it is switched off", () =>
    Effect.gen(function* () {
      printed()
      const received = yield* collector
      const base = { OTEL_EXPORTER_OTLP_ENDPOINT: received.url }
      yield* work({ ...base, OTEL_SDK_DISABLED: "true" }, traced)
      assert.isEmpty(received.headersOf("/v1/traces"))
      yield* work({ ...base, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" }, traced)
      assert.strictEqual(received.headersOf("/v1/traces")[0]?.["content-type"], "application/x-protobuf")
      assert.isAbove(received.bodies("/v1/traces")[0]?.length ?? 0, 20)
    }).pipe(Effect.scoped)
  )

  it.live("keeps the traces that a sampler says, with all of their spans", () =>
    Effect.gen(function* () {
      printed()
      const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
      const of = (sampled: boolean) => Tracer.externalSpan({ traceId, spanId: "00f067aa0ba902b7", sampled })
      const all = Effect.all([
        Effect.withSpan(Effect.withSpan(Effect.void, "inner"), "alone"),
        Effect.withSpan(Effect.void, "asked", { parent: of(true) }),
        Effect.withSpan(Effect.withSpan(Effect.void, "inner"), "unasked", { parent: of(false) })
      ])
      for (const [sampler, argument, expected] of [
        ["", "", ["alone", "asked", "inner"]],
        ["always_on", "", ["alone", "asked", "inner", "inner", "unasked"]],
        ["always_off", "", []],
        ["parentbased_always_off", "", ["asked"]],
        ["parentbased_traceidratio", "0", ["asked"]],
        ["traceidratio", "1", ["alone", "asked", "inner", "inner", "unasked"]],
        // this trace is in the upper three quarters, by its last bytes
        ["traceidratio", "0.2", undefined]
      ] as const) {
        const received = yield* collector
        const variables = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument }
        yield* work({ OTEL_EXPORTER_OTLP_ENDPOINT: received.url, ...variables }, all)
        const names = received
          .spans()
          .map(({ name }) => name)
          .sort()
        if (expected === undefined) assert.notInclude(names, "asked")
        else assert.deepStrictEqual(names, [...expected], sampler)
      }
    }).pipe(Effect.scoped)
  )

  it.live("tells faults by their names, and calls nothing else a failure", () =>
    Effect.gen(function* () {
      printed()
      const received = yield* collector
      const NotFound = class extends Error {
        readonly status = 404
        readonly code = "NOT_FOUND"
      }
      yield* work(
        { OTEL_EXPORTER_OTLP_ENDPOINT: received.url },
        Effect.all([
          Effect.ignore(Effect.withSpan(Effect.fail(new NotFound("s3cret")), "refused")),
          Effect.ignore(Effect.withSpan(Effect.fail(new TypeError("s3cret")), "broken")),
          Effect.ignore(Effect.withSpan(Effect.fail(new NotFound("s3cret")), "call", { kind: "client" })),
          Effect.timeoutOption(Effect.withSpan(Effect.never, "gone"), "10 millis")
        ])
      )
      const spans = new Map(received.spans().map((span) => [span.name, span]))
      for (const name of ["refused", "gone"]) {
        assert.deepStrictEqual(spans.get(name)?.status, { code: 0 }, name)
        assert.notProperty(spans.get(name)?.attributes, "error.type")
      }
      for (const [name, type] of [
        ["broken", "TypeError"],
        ["call", "NOT_FOUND"]
      ] as const) {
        assert.deepStrictEqual(spans.get(name)?.status, { code: 2, message: type })
        assert.strictEqual(spans.get(name)?.attributes["error.type"], type)
      }
      const sent = received.bodies("/v1/traces").join()
      assert.notMatch(sent, /s3cret|nterrupted/)
    }).pipe(Effect.scoped)
  )

  for (const [name, value, said] of [
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/json, http/protobuf"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "s3cret", "name=value"],
    ["OTEL_TRACES_SAMPLER", "sometimes", "parentbased_always_on"],
    ["OTEL_METRIC_EXPORT_INTERVAL", "often", "milliseconds"],
    ["OTEL_RESOURCE_ATTRIBUTES", "a=%zz", "percent-encoded"]
  ] as const) {
    it.live(`says that ${name}=${value} makes no sense, and goes on`, () =>
      Effect.gen(function* () {
        const lines = printed()
        const received = yield* collector
        yield* work({ OTEL_EXPORTER_OTLP_ENDPOINT: received.url, [name]: value }, traced)
        const warnings = new Set(lines.filter((line) => line.includes(name)))
        assert.lengthOf([...warnings], 1)
        assert.include([...warnings].join(), said)
        assert.notInclude([...warnings].join(), "s3cret")
        assert.lengthOf(received.spans(), 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("puts on every line of a request whose it is, in one shape at all levels", () =>
    Effect.gen(function* () {
      const lines = printed()
      const received = yield* collector
      const notes = newNotes(
        { id: "req_1", startedAt: 0, needs: undefined, endUser: "ann" },
        { resource: "crm/contact", operation: "list", provider: "hubspot" }
      )
      notes.caller = { organisation: "acme", environment: "sandbox", key: "k" }
      yield* work(
        { OTEL_EXPORTER_OTLP_ENDPOINT: received.url },
        Effect.locally(
          Effect.zipRight(
            Effect.logInfo("asked"),
            Effect.logError("broken", Cause.fail(new Error("why")), new TypeError("how"))
          ),
          requestNotes,
          notes
        )
      )
      const whose = {
        "tributary.organisation.id": "acme",
        "tributary.environment": "sandbox",
        "tributary.end_user.id": "ann",
        "tributary.provider": "hubspot",
        "tributary.resource": "crm/contact",
        "tributary.operation": "list"
      }
      const [asked, broken] = lines.map((line): Record<string, unknown> => JSON.parse(line))
      assert.deepInclude(asked, { level: "INFO", message: "asked", ...whose })
      assert.deepInclude(broken, { level: "ERROR", message: "broken", ...whose })
      assert.match(String(broken?.["error"]), /^TypeError: how\nError: why/)
      for (const log of received.logs()) assert.deepInclude(log.attributes, whose)
      assert.deepStrictEqual(
        received.logs().map(({ body }) => body),
        ["asked", "broken"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("reads what statements do", () =>
    Effect.sync(() => {
      for (const [sql, summary] of [
        ["select id from connections c where c.id = $1", "SELECT connections"],
        ["  insert into request_log (a) select 1 from jsonb_to_recordset($1) as n (a int)", "INSERT request_log"],
        ["update connections set status = 'a' from end_users e", "UPDATE connections"],
        ["delete from events where id in (select id from events limit $1)", "DELETE events"],
        [
          "with told as (select 1 from x), noted as (insert into events (a) select 1) select * from told",
          "INSERT events"
        ],
        [
          "with next as materialized (select nextval($1)) select place from next join events e on true",
          "SELECT events"
        ],
        ["select pg_advisory_xact_lock($1)", "SELECT"],
        ["LISTEN keys", "LISTEN"]
      ] as const) {
        assert.strictEqual(queryOf(sql).summary, summary, sql)
      }
    })
  )

  it.effect("leaves spans to the tracer of the program around it where no collector is set", () =>
    Effect.gen(function* () {
      const names: Array<string> = []
      yield* Effect.void.pipe(
        Effect.withSpan("work"),
        Effect.provide(Telemetry.layer),
        Effect.provide(config({})),
        Effect.withTracer(tellingSpans(({ name }) => void names.push(name)))
      )
      assert.deepStrictEqual(names, ["work"])
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
