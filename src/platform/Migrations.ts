import { Migrator, SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { patiently } from "./Patience.ts"
import foundation from "./migrations/0001_Foundation.ts"
import mappingRevisions from "./migrations/0002_MappingRevisions.ts"
import connect from "./migrations/0003_Connect.ts"
import overrideChecks from "./migrations/0004_OverrideChecks.ts"
import agents from "./migrations/0005_Agents.ts"
import chat from "./migrations/0006_Chat.ts"
import consoleTables from "./migrations/0007_Console.ts"
import retention from "./migrations/0008_Retention.ts"
import keyScopes from "./migrations/0009_KeyScopes.ts"
import erasure from "./migrations/0010_Erasure.ts"
import idempotencyLeases from "./migrations/0011_IdempotencyLeases.ts"
import sandboxSamples from "./migrations/0013_SandboxSamples.ts"

const table = "migrations"

const migrate = Migrator.make({})({
  table,
  loader: Migrator.fromRecord({
    "0001_Foundation": foundation,
    "0002_MappingRevisions": mappingRevisions,
    "0003_Connect": connect,
    "0004_OverrideChecks": overrideChecks,
    "0005_Agents": agents,
    "0006_Chat": chat,
    "0007_Console": consoleTables,
    "0008_Retention": retention,
    "0009_KeyScopes": keyScopes,
    "0010_Erasure": erasure,
    "0011_IdempotencyLeases": idempotencyLeases,
    "0013_SandboxSamples": sandboxSamples
  })
})

// Any number works as long as nothing else in this database locks it.
const advisoryLock = 5_872_019_344

/**
 * Brings the database to this version's schema and gives what it applied, oldest first: all of it or nothing.
 * Any number of processes may run it at the same moment, also on an empty database.
 *
 * The migrator locks its table, but makes it first and unguarded, where two processes collide. So the table is made
 * here, behind an advisory lock that lasts as long as the transaction.
 */
export const run = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${advisoryLock})`
      yield* sql`
        create table if not exists ${sql(table)} (
          migration_id integer primary key,
          created_at timestamptz not null default now(),
          name text not null
        )`
      return yield* migrate
    })
  )
}).pipe(
  // The migrator dies of a failed migration; to whoever starts the service it is a failure like the others.
  Effect.catchSomeDefect((defect) =>
    defect instanceof Migrator.MigrationError ? Option.some(Effect.fail(defect)) : Option.none()
  ),
  patiently,
  Effect.withSpan("Migrations.run")
)
