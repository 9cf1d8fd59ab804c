import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { create } from "tar"
import * as Database from "../../src/platform/Database.ts"
import * as DataDirectory from "../../src/platform/DataDirectory.ts"
import * as EmbeddedDatabase from "../../src/platform/EmbeddedDatabase.ts"
import * as MemoryDatabase from "../../src/platform/MemoryDatabase.ts"
import * as Migrations from "../../src/platform/Migrations.ts"
import { cache, snapshotFile } from "./Snapshot.ts"

/** An empty folder, removed with its content when the scope closes. */
export const scratchDirectory = DataDirectory.temporary

/** An archive of a migrated data folder, made once for this version of PGlite and of the migrations. */
export const snapshot = Effect.gen(function* () {
  const cached = snapshotFile()
  if (existsSync(cached)) return cached

  const directory = yield* scratchDirectory
  const database = EmbeddedDatabase.layer({ directory, role: "server", snapshot: "" })
  yield* Effect.provide(Migrations.run, database)
  mkdirSync(cache, { recursive: true })
  const copy = `${cached}.${randomUUID()}`
  yield* Effect.promise(() => create({ file: copy, cwd: join(directory, "pgdata") }, ["."]))
  // Another test process may have been first; its snapshot is as good.
  yield* Effect.orElse(
    Effect.try(() => renameSync(copy, cached)),
    () => Effect.sync(() => rmSync(copy))
  )
  return cached
}).pipe(Effect.scoped)

/** The URL of a new database on a server, a copy of another one there unless it is to be empty; dropped when the scope closes. */
export const createDatabase = Effect.fnUntraced(function* (url: Redacted.Redacted, template?: string) {
  const name = `tributary_test_${randomUUID().replaceAll("-", "")}`
  const administer = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
    Effect.provide(Effect.flatMap(SqlClient.SqlClient, statement), PgClient.layer({ url, maxConnections: 1 }))
  yield* Effect.acquireRelease(
    administer((sql) => sql`create database ${sql(name)} template ${sql(template ?? "template0")}`),
    () => Effect.orDie(administer((sql) => sql`drop database ${sql(name)} with (force)`))
  )
  const own = new URL(Redacted.value(url))
  own.pathname = name
  return Redacted.make(own.href)
})

/** Makes a migrated database on a server, for others to be copied from; gives its name. */
export const template = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const own = yield* createDatabase(url)
  yield* Effect.provide(Migrations.run, PgClient.layer({ url: own, maxConnections: 1 }))
  return new URL(Redacted.value(own)).pathname.slice(1)
})

const onServer = (url: Redacted.Redacted) =>
  Config.string("TEST_DATABASE_TEMPLATE").pipe(
    Effect.flatMap((template) => createDatabase(url, template)),
    Effect.map((own) => PgClient.layer({ url: own, maxConnections: 10 })),
    Layer.unwrapScoped
  )

const forSuites = <E>(
  here: Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, E>
): Layer.Layer<SqlClient.SqlClient | PgClient.PgClient> =>
  Layer.unwrapEffect(
    Effect.map(
      Config.option(Config.redacted("TEST_DATABASE_URL")),
      Option.match({
        onNone: () => Layer.orDie(here),
        onSome: (url) => Layer.orDie(onServer(url))
      })
    )
  ).pipe((database) => Layer.provideMerge(Layer.effectDiscard(Migrations.run), database), Layer.orDie)

/**
 * An empty, migrated database for a suite: an embedded one, or with `TEST_DATABASE_URL` one of its own on that PostgreSQL
 * server, dropped at the end.
 */
export const layer = forSuites(MemoryDatabase.layer)

/** The same, for suites that change its schema: an embedded one is their own too. */
export const ownLayer = forSuites(Layer.unwrapEffect(Effect.map(snapshot, (archive) => Database.temporary(archive))))
