import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { workspaceOf } from "../agent/McpClient.ts"
import { signIn } from "../console/Visitor.ts"
import { recordOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("programs in the console", (it) => {
  it.effect("shows whom programs may act for, and ends it after asking", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([])
      const workspace = yield* workspaceOf(caller)
      const own = yield* signIn(caller.tenancy.key)
      const stranger = yield* signIn((yield* app.caller([])).tenancy.key)
      assert.include(yield* own.read("/console/mcp"), "No program has been let in")

      const made = yield* caller.call("POST", `/mcp/workspaces/${workspace}/tokens`, { body: { endUserId: "alice" } })
      const grant = String(recordOf(made).grantId)
      const page = yield* own.read("/console/mcp")
      for (const text of ["alice", "Agents", "tools:read, tools:write", "Never"]) assert.include(page, text)
      assert.notInclude(yield* stranger.read("/console/mcp"), "alice")

      const end = `/console/mcp/grants/${grant}/end`
      assert.strictEqual((yield* stranger.get(end)).status, 404)
      assert.strictEqual((yield* stranger.post(end)).status, 404)
      assert.include(yield* own.read(end), "alice")
      assert.strictEqual((yield* own.post(end)).status, 303)
      assert.include(yield* own.read("/console/mcp"), "Ended")
    })
  )

  it.effect("sets the sign-in address and removes it", () =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller([])
      const own = yield* signIn(caller.tenancy.key)
      const set = (url: string) => own.post("/console/mcp/sign-in", url === "" ? {} : { url })
      assert.strictEqual((yield* set("https://app.example.com/sign-in")).status, 303)
      assert.deepStrictEqual(recordOf(yield* caller.call("GET", "/settings/sign-in")), {
        url: "https://app.example.com/sign-in"
      })
      assert.include(yield* own.read("/console/mcp"), "https://app.example.com/sign-in")
      assert.strictEqual((yield* set("http://app.example.com/")).status, 422)
      assert.strictEqual((yield* set("")).status, 303)
      assert.deepStrictEqual(recordOf(yield* caller.call("GET", "/settings/sign-in")), { url: null })
    })
  )
})
