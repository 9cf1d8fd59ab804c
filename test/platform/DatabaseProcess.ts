/** A process of its own for the tests of ownership and crashes: `<role> <directory> <snapshot> <what to do>`. */
import { SqlClient } from "@effect/sql"
import { Console, Effect } from "effect"
import * as EmbeddedDatabase from "../../src/platform/EmbeddedDatabase.ts"

const [role, directory = "", snapshot = "", action] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const insert = sql`insert into organisations (id, name) values (gen_random_uuid(), ${`by ${action}`})`
  if (action === "commit") yield* insert
  if (action === "begin") {
    return yield* sql.withTransaction(Effect.zipRight(insert, Effect.zipRight(Console.log("ready"), Effect.never)))
  }
  yield* Console.log("ready")
  return yield* Effect.never
}).pipe(
  Effect.provide(EmbeddedDatabase.layer({ directory, role: role === "server" ? "server" : "client", snapshot })),
  Effect.catchTag("DatabaseUnavailable", ({ message }) => Console.log(message))
)

await Effect.runPromise(program)
