import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import type { Native } from "../../../src/mapping/Mapping.ts"
import { activity } from "../../../src/providers/salesforce/Activity.ts"
import { meeting } from "../../../src/providers/salesforce/Meeting.ts"
import { task } from "../../../src/providers/salesforce/Task.ts"
import {
  errorsOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { strictly as strict } from "../../support/Warnings.ts"
import {
  connection,
  context,
  encoded,
  encodeWith,
  lenient,
  objects,
  orgOf,
  refused,
  silent,
  variantOf
} from "./support.ts"

const [account, otherAccount] = ["001000000000001AAA", "001000000000002AAA"]
const [contact, second, third] = ["003000000000001AAA", "003000000000002AAA", "003000000000003AAA"]
const opportunity = "006000000000001AAA"
const lead = "00Q000000000001AAA"
const campaign = "701000000000001AAA"

const held = (record: Native) => ({ nativeType: "Task", record: { Id: "00T000000000001AAA", ...record } })

describe("what an activity is about", () => {
  const variant = variantOf(crm.task, task(silent))
  const patch = (record: Native, body: Native) => encoded(variant, body, "patch", held(record)).record
  const replaced = (record: Native, body: Native) =>
    encoded(variant, { subject: "Ring", ...body }, "replace", held(record)).record.WhatId

  it("an account or an opportunity, which wins and has its account", () => {
    assert.deepEqual(encoded(variant, { account }, "create").record, { WhatId: account })
    assert.deepEqual(encoded(variant, { opportunity }, "create").record, { WhatId: opportunity })
    assert.deepEqual(encoded(variant, { account, opportunity }, "create").record, { WhatId: opportunity })
    const about = (record: Native) => {
      const read = variant.decode(held(record), context)
      return [read.account, read.opportunity]
    }
    assert.deepEqual(about({ WhatId: opportunity, AccountId: account }), [account, opportunity])
    assert.deepEqual(about({ WhatId: account, AccountId: account }), [account, null])
    assert.deepEqual(about({ WhatId: campaign, AccountId: null }), [null, null])
    assert.deepEqual(about({ WhatId: null, WhoId: contact, AccountId: account }), [account, null])
  })

  it("without its opportunity it is still about the account", () => {
    const about = { WhatId: opportunity, AccountId: account }
    assert.deepEqual(patch(about, { opportunity: null }), { WhatId: account })
    assert.deepEqual(patch(about, { opportunity: null, account: otherAccount }), { WhatId: otherAccount })
    assert.deepEqual(patch(about, { opportunity: null, account: null }), { WhatId: null })
    assert.deepEqual(patch({ WhatId: opportunity, AccountId: null }, { opportunity: null }), { WhatId: null })
    assert.deepEqual(patch({ WhatId: account, AccountId: account }, { account: null }), { WhatId: null })
  })

  it("an account takes the place of an opportunity and says so, and cannot be cleared where it follows", () => {
    const about = { WhatId: opportunity, AccountId: account }
    assert.deepEqual(refused(variant, { account: otherAccount }, "patch", held(about)), ["opportunity"])
    assert.deepEqual(lenient(variant, { account: otherAccount }, "patch", held(about)), {
      record: { WhatId: otherAccount },
      said: ["opportunity CHANGED"]
    })
    assert.deepEqual(refused(variant, { account: null }, "patch", held(about)), ["account"])
    assert.deepEqual(patch(about, { account }), {})
    const withContact = { WhatId: null, WhoId: contact, AccountId: account }
    assert.deepEqual(refused(variant, { account: null }, "patch", held(withContact)), ["account"])
    assert.deepEqual(patch(withContact, { account: null, contact: null }), { WhoId: null })
    assert.deepEqual(patch(withContact, { account: otherAccount }), { WhatId: otherAccount })
  })

  it("a full body says it all, and leaves what the model does not know", () => {
    assert.strictEqual(replaced({ WhatId: opportunity, AccountId: account }, {}), null)
    assert.strictEqual(replaced({ WhatId: opportunity, AccountId: null }, { account }), account)
    assert.strictEqual(replaced({ WhatId: opportunity, AccountId: account }, { account: otherAccount }), otherAccount)
    assert.strictEqual(replaced({ WhatId: account, AccountId: account }, { opportunity, account }), opportunity)
    assert.strictEqual(replaced({ WhatId: campaign, AccountId: null }, {}), undefined)
    assert.notProperty(encoded(variant, { subject: "Ring" }, "replace", held({ WhoId: lead })).record, "WhoId")
    assert.strictEqual(encoded(variant, { subject: "Ring" }, "replace", held({ WhoId: contact })).record.WhoId, null)
  })

  it("takes only ids of the right kind", () => {
    assert.deepEqual(refused(variant, { account: contact, opportunity: account, contact: lead }, "create"), [
      "account",
      "contact",
      "opportunity"
    ])
    assert.deepEqual(refused(variant, { account: "001", opportunity: "O'Hara" }, "create"), ["account", "opportunity"])
  })
})

describe("tasks", () => {
  const variant = variantOf(crm.task, task(silent))

  it("have the org's own statuses, and keep the one they have while it fits", () => {
    assert.deepEqual(encoded(variant, { status: "CLOSED" }, "create").record, { Status: "Completed" })
    assert.deepEqual(encoded(variant, { status: "OPEN" }, "create").record, { Status: "Not Started" })
    const deferred = held({ Status: "Deferred", IsClosed: false })
    assert.deepEqual(encoded(variant, { status: "OPEN" }, "patch", deferred).record, {})
    assert.deepEqual(encoded(variant, { status: "CLOSED" }, "patch", deferred).record, { Status: "Completed" })
    assert.deepEqual(refused(variant, { status: null }, "patch", deferred), ["status"])
    // no status means it: what it has is closest
    assert.deepEqual(lenient(variant, { status: "CLOSED" }, "create", undefined, { taskStatuses: [] }), {
      record: {},
      said: ["status STATUS_NOT_REACHED"]
    })
  })

  it("have a day, and one of three priorities", () => {
    const body = { due_date: "2027-02-15T23:30:00-05:00", priority: "HIGH" }
    // it is the next day in UTC
    assert.deepEqual(encoded(variant, body, "create").record, { ActivityDate: "2027-02-16", Priority: "High" })
    const read = variant.decode(held({ ActivityDate: "2027-02-15", Priority: "Urgent" }), context)
    assert.deepEqual([read.due_date, read.priority], ["2027-02-15T00:00:00.000Z", null])
  })
})

describe("meetings", () => {
  const variant = variantOf(crm.meeting, meeting(silent))
  const event = (record: Native) => ({ nativeType: "Event", record: { Id: "00U000000000001AAA", ...record } })
  const invited = (...ids: ReadonlyArray<string>) => ({ records: ids.map((RelationId) => ({ RelationId })) })

  it("have the event's own contact first, then who is invited, each once", () => {
    const contactsOf = (record: Native) => variant.decode(event(record), context).contacts
    assert.deepEqual(contactsOf({ WhoId: contact, EventRelations: null }), [contact])
    const shared = invited(contact, account, second, lead, "005000000000001AAA")
    assert.deepEqual(contactsOf({ WhoId: contact, EventRelations: shared }), [contact, second])
    assert.deepEqual(contactsOf({ WhoId: lead, EventRelations: invited(second) }), [second])
  })

  it("invite only where there is someone to invite", () => {
    const start = { start_time: "2027-02-15T13:00:00Z", end_time: "2027-02-15T14:00:00Z" }
    const one = encoded(variant, { ...start, contacts: [contact] }, "create")
    assert.deepEqual([one.record.WhoId, one.steps], [contact, {}])
    const two = encoded(variant, { ...start, contacts: [contact, second] }, "create")
    assert.deepEqual([two.record.WhoId, two.steps], [contact, { contacts: [contact, second] }])
    const now = event({ WhoId: contact, EventRelations: invited(second) })
    const same = encoded(variant, { contacts: [contact, second.slice(0, 15), contact] }, "patch", now)
    assert.deepEqual([same.record, same.steps], [{}, {}])
    const turned = encoded(variant, { contacts: [second, contact] }, "patch", now)
    assert.deepEqual([turned.record, turned.steps], [{ WhoId: second }, { contacts: [second, contact] }])
    const twice = encoded(variant, { contacts: [contact, contact] }, "patch", now)
    assert.deepEqual(twice.steps, { contacts: [contact] })
    const none = encoded(variant, { contacts: [] }, "patch", now)
    assert.deepEqual([none.record, none.steps], [{ WhoId: null }, { contacts: [] }])
    const withLead = encoded(
      variant,
      { contacts: null },
      "patch",
      event({ WhoId: lead, EventRelations: invited(second) })
    )
    assert.deepEqual([withLead.record, withLead.steps], [{}, { contacts: [] }])
    assert.deepEqual(refused(variant, { ...start, contacts: [contact, lead] }, "create"), ["contacts.1"])
  })

  it("keep the other end when one is moved", () => {
    const now = event({ StartDateTime: "2027-02-15T13:00:00.000+0000", EndDateTime: "2027-02-15T14:00:00.000+0000" })
    assert.deepEqual(encoded(variant, { start_time: "2027-02-15T12:00:00Z" }, "patch", now).record, {
      StartDateTime: "2027-02-15T12:00:00Z",
      EndDateTime: "2027-02-15T14:00:00.000+0000"
    })
    assert.deepEqual(encoded(variant, { end_time: "2027-02-15T15:00:00Z" }, "patch", now).record, {
      StartDateTime: "2027-02-15T13:00:00.000+0000",
      EndDateTime: "2027-02-15T15:00:00Z"
    })
    assert.deepEqual(refused(variant, { start_time: null, end_time: null }, "patch", now), ["end_time", "start_time"])
  })
})

describe("activities", () => {
  const calls = variantOf(crm.activity, activity(silent), "Task")
  const meetings = variantOf(crm.activity, activity(silent), "Event")

  it("are calls and e-mails that took place, or events", () => {
    const start_time = "2027-02-15T13:00:00Z"
    assert.deepEqual(encoded(calls, { activity_type: "CALL", start_time }, "create").record, {
      TaskSubtype: "Call",
      Status: "Completed",
      ActivityDate: "2027-02-15"
    })
    assert.strictEqual(encoded(calls, { activity_type: "EMAIL" }, "create").record.TaskSubtype, "Email")
    assert.deepEqual(encoded(calls, { activity_type: "OTHER" }, "create").record, {
      Type: "Other",
      Status: "Completed"
    })
    const typeOf = (TaskSubtype: string) => calls.decode(held({ TaskSubtype }), context).activity_type
    assert.deepEqual(["Call", "Email", "ListEmail", "Cadence"].map(typeOf), ["CALL", "EMAIL", "EMAIL", "OTHER"])
    assert.strictEqual(meetings.decode({ record: {} }, context).activity_type, "MEETING")
  })

  it("stay what they are", () => {
    const call = held({ TaskSubtype: "Call" })
    assert.deepEqual(refused(calls, { activity_type: "EMAIL" }, "patch", call), ["activity_type"])
    assert.deepEqual(refused(calls, { activity_type: null }, "patch", call), ["activity_type"])
    assert.deepEqual(encoded(calls, { activity_type: "CALL" }, "patch", call).record, {})
    assert.deepEqual(refused(meetings, { activity_type: "CALL" }, "patch", held({})), ["activity_type"])
  })

  it("calls have a day and a length", () => {
    const body = { start_time: "2027-02-15T13:00:00Z", end_time: "2027-02-15T13:20:00Z" }
    assert.deepEqual(encoded(calls, body, "patch", held({})).record, {
      ActivityDate: "2027-02-15",
      CallDurationInSeconds: 1200
    })
    const now = held({ ActivityDate: "2027-02-15", CallDurationInSeconds: 90, CallType: "Internal" })
    const read = calls.decode(now, context)
    assert.deepEqual(
      [read.start_time, read.end_time, read.direction],
      ["2027-02-15T00:00:00.000Z", "2027-02-15T00:01:30.000Z", null]
    )
    assert.deepEqual(encoded(calls, { end_time: "2027-02-15T00:05:00Z" }, "patch", now).record, {
      CallDurationInSeconds: 300
    })
    assert.deepEqual(refused(calls, { end_time: "2027-02-14T00:00:00Z" }, "patch", now), ["end_time"])
    assert.deepEqual(encoded(calls, { end_time: null }, "patch", now).record, { CallDurationInSeconds: null })
  })

  it("tasks have one contact", () => {
    assert.deepEqual(encoded(calls, { contacts: [contact] }, "patch", held({})).record, { WhoId: contact })
    assert.deepEqual(encoded(calls, { contacts: [contact, contact] }, "patch", held({})).record, { WhoId: contact })
    assert.deepEqual(encoded(calls, { contacts: [] }, "patch", held({ WhoId: contact })).record, { WhoId: null })
    assert.deepEqual(refused(calls, { contacts: [contact, second, third] }, "create"), ["contacts.1", "contacts.2"])
    assert.deepEqual(lenient(calls, { contacts: [contact, second] }, "patch", held({})), {
      record: { WhoId: contact },
      said: ["contacts.1 NOT_HELD"]
    })
    assert.deepEqual(calls.decode(held({ WhoId: lead }), context).contacts, [])
    assert.isTrue(encodeWith(calls, { contacts: null }, "patch", held({ WhoId: lead }))._tag === "Right")
  })

  it.effect("are calls, e-mails and events where the type of tasks is hidden", () =>
    Effect.gen(function* () {
      const { calls: asked, org } = yield* orgOf((call) => ({
        status: 200,
        body: call.path.endsWith("/describe")
          ? { fields: [{ name: "TaskSubtype" }, { name: "Subject" }] }
          : { done: true, records: [{ Id: "00T000000000001AAA", TaskSubtype: "Call" }] }
      }))
      const get = activity(org).get ?? (() => Effect.dieMessage("no get"))
      yield* get({ connection, variant: calls, id: "00T000000000001AAA" })
      assert.deepEqual(asked.at(-1)?.query, {
        q:
          "SELECT Id, TaskSubtype, Subject FROM Task WHERE (TaskSubtype != null AND TaskSubtype != 'Task') " +
          "AND Id = '00T000000000001AAA' LIMIT 1"
      })
    })
  )

  it.effect("an id tells its type: nothing is asked of the others", () =>
    Effect.gen(function* () {
      const { calls: asked, org } = yield* orgOf(() => ({ status: 200, body: { fields: [], done: true, records: [] } }))
      const get = activity(org).get ?? (() => Effect.dieMessage("no get"))
      for (const variant of [calls, meetings]) {
        const error = yield* Effect.flip(get({ connection, variant, id: "001000000000001AAA" }))
        assert.strictEqual(error.reason._tag, "Missing")
      }
      assert.lengthOf(asked, 0)
    })
  )
})

layer(sandboxApplication(), { timeout: "60 seconds" })("Salesforce activities", (it) => {
  const opened = Effect.gen(function* () {
    const { call } = yield* (yield* SandboxApplication).caller(["salesforce"])
    const path = (resource: string, id?: unknown) =>
      `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=salesforce`
    const ids = (resource: string) =>
      Effect.map(call("GET", `${path(resource)}&limit=5`), (answer) =>
        pageOf(answer).data.map(({ remote_id }) => String(remote_id))
      )
    return { call, path, ids }
  })

  it.effect("each is in its own list, and meetings in two", () =>
    Effect.gen(function* () {
      const { call, path } = yield* opened
      const listed = (resource: string) => Effect.map(walk(call, path(resource)), ({ records }) => records)
      const tasks = (yield* listed("task")).map(({ remote_id }) => remote_id)
      const activities = yield* listed("activity")
      const meetings = (yield* listed("meeting")).map(({ remote_id }) => remote_id)
      const ofType = (type: string) =>
        activities.filter((one) => one.activity_type === type).map((one) => one.remote_id)
      assert.deepEqual(ofType("MEETING"), meetings)
      const others = [...ofType("CALL"), ...ofType("EMAIL")]
      assert.strictEqual(others.length + meetings.length, activities.length)
      assert.isAbove(others.length, 0)
      assert.deepEqual(
        others.filter((id) => tasks.includes(id)),
        []
      )
      // what is in the one list is not in the other, whatever is asked of it
      const change = { body: { subject: "Mine" } }
      for (const [resource, id] of [
        ["task", others[0]],
        ["activity", tasks[0]]
      ] as const) {
        const gone: readonly [number, string] = [404, `${resource.toUpperCase()}_NOT_FOUND`]
        assert.deepEqual(refusalOf(yield* call("GET", path(resource, id))), gone)
        assert.deepEqual(refusalOf(yield* call("PATCH", path(resource, id), change)), gone)
        assert.deepEqual(refusalOf(yield* call("DELETE", path(resource, id))), gone)
      }
      assert.strictEqual((yield* call("GET", path("task", tasks[0]))).status, 200)
    })
  )

  it.effect("a meeting has any number of contacts", () =>
    Effect.gen(function* () {
      const { call, ids, path } = yield* opened
      const [a = "", b = "", c = "", d = ""] = yield* ids("contact")
      const body = {
        subject: "Demonstration",
        start_time: "2027-02-15T13:00:00.000Z",
        end_time: "2027-02-15T14:00:00.000Z"
      }
      const made = recordOf(yield* call("POST", path("meeting"), { body: { ...body, contacts: [a, b, c] } }))
      assert.deepEqual(made.contacts, [a, b, c])
      const one = path("meeting", made.remote_id)
      const patched = (contacts: unknown) =>
        Effect.map(call("PATCH", one, { body: { contacts } }), (answer) => {
          const found = recordOf(answer).contacts
          return Array.isArray(found) ? found.map(String) : []
        })
      assert.sameMembers(yield* patched([b, d]), [b, d])
      assert.deepEqual(yield* patched([b]), [b])
      assert.deepEqual(yield* patched([a, c]), [a, c])
      assert.deepEqual(yield* patched([c, a]), [c, a])
      assert.deepEqual(yield* patched([a, a]), [a])
      assert.deepEqual(yield* patched([a, c]), [a, c])
      const untouched = recordOf(yield* call("PATCH", one, { body: { subject: "Tea" } }))
      assert.deepEqual([untouched.contacts, untouched.subject], [[a, c], "Tea"])
      assert.deepEqual(recordOf(yield* call("PUT", one, { body })).contacts, [])
      const unknown = yield* call("PATCH", one, { body: { contacts: [a, "003000000000000AAA"] } })
      assert.strictEqual(unknown.status, 422)
    })
  )

  it.effect("what Salesforce refuses is said of the field", () =>
    Effect.gen(function* () {
      const { call, ids, path } = yield* opened
      const errors = (resource: string, body: Native) =>
        Effect.map(call("POST", path(resource), { body, headers: strict }), (answer) => Object.keys(errorsOf(answer)))
      const [contactId = ""] = yield* ids("contact")
      const times = { start_time: "2027-02-15T13:00:00.000Z", end_time: "2027-02-15T14:00:00.000Z" }
      const long = "x".repeat(300)
      assert.deepEqual(yield* errors("task", { subject: long }), ["subject"])
      assert.deepEqual(yield* errors("task", { subject: "Ring", contact: contactId, owner: contactId }), ["owner"])
      assert.deepEqual(yield* errors("meeting", { ...times, subject: "Tea", location: long }), ["location"])
      const reversed = { subject: "Tea", start_time: times.end_time, end_time: times.start_time }
      assert.deepEqual(yield* errors("meeting", reversed), ["end_time"])
      const open = { activity_type: "MEETING", start_time: times.start_time }
      assert.deepEqual(yield* errors("activity", open), ["end_time"])
      assert.deepEqual(yield* errors("meeting", { ...times, subject: "Tea", meeting_url: "https://meet.example" }), [
        "meeting_url"
      ])
    })
  )

  it.effect("what else took place is a task of its own type", () =>
    Effect.gen(function* () {
      const { call, path } = yield* opened
      const body = { activity_type: "OTHER", subject: "Lunch", start_time: "2027-02-15T00:00:00.000Z" }
      const made = recordOf(yield* call("POST", path("activity"), { body }))
      assert.strictEqual(made.activity_type, "OTHER")
      const isIt = ({ remote_id }: { readonly remote_id?: unknown }) => remote_id === made.remote_id
      const { records } = yield* walk(call, path("activity"))
      assert.deepEqual(
        records.filter(isIt).map(({ activity_type, subject }) => [activity_type, subject]),
        [["OTHER", "Lunch"]]
      )
      const one = path("activity", made.remote_id)
      assert.strictEqual(recordOf(yield* call("PATCH", one, { body: { subject: "Tea" } })).activity_type, "OTHER")
      assert.strictEqual(recordOf(yield* call("PUT", one, { body })).subject, "Lunch")
      assert.deepEqual(Object.keys(errorsOf(yield* call("PATCH", one, { body: { activity_type: "CALL" } }))), [
        "activity_type"
      ])
      assert.strictEqual(recordOf(yield* call("GET", path("task", made.remote_id))).status, "CLOSED")
      assert.strictEqual((yield* call("DELETE", one)).status, 200)
    })
  )

  it.effect("a call is made as done", () =>
    Effect.gen(function* () {
      const { call, path } = yield* opened
      const body = { activity_type: "CALL", start_time: "2027-02-15T00:00:00.000Z" }
      const made = recordOf(yield* call("POST", path("activity"), { body }))
      const one = `${path("activity", made.remote_id)}&include_remote_data=true`
      const { remote_data } = recordOf(yield* call("GET", one))
      const [native] = objects([remote_data])
      assert.strictEqual(native?.TaskSubtype, "Call")
      assert.deepEqual(made.contacts, [])
    })
  )
})
