import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { randomUUID } from "node:crypto"
import {
  type Answer,
  failureOf,
  pageOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

const lines: Array<string> = []
const noting = Logger.make(({ message }) => void lines.push(JSON.stringify(message)))

/** What is stored looks as if it was sealed with a key that was taken away. */
const takeKeyAway = (table: string, column: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update ${sql(table)} set ${sql(column)} = regexp_replace(${sql(column)}, '^[^.]+[.]', 'gone.')
      where ${sql(column)} <> ''`
  )

const isSaid = (answer: Answer) => {
  const { code, message, provider } = failureOf(answer)
  assert.deepStrictEqual([answer.status, code, provider], [500, "ENCRYPTION_KEY_MISSING", undefined])
  assert.include(message, "operator")
  assert.notInclude(message, "available")
  const said = lines.splice(0).filter((line) => line.includes(`key \\"gone\\", which ENCRYPTION_KEYS lacks`))
  assert.isNotEmpty(said)
}

describe("what was stored with a key that is missing", () => {
  layer(sandboxApplication().pipe(Layer.provide(Logger.replace(Logger.defaultLogger, noting))))((it) => {
    it.effect("is the operator's to put right, and the answer and the log say so", () =>
      Effect.gen(function* () {
        const { connect, caller: make } = yield* SandboxApplication
        const caller = yield* make(["hubspot"])
        const keyed = { body: { last_name: "Once" }, headers: { "idempotency-key": randomUUID() } }
        const write = caller.call("POST", "/crm/contact?provider=hubspot", keyed)
        assert.strictEqual((yield* write).status, 201)
        yield* takeKeyAway("idempotency_entries", "answer")
        isSaid(yield* write)

        const context = `/chat-sessions/${randomUUID()}/context`
        yield* caller.call("PUT", context, { body: { context: "short" } })
        yield* takeKeyAway("session_contexts", "context")
        isSaid(yield* caller.call("GET", context))

        const other = yield* make(["pipedrive"])
        yield* takeKeyAway("connections", "credentials")
        isSaid(yield* other.call("GET", "/crm/contact?provider=pipedrive"))
        isSaid(yield* other.call("GET", "/crm/contact"))
        // beside others it is an entry, and its place in the walk is kept
        yield* connect(other, "hubspot")
        const page = pageOf(yield* other.call("GET", "/crm/contact?limit=4"))
        assert.isNotEmpty(page.data)
        assert.lengthOf(page.errors ?? [], 1)
        assert.deepInclude(page.errors?.[0], { code: "ENCRYPTION_KEY_MISSING", provider: "pipedrive", retryable: true })
      })
    )
  })
})
