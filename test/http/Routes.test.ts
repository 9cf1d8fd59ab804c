import { HttpApi, OpenApi } from "@effect/platform"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted, Schema, TestClock } from "effect"
import { everything } from "../../src/All.ts"
import { Api } from "../../src/Api.ts"
import { declarations } from "../../src/Declarations.ts"
import { openApiDocument } from "../../src/Documents.ts"
import { InProcess } from "../../src/InProcess.ts"
import {
  failureOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const Spec = Schema.decodeUnknownSync(
  Schema.Struct({
    openapi: Schema.String,
    info: Schema.Struct(
      { title: Schema.String, version: Schema.String },
      Schema.Record({ key: Schema.String, value: Schema.Unknown })
    ),
    paths: Schema.Record({
      key: Schema.String,
      value: Schema.Record({ key: Schema.String, value: Schema.Unknown })
    })
  })
)

const Matrix = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      resources: Schema.Array(
        Schema.Struct({
          resource: Schema.String,
          fields: Schema.Struct({ required: Schema.Array(Schema.String) }),
          rules: Schema.Array(Schema.Unknown)
        })
      )
    })
  })
)

layer(sandboxApplication(), { timeout: "60 seconds" })("routes", (it) => {
  it.effect("the matrix says what a provider requires of each resource", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller([])
      const required = (resources: ReturnType<typeof Matrix>["data"]["resources"], name: string) => {
        const found = resources.find(({ resource }) => resource === name)
        return [found?.fields.required, found?.rules]
      }
      const crm = Matrix((yield* call("GET", "/providers/zoho_crm")).body).data.resources
      assert.deepStrictEqual(required(crm, "deal"), [["name"], []])
      assert.deepStrictEqual(required(crm, "note"), [
        ["content"],
        [{ rule: "oneOf", fields: ["contact", "account", "opportunity", "lead"] }]
      ])
      const accounting = Matrix((yield* call("GET", "/providers/netsuite")).body).data.resources
      assert.deepStrictEqual(required(accounting, "credit_note")[0], ["contact", "line_items", "line_items[].item"])
      assert.deepStrictEqual(required(accounting, "journal_entry")[1], [
        { rule: "balanced", fields: ["lines[].net_amount"] }
      ])
      assert.deepStrictEqual(required(accounting, "balance_sheet"), [[], []], "nobody writes it")
    })
  )

  full(it).effect("the OpenAPI needs no key and is that of the interface, with what the providers need", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const answer = yield* app.send("GET", "/api/v1/openapi.json")
      assert.strictEqual(answer.status, 200)
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json/)
      const expected = yield* Effect.provide(openApiDocument, declarations(everything))
      assert.deepStrictEqual(answer.body, expected)
      assert.deepStrictEqual(Object.keys(Spec(expected).paths), Object.keys(OpenApi.fromApi(Api).paths))
      const spec = Spec(answer.body)
      assert.match(spec.openapi, /^3\.1/)
      assert.strictEqual(spec.info.version, "1.0")
    })
  )

  full(it).effect("every declared operation is served, and every one needs a key", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot", "quickbooks"])
      const declared: Array<readonly [method: string, path: string]> = []
      HttpApi.reflect(Api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint }) => declared.push([endpoint.method, endpoint.path])
      })
      assert.isAbove(declared.length, 180)
      const { paths } = Spec((yield* app.send("GET", "/api/v1/openapi.json")).body)
      assert.strictEqual(Object.values(paths).flatMap(Object.keys).length, declared.length)
      for (const [method, template] of declared) {
        const path = template.replace(/:\w+/g, "1")
        const options = method === "GET" || method === "DELETE" ? {} : { body: {} }
        const stranger = yield* app.send(method, path, options)
        assert.strictEqual(stranger.status, 401, `${method} ${path}`)
        const answer = yield* call(method, path.replace("/api/v1", ""), options)
        // without its query parameters: refused for that, not for being nowhere
        assert.include([200, 400, 404, 405, 422], answer.status, `${method} ${path}`)
        if (answer.status === 404) assert.match(failureOf(answer).code, /^[A-Z_]+_NOT_FOUND$/, path)
        if (answer.status === 405) assert.fail(`${method} ${path} is not served`)
      }
    })
  )

  full(it).effect("health, metrics and documents are open to everybody and never limited", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      assert.deepStrictEqual((yield* app.send("GET", "/health/live")).body, { live: true })
      const ready = yield* app.send("GET", "/health/ready", { timeStands: true })
      assert.deepStrictEqual([ready.status, ready.body], [200, { ready: true, checks: { database: "ok", disk: "ok" } }])
      const metrics = yield* app.send("GET", "/metrics")
      assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain/)
      const docs = yield* app.send("GET", "/docs")
      assert.strictEqual(docs.status, 200)
      assert.match(docs.headers.get("content-type") ?? "", /^text\/html/)
      for (const path of ["/docs", "/metrics", "/health/live", "/health/ready", "/api/v1/openapi.json"]) {
        const answer = yield* app.send("POST", path)
        assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"], path)
        assert.include(answer.headers.get("allow") ?? "", "GET", path)
        assert.isNull((yield* app.send("GET", path)).headers.get("ratelimit"), path)
      }
    })
  )

  it.effect("outside the base path what does not exist is a plain 404", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      for (const path of ["/nowhere", "/api", "/api/v2/crm/contact", "/crm/contact"]) {
        assert.deepStrictEqual(refusalOf(yield* app.send("GET", path)), [404, "NOT_FOUND"], path)
      }
    })
  )

  it.effect("HEAD and OPTIONS have clear answers", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot"])
      const head = yield* call("HEAD", "/crm/contact?provider=hubspot&limit=1")
      assert.include([200, 405], head.status)
      assert.strictEqual(head.body, "")
      const options = yield* call("OPTIONS", "/crm/contact")
      assert.include([204, 405], options.status)
      assert.include(options.headers.get("allow") ?? "", "GET")
    })
  )

  it.effect("the capability matrix is of every provider, and of one", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const all = yield* call("GET", "/providers", { headers: { "x-end-user-id": undefined } })
      assert.strictEqual(all.status, 200)
      const one = recordOf(yield* call("GET", "/providers/hubspot"))
      assert.strictEqual(one.category, "crm")
      assert.include(JSON.stringify(all.body), JSON.stringify(one))
      assert.include(
        JSON.stringify(one),
        '"resource":"contact","requires":[],"operations":["list","get","create","replace","patch","remove"]'
      )
    })
  )

  it.effect("what happened inside is never in a 500", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call, tenancy } = yield* app.caller(["hubspot"])
      const text = JSON.stringify((yield* call("GET", "/crm/contact?limit=x")).body)
      assert.notInclude(text, Redacted.value(tenancy.key))
      assert.notMatch(text, /node_modules|\.ts:\d|at \w+ \(/)
    })
  )
})

