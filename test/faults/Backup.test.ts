import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { at, call, command, start } from "./ServiceProcess.ts"

it.scopedLive("a backup of a running service on its embedded database is restored elsewhere", () =>
  Effect.gen(function* () {
    const folder = yield* scratchDirectory
    const settings = { DATA_DIR: join(folder, "first") }
    const service = yield* start(settings)
    const [key = ""] = /sk_test_[\w-]+/.exec(service.printed()) ?? []
    const demo = { key, endUser: "demo" }
    const contact = { last_name: "Backed up" }
    const made = yield* call(service, demo, "POST", "/crm/contact?provider=hubspot", contact)
    assert.strictEqual(made.status, 201)
    const backup = join(folder, "all.backup")
    const written = yield* command(settings, "backup", "--to", backup)
    assert.isAbove(Number(at(written, "rows")), 50)
    assert.strictEqual((yield* call(service, demo, "GET", "/crm/contact?limit=1")).status, 200)

    const other = { DATA_DIR: join(folder, "second") }
    mkdirSync(other.DATA_DIR, { mode: 0o700 })
    copyFileSync(join(settings.DATA_DIR, "encryption-keys"), join(other.DATA_DIR, "encryption-keys"))
    yield* command(other, "restore", "--from", backup)
    const restored = yield* start(other)
    const path = `/crm/contact/${String(at(made.json, "data.remote_id"))}?provider=hubspot`
    const found = yield* call(restored, demo, "GET", path)
    assert.strictEqual(at(found.json, "data.last_name"), "Backed up")
  })
)
