import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { Budget } from "../../../src/providers/base/Budget.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import { Credentials } from "../../../src/providers/Credentials.ts"
import { ProviderError, TimedOut } from "../../../src/providers/ProviderError.ts"
import { Postgres } from "../../../src/toolkits/postgres/Postgres.ts"
import { PostgresAccess } from "../../../src/toolkits/postgres/PostgresAccess.ts"
import { Toolkits } from "../../../src/toolkits/Toolkits.ts"
import { createDatabase } from "../../support/TestDatabase.ts"
import { harmless, hostile } from "./Statements.ts"

/** A superuser's URL of a PostgreSQL server, such as `postgresql://postgres:postgres@127.0.0.1:5432/postgres`. */
const server = process.env["TEST_DATABASE_URL"]

/** A database of an end user on that server, with two roles of theirs. */
class Theirs extends Context.Tag("tributary/test/Theirs")<
  Theirs,
  {
    readonly url: (role: "reader" | "writer" | "owner" | "spy", database?: string) => string
    readonly sql: SqlClient.SqlClient
  }
>() {}

const theirs = Layer.scoped(
  Theirs,
  Effect.gen(function* () {
    const url = yield* createDatabase(Redacted.make(server ?? ""))
    const sql = yield* Effect.map(Layer.build(PgClient.layer({ url, maxConnections: 2 })), (built) =>
      Context.get(built, SqlClient.SqlClient)
    )
    const suffix = randomUUID().slice(0, 8)
    const name = (role: string) => `tributary_${role}_${suffix}`
    const password = "only-for-tests"
    yield* Effect.acquireRelease(
      Effect.forEach(["reader", "writer", "spy"], (role) =>
        sql.unsafe(`create role ${name(role)} login password '${password}'`)
      ),
      () =>
        Effect.forEach(["reader", "writer", "spy"], (role) =>
          sql.unsafe(`drop owned by ${name(role)}; drop role ${name(role)}`)
        ).pipe(Effect.orDie)
    )
    yield* sql.unsafe(`create table t (id bigint generated always as identity primary key, name text not null);
      insert into t (name) select 'row ' || n from generate_series(1, 50) n;
      grant usage on schema public to public;
      grant select on t to ${name("reader")};
      grant select, insert, update, delete on t to ${name("writer")};
      grant pg_read_server_files to ${name("spy")}`)
    const place = new URL(Redacted.value(url))
    return {
      sql,
      url: (role, database) => {
        const made = new URL(place)
        made.username = role === "owner" ? place.username : name(role)
        made.password = role === "owner" ? place.password || "unused" : password
        if (database !== undefined) made.pathname = `/${database}`
        made.search = "sslmode=disable"
        return made.href
      }
    }
  })
)

const hold = Layer.effect(
  Credentials,
  Effect.map(Theirs, ({ url }) => ({
    current: ({ id }: ConnectionRef) => {
      const [role, values] =
        id === "writer" ? (["writer", { allowWrites: "true" }] as const) : (["reader", {}] as const)
      return Effect.succeed({ version: 1, secret: Redacted.make(url(role)), values })
    },
    refresh: () => Effect.dieMessage("a connection string is not refreshed"),
    refused: () => Effect.void
  }))
)

const own = Layer.unwrapScoped(
  Effect.map(createDatabase(Redacted.make(server ?? "")), (url) => PgClient.layer({ url, maxConnections: 1 }))
)

const allow = (ranges: string) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["ALLOW_PRIVATE_HOSTS", ranges]])))

const services = Layer.provideMerge(Layer.mergeAll(Postgres, PostgresAccess.layer), Toolkits.layer).pipe(
  Layer.provide(Layer.mergeAll(hold, Budget.layerMemory)),
  Layer.provideMerge(Layer.mergeAll(theirs, own)),
  Layer.provide(allow("127.0.0.0/8,::1"))
)

const run = (name: string, args: object, id = "reader") =>
  Effect.flatMap(Toolkits, (toolkits) => {
    const tool = toolkits.get("postgres")?.tools.find((one) => one.name === name)
    if (tool === undefined) return Effect.dieMessage(`no tool ${name}`)
    return tool.call({ id, provider: "postgres", environment: "production", organisation: "org" }, args)
  })

const query = (sql: string) => run("postgres_query", { sql })

const refused = (effect: ReturnType<typeof run>) =>
  Effect.map(Effect.flip(effect), (error) => (error._tag === "ProviderError" ? error.reason._tag : error._tag))

