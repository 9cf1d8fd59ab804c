import { PgClient } from "@effect/sql-pg"
import { SqlClient, type SqlError } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Deferred, Effect, Layer, Option, Redacted, type Scope } from "effect"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Connections } from "../../src/connections/Connections.ts"
import type { DatabaseUnavailable } from "../../src/platform/DatabaseUnavailable.ts"
import * as EmbeddedDatabase from "../../src/platform/EmbeddedDatabase.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import * as Migrations from "../../src/platform/Migrations.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { bundled } from "../support/BundledProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

// Token refresh between processes: they share a database and a provider, and one of them may be killed.

const encryptionKeys = `test:${Buffer.alloc(32, 7).toString("base64")}`

const program = bundled(join(import.meta.dirname, "RefreshProcess.ts"))

type Settings = { readonly [name: string]: string }

/** A database for several processes: its settings, and this process's session on it. */
const database = Effect.gen(function* () {
  const server = yield* Effect.orDie(Config.option(Config.redacted("TEST_DATABASE_URL")))
  type Session = Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | SqlError.SqlError>
  if (Option.isSome(server)) {
    const url = yield* Effect.orDie(TestDatabase.createDatabase(server.value))
    const session: Session = PgClient.layer({ url })
    return { settings: { DATABASE_URL: Redacted.value(url) }, session }
  }
  const directory = yield* TestDatabase.scratchDirectory
  const snapshot = yield* TestDatabase.snapshot
  const session: Session = EmbeddedDatabase.layer({ directory, role: "server", snapshot })
  return { settings: { DATA_DIR: directory }, session }
})

/**
 * A token endpoint that replaces refresh tokens. The one that was replaced stays good where `grace` says so. Each answer
 * takes `takes` milliseconds, or is `broken`.
 */
const tokenEndpoint = Effect.fnUntraced(function* (of: {
  readonly grace: boolean
  readonly takes?: number
  readonly broken?: boolean
}) {
  const asked: Array<string> = []
  const first = yield* Deferred.make<void>()
  const good = new Set(["rt0"])
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (chunk: Buffer) => (text += chunk.toString()))
    request.on("end", () => {
      const used = new URLSearchParams(text).get("refresh_token") ?? ""
      asked.push(used)
      Deferred.unsafeDone(first, Effect.void)
      const isGood = good.has(used)
      if (!of.grace) good.delete(used)
      if (isGood) good.add(`rt${asked.length}`)
      const tokens = { access_token: `at${asked.length}`, refresh_token: `rt${asked.length}`, expires_in: 1800 }
      const body = of.broken === true ? { error: "server_error" } : isGood ? tokens : { error: "invalid_grant" }
      const status = of.broken === true ? 500 : isGood ? 200 : 400
      setTimeout(() => response.writeHead(status).end(JSON.stringify(body)), of.takes ?? 0)
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(
        () => new Promise<void>((resolve) => (server.closeAllConnections(), server.close(() => resolve())))
      )
  )
  return {
    asked,
    first: Deferred.await(first),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
  }
})

/** Starts a process; `begin` lets its callers ask, `end` is what it printed and how it ended. */
const start = Effect.fnUntraced(function* (
  settings: Settings,
  connection: string,
  callers: number,
  action: "refresh" | "die"
) {
  const child = spawn(process.execPath, [yield* program, connection, String(callers), action], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH, ...settings }
  })
  const ended = new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal }))
  )
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      child.kill("SIGKILL")
      return ended
    })
  )
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const line = Effect.promise(async () => {
    const next = await lines.next()
    return next.done === true ? undefined : next.value
  })
  assert.strictEqual(yield* line, "ready")
  return {
    begin: Effect.sync(() => void child.stdin.write("begin\n")),
    tokens: Effect.map(line, (text) => (text === undefined ? undefined : (JSON.parse(text) as ReadonlyArray<string>))),
    ended: Effect.promise(() => ended)
  }
})

