import { HttpApi, OpenApi } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../../src/Api.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { type Requirement, requirementOf, type Scope, scopes } from "../../src/tenancy/Scopes.ts"
import { failureOf, refusalOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

interface Operation {
  readonly method: string
  readonly path: string
  readonly needs: Requirement | undefined
}

const operations: ReadonlyArray<Operation> = (() => {
  const found: Array<Operation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) =>
      found.push({ method: endpoint.method, path: endpoint.path, needs: requirementOf(endpoint) })
  })
  return found
})()

const needOf = (method: string, path: string) =>
  operations.find((one) => one.method === method && one.path === `/api/v1${path}`)?.needs

describe("scopes", () => {
  it("are declared by every operation, as what it does", () => {
    assert.deepStrictEqual(
      operations.filter(({ needs }) => needs === undefined),
      []
    )
    for (const [method, path, needs] of [
      ["GET", "/crm/contact", "records:read"],
      ["POST", "/crm/contact", "records:write"],
      ["PUT", "/accounting/invoice/:id", "records:write"],
      ["PATCH", "/accounting/company_info/:id", "records:write"],
      ["DELETE", "/crm/deal/:id", "records:write"],
      ["POST", "/accounting/attachment", "records:write"],
      ["GET", "/accounting/attachment/:id/content", "records:read"],
      ["GET", "/providers", "any"],
      ["GET", "/field-mappings", "records:read"],
      ["PUT", "/field-mappings", "admin"],
      ["POST", "/connect/token", "connect"],
      ["DELETE", "/connections/:id", "connect"],
      ["POST", "/mcp/workspaces", "agents"],
      ["POST", "/mcp/:workspaceId", "agents"],
      ["POST", "/mcp/:workspaceId/chat", "agents"],
      ["PUT", "/chat-sessions/:sessionId/context", "agents"],
      ["POST", "/api-keys", "admin"],
      ["GET", "/api-keys/events", "admin"],
      ["POST", "/passthrough/:provider/:path", "passthrough"]
    ] as const) {
      assert.strictEqual(needOf(method, path), needs, `${method} ${path}`)
    }
  })

  it("stand in the OpenAPI document with every operation", () => {
    const { components, paths } = OpenApi.fromApi(Api)
    for (const { method, needs, path } of operations) {
      const item = paths[path.replace(/:(\w+)/g, "{$1}")] ?? {}
      const operation = Object.entries(item).find(([name]) => name === method.toLowerCase())?.[1]
      const place = `${method} ${path}`
      assert.deepStrictEqual(operation?.security, [{ apiKey: needs === "any" ? [] : [needs ?? ""] }], place)
      assert.include(operation?.description ?? "", needs === "any" ? "Any API key" : `\`${needs}\``, place)
      assert.property(operation?.responses, "403", place)
    }
    const scheme = JSON.stringify(components.securitySchemes["apiKey"])
    for (const scope of scopes) assert.include(scheme, `\`${scope}\`: `)
  })

  layer(sandboxApplication(), { timeout: "120 seconds" })((it) => {
    /** A caller whose key has some scopes. */
    const withScopes = (...held: ReadonlyArray<Scope>) =>
      Effect.gen(function* () {
        const { caller } = yield* SandboxApplication
        const { tenancy } = yield* caller([])
        const { key } = yield* (yield* ApiKeys).create(tenancy.organisation, "sandbox", { scopes: held })
        return yield* caller([], { tenancy: { ...tenancy, key } })
      })

    const sent = ({ method, path }: Operation) =>
      [method, path.replace("/api/v1", "").replace(/:\w+/g, "1"), method === "GET" ? {} : { body: {} }] as const

    for (const scope of scopes) {
      it.effect(`${scope} opens its operations, and is missed by them`, () =>
        Effect.gen(function* () {
          const lacking = yield* withScopes(...scopes.filter((one) => one !== scope))
          const having = yield* withScopes(scope)
          for (const operation of operations) {
            const [method, path, options] = sent(operation)
            const isMeant = operation.needs === scope
            if (isMeant) {
              const refused = yield* lacking.call(method, path, options)
              assert.deepStrictEqual(refusalOf(refused), [403, "FORBIDDEN"], `${method} ${path}`)
              assert.include(failureOf(refused).message, `lacks the scope ${scope},`)
              assert.notStrictEqual((yield* having.call(method, path, options)).status, 403, `${method} ${path}`)
            } else if (operation.needs === "any") {
              assert.notStrictEqual((yield* having.call(method, path, options)).status, 403, `${method} ${path}`)
            }
          }
        })
      )
    }

    it.effect("are asked for before anything else is said, on every way to an operation", () =>
      Effect.gen(function* () {
        const { caller } = yield* SandboxApplication
        const { call } = yield* withScopes("connect")
        const wrongs = [
          yield* call("HEAD", "/crm/contact"),
          yield* call("GET", "/crm/contact?limit=wrong"),
          yield* call("POST", "/crm/contact?provider=hubspot", { body: "{" }),
          yield* call("POST", "/api-keys", { body: "{" }),
          // the address of a list, by a method that takes it for an id
          yield* call("DELETE", "/api-keys/events"),
          yield* call("POST", "/mcp/workspaces/chat", { body: {} })
        ]
        for (const { status } of wrongs) assert.strictEqual(status, 403)
        assert.deepStrictEqual(refusalOf(yield* call("GET", "/nowhere")), [404, "NOT_FOUND"])
        assert.deepStrictEqual(refusalOf(yield* call("POST", "/crm/owner", { body: {} }))[0], 405)
        const { status } = yield* (yield* caller([])).call("GET", "/crm/contact")
        assert.strictEqual(status, 200, "a key without scopes of its own has all")
      })
    )

    it.effect("that only a later version knows are passed over", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { caller } = yield* SandboxApplication
        const { tenancy } = yield* caller([])
        const sql = yield* SqlClient.SqlClient
        const { id, key } = yield* keys.create(tenancy.organisation, "sandbox", { scopes: ["connect"] })
        yield* sql`update api_keys set scopes = array['connect', 'from:later'] where id = ${id}`
        assert.deepStrictEqual((yield* keys.authenticate(key)).scopes, ["connect"])
        const { call } = yield* caller([], { tenancy: { ...tenancy, key } })
        assert.strictEqual((yield* call("GET", "/connections")).status, 200)
      })
    )
  })
})