layer(sandboxApplication({ RATE_LIMIT: "5" }), { timeout: "60 seconds" })(
  "with a limit of 5 requests a minute",
  (it) => {
    full(it).effect("answers say what is left; the sixth is 429 with Retry-After until the minute is over", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const { call, tenancy } = yield* app.caller(["hubspot"])
        for (let left = 4; left >= 0; left -= 1) {
          // refused, unknown and management requests count like others
          const path = ["/crm/owner", "/crm/contact?limit=0", "/providers", "/nowhere", "/crm/owner"][left] ?? ""
          const answer = yield* call("GET", path)
          assert.notStrictEqual(answer.status, 429)
          assert.strictEqual(
            answer.headers.get("ratelimit-policy"),
            '"requests";q=5;w=60, "organisation";q=50;w=60',
            path
          )
          assert.match(
            answer.headers.get("ratelimit") ?? "",
            new RegExp(`^"requests";r=${left};t=\\d+, "organisation";r=${left + 45};t=\\d+$`),
            path
          )
        }
        for (const path of ["/crm/owner", "/providers", "/nowhere", "/field-mappings?provider=hubspot"]) {
          const limited = yield* call("GET", path)
          const failure = failureOf(limited)
          assert.deepStrictEqual(
            [limited.status, failure.code, failure.message],
            [429, "RATE_LIMITED", "Too Many Requests"]
          )
          assert.isUndefined(failure.provider)
          assert.deepStrictEqual(failure.limit, { name: "requests", requests: 5, seconds: 60 })
          assert.strictEqual(limited.headers.get("retry-after"), "60", path)
          assert.match(limited.headers.get("ratelimit") ?? "", /^"requests";r=0;t=60, "organisation";r=45;t=60$/, path)
        }
        assert.strictEqual((yield* app.send("GET", "/health/live")).status, 200)
        assert.strictEqual((yield* app.send("GET", "/api/v1/openapi.json")).status, 200)
        const other = yield* app.caller(["hubspot"])
        assert.strictEqual((yield* other.call("GET", "/crm/owner")).status, 200, "another key has its own")
        const colleague = yield* app.caller(["hubspot"], { tenancy })
        assert.strictEqual((yield* colleague.call("GET", "/crm/owner")).status, 429, "another user of the key has not")
        yield* TestClock.adjust("64 seconds")
        assert.strictEqual((yield* call("GET", "/crm/owner")).status, 200)
      })
    )

    it.effect("someone who guesses keys is slowed down, and told so", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const statuses: Array<number> = []
        for (let i = 0; i < 32; i += 1) {
          const path = i % 2 === 0 ? "/api/v1/crm/contact" : "/api/v1/providers"
          const answer = yield* app.send("GET", path, { headers: { authorization: `Bearer sk_test_${i}` } })
          statuses.push(answer.status)
          if (answer.status === 429) assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
          else assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/)
        }
        assert.deepStrictEqual([...new Set(statuses)], [401, 429])
        const { call } = yield* app.caller(["hubspot"])
        assert.strictEqual((yield* call("GET", "/crm/owner")).status, 200, "a right key still works")
      })
    )
  }
)

describe("a key", () => {
  layer(sandboxApplication(), { timeout: "60 seconds" })((it) => {
    it.effect("of the sandbox and of production do not see each other's end users", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const inProcess = yield* InProcess
        const sandbox = yield* app.caller(["hubspot"])
        const tenancy = yield* inProcess.tenancy("Production", "production")
        const production = yield* app.caller([], { tenancy, endUser: sandbox.endUser })
        assert.deepStrictEqual(recordOf(yield* production.call("GET", "/crm/contact")), {
          data: [],
          pagination: { cursor: null, hasMore: false, limit: 25 }
        })
        const named = yield* production.call("GET", "/crm/contact?provider=hubspot")
        assert.deepStrictEqual(refusalOf(named), [404, "PROVIDER_NOT_CONNECTED"])
      })
    )
  })
})