/** A connection whose token has expired, on a database that processes share, with a token endpoint. */
const setting = Effect.fnUntraced(function* (endpoint: Parameters<typeof tokenEndpoint>[0]) {
  const { session, settings } = yield* database
  const { asked, first, url } = yield* tokenEndpoint(endpoint)
  const own = ConfigProvider.fromMap(new Map([["ENCRYPTION_KEYS", encryptionKeys]]))
  const context = yield* Layer.build(
    Layer.mergeAll(Connections.layer, EndUsers.layer, Organisations.layer).pipe(
      Layer.provideMerge(Layer.mergeAll(Encryption.layer, Layer.effectDiscard(Migrations.run))),
      Layer.provideMerge(session),
      Layer.provide(Layer.setConfigProvider(own))
    )
  )
  const connection = yield* Effect.gen(function* () {
    const { id: organisation } = yield* (yield* Organisations).create("Acme")
    const endUser = yield* (yield* EndUsers).ensure(organisation, "production", "u1")
    return yield* (yield* Connections).create({
      organisation,
      environment: "production",
      endUser: endUser.id,
      provider: "acme",
      credentials: {
        kind: "accessToken",
        secret: Redacted.make("at0"),
        refreshToken: Redacted.make("rt0"),
        expiresAt: Date.now() - 3_600_000,
        values: {}
      }
    })
  }).pipe(Effect.provide(context))
  const all = {
    ...settings,
    ENCRYPTION_KEYS: encryptionKeys,
    PROVIDER_ACME_CLIENT_ID: "client",
    PROVIDER_ACME_CLIENT_SECRET: "secret",
    PROVIDER_ACME_TOKEN_URL: url
  }
  const query = <A>(statement: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
    Effect.orDie(Effect.flatMap(SqlClient.SqlClient, statement)).pipe(Effect.provide(context))
  return {
    asked,
    /** Done when the token endpoint was asked. */
    first,
    process: (callers: number, action: "refresh" | "die" = "refresh") => start(all, connection.id, callers, action),
    row: query(
      (sql) => sql<{ status: string; status_reason: string | null; version: number; leased: boolean }>`
        select status, status_reason, version, lease_id is not null as leased from connections`
    ).pipe(Effect.map(([row]) => row)),
    letLeaseLapse: query((sql) => sql`update connections set lease_until = now() - interval '1 second'`),
    waiting: query(
      (sql) => sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`
    ).pipe(Effect.map(([row]) => row?.count))
  }
})

const run = (name: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.scopedLive(name, () => Effect.orDie(test()))

describe("token refresh between processes", () => {
  run("fifty callers in two processes make one token call", () =>
    Effect.gen(function* () {
      const { asked, first, process, row, waiting } = yield* setting({ grace: false, takes: 400 })
      const processes = yield* Effect.all([process(25), process(25)], { concurrency: 2 })
      yield* Effect.forEach(processes, ({ begin }) => begin)
      yield* first
      // the provider is asked, and nobody holds a session of the database meanwhile
      assert.deepStrictEqual(asked, ["rt0"])
      assert.strictEqual(yield* waiting, 0)
      const got = yield* Effect.forEach(processes, ({ tokens }) => tokens)
      assert.deepStrictEqual(got, [Array.from({ length: 25 }, () => "at1"), Array.from({ length: 25 }, () => "at1")])
      assert.deepStrictEqual(asked, ["rt0"])
      assert.deepInclude(yield* row, { status: "active", version: 2, leased: false })
    })
  )

  run("fifty callers in two processes on a token endpoint that fails make one token call", () =>
    Effect.gen(function* () {
      const { asked, process, row } = yield* setting({ grace: false, takes: 200, broken: true })
      const processes = yield* Effect.all([process(25), process(25)], { concurrency: 2 })
      yield* Effect.forEach(processes, ({ begin }) => begin)
      for (const one of processes) assert.strictEqual((yield* one.ended).code, 1)
      assert.deepStrictEqual(asked, ["rt0"])
      assert.deepInclude(yield* row, { status: "active", version: 1, leased: false })
    })
  )

  for (const grace of [true, false]) {
    const end = grace
      ? "another goes on with the old refresh token"
      : "one refusal of the old refresh token ends nothing"
    run(`killed between the provider's answer and its commit, ${end}`, () =>
      Effect.gen(function* () {
        const { asked, letLeaseLapse, process, row } = yield* setting({ grace })
        const killed = yield* process(1, "die")
        yield* killed.begin
        assert.strictEqual((yield* killed.ended).signal, "SIGKILL")
        assert.deepStrictEqual(asked, ["rt0"])
        // nothing was overwritten, and nobody else asks before the lease lapses
        assert.deepInclude(yield* row, { status: "active", version: 1, leased: true })
        const next = yield* process(3)
        yield* next.begin
        yield* Effect.sleep("300 millis")
        assert.deepStrictEqual(asked, ["rt0"])
        yield* letLeaseLapse
        if (grace) {
          assert.deepStrictEqual(yield* next.tokens, ["at2", "at2", "at2"])
          assert.deepInclude(yield* row, { status: "active", version: 2, leased: false })
        } else {
          assert.strictEqual((yield* next.ended).code, 1)
          assert.deepInclude(yield* row, { status: "active", version: 1, leased: false })
        }
        assert.deepStrictEqual(asked, ["rt0", "rt0"])
      })
    )
  }
})
