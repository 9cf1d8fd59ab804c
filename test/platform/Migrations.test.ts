import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Migrations from "../../src/platform/Migrations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

layer(TestDatabase.ownLayer)("Migrations", (it) => {
  it.effect("has nothing to do the second time", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Migrations.run, [])
    })
  )

  it.effect("applies each migration once when several run at the same moment on an empty database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      const applied = yield* Effect.all(
        Array.from({ length: 5 }, () => Migrations.run),
        { concurrency: 5 }
      )
      const [first, ...rest] = applied.sort((a, b) => b.length - a.length)
      assert.deepStrictEqual(first?.[0], [1, "Foundation"])
      assert.isTrue(rest.every((nothing) => nothing.length === 0))
      assert.deepStrictEqual(yield* sql`select * from organisations`, [])
    })
  )

  it.effect("leaves nothing behind when the schema is in the way", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      yield* sql`create table end_users (name text)`
      const error = yield* Effect.flip(Migrations.run)
      assert.match(error.message, /0?1_Foundation" failed/)
      const tables = yield* sql`select tablename from pg_tables where schemaname = 'public'`
      assert.deepStrictEqual(tables, [{ tablename: "end_users" }])
    })
  )
})
