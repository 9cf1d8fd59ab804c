import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { ChatSessions } from "../../src/agent/ChatSessions.ts"
import { SessionContexts } from "../../src/agent/SessionContexts.ts"
import { ConnectAttempts } from "../../src/connections/ConnectAttempts.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { ConsoleSessions } from "../../src/console/ConsoleSessions.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import * as Migrations from "../../src/platform/Migrations.ts"
import type { Rotated } from "../../src/platform/Rotation.ts"
import { Idempotency } from "../../src/records/Idempotency.ts"
import { releases, restore } from "../support/Release.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`

const withKeys = (keys: string) =>
  Layer.provide(Encryption.layer, Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["ENCRYPTION_KEYS", keys]]))))

/** The contexts as a service with these keys has them. */
const contexts = <A, E, R>(
  keys: string | Layer.Layer<Encryption>,
  use: (of: SessionContexts["Type"]) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(SessionContexts, use).pipe(
    Effect.provide(
      SessionContexts.layer.pipe(Layer.provide(typeof keys === "string" ? Layer.orDie(withKeys(keys)) : keys))
    )
  )

const newTenant = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const organisation = randomUUID()
  yield* sql`insert into organisations (id, name) values (${organisation}, ${organisation})`
  return { organisation, environment: "production" as const }
})

layer(TestDatabase.layer, { timeout: "60 seconds" })("new encryption keys", (it) => {
  it.effect("seal values anew, batch by batch and once, so that the old key can go", () =>
    Effect.gen(function* () {
      const tenant = yield* newTenant
      const [old, fresh] = [key("old"), key("fresh")]
      const ids = Array.from({ length: 120 }, () => randomUUID())
      yield* contexts(old, ({ put }) => Effect.forEach(ids, (id) => put(tenant, id, `context ${id}`)))
      const today = randomUUID()
      yield* contexts(fresh, ({ put }) => put(tenant, today, "sealed today"))
      const rotate = contexts(`${fresh},${old}`, ({ rotateEncryption }) => rotateEncryption)
      const done = yield* Effect.all([rotate, rotate], { concurrency: 2 })
      assert.strictEqual(done[0].rotated + done[1].rotated, 120)
      assert.deepStrictEqual(yield* rotate, { rotated: 0, remaining: [] })
      for (const id of ids) {
        assert.deepInclude(yield* contexts(fresh, ({ get }) => get(tenant, id)), { context: `context ${id}` })
      }
      assert.deepInclude(yield* contexts(fresh, ({ get }) => get(tenant, today)), { context: "sealed today" })
    })
  )

  it.effect("say what stays under a key that is not there, and until when", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tenant = yield* newTenant
      const [gone, fresh] = [key("gone"), key("fresh")]
      yield* contexts(gone, ({ put }) => put(tenant, randomUUID(), "nobody reads this"))
      const { remaining, rotated } = yield* contexts(fresh, ({ rotateEncryption }) => rotateEncryption)
      assert.strictEqual(rotated, 0)
      const [row] = yield* sql<{ readonly until: Date }>`
        select used_at + interval '90 days' as until from session_contexts where context like 'gone.%'`
      assert.deepStrictEqual(remaining, [
        { key: "gone", count: 1, until: row?.until.toISOString() ?? null, isMissing: true }
      ])
      yield* sql`delete from session_contexts where context like 'gone.%'`
    })
  )

  it.effect("leave a value alone that is replaced meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tenant = yield* newTenant
      const [old, fresh] = [key("old"), key("fresh")]
      const id = randomUUID()
      yield* contexts(old, ({ put }) => put(tenant, id, "before"))
      // between reading and writing, somebody else writes
      const slow = Layer.map(Layer.orDie(withKeys(`${fresh},${old}`)), (built) => {
        const real = Context.get(built, Encryption)
        const interrupted: Encryption["Type"] = {
          ...real,
          encrypt: (text, place) =>
            Effect.zipRight(
              contexts(old, ({ put }) => put(tenant, id, "meanwhile")),
              real.encrypt(text, place)
            ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
        }
        return Context.make(Encryption, interrupted)
      })
      const { remaining, rotated } = yield* contexts(slow, ({ rotateEncryption }) => rotateEncryption)
      assert.strictEqual(rotated, 0)
      assert.deepInclude(remaining[0], { key: "old", count: 1, isMissing: false })
      assert.deepInclude(yield* contexts(old, ({ get }) => get(tenant, id)), { context: "meanwhile" })
    })
  )
})

const repositories = Layer.mergeAll(
  Connections.layer,
  ConnectAttempts.layer,
  SessionContexts.layer,
  ChatSessions.layer,
  Idempotency.layer,
  ConsoleSessions.layer
)

/** Where sealed values are, and what seals them again. */
const kinds: ReadonlyArray<
  readonly [
    table: string,
    column: string,
    rotate: Effect.Effect<Rotated, never, Layer.Layer.Success<typeof repositories>>
  ]
> = [
  ["connections", "credentials", Effect.flatMap(Connections, (kept) => kept.rotateEncryption)],
  ["connect_attempts", "secrets", Effect.flatMap(ConnectAttempts, (kept) => kept.rotateEncryption)],
  ["session_contexts", "context", Effect.flatMap(SessionContexts, (kept) => kept.rotateEncryption)],
  ["chat_sessions", "history", Effect.flatMap(ChatSessions, (kept) => kept.rotateEncryption)],
  ["idempotency_entries", "answer", Effect.flatMap(Idempotency, (kept) => kept.rotateEncryption)],
  ["console_sessions", "notice", Effect.flatMap(ConsoleSessions, (kept) => kept.rotateEncryption)]
]

const [release] = releases.slice(-1)

describe("the database of a release", () => {
  layer(TestDatabase.ownLayer, { timeout: "120 seconds", excludeTestServices: true })((it) => {
    it.effect("has every kind of sealed value sealed again", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const of = release ?? assert.fail("there is no release")
        yield* restore(of)
        yield* Migrations.run
        // a column that nobody rotates would keep the old key for ever
        const columns = yield* sql<{ readonly table: string; readonly column: string }>`
          select table_name as table, column_name as column from information_schema.columns
          where table_schema = 'public' and data_type = 'text' order by 1, 2`
        const sealed: Array<string> = []
        for (const { column, table } of columns) {
          const found = yield* sql`select 1 from ${sql(table)} where ${sql(column)} like 'fixture.%' limit 1`
          if (found.length > 0) sealed.push(`${table}.${column}`)
        }
        assert.sameMembers(
          sealed,
          kinds.map(([table, column]) => `${table}.${column}`)
        )
        const anew = Layer.provide(repositories, withKeys(`${key("fresh")},${of.encryptionKeys}`))
        for (const [table, column, rotate] of kinds) {
          const [row] = yield* sql<{ readonly count: number }>`
            select count(*)::int as count from ${sql(table)} where ${sql(column)} like 'fixture.%'`
          const done = yield* Effect.provide(rotate, anew)
          assert.deepStrictEqual(done, { rotated: row?.count ?? 0, remaining: [] }, table)
        }
      })
    )
  })
})
