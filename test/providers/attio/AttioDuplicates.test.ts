import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Doc,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"

const cases: ReadonlyArray<readonly [resource: string, first: Doc, second: Doc, unique: Doc]> = [
  [
    "contact",
    { last_name: "Okafor", email_addresses: [{ email_address: "Nora@Okafor.example" }] },
    { last_name: "Reyes" },
    { email_addresses: [{ email_address: "nora@okafor.example" }] }
  ],
  ["company", { name: "Okafor", website: "okafor-ltd.example" }, { name: "Reyes" }, { website: "okafor-ltd.example" }]
]

layer(sandboxApplication(), { timeout: "60 seconds" })("duplicates and links at Attio", (it) => {
  const connected = Effect.map(
    Effect.flatMap(SandboxApplication, (app) => app.caller(["attio"])),
    ({ call }) =>
      (method: string, path: string, body: Doc) =>
        call(method, `/crm/${path}?provider=attio`, { body })
  )

  for (const [resource, first, second, unique] of cases) {
    it.effect(`a duplicate ${resource} is 409 with the id of the record that holds the value`, () =>
      Effect.gen(function* () {
        const send = yield* connected
        const { remote_id: holder } = recordOf(yield* send("POST", resource, first))
        const { remote_id: other } = recordOf(yield* send("POST", resource, second))
        for (const refused of [
          yield* send("POST", resource, { ...second, ...unique }),
          yield* send("PATCH", `${resource}/${String(other)}`, unique)
        ]) {
          assert.deepStrictEqual(refusalOf(refused), [409, "CONFLICT"], JSON.stringify(refused.body))
          assert.deepInclude(refused.body, { duplicate_of: [holder] })
        }
      })
    )
  }

  it.effect("a cleared contact of a deal with more people is said to be the next one", () =>
    Effect.gen(function* () {
      const send = yield* connected
      const { remote_id: one } = recordOf(yield* send("POST", "contact", { last_name: "One" }))
      const { remote_id: two } = recordOf(yield* send("POST", "contact", { last_name: "Two" }))
      const people = [one, two].map((id) => ({ target_object: "people", target_record_id: id }))
      const { remote_id: deal, contact } = recordOf(
        yield* send("POST", "deal", { name: "Desks", integration_params: { associated_people: people } })
      )
      assert.strictEqual(contact, one)
      const cleared = yield* send("PATCH", `deal/${String(deal)}`, { contact: null })
      assert.strictEqual(recordOf(cleared).contact, two)
      assert.deepStrictEqual(said(cleared), ["contact CHANGED"])
    })
  )
})
