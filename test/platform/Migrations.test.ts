import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Migrations from "../../src/platform/Migrations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { full } from "../support/Full.ts"

layer(TestDatabase.ownLayer)("Migrations", (it) => {
  it.effect("has nothing to do the second time", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Migrations.run, [])
    })
  )

  full(it).effect("applies each migration once when several run at the same moment on an empty database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      const applied = yield* Effect.all(
        Array.from({ length: 5 }, () => Migrations.run),
        { concurrency: 5 }
      )
      const each = applied.flat().sort(([a], [b]) => a - b)
      assert.deepStrictEqual(each[0], [1, "Foundation"])
      assert.lengthOf(new Set(each.map(([id]) => id)), each.length)
      assert.deepStrictEqual(
        each.map(([id]) => id),
        (yield* sql<{ id: number }>`select migration_id as id from migrations order by 1`).map(({ id }) => id)
      )
      assert.deepStrictEqual(yield* sql`select * from organisations`, [])
    })
  )

  it.effect("adds no index that is there already", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from migrations where migration_id >= 14`
      assert.deepStrictEqual(yield* Migrations.run, [
        [14, "EndUserIndexes"],
        [15, "ChatSessionIndex"],
        [16, "ToolCallIndex"],
        [17, "ReauthBy"],
        [18, "Lookups"],
        [19, "Events"],
        [20, "Webhooks"],
        [21, "Watches"],
        [22, "Pushes"],
        [23, "Leash"],
        [24, "AgentAudit"],
        [26, "Authorization"],
        [27, "SignInAddresses"],
        [28, "RequestDetails"],
        [29, "ApprovalSignIns"],
        [30, "OriginsAndTraces"],
        [31, "RefreshState"]
      ])
    })
  )

  full(it).effect("leaves nothing of a migration behind when the schema is in its way", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      yield* sql`create table end_users (name text)`
      const error = yield* Effect.flip(Migrations.run)
      assert.match(error.message, /0?1_Foundation" failed/)
      const tables = yield* sql`select tablename from pg_tables where schemaname = 'public'`
      assert.deepStrictEqual(tables, [{ tablename: "end_users" }])

      // what came before it stays
      yield* sql`drop table end_users`
      yield* sql`create table connect_sessions (name text)`
      assert.match((yield* Effect.flip(Migrations.run)).message, /0?3_Connect" failed/)
      assert.lengthOf(yield* sql`select 1 from migrations`, 2)
      yield* sql`drop table connect_sessions`
      assert.deepStrictEqual((yield* Migrations.run)[0], [3, "Connect"])
    })
  )
})
