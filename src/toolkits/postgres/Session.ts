import { Effect, Redacted } from "effect"
import { Socket } from "node:net"
import { Client, type ClientConfig, type FieldDef } from "pg"
import { Down, Invalid, ProviderError } from "../../providers/ProviderError.ts"
import { types } from "./Cells.ts"
import { type Failure, readError } from "./ReadError.ts"

/** What a statement answers. */
export interface Rows {
  readonly fields: ReadonlyArray<FieldDef>
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  /** Rows that it read or changed. */
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

/** Milliseconds between looks at how much has come. */
const look = 20

/** Limits that hold before the first statement does. */
const settings = [
  "default_transaction_read_only=on",
  `statement_timeout=${statementTime}`,
  `lock_timeout=${lockTime}`,
  "idle_in_transaction_session_timeout=5000",
  "bytea_output=hex"
]

/** Whom to connect as, and where. Nothing of it may be left out: the driver would take it from the environment. */
export interface Place {
  /** An address, or the folder of a socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: Redacted.Redacted
  readonly database: string
  readonly ssl: Exclude<ClientConfig["ssl"], undefined>
  /** Milliseconds after which an answer is waited for no longer; the server ends statements before that, where it can. */
  readonly patience?: number
}

/** Connects, for as long as the scope lives. */
export const open = Effect.fnUntraced(function* (operation: string, place: Place) {
  const { password, patience = statementTime + 2000, ...rest } = place
  const fail = ({ detail, reason }: Failure) =>
    new ProviderError({ provider: "postgres", operation, reason, ...(detail === undefined ? {} : { detail }) })

  const { client, socket } = yield* Effect.acquireRelease(
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
      // without a listener a connection that breaks would end the process; whoever waits for an answer is told
      client.on("error", () => {})
      return { client, socket }
    }),
    ({ client, socket }) =>
      Effect.sync(() => {
        void client.end().catch(() => {})
        socket.destroySoon()
      })
  )

  const run: Session["run"] = (text, values = []) =>
    Effect.async<Rows, ProviderError>((resume) => {
      const before = socket.bytesRead
      let isTooMuch = false
      const watch = setInterval(() => {
        if (socket.bytesRead - before <= answerSize) return
        isTooMuch = true
        socket.destroy()
      }, look)
      const statement = { text, values: [...values], rowMode: "array" as const, queryMode: "extended" }
      client
        .query<Array<unknown>>(statement)
        .then(
          ({ fields, rowCount, rows }) => resume(Effect.succeed({ fields, rows, count: rowCount ?? 0 })),
          (error: unknown) =>
            resume(
              fail(
                isTooMuch
                  ? {
                      reason: new Invalid({ fields: { sql: "answers more than 8 MB" } }),
                      detail: "the rows are too large: ask for fewer columns, or for parts of long ones with left()"
                    }
                  : readError(error)
              )
            )
        )
        .finally(() => clearInterval(watch))
    })

  yield* Effect.tryPromise({ try: () => client.connect(), catch: (error) => fail(connecting(error)) })
  return { run } satisfies Session
})

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
