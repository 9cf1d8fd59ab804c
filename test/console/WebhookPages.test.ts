import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Events } from "../../src/events/Events.ts"
import { pageOf, recordOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { receiver } from "../webhooks/Receiver.ts"
import { soon } from "../webhooks/Soon.ts"
import { signIn } from "./Visitor.ts"

layer(sandboxApplication({ ALLOW_PRIVATE_HOSTS: "127.0.0.1" }))("webhooks in the console", (it) => {
  it.scoped("show what was sent and answered, deliver again and are enabled", () =>
    Effect.gen(function* () {
      const { caller } = yield* SandboxApplication
      const mine = yield* caller([])
      const own = yield* signIn(mine.tenancy.key)
      assert.include(yield* own.read("/console/webhooks"), "There are no webhooks")

      const endpoint = yield* receiver((_, count) => (count === 1 ? { status: 410, body: "<b>gone</b>" } : {}))
      const made = yield* mine.call("POST", "/webhooks", {
        body: { url: `${endpoint.url}?a=<i>`, types: ["connection.restored"] }
      })
      const id = String(recordOf(made).id)
      const connectionId = "00000000-0000-4000-8000-000000000000"
      yield* (yield* Events).publish(mine.tenancy, [
        { type: "connection.restored", data: { connectionId, provider: "hubspot", endUserId: "ann" } }
      ])
      const deliveries = Effect.map(mine.call("GET", `/webhooks/${id}/deliveries`), (answer) => pageOf(answer).data)
      const [delivery] = yield* soon(deliveries, ([one]) => one?.status === "failed")

      assert.include(yield* own.read("/console"), "1 webhook was disabled")
      assert.match(yield* own.read("/console/webhooks"), /\/hooks\?a=.*Disabled .* It answered 410/)
      const page = `/console/webhooks/${id}`
      const text = yield* own.read(page)
      assert.match(text, /connection\.restored .*"endUserId":"ann".* Failed 1 attempt 410 .* answered 410 <b>gone<\/b>/)
      assert.notMatch(String((yield* own.get(page)).body), /<b>gone|a=<i>/)

      yield* own.post(`${page}/enable`)
      assert.include(yield* own.read(page), "is enabled.")
      assert.notInclude(yield* own.read("/console"), "disabled")
      yield* own.post(`${page}/deliveries/${String(delivery?.id)}/redeliver`)
      assert.include(yield* own.read(page), "is delivered again.")
      yield* soon(deliveries, ([one]) => one?.status === "delivered")
      assert.match(yield* own.read(page), /Delivered 1 attempt 200/)
    })
  )

  it.scoped("are the session's organisation's and environment's only, and change with the scope webhooks", () =>
    Effect.gen(function* () {
      const { caller } = yield* SandboxApplication
      const theirs = yield* caller([])
      const body = { url: "http://127.0.0.1:9/", types: ["connection.created"] }
      const id = String(recordOf(yield* theirs.call("POST", "/webhooks", { body })).id)
      const stranger = yield* signIn((yield* caller([])).tenancy.key)
      assert.notInclude(yield* stranger.read("/console/webhooks"), "127.0.0.1")
      assert.strictEqual((yield* stranger.get(`/console/webhooks/${id}`)).status, 404)
      assert.strictEqual((yield* stranger.post(`/console/webhooks/${id}/enable`)).status, 404)
      assert.strictEqual((yield* stranger.post(`/console/webhooks/${id}/deliveries/1/redeliver`)).status, 404)

      const key = recordOf(
        yield* theirs.call("POST", "/api-keys", { body: { name: "Looking", scopes: ["admin"] } })
      ).key
      const carrying = yield* theirs.call("POST", "/webhooks", { body: { ...body, include_record: true } })
      const at = `/console/webhooks/${String(recordOf(carrying).id)}/enable`
      const scopes = ["admin", "webhooks"]
      const limited = yield* theirs.call("POST", "/api-keys", { body: { name: "Without records", scopes } })
      const without = yield* signIn(Redacted.make(String(recordOf(limited).key)))
      assert.strictEqual((yield* without.post(`/console/webhooks/${id}/enable`)).status, 303)
      assert.strictEqual((yield* without.post(at)).status, 403)
      assert.strictEqual((yield* (yield* signIn(theirs.tenancy.key)).post(at)).status, 303)

      const looking = yield* signIn(Redacted.make(String(key)))
      assert.include(yield* looking.read("/console/webhooks"), "127.0.0.1")
      assert.strictEqual((yield* looking.post(`/console/webhooks/${id}/enable`)).status, 403)
    })
  )
})
