import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import {
  type Answer,
  type Call,
  type Caller,
  type Doc,
  errorsOf,
  failureOf,
  listOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { setTimeZone } from "../../../src/providers/pipedrive/simulator/Settings.ts"
import { said as warned, strictly as strict } from "../../support/Warnings.ts"

const at = (resource: string, id?: unknown) =>
  `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=pipedrive`

const create = (call: Call, resource: string, body: Doc) => Effect.map(call("POST", at(resource), { body }), recordOf)

const read = (call: Call, resource: string, id: unknown) => Effect.map(call("GET", at(resource, id)), recordOf)

const patch = (call: Call, resource: string, id: unknown, body: Doc) =>
  Effect.map(call("PATCH", at(resource, id), { body }), recordOf)

const first = (call: Call, resource: string, holds: (record: Doc) => boolean = () => true) =>
  Effect.map(walk(call, at(resource)), ({ records }) => {
    const found = records.find(holds)
    if (found === undefined) throw new Error(`no such ${resource}`)
    return found
  })

const idsOf = (records: ReadonlyArray<Doc>) => records.map(({ remote_id }) => String(remote_id))

layer(sandboxApplication(), { timeout: "60 seconds" })("Pipedrive", (it) => {
  const pipedrive = Effect.flatMap(SandboxApplication, (app) => app.caller(["pipedrive"]))

  /** A record as Pipedrive keeps it. */
  const kept = ({ connections }: Caller, type: string, id: unknown) =>
    Effect.flatMap(SimulationStore, (store) =>
      Effect.map(
        store.run("pipedrive", connections.pipedrive ?? "", (account) => account.get(type, String(id))),
        (record): Doc => record ?? {}
      )
    )

  /** Changes a record behind the service's back, as somebody in Pipedrive's own pages does. */
  const edit = ({ connections }: Caller, type: string, id: unknown, values: Doc) =>
    Effect.flatMap(SimulationStore, (store) =>
      store.run("pipedrive", connections.pipedrive ?? "", (account) =>
        account.put(type, String(id), { ...account.get(type, String(id)), ...values })
      )
    )

  const allOf = ({ connections }: Caller, type: string) =>
    Effect.flatMap(SimulationStore, (store) =>
      Effect.map(
        store.run("pipedrive", connections.pipedrive ?? "", (account) => account.all(type)),
        (records) => records ?? []
      )
    )

  // -------------------------------------------------------------------------------------------------------------------
  // activities

  it.effect("every activity is where its type belongs, at every page size", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const tasks = idsOf((yield* walk(call, at("task"), 9)).records)
      const meetings = idsOf((yield* walk(call, at("meeting"), 9)).records)
      const activities = idsOf((yield* walk(call, at("activity"), 9)).records)
      const live = (yield* allOf(caller, "activities")).filter(({ is_deleted }) => is_deleted !== true)
      const having = (holds: (type: unknown) => boolean) =>
        live.filter(({ type }) => holds(type)).map(({ id }) => String(id))
      assert.deepStrictEqual(
        tasks,
        having((type) => type === "task")
      )
      assert.deepStrictEqual(
        meetings,
        having((type) => type === "meeting")
      )
      assert.deepStrictEqual(
        activities,
        having((type) => type !== "task")
      )
      assert.isAbove(Math.min(tasks.length, meetings.length, activities.length), 9)
    })
  )

  it.effect("an activity of another type is not there for a resource, and stays as it is", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const { remote_id: id } = yield* create(call, "activity", {
        activity_type: "CALL",
        start_time: "2027-02-16T15:00:00.000Z"
      })
      const before = yield* kept(caller, "activities", id)
      for (const resource of ["task", "meeting"]) {
        const code = `${resource.toUpperCase()}_NOT_FOUND`
        for (const [method, body] of [
          ["GET", undefined],
          ["PATCH", { subject: "Changed" }],
          ["PATCH", {}],
          ["PUT", { subject: "Changed", start_time: "2027-01-01T10:00:00.000Z", end_time: "2027-01-01T11:00:00.000Z" }],
          ["DELETE", undefined]
        ] as const) {
          const sent = method === "PUT" && resource === "task" ? { subject: "Changed" } : body
          const answer = yield* call(method, at(resource, id), sent === undefined ? {} : { body: sent })
          assert.deepStrictEqual(refusalOf(answer), [404, code], `${method} ${resource}`)
        }
      }
      assert.deepStrictEqual(yield* kept(caller, "activities", id), before)
    })
  )

  it.effect("what an account calls its own types is OTHER, and OTHER keeps it", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const body = { activity_type: "OTHER", start_time: "2027-02-16T15:00:00.000Z" }
      const { remote_id: id } = yield* create(call, "activity", body)
      assert.strictEqual((yield* kept(caller, "activities", id)).type, "deadline")
      yield* edit(caller, "activities", id, { type: "site_visit" })
      const replaced = recordOf(yield* call("PUT", at("activity", id), { body }))
      assert.strictEqual(replaced.activity_type, "OTHER")
      assert.strictEqual((yield* kept(caller, "activities", id)).type, "site_visit")
      assert.strictEqual((yield* patch(call, "activity", id, { activity_type: "EMAIL" })).activity_type, "EMAIL")
      const cleared = yield* call("PATCH", at("activity", id), { body: { activity_type: null } })
      assert.deepStrictEqual(Object.keys(errorsOf(cleared)), ["activity_type"])
    })
  )

  it.effect("start and end move one by one; what lasts a whole day stays so", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const { remote_id: id } = yield* create(call, "meeting", {
        subject: "Review",
        start_time: "2027-02-15T23:30:00+01:00",
        end_time: "2027-02-16T00:10:05.000Z"
      })
      const times = ({ end_time, start_time }: Doc) => [start_time, end_time]
      const native = Effect.map(kept(caller, "activities", id), ({ due_date, due_time, duration }) => [
        due_date,
        due_time,
        duration
      ])
      assert.deepStrictEqual(yield* native, ["2027-02-15", "22:30:00", "01:40:05"])
      const earlier = yield* patch(call, "meeting", id, { start_time: "2027-02-15T22:00:00.000Z" })
      assert.deepStrictEqual(times(earlier), ["2027-02-15T22:00:00.000Z", "2027-02-16T00:10:05.000Z"])
      const longer = yield* patch(call, "meeting", id, { end_time: "2027-02-17T12:00:00.000Z" })
      assert.deepStrictEqual(times(longer), ["2027-02-15T22:00:00.000Z", "2027-02-17T12:00:00.000Z"])
      assert.deepStrictEqual(yield* native, ["2027-02-15", "22:00:00", "38:00:00"])
      // past its end: it moves as it is
      const moved = yield* patch(call, "meeting", id, { start_time: "2027-03-01T08:00:00.000Z" })
      assert.deepStrictEqual(times(moved), ["2027-03-01T08:00:00.000Z", "2027-03-02T22:00:00.000Z"])
      const wrong = yield* call("PATCH", at("meeting", id), { body: { end_time: "2027-03-01T07:59:00.000Z" } })
      assert.deepStrictEqual(errorsOf(wrong), { end_time: "must not be before the start" })

      yield* edit(caller, "activities", id, { due_time: null, duration: null })
      const day = yield* read(call, "meeting", id)
      assert.deepStrictEqual(times(day), ["2027-03-01T00:00:00.000Z", null])
      yield* patch(call, "meeting", id, { start_time: day.start_time, content: "All day" })
      assert.deepStrictEqual(yield* native, ["2027-03-01", null, null])
    })
  )

  it.effect("a task due at midnight is due on a day", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const { remote_id: id } = yield* create(call, "task", { subject: "Pay", due_date: "2027-02-15T00:00:00.000Z" })
      const native = Effect.map(kept(caller, "activities", id), ({ due_date, due_time }) => [due_date, due_time])
      assert.deepStrictEqual(yield* native, ["2027-02-15", null])
      yield* patch(call, "task", id, { due_date: "2027-02-15T16:45:00.000Z" })
      assert.deepStrictEqual(yield* native, ["2027-02-15", "16:45:00"])
      yield* patch(call, "task", id, { due_date: "2027-02-18T00:00:00.000Z" })
      assert.deepStrictEqual(yield* native, ["2027-02-18", null])
      yield* edit(caller, "activities", id, { due_time: "00:00:00" })
      yield* patch(call, "task", id, { due_date: "2027-02-18T00:00:00.000Z" })
      assert.deepStrictEqual(yield* native, ["2027-02-18", "00:00:00"], "a time that somebody chose stays")
      const done = yield* patch(call, "task", id, { status: "CLOSED", due_date: null })
      assert.deepStrictEqual([done.status, done.due_date], ["CLOSED", null])
      assert.isString(done.completed_date)
      assert.deepStrictEqual(yield* native, [null, null])
    })
  )

  it.effect("people of an activity: the primary one first, and others stay when it changes", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const [a = "", b = "", c = ""] = idsOf(pageOf(yield* call("GET", `${at("contact")}&limit=3`)).data)
      const { remote_id: meetingId } = yield* create(call, "meeting", {
        subject: "All of us",
        start_time: "2027-02-15T10:00:00.000Z",
        end_time: "2027-02-15T11:00:00.000Z",
        contacts: [b, a, b]
      })
      assert.deepStrictEqual((yield* kept(caller, "activities", meetingId)).participants, [
        { person_id: Number(b), primary: true },
        { person_id: Number(a), primary: false }
      ])
      const participants = [
        { person_id: Number(a), primary: false },
        { person_id: Number(b), primary: true }
      ]
      yield* edit(caller, "activities", meetingId, { participants })
      assert.deepStrictEqual((yield* read(call, "meeting", meetingId)).contacts, [b, a])

      const { remote_id: taskId } = yield* create(call, "task", { subject: "Ring", contact: a })
      yield* edit(caller, "activities", taskId, { participants })
      assert.strictEqual((yield* patch(call, "task", taskId, { contact: c })).contact, c)
      assert.deepStrictEqual((yield* kept(caller, "activities", taskId)).participants, [
        { person_id: Number(c), primary: true },
        { person_id: Number(a), primary: false }
      ])
      const wrong = yield* call("PATCH", at("task", taskId), { body: { contact: "12a" } })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["contact"])
      const unknown = yield* call("PATCH", at("meeting", meetingId), { body: { contacts: [a, "999999"] } })
      assert.deepStrictEqual(Object.keys(errorsOf(unknown)), ["contacts"])
    })
  )

  it.effect("a meeting is done or not: every outcome is one of them", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const { remote_id: id } = yield* create(call, "meeting", {
        subject: "Review",
        start_time: "2027-02-15T10:00:00.000Z",
        end_time: "2027-02-15T11:00:00.000Z"
      })
      for (const [status, becomes] of [
        ["NO_SHOW", "COMPLETED"],
        ["RESCHEDULED", "SCHEDULED"],
        ["CANCELLED", "COMPLETED"],
        ["SCHEDULED", "SCHEDULED"]
      ]) {
        assert.strictEqual((yield* patch(call, "meeting", id, { status })).status, becomes, status)
      }
      const wrong = yield* call("PATCH", at("meeting", id), { body: { meeting_url: "https://meet.example/1" } })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["meeting_url"])
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // leads

  it.effect("a lead is made with the person and the organization it hangs on", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const made = yield* create(call, "lead", {
        first_name: "Ada",
        last_name: "King",
        company: "Ockham Park",
        title: "Countess",
        email_addresses: [{ email_address: "ada@ockham.example", email_address_type: "HOME" }]
      })
      assert.deepInclude(made, {
        name: "Ada King, Ockham Park",
        first_name: "Ada",
        last_name: "King",
        company: "Ockham Park",
        title: "Countess",
        status: "OPEN",
        lead_source: "API"
      })
      const person = yield* read(call, "contact", made.contact)
      assert.deepInclude(person, { first_name: "Ada", last_name: "King", title: "Countess" })
      assert.deepStrictEqual(person.email_addresses, made.email_addresses)
      assert.strictEqual((yield* read(call, "company", made.account)).name, "Ockham Park")
    })
  )

  it.effect("a lead that is put on a person and an organization says what is so, and changes nothing of them", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const person = {
        first_name: "Ada",
        last_name: "King",
        title: "Countess",
        addresses: [{ street_1: "1 Ockham Lane", city: "Ockham" }],
        email_addresses: [{ email_address: "ada@king.example", email_address_type: "WORK" }],
        phone_numbers: [{ phone_number: "+44 1483 555 0101" }]
      }
      const contact = yield* create(call, "contact", person)
      const company = yield* create(call, "company", { name: "Ockham Park" })
      const links = { contact: contact.remote_id, account: company.remote_id }
      const other = {
        first_name: "Augusta",
        last_name: "Lovelace",
        addresses: [{ street_1: "2 Ockham Lane" }],
        email_addresses: [{ email_address: "augusta@king.example" }],
        phone_numbers: []
      }
      const body = { ...other, title: person.title, ...links }
      const errors = errorsOf(yield* call("POST", at("lead"), { body, headers: strict }))
      assert.sameMembers(Object.keys(errors), Object.keys(other))
      assert.strictEqual(errors.last_name, 'belongs to the contact, where it is "King"; change it there')
      const renamed = yield* call("POST", at("lead"), {
        body: { ...person, ...links, company: "Ockham Hall" },
        headers: strict
      })
      assert.deepStrictEqual(errorsOf(renamed), {
        company: 'belongs to the account, where it is "Ockham Park"; change it there'
      })
      const lead = yield* create(call, "lead", { ...person, ...links, company: "Ockham Park" })
      assert.deepInclude(lead, { ...links, first_name: "Ada" })
      const one = yield* create(call, "contact", { last_name: "Prince" })
      const moved = { contact: one.remote_id, last_name: "Prince" }
      const wrong = yield* call("PATCH", at("lead", lead.remote_id), {
        body: { ...moved, title: "Consort" },
        headers: strict
      })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["title"])
      assert.deepInclude(yield* create(call, "lead", moved), { ...moved, first_name: null, name: "Prince" })
      const held = yield* call("POST", at("lead"), { body })
      assert.include(recordOf(held), { first_name: "Ada", last_name: "King" })
      assert.includeMembers([...warned(held)], ["first_name CHANGED", "last_name CHANGED"])
      assert.deepStrictEqual(yield* read(call, "contact", contact.remote_id), contact)
      assert.deepStrictEqual(yield* read(call, "company", company.remote_id), company)
    })
  )

  it.effect("a lead of an organization alone takes back what was read, and a last name makes its person", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const lead = yield* first(call, "lead", ({ contact, last_name }) => contact === null && last_name === null)
      const replaced = yield* call("PUT", at("lead", lead.remote_id), { body: { ...lead, last_name: "Noel" } })
      const { contact, ...rest } = recordOf(replaced)
      assert.deepInclude(rest, { last_name: "Noel", account: lead.account, company: lead.company })
      assert.strictEqual((yield* read(call, "contact", contact)).last_name, "Noel")
    })
  )

  it.effect("a lead hangs on something: its last link is not cleared", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const lead = yield* create(call, "lead", { last_name: "King" })
      const none = yield* call("PATCH", at("lead", lead.remote_id), { body: { contact: null } })
      assert.deepStrictEqual(Object.keys(errorsOf(none)), ["contact"])
    })
  )

  it.effect("what is written of a lead's person and organization is written to them, and only what differs", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const phone_numbers = [{ phone_number: "+44 1483 555 0101", phone_number_type: "WORK" }]
      const person = { first_name: "Ada", last_name: "King", title: "Countess", phone_numbers }
      const contact = yield* create(call, "contact", person)
      const company = yield* create(call, "company", { name: "Ockham Park" })
      const lead = yield* create(call, "lead", {
        last_name: "King",
        contact: contact.remote_id,
        account: company.remote_id,
        company: "Ockham Park"
      })
      assert.deepInclude(lead, {
        name: "Ada King, Ockham Park",
        first_name: "Ada",
        last_name: "King",
        title: "Countess",
        company: "Ockham Park",
        contact: contact.remote_id,
        account: company.remote_id
      })
      const id = lead.remote_id
      const persons = Effect.map(allOf(caller, "persons"), ({ length }) => length)
      const organizations = Effect.map(allOf(caller, "organizations"), ({ length }) => length)
      const before = [yield* persons, yield* organizations]
      const changed = yield* patch(call, "lead", id, { first_name: "Augusta", company: "Ockham Hall" })
      assert.deepInclude(changed, { first_name: "Augusta", last_name: "King", company: "Ockham Hall" })
      assert.deepInclude(yield* read(call, "contact", contact.remote_id), { first_name: "Augusta", last_name: "King" })
      assert.strictEqual((yield* read(call, "company", company.remote_id)).name, "Ockham Hall")

      // a full body without the links keeps the person, and the organization that it names
      const full = { last_name: "King", company: "Ockham Hall", name: "Renewal" }
      const replaced = recordOf(yield* call("PUT", at("lead", id), { body: full }))
      assert.deepInclude(replaced, {
        ...full,
        // what is left out is the person's, and stays
        first_name: "Augusta",
        title: "Countess",
        contact: contact.remote_id,
        account: company.remote_id
      })
      assert.deepStrictEqual(replaced.phone_numbers, phone_numbers)
      assert.deepStrictEqual([yield* persons, yield* organizations], before)

      const alone = yield* patch(call, "lead", id, { company: null })
      assert.deepInclude(alone, { company: null, account: null, contact: contact.remote_id })
      assert.strictEqual((yield* read(call, "company", company.remote_id)).name, "Ockham Hall", "it is still there")
      const again = yield* patch(call, "lead", id, { company: "Horsley Towers" })
      assert.strictEqual(again.company, "Horsley Towers")
      assert.notStrictEqual(again.account, company.remote_id)
    })
  )

  it.effect("a lead that is closed is archived, and listed after the others", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const closed = yield* create(call, "lead", { last_name: "King", status: "CLOSED" })
      assert.strictEqual(closed.status, "CLOSED")
      assert.isTrue((yield* kept(caller, "leads", closed.remote_id)).is_archived)
      const { records } = yield* walk(call, at("lead"), 30)
      const states = records.map(({ status }) => status)
      assert.strictEqual(records.at(-1)?.remote_id, closed.remote_id)
      assert.strictEqual(states.lastIndexOf("OPEN") + 1, states.indexOf("CLOSED"))
      assert.strictEqual((yield* allOf(caller, "leads")).length, records.length)
      assert.strictEqual((yield* patch(call, "lead", closed.remote_id, { status: "QUALIFIED" })).status, "OPEN")
      assert.strictEqual((yield* patch(call, "lead", closed.remote_id, { status: "UNQUALIFIED" })).status, "CLOSED")
    })
  )

  it.effect("a lead whose person or organization was deleted is listed without it", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const lead = yield* create(call, "lead", { last_name: "King", company: "Ockham Park" })
      yield* call("DELETE", at("contact", lead.contact))
      const left = yield* read(call, "lead", lead.remote_id)
      assert.deepInclude(left, { contact: lead.contact, last_name: null, company: "Ockham Park" })
      const wrong = yield* call("PATCH", at("lead", lead.remote_id), { body: { last_name: "Noel" } })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["contact"])
    })
  )

  it.effect("a refusal of a lead's parts names the lead's fields, and says what was done before it", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const persons = Effect.map(walk(call, at("contact")), ({ records }) => records.length)
      const before = yield* persons
      const title = yield* call("POST", at("lead"), { body: { last_name: "King", title: "x".repeat(300) } })
      assert.deepStrictEqual(Object.keys(errorsOf(title)), ["title"])
      assert.isUndefined(failureOf(title).provider?.done)
      const name = yield* call("POST", at("lead"), { body: { last_name: "King", name: "x".repeat(300) } })
      assert.deepStrictEqual(Object.keys(errorsOf(name)), ["name"])
      // the person made for it is gone again
      assert.isUndefined(failureOf(name).provider?.done)
      assert.strictEqual(yield* persons, before)
      const faults = yield* Faults
      yield* faults.add({ provider: "pipedrive", path: "/api/v2/persons/", does: { kind: "status", status: 403 } })
      const left = failureOf(yield* call("POST", at("lead"), { body: { last_name: "King", name: "x".repeat(300) } }))
      yield* faults.clear
      assert.deepStrictEqual(left.provider?.done, ["person"])
      const contact = yield* call("POST", at("lead"), { body: { last_name: "King", contact: "999999" } })
      assert.deepStrictEqual(Object.keys(errorsOf(contact)), ["contact"])
      const source = yield* call("POST", at("lead"), {
        body: { last_name: "King", lead_source: "Web" },
        headers: strict
      })
      assert.deepStrictEqual(Object.keys(errorsOf(source)), ["lead_source"])
      assert.deepStrictEqual(refusalOf(yield* call("GET", at("lead", "12"))), [404, "LEAD_NOT_FOUND"])
    })
  )

  it.effect("a page of leads takes one call for all persons and one for all organizations", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      yield* call("GET", at("lead"))
      const faults = yield* Faults
      // whatever comes after the two calls of a page would meet this
      yield* faults.add({ provider: "pipedrive", path: "/api/v2", does: { kind: "status", status: 403 }, skip: 2 })
      const page = pageOf(yield* call("GET", `${at("lead")}&limit=100`))
      yield* faults.clear
      assert.isAbove(page.data.filter(({ last_name }) => last_name !== null).length, 10)
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // deals

  it.effect("close_date of a closed deal is its day in the account's time zone, and the same day writes nothing", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      yield* Effect.flatMap(SimulationStore, (store) =>
        store.run("pipedrive", caller.connections.pipedrive ?? "", (account) => setTimeZone(account, "Asia/Tokyo"))
      )
      const { remote_id: id } = yield* create(call, "deal", { name: "Desks", status: "WON", close_date: "2026-11-18" })
      yield* edit(caller, "deals", id, { won_time: "2026-11-18T16:00:00Z" })
      assert.strictEqual((yield* read(call, "deal", id)).close_date, "2026-11-19")
      yield* patch(call, "deal", id, { close_date: "2026-11-19" })
      assert.strictEqual((yield* kept(caller, "deals", id)).won_time, "2026-11-18T16:00:00Z")
      yield* patch(call, "deal", id, { close_date: "2026-11-17" })
      assert.deepInclude(yield* kept(caller, "deals", id), {
        won_time: "2026-11-16T15:00:00Z",
        local_won_date: "2026-11-17"
      })
    })
  )

  it.effect("close_date is the expected day while a deal is open, then the day it closed on", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const { remote_id: id } = yield* create(call, "deal", { name: "Desks", close_date: "2027-03-31" })
      const native = Effect.map(kept(caller, "deals", id), ({ expected_close_date, lost_time, status, won_time }) => ({
        expected_close_date,
        lost_time,
        status,
        won_time
      }))
      const won = yield* patch(call, "deal", id, { status: "WON" })
      assert.deepInclude(won, { status: "WON", close_date: "2026-11-20" })
      const { won_time, ...rest } = yield* native
      assert.deepStrictEqual(rest, { expected_close_date: "2027-03-31", lost_time: null, status: "won" })
      assert.match(String(won_time), /^2026-11-20T09:\d\d:\d\dZ$/)
      // the day as it is keeps the hour
      yield* patch(call, "deal", id, { close_date: "2026-11-20", name: "More desks" })
      assert.strictEqual((yield* native).won_time, won_time)
      assert.strictEqual((yield* patch(call, "deal", id, { close_date: "2026-11-18" })).close_date, "2026-11-18")
      assert.strictEqual((yield* native).won_time, "2026-11-18T00:00:00Z")
      const open = yield* patch(call, "deal", id, { status: "OPEN" })
      assert.deepInclude(open, { status: "OPEN", close_date: "2027-03-31" })
      const lost = yield* patch(call, "deal", id, { status: "LOST", close_date: "2026-11-01" })
      assert.deepInclude(lost, { status: "LOST", close_date: "2026-11-01" })
    })
  )

  it.effect("pipeline, stage and status of a deal stay when they are left out, and cannot be cleared", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const pipelines = (yield* walk(call, at("pipeline"))).records
      const [sales, renewals] = pipelines
      assert.deepStrictEqual(
        pipelines.map(({ is_default }) => is_default),
        [true, false]
      )
      const [stage] = listOf(renewals?.stages)
      assert.deepStrictEqual(
        listOf(renewals?.stages).map(({ display_order }) => display_order),
        listOf(renewals?.stages).map((_, i) => i)
      )
      assert.deepInclude(stage, { name: "Renewal Upcoming", probability: 0.5, status: "OPEN", display_order: 0 })
      const made = yield* create(call, "deal", { name: "Desks", stage: stage?.remote_id, currency: "SEK" })
      assert.deepInclude(made, { pipeline: renewals?.remote_id, currency: "SEK", status: "OPEN" })
      const replaced = recordOf(yield* call("PUT", at("deal", made.remote_id), { body: { name: "Desks" } }))
      assert.deepInclude(replaced, { pipeline: renewals?.remote_id, stage: stage?.remote_id, currency: "SEK" })
      for (const name of ["pipeline", "stage", "status", "owner", "currency"]) {
        const answer = yield* call("PATCH", at("deal", made.remote_id), { body: { [name]: null } })
        assert.deepStrictEqual(Object.keys(errorsOf(answer)), [name])
      }
      const both = { pipeline: sales?.remote_id, stage: stage?.remote_id }
      const answer = yield* call("PATCH", at("deal", made.remote_id), { body: both })
      assert.deepStrictEqual(Object.keys(errorsOf(answer)), ["stage"])
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // contacts and companies

  it.effect("a name in one word is the last name, and parts of a name are written one by one", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const { remote_id: id } = yield* create(call, "contact", { last_name: "Byron" })
      const name = Effect.map(kept(caller, "persons", id), (record) => record.name)
      assert.deepInclude(yield* read(call, "contact", id), { first_name: null, last_name: "Byron" })
      yield* patch(call, "contact", id, { first_name: "Ada" })
      assert.strictEqual(yield* name, "Ada Byron")
      yield* patch(call, "contact", id, { last_name: "King" })
      assert.strictEqual(yield* name, "Ada King")
      const cleared = yield* patch(call, "contact", id, { first_name: null })
      assert.deepInclude(cleared, { first_name: null, last_name: "King" })
      const nameless = yield* call("PATCH", at("contact", id), { body: { last_name: null } })
      assert.deepStrictEqual(Object.keys(errorsOf(nameless)), ["last_name"])
    })
  )

  it.effect("email addresses: the primary one first, labels in capitals", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const { remote_id: id } = yield* create(call, "contact", { last_name: "King" })
      yield* edit(caller, "persons", id, {
        emails: [
          { value: "second@ockham.example", primary: false, label: "home" },
          { value: "", primary: false, label: "work" },
          { value: "first@ockham.example", primary: true, label: "work" }
        ]
      })
      const expected = [
        { email_address: "first@ockham.example", email_address_type: "WORK" },
        { email_address: "second@ockham.example", email_address_type: "HOME" }
      ]
      assert.deepStrictEqual((yield* read(call, "contact", id)).email_addresses, expected)
      yield* patch(call, "contact", id, { email_addresses: expected.toReversed() })
      assert.deepStrictEqual((yield* kept(caller, "persons", id)).emails, [
        { value: "second@ockham.example", primary: true, label: "home" },
        { value: "first@ockham.example", primary: false, label: "work" }
      ])
    })
  )

  it.effect("addresses: components where a map knows them, else the line; what did not change stays", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const company = yield* first(call, "company", ({ addresses }) => listOf(addresses).length > 0)
      const id = company.remote_id
      const before = (yield* kept(caller, "organizations", id)).address
      assert.property(before, "street_number")
      const renamed = yield* patch(call, "company", id, { name: "Renamed", addresses: company.addresses })
      assert.strictEqual(renamed.name, "Renamed")
      assert.deepStrictEqual((yield* kept(caller, "organizations", id)).address, before)

      yield* edit(caller, "organizations", id, { address: { value: "The old mill, by the river" } })
      const [line] = listOf((yield* read(call, "company", id)).addresses)
      assert.deepInclude(line, { street_1: "The old mill, by the river", city: null, address_type: null })

      yield* patch(call, "company", id, { addresses: [{ street_1: "1 Dorset Street", city: "London", country: "GB" }] })
      assert.deepInclude((yield* kept(caller, "organizations", id)).address, {
        value: "1 Dorset Street, London, GB",
        route: "1 Dorset Street",
        street_number: null,
        locality: "London",
        country: "GB"
      })
      for (const [addresses, path] of [
        [[{ city: "London" }, { city: "Leeds" }], "addresses.1"],
        [[{ city: "London", address_type: "BILLING" }], "addresses.0.address_type"]
      ] as const) {
        const answer: Answer = yield* call("PATCH", at("company", id), { body: { addresses }, headers: strict })
        assert.deepStrictEqual(Object.keys(errorsOf(answer)), [path])
        const held: Answer = yield* call("PATCH", at("company", id), { body: { name: path, addresses } })
        assert.deepStrictEqual(warned(held), [`${path} NOT_HELD`])
      }
      // no entry says anything, and only an empty list clears
      const empty = yield* call("PATCH", at("company", id), { body: { addresses: [{ street_1: "" }] } })
      assert.deepStrictEqual(Object.keys(errorsOf(empty)), ["addresses.0"])
    })
  )

  it.effect("an industry is written by its label", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const { industry, remote_id: id } = yield* create(call, "company", { name: "Mill", industry: "Textiles" })
      assert.strictEqual(industry, "Textiles")
      assert.isNumber((yield* kept(caller, "organizations", id)).industry)
      const answer = yield* call("PATCH", at("company", id), { body: { industry: "Weaving" } })
      assert.match(errorsOf(answer).industry ?? "", /^must be one of .*Textiles/)
      for (const [name, value] of [
        ["description", "Weaves."],
        ["phone_numbers", [{ phone_number: "1" }]]
      ] as const) {
        const refused = yield* call("PATCH", at("company", id), { body: { [name]: value } })
        assert.deepStrictEqual(Object.keys(errorsOf(refused)), [name])
      }
    })
  )

  it.effect("custom fields by their keys, also those that begin with a digit", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const { remote_data } = recordOf(
        yield* call("GET", `${at("contact", (yield* first(call, "contact")).remote_id)}&include_remote_data=true`)
      )
      const custom: unknown = Object.getOwnPropertyDescriptor(remote_data, "custom_fields")?.value
      if (typeof custom !== "object" || custom === null) throw new Error("no custom fields")
      const keys = Object.keys(custom)
      const sent: { [name: string]: string } = {}
      const texts: Array<string> = []
      // which of them take text, the provider says
      for (const key of keys) {
        const answer = yield* call("POST", at("contact"), {
          body: { last_name: "King", integration_params: { [key]: "K-1" } }
        })
        if (answer.status === 201) texts.push(key)
        else assert.deepStrictEqual(Object.keys(errorsOf(answer)), [`integration_params.${key}`])
      }
      assert.isAtLeast(texts.length, 2)
      const digit = {
        provider: "pipedrive",
        resource: "company",
        field: "own",
        native_field: "5c67a86b10ceb2e9219d42c42c4b3acb27961769"
      }
      assert.strictEqual((yield* call("PUT", "/field-mappings", { body: digit })).status, 200)
      for (const [i, key] of texts.entries()) {
        const body = { provider: "pipedrive", resource: "contact", field: `own_${i}`, native_field: key }
        assert.strictEqual((yield* call("PUT", "/field-mappings", { body })).status, 200)
        sent[`own_${i}`] = `K-${i}`
      }
      const made = yield* create(call, "contact", { last_name: "King", custom_fields: sent })
      assert.deepStrictEqual(made.custom_fields, sent)
      const changed = yield* patch(call, "contact", made.remote_id, { custom_fields: { own_0: "other" } })
      assert.deepStrictEqual(changed.custom_fields, { ...sent, own_0: "other" })
      const listed = (yield* walk(call, at("contact"))).records.find(({ remote_id }) => remote_id === made.remote_id)
      assert.deepStrictEqual(listed?.custom_fields, changed.custom_fields)
      const replaced = recordOf(yield* call("PUT", at("contact", made.remote_id), { body: { last_name: "King" } }))
      for (const value of Object.values(replaced.custom_fields ?? {})) assert.isNull(value)
    })
  )

  // -------------------------------------------------------------------------------------------------------------------
  // the rest

  it.effect("owners: users with their names in two", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const { records } = yield* walk(call, at("owner"))
      const gone = records.find(({ is_active }) => is_active === false)
      assert.deepInclude(gone, { name: "Patrick O'Rourke", first_name: "Patrick", last_name: "O'Rourke" })
      assert.match(String(gone?.remote_created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
      for (const id of ["x", "1"]) {
        assert.deepStrictEqual(refusalOf(yield* call("GET", at("owner", id))), [404, "OWNER_NOT_FOUND"])
        assert.deepStrictEqual(refusalOf(yield* call("GET", at("pipeline", `9${id}`))), [404, "PIPELINE_NOT_FOUND"])
      }
    })
  )

  it.effect("a note is on something, and stays when only a part of it is written", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const lead = yield* first(call, "lead")
      for (const name of ["contact", "account", "opportunity"]) {
        const wrong = yield* call("POST", at("note"), { body: { content: "Hm", [name]: "999999" } })
        assert.deepStrictEqual(Object.keys(errorsOf(wrong)), [name])
      }
      const nowhere = yield* call("POST", at("note"), { body: { content: "Hm" } })
      assert.deepStrictEqual(Object.keys(errorsOf(nowhere)), ["contact"])
      const note = yield* create(call, "note", { content: "<p>Hm</p>", lead: lead.remote_id })
      assert.deepInclude(note, { content: "<p>Hm</p>", lead: lead.remote_id, contact: null })
      const changed = yield* patch(call, "note", note.remote_id, { content: "Oh" })
      assert.deepInclude(changed, { content: "Oh", lead: lead.remote_id })
      // Pipedrive knows no null there: a note is moved, or put on more, and never taken off
      for (const body of [{ lead: null }, { content: null }]) {
        const off = yield* call("PATCH", at("note", note.remote_id), { body })
        assert.deepStrictEqual([off.status, Object.keys(errorsOf(off))], [422, Object.keys(body)])
      }
      const { remote_id: contact } = yield* first(call, "contact")
      const moved = yield* patch(call, "note", note.remote_id, { contact, account: null })
      assert.deepInclude(moved, { contact, lead: lead.remote_id, account: null })
      const whole = recordOf(yield* call("PUT", at("note", note.remote_id), { body: { content: "Whole", contact } }))
      assert.deepInclude(whole, { content: "Whole", contact, lead: lead.remote_id })
      const title = yield* call("PATCH", at("note", note.remote_id), { body: { title: "Hm" } })
      assert.deepStrictEqual(Object.keys(errorsOf(title)), ["title"])
    })
  )
})
