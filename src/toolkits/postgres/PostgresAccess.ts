import { SqlClient } from "@effect/sql"
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Redacted, Schema, type Scope } from "effect"
import { isIP } from "node:net"
import { Dialer } from "../../platform/Dialer.ts"
import { monotonic } from "../../platform/Monotonic.ts"
import { noteCall, type UpstreamCall } from "../../platform/RequestNotes.ts"
import type { Account } from "../../providers/base/Authorization.ts"
import { aboutToChange } from "../../providers/BeforeChange.ts"
import { makeBreaker } from "../../providers/base/Breaker.ts"
import { Budget } from "../../providers/base/Budget.ts"
import { type CallTime, makeCallTime, notInTime } from "../../providers/base/CallTime.ts"
import type { ConnectionRef, Environment } from "../../providers/ConnectionRef.ts"
import { Credentials } from "../../providers/Credentials.ts"
import { Down, Invalid, NotPermitted, ProviderError, type Reason, TimedOut } from "../../providers/ProviderError.ts"
import { parse, type Target } from "./ConnectionString.ts"
import { SandboxDatabase } from "./SandboxDatabase.ts"
import { analyst } from "./SandboxSeed.ts"
import { open, type Place, type Session } from "./Session.ts"

/** A function that runs in a transaction. */
export type Use<A> = (session: Session) => Effect.Effect<A, ProviderError>

/** Calls of one connection that run at a time: each is a connection to the database. */
const concurrency = 3

/** Milliseconds that a tool's statements may take together. */
const longest = 60_000

const fail = (operation: string, reason: Reason, detail: string) =>
  new ProviderError({ provider: "postgres", operation, reason, detail })

const tlsOf = ({ host, tls }: Target): Place["ssl"] => {
  // a certificate is of a name; the driver connects to an address
  const servername = isIP(host.replaceAll(/[[\]]/g, "")) === 0 ? { servername: host } : {}
  switch (tls) {
    case "disable":
      return false
    case "require":
      return { ...servername, rejectUnauthorized: false }
    case "verify-ca":
      return { ...servername, checkServerIdentity: () => undefined }
    case "verify-full":
      return servername
  }
}

/**
 * Roles that may do more than use a database: superusers, and roles that run programs or read or write files on its server.
 * Roles that a role may become count as well. https://www.postgresql.org/docs/current/predefined-roles.html
 */
const dangerous = `select rolname::text from pg_catalog.pg_roles
  where (rolsuper or rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))
    and pg_catalog.pg_has_role(session_user, oid, 'member')
  order by rolname limit 1`

/** Tells databases apart under any name; a replica is the same as its primary. */
const identity = `select (select system_identifier::text from pg_catalog.pg_control_system()) as system,
  (select oid::text from pg_catalog.pg_database where datname = pg_catalog.current_database()) as database`

const readIdentity = Schema.decodeUnknown(
  Schema.NonEmptyArray(Schema.Struct({ system: Schema.String, database: Schema.String }))
)

/** How a call ended; undefined for a call that was not made, since its database did not answer lately. */
const outcomeOf = (exit: Exit.Exit<unknown, ProviderError>): UpstreamCall["outcome"] | undefined =>
  Exit.match(exit, {
    onSuccess: () => "answered",
    onFailure: (cause) => {
      if (Cause.isInterrupted(cause)) return "timeout"
      const failure = Option.getOrUndefined(Cause.failureOption(cause))
      switch (failure?.reason._tag) {
        case "Busy":
          return undefined
        case "TimedOut":
          return "timeout"
        case "Down":
          return "unreachable"
        default:
          return "answered"
      }
    }
  })

