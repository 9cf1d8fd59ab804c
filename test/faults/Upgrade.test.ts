import { assert, describe, it } from "@effect/vitest"
import { Config, Effect, Option, Redacted } from "effect"
import { execFile, execFileSync } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { releases } from "../support/Release.ts"
import { cache } from "../support/Snapshot.ts"
import { createDatabase, scratchDirectory } from "../support/TestDatabase.ts"
import {
  at,
  call,
  type Caller,
  command,
  commandOf,
  type ServiceProcess,
  type Settings,
  start
} from "./ServiceProcess.ts"

const root = join(import.meta.dirname, "../..")
const [last] = releases.slice(-1)
const { commit, version } = last ?? assert.fail("there is no release")

const run = promisify(execFile)

const hasHistory = (() => {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root })
    return true
  } catch {
    return false
  }
})()
if (!hasHistory) process.stderr.write(`Skipped: the commit ${commit} of ${version} is not in this copy's history\n`)

/**
 * The build of the last release, from its own commit. It is kept below `node_modules`, where it finds the present packages; a
 * release with others gets its own. Vitest gives up on a worker that is blocked for a minute: none is, meanwhile.
 */
const build = Effect.promise(async () => {
  const folder = join(cache, `release-${commit}`)
  const dist = join(folder, "dist")
  if (existsSync(join(dist, "main.js"))) return dist
  const making = `${folder}.${randomUUID()}`
  mkdirSync(making, { recursive: true })
  const archive = `${making}.tar`
  await run("git", ["archive", "--output", archive, commit], { cwd: root })
  await run("tar", ["-x", "-f", archive, "-C", making])
  rmSync(archive)
  const lock = "package-lock.json"
  if (!readFileSync(join(making, lock)).equals(readFileSync(join(root, lock)))) {
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: making })
  }
  await run(process.execPath, [".build/build.mjs"], { cwd: making })
  rmSync(folder, { recursive: true, force: true })
  renameSync(making, folder)
  return dist
})

const json = (value: unknown) => JSON.stringify(value)

/** Calls that an ordinary client makes; each must be answered as it should. */
const smoke = Effect.fnUntraced(function* (service: ServiceProcess, caller: Caller, workspace: string, chat: string) {
  const listed = yield* call(service, caller, "GET", "/crm/contact?limit=3")
  assert.strictEqual(listed.status, 200, json(listed.json))
  assert.lengthOf(at(listed.json, "data.data") as ReadonlyArray<unknown>, 3)
  assert.isUndefined(at(listed.json, "data.errors"), json(listed.json))
  const ledger = yield* call(service, caller, "GET", "/accounting/invoice?limit=2")
  assert.strictEqual(ledger.status, 200, json(ledger.json))
  const token = yield* call(service, caller, "POST", "/connect/token", { endUserId: caller.endUser })
  assert.strictEqual(token.status, 201, json(token.json))
  const said = yield* call(
    service,
    caller,
    "POST",
    `/mcp/${workspace}/chat`,
    { message: "List 3 contacts" },
    { "x-session-id": chat }
  )
  assert.strictEqual(said.status, 200, json(said.json))
  assert.include(String(said.json), "[DONE]")
  return String(at(token.json, "data.token"))
})

/** A contact written by one version is repeated, read and changed by the other. */
const writeAndRead = Effect.fnUntraced(function* (writer: ServiceProcess, reader: ServiceProcess, caller: Caller) {
  const body = { last_name: "Between" }
  const keyed = { "idempotency-key": randomUUID() }
  const path = "/crm/contact?provider=hubspot"
  const made = yield* call(writer, caller, "POST", path, body, keyed)
  assert.strictEqual(made.status, 201, json(made.json))
  const again = yield* call(reader, caller, "POST", path, body, keyed)
  assert.strictEqual(again.headers.get("idempotency-replayed"), "true", json(again.json))
  assert.deepStrictEqual(again.json, made.json)
  const one = `/crm/contact/${String(at(made.json, "data.remote_id"))}?provider=hubspot`
  const changed = yield* call(reader, caller, "PATCH", one, { last_name: "Changed" })
  assert.strictEqual(changed.status, 200, json(changed.json))
  const read = yield* call(writer, caller, "GET", one)
  assert.strictEqual(at(read.json, "data.last_name"), "Changed", json(read.json))
})

