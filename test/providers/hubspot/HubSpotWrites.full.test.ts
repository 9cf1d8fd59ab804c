import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"

const at = (resource: string, id?: unknown) =>
  `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=hubspot`

layer(sandboxApplication(), { timeout: "60 seconds" })("writes to HubSpot", (it) => {
  const connected = Effect.gen(function* () {
    const { call } = yield* (yield* SandboxApplication).caller(["hubspot"])
    const send = (method: string) => (path: string, body: Doc) => call(method, path, { body })
    return {
      call,
      post: (resource: string, body: Doc) => send("POST")(at(resource), body),
      patch: (resource: string, { remote_id }: Doc, body: Doc) => send("PATCH")(at(resource, remote_id), body),
      put: (resource: string, { remote_id }: Doc, body: Doc) => send("PUT")(at(resource, remote_id), body),
      refused: (resource: string, body: Doc) =>
        Effect.map(call("POST", at(resource), { body, headers: strictly }), (answer) => Object.keys(errorsOf(answer)))
    }
  })

  it.effect("a contact needs a name or an e-mail address, and one without a name is sent back as it is", () =>
    Effect.gen(function* () {
      const { post, put } = yield* connected
      const nameless = recordOf(yield* post("contact", { email_addresses: [{ email_address: "ada@ockham.example" }] }))
      const again = yield* put("contact", nameless, nameless)
      assert.deepStrictEqual(said(again), [])
      assert.deepInclude(recordOf(again), { last_name: null, email_addresses: nameless.email_addresses })
      assert.deepStrictEqual(Object.keys(errorsOf(yield* post("contact", { title: "Countess" }))), ["last_name"])
    })
  )

  it.effect("labels and further addresses are advice, and said", () =>
    Effect.gen(function* () {
      const { post, refused } = yield* connected
      const body = {
        last_name: "King",
        addresses: [{ city: "Ockham", address_type: "BILLING" }],
        email_addresses: [
          { email_address: "ada@king.example", email_address_type: "HOME" },
          { email_address: "byron@king.example" }
        ],
        phone_numbers: [
          { phone_number: "+44 1483 555 0101", phone_number_type: "HOME" },
          { phone_number: "+44 1483 555 0102", phone_number_type: "FAX" },
          { phone_number: "+44 1483 555 0103", phone_number_type: "OTHER" }
        ]
      }
      const strict = yield* refused("contact", body)
      const made = yield* post("contact", body)
      assert.deepInclude(recordOf(made), {
        email_addresses: [{ email_address: "ada@king.example", email_address_type: null }],
        phone_numbers: [
          { phone_number: "+44 1483 555 0101", phone_number_type: "WORK" },
          { phone_number: "+44 1483 555 0103", phone_number_type: "MOBILE" },
          { phone_number: "+44 1483 555 0102", phone_number_type: "FAX" }
        ]
      })
      const told = [
        "addresses.0.address_type NOT_HELD",
        "email_addresses.0.email_address_type NOT_HELD",
        "email_addresses.1 NOT_HELD",
        "phone_numbers.0.phone_number_type CHANGED",
        "phone_numbers.2.phone_number_type CHANGED"
      ]
      assert.includeMembers([...said(made)], told)
      assert.sameMembers(
        strict,
        told.map((one) => one.replace(/ .*/, ""))
      )
    })
  )

  it.effect("PATCH account moves the primary label and keeps the labels of the account's own", () =>
    Effect.gen(function* () {
      const { call, patch, post } = yield* connected
      const through = (method: string, path: string, body?: Doc) =>
        Effect.map(call(method, `/passthrough/hubspot${path}`, body === undefined ? {} : { body }), (answer) =>
          JSON.stringify(answer)
        )
      const made = (resource: string, body: Doc) => Effect.map(post(resource, body), recordOf)
      const one = yield* made("company", { name: "One" })
      const two = yield* made("company", { name: "Two" })
      for (const [resource, plural, body] of [
        ["contact", "contacts", { last_name: "Payer" }],
        ["deal", "deals", { name: "Payment", stage: "contractsent" }]
      ] as const) {
        const labels = `/crm/v4/associations/${plural}/companies/labels`
        const label = { label: "Payer", name: "payer" }
        const kinds = yield* through("POST", labels, label)
        const typeId = Number(/"typeId":(\d+)/.exec(kinds)?.[1])
        const record = yield* made(resource, { ...body, account: one.remote_id })
        const links = `/crm/v4/objects/${plural}/${String(record.remote_id)}/associations/companies`
        const types = [{ associationCategory: "USER_DEFINED", associationTypeId: typeId }]
        const inputs = [{ from: { id: record.remote_id }, to: { id: one.remote_id }, types }]
        yield* through("POST", `/crm/v4/associations/${plural}/companies/batch/create`, { inputs })
        const changed = yield* patch(resource, record, { account: two.remote_id })
        assert.strictEqual(recordOf(changed).account, two.remote_id)
        assert.deepStrictEqual(said(changed), [])
        assert.include(yield* through("GET", links), '"Payer"')
        const cleared = yield* patch(resource, record, { account: null })
        assert.deepStrictEqual(said(cleared), [])
        assert.isNull(recordOf(cleared).account)
        assert.include(yield* through("GET", links), '"Payer"')
        // the link is there, and gets the primary label beside its own
        assert.strictEqual(recordOf(yield* patch(resource, record, { account: one.remote_id })).account, one.remote_id)
        assert.include(yield* through("GET", links), '"Payer"')
      }
    })
  )

  it.effect("an industry is held in the account's spelling, or not", () =>
    Effect.gen(function* () {
      const { patch, post } = yield* connected
      const made = yield* post("company", { name: "Fernhill Foods", industry: "Food & Beverages" })
      assert.strictEqual(recordOf(made).industry, "FOOD_BEVERAGES")
      assert.deepStrictEqual(said(made), ["industry CHANGED"])
      const other = yield* patch("company", recordOf(made), { name: "Fernhill", industry: "Alchemy" })
      assert.deepInclude(recordOf(other), { name: "Fernhill", industry: "FOOD_BEVERAGES" })
      assert.deepStrictEqual(said(other), ["industry NOT_HELD"])
      const cleared = yield* patch("company", recordOf(made), { industry: null })
      assert.isNull(recordOf(cleared).industry)
      assert.deepStrictEqual(said(cleared), [])
    })
  )

  it.effect("a deal without a stage and a task without a day take what there is by default", () =>
    Effect.gen(function* () {
      const { post, put, refused } = yield* connected
      const deal = yield* post("deal", { name: "Bakery" })
      assert.deepInclude(recordOf(deal), { pipeline: "default", stage: "appointmentscheduled", status: "OPEN" })
      assert.deepStrictEqual(said(deal), ["stage CHANGED"])
      const won = yield* post("deal", { name: "Bakery", status: "WON" })
      assert.deepInclude(recordOf(won), { stage: "closedwon", status: "WON" })
      const contradiction = yield* post("deal", { name: "Bakery", status: "WON", stage: "contractsent" })
      assert.deepStrictEqual(Object.keys(errorsOf(contradiction)), ["status"])
      const task = yield* post("task", { subject: "Ring back" })
      assert.strictEqual(recordOf(task).due_date, "2026-11-20T00:00:00.000Z")
      assert.deepStrictEqual(said(task), ["due_date CHANGED"])
      const again = yield* put("task", recordOf(task), { subject: "Ring back" })
      assert.strictEqual(recordOf(again).due_date, "2026-11-20T00:00:00.000Z")
      assert.deepStrictEqual(
        [yield* refused("deal", { name: "x" }), yield* refused("task", { subject: "x" })],
        [["stage"], ["due_date"]]
      )
    })
  )

  it.effect("a PUT that would clear what stays says so", () =>
    Effect.gen(function* () {
      const { patch, post, put } = yield* connected
      const start_time = "2027-02-15T13:00:00.000Z"
      const email = { activity_type: "EMAIL", start_time }
      const made = recordOf(yield* post("activity", { ...email, direction: "INBOUND" }))
      const replaced = yield* put("activity", made, email)
      assert.strictEqual(recordOf(replaced).direction, "INBOUND")
      assert.deepStrictEqual(said(replaced), ["direction CHANGED"])
      const cleared = yield* patch("activity", made, { subject: "Offer", direction: null })
      assert.deepInclude(recordOf(cleared), { subject: "Offer", direction: "INBOUND" })
      assert.deepStrictEqual(said(cleared), ["direction CHANGED"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* patch("activity", made, { direction: null }))), ["direction"])
      const call = { activity_type: "CALL", start_time }
      const rung = recordOf(yield* post("activity", { ...call, direction: "INBOUND" }))
      assert.isNull(recordOf(yield* put("activity", rung, call)).direction)
    })
  )

  it.effect("an address with a second line alone is held, or said", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const addresses = [{ street_2: "Second floor" }]
      const company = yield* post("company", { name: "Fernhill", addresses })
      assert.nestedPropertyVal(recordOf(company), "addresses[0].street_2", "Second floor")
      assert.deepStrictEqual(said(company), [])
      const contact = yield* post("contact", { last_name: "King", addresses })
      assert.nestedPropertyVal(recordOf(contact), "addresses[0].street_1", "Second floor")
      assert.deepStrictEqual(said(contact), ["addresses.0.street_2 CHANGED"])
    })
  )

  it.effect("a lead on a contact leaves the person as it is, and says where it differs", () =>
    Effect.gen(function* () {
      const { call, post, refused } = yield* connected
      const [contact] = pageOf(yield* call("GET", `${at("contact")}&limit=1`)).data
      const body = { contact: contact?.remote_id, last_name: contact?.last_name, title: "Baroness", status: "CLOSED" }
      assert.sameMembers(yield* refused("lead", body), ["status"])
      const { status: _, ...rest } = body
      assert.deepStrictEqual(yield* refused("lead", rest), ["title"])
      const made = yield* post("lead", body)
      assert.deepInclude(recordOf(made), { contact: contact?.remote_id, title: contact?.title, status: "UNQUALIFIED" })
      assert.includeMembers([...said(made)], ["status STATUS_NOT_REACHED"])
      assert.match(said(made).join(), /title (CHANGED|NOT_HELD)/)
      const alone = yield* post("lead", { email_addresses: [{ email_address: "only@lead.example" }] })
      assert.strictEqual(recordOf(alone).name, "only@lead.example")
    })
  )

  it.effect("an activity that was seen is of the type that it was, one that was not is looked for among all", () =>
    Effect.gen(function* () {
      const { call, patch } = yield* connected
      const notes = yield* NotedRequests
      const unseen = yield* notes.during(call("GET", at("activity", "999999")))
      assert.lengthOf(unseen, 4)
      const [seen = {}] = pageOf(yield* call("GET", at("activity"))).data
      assert.lengthOf(yield* notes.during(Effect.map(call("GET", at("activity", seen.remote_id)), recordOf)), 1)
      const changed = patch("activity", seen, { subject: "Changed" })
      assert.lengthOf(yield* notes.during(Effect.map(changed, recordOf)), 2)
      assert.strictEqual((yield* call("DELETE", at("activity", seen.remote_id))).status, 200)
      assert.strictEqual((yield* call("GET", at("activity", seen.remote_id))).status, 404)
      assert.strictEqual((yield* patch("activity", seen, { subject: "Again" })).status, 404)
    })
  )
})
