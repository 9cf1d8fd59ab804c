/**
 * Prepares a database for the benchmark, with the service's own code. `create <name>` and `drop <name>` a database on the
 * server at BENCH_DATABASE_URL; `publish <count> <name>` publishes events of an organisation, by hundreds, and prints how
 * long that took; `tenants <[[end user, access token], ...]> <name>` makes an organisation with a HubSpot connection for
 * each in the database that the environment names, and prints an API key with the first connection.
 */
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Config, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Connections } from "../../src/connections/Connections.ts"
import { Events } from "../../src/events/Events.ts"
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

/** Events that are told in one transaction, as of one page of a list. */
const together = 100

const publish = Effect.fnUntraced(
  function* (count: number, name: string) {
    const events = yield* Events
    const { id } = yield* (yield* Organisations).find(name)
    const page = Array.from({ length: together }, () => ({
      type: "connection.restored" as const,
      data: { connectionId: randomUUID(), provider: "hubspot", endUserId: "someone" }
    }))
    const [duration] = yield* Effect.timed(
      Effect.repeatN(events.publish({ organisation: id, environment: "production" }, page), count / together - 1)
    )
    process.stdout.write(JSON.stringify({ milliseconds: Duration.toMillis(duration) }))
  },
  Effect.provide(Layer.provide(Layer.merge(Organisations.layer, Events.layer), Database.layerClient)),
  Effect.scoped
)

const [command, argument = "", name = "Benchmark"] = process.argv.slice(2)
const program =
  command === "create"
    ? administer((sql) => sql`create database ${sql(argument)}`)
    : command === "drop"
      ? administer((sql) => sql`drop database if exists ${sql(argument)} with (force)`)
      : command === "publish"
        ? publish(Number(argument), name)
        : tenants(argument, name)

await Effect.runPromise(program)