const database = await Effect.runPromise(Config.option(Config.redacted("TEST_DATABASE_URL")))

describe.skipIf(!hasHistory)(`an upgrade from ${version}`, () => {
  describe.skipIf(Option.isNone(database))("of a PostgreSQL database", () => {
    it.scopedLive("lets both versions serve it side by side", () =>
      Effect.gen(function* () {
        const old = yield* build
        const settings: Settings = {
          DATABASE_URL: Redacted.value(yield* createDatabase(Option.getOrThrow(database))),
          ENCRYPTION_KEYS: `shared:${randomBytes(32).toString("base64")}`,
          RATE_LIMIT: "0"
        }
        const before = yield* start(settings, old)
        const oldCommand = commandOf(old)
        yield* oldCommand(settings, "organisations", "create", "--name", "Acme")
        const keyArgs = ["keys", "create", "--organisation", "Acme", "--environment", "sandbox"]
        const callerOf = (made: unknown): Caller => ({ key: String(at(made, "key")), endUser: "ann" })
        const oldCaller = callerOf(yield* oldCommand(settings, ...keyArgs))
        const importTo = (endUser: string, provider: string) => [
          ...["connections", "import", "--organisation", "Acme", "--environment", "sandbox"],
          ...["--end-user", endUser, "--provider", provider]
        ]
        for (const slug of ["hubspot", "xero"]) yield* oldCommand(settings, ...importTo("ann", slug))
        const workspace = String(
          at((yield* call(before, oldCaller, "POST", "/mcp/workspaces", { name: "Agents" })).json, "data.id")
        )
        const chat = randomUUID()

        // the new version migrates while the old one serves
        const now = yield* start(settings)
        const newCaller = callerOf(yield* command(settings, ...keyArgs))
        for (const service of [before, now]) {
          for (const caller of [oldCaller, newCaller]) {
            const token = yield* smoke(service, caller, workspace, chat)
            for (const { address } of [before, now]) {
              const session = yield* Effect.promise(() =>
                fetch(`${address}/connect/session`, { headers: { authorization: `Bearer ${token}` } })
              )
              assert.strictEqual(session.status, 200)
            }
          }
        }
        yield* writeAndRead(before, now, oldCaller)
        yield* writeAndRead(now, before, newCaller)

        // the old one starts on a schema that it does not know, and its command line works there
        const restarted = yield* start(settings, old)
        yield* smoke(restarted, newCaller, workspace, chat)
        const bob = { ...oldCaller, endUser: "bob" }
        yield* oldCommand(settings, ...importTo("bob", "hubspot"))
        yield* writeAndRead(restarted, now, bob)
      })
    )
  })

  it.scopedLive("opens the data directory of an embedded database", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* scratchDirectory }
      const before = yield* start(settings, yield* build)
      const caller = { key: /sk_test_\w+/.exec(before.printed())?.[0] ?? "", endUser: "demo" }
      const keyed = { "idempotency-key": randomUUID() }
      const path = "/crm/contact?provider=hubspot"
      const made = yield* call(before, caller, "POST", path, { last_name: "Kept" }, keyed)
      assert.strictEqual(made.status, 201, json(made.json))
      before.signal("SIGTERM")
      yield* Effect.promise(() => before.ended)

      const now = yield* start(settings)
      const again = yield* call(now, caller, "POST", path, { last_name: "Kept" }, keyed)
      assert.deepStrictEqual(again.json, made.json)
      const one = `/crm/contact/${String(at(made.json, "data.remote_id"))}?provider=hubspot`
      assert.strictEqual(at((yield* call(now, caller, "GET", one)).json, "data.last_name"), "Kept")
      const workspace = String(at((yield* call(now, caller, "GET", "/mcp/workspaces")).json, "data.0.id"))
      yield* smoke(now, caller, workspace, randomUUID())
    })
  )
})
