import { HttpClient } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { application, InProcess } from "../../src/InProcess.ts"
import { All } from "../../src/providers/All.ts"
import { whileTimePasses } from "../support/SandboxApplication.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const Rows = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ field: Schema.String, native_field: Schema.String })) })
)

const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.dieMessage("a test called the network"))
)

layer(TestDatabase.layer)("field mappings on two instances over one database", (it) => {
  it.scoped("an override put on one is in force on the other with the next call, and so is its removal", () =>
    Effect.gen(function* () {
      const instance = Effect.map(
        Layer.build(Layer.fresh(application(All).pipe(Layer.provide(noNetwork)))),
        Context.get(InProcess)
      )
      const [one, other] = yield* Effect.all([instance, instance])
      const { key } = yield* one.tenancy("Two instances")
      const headers = { authorization: `Bearer ${Redacted.value(key)}`, "content-type": "application/json" }
      const send = (to: typeof one, method: string, query: string, body?: object) =>
        Effect.promise(async () => {
          const url = `http://localhost/api/v1/field-mappings${query}`
          const json = body === undefined ? {} : { body: JSON.stringify(body) }
          const response = await to.handle(new Request(url, { method, headers, ...json }))
          assert.strictEqual(response.status, 200)
          const answer: unknown = await response.json()
          return answer
        }).pipe(whileTimePasses(1000))
      const of = { provider: "hubspot", resource: "contact", field: "title" }
      const titleOn = (to: typeof one) =>
        Effect.map(
          send(to, "GET", "?provider=hubspot&resource=contact"),
          (answer) => Rows(answer).data.find(({ field }) => field === of.field)?.native_field
        )
      assert.strictEqual(yield* titleOn(other), "properties.jobtitle")

      yield* send(one, "PUT", "", { ...of, native_field: "industry" })
      assert.strictEqual(yield* titleOn(one), "properties.industry")
      assert.strictEqual(yield* titleOn(other), "properties.industry")

      yield* send(other, "DELETE", "?provider=hubspot&resource=contact&field=title")
      assert.strictEqual(yield* titleOn(other), "properties.jobtitle")
      assert.strictEqual(yield* titleOn(one), "properties.jobtitle")
    })
  )
})
