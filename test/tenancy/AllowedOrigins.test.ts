import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { workspaceOf } from "../agent/McpClient.ts"
import { signIn } from "../console/Visitor.ts"
import {
  type Caller,
  errorsOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const path = "/settings/allowed-origins"

const put = (by: Caller, origins: unknown) => by.call("PUT", path, { body: { origins } })

const originsOf = (by: Caller) => Effect.map(by.call("GET", path), recordOf)

/** Two environments of one organisation, and another organisation. */
const three = Effect.gen(function* () {
  const app = yield* SandboxApplication
  const own = yield* app.caller([])
  const { organisation } = own.tenancy
  const { key } = yield* (yield* ApiKeys).create(organisation, "production")
  const live = yield* app.caller([], { tenancy: { organisation, environment: "production", key } })
  return { own, live, stranger: yield* app.caller([]) }
})

layer(sandboxApplication(), { timeout: "120 seconds" })("allowed origins", (it) => {
  full(it).effect("open their own organisation and environment, and no other", () =>
    Effect.gen(function* () {
      const { live, own, stranger } = yield* three
      const { send } = yield* SandboxApplication
      const origin = "https://app.example.com"
      const set = yield* put(own, [origin, "http://localhost:3000", "http://[::1]:8080"])
      assert.deepStrictEqual(recordOf(set), {
        origins: ["http://[::1]:8080", "http://localhost:3000", origin],
        organisationOrigins: []
      })
      const nothing = { origins: [], organisationOrigins: [] }
      for (const other of [live, stranger]) assert.deepStrictEqual(yield* originsOf(other), nothing)

      const answered = Effect.fnUntraced(function* (by: Caller) {
        const workspace = yield* workspaceOf(by)
        const token = yield* by.call("POST", `/mcp/workspaces/${workspace}/tokens`, { body: { endUserId: "ann" } })
        const place = `/api/v1/mcp/${workspace}`
        const preflight = yield* send("OPTIONS", place, { headers: { origin } })
        const called = yield* send("POST", place, {
          body: { jsonrpc: "2.0", id: 1, method: "ping" },
          headers: { origin, authorization: `Bearer ${String(recordOf(token).token)}` }
        })
        const session = yield* by.call("POST", "/connect/token", {
          body: { endUserId: "ann", redirectUrl: `${origin}/done` }
        })
        const letIn = [preflight, called].map(({ headers }) => headers.get("access-control-allow-origin"))
        return [...letIn, called.status === 403, session.status]
      })
      assert.deepStrictEqual(yield* answered(own), [origin, origin, false, 201])
      for (const other of [live, stranger]) assert.deepStrictEqual(yield* answered(other), [null, null, true, 422])

      // those of the operator are of both environments, and stay
      const changes = { allow: ["https://admin.example.com"], disallow: [] }
      yield* (yield* Organisations).changeOrigins(own.tenancy.organisation, changes)
      yield* put(own, [])
      for (const by of [own, live]) {
        assert.deepStrictEqual(yield* originsOf(by), { origins: [], organisationOrigins: changes.allow })
      }
      assert.deepStrictEqual(yield* answered(own), [null, null, true, 422])
    })
  )

  it.effect("are refused by their places, with what would be right, and none is kept", () =>
    Effect.gen(function* () {
      const { caller } = yield* SandboxApplication
      const own = yield* caller([])
      yield* put(own, ["https://kept.example"])
      for (const [wrong, right] of [
        ["https://app.example.com/", "https://app.example.com"],
        ["https://APP.example.com/path?x=1", "https://app.example.com"],
        ["https://ann:hush@app.example.com", "https://app.example.com"],
        ["https://app.example.com:443", "https://app.example.com"],
        ["http://app.example.com:8080", "https://app.example.com:8080"],
        ["http://localhost.example.com", "https://localhost.example.com"],
        ["https://*.example.com", "without wildcards"],
        ["*", "without wildcards"],
        ["null", "https://app.example.com"],
        ["app.example.com", "https://app.example.com"],
        ["javascript:alert(1)", "https://app.example.com"],
        ["https://first.example", "is there before"],
        [`https://${"x".repeat(60)}.${"y".repeat(200)}.example`, "https://app.example.com"]
      ] as const) {
        const errors = errorsOf(yield* put(own, ["https://first.example", wrong]))
        assert.deepStrictEqual(Object.keys(errors), ["origins.1"], wrong)
        assert.include(errors["origins.1"], right)
        assert.notInclude(errors["origins.1"], "hush")
      }
      const many = Array.from({ length: 101 }, (_, at) => `https://app${at}.example.com`)
      assert.deepStrictEqual(errorsOf(yield* put(own, many)), { origins: "must be at most 100; there are 101" })
      assert.property(errorsOf(yield* put(own, "https://app.example.com")), "origins")
      assert.property(errorsOf(yield* own.call("PUT", path, { body: { origins: [], origin: [] } })), "origin")
      assert.deepStrictEqual((yield* originsOf(own)).origins, ["https://kept.example"])
      const limited = yield* own.call("POST", "/api-keys", { body: { name: "Reader", scopes: ["records:read"] } })
      const { send } = yield* SandboxApplication
      const headers = { authorization: `Bearer ${String(recordOf(limited).key)}` }
      const refused = yield* send("PUT", `/api/v1${path}`, { body: { origins: [] }, headers })
      assert.deepStrictEqual(refusalOf(refused), [403, "FORBIDDEN"])
    })
  )

  it.effect("are set in the console, which says which is wrong and keeps what was entered", () =>
    Effect.gen(function* () {
      const { own: caller, live, stranger } = yield* three
      const page = "/console/allowed-origins"
      const own = yield* signIn(caller.tenancy.key)
      const origins = "https://a.example\r\n\r\nhttp://127.0.0.1:5173"
      assert.strictEqual((yield* own.post(page, { origins })).status, 303)
      assert.match(yield* own.read(page), /2 origins are allowed.*http:\/\/127\.0\.0\.1:5173 https:\/\/a\.example /)
      assert.deepStrictEqual((yield* originsOf(caller)).origins, ["http://127.0.0.1:5173", "https://a.example"])
      for (const other of [live, stranger]) {
        assert.notInclude(yield* (yield* signIn(other.tenancy.key)).read(page), "a.example")
      }

      const wrong = yield* own.post(page, { origins: "https://b.example\nhttps://c.example/path" })
      assert.strictEqual(wrong.status, 422)
      assert.match(String(wrong.body), /aria-invalid="true"[^]*>https:\/\/b\.example\nhttps:\/\/c\.example\/path</)
      assert.include(String(wrong.body), "https://c.example/path: must be scheme, host and port alone")
      assert.strictEqual((yield* own.post(page)).status, 303)
      assert.deepStrictEqual((yield* originsOf(caller)).origins, [])
    })
  )
})
