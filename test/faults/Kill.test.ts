import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { at, call, command, start } from "./ServiceProcess.ts"

describe("a killed process", () => {
  it.scopedLive("starts again with what it answered", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* scratchDirectory }
      const first = yield* start(settings)
      const caller = { key: /sk_test_\w+/.exec(first.printed())?.[0] ?? "", endUser: "demo" }
      const made = yield* call(first, caller, "POST", "/crm/contact?provider=hubspot", { last_name: "Kept" })
      assert.strictEqual(made.status, 201)
      first.signal("SIGKILL")
      assert.strictEqual(yield* Effect.promise(() => first.ended), "SIGKILL")

      const second = yield* start(settings)
      const path = `/crm/contact/${String(at(made.json, "data.remote_id"))}?provider=hubspot`
      const read = yield* call(second, caller, "GET", path)
      assert.strictEqual(at(read.json, "data.last_name"), "Kept")
      const other = yield* command(settings, "organisations", "create", "--name", "Other")
      assert.strictEqual(at(other, "name"), "Other")
    })
  )
})
