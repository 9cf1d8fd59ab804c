import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { resourcesOf } from "../../canonical/Catalogue.ts"
import type { Operation } from "../../providers/ProviderAdapter.ts"
import { failureOf, refusalOf } from "./Answers.ts"
import type { Suite } from "./Suite.ts"

const all: ReadonlyArray<{ readonly operation: Operation; readonly method: string; readonly single: boolean }> = [
  { operation: "list", method: "GET", single: false },
  { operation: "create", method: "POST", single: false },
  { operation: "get", method: "GET", single: true },
  { operation: "replace", method: "PUT", single: true },
  { operation: "patch", method: "PATCH", single: true },
  { operation: "remove", method: "DELETE", single: true }
]

/** Answers 405 for an operation that a provider lacks, with those it has. */
export const verbs: Suite = (it, { category, reader, rows, slug }) => {
  const rowOf = (name: string) => rows.find(({ resource }) => resource.name === name)

  it.effect("what it cannot do with a resource is 405 with what it can", () =>
    Effect.gen(function* () {
      const { call } = yield* reader
      for (const resource of resourcesOf(category)) {
        const row = rowOf(resource.name)
        for (const { method, operation, single } of all) {
          if (row?.has(operation) === true) continue
          const path = `/${category}/${resource.name}${single ? "/1" : ""}?provider=${slug}`
          const answer = yield* call(method, path, method === "GET" || method === "DELETE" ? {} : { body: {} })
          const what = `${method} ${path}`
          // whatever the body is: it is not looked at
          assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"], what)
          const allow = answer.headers.get("allow")
          assert.isNotNull(allow, what)
          const allowed = allow === null || allow === "" ? [] : allow.split(", ")
          const can = all.filter((verb) => verb.single === single && row?.has(verb.operation) === true)
          for (const verb of can) assert.include(allowed, verb.method, what)
          assert.notInclude(allowed, method, what)
        }
      }
    })
  )

  if (category === "accounting") {
    it.effect("files that it does not give are 405", () =>
      Effect.gen(function* () {
        const { call } = yield* reader
        const answer = yield* call("GET", `/accounting/attachment/1/content?provider=${slug}`)
        if (rowOf("attachment")?.has("download") === true) assert.strictEqual(answer.status, 404)
        else {
          assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"])
          assert.strictEqual(answer.headers.get("allow"), "")
        }
      })
    )
  }

  const lacking = resourcesOf(category).find(({ name }) => rowOf(name) === undefined)

  if (lacking !== undefined) {
    it.effect("a resource that no connected provider has is an empty list", () =>
      Effect.gen(function* () {
        const { call } = yield* reader
        const path = `/${category}/${lacking.name}`
        const answer = yield* call("GET", path)
        assert.strictEqual(answer.status, 200)
        const named = yield* call("GET", `${path}?provider=${slug}`)
        assert.strictEqual(named.status, 405)
        assert.include(failureOf(named).message, slug)
      })
    )
  }
}
