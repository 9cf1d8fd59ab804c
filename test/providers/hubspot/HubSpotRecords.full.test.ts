import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { getPath } from "../../../src/mapping/Mapping.ts"
import {
  type Call,
  type Doc,
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"

// HubSpot through the whole service: what the contract suite, which is the same for every provider, does not ask.

const at = (resource: string, id?: unknown) =>
  `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=hubspot`

const requests = (call: Call) => ({
  create: (resource: string, body: Doc) => Effect.map(call("POST", at(resource), { body }), recordOf),
  get: (resource: string, { remote_id }: Doc) => Effect.map(call("GET", at(resource, remote_id)), recordOf),
  patch: (resource: string, { remote_id }: Doc, body: Doc) =>
    Effect.map(call("PATCH", at(resource, remote_id), { body }), recordOf),
  put: (resource: string, { remote_id }: Doc, body: Doc) =>
    Effect.map(call("PUT", at(resource, remote_id), { body }), recordOf),
  refused: (method: string, path: string, body: Doc) =>
    Effect.map(call(method, path, { body, headers: { prefer: "handling=strict" } }), errorsOf)
})

const account = Effect.gen(function* () {
  const app = yield* SandboxApplication
  const { call } = yield* app.caller(["hubspot"])
  return { call, ...requests(call) }
})

const unknown = "99999999999"
const start_time = "2027-02-15T13:00:00.000Z"

layer(sandboxApplication(), { timeout: "60 seconds" })("HubSpot records", (it) => {
  it.effect("a lead without a contact makes one of its person, and is called after it", () =>
    Effect.gen(function* () {
      const { create, get } = yield* account
      const person = {
        first_name: "Ada",
        last_name: "King",
        title: "Countess",
        email_addresses: [{ email_address: "ada@ockham.example", email_address_type: null }]
      }
      const made = yield* create("lead", { ...person, company: "Ockham Park" })
      assert.strictEqual(made.name, "Ada King - Ockham Park")
      assert.strictEqual(made.status, "OPEN")
      assert.deepInclude(yield* get("contact", { remote_id: made.contact }), person)
      assert.strictEqual((yield* create("lead", { last_name: "Byron" })).name, "Byron")
    })
  )

  it.effect("a lead that is put on a contact says of the person what is so, and changes nothing of it", () =>
    Effect.gen(function* () {
      const { create, get, patch, refused } = yield* account
      const person = {
        first_name: "Ada",
        last_name: "King",
        title: "Countess",
        email_addresses: [{ email_address: "ada@king.example" }],
        phone_numbers: [{ phone_number: "+44 1483 555 0101", phone_number_type: "MOBILE" }]
      }
      const ada = yield* create("contact", person)
      const contact = ada.remote_id
      const other = {
        first_name: "Augusta",
        last_name: "Lovelace",
        company: "Ockham Park",
        addresses: [{ city: "Ockham" }],
        email_addresses: [{ email_address: "augusta@king.example" }],
        phone_numbers: [{ phone_number: "+44 1483 555 0102", phone_number_type: "MOBILE" }]
      }
      const errors = yield* refused("POST", at("lead"), { ...other, title: person.title, contact })
      assert.sameMembers(Object.keys(errors), Object.keys(other))
      assert.strictEqual(errors.last_name, 'belongs to the contact, where it is "King"; change it there')
      assert.deepInclude(yield* create("lead", { ...person, contact }), { name: "Ada King", contact })
      const lead = yield* create("lead", { last_name: "Byron" })
      assert.deepStrictEqual(
        Object.keys(yield* refused("PATCH", at("lead", lead.remote_id), { contact, title: "Baroness" })),
        ["title"]
      )
      assert.deepInclude(yield* patch("lead", lead, { contact, title: "Countess" }), { contact, last_name: "King" })
      assert.deepStrictEqual(yield* get("contact", ada), ada)
    })
  )

  it.effect("a lead on its contact writes the person there, what is given of it", () =>
    Effect.gen(function* () {
      const { call, create, get, patch, put, refused } = yield* account
      const ada = yield* create("contact", { first_name: "Ada", last_name: "King", title: "Countess" })
      const annabella = yield* create("contact", { first_name: "Annabella", last_name: "Byron", title: "Baroness" })
      const lead = yield* create("lead", { last_name: "King", contact: ada.remote_id })

      yield* patch("lead", lead, { title: "Analyst", status: "QUALIFIED" })
      assert.strictEqual((yield* get("contact", ada)).title, "Analyst")

      const moved = yield* patch("lead", lead, { contact: annabella.remote_id })
      assert.deepInclude(moved, { contact: annabella.remote_id, first_name: "Annabella", title: "Baroness" })
      assert.strictEqual(moved.status, "QUALIFIED")
      assert.strictEqual((yield* get("contact", ada)).title, "Analyst")

      const replaced = yield* put("lead", lead, { last_name: "Noel" })
      assert.deepInclude(replaced, { contact: annabella.remote_id, first_name: "Annabella", last_name: "Noel" })
      assert.deepInclude(yield* get("contact", annabella), { title: "Baroness", last_name: "Noel" })
      const cleared = yield* put("lead", lead, { last_name: "Noel", contact: annabella.remote_id, title: null })
      assert.deepInclude(cleared, { first_name: "Annabella", title: null })
      assert.property(yield* refused("PATCH", at("lead", lead.remote_id), { contact: null }), "contact")

      // a contact that is gone takes the person with it; writing the person makes a new one
      yield* call("DELETE", at("contact", annabella.remote_id))
      const alone = yield* get("lead", lead)
      assert.deepInclude(alone, { contact: null, last_name: null })
      const again = yield* patch("lead", lead, { last_name: "Milbanke" })
      assert.strictEqual(again.last_name, "Milbanke")
      assert.isNotNull(again.contact)
      assert.notStrictEqual(again.contact, annabella.remote_id)
    })
  )

  it.effect("a deactivated owner is found by id, and expanded", () =>
    Effect.gen(function* () {
      const { call, create, get } = yield* account
      const gone = "71344512"
      assert.deepInclude(yield* get("owner", { remote_id: gone }), { is_active: false, remote_was_deleted: true })
      const made = yield* create("contact", { last_name: "Owned", owner: gone })
      const expanded = recordOf(yield* call("GET", `${at("contact", made.remote_id)}&expand=owner`))
      assert.strictEqual(getPath(expanded, "expanded.owner.remote_id"), gone)
    })
  )

  it.effect("every lead of a list has the person of its own contact", () =>
    Effect.gen(function* () {
      const { call, get } = yield* account
      const { records } = yield* walk(call, at("lead"), 20)
      assert.isAbove(records.length, 20)
      for (const lead of records) {
        const contact = yield* get("contact", { remote_id: lead.contact })
        for (const name of ["first_name", "last_name", "title", "addresses", "email_addresses", "phone_numbers"]) {
          assert.deepStrictEqual(lead[name], contact[name], name)
        }
      }
      assert.sameMembers([...new Set(records.map(({ status }) => status))], ["OPEN", "QUALIFIED", "UNQUALIFIED"])
    })
  )

  it.effect("a refusal names the field that was written, also across the contact of a lead", () =>
    Effect.gen(function* () {
      const { call, create, refused } = yield* account
      const fields = (method: string, path: string, body: Doc) => Effect.map(refused(method, path, body), Object.keys)
      const email_addresses = [{ email_address: "nonsense" }]
      const last_name = "King"
      assert.deepStrictEqual(yield* fields("POST", at("lead"), { last_name, email_addresses }), ["email_addresses"])
      const lead = yield* create("lead", { last_name })
      assert.deepStrictEqual(yield* fields("PATCH", at("lead", lead.remote_id), { email_addresses }), [
        "email_addresses"
      ])
      assert.deepStrictEqual(yield* fields("POST", at("lead"), { last_name, lead_source: "Web" }), ["lead_source"])
      for (const [resource, body] of [
        ["contact", { last_name, account: unknown }],
        ["lead", { last_name, contact: unknown }],
        ["note", { content: "x", contact: unknown }],
        ["note", { content: "x", opportunity: unknown }],
        ["task", { subject: "x", due_date: start_time, account: unknown }],
        ["task", { subject: "x", due_date: start_time, owner: unknown }],
        ["activity", { activity_type: "CALL", start_time, contacts: [unknown] }],
        ["activity", { activity_type: "EMAIL", start_time, owner: unknown }],
        ["appointment", { subject: "x", start_time, contact: unknown }]
      ] as const) {
        const wrong = Object.entries(body).filter(([, value]) => String(value) === unknown)
        assert.deepStrictEqual(
          yield* fields("POST", at(resource), body),
          wrong.map(([name]) => name),
          resource
        )
      }
      const task = yield* create("task", { subject: "x", due_date: start_time })
      assert.deepStrictEqual(yield* fields("PATCH", at("task", task.remote_id), { due_date: null }), ["due_date"])
      const taken = yield* create("lead", { last_name, email_addresses: [{ email_address: "one@king.example" }] })
      const twice = yield* call("POST", at("lead"), { body: { last_name, email_addresses: taken.email_addresses } })
      assert.deepStrictEqual(refusalOf(twice), [409, "CONFLICT"])
    })
  )

  it.effect("a lead that is refused takes back the contact made for it, or says that it is there", () =>
    Effect.gen(function* () {
      const { call, create, patch } = yield* account
      const faults = yield* Faults
      const contacts = Effect.map(walk(call, at("contact"), 100), ({ records }) => records.length)
      const person = { last_name: "King", email_addresses: [{ email_address: "ada@king.example" }] }
      const before = yield* contacts
      const failure = failureOf(yield* call("POST", at("lead"), { body: { ...person, owner: unknown } }))
      assert.deepStrictEqual(Object.keys(failure.errors ?? {}), ["owner"])
      assert.isUndefined(failure.provider?.done)
      assert.strictEqual(yield* contacts, before)
      const lead = yield* create("lead", person)

      yield* call("DELETE", at("contact", lead.contact))
      const again = { title: "Countess", owner: unknown }
      const alone = failureOf(yield* call("PATCH", at("lead", lead.remote_id), { body: again }))
      assert.deepStrictEqual(Object.keys(alone.errors ?? {}), ["owner"])
      assert.strictEqual(yield* contacts, before)
      assert.isNotNull((yield* patch("lead", lead, { title: "Countess" })).contact)

      const path = "/crm/v3/objects/contacts/"
      yield* faults.add({ provider: "hubspot", path, does: { kind: "status", status: 403 } })
      const left = failureOf(yield* call("POST", at("lead"), { body: { last_name: "King", owner: unknown } }))
      yield* faults.clear
      assert.deepStrictEqual(left.provider?.done, ["contact"])
    })
  )

  it.effect("what was deleted is not there to be deleted", () =>
    Effect.gen(function* () {
      const { call, create } = yield* account
      for (const [resource, body] of [
        ["contact", { last_name: "King" }],
        ["lead", { last_name: "King" }],
        ["activity", { activity_type: "CALL", start_time }],
        ["appointment", { subject: "x", start_time }]
      ] as const) {
        const { remote_id } = yield* create(resource, body)
        assert.strictEqual((yield* call("DELETE", at(resource, remote_id))).status, 200, resource)
        const code = `${resource.toUpperCase()}_NOT_FOUND`
        assert.deepStrictEqual(refusalOf(yield* call("DELETE", at(resource, remote_id))), [404, code])
      }
    })
  )

  it.effect("an activity is found by its id whatever its kind, a meeting under both resources", () =>
    Effect.gen(function* () {
      const { call, create, get, patch } = yield* account
      for (const activity_type of ["CALL", "EMAIL", "MEETING", "OTHER"]) {
        const made = yield* create("activity", { activity_type, start_time, content: "one" })
        assert.deepStrictEqual(yield* get("activity", made), made)
        assert.deepInclude(yield* patch("activity", made, { content: "two" }), { activity_type, content: "two" })
        const changed = yield* call("PATCH", at("activity", made.remote_id), {
          body: { activity_type: activity_type === "CALL" ? "EMAIL" : "CALL" }
        })
        assert.deepStrictEqual(Object.keys(errorsOf(changed)), ["activity_type"])
        const meeting = yield* call("GET", at("meeting", made.remote_id))
        assert.strictEqual(meeting.status, activity_type === "MEETING" ? 200 : 404)
      }
      assert.deepStrictEqual(refusalOf(yield* call("GET", at("activity", unknown))), [404, "ACTIVITY_NOT_FOUND"])
      const { records } = yield* walk(call, at("activity"), 100)
      const kinds = records.map(({ activity_type }) => String(activity_type))
      assert.deepStrictEqual([...new Set(kinds)], ["CALL", "EMAIL", "MEETING", "OTHER"])
    })
  )

  it.effect("a message names its channel in integration_params, else it is of a custom one", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const store = yield* SimulationStore
      const { call, connections } = yield* app.caller(["hubspot"])
      const { create, refused } = requests(call)
      const message = { activity_type: "OTHER", start_time, content: "Hello" }
      const held = ({ remote_id }: Doc) =>
        store.run(
          "hubspot",
          connections.hubspot ?? "",
          (one) => one.get("communications", String(remote_id))?.properties
        )
      const properties = { hs_communication_body: "Hello", hs_communication_logged_from: "CRM" }
      assert.deepInclude(yield* held(yield* create("activity", message)), {
        ...properties,
        hs_communication_channel_type: "CUSTOM_CHANNEL_CONVERSATION"
      })
      const channel = (hs_communication_channel_type: string) => ({
        ...message,
        integration_params: { hs_communication_channel_type }
      })
      assert.deepInclude(yield* held(yield* create("activity", channel("SMS"))), {
        ...properties,
        hs_communication_channel_type: "SMS"
      })
      assert.deepStrictEqual(Object.keys(yield* refused("POST", at("activity"), channel("PIGEON"))), [
        "integration_params.hs_communication_channel_type"
      ])
    })
  )

  it.effect("more people than come with a record are all there, in a list too", () =>
    Effect.gen(function* () {
      const { call, create, get, patch } = yield* account
      const { records } = yield* walk(call, at("contact"), 100)
      const contacts = records.map(({ remote_id }) => String(remote_id)).slice(0, 130)
      const made = yield* create("activity", { activity_type: "CALL", start_time, contacts })
      assert.deepStrictEqual(made.contacts, contacts)
      assert.deepStrictEqual((yield* get("activity", made)).contacts, contacts)
      const listed = (yield* walk(call, at("activity"), 100)).records.find(({ id }) => id === made.id)
      assert.deepStrictEqual(listed, made)
      const fewer = yield* patch("activity", made, { contacts: contacts.slice(-3) })
      assert.deepStrictEqual(fewer.contacts, contacts.slice(-3))
    })
  )

  it.effect("an activity list says so when one of its kinds cannot be read", () =>
    Effect.gen(function* () {
      const { call } = yield* account
      const faults = yield* Faults
      yield* faults.add({
        provider: "hubspot",
        path: "/crm/v3/objects/emails",
        does: { kind: "status", status: 403 },
        times: 10
      })
      const first = pageOf(yield* call("GET", `${at("activity")}&limit=5`))
      assert.lengthOf(first.data, 5)
      const rest = yield* call(
        "GET",
        `${at("activity")}&limit=100&cursor=${encodeURIComponent(String(first.pagination.cursor))}`
      )
      assert.deepStrictEqual(refusalOf(rest), [403, "FORBIDDEN"])
      yield* faults.clear
    })
  )
})
