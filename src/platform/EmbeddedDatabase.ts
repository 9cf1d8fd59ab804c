import { PgClient } from "@effect/sql-pg"
import { Config, ConfigProvider, Effect, ExecutionStrategy, Exit, Layer, Option, Random, Scope } from "effect"
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import * as DatabasePool from "./DatabasePool.ts"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

/**
 * PostgreSQL without a server: PGlite in a worker thread, reached through a unix socket by the ordinary driver, so that
 * other processes (the command line, `psql -h <folder> -U postgres`) work on it while its owner runs.
 *
 * One process owns a folder, by listening on the socket in one of its `owner.*` folders. The operating system ends that with
 * the process, however it dies, so a leftover is never taken for alive and no process id is trusted. A process that wants to
 * own the folder listens first and looks for others second: of two that start together, at most one sees nobody.
 */
export interface Options {
  /** Real path of an existing folder that only this user can read. */
  readonly directory: string
  /** `server` must own the folder; `client` uses the socket of a live owner and owns the folder only without one. */
  readonly role: "server" | "client"
  /** An archive of a data folder, unpacked into an empty `directory`. Without it, making the database takes seconds. */
  readonly snapshot: string
}

/** Where the build puts the snapshot: beside the bundles. */
export const snapshot = fileURLToPath(new URL("./snapshot.tar.br", import.meta.url))

/** The archive of an empty database: the build's, or, where nothing is built, one that the environment names. */
export const availableSnapshot = Config.nonEmptyString("TEST_SNAPSHOT").pipe(
  Config.withDefault(snapshot),
  Effect.withConfigProvider(ConfigProvider.fromEnv()),
  Effect.orDie
)

const ownerPrefix = "owner."
const socketName = ".s.PGSQL.5432"

/** The strictest operating system allows 103 bytes. */
const longestSocketPath = 100

const unavailable = (directory: string, what: string) =>
  new DatabaseUnavailable({ message: `DATA_DIR "${directory}" ${what}` })

