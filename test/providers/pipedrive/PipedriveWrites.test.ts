import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"
import { said as warned, strictly as strict } from "../../support/Warnings.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("writes to Pipedrive", (it) => {
  const connected = Effect.gen(function* () {
    const { call } = yield* (yield* SandboxApplication).caller(["pipedrive"])
    const path = (resource: string, id?: unknown) =>
      `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=pipedrive`
    return {
      call,
      path,
      post: (resource: string, body: Doc) => call("POST", path(resource), { body }),
      patch: (resource: string, id: unknown, body: Doc) => call("PATCH", path(resource, id), { body })
    }
  })

  it.effect("parts of a name stay apart, however many words they have", () =>
    Effect.gen(function* () {
      const { patch, post } = yield* connected
      const made = recordOf(yield* post("contact", { first_name: "María José", last_name: "García" }))
      assert.include(made, { first_name: "María José", last_name: "García" })
      const renamed = yield* patch("contact", made.remote_id, { last_name: "de la van der Berg" })
      assert.include(recordOf(renamed), { first_name: "María José", last_name: "de la van der Berg" })
      assert.deepStrictEqual(warned(renamed), [])
    })
  )

  it.effect("a first name alone is held as the last one, and that is said", () =>
    Effect.gen(function* () {
      const { call, path, post } = yield* connected
      const alone = yield* post("contact", { first_name: "Ada" })
      assert.include(recordOf(alone), { first_name: null, last_name: "Ada" })
      assert.deepStrictEqual(warned(alone), ["first_name CHANGED"])
      const blank = yield* post("contact", { first_name: " ", last_name: "King" })
      assert.strictEqual(recordOf(blank).last_name, "King")
      const refused = yield* call("POST", path("contact"), { body: { first_name: "Ada" }, headers: strict })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["first_name"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* post("contact", { title: "Countess" }))), ["last_name"])
    })
  )

  it.effect("a lead is of a company alone, or of a person who is there: what is theirs stays as it is", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const ofCompany = recordOf(yield* post("lead", { company: "Ockham Mills" }))
      assert.deepInclude(ofCompany, { company: "Ockham Mills", name: "Ockham Mills", last_name: null, contact: null })
      assert.deepStrictEqual(Object.keys(errorsOf(yield* post("lead", { name: "Nobody" }))), ["last_name"])
      const { remote_id: contact } = recordOf(yield* post("contact", { last_name: "King" }))
      const put = yield* post("lead", { contact, last_name: "Byron", title: "Countess" })
      assert.deepInclude(recordOf(put), { contact, last_name: "King", title: null })
      assert.deepStrictEqual(warned(put), ["last_name CHANGED", "title NOT_HELD"])
    })
  )

  it.effect("an industry is known however it is spelled; one that the account lacks is not held", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const spelled = yield* post("company", { name: "Vine", industry: "FOOD_AND_BEVERAGES" })
      assert.strictEqual(recordOf(spelled).industry, "Food & Beverages")
      assert.deepStrictEqual(warned(spelled), ["industry CHANGED"])
      const unknown = yield* post("company", { name: "Loom", industry: "Weaving" })
      assert.isNull(recordOf(unknown).industry)
      assert.deepStrictEqual(warned(unknown), ["industry NOT_HELD"])
    })
  )

  it.effect("what no record is without stays, and a full body that leaves it out hears so", () =>
    Effect.gen(function* () {
      const { call, path, post } = yield* connected
      const start_time = "2027-02-15T13:00:00.000Z"
      const made = recordOf(yield* post("activity", { activity_type: "CALL", subject: "Ring", start_time }))
      const replaced = yield* call("PUT", path("activity", made.remote_id), {
        body: { activity_type: "CALL", start_time }
      })
      assert.strictEqual(recordOf(replaced).subject, "Ring")
      assert.include(warned(replaced), "subject CHANGED")
      const [note] = pageOf(yield* call("GET", path("note"))).data
      const off = yield* call("PATCH", path("note", note?.remote_id), {
        body: { content: "Off", contact: null, account: null, opportunity: null, lead: null }
      })
      assert.strictEqual(recordOf(off).content, "Off")
      assert.isNotEmpty(warned(off))
      for (const one of warned(off)) assert.match(one, /^(contact|account|opportunity|lead) CHANGED$/)
    })
  )
})
