import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { recordOf, SandboxApplication } from "../support/SandboxApplication.ts"
import { application, logWritten, storeEverything } from "./Everything.ts"

const Stored = Schema.decodeUnknownSync(
  Schema.Record({
    key: Schema.String,
    value: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
  })
)

layer(application, { timeout: "120 seconds" })("an export of an end user", (it) => {
  it.effect("has all that is stored of them, and no secret", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "quickbooks"], { endUser: "Anna" })
      const other = yield* app.caller(["hubspot", "quickbooks"], { endUser: "Berta", tenancy: caller.tenancy })
      const { sessionId, token } = yield* storeEverything(caller)
      yield* storeEverything(other)
      yield* logWritten
      const answer = yield* caller.call("GET", "/end-users/Anna/export")
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      const { stored, ...about } = recordOf(answer)
      assert.deepInclude(about, {
        endUserId: "Anna",
        displayName: "Name of Anna",
        email: "someone@example.com",
        environment: "sandbox"
      })
      const kinds = Stored(stored)
      assert.deepStrictEqual(
        Object.entries(kinds).flatMap(([kind, entries]) => (entries.length === 0 ? [kind] : [])),
        []
      )
      assert.sameMembers(
        (kinds.connections ?? []).map(({ id }) => id),
        Object.values(caller.connections)
      )
      const text = JSON.stringify(kinds)
      assert.include(JSON.stringify(kinds.chats), "list 2 contacts for Anna")
      assert.include(JSON.stringify(kinds.approvals), "Approval of Anna")
      assert.deepInclude(kinds.sessionContexts?.[0], { sessionId, context: "Context of Anna" })
      assert.include(JSON.stringify(kinds.idempotentAnswers), "Contact of Anna")
      assert.include(JSON.stringify(kinds.sandboxAccounts), "Contact of Anna")
      assert.notInclude(text, "Berta")
      for (const id of Object.values(other.connections)) assert.notInclude(text, id)
      for (const secret of [token, ".at1-", ".rt2-", "oauth_", "credentials", "secret"]) assert.notInclude(text, secret)
    })
  )

  it.effect("is another organisation's to nobody", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot"], { endUser: "Clara" })
      const other = yield* app.caller([])
      const production = yield* app.caller([], { environment: "production" })
      for (const stranger of [other, production]) {
        for (const [method, path] of [
          ["GET", "/end-users/Clara"],
          ["GET", "/end-users/Clara/export"],
          ["DELETE", "/end-users/Clara"]
        ] as const) {
          assert.strictEqual((yield* stranger.call(method, path)).status, 404)
        }
      }
      assert.strictEqual((yield* caller.call("GET", "/end-users/Clara")).status, 200)
    })
  )
})
