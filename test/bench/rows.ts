/**
 * Prints the processor time of hot reads, with and without a Schema for their rows, over a PostgreSQL server at
 * BENCH_DATABASE_URL: `npx vite-node test/bench/rows.ts`.
 */
import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, Schema } from "effect"
import { Environment } from "../../src/tenancy/CurrentCaller.ts"
import * as Migrations from "../../src/platform/Migrations.ts"
import { createDatabase } from "../support/TestDatabase.ts"

const organisation = "00000000-0000-4000-8000-000000000001"
const endUser = "00000000-0000-4000-8000-000000000002"
const connection = "00000000-0000-4000-8000-000000000010"

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into organisations (id, name) values (${organisation}, 'bench')`
  yield* sql`
    insert into end_users (id, organisation_id, environment, external_id) values (${endUser}, ${organisation}, 'sandbox', 'bench')`
  yield* sql`
    insert into connections (id, organisation_id, environment, end_user_id, provider, account_name, account_id, scopes, credentials)
    select ('00000000-0000-4000-8000-00000000001' || n)::uuid, ${organisation}::uuid, 'sandbox', ${endUser}::uuid, 'hubspot',
      'An account', n::text, array['crm.read', 'crm.write'], repeat('x', 600)
    from generate_series(0, 2) n`
  yield* sql`
    insert into identities (connection_id, id, category, resource, native_type, remote_id, first_seen_at)
    select ${connection}::uuid, gen_random_uuid(), 'crm', 'contact', 'contacts', n::text, now() from generate_series(1, 100) n`
  yield* sql`
    insert into simulated_accounts (provider, account, version, last_id) values ('hubspot', 'bench', 1, 500)`
  yield* sql`
    insert into simulated_records (provider, account, type, id, body)
    select 'hubspot', 'bench', 'contacts', n::text, jsonb_build_object('id', n, 'properties', jsonb_build_object(
      'firstname', 'Ada', 'lastname', 'Lovelace', 'email', 'ada@example.com', 'phone', '+44', 'city', 'London'))
    from generate_series(1, 500) n`
})

const Connection = Schema.Struct({
  id: Schema.String,
  organisation_id: Schema.String,
  environment: Environment,
  end_user_id: Schema.String,
  external_id: Schema.String,
  provider: Schema.String,
  status: Schema.Literal("active", "needs_reauth"),
  status_reason: Schema.NullOr(Schema.String),
  account_name: Schema.NullOr(Schema.String),
  account_id: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  reauth_by: Schema.NullOr(Schema.DateFromSelf),
  created_at: Schema.DateFromSelf,
  version: Schema.Int
})

const Credentials = Schema.Struct({
  status: Schema.Literal("active", "needs_reauth"),
  version: Schema.Int,
  credentials: Schema.String,
  end_user_id: Schema.String,
  account_id: Schema.NullOr(Schema.String)
})

const Identity = Schema.Struct({
  uuid: Schema.String,
  resource: Schema.String,
  nativeType: Schema.String,
  remoteId: Schema.String
})

const Simulated = Schema.Struct({
  type: Schema.String,
  id: Schema.String,
  body: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

/** A read, with and without a Schema for its rows. */
const both = <A, I>(given: {
  readonly name: string
  readonly times: number
  readonly Result: Schema.Schema<A, I>
  readonly statement: () => Statement.Statement<object>
}) => ({
  name: given.name,
  times: given.times,
  plain: Effect.suspend(given.statement),
  checked: SqlSchema.findAll({ Request: Schema.Void, Result: given.Result, execute: given.statement })()
})

const reads = Effect.map(SqlClient.SqlClient, (sql) => {
  const ids = sql`select id from identities where connection_id = ${connection}`
  return [
    both({
      name: "connections of an end user (3 rows)",
      times: 1000,
      Result: Connection,
      statement: () => sql`
        select c.id, c.organisation_id, c.environment, c.end_user_id, u.external_id, c.provider, c.status, c.status_reason,
          c.account_name, c.account_id, c.scopes, c.reauth_by, c.created_at, c.version
        from end_users u left join connections c on c.end_user_id = u.id and c.status <> 'revoked'
        where u.organisation_id = ${organisation} and u.environment = 'sandbox' and u.external_id = 'bench'
        order by c.created_at, c.id`
    }),
    both({
      name: "credentials of a connection (1 row)",
      times: 1000,
      Result: Credentials,
      statement: () => sql`
        select status, version, credentials, end_user_id, account_id from connections
        where id = ${connection} and environment = 'sandbox' and provider = 'hubspot' and status <> 'revoked'`
    }),
    both({
      name: "identities (100 rows)",
      times: 300,
      Result: Identity,
      statement: () => sql`
        select id as uuid, resource, native_type as "nativeType", remote_id as "remoteId" from identities
        where connection_id = ${connection} and id in (${ids})`
    }),
    both({
      name: "records of a simulated account (500 rows)",
      times: 100,
      Result: Simulated,
      statement: () => sql`
        select type, id, body from simulated_records where provider = 'hubspot' and account = 'bench'`
    })
  ]
})

/** Microseconds of processor time for each run of an effect. */
const costOf = <E>(effect: Effect.Effect<unknown, E>, times: number) =>
  Effect.gen(function* () {
    const before = process.cpuUsage()
    yield* Effect.repeatN(effect, times - 1)
    const { system, user } = process.cpuUsage(before)
    return (user + system) / times
  })

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const rounds = 11

const main = Effect.gen(function* () {
  yield* Migrations.run
  yield* seed
  for (const { checked, name, plain, times } of yield* reads) {
    yield* costOf(plain, times)
    yield* costOf(checked, times)
    const costs: Array<{ readonly plain: number; readonly schema: number }> = []
    for (let round = 0; round < rounds; round += 1) {
      costs.push({ plain: yield* costOf(plain, times), schema: yield* costOf(checked, times) })
    }
    const without = median(costs.map((one) => one.plain))
    const more = median(costs.map((one) => one.schema - one.plain))
    console.log(
      `${name}: ${without.toFixed(0)} µs without a Schema, ${more.toFixed(0)} µs (${((100 * more) / without).toFixed(0)} %) more with one`
    )
  }
})

const database = Layer.unwrapScoped(
  Config.redacted("BENCH_DATABASE_URL").pipe(
    Effect.flatMap((url) => createDatabase(url)),
    Effect.map((url) => PgClient.layer({ url, maxConnections: 1 }))
  )
)

await Effect.runPromise(Effect.provide(main, database))
