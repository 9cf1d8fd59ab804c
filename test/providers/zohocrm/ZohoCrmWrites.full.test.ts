import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Doc,
  errorsOf,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"
import { said as warned, strictly as strict } from "../../support/Warnings.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("writes to Zoho CRM", (it) => {
  const connected = Effect.gen(function* () {
    const { call } = yield* (yield* SandboxApplication).caller(["zoho_crm"])
    const path = (resource: string, id?: unknown) =>
      `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=zoho_crm`
    const firstOf = (resource: string) =>
      Effect.map(call("GET", path(resource)), (answer) => String(pageOf(answer).data[0]?.remote_id))
    return {
      call,
      path,
      links: Effect.all({ account: firstOf("company"), opportunity: firstOf("deal"), contact: firstOf("contact") }),
      post: (resource: string, body: Doc) => call("POST", path(resource), { body }),
      patch: (resource: string, id: unknown, body: Doc) => call("PATCH", path(resource, id), { body })
    }
  })

  it.effect("a task is about one record: the deal before the company, and what goes is said", () =>
    Effect.gen(function* () {
      const { call, links, patch, path, post } = yield* connected
      const { account, opportunity } = yield* links
      const both = yield* post("task", { subject: "Ring", account, opportunity })
      assert.include(recordOf(both), { account: null, opportunity })
      assert.deepStrictEqual(warned(both), ["account NOT_HELD"])
      const moved = yield* patch("task", recordOf(both).remote_id, { account })
      assert.include(recordOf(moved), { account, opportunity: null })
      assert.deepStrictEqual(warned(moved), ["opportunity CHANGED"])
      const refused = yield* call("POST", path("task"), {
        body: { subject: "Ring", account, opportunity },
        headers: strict
      })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["account"])
    })
  )

  it.effect("a note stays on the one record it was made for", () =>
    Effect.gen(function* () {
      const { links, patch, post } = yield* connected
      const { account, contact } = yield* links
      const made = yield* post("note", { content: "Tea", account, contact })
      assert.include(recordOf(made), { account: null, contact })
      assert.deepStrictEqual(warned(made), ["account NOT_HELD"])
      const { remote_id } = recordOf(made)
      const kept = yield* patch("note", remote_id, { content: "Coffee", contact: null, account })
      assert.include(recordOf(kept), { content: "Coffee", account: null, contact })
      assert.sameMembers([...warned(kept)], ["contact CHANGED", "account NOT_HELD"])
      // nothing of it could be held
      assert.deepStrictEqual(Object.keys(errorsOf(yield* patch("note", remote_id, { contact: null }))), ["contact"])
    })
  )

  it.effect("a lead takes back the name that it returned", () =>
    Effect.gen(function* () {
      const { call, path, post } = yield* connected
      const made = recordOf(yield* post("lead", { first_name: "Ada", last_name: "King", company: "Ockham" }))
      const { name, first_name, last_name, company } = made
      const again = yield* call("PUT", path("lead", made.remote_id), { body: made, headers: strict })
      assert.strictEqual(recordOf(again).name, name)
      const copy = yield* call("POST", path("lead"), {
        body: { name, first_name, last_name, company },
        headers: strict
      })
      assert.strictEqual(recordOf(copy).name, "Ada King")
      const other = yield* post("lead", { name: "A title", last_name, company })
      assert.strictEqual(recordOf(other).name, "King")
      assert.deepStrictEqual(warned(other), ["name CHANGED"])
    })
  )

  it.effect("a deal without a stage is in the first open one, and an e-mail is logged as a call", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const deal = yield* post("deal", { name: "Looms" })
      assert.strictEqual(recordOf(deal).status, "OPEN")
      assert.include(warned(deal), "stage CHANGED")
      const won = yield* post("deal", { name: "Looms", status: "WON" })
      assert.strictEqual(recordOf(won).status, "WON")
      const start_time = "2027-02-15T13:00:00.000Z"
      const mail = yield* post("activity", { activity_type: "EMAIL", direction: "INBOUND", subject: "Hm", start_time })
      assert.include(recordOf(mail), { activity_type: "CALL", direction: "INBOUND", subject: "Hm" })
      assert.deepStrictEqual(warned(mail), ["activity_type CHANGED"])
    })
  )

  it.effect("an address with only a second line holds it as the first, and says so", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const made = yield* post("contact", { last_name: "King", addresses: [{ street_2: "Flat 2", city: "Bath" }] })
      assert.deepInclude(listOf(recordOf(made).addresses)[0], { street_1: "Flat 2", street_2: null, city: "Bath" })
      assert.include(warned(made), "addresses.0.street_2 CHANGED")
    })
  )
})