describe.skipIf(server === undefined)("Postgres, on a server", () => {
  layer(services, { timeout: "30 seconds" })((it) => {
    const isWhole = Effect.gen(function* () {
      const { sql } = yield* Theirs
      const found = yield* sql`select count(*)::int as rows, count(distinct name)::int as names from t`
      assert.deepStrictEqual(found, [{ rows: 50, names: 50 }])
      assert.isFalse(existsSync("/tmp/tributary-was-here"))
      assert.deepStrictEqual(yield* sql`select 1 from pg_class where relname = 'stolen'`, [])
    })

    for (const sql of hostile) {
      it.effect(`refuses: ${sql}`, () =>
        Effect.gen(function* () {
          assert.include(["Invalid", "NotPermitted"], yield* refused(query(sql)))
          // a role that might write is held back as well
          assert.include(["Invalid", "NotPermitted"], yield* refused(run("postgres_query", { sql }, "writer")))
          yield* isWhole
        })
      )
    }

    for (const sql of harmless) {
      it.effect(`answers: ${sql}`, () =>
        Effect.gen(function* () {
          const answer = yield* query(sql)
          assert.match(JSON.stringify(answer), /"rows":\[\[/)
        })
      )
    }

    it.effect("cannot be talked out of reading only, nor of its limits", () =>
      Effect.gen(function* () {
        for (const sql of [
          "select set_config('transaction_read_only', 'off', false), nextval('t_id_seq')",
          "select pg_read_file('/etc/passwd')"
        ]) {
          assert.include(["Invalid", "NotPermitted"], yield* refused(run("postgres_query", { sql }, "writer")), sql)
        }
        const answer = yield* query("select n from generate_series(1, 50000000) n")
        assert.include(JSON.stringify(answer), '"more":true')
        // some versions make large objects in a transaction that is read only; none outlives it
        yield* Effect.ignore(query("select lo_create(0)"))
        assert.deepStrictEqual(yield* (yield* Theirs).sql`select oid from pg_largeobject_metadata`, [])
        yield* isWhole
      })
    )

    it.effect("refuses roles with rights on the server, databases of its own, and wrong passwords", () =>
      Effect.gen(function* () {
        const { url } = yield* Theirs
        const { check } = yield* PostgresAccess
        const checked = (text: string) => check(Redacted.make(text), "production")
        const account = yield* checked(url("reader"))
        assert.match(account.name, / at 127\.0\.0\.1$/)
        assert.notInclude(JSON.stringify(account), "only-for-tests")

        const owner = yield* Effect.flip(checked(url("owner")))
        assert.include(owner.detail, "rights on the server")
        const spy = yield* Effect.flip(checked(url("spy")))
        assert.include(spy.detail, "pg_read_server_files")

        const [{ name } = { name: "" }] = yield* (yield* SqlClient.SqlClient)<{
          readonly name: string
        }>`select current_database() as name`
        for (const host of ["127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"]) {
          const text = url("reader", name).replace("127.0.0.1", host)
          const service = yield* Effect.flip(checked(text))
          assert.strictEqual(service.detail, "this is the database of the service itself", host)
        }

        const wrong = yield* Effect.flip(checked(url("reader").replace("tributary_reader", "nobody")))
        assert.strictEqual(wrong.reason._tag, "Unauthenticated")
        assert.notInclude(JSON.stringify(wrong), "only-for-tests")
        const plain = yield* Effect.flip(checked(url("reader").replace("sslmode=disable", "sslmode=require")))
        assert.include(plain.detail, "does not speak TLS")
        const nobody = yield* Effect.flip(checked(url("reader").replace(/:\d+\//, ":5999/")))
        assert.strictEqual(nobody.reason._tag, "Down")
      })
    )

    it.effect("changes rows only where that is allowed, one statement at a time, and not too many", () =>
      Effect.gen(function* () {
        const execute = (sql: string, more: object = {}) => run("postgres_execute", { sql, ...more }, "writer")
        assert.strictEqual(yield* refused(run("postgres_execute", { sql: "delete from t" })), "NotPermitted")
        for (const sql of [
          "select 1",
          "delete from t; drop table t",
          "do $$ begin delete from t; end $$",
          "create table stolen as select * from t",
          "with gone as (delete from t returning *) select * from gone",
          "copy t to stdout",
          "commit"
        ]) {
          assert.strictEqual(yield* refused(execute(sql)), "Invalid", sql)
        }
        assert.strictEqual(yield* refused(execute("update t set name = name || '!'", { max_rows: 49 })), "Invalid")
        yield* isWhole

        const made = yield* execute("insert into t (name) values ('new') returning id, name")
        assert.deepStrictEqual(made, {
          changed_rows: 1,
          columns: [
            { name: "id", type: "bigint" },
            { name: "name", type: "text" }
          ],
          rows: [["51", "new"]],
          more: false
        })
        assert.deepStrictEqual(yield* execute("delete from t where name = 'new'"), { changed_rows: 1 })
        yield* isWhole
      })
    )

    it.effect("is not left alone for what statements meet", () =>
      Effect.gen(function* () {
        const { read } = yield* PostgresAccess
        const connection = {
          id: "reader",
          provider: "postgres",
          environment: "production",
          organisation: "org"
        } as const
        const fails = new ProviderError({ provider: "postgres", operation: "query", reason: new TimedOut() })
        for (let i = 0; i < 10; i += 1) {
          const error = yield* Effect.flip(
            read(connection, "query", ({ run }) => Effect.zipRight(run("select 1"), fails))
          )
          assert.strictEqual(error.reason._tag, "TimedOut")
        }
      })
    )
  })
})
