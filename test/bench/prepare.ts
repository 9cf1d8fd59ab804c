/**
 * What the benchmark needs in a database, made by the service's own code. `create <name>` and `drop <name>` a database on
 * the server at BENCH_DATABASE_URL; `tenants <[[end user, access token], ...]> <name>` makes an organisation with a HubSpot
 * connection for each in the database that the environment names, and prints an API key with the first connection.
 */
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, Redacted, Schema } from "effect"
import { Connections } from "../../src/connections/Connections.ts"
import * as Database from "../../src/platform/Database.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"

const administer = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const url = yield* Config.redacted("BENCH_DATABASE_URL")
    yield* Effect.provide(Effect.flatMap(SqlClient.SqlClient, statement), PgClient.layer({ url, maxConnections: 1 }))
  })

const readWanted = Schema.decodeUnknown(Schema.parseJson(Schema.Array(Schema.Tuple(Schema.String, Schema.String))))

const tenants = Effect.fnUntraced(
  function* (wanted: string, name: string) {
    const connections = yield* Connections
    const endUsers = yield* EndUsers
    const organisation = (yield* (yield* Organisations).create(name)).id
    const { key } = yield* (yield* ApiKeys).create(organisation, "production")
    const made = yield* Effect.forEach(yield* readWanted(wanted), ([externalId, token]) =>
      Effect.gen(function* () {
        const endUser = yield* endUsers.ensure(organisation, "production", externalId)
        return yield* connections.create({
          organisation,
          environment: "production",
          endUser: endUser.id,
          provider: "hubspot",
          credentials: {
            kind: "accessToken",
            secret: Redacted.make(token),
            refreshToken: undefined,
            expiresAt: undefined,
            values: {}
          }
        })
      })
    )
    process.stdout.write(JSON.stringify({ key: Redacted.value(key), connection: made[0]?.id }))
  },
  Effect.provide(
    Layer.mergeAll(Organisations.layer, ApiKeys.layer, EndUsers.layer, Connections.layer).pipe(
      Layer.provide(Encryption.layer),
      Layer.provide(Database.layerClient)
    )
  )
)

const [command, argument = "", name = "Benchmark"] = process.argv.slice(2)
const program =
  command === "create"
    ? administer((sql) => sql`create database ${sql(argument)}`)
    : command === "drop"
      ? administer((sql) => sql`drop database if exists ${sql(argument)} with (force)`)
      : tenants(argument, name)

await Effect.runPromise(program)