/** Access to the databases of connections: those of end users in production, the sandbox's own in the sandbox. */
export class PostgresAccess extends Context.Tag("tributary/toolkits/postgres/PostgresAccess")<
  PostgresAccess,
  {
    /** A transaction that is read only and rolled back. */
    readonly read: <A>(connection: ConnectionRef, operation: string, use: Use<A>) => Effect.Effect<A, ProviderError>
    /** A transaction that is committed when `use` succeeds; only where the connection's values say `allowWrites`. */
    readonly write: <A>(connection: ConnectionRef, operation: string, use: Use<A>) => Effect.Effect<A, ProviderError>
    /** Connects once, to find out whether a connection string works and is one that may be kept. */
    readonly check: (text: Redacted.Redacted, environment: Environment) => Effect.Effect<Account, ProviderError>
  }
>() {
  static readonly layer = Layer.scoped(
    PostgresAccess,
    Effect.gen(function* () {
      const budget = yield* Budget
      const credentials = yield* Credentials
      const dialer = yield* Dialer
      const timed = yield* makeCallTime
      const sandbox = yield* SandboxDatabase
      const sql = yield* SqlClient.SqlClient
      const guarded = makeBreaker()

      const own = sql.unsafe(identity).pipe(Effect.flatMap(readIdentity), Effect.orDie)

      /** Refuses roles with rights on the server, and the database of the service itself. */
      const vet = Effect.fnUntraced(function* (operation: string, { run }: Session) {
        const [role] = (yield* run(dangerous)).rows
        if (role !== undefined) {
          return yield* fail(
            operation,
            new NotPermitted(),
            `the role is, or may become, ${String(role[0])}: connect as one that may only read tables, without rights on the server`
          )
        }
        const [found] = (yield* run(identity)).rows
        const [{ database, system }] = yield* own
        if (found === undefined || (found[0] === system && found[1] === database)) {
          return yield* fail(operation, new NotPermitted(), "this is the database of the service itself")
        }
      })

      const live = Effect.fnUntraced(function* (operation: string, text: Redacted.Redacted) {
        const refuse = (what: string) =>
          fail(operation, new Invalid({ fields: { connectionString: what } }), `The connection string ${what}.`)
        const target = yield* Effect.mapError(parse(text), refuse)
        const host = yield* dialer
          .resolve(target.host)
          .pipe(
            Effect.mapError((error) =>
              error._tag === "HostRefused"
                ? fail(operation, new NotPermitted(), error.message)
                : fail(operation, new Down(), error.message)
            )
          )
        const { database, password, port, user } = target
        const session = yield* open(operation, { host, port, user, password, database, ssl: tlsOf(target) })
        yield* vet(operation, session)
        return { session, target }
      })

      const simulated = Effect.fnUntraced(function* (operation: string) {
        const place = yield* Effect.catchTag(sandbox.place, "DatabaseUnavailable", () =>
          fail(operation, new Down(), "the sandbox's database does not start")
        )
        return yield* open(operation, place)
      })

      /** `use` in a transaction; leaving early closes the connection, which rolls back. */
      const transaction = <A>(session: Session, begin: ReadonlyArray<string>, use: Use<A>, end: string) =>
        Effect.forEach(begin, (statement) => session.run(statement), { discard: true }).pipe(
          Effect.zipRight(use(session)),
          Effect.zipLeft(session.run(end))
        )

      const late = (operation: string, { isOpen }: CallTime) =>
        isOpen
          ? fail(operation, new TimedOut(), "the database did not answer in time")
          : new ProviderError({ provider: "postgres", operation, reason: notInTime })

      /** A connection's session, unless its database could not be reached lately; errors of statements do not count. */
      const reach = (connection: ConnectionRef, operation: string, text: Redacted.Redacted) =>
        guarded(connection, { operation, path: "" }, () => Effect.map(live(operation, text), ({ session }) => session))

      /** Notes a call for the request that it was made for: never its contents, nor its database. */
      const noted = <A, R>(connection: ConnectionRef, operation: string, call: Effect.Effect<A, ProviderError, R>) =>
        Effect.clockWith((clock) => {
          const started = monotonic(clock)
          return Effect.onExit(call, (exit) => {
            const outcome = outcomeOf(exit)
            const milliseconds = monotonic(clock) - started
            const of = { provider: "postgres", connection: connection.id, operation, method: "SQL", status: null }
            return outcome === undefined ? Effect.void : noteCall({ ...of, outcome, milliseconds }, clock)
          })
        })

      /** Notes that statements are sent from now on. */
      const begin = (operation: string, time: CallTime, mode: "read" | "write") =>
        Clock.currentTimeMillis.pipe(
          Effect.flatMap((now) => time.send(now, longest, mode === "read" ? undefined : "postgres")),
          Effect.flatMap((isInTime) => (isInTime ? Effect.void : late(operation, time)))
        )

      const spend = <A>(
        connection: ConnectionRef,
        operation: string,
        use: (time: CallTime) => Effect.Effect<A, ProviderError, Scope.Scope>
      ) =>
        timed(
          (time) => late(operation, time),
          (time) => budget.spend(connection, concurrency, Effect.scoped(use(time)), time.isFinishing)
        ).pipe(
          Effect.catchTag("Busy", (reason) => new ProviderError({ provider: "postgres", operation, reason })),
          Effect.withSpan(`postgres ${operation}`, {
            kind: "client",
            attributes: { provider: "postgres", "connection.id": connection.id, "db.system.name": "postgresql" }
          })
        )

      // `select 1` takes the snapshot: after it a transaction cannot be made one that writes
      const beginReading = ["begin transaction read only", "select 1"]

      return PostgresAccess.of({
        read: (connection, operation, use) =>
          spend(connection, operation, (time) =>
            Effect.zipRight(
              begin(operation, time, "read"),
              connection.environment === "sandbox"
                ? noted(
                    connection,
                    operation,
                    Effect.flatMap(simulated(operation), (session) =>
                      transaction(session, [...beginReading, `set local role ${analyst}`], use, "rollback")
                    )
                  ).pipe(Effect.tapError(({ reason }) => (reason._tag === "TimedOut" ? sandbox.stop : Effect.void)))
                : Effect.gen(function* () {
                    const { secret } = yield* credentials.current(connection)
                    return yield* noted(
                      connection,
                      operation,
                      Effect.flatMap(reach(connection, operation, secret), (session) =>
                        transaction(session, beginReading, use, "rollback")
                      )
                    )
                  })
            )
          ),
        write: (connection, operation, use) =>
          spend(connection, operation, (time) =>
            Effect.gen(function* () {
              if (connection.environment === "sandbox") {
                return yield* fail(operation, new NotPermitted(), "the sandbox's database is for reading only")
              }
              const { secret, values } = yield* credentials.current(connection)
              if (values["allowWrites"] !== "true") {
                return yield* fail(
                  operation,
                  new NotPermitted(),
                  "this connection is for reading only; its owner can connect again and allow writes"
                )
              }
              const changed = Effect.gen(function* () {
                const session = yield* reach(connection, operation, secret)
                yield* aboutToChange
                // from here on it is finished though nobody waits, which its way there is not
                yield* begin(operation, time, "write")
                return yield* transaction(session, ["begin transaction read write"], use, "commit")
              })
              return yield* noted(connection, operation, changed)
            })
          ),
        check: Effect.fn("PostgresAccess.check")(function* (text, environment) {
          if (environment === "sandbox") {
            return Redacted.value(text) === "sandbox"
              ? { id: "sandbox", name: "Larkspur (sandbox)" }
              : yield* fail(
                  "check",
                  new Invalid({ fields: {} }),
                  "The sandbox reaches no database but its own: enter `sandbox`."
                )
          }
          const { target } = yield* Effect.scoped(live("check", text))
          const { database, host, port, user } = target
          return { id: `${user}@${host}:${port}/${database}`, name: `${database} at ${host}` }
        })
      })
    })
  ).pipe(Layer.provide(Layer.mergeAll(Dialer.layer, SandboxDatabase.layer)))
}
