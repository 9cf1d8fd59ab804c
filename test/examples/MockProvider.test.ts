import { HttpClient } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { application, InProcess } from "../../src/InProcess.ts"
import { constant, field, readField } from "../../src/mapping/Mapping.ts"
import { dateTime, text } from "../../src/mapping/Transform.ts"
import { bearer } from "../../src/providers/axes/Authorization.ts"
import { provider } from "../../src/providers/Providers.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

// A team's view: the application's own Layers with HubSpot replaced by a few lines, called without a port.

const people = [
  { id: "1", first: "Ada", last: "Lovelace", made: "2026-01-01T00:00:00.000Z" },
  { id: "2", first: "Grace", last: "Hopper", made: "2026-01-02T00:00:00.000Z" }
]

const HubSpot = provider(
  Effect.succeed({
    slug: "hubspot",
    name: "HubSpot",
    category: "crm",
    authorization: { kind: "key", help: "", apply: bearer },
    lookups: {},
    resources: {
      contact: {
        consistency: "exact",
        mapping: {
          blank: null,
          root: "",
          dialect: { text },
          variants: [
            {
              nativeType: "person",
              entries: [
                readField("remote_id", "id", text),
                readField("remote_created_at", "made", dateTime),
                constant("remote_was_deleted", false),
                field("first_name", "first", text),
                field("last_name", "last", text)
              ]
            }
          ]
        },
        list: () => Effect.succeed({ records: people.map((record) => ({ nativeType: "person", record })), next: null })
      }
    }
  })
)

const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.dieMessage("a test called the network"))
)

const Answer = Schema.Struct({
  data: Schema.Struct({ data: Schema.Array(Schema.Struct({ first_name: Schema.String, providerId: Schema.String })) })
})

const Application = application(HubSpot).pipe(Layer.provide(Layer.merge(TestDatabase.layer, noNetwork)))

layer(Application, { timeout: "60 seconds" })("an application with a mocked provider", (it) => {
  it.effect("answers with the mock's records in canonical shape", () =>
    Effect.gen(function* () {
      const app = yield* InProcess
      const tenancy = yield* app.tenancy("Acme")
      const connection = yield* app.connect(tenancy, "user-1", "hubspot")
      const response = yield* Effect.promise(() =>
        app.handle(
          new Request("http://localhost/api/v1/crm/contact?provider=hubspot", {
            headers: { authorization: `Bearer ${Redacted.value(tenancy.key)}`, "x-end-user-id": "user-1" }
          })
        )
      )
      assert.strictEqual(response.status, 200)
      const answer = yield* Schema.decodeUnknown(Answer)(yield* Effect.promise(() => response.json()))
      assert.deepStrictEqual(
        answer.data.data.map((record) => [record.first_name, record.providerId]),
        [
          ["Ada", connection],
          ["Grace", connection]
        ]
      )
    })
  )
})
