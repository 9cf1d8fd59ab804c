import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { resourcesOf } from "../../src/canonical/Catalogue.ts"
import type { Operation } from "../../src/providers/ProviderAdapter.ts"
import { failureOf, refusalOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { table } from "./Table.ts"

const verbs: ReadonlyArray<{ readonly operation: Operation; readonly method: string; readonly single: boolean }> = [
  { operation: "list", method: "GET", single: false },
  { operation: "create", method: "POST", single: false },
  { operation: "get", method: "GET", single: true },
  { operation: "replace", method: "PUT", single: true },
  { operation: "patch", method: "PATCH", single: true },
  { operation: "remove", method: "DELETE", single: true }
]

const providers = [...new Set(table.map(({ provider, resource }) => `${provider} ${resource.category}`))].map(
  (name) => {
    const [provider = "", category = ""] = name.split(" ")
    return [provider, category === "crm" ? "crm" : "accounting"] as const
  }
)

layer(sandboxApplication(), { timeout: "60 seconds" })("verbs", (it) => {
  it.effect.each(providers)("%s: what it cannot do with any %s resource is 405 with what it can", ([slug, category]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([slug])
      for (const resource of resourcesOf(category)) {
        const row = table.find((one) => one.provider === slug && one.resource === resource)
        for (const { method, operation, single } of verbs) {
          if (row?.has(operation) === true) continue
          const path = `/${category}/${resource.name}${single ? "/1" : ""}?provider=${slug}`
          const answer = yield* call(method, path, method === "GET" || method === "DELETE" ? {} : { body: {} })
          const what = `${method} ${path}`
          // what the resource's class allows and this provider lacks comes after the body was read
          if (answer.status === 422) assert.include(["POST", "PUT"], method, what)
          else {
            assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"], what)
            const allow = (answer.headers.get("allow") ?? "").split(", ").filter((name) => name !== "")
            const can = verbs.filter((verb) => verb.single === single && row?.has(verb.operation) === true)
            for (const verb of can) assert.include(allow, verb.method, what)
            assert.notInclude(allow, method, what)
          }
        }
      }
    })
  )

  it.effect("files that a provider does not give are 405", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      for (const slug of providers.flatMap(([name, category]) => (category === "accounting" ? [name] : []))) {
        const { call } = yield* app.caller([slug])
        const answer = yield* call("GET", `/accounting/attachment/1/content?provider=${slug}`)
        const row = table.find((one) => one.provider === slug && one.resource.name === "attachment")
        if (row?.has("download") === true) assert.strictEqual(answer.status, 404, slug)
        else {
          assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"], slug)
          assert.strictEqual(answer.headers.get("allow"), "", slug)
        }
      }
    })
  )

  it.effect("a resource that no connected provider has is an empty list", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["quickbooks"])
      const answer = yield* call("GET", "/accounting/sales_order")
      assert.strictEqual(answer.status, 200)
      const named = yield* call("GET", "/accounting/sales_order?provider=quickbooks")
      assert.strictEqual(named.status, 405)
      assert.match(failureOf(named).message, /quickbooks/)
    })
  )
})