const attempt = <A>(directory: string, evaluate: () => A) =>
  Effect.try({
    try: evaluate,
    catch: (cause) =>
      unavailable(directory, `cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

/** Codes of failing to connect when nobody listens any more. Any other failure comes from a live process. */
const goneCodes = new Set(["ECONNREFUSED", "ENOENT", "ENOTDIR", "ENOTSOCK"])

const listens = (folder: string) =>
  Effect.async<boolean>((resume) => {
    const socket = connect(join(folder, socketName))
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(!goneCodes.has(error.code ?? ""))))
    return Effect.sync(() => socket.destroy())
  })

const ownerEntries = (directory: string) =>
  attempt(directory, () =>
    readdirSync(directory)
      .filter((name) => name.startsWith(ownerPrefix))
      .map((name) => join(directory, name))
  )

const resolveEntry = Option.liftThrowable((entry: string) => realpathSync(entry))

/** The socket folder of a process other than `own` that listens on this directory. */
const otherOwner = Effect.fnUntraced(function* (directory: string, own?: string) {
  const folders = (yield* ownerEntries(directory)).flatMap((entry) => Option.toArray(resolveEntry(entry)))
  return yield* Effect.findFirst(folders, (folder) => (folder === own ? Effect.succeed(false) : listens(folder)))
})

/** A folder for the socket, in the directory or, if the path gets too long, linked from there. */
const socketFolder = (directory: string) =>
  Effect.acquireRelease(
    attempt(directory, () => {
      const folder = mkdtempSync(join(directory, ownerPrefix))
      if (Buffer.byteLength(join(folder, socketName)) <= longestSocketPath) return { entry: folder, folder }
      const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "tributary-")))
      const entry = `${folder}.link`
      symlinkSync(elsewhere, entry)
      rmSync(folder, { recursive: true })
      return { entry, folder: elsewhere }
    }),
    ({ entry, folder }) =>
      Effect.sync(() => {
        rmSync(entry, { recursive: true, force: true })
        rmSync(folder, { recursive: true, force: true })
      })
  ).pipe(Effect.map(({ folder }) => folder))

/** Milliseconds that the thread has to close the database. */
const closeTime = 5000

export type Report = { readonly type: "listening" | "ready" } | { readonly type: "failed"; readonly message: string }

/** The thread's next message. */
export const nextReport = (worker: Worker) =>
  Effect.async<Report>((resume) => {
    worker.once("message", (report: Report) => resume(Effect.succeed(report)))
    worker.once("error", (error: Error) => resume(Effect.succeed({ type: "failed", message: error.message })))
  })

/** A thread for a database: on disk and reached through a socket, or in memory without either. */
export const thread = (data: {
  readonly snapshot: string
  readonly socket?: string
  readonly dataDir?: string
}): Worker =>
  new Worker(new URL("./EmbeddedWorker.mjs", import.meta.url), { execArgv: [], workerData: data })
    // without a listener an error in the thread would end the process
    .on("error", () => {})

/** Starts the database's thread, which listens, and opens the database on request. */
const startWorker = Effect.fnUntraced(function* (options: Options, folder: string) {
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() =>
      thread({
        socket: join(folder, socketName),
        dataDir: join(options.directory, "pgdata"),
        snapshot: options.snapshot
      })
    ),
    (worker) =>
      Effect.async<void>((resume) => {
        // -1 once the thread has ended.
        if (worker.threadId === -1) return resume(Effect.void)
        // an endless statement keeps the thread from receiving this
        const late = setTimeout(() => void worker.terminate(), closeTime)
        worker.once("exit", () => {
          clearTimeout(late)
          resume(Effect.void)
        })
        worker.postMessage("close")
      })
  )
  return { worker, report: yield* nextReport(worker) }
})

/** Takes ownership of the directory; none when another process owns it or is trying at this moment. */
const claim = Effect.fnUntraced(function* (options: Options) {
  const folder = yield* socketFolder(options.directory)
  const { report, worker } = yield* startWorker(options, folder)
  if (report.type === "failed") {
    // an owner that came first has tidied up
    if (!existsSync(folder)) return Option.none()
    return yield* unavailable(options.directory, `cannot hold a unix socket: ${report.message}`)
  }
  const other = yield* otherOwner(options.directory, folder)
  return Option.isNone(other) ? Option.some({ folder, worker }) : Option.none()
})

/** Removes the leftovers of killed owners. */
const tidy = Effect.fnUntraced(function* (directory: string, own: string) {
  const entries = yield* ownerEntries(directory)
  yield* attempt(directory, () => {
    for (const entry of entries) {
      if (Option.getOrUndefined(resolveEntry(entry)) !== own) rmSync(entry, { recursive: true, force: true })
    }
  })
})

/** Links the socket under the name that `psql -h <directory>` looks for. */
const nameSocket = Effect.fnUntraced(function* (directory: string, folder: string) {
  const name = join(directory, socketName)
  yield* Effect.acquireRelease(
    attempt(directory, () => {
      rmSync(name, { force: true })
      symlinkSync(relative(directory, join(folder, socketName)), name)
    }),
    () => Effect.sync(() => rmSync(name, { force: true }))
  )
})

const reportCrash = (worker: Worker) =>
  Effect.async<Error>((resume) => {
    worker.once("error", (error) => resume(Effect.succeed(error)))
  }).pipe(
    Effect.flatMap((error) => Effect.logFatal(`The embedded database stopped, restart the service: ${error.message}`)),
    Effect.forkScoped
  )

/** Runs the database for as long as the scope lives; returns the folder of the socket to connect to. */
export const attach = (options: Options): Effect.Effect<string, DatabaseUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const live = yield* otherOwner(options.directory)
    if (Option.isSome(live)) {
      if (options.role === "client") return live.value
      return yield* unavailable(
        options.directory,
        "is in use by another running process. Stop that one, set DATA_DIR to another folder, or set DATABASE_URL to a PostgreSQL database that several can share."
      )
    }
    const scope = yield* Effect.flatMap(Effect.scope, (parent) => Scope.fork(parent, ExecutionStrategy.sequential))
    const claimed = yield* Scope.extend(claim(options), scope)
    if (Option.isNone(claimed)) {
      yield* Scope.close(scope, Exit.void)
      yield* Effect.sleep(yield* Random.nextIntBetween(10, 100))
      return yield* attach(options)
    }
    const { folder, worker } = claimed.value
    yield* tidy(options.directory, folder)
    yield* nameSocket(options.directory, folder)
    worker.postMessage("open")
    const report = yield* nextReport(worker)
    if (report.type === "failed") {
      return yield* unavailable(
        options.directory,
        `does not hold a database that this version can open: ${report.message}`
      )
    }
    yield* reportCrash(worker)
    return folder
  })

/**
 * The embedded database as an ordinary PostgreSQL client, without migrations.
 *
 * The backend is one session, so one connection is as fast as several. A query on a second connection from inside a
 * transaction would wait for ever, while with a single connection it fails after the timeout.
 * @internal
 */
export const layer = (options: Options) =>
  Layer.unwrapScoped(
    Effect.map(attach(options), (folder) =>
      PgClient.layerFromPool({
        acquire: DatabasePool.make(
          { host: folder, port: 5432, user: "postgres", database: "postgres", ssl: false, max: 1 },
          { connect: 10_000, wait: 10_000, silence: 30_000 }
        )
      }).pipe(
        Layer.mapError(() => unavailable(options.directory, "is owned by a process whose database does not answer."))
      )
    )
  )
