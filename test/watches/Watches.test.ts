import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { recordOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { feedOf, followed, polled, walked, watch } from "../../src/testing/contract/Following.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("watches", (it) => {
  it.effect("tells what is made, changed and deleted, and nothing of what was there", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const events = feedOf(call)
      const answer = yield* watch(call, ["crm/contact"])
      console.log(JSON.stringify(answer))
      yield* walked(call, 1)
      assert.deepStrictEqual(yield* events, [])
      const id = String(recordOf(yield* call("POST", "/crm/contact?provider=hubspot", { body: { last_name: "New" } })).remote_id)
      yield* polled(call)
      console.log(JSON.stringify(yield* followed(call)))
      assert.deepStrictEqual((yield* events).map(({ remote_id, type }) => [type, remote_id]), [["created", id]])
    })
  )
})
