import { type SqlClient, SqlError } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Config, type ConfigError, Effect, Layer, Option, Redacted } from "effect"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import * as DataDirectory from "./DataDirectory.ts"
import * as DatabasePool from "./DatabasePool.ts"
import * as EmbeddedDatabase from "./EmbeddedDatabase.ts"
import * as Migrations from "./Migrations.ts"

type Role = EmbeddedDatabase.Options["role"]

type Database = Layer.Layer<SqlClient.SqlClient, ConfigError.ConfigError | DatabaseUnavailable>

/** `DATABASE_URL`: a PostgreSQL database; absent, the embedded one under `DATA_DIR` is used. */
export const url = Config.redacted().pipe(
  Config.validate({
    message:
      "Expected a PostgreSQL URL such as postgresql://user:password@host:5432/database, special characters percent-encoded",
    validation: (value) => isPostgresUrl(Redacted.value(value))
  }),
  // Named last, or the message would not say which setting it is about.
  Config.nested("DATABASE_URL"),
  Config.option
)

const isPostgresUrl = (text: string) => {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, search, hash } = new URL(text)
  // An @ further on means that a part of the password was taken for the host, which we would print.
  return ["postgres:", "postgresql:"].includes(protocol) && !`${pathname}${search}${hash}`.includes("@")
}

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "no answer"
  // Several addresses refused: the message is empty, the code is not.
  return cause.message !== "" ? cause.message : "code" in cause ? String(cause.code) : "no answer"
}

/**
 * How the driver and PostgreSQL say that there is no connection, in class 08 and 57P of the error codes, or that a
 * statement took too long (57014, 25P03).
 */
const awayCodes = /^(08|57P|57014|25P03|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOSTUNREACH)/

/** Whether a failure only says that the database is not there now. */
export const isAway = (error: unknown): boolean => {
  if (!(error instanceof SqlError.SqlError) || !(error.cause instanceof Error)) return false
  const { cause } = error
  return (
    ("code" in cause && awayCodes.test(String(cause.code))) ||
    /^(timeout (exceeded when trying to connect|expired)|connection terminated|client has encountered a connection error)/i.test(
      cause.message
    )
  )
}

/** Whether a statement failed because the database's disk is full, which the error codes call 53100. */
export const isFull = (error: unknown): boolean =>
  error instanceof SqlError.SqlError &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  error.cause.code === "53100"

/** A request is told after seconds that a server is away; a command waits for its work. */
const limits = {
  server: { connect: 5_000, wait: 30_000, silence: 5_000, statement: 4_500 },
  client: { connect: 5_000, wait: 30_000, silence: 610_000, statement: 600_000 }
} satisfies Record<Role, DatabasePool.Limits>

const postgres = (value: Redacted.Redacted, role: Role) => {
  const { host, pathname } = new URL(Redacted.value(value))
  const pool = DatabasePool.make({ connectionString: Redacted.value(value), max: 10 }, limits[role])
  return PgClient.layerFromPool({ acquire: pool }).pipe(
    Layer.mapError(
      ({ cause }) =>
        new DatabaseUnavailable({
          message: `DATABASE_URL: cannot connect to the PostgreSQL database at ${host}${pathname} (${messageOf(cause)})`
        })
    )
  )
}

/**
 * The database as it is, without migrations. A `server` owns the embedded database; a `client`, such as the command
 * line, shares it with a server that runs.
 */
export const connect = (role: Role): Database =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const chosen = yield* url
      if (Option.isSome(chosen)) return postgres(chosen.value, role)
      const directory = yield* DataDirectory.make
      return EmbeddedDatabase.layer({ directory, role, snapshot: EmbeddedDatabase.snapshot })
    })
  )

const migrate = Layer.effectDiscard(
  Effect.mapError(
    Migrations.run,
    (error) =>
      new DatabaseUnavailable({
        message: `The database cannot be migrated: ${error.message} (${messageOf(error.cause)})`
      })
  )
)

/** The database with this version's schema, for a process that serves. */
export const layer: Database = Layer.provideMerge(migrate, connect("server"))

/** The database with this version's schema, for a process that may run beside a server. */
export const layerClient: Database = Layer.provideMerge(migrate, connect("client"))

/** An embedded database that ends with its scope: for tests, and for trying things out. */
export const temporary = (snapshot: string = EmbeddedDatabase.snapshot): Database =>
  Layer.provideMerge(
    migrate,
    Layer.unwrapScoped(
      Effect.map(DataDirectory.temporary, (directory) =>
        EmbeddedDatabase.layer({ directory, role: "server", snapshot })
      )
    )
  )
