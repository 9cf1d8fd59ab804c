import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import { failureOf, pageOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("q", (it) => {
  const connected = (...providers: ReadonlyArray<string>) =>
    Effect.flatMap(SandboxApplication, (app) => app.caller(providers))

  it.effect.each<readonly [provider: string, path: string, q: string, words: string]>([
    ["pipedrive", "/crm/contact", " a ", "q: must have 2 characters at least at pipedrive."],
    ["zoho_crm", "/crm/contact", "x", "q: must have 2 to 255 characters at zoho_crm."],
    ["zoho_crm", "/crm/task", "a".repeat(256), "q: must have 2 to 255 characters at zoho_crm."],
    ["salesforce", "/crm/contact", "a b & c", "q: must have a word of 2 letters or digits at least"],
    ["salesforce", "/crm/note", "a".repeat(501), "500 characters at most at salesforce."],
    ["hubspot", "/crm/contact", "a".repeat(501), "q: must have 500 characters at most at hubspot."],
    ["close", "/crm/company", "&", "q: must have a letter or digit at close."],
    ["zoho_books", "/accounting/invoice", "a".repeat(101), "q: must have 100 characters at most at zoho_books."]
  ])("%s: %s refuses a text that the search does not take, before it is asked", ([provider, path, q, words]) =>
    Effect.gen(function* () {
      const { call } = yield* connected(provider)
      const notes = yield* NotedRequests
      const asked = yield* notes.during(
        Effect.map(call("GET", `${path}?${new URLSearchParams({ provider, q }).toString()}`), (answer) => {
          const { code, message, statusCode } = failureOf(answer)
          assert.deepStrictEqual([statusCode, code], [400, "INVALID_PARAMETER"])
          assert.include(message, words)
        })
      )
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("is told of one of several, while the others answer", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot", "pipedrive")
      const { data, errors, pagination } = pageOf(yield* call("GET", "/crm/contact?q=a"))
      assert.isNotEmpty(data)
      assert.isTrue(data.every(({ providerSlug }) => providerSlug === "hubspot"))
      assert.deepStrictEqual(
        errors?.map(({ code, provider, retryable }) => ({ code, provider, retryable })),
        [{ code: "INVALID_PARAMETER", provider: "pipedrive", retryable: false }]
      )
      const rest = pageOf(yield* call("GET", `/crm/contact?q=a&cursor=${pagination.cursor ?? ""}`))
      assert.isUndefined(rest.errors)
    })
  )
})
