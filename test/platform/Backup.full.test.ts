import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { readFileSync } from "node:fs"
import * as Backup from "../../src/platform/Backup.ts"
import * as Migrations from "../../src/platform/Migrations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql`select to_jsonb(t)::text as row from ${sql(name)} t order by 1`,
      (found) => [name, name === "migrations" ? found.length : found] as const
    )
  )
  return Object.fromEntries(rows)
})

const anew = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop schema public cascade`
  yield* sql`create schema public`
  yield* Migrations.run
})

layer(TestDatabase.ownLayer, { timeout: "60 seconds" })("a backup", (it) => {
  it.scoped("brings everything back as it was, and the next numbers with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const file = join(yield* TestDatabase.scratchDirectory, "all.backup")
      const organisation = randomUUID()
      yield* sql`insert into organisations (id, name) values (${organisation}, ${'Odd "name" \\ 🦑'})`
      yield* sql`
        insert into erasures (organisation_id, environment, digest, erased_at)
        values (${organisation}, 'sandbox', sha256('a'), '2026-01-01T00:00:00.123456Z')`
      // more than are read at a time, with numbers that JavaScript cannot hold
      yield* sql`
        insert into request_log (organisation_id, environment, api_key_id, at, method, route, status, providers, duration_ms,
          request_id, connections, calls)
        select ${organisation}, 'sandbox', ${organisation}, now(), 'GET', '/{"table":', 200, '{hubspot,"a b"}', 1, n::text,
          array[gen_random_uuid()], jsonb_build_array(jsonb_build_object('n', 9007199254740993 + n))
        from generate_series(1, 1203) n`
      const before = yield* everything
      const made = yield* Backup.backup(file)
      assert.strictEqual(made.rows, 1205)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.include((yield* Effect.flip(Backup.restore(file))).message, "This database is in use")

      yield* anew
      assert.strictEqual((yield* Backup.restore(file)).rows, 1205)
      assert.deepStrictEqual(yield* everything, before)
      const [next] = yield* sql<{ readonly id: string }>`
        insert into request_log (organisation_id, environment, api_key_id, at, method, route, status, providers, duration_ms,
          request_id)
        values (${organisation}, 'sandbox', ${organisation}, now(), 'GET', '/', 200, '{}', 1, 'next') returning id::text`
      assert.strictEqual(next?.id, "1204")
    })
  )

  it.scoped("is not taken from another version, nor from what is none, and changes nothing then", () =>
    Effect.gen(function* () {
      yield* anew
      const folder = yield* TestDatabase.scratchDirectory
      const file = join(folder, "all.backup")
      yield* Backup.backup(file)
      const older = join(folder, "older.backup")
      const text = gunzipSync(readFileSync(file)).toString()
      writeFileSync(older, gzipSync(text.replace(/"migration":\d+/, '"migration":3')))
      assert.include((yield* Effect.flip(Backup.restore(older))).message, "Restore it with that version")
      writeFileSync(older, gzipSync("nonsense"))
      assert.include((yield* Effect.flip(Backup.restore(older))).message, "is not a backup")
      writeFileSync(older, "nonsense")
      assert.include((yield* Effect.flip(Backup.restore(older))).message, "cannot be read")
      assert.include((yield* Effect.flip(Backup.restore(join(folder, "none")))).message, "cannot be read")
      assert.include((yield* Effect.flip(Backup.backup(join(folder, "no/such/folder")))).message, "cannot be made")
      assert.isFalse(existsSync(`${file}.part`))
    })
  )
})
