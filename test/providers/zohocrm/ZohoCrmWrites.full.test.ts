import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { hideFields } from "../../../src/providers/zohocrm/simulator/Hidden.ts"
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

  it.effect(
    "deals of an organisation with one currency and no pipelines are read, filtered and written without either",
    () =>
      Effect.gen(function* () {
        const { call, connections } = yield* (yield* SandboxApplication).caller(["zoho_crm"])
        const at = (rest = "") =>
          `/crm/deal${rest.startsWith("/") ? rest : ""}?provider=zoho_crm${rest.startsWith("&") ? rest : ""}`
        yield* call("GET", "/crm/contact?provider=zoho_crm&limit=1")
        const store = yield* SimulationStore
        yield* store.run("zoho_crm", connections.zoho_crm ?? "", (org) =>
          hideFields(org, ["Currency", "Exchange_Rate", "Pipeline"])
        )
        const all = pageOf(yield* call("GET", at("&limit=100"))).data
        const [pipeline] = pageOf(yield* call("GET", "/crm/pipeline?provider=zoho_crm")).data
        for (const deal of all) assert.include(deal, { currency: "USD", pipeline: pipeline?.remote_id })
        const unlisted = all.filter(({ stage }) => stage === "Legal review")
        assert.isNotEmpty(unlisted)
        for (const { status } of unlisted) assert.strictEqual(status, "OPEN")
        const open = pageOf(yield* call("GET", at("&limit=100&status=OPEN"))).data
        assert.includeMembers(
          open.map(({ remote_id }) => remote_id),
          unlisted.map(({ remote_id }) => remote_id)
        )
        assert.isNotEmpty(pageOf(yield* call("GET", at(`&pipeline=${String(pipeline?.remote_id)}`))).data)
        const made = yield* call("POST", at(), { body: { name: "Scales", currency: "USD", stage: "Qualification" } })
        assert.include(recordOf(made), { currency: "USD", pipeline: pipeline?.remote_id, status: "OPEN" })
        const foreign = yield* call("POST", at(), { body: { name: "Scales", currency: "EUR", stage: "Qualification" } })
        assert.deepStrictEqual(warned(foreign), ["currency NOT_HELD"])
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
