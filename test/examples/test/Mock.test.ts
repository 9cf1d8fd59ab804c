import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Faults, LimitReached, mockProvider, TestApplication, testApplication } from "tributary/testing"
import { Rolodex } from "../src/Rolodex.ts"
import { simulator } from "../src/RolodexSimulator.ts"

const HubSpot = mockProvider("hubspot", { contact: [{ first_name: "Ada", last_name: "Lovelace" }] })

layer(testApplication({ providers: [HubSpot] }))("contacts", (it) => {
  it.effect("are the mock's", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      const answer = yield* Effect.promise(() => app.fetch("/api/v1/crm/contact"))
      assert.strictEqual(answer.status, 200)
    })
  )
})

const Limited = mockProvider(
  "hubspot",
  { contact: [{ first_name: "Ada" }] },
  { failures: { "contact.list": new LimitReached({ retryAfter: 30 }) } }
)

layer(testApplication({ providers: [Limited] }))("a limit", (it) => {
  it.effect("is told with Retry-After", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      const answer = yield* Effect.promise(() => app.fetch("/api/v1/crm/contact?provider=hubspot"))
      assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [429, "30"])
    })
  )
})

layer(testApplication({ providers: [Rolodex], simulators: [simulator] }))("the simulator of Rolodex", (it) => {
  it.effect("answers the typed client, and misbehaves on request", () =>
    Effect.gen(function* () {
      const { client, endUser } = yield* TestApplication
      const { crm_owner } = yield* client
      const list = crm_owner.list({ headers: { "x-end-user-id": endUser }, urlParams: { provider: "rolodex" } })
      assert.deepStrictEqual(
        (yield* list).data.data.map(({ first_name }) => first_name),
        ["Bruce", "Selina"]
      )

      const faults = yield* Faults
      yield* faults.add({ provider: "rolodex", path: "/user/", does: { kind: "limit", retryAfter: 30 } })
      assert.strictEqual((yield* Effect.flip(list))._tag, "RateLimited")
    })
  )
})
