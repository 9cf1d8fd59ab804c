import { Migrator, SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { allowingLongStatements } from "./LongStatements.ts"
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
import endUserIndexes from "./migrations/0014_EndUserIndexes.ts"
import chatSessionIndex from "./migrations/0015_ChatSessionIndex.ts"
import toolCallIndex from "./migrations/0016_ToolCallIndex.ts"
import reauthBy from "./migrations/0017_ReauthBy.ts"
import lookups from "./migrations/0018_Lookups.ts"
import events from "./migrations/0019_Events.ts"
import webhooks from "./migrations/0020_Webhooks.ts"
import watches from "./migrations/0021_Watches.ts"
import pushes from "./migrations/0022_Pushes.ts"
import leash from "./migrations/0023_Leash.ts"
import agentAudit from "./migrations/0024_AgentAudit.ts"
import authorization from "./migrations/0026_Authorization.ts"
import signInAddresses from "./migrations/0027_SignInAddresses.ts"
import requestDetails from "./migrations/0028_RequestDetails.ts"
import approvalSignIns from "./migrations/0029_ApprovalSignIns.ts"
import originsAndTraces from "./migrations/0030_OriginsAndTraces.ts"
import refreshState from "./migrations/0031_RefreshState.ts"

const table = "migrations"

const all = Migrator.fromRecord({
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
  "0013_SandboxSamples": sandboxSamples,
  "0014_EndUserIndexes": endUserIndexes,
  "0015_ChatSessionIndex": chatSessionIndex,
  "0016_ToolCallIndex": toolCallIndex,
  "0017_ReauthBy": reauthBy,
  "0018_Lookups": lookups,
  "0019_Events": events,
  "0020_Webhooks": webhooks,
  "0021_Watches": watches,
  "0022_Pushes": pushes,
  "0023_Leash": leash,
  "0024_AgentAudit": agentAudit,
  "0026_Authorization": authorization,
  "0027_SignInAddresses": signInAddresses,
  "0028_RequestDetails": requestDetails,
  "0029_ApprovalSignIns": approvalSignIns,
  "0030_OriginsAndTraces": originsAndTraces,
  "0031_RefreshState": refreshState
})

// Any number works as long as nothing else in this database locks it.
const advisoryLock = 5_872_019_344

/**
 * Applies the next migration, if there is one.
 *
 * The migrator locks its table, but makes it first and unguarded, where two processes collide. So the table is made
 * here, behind an advisory lock that lasts as long as the transaction.
 */
const next = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const last = SqlSchema.single({
    Request: Schema.Void,
    Result: Schema.Struct({ latest: Schema.Int }),
    execute: () => sql`select coalesce(max(migration_id), 0) as latest from ${sql(table)}`
  })
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${advisoryLock})`
      yield* sql`
        create table if not exists ${sql(table)} (
          migration_id integer primary key,
          created_at timestamptz not null default now(),
          name text not null
        )`
      const { latest } = yield* last().pipe(
        Effect.catchTags({ NoSuchElementException: Effect.die, ParseError: Effect.die })
      )
      const loader = Effect.map(all, (migrations) => migrations.filter(([id]) => id > latest).slice(0, 1))
      return yield* Migrator.make({})({ table, loader })
    })
  )
})

/**
 * Brings the database to this version's schema and gives what it applied, oldest first. Each migration is applied whole or
 * not at all, in a transaction of its own, so that a version before that runs beside waits for one table at a time.
 * Any number of processes may run it at the same moment, also on an empty database.
 */
export const run = Effect.gen(function* () {
  const applied: Array<readonly [id: number, name: string]> = []
  for (let done = yield* next; done.length > 0; done = yield* next) applied.push(...done)
  return applied
}).pipe(
  // The migrator dies of a failed migration; to whoever starts the service it is a failure like the others.
  Effect.catchSomeDefect((defect) =>
    defect instanceof Migrator.MigrationError ? Option.some(Effect.fail(defect)) : Option.none()
  ),
  allowingLongStatements,
  Effect.withSpan("Migrations.run")
)
