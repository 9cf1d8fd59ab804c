import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { ConnectAttempts } from "../../src/connections/ConnectAttempts.ts"
import { Erasure } from "../../src/endusers/Erasure.ts"
import { isKeyMissing } from "../../src/platform/Encryption.ts"
import { consent, session } from "../support/Connecting.ts"
import {
  type Answer,
  failureOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

const NotRevoked = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ provider: Schema.String })))

const lines: Array<string> = []
const noting = Logger.make(({ message }) => void lines.push(JSON.stringify(message)))

/** Makes stored values look as if they were sealed with a removed key. */
const takeKeyAway = (table: string, column: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update ${sql(table)} set ${sql(column)} = regexp_replace(${sql(column)}, '^[^.]+[.]', 'gone.')
      where ${sql(column)} <> ''`
  )

const putKeyBack = (table: string, column: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update ${sql(table)} set ${sql(column)} = regexp_replace(${sql(column)}, '^gone[.]', 'test.')`
  )

const damage = (table: string, column: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`update ${sql(table)} set ${sql(column)} = left(${sql(column)}, -4) || 'AAAA' where ${sql(column)} <> ''`
  )

/** Rows of an organisation that removals change. */
const held = (organisation: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select c.id::text, c.status, c.credentials, c.version from connections c where organisation_id = ${organisation}
      union all
      select a.id::text, a.status, a.secrets, 0 from connect_attempts a join connect_sessions s on s.id = a.session_id
      where s.organisation_id = ${organisation}
      union all
      select k.id::text, '', k.revoked_at::text, 0 from api_keys k where organisation_id = ${organisation}
      union all
      select e.organisation_id::text, 'erased', null, 0 from erasures e where organisation_id = ${organisation}
      order by 1`
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
        yield* putKeyBack("connections", "credentials")
        lines.length = 0
      })
    )

    for (const table of ["connections", "connect_attempts"] as const) {
      const column = table === "connections" ? "credentials" : "secrets"
      it.effect(`stays as it was, whatever is removed: ${table}`, () =>
        Effect.gen(function* () {
          const { caller: make } = yield* SandboxApplication
          const caller = yield* make(["pipedrive"])
          const { organisation } = caller.tenancy
          const own = yield* session(caller)
          const { id, status } = yield* consent(own, "xero")
          assert.strictEqual(status, "choose")
          const endUser = `/end-users/${caller.endUser}`
          const connection = `/connections/${caller.connections["pipedrive"]}`
          yield* takeKeyAway(table, column)
          const before = yield* held(organisation)

          if (table === "connections") isSaid(yield* caller.call("DELETE", connection))
          else isSaid(yield* own.call("POST", `/attempts/${id}/cancel`))
          isSaid(yield* caller.call("DELETE", endUser))
          const kept = yield* Effect.exit((yield* Erasure).organisation(organisation))
          assert.isTrue(Exit.isFailure(kept) && isKeyMissing(Cause.squash(kept.cause)))
          assert.deepStrictEqual(yield* held(organisation), before)

          yield* putKeyBack(table, column)
          assert.strictEqual((yield* caller.call("GET", "/crm/contact?limit=1")).status, 200)
          const { notRevoked } = recordOf(yield* caller.call("DELETE", endUser))
          assert.deepStrictEqual(notRevoked, [])
        })
      )
    }

    it.effect("is taken back later, where nobody chose in time", () =>
      Effect.gen(function* () {
        const attempts = yield* ConnectAttempts
        const sql = yield* SqlClient.SqlClient
        const { caller: make } = yield* SandboxApplication
        const ids: Array<string> = []
        for (const caller of [yield* make([]), yield* make([])]) {
          ids.push((yield* consent(yield* session(caller), "xero")).id)
        }
        yield* sql`update connect_attempts set expires_at = now() - interval '1 second' where id = any(${ids}::uuid[])`
        const [first = "", second = ""] = ids
        yield* sql`
          update connect_attempts set secrets = regexp_replace(secrets, '^[^.]+[.]', 'gone.') where id = ${first}`
        const taken = Effect.map(attempts.takeAbandoned, (all) => all.map(({ id }) => id))
        assert.deepStrictEqual(yield* taken, [second])
        assert.deepStrictEqual(yield* taken, [])
        yield* putKeyBack("connect_attempts", "secrets")
        assert.deepStrictEqual(yield* taken, [first])
        lines.length = 0
      })
    )

    it.effect("is not kept for ever where it is damaged: it is removed, and told of", () =>
      Effect.gen(function* () {
        const { connect, caller: make } = yield* SandboxApplication
        const caller = yield* make(["pipedrive"])
        const hubspot = yield* connect(caller, "hubspot")
        const { status } = yield* consent(yield* session(caller), "xero")
        assert.strictEqual(status, "choose")
        yield* damage("connections", "credentials")
        yield* damage("connect_attempts", "secrets")
        assert.strictEqual((yield* caller.call("DELETE", `/connections/${hubspot}`)).status, 200)
        const { notRevoked } = recordOf(yield* caller.call("DELETE", `/end-users/${caller.endUser}`))
        assert.sameMembers(
          NotRevoked(notRevoked).map(({ provider }) => provider),
          ["pipedrive", "xero"]
        )
      })
    )
  })
})
