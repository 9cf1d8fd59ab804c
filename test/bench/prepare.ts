/**
 * What the benchmark needs in a database, made by the service's own code. `create` and `drop` a database named by the
 * second argument on the server at BENCH_DATABASE_URL; `tenants` fills the one that the environment names, and prints an
 * API key with the connection of the first end user.
 */
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, Redacted } from "effect"
import { Connections } from "../../src/connections/Connections.ts"
import * as Database from "../../src/platform/Database.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { delay, fanOuts, users } from "./scale.mjs"

const administer = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const url = yield* Config.redacted("BENCH_DATABASE_URL")
    yield* Effect.provide(Effect.flatMap(SqlClient.SqlClient, statement), PgClient.layer({ url, maxConnections: 1 }))
  })

const tenants = Effect.gen(function* () {
  const organisation = (yield* (yield* Organisations).create("Benchmark")).id
  const { key } = yield* (yield* ApiKeys).create(organisation, "production")
  const connect = (externalId: string, token: string) =>
    Effect.gen(function* () {
      const endUser = yield* (yield* EndUsers).ensure(organisation, "production", externalId)
      const credentials = {
        kind: "accessToken",
        secret: Redacted.make(token),
        refreshToken: undefined,
        expiresAt: undefined,
        values: {}
      } as const
      const connections = yield* Connections
      return yield* connections.create({
        organisation,
        environment: "production",
        endUser: endUser.id,
        provider: "hubspot",
        credentials
      })
    })
  const made = yield* Effect.forEach(users, (user) => connect(user, "token"))
  for (const count of fanOuts) {
    for (let i = 0; i < count; i += 1) yield* connect(`fan-out-${count}`, `delay-${delay}`)
  }
  process.stdout.write(JSON.stringify({ key: Redacted.value(key), connection: made[0]?.id }))
}).pipe(
  Effect.provide(
    Layer.mergeAll(Organisations.layer, ApiKeys.layer, EndUsers.layer, Connections.layer).pipe(
      Layer.provide(Encryption.layer),
      Layer.provide(Database.layerClient)
    )
  )
)

const [command = "", name = ""] = process.argv.slice(2)
const program =
  command === "create"
    ? administer((sql) => sql`create database ${sql(name)}`)
    : command === "drop"
      ? administer((sql) => sql`drop database if exists ${sql(name)} with (force)`)
      : tenants

await Effect.runPromise(program)
