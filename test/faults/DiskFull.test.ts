import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { spawnSync } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { createDatabase } from "../support/TestDatabase.ts"
import { at, call, type Caller, sandboxCaller, type ServiceProcess, start } from "./ServiceProcess.ts"

const mount = (folder: string) =>
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=160m,mode=700", "tmpfs", folder]).status === 0

const unmount = (folder: string) => {
  spawnSync("umount", ["--lazy", folder])
  rmSync(folder, { recursive: true, force: true })
}

const scratch = () => mkdtempSync(join(tmpdir(), "tributary-disk-"))

/** Whether we may make a file system. */
const isPermitted = (() => {
  const folder = scratch()
  const made = mount(folder)
  unmount(folder)
  return made
})()

if (!isPermitted) process.stderr.write("Skipped: a file system can only be made by root\n")

const tinyDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = scratch()
    mount(folder)
    return folder
  }),
  (folder) => Effect.sync(() => unmount(folder))
)

/** Stores rows in the embedded database, beside the service, until it refuses one. */
const storeUntilRefused = (host: string) =>
  Effect.promise(async () => {
    const client = new Client({ host, user: "postgres", database: "postgres" })
    client.on("error", () => {})
    await client.connect()
    const refused = await (async () => {
      await client.query("create table filling (x text)")
      for (;;) {
        await client.query("insert into filling select repeat(md5(i::text), 30) from generate_series(1, 400) i")
      }
    })().catch(String)
    await client.end().catch(() => {})
    return refused
  })

const storing = (service: ServiceProcess, caller: Caller) => (context: string) =>
  call(service, caller, "PUT", `/chat-sessions/${randomUUID()}/context`, { context })

const readiness = ({ address }: ServiceProcess) =>
  Effect.promise(() =>
    fetch(`${address}/health/ready`).then(async (answer) => ({ status: answer.status, body: await answer.json() }))
  )

/** A service whose database is full refuses to store anything, says so, and goes on by itself once there is room. */
const goesOn = Effect.fnUntraced(function* (service: ServiceProcess, caller: Caller, makeRoom: Effect.Effect<void>) {
  const store = storing(service, caller)
  const refused = yield* store(randomBytes(5900).toString("base64")).pipe(
    Effect.repeat({ until: ({ status }) => status !== 200, times: 3000 })
  )
  assert.deepStrictEqual([refused.status, at(refused.json, "code")], [503, "UNAVAILABLE"])
  assert.strictEqual(refused.headers.get("retry-after"), "5")
  const away = yield* readiness(service)
  assert.strictEqual(away.status, 503)
  assert.strictEqual(at(away.body, "reason"), "The database's disk is full: nothing can be stored.")

  yield* makeRoom
  yield* readiness(service).pipe(
    Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("200 millis") }),
    Effect.timeoutFail({ duration: "60 seconds", onTimeout: () => new Error(service.printed().slice(-2000)) })
  )
  assert.strictEqual((yield* store("Stored")).status, 200)
  assert.lengthOf([...service.printed().matchAll(/disk is full/g)], 1)
  assert.lengthOf([...service.printed().matchAll(/has room again/g)], 1)
})

describe.skipIf(!isPermitted)("the embedded database on a full disk", () => {
  // with the less room it is a table that cannot grow, with the more its log, which ends the database's process
  it.scopedLive.each([2, 14])("refuses to store anything, and goes on when there is room: %i MiB", (room) =>
    Effect.gen(function* () {
      const folder = yield* tinyDisk
      mkdirSync(join(folder, "data"), { mode: 0o700 })
      const service = yield* start({ DATA_DIR: join(folder, "data"), RATE_LIMIT: "0" })
      const caller: Caller = { key: /sk_test_[\w-]+/.exec(service.printed())?.[0] ?? "", endUser: "demo" }
      const { bavail, bsize } = statfsSync(folder)
      const filler = join(folder, "filler")
      writeFileSync(filler, Buffer.alloc(bavail * bsize - room * 1024 * 1024))
      assert.include(yield* storeUntilRefused(join(folder, "data")), "No space left on device")
      yield* goesOn(
        service,
        caller,
        Effect.sync(() => rmSync(filler))
      )
    })
  )
})

/** Makes a PostgreSQL server answer whatever would store something in a database as if its disk were full. */
const fill = `
  create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
  create function no_room_for_tables() returns event_trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
  do $$ declare stored text; begin
    for stored in select quote_ident(tablename) from pg_tables where schemaname = 'public' loop
      execute 'create trigger no_room before insert or update on ' || stored || ' execute function no_room()';
    end loop;
  end $$;
  create event trigger no_room on ddl_command_start when tag in ('CREATE TABLE AS') execute function no_room_for_tables()`

const empty = "drop function no_room cascade; drop function no_room_for_tables cascade"

const server = process.env["TEST_DATABASE_URL"]

describe.runIf(server !== undefined)("a PostgreSQL server on a full disk", () => {
  it.scopedLive("stores nothing, is read as ever, and is used again when there is room", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* createDatabase(Redacted.make(server ?? "")))
      const run = (statement: string) =>
        Effect.promise(async () => {
          const client = new Client(url)
          await client.connect()
          await client.query(statement)
          await client.end()
        })
      const settings = {
        DATABASE_URL: url,
        ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
        RATE_LIMIT: "0"
      }
      const caller = yield* sandboxCaller(settings, [])
      const service = yield* start(settings)
      const store = storing(service, caller)
      assert.strictEqual((yield* store("Before")).status, 200)
      yield* run(fill)
      const refused = yield* Effect.replicateEffect(store("Full"), 5)
      assert.deepStrictEqual(new Set(refused.map(({ status }) => status)), new Set([503]))
      assert.strictEqual((yield* call(service, caller, "GET", "/connections")).status, 200)
      yield* goesOn(service, caller, run(empty))
    })
  )
})
