import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  failureOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("requests", (it) => {
  const anyone = Effect.flatMap(SandboxApplication, (app) => app.caller(["hubspot", "quickbooks"]))

  it.effect("401 comes before anything else under the base path, whatever the path or method", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      for (const authorization of [
        undefined,
        "",
        "Bearer",
        "Bearer sk_test_wrong",
        "Basic abc",
        "sk_test_x",
        "Bearer a b"
      ]) {
        for (const [method, path] of [
          ["GET", "/api/v1/crm/contact"],
          ["GET", "/api/v1/crm/contact/1"],
          ["POST", "/api/v1/crm/contact"],
          ["DELETE", "/api/v1/crm/owner/1"],
          ["PUT", "/api/v1/crm/contact"],
          ["GET", "/api/v1/crm/contcat"],
          ["GET", "/api/v1/nowhere"],
          ["PATCH", "/api/v1/providers"],
          ["GET", "/api/v1/providers"],
          ["GET", "/api/v1/field-mappings?provider=x&what=y"],
          ["PUT", "/api/v1/field-mappings"]
        ] as const) {
          const answer = yield* app.send(method, path, { headers: { authorization } })
          const what = `${method} ${path} with ${authorization}`
          assert.include([401, 429], answer.status, what)
          if (answer.status !== 401) continue
          assert.deepStrictEqual(refusalOf(answer), [401, "INVALID_API_KEY"], what)
          assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/, what)
          assert.notInclude(JSON.stringify(answer.body), "sk_test_wrong")
        }
      }
    })
  )

  it.effect("bounds of creation the wrong way round are 400, also for reports", () =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      for (const resource of ["invoice", "income_statement"]) {
        const bounds = "created_after=2026-03-02&created_before=2026-03-01"
        const answer = yield* call("GET", `/accounting/${resource}?provider=quickbooks&${bounds}`)
        assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"])
        assert.include(failureOf(answer).message, "created_after")
      }
    })
  )

  it.effect("a missing end user is 400 and says which header", () =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      for (const path of ["/crm/contact", "/crm/contact/1?provider=hubspot"]) {
        const answer = yield* call("GET", path, { headers: { "x-end-user-id": undefined } })
        assert.deepStrictEqual(refusalOf(answer), [400, "MISSING_END_USER"])
        assert.include(failureOf(answer).message, "X-End-User-Id")
      }
      const empty = yield* call("GET", "/crm/contact", { headers: { "x-end-user-id": "" } })
      assert.deepStrictEqual(refusalOf(empty), [400, "MISSING_END_USER"])
    })
  )

  it.effect("an end user's id has at most 255 characters, wherever it is read", () =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      const workspace = String(recordOf(yield* call("POST", "/mcp/workspaces", { body: { name: "x" } })).id)
      const accept = "application/json, text/event-stream"
      const asked = (id: string) =>
        Effect.forEach(
          [
            ["GET", "/crm/contact?provider=hubspot"],
            ["POST", "/crm/contact?provider=hubspot", { last_name: "x" }],
            ["POST", `/mcp/${workspace}`, { jsonrpc: "2.0", id: 1, method: "ping" }],
            ["POST", `/mcp/${workspace}/chat`, { message: "x" }],
            [
              "PUT",
              "/field-mappings",
              { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" }
            ]
          ] as const,
          ([method, path, body]) => call(method, path, { body, headers: { accept, "x-end-user-id": id } })
        )
      for (const answer of yield* asked("e".repeat(256))) {
        assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"])
        assert.match(failureOf(answer).message, /x-end-user-id: must be at most 255 characters/)
      }
      const inAddress = yield* call("POST", `/mcp/${workspace}?end_user_id=${"e".repeat(256)}`, {
        body: { jsonrpc: "2.0", id: 1, method: "ping" },
        headers: { accept, "x-end-user-id": undefined }
      })
      assert.deepStrictEqual(refusalOf(inAddress), [400, "INVALID_PARAMETER"])
      assert.match(failureOf(inAddress).message, /end_user_id/)
      // characters, not the bytes that carry them
      const longest = Buffer.from("é".repeat(255)).toString("latin1")
      const statuses = (yield* asked(longest)).map(({ status }) => status)
      assert.deepStrictEqual(statuses, [404, 404, 200, 200, 404])
    })
  )

  it.effect.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=x", "limit"],
    ["limit=", "limit"],
    ["limit=1.5", "limit"],
    ["limit=-1", "limit"],
    ["limit=5&limit=6", "limit"],
    ["provider=hubspot&provider=salesforce", "provider"],
    ["page=2", "page"],
    ["Limit=5", "Limit"],
    ["include_remote_data=yes", "include_remote_data"],
    ["created_afer=2026-01-01", "created_afer"]
  ])("GET /crm/contact?%s is 400 and names %s", ([query, name]) =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      const answer = yield* call("GET", `/crm/contact?${query}`)
      assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"])
      assert.include(failureOf(answer).message, `${name}:`)
    })
  )

  it.effect.each([
    "yesterday",
    "2026-13-01",
    "2026-02-30",
    "2026",
    "",
    "2026-01-01T09:30:00+25:00",
    "2026-01-01T25:00:00Z",
    "1767225600"
  ])("created_after=%s is 400", (value) =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      const answer = yield* call("GET", `/accounting/invoice?created_after=${value}`)
      assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"])
      assert.include(failureOf(answer).message, "created_after:")
    })
  )

  it.effect("everything that is wrong with a request is said at once", () =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      const { message } = failureOf(yield* call("GET", "/crm/contact?limit=0&include_remote_data=1&page=3"))
      for (const name of ["limit", "include_remote_data", "page"]) assert.include(message, `${name}:`)
    })
  )

  it.effect("what one record needs is asked for", () =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      for (const method of ["GET", "DELETE"]) {
        const answer = yield* call(method, "/crm/contact/1")
        assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"])
        assert.include(failureOf(answer).message, "provider:")
      }
      for (const [method, path] of [
        ["POST", "/crm/contact"],
        ["PUT", "/crm/contact/1"],
        ["PATCH", "/crm/contact/1"]
      ] as const) {
        assert.deepStrictEqual(refusalOf(yield* call(method, path, { body: {} })), [400, "INVALID_PARAMETER"])
      }
      const key = { "idempotency-key": "" }
      const answer = yield* call("POST", "/crm/contact?provider=hubspot", { body: {}, headers: key })
      assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"])
      const connection = { "x-connection-id": "mine" }
      const other = yield* call("GET", "/crm/contact", { headers: connection })
      assert.deepStrictEqual(refusalOf(other), [400, "INVALID_PARAMETER"])
      assert.match(failureOf(other).message, /x-connection-id/i)
    })
  )

  it.effect("unknown providers, resources, end users and connections are 404, each with its code", () =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      for (const [path, code] of [
        ["/crm/contact?provider=nobody", "PROVIDER_NOT_FOUND"],
        ["/crm/contact?provider=quickbooks", "PROVIDER_NOT_FOUND"],
        ["/accounting/contact?provider=hubspot", "PROVIDER_NOT_FOUND"],
        ["/accounting/contact/1?provider=hubspot", "PROVIDER_NOT_FOUND"],
        ["/crm/contact?provider=salesforce", "PROVIDER_NOT_CONNECTED"],
        ["/crm/contcat", "RESOURCE_UNKNOWN"],
        ["/crm/invoice", "RESOURCE_UNKNOWN"],
        ["/crm/contact/1/notes", "NOT_FOUND"],
        ["/accounting/deal/1", "RESOURCE_UNKNOWN"],
        ["/crm", "NOT_FOUND"],
        ["/nowhere", "NOT_FOUND"],
        ["/providers/nobody", "PROVIDER_NOT_FOUND"]
      ] as const) {
        const answer = yield* call("GET", path)
        assert.deepStrictEqual(refusalOf(answer), [404, code], path)
        assert.strictEqual(failureOf(answer).path, `/api/v1${path.split("?", 1)[0]}`)
      }
      for (const path of ["/crm/contact", "/crm/contact?provider=hubspot", "/crm/contact/1?provider=hubspot"]) {
        const stranger = yield* call("GET", path, { headers: { "x-end-user-id": "nobody" } })
        assert.deepStrictEqual(refusalOf(stranger), [404, "END_USER_NOT_FOUND"])
        const unknown = { "x-connection-id": "00000000-0000-4000-8000-000000000000" }
        assert.deepStrictEqual(refusalOf(yield* call("GET", path, { headers: unknown })), [404, "CONNECTION_NOT_FOUND"])
      }
    })
  )

  it.effect("a wrong method is 405 with those that work", () =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      for (const [method, path, allow] of [
        ["PUT", "/crm/contact", ["GET", "POST"]],
        ["DELETE", "/crm/contact", ["GET", "POST"]],
        ["POST", "/crm/contact/1", ["DELETE", "GET", "PATCH", "PUT"]],
        ["POST", "/crm/owner", ["GET"]],
        ["PATCH", "/crm/owner/1", ["GET"]],
        ["DELETE", "/accounting/company_info/1", ["GET", "PATCH", "PUT"]],
        ["POST", "/providers", ["GET"]],
        ["PATCH", "/field-mappings", ["DELETE", "GET", "PUT"]]
      ] as const) {
        const answer = yield* call(method, path, { body: {} })
        assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"], `${method} ${path}`)
        const allowed = (answer.headers.get("allow") ?? "").split(", ").toSorted()
        assert.includeMembers(allowed, [...allow], `${method} ${path}`)
        assert.notInclude(allowed, method)
      }
    })
  )

  full(it).effect("every answer carries X-Request-Id: the caller's, where it is harmless, else a new one", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* anyone
      const mine = { "x-request-id": "trace-me.2026_11-20" }
      const kept = yield* call("GET", "/crm/owner", { headers: mine })
      assert.strictEqual(kept.status, 200)
      assert.strictEqual(kept.headers.get("x-request-id"), "trace-me.2026_11-20")
      const failed = yield* call("GET", "/crm/owner?limit=0", { headers: mine })
      assert.strictEqual(failureOf(failed).requestId, "trace-me.2026_11-20")
      for (const sent of ["short", "a b c d e f g h", "x".repeat(129), '{"a":1}12345']) {
        const id = (yield* call("GET", "/crm/owner", { headers: { "x-request-id": sent } })).headers.get("x-request-id")
        assert.notStrictEqual(id, sent)
        assert.match(id ?? "", /^[0-9a-f-]{36}$/)
      }
      for (const path of [
        "/docs",
        "/metrics",
        "/health/live",
        "/api/v1/openapi.json",
        "/nowhere",
        "/api/v1/crm/contact"
      ]) {
        assert.isNotNull((yield* app.send("GET", path)).headers.get("x-request-id"), path)
      }
    })
  )

  it.effect("ids in paths are taken as they are", () =>
    Effect.gen(function* () {
      const { call } = yield* anyone
      for (const id of [
        "%2F..%2F..%2Fowners",
        "1%3Fx%3Dy",
        "%27%20or%201%3D1",
        "%F0%9F%99%82",
        "urn%3Auuid%3A00000000-0000-5000-8000-000000000000",
        "urn%3Auuid%3Anonsense",
        "x".repeat(100)
      ]) {
        const crm = yield* call("GET", `/crm/contact/${id}?provider=hubspot`)
        assert.deepStrictEqual(refusalOf(crm), [404, "CONTACT_NOT_FOUND"], id)
        const accounting = yield* call("GET", `/accounting/item/${id}?provider=quickbooks`)
        assert.deepStrictEqual(refusalOf(accounting), [404, "ITEM_NOT_FOUND"], id)
      }
      assert.strictEqual((yield* call("GET", `/crm/contact/${"x".repeat(2000)}?provider=hubspot`)).status, 404)
      const broken = yield* call("GET", "/crm/contact/%E0%A4%A?provider=hubspot")
      assert.include([400, 404], broken.status)
      failureOf(broken)
    })
  )
})
