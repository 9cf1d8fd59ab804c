import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import type { Body } from "../../../src/mapping/Encode.ts"
import type { Native } from "../../../src/mapping/Mapping.ts"
import { appointment } from "../../../src/providers/salesforce/Appointment.ts"
import { lead } from "../../../src/providers/salesforce/Lead.ts"
import { Missing, NotPermitted, ProviderError } from "../../../src/providers/ProviderError.ts"
import {
  errorsOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { connection, context, encoded, lenient, orgOf, refused, silent, variantOf } from "./support.ts"

describe("leads", () => {
  const variant = variantOf(crm.lead, lead(silent))
  const held = (record: Native) => ({ nativeType: "Lead", record: { Id: "00Q000000000001AAA", ...record } })

  it("have the org's own statuses, of which each means one of ours", () => {
    const meaning = (Status: string | null, IsConverted = false) =>
      variant.decode(held({ Status, IsConverted }), context).status
    const statuses = [
      "Open - Not Contacted",
      "Working",
      "Nurturing",
      "Closed - Not Converted",
      "Qualified",
      "Unqualified"
    ]
    assert.deepEqual(
      statuses.map((one) => meaning(one)),
      ["OPEN", "OPEN", "OPEN", "CLOSED", "QUALIFIED", "UNQUALIFIED"]
    )
    assert.strictEqual(meaning("Closed - Converted", true), "QUALIFIED")
    assert.isNull(meaning(null))
  })

  it("take the closest status that the org has, and never one of converted leads", () => {
    const written = (status: string, current?: Native, names?: ReadonlyArray<string>) =>
      lenient(
        variant,
        { status, title: "Countess" },
        current === undefined ? "create" : "patch",
        current === undefined ? undefined : held(current),
        ...(names === undefined ? [] : [{ leadStatuses: names.map((ApiName) => ({ ApiName, IsConverted: false })) }])
      ).record.Status
    assert.strictEqual(written("OPEN"), "Open - Not Contacted")
    assert.strictEqual(written("CLOSED"), "Closed - Not Converted")
    assert.strictEqual(written("UNQUALIFIED"), "Closed - Not Converted")
    assert.strictEqual(written("QUALIFIED"), "Open - Not Contacted")
    assert.isUndefined(written("OPEN", { Status: "Working - Contacted" }), "an open one stays as it is")
    assert.isUndefined(written("QUALIFIED", { Status: "Working - Contacted" }))
    assert.isUndefined(written("QUALIFIED", { Status: "Closed - Converted", IsConverted: true }))
    const modern = ["New", "Nurturing", "Unqualified", "Qualified"]
    assert.strictEqual(written("QUALIFIED", { Status: "New" }, modern), "Qualified")
    assert.strictEqual(written("CLOSED", { Status: "New" }, modern), "Unqualified")
    assert.deepEqual(refused(variant, { status: null }, "patch", held({ Status: "New" })), ["status"])
    assert.isUndefined(written("CLOSED", { Status: "New" }, ["New"]), "no status comes closer")
    assert.deepEqual(lenient(variant, { status: "UNQUALIFIED" }, "create").said, ["status STATUS_NOT_REACHED"])
    assert.deepEqual(refused(variant, { status: "UNQUALIFIED" }, "create"), ["status"])
  })

  it("have a name made of others, and what they were converted to", () => {
    assert.deepEqual(refused(variant, { name: "An engine", account: "001000000000001AAA" }, "create"), [
      "account",
      "name"
    ])
    const now = held({ Name: "Ada King", FirstName: "Ada", LastName: "King" })
    // what it is called anyway may be said
    assert.deepEqual(encoded(variant, { name: "Ada King", first_name: "Ada", last_name: "King" }, "create").record, {
      FirstName: "Ada",
      LastName: "King"
    })
    assert.deepEqual(encoded(variant, { name: "Ada King", title: "Countess" }, "patch", now).record, {
      Title: "Countess"
    })
    assert.deepEqual(encoded(variant, { name: "Ada Byron", last_name: "Byron" }, "patch", now).record, {
      LastName: "Byron"
    })
    assert.deepEqual(refused(variant, { name: "An engine", title: "Countess" }, "patch", now), ["name"])
    const read = variant.decode(
      held({
        Name: "Ada King",
        ConvertedDate: "2026-05-04",
        ConvertedAccountId: "001000000000001AAA",
        ConvertedContactId: "003000000000001AAA"
      }),
      context
    )
    assert.deepInclude(read, {
      name: "Ada King",
      converted_date: "2026-05-04T00:00:00.000Z",
      converted_account: "001000000000001AAA",
      converted_contact: "003000000000001AAA"
    })
  })
})

describe("appointments", () => {
  const variant = variantOf(crm.appointment, appointment(silent))
  const account = "001000000000001AAA"
  const held = (record: Native) => ({
    nativeType: "ServiceAppointment",
    record: { Id: "08p000000000001AAA", ...record }
  })
  const [nine, ten, eleven] = ["09", "10", "11"].map((hour) => `2027-02-15T${hour}:00:00.000Z`)

  it("lie within the time that they may take, which is widened where needed", () => {
    const start_time = nine
    const end_time = eleven
    assert.deepEqual(encoded(variant, { start_time, end_time, account }, "create").record, {
      SchedStartTime: nine,
      EarliestStartTime: nine,
      SchedEndTime: eleven,
      DueDate: eleven,
      ParentRecordId: account
    })
    assert.deepEqual(encoded(variant, { start_time, account }, "create").record, {
      SchedStartTime: nine,
      EarliestStartTime: nine,
      DueDate: nine,
      ParentRecordId: account
    })
    const window = (EarliestStartTime: unknown, DueDate: unknown, body: Body) =>
      encoded(variant, body, "patch", held({ EarliestStartTime, DueDate })).record
    const [native] = ["2027-02-15T10:00:00.000+0000"]
    assert.deepEqual(window(native, native, { start_time: ten }), { SchedStartTime: ten })
    assert.deepEqual(window(native, native, { start_time: nine, end_time: eleven }), {
      SchedStartTime: nine,
      EarliestStartTime: nine,
      SchedEndTime: eleven,
      DueDate: eleven
    })
    assert.deepEqual(window(native, native, { end_time: null }), { SchedEndTime: null })
  })

  it("have a status by its category; without one they have none", () => {
    const read = (StatusCategory: string) => variant.decode(held({ StatusCategory }), context).status
    const categories = ["None", "Scheduled", "Dispatched", "InProgress", "Completed", "CannotComplete", "Canceled"]
    assert.deepEqual(categories.map(read), [
      null,
      "SCHEDULED",
      "SCHEDULED",
      "SCHEDULED",
      "COMPLETED",
      "NO_SHOW",
      "CANCELLED"
    ])
    const written = (status: string | null, StatusCategory: string) =>
      lenient(variant, { status }, "patch", held({ StatusCategory })).record
    assert.deepEqual(written("SCHEDULED", "Dispatched"), {})
    assert.deepEqual(written("NO_SHOW", "Dispatched"), { Status: "Cannot Complete" })
    assert.deepEqual(written("RESCHEDULED", "Completed"), { Status: "Scheduled" })
    assert.deepEqual(written(null, "Completed"), { Status: "None" })
    assert.deepEqual(refused(variant, { status: "RESCHEDULED" }, "patch", held({})), ["status"])
  })

  it("have an address in one line, which stays in its parts until it is written", () => {
    const now = held({ Street: "12 Dock Road", City: "Hamburg", State: null, Country: "DE" })
    assert.strictEqual(variant.decode(now, context).location, "12 Dock Road, Hamburg, DE")
    assert.deepEqual(encoded(variant, { location: "12 Dock Road, Hamburg, DE" }, "patch", now).record, {})
    assert.deepEqual(encoded(variant, { location: "Ockham Park" }, "patch", now).record, {
      Street: "Ockham Park",
      City: null,
      State: null,
      PostalCode: null,
      Country: null
    })
  })

  it("are for the account of their contact where they name none", () => {
    const known = { accountOfContact: account }
    assert.deepEqual(lenient(variant, { subject: "Tea" }, "create", undefined, known), {
      record: { Subject: "Tea", ParentRecordId: account },
      said: ["account CHANGED"]
    })
    assert.deepEqual(refused(variant, { subject: "Tea" }, "create", undefined, {}), ["account"])
  })

  it("stay with the record they were made for", () => {
    const read = (record: Native) => variant.decode(held(record), context).account
    assert.strictEqual(read({ ParentRecordId: account, AccountId: null }), account)
    assert.strictEqual(read({ ParentRecordId: "0WO000000000001AAA", AccountId: account }), account)
    assert.isNull(read({ ParentRecordId: "006000000000001AAA", AccountId: null }))
    const now = held({ ParentRecordId: account })
    assert.deepEqual(encoded(variant, { account }, "patch", now).record, {})
    assert.deepEqual(refused(variant, { account: "001000000000002AAA" }, "patch", now), ["account"])
    assert.deepEqual(refused(variant, { account: null }, "patch", now), ["account"])
    assert.deepEqual(refused(variant, { account: "006000000000001AAA" }, "create"), ["account"])
  })

  it.effect("are not there in an org without the add-on", () =>
    Effect.gen(function* () {
      const { org } = yield* orgOf(
        ({ operation }) => new ProviderError({ provider: "salesforce", operation, reason: new Missing(), status: 404 })
      )
      const get = appointment(org).get ?? (() => Effect.dieMessage("no get"))
      const error = yield* Effect.flip(get({ connection, variant, id: "08p000000000001AAA" }))
      assert.deepEqual(
        error.reason,
        new NotPermitted({ lacks: [{ kind: "module", name: "Salesforce Scheduler or Field Service" }] })
      )
    })
  )
})

layer(sandboxApplication(), { timeout: "60 seconds" })("Salesforce leads and appointments", (it) => {
  it.effect("a converted lead is read and cannot be changed", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["salesforce"])
      const { records } = yield* walk(call, "/crm/lead?provider=salesforce")
      const converted = records.find(({ converted_date }) => converted_date !== null)
      assert.strictEqual(converted?.status, "QUALIFIED")
      assert.isString(converted?.converted_contact)
      assert.isString(converted?.converted_account)
      const one = `/crm/lead/${String(converted?.remote_id)}?provider=salesforce`
      assert.deepEqual(refusalOf(yield* call("PATCH", one, { body: { title: "x" } })), [409, "CONFLICT"])
    })
  )

  it.effect("what Salesforce refuses is said of the field", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["salesforce"])
      const errors = (resource: string, body: Native) =>
        Effect.map(call("POST", `/crm/${resource}?provider=salesforce`, { body }), (answer) =>
          Object.keys(errorsOf(answer))
        )
      const least = { last_name: "King", company: "Ockham Park" }
      assert.deepEqual(yield* errors("lead", { ...least, title: "x".repeat(200) }), ["title"])
      assert.deepEqual(yield* errors("lead", { ...least, email_addresses: [{ email_address: "nope" }] }), [
        "email_addresses"
      ])
      assert.deepEqual(yield* errors("lead", { last_name: "King" }), ["company"])
      assert.deepEqual(yield* errors("lead", { ...least, integration_params: { Nope__c: 1 } }), [
        "integration_params.Nope__c"
      ])
      const companies = pageOf(yield* call("GET", "/crm/company?provider=salesforce&limit=1")).data
      const booked = { subject: "Fitting", account: companies[0]?.remote_id, start_time: "2027-02-15T09:00:00Z" }
      assert.deepEqual(yield* errors("appointment", { ...booked, end_time: "2027-02-15T08:00:00Z" }), ["end_time"])
      assert.deepEqual(yield* errors("appointment", { ...booked, service: "nope" }), ["service"])
      assert.deepEqual(yield* errors("appointment", { ...booked, contact: booked.account }), ["contact"])
      assert.deepEqual(yield* errors("appointment", { subject: "Fitting", start_time: booked.start_time }), ["account"])
    })
  )

  it.effect("a reference to a record that was deleted is refused, and not taken for the record itself", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["salesforce"])
      const path = (resource: string) => `/crm/${resource}?provider=salesforce`
      const account = recordOf(yield* call("POST", path("company"), { body: { name: "Gone" } })).remote_id
      yield* call("DELETE", `/crm/company/${String(account)}?provider=salesforce`)
      const body = { last_name: "Noel", account }
      assert.deepEqual(refusalOf(yield* call("POST", path("contact"), { body })), [422, "VALIDATION_FAILED"])
    })
  )
})
