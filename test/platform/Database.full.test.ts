import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import {
  Array,
  Cause,
  Chunk,
  ConfigProvider,
  Context,
  Deferred,
  Duration,
  Effect,
  Fiber,
  Layer,
  Option,
  Redacted,
  Stream
} from "effect"
import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Database from "../../src/platform/Database.ts"
import * as EmbeddedDatabase from "../../src/platform/EmbeddedDatabase.ts"
import { allowingLongStatements } from "../../src/platform/LongStatements.ts"
import { bundled } from "../support/BundledProcess.ts"
import { proxyTo } from "../support/TcpProxy.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const organisations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string }>`select name from organisations order by name`
  return rows.map(({ name }) => name)
})

const insert = (name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into organisations (id, name) values (gen_random_uuid(), ${name})`
  )

const open = (role: EmbeddedDatabase.Options["role"], directory: string) =>
  Effect.map(TestDatabase.snapshot, (snapshot) => EmbeddedDatabase.layer({ directory, role, snapshot }))

/** Runs with a session of its own on the folder, for as long as the scope. */
const session = (role: EmbeddedDatabase.Options["role"], directory: string) =>
  Effect.map(Effect.flatMap(open(role, directory), Layer.build), (context) => Effect.provide(context))

const program = bundled(join(import.meta.dirname, "DatabaseProcess.ts"))

/** Starts a process and gives the first line it prints; `kill` is SIGKILL and waits for the end. */
const start = Effect.fnUntraced(function* (
  role: EmbeddedDatabase.Options["role"],
  directory: string,
  action: "serve" | "commit" | "begin"
) {
  const file = yield* program
  const snapshot = yield* TestDatabase.snapshot
  const child = spawn(process.execPath, [file, role, directory, snapshot, action], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const kill = Effect.promise(() => {
    child.kill("SIGKILL")
    return ended
  })
  yield* Effect.addFinalizer(() => kill)
  const line = yield* Effect.promise(
    () => new Promise<string>((resolve) => child.stdout.once("data", (text: Buffer) => resolve(text.toString().trim())))
  )
  return { line, kill }
})

/** A server and a client on one folder. */
class Sessions extends Context.Tag("test/Sessions")<
  Sessions,
  Record<EmbeddedDatabase.Options["role"], Effect.Effect.Success<ReturnType<typeof session>>>
>() {
  static readonly layer = Layer.scoped(
    Sessions,
    Effect.gen(function* () {
      const directory = yield* TestDatabase.scratchDirectory
      return { server: yield* session("server", directory), client: yield* session("client", directory) }
    })
  )
}

const clear = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from organisations`)

describe("Database, embedded", { timeout: 30_000 }, () => {
  it.scoped("keeps what was committed when its process is killed, and undoes what was not", () =>
    Effect.gen(function* () {
      const directory = yield* TestDatabase.scratchDirectory
      const owner = yield* start("server", directory, "commit")
      const client = yield* start("client", directory, "begin")
      assert.deepStrictEqual([owner.line, client.line], ["ready", "ready"])
      yield* owner.kill

      const run = yield* session("server", directory)
      assert.deepStrictEqual(yield* run(organisations), ["by commit"])
      const leftovers = readdirSync(directory).filter((name) => name.startsWith("owner."))
      assert.strictEqual(leftovers.length, 1)
    })
  )

  it.scoped("goes on when a client is killed in a transaction", () =>
    Effect.gen(function* () {
      const directory = yield* TestDatabase.scratchDirectory
      const run = yield* session("server", directory)
      const client = yield* start("client", directory, "begin")
      const waiting = yield* Effect.fork(run(organisations))
      yield* client.kill
      assert.deepStrictEqual(yield* Fiber.join(waiting), [])
    })
  )

  it.scoped("has one owner when two processes start at once", () =>
    Effect.gen(function* () {
      const directory = yield* TestDatabase.scratchDirectory
      const processes = yield* Effect.all([start("server", directory, "serve"), start("server", directory, "serve")], {
        concurrency: 2
      })
      const [served, refused] = processes.map(({ line }) => line).sort((a, b) => b.localeCompare(a))
      assert.strictEqual(served, "ready")
      assert.match(refused ?? "", /^DATA_DIR ".*" is in use by another running process\. /)
    })
  )

  it.scoped("is shared with clients, and refused to a second server", () =>
    Effect.gen(function* () {
      const directory = yield* TestDatabase.scratchDirectory
      const server = yield* session("server", directory)
      const client = yield* session("client", directory)
      yield* client(insert("Acme"))
      assert.deepStrictEqual(yield* server(organisations), ["Acme"])
      const second = yield* Effect.flip(session("server", directory))
      assert.match(second.message, /in use by another running process/)
    })
  )

  it.scoped("works where the folder's path is longer than a socket's may be", () =>
    Effect.gen(function* () {
      const directory = join(yield* TestDatabase.scratchDirectory, "d".repeat(150))
      mkdirSync(directory)
      const server = yield* session("server", directory)
      const client = yield* session("client", directory)
      yield* client(insert("Acme"))
      assert.deepStrictEqual(yield* server(organisations), ["Acme"])
    })
  )
})

