import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LimitReached, mockProvider, TestApplication, testApplication } from "tributary/testing"

const HubSpot = mockProvider("hubspot", { contact: [{ first_name: "Ada", last_name: "Lovelace" }] })

layer(testApplication({ providers: [HubSpot] }))("contacts", (it) => {
  it.effect("are the mock's", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      const client = yield* app.client
      const { data } = yield* client.crm_contact.list({ headers: { "x-end-user-id": app.endUser }, urlParams: {} })
      assert.deepStrictEqual(
        data.data.map(({ first_name }) => first_name),
        ["Ada"]
      )
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
