import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type EndedSpan, tellingSpans } from "../support/EndedSpans.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const ended: Array<EndedSpan> = []

/** Collects spans as a collector would be told of them. */
const collecting = tellingSpans((span) => void ended.push(span))

const Application = sandboxApplication().pipe(Layer.provide(Layer.setTracer(collecting)))

layer(Application, { timeout: "60 seconds" })("traces", (it) => {
  it.effect("show a request as one trace, in the caller's, by its route and not by what was sent", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot"])
      ended.length = 0
      const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
      const answer = yield* call("GET", "/crm/contact?provider=hubspot&limit=7", {
        headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, "x-secret": "s3cret" }
      })
      assert.strictEqual(answer.status, 200)
      const [request] = ended.filter(({ parent }) => parent === "00f067aa0ba902b7")
      assert.strictEqual(request?.name, "GET /api/v1/crm/contact")
      assert.deepInclude(request?.attributes, {
        "http.request.method": "GET",
        "http.route": "/api/v1/crm/contact",
        "http.response.status_code": 200
      })
      assert.notInclude(JSON.stringify(request), "limit")
      const mine = ended.filter((span) => span.traceId === traceId)
      assert.includeMembers(
        mine.map(({ name }) => name),
        ["Authentication.authenticate", "hubspot contacts.list", "Presenter.records"]
      )
      const upstream = mine.find(({ name }) => name === "hubspot contacts.list")
      assert.deepInclude(upstream?.attributes, {
        provider: "hubspot",
        "http.request.method": "GET",
        "url.template": "/crm/v3/objects/contacts",
        "http.response.status_code": 200
      })
      assert.isAbove(Number(upstream?.attributes["http.response.body.size"]), 1000)
      const ids = new Set(["00f067aa0ba902b7", ...mine.map(({ spanId }) => spanId)])
      assert.deepStrictEqual(
        mine.filter(({ parent }) => parent === undefined || !ids.has(parent)),
        [],
        "one tree"
      )
      assert.notInclude(JSON.stringify(mine), "s3cret")
      assert.notInclude(JSON.stringify(mine), "Bearer")
    })
  )

  it.effect("show what is passed on to a provider, and not where to", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["attio"])
      ended.length = 0
      const answer = yield* call("GET", "/passthrough/attio/v2/secretive/s3cret?q=s3cret")
      assert.strictEqual(answer.status, 404)
      const request = ended.find(({ name }) => name === "GET /api/v1/passthrough/:provider/:path")
      assert.strictEqual(request?.attributes["http.response.status_code"], 404)
      const upstream = ended.find(({ name }) => name === "attio passthrough")
      assert.strictEqual(upstream?.traceId, request?.traceId)
      assert.deepInclude(upstream?.attributes, {
        provider: "attio",
        "http.request.method": "GET",
        "url.template": "/*",
        "http.response.status_code": 404
      })
      assert.notMatch(JSON.stringify(ended), /s3cret|secretive/)
    })
  )

  full(it).effect("tell of refusals and of paths that are nowhere, and nothing of probes", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      ended.length = 0
      yield* call("GET", "/crm/contact/1?provider=hubspot", { headers: { authorization: undefined } })
      yield* call("GET", "/nowhere/at/all")
      yield* app.send("GET", "/health/live")
      yield* app.send("GET", "/metrics")
      const requests = ended.filter(({ attributes }) => "http.response.status_code" in attributes)
      assert.deepStrictEqual(
        requests.map(({ attributes, name }) => [name, attributes["http.response.status_code"]]),
        [
          ["GET /api/v1/crm/contact/:id", 401],
          ["GET", 404]
        ]
      )
      assert.isFalse(ended.some(({ name }) => name.startsWith("http.server")))
    })
  )
})
