import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

layer(sandboxApplication())("the root", (it) => {
  it.effect("leads on, for people and for programs, to what is there", () =>
    Effect.gen(function* () {
      const { send } = yield* SandboxApplication
      const page = yield* send("GET", "/", { headers: { accept: "text/html,*/*" } })
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      const json = yield* send("GET", "/")
      assert.strictEqual(json.status, 200)
      assert.match(json.headers.get("content-type") ?? "", /^application\/json/)
      const linked = [...String(page.body).matchAll(/href="([^":]+)"/g)].map(([, to = ""]) => to)
      assert.includeMembers(linked, ["docs", "api/v1/openapi.json", "console", "health/ready"])
      for (const to of linked) {
        // the test's clock runs ahead of a busy database, which is then not ready
        const served = to === "health/ready" ? [200, 503] : [200, 303]
        assert.include(served, (yield* send("GET", `/${to}`)).status, to)
      }
      assert.include(JSON.stringify(json.body), "api/v1/openapi.json")
    })
  )

  it.effect("says nothing else, and refuses what it has not", () =>
    Effect.gen(function* () {
      const { send } = yield* SandboxApplication
      assert.strictEqual((yield* send("POST", "/")).status, 405)
      assert.strictEqual((yield* send("GET", "/nothing")).status, 404)
    })
  )
})