layer(Sessions.layer, { timeout: "30 seconds" })("Database, embedded, of two sessions", (it) => {
  it.scoped("does not mix one session's transaction with another's statements", () =>
    Effect.gen(function* () {
      const { client, server } = yield* Sessions
      yield* server(clear)
      const begun = yield* Deferred.make<void>()
      const transaction = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* insert("undone")
        yield* Deferred.succeed(begun, undefined)
        for (let i = 0; i < 20; i++) yield* sql`select ${i}::int`
        return yield* Effect.fail("roll back")
      })
      const undone = yield* Effect.fork(
        server(Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.flip(sql.withTransaction(transaction))))
      )
      yield* Deferred.await(begun)
      yield* client(insert("kept"))
      yield* Fiber.join(undone)
      assert.deepStrictEqual(yield* server(organisations), ["kept"])
    })
  )

  it.scoped("does not mix one session's half-read result with another's statements", () =>
    Effect.gen(function* () {
      const { client, server } = yield* Sessions
      yield* server(clear)
      const numbers = Stream.unwrap(
        Effect.map(
          SqlClient.SqlClient,
          (sql) => sql<{ n: number }>`select n from generate_series(1, 1000) as s(n)`.stream
        )
      )
      const others: Array<Fiber.RuntimeFiber<unknown, unknown>> = []
      const read = numbers.pipe(
        Stream.rechunk(128),
        Stream.mapChunksEffect((rows) =>
          Effect.map(Effect.forkScoped(client(insert(`while reading ${others.length}`))), (fiber) => {
            others.push(fiber)
            return rows
          })
        ),
        Stream.runCollect
      )
      assert.strictEqual(Chunk.size(yield* server(read)), 1000)
      yield* Fiber.joinAll(others)
      assert.strictEqual((yield* server(organisations)).length, others.length)
    })
  )

  it.scoped("brings one session's notifications to another", () =>
    Effect.gen(function* () {
      const { client, server } = yield* Sessions
      const heard = yield* Effect.forkScoped(
        server(Effect.flatMap(PgClient.PgClient, (pg) => Stream.runHead(pg.listen("changes"))))
      )
      const notify = client(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select pg_notify('changes', 'keys')`))
      // When listening has begun cannot be seen from here, so it is told until it is heard.
      const first = yield* Effect.raceFirst(Fiber.join(heard), Effect.forever(notify))
      assert.deepStrictEqual(first, Option.some("keys"))
    })
  )
})

/** A PostgreSQL server on which databases may be made. */
const server = process.env["TEST_DATABASE_URL"]

describe.runIf(server !== undefined)("Database, of a server", { timeout: 30_000 }, () => {
  it.scopedLive("a burst of statements waits its turn, for longer than a server may take to connect", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.createDatabase(Redacted.make(server ?? ""))
      const settings = new Map([["DATABASE_URL", Redacted.value(url)]])
      const database = yield* Layer.build(Database.connect("server")).pipe(
        Effect.withConfigProvider(ConfigProvider.fromMap(settings))
      )
      const sql = Context.get(database, SqlClient.SqlClient)
      const naps = Array.makeBy(50, () => sql`select pg_sleep(1.2)`)
      assert.lengthOf(yield* Effect.all(naps, { concurrency: "unbounded" }), naps.length)
    })
  )

  /** The database of a server behind a proxy. */
  const behindProxy = Effect.gen(function* () {
    const url = new URL(Redacted.value(yield* TestDatabase.createDatabase(Redacted.make(server ?? ""))))
    const proxy = yield* proxyTo({ host: url.hostname, port: Number(url.port || "5432") })
    url.host = `127.0.0.1:${proxy.port}`
    const database = yield* Layer.build(Database.layer).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["DATABASE_URL", url.href]])))
    )
    return { proxy, sql: Context.get(database, SqlClient.SqlClient) }
  })

  it.scopedLive("fails within seconds when the server goes silent, and goes on when it speaks again", () =>
    Effect.gen(function* () {
      const { proxy, sql } = yield* behindProxy
      const calls = Array.makeBy(40, () =>
        Effect.exit(sql.withTransaction(Effect.zipRight(sql`select 1`, sql`select pg_sleep(0.01)`)))
      )
      yield* sql`select 1`
      proxy.silence()
      const [lasted, exits] = yield* Effect.timed(Effect.all(calls, { concurrency: "unbounded" }))
      assert.isBelow(Duration.toSeconds(lasted), 9)
      for (const exit of exits) assert.isTrue(exit._tag === "Failure" && Database.isAway(Cause.squash(exit.cause)))
      proxy.speak()
      assert.lengthOf(yield* sql`select 1`, 1)
    })
  )

  it.scopedLive(
    "lets the server end a statement that takes too long, save where work is done allowingLongStatements",
    () =>
      Effect.gen(function* () {
        const { sql } = yield* behindProxy
        const nap = sql`select pg_sleep(6)`
        const [failure, rows] = yield* Effect.all([Effect.flip(nap), allowingLongStatements(nap)], {
          concurrency: "unbounded"
        })
        assert.match(String(failure.cause), /statement timeout/)
        assert.isTrue(Database.isAway(failure))
        assert.lengthOf(rows, 1)
        const [next] = yield* sql<{ limit: string }>`select current_setting('statement_timeout') as limit`
        assert.strictEqual(next?.limit, "4500ms")
      })
  )
})

describe("Database, badly configured", () => {
  const failure = (settings: Record<string, string>) =>
    Layer.build(Database.layer).pipe(
      Effect.scoped,
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))),
      Effect.flip,
      Effect.map(String)
    )

  it.effect("says what DATA_DIR should be", () =>
    Effect.gen(function* () {
      const file = join(yield* TestDatabase.scratchDirectory, "file")
      writeFileSync(file, "")
      assert.match(yield* failure({ DATA_DIR: file }), /DATA_DIR.*Expected a folder that this process can create/)
    }).pipe(Effect.scoped)
  )

  it.effect.each(["http://example.test/db", "nonsense", "postgres://user:12/s3cret@host/db"])(
    "says what DATABASE_URL should be, not what it is: %s",
    (url) =>
      Effect.gen(function* () {
        const message = yield* failure({ DATABASE_URL: url })
        assert.match(message, /DATABASE_URL.*Expected a PostgreSQL URL such as/)
        assert.notInclude(message, "s3cret")
      })
  )

  it.effect("says that no server answers, without the password", () =>
    Effect.gen(function* () {
      const message = yield* failure({ DATABASE_URL: "postgres://someone:s3cret@127.0.0.1:1/db" })
      assert.match(
        message,
        /DATABASE_URL: cannot connect to the PostgreSQL database at 127\.0\.0\.1:1\/db \(connect ECONNREFUSED/
      )
      assert.notInclude(message, "s3cret")
    })
  )
})
