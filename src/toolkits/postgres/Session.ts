import { Effect, Redacted } from "effect"
import { Socket } from "node:net"
import { Client, type ClientConfig, type FieldDef } from "pg"
import { Down, Invalid, Malformed, ProviderError } from "../../providers/ProviderError.ts"
import { types } from "./Cells.ts"
import { type Failure, readError } from "./ReadError.ts"

/** The result of a statement. */
export interface Rows {
  readonly fields: ReadonlyArray<FieldDef>
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  /** Rows that the statement read or changed. */
  readonly count: number
}

/** A connection to a database, for one call of a tool. */
export interface Session {
  /** Runs one statement over the extended protocol, which takes no second one. */
  readonly run: (text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<Rows, ProviderError>
}

/** Milliseconds that a statement may take, and that a lock is waited for. */
const statementTime = 20_000
const lockTime = 1000

/** Bytes of one answer that are read; a single column may hold a gigabyte. */
const answerSize = 8 * 1024 * 1024

/** Bytes that a server may send while nothing is asked of it: greeting, authentication, its settings, notices. */
const idleSize = 64 * 1024

/** Milliseconds that a server gets to end a connection that is no longer needed. */
const farewell = 1000

/** Limits that hold before the first statement does. */
const settings = [
  "default_transaction_read_only=on",
  `statement_timeout=${statementTime}`,
  `lock_timeout=${lockTime}`,
  "idle_in_transaction_session_timeout=5000",
  "bytea_output=hex"
]

/** Server and user to connect with. Nothing of it may be left out: the driver would take it from the environment. */
export interface Place {
  /** An address, or the folder of a socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: Redacted.Redacted
  readonly database: string
  readonly ssl: Exclude<ClientConfig["ssl"], undefined>
  /** Milliseconds after which to stop waiting for an answer; the server ends statements before that, where it can. */
  readonly patience?: number
}

/** Connects, for as long as the scope lives. */
export const open = Effect.fnUntraced(function* (operation: string, place: Place) {
  const { password, patience = statementTime + 2000, ...rest } = place
  const fail = ({ detail, reason }: Failure) =>
    new ProviderError({ provider: "postgres", operation, reason, ...(detail === undefined ? {} : { detail }) })

  const { client, meter } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const socket = new Socket()
      const client = new Client({
        ...rest,
        password: Redacted.value(password),
        stream: () => socket,
        types,
        application_name: "tributary",
        client_encoding: "UTF8",
        options: settings.map((setting) => `-c ${setting}`).join(" "),
        connectionTimeoutMillis: 10_000,
        query_timeout: patience
      })
      // without a listener, a broken connection would end the process; calls that wait for an answer fail anyway
      client.on("error", () => {})
      return { client, socket, meter: metered(client, place.ssl === false ? "connect" : "sslconnect") }
    }),
    ({ client, socket }) =>
      Effect.sync(() => {
        void client.end().catch(() => {})
        socket.destroySoon()
        // a server that does not read, or goes on writing, would keep it
        setTimeout(() => socket.destroy(), farewell).unref()
      })
  )

  const run: Session["run"] = (text, values = []) =>
    Effect.suspend(() => {
      meter.allow(answerSize)
      const statement = { text, values: [...values], rowMode: "array" as const, queryMode: "extended" }
      return Effect.tryPromise({
        try: () => client.query<Array<unknown>>(statement),
        catch: (error) => fail(meter.isExceeded() ? tooLarge : readError(error))
      })
    }).pipe(
      Effect.map(({ fields, rowCount, rows }): Rows => ({ fields, rows, count: rowCount ?? 0 })),
      Effect.ensuring(Effect.sync(() => meter.allow(idleSize)))
    )

  yield* Effect.tryPromise({
    try: () => client.connect(),
    catch: (error) => fail(meter.isExceeded() ? talkative : connecting(error))
  })
  return { run } satisfies Session
})

/**
 * Counts the bytes that a server sends, from the first one on, and ends the connection when there are more than allowed: the
 * driver would keep a message of any length until it is whole. `opened` is the driver's event at which its stream is there
 * and nothing has been read from it yet: behind TLS, that stream is not the socket.
 */
const metered = ({ connection }: Client, opened: "connect" | "sslconnect") => {
  let left = idleSize
  let isExceeded = false
  connection.once(opened, () => {
    const { stream } = connection
    stream.on("data", ({ length }: Buffer) => {
      left -= length
      if (left >= 0) return
      isExceeded = true
      stream.destroy()
    })
  })
  return {
    /** Bytes that may come from now on. */
    allow: (bytes: number) => {
      left = bytes
    },
    isExceeded: () => isExceeded
  }
}

const tooLarge: Failure = {
  reason: new Invalid({ fields: { sql: "answers more than 8 MB" } }),
  detail: "the rows are too large: ask for fewer columns, or for parts of long ones with left()"
}

const talkative: Failure = {
  reason: new Malformed(),
  detail: "the server sends more than 64 kB before it lets anyone in, as PostgreSQL never does"
}

/** While connecting, the words of the server or the driver may be about the password. */
const connecting = (error: unknown): Failure => {
  const failure = readError(error)
  if (failure.reason._tag === "Unauthenticated") {
    return { reason: failure.reason, detail: "the server does not accept this user and password" }
  }
  return error instanceof Error && /SASL|SCRAM|password/i.test(error.message)
    ? { reason: new Down(), detail: "the server did not finish the exchange of the password" }
    : failure
}
