import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel, TestClock } from "effect"
import { failureOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

const lines: Array<string> = []
const capture = Logger.add(
  Logger.make(({ logLevel, message }) => {
    if (LogLevel.greaterThanEqual(logLevel, LogLevel.Info)) lines.push(`${logLevel.label} ${String(message)}`)
  })
)
const said = (text: string) => lines.filter((line) => line.includes(text))

/** The database refuses to store a workspace and to make a table, as one whose disk is full does. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  yield* sql.unsafe(`
    create function no_room_at_all() returns event_trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  yield* sql.unsafe("create trigger no_room before insert on workspaces for each row execute function no_room()")
  yield* sql.unsafe(
    "create event trigger no_room on ddl_command_start when tag in ('CREATE TABLE AS') execute function no_room_at_all()"
  )
})

const empty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("drop event trigger if exists no_room")
  yield* sql.unsafe("drop function if exists no_room, no_room_at_all cascade")
})

describe("a full disk", () => {
  layer(sandboxApplication().pipe(Layer.provide(capture)))((it) => {
    it.scoped("is 503, one line in the log and no readiness, until there is room again", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const { call } = yield* app.caller(["hubspot"])
        const create = call("POST", "/mcp/workspaces", { body: { name: "Stored" } })
        const ready = Effect.map(app.send("GET", "/health/ready", { timeStands: true }), ({ body, status }) => ({
          status,
          body
        }))
        yield* Effect.acquireRelease(Effect.orDie(fill), () => Effect.orDie(empty))

        for (let time = 0; time < 3; time += 1) {
          const refused = yield* call("POST", "/mcp/workspaces", { body: { name: "Stored" }, timeStands: true })
          assert.strictEqual(refused.status, 503)
          assert.strictEqual(failureOf(refused).code, "UNAVAILABLE")
          assert.match(failureOf(refused).message, /no space left/)
          assert.strictEqual(refused.headers.get("retry-after"), "5")
        }
        assert.strictEqual((yield* call("GET", "/connections", { timeStands: true })).status, 200)
        assert.deepStrictEqual(yield* ready, {
          status: 503,
          body: {
            ready: false,
            checks: { database: "ok", disk: "failing" },
            reason: "The database's disk is full: nothing can be stored."
          }
        })
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* ready).status, 503)

        yield* empty
        yield* Effect.repeat(Effect.zipRight(TestClock.adjust("1 second"), ready), {
          until: ({ status }) => status === 200,
          times: 100
        })
        assert.deepStrictEqual((yield* ready).body, { ready: true, checks: { database: "ok", disk: "ok" } })
        assert.strictEqual((yield* create).status, 201)
        assert.lengthOf(said("disk is full"), 1)
        assert.match(said("disk is full").join(), /^ERROR .*Make room on it/)
        assert.deepStrictEqual(said("has room again"), ["INFO The database's disk has room again."])
        assert.isEmpty(lines.filter((line) => line.startsWith("WARN") || line.includes("unexpectedly")))
      })
    )
  })
})
