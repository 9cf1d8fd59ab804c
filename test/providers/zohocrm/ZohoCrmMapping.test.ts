import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import type { Resource } from "../../../src/canonical/Resource.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import type { Body, Mode } from "../../../src/mapping/Encode.ts"
import type { Native } from "../../../src/mapping/Mapping.ts"
import type { Handling } from "../../../src/mapping/Warning.ts"
import type { Caller } from "../../../src/providers/base/Upstream.ts"
import type { ResourceAdapter } from "../../../src/providers/ProviderAdapter.ts"
import { activity } from "../../../src/providers/zohocrm/Activity.ts"
import { appointment } from "../../../src/providers/zohocrm/Appointment.ts"
import { contact } from "../../../src/providers/zohocrm/Contact.ts"
import { deal } from "../../../src/providers/zohocrm/Deal.ts"
import { lead } from "../../../src/providers/zohocrm/Lead.ts"
import { meeting } from "../../../src/providers/zohocrm/Meeting.ts"
import { note } from "../../../src/providers/zohocrm/Note.ts"
import { task } from "../../../src/providers/zohocrm/Task.ts"

const silent: Caller = () => Effect.dieMessage("a mapping calls nobody")

const context = {
  reference: (_: string, __: string, id: string) => id,
  line: (path: string, line: string) => `${path}/${line}`
}

const stage = (name: string, forecast_type: string) => ({ actual_value: name, display_value: name, forecast_type })
const won = stage("Closed Won", "Closed Won")
const lost = stage("Closed Lost", "Closed Lost")

const pipelines = [
  {
    id: "1",
    actual_value: "Standard",
    default: true,
    maps: [stage("Qualification", "Open"), stage("Offer", "Open"), won, lost]
  },
  { id: "2", actual_value: "Renewals", default: false, maps: [stage("Due", "Open"), won] }
]

const noSettings = () => Effect.succeed([])

/** Reads and writes with one variant of a resource. */
const mapped = (
  resource: Resource,
  adapter: (call: Caller) => ResourceAdapter,
  nativeType: string,
  lookups: Native = {}
) => {
  const variant = compile("zoho_crm", resource, adapter(silent).mapping).variant(nativeType)
  if (variant === undefined) throw new Error(`${resource.name} has no ${nativeType}`)
  const encodeAs = (handling: Handling) => (body: Body, mode: Mode, current?: Native) => {
    const bundle = current === undefined ? undefined : { record: current, lookups }
    return variant.encode(body, mode, {
      resolve: () => undefined,
      lookups,
      current: bundle,
      handling,
      today: "2026-03-02",
      currentRecord: bundle === undefined ? undefined : variant.decode(bundle, context)
    })
  }
  const encode = encodeAs("strict")
  return {
    /** Encodes leniently: the native record, and the warnings: `field CODE`. */
    lenient: (...given: Parameters<typeof encode>) => {
      const plan = Either.getOrThrowWith(
        encodeAs("lenient")(...given),
        (refusals) => new Error(JSON.stringify(refusals))
      )
      return { record: plan.record, said: plan.warnings.map(({ code, field }) => `${field} ${code}`) }
    },
    read: (record: Native) => variant.decode({ record, lookups }, context),
    write: (...given: Parameters<typeof encode>) =>
      Either.getOrThrowWith(encode(...given), (refusals) => new Error(JSON.stringify(refusals))).record,
    refused: (...given: Parameters<typeof encode>) => Either.getOrThrow(Either.flip(encode(...given)))
  }
}

describe("a Zoho CRM contact", () => {
  const { read, refused, write } = mapped(crm.contact, (call) => contact(call, noSettings), "Contacts")

  it("names others by an object", () => {
    const record = read({
      id: "1",
      Account_Name: { name: "Acme", id: "2" },
      Owner: { name: "Ada", id: "3", email: "a@b.c" }
    })
    assert.containSubset(record, { account: "2", owner: "3", remote_was_deleted: false })
    assert.deepEqual(write({ account: "2", owner: "3" }, "patch"), { Account_Name: { id: "2" }, Owner: { id: "3" } })
  })

  it("always has an owner", () => {
    assert.notProperty(write({ last_name: "Noel" }, "replace", { id: "1" }), "Owner")
    assert.property(refused({ owner: null }, "patch", { id: "1", Owner: { id: "3" } }), "owner")
    assert.deepEqual(write({ account: null }, "patch"), { Account_Name: null })
  })

  it("is deleted while it is in the recycle bin", () => {
    assert.isTrue(read({ id: "1", Record_Status__s: "Trash" }).remote_was_deleted)
    assert.isFalse(read({ id: "1", Record_Status__s: "Available" }).remote_was_deleted)
  })
})

describe("a Zoho CRM lead", () => {
  const { lenient, read, refused, write } = mapped(crm.lead, (call) => lead(call, noSettings), "Leads")

  it("is qualified by conversion", () => {
    assert.strictEqual(read({ Lead_Status: "Junk Lead", Converted__s: true }).status, "QUALIFIED")
    assert.strictEqual(read({ Lead_Status: "Junk Lead", Converted__s: false }).status, "UNQUALIFIED")
    assert.strictEqual(read({ Lead_Status: "Contacted" }).status, "OPEN")
    assert.strictEqual(read({ Lead_Status: null }).status, "OPEN")
  })

  it("keeps a status that means the same", () => {
    assert.deepEqual(write({ status: "OPEN" }, "patch", { Lead_Status: "Contacted" }), {})
    assert.deepEqual(write({ status: "UNQUALIFIED" }, "patch", { Lead_Status: "Contacted" }), {
      Lead_Status: "Not Qualified"
    })
    assert.deepEqual(lenient({ status: null }, "patch", { Lead_Status: "Contacted" }), {
      record: { Lead_Status: null },
      said: ["status CHANGED"]
    })
  })

  it("takes every status, as the closest one of its pick list", () => {
    const written = (status: string) => lenient({ status }, "create").record.Lead_Status
    assert.deepEqual(["OPEN", "CLOSED", "UNQUALIFIED", "QUALIFIED"].map(written), [
      "Not Contacted",
      "Lost Lead",
      "Not Qualified",
      "Pre-Qualified"
    ])
    assert.deepEqual(lenient({ status: "CLOSED" }, "create").said, ["status STATUS_NOT_REACHED"])
    assert.property(refused({ status: "QUALIFIED" }, "create"), "status")
  })

  it("may say the name that it has anyway", () => {
    const now = { Full_Name: "Ada King", First_Name: "Ada", Last_Name: "King" }
    assert.deepEqual(write({ name: "Ada King", first_name: "Ada", last_name: "King" }, "create"), {
      First_Name: "Ada",
      Last_Name: "King"
    })
    assert.deepEqual(write({ name: "Ada King", title: "Countess" }, "patch", now), { Designation: "Countess" })
    assert.property(refused({ name: "Ada Byron", title: "Countess" }, "patch", now), "name")
  })
})

const dealOf = (call: Caller) => deal(call, noSettings, noSettings)

describe("a Zoho CRM deal", () => {
  const { lenient, read, refused, write } = mapped(crm.deal, dealOf, "Deals", { pipelines })
  const open = { Pipeline: "Standard", Stage: "Offer" }

  it("names its pipeline by id and takes its status from the stage there", () => {
    assert.containSubset(read(open), { pipeline: "1", stage: "Offer", status: "OPEN" })
    assert.containSubset(read({ Pipeline: "Renewals", Stage: "Closed Won" }), { pipeline: "2", status: "WON" })
    assert.strictEqual(read({ Pipeline: "Renewals", Stage: "Closed Lost" }).status, "LOST", "known elsewhere")
    assert.strictEqual(read({ Pipeline: "Gone", Stage: "Gone" }).status, "OPEN", "neither won nor lost")
    assert.isNull(read({ Pipeline: "Gone", Stage: null }).status)
  })

  it("stays in its pipeline when that has the stage, else goes to the first that has", () => {
    assert.deepEqual(write({ stage: "Closed Won" }, "patch", { Pipeline: "Renewals", Stage: "Due" }), {
      Pipeline: "Renewals",
      Stage: "Closed Won"
    })
    assert.deepEqual(write({ stage: "Due" }, "patch", open), { Pipeline: "Renewals", Stage: "Due" })
    assert.deepEqual(write({ name: "A", stage: "Closed Won" }, "create"), {
      Deal_Name: "A",
      Pipeline: "Standard",
      Stage: "Closed Won"
    })
  })

  it("goes to the first stage that has the wanted status, and stays where it has it", () => {
    assert.deepEqual(write({ status: "OPEN" }, "patch", open), {})
    assert.deepEqual(write({ status: "LOST" }, "patch", open), { Pipeline: "Standard", Stage: "Closed Lost" })
    assert.deepEqual(write({ pipeline: "2" }, "patch", open), { Pipeline: "Renewals", Stage: "Due" })
    assert.deepEqual(
      lenient({ status: "LOST", name: "A" }, "patch", { Pipeline: "Renewals", Stage: "Due" }),
      { record: { Deal_Name: "A" }, said: ["status STATUS_NOT_REACHED"] },
      "has no such stage"
    )
  })

  it("without a stage is in the first one of the default pipeline, and says so", () => {
    assert.deepEqual(lenient({ name: "A" }, "create"), {
      record: { Deal_Name: "A", Pipeline: "Standard", Stage: "Qualification" },
      said: ["stage CHANGED"]
    })
    assert.propertyVal(lenient({ name: "A", status: "WON", pipeline: "2" }, "create").record, "Stage", "Closed Won")
    assert.property(refused({ stage: "Offer", status: "WON" }, "patch", open), "status")
  })

  it("takes nothing that is no stage of the pipeline", () => {
    assert.property(refused({ stage: "Due", pipeline: "1" }, "patch", open), "stage")
    assert.property(refused({ stage: "Nowhere" }, "patch", open), "stage")
    assert.property(refused({ pipeline: "9" }, "patch", open), "pipeline")
    assert.property(refused({ stage: null }, "patch", open), "stage")
    const gone = { Pipeline: "Gone", Stage: "Gone" }
    assert.deepEqual(write({ stage: "Offer", pipeline: null }, "patch", gone), {
      Pipeline: "Standard",
      Stage: "Offer"
    })
  })

  it("keeps its probability when a full body leaves it out", () => {
    assert.notProperty(write({ name: "A", stage: "Offer" }, "replace", { ...open, Probability: 40 }), "Probability")
  })

  it("keeps its currency, which not every account has", () => {
    assert.notProperty(write({ name: "A", stage: "Offer" }, "replace", open), "Currency")
    assert.propertyVal(write({ currency: "EUR" }, "patch", open), "Currency", "EUR")
  })

  it("has one pipeline where the account has none set up", () => {
    const synthetic = [{ id: "default", default: true, maps: [stage("Qualification", "Open"), won] }]
    const one = mapped(crm.deal, dealOf, "Deals", { pipelines: synthetic })
    assert.containSubset(one.read({ Pipeline: null, Stage: "Closed Won" }), { pipeline: "default", status: "WON" })
    assert.deepEqual(one.write({ name: "A", stage: "Qualification", pipeline: "default" }, "create"), {
      Deal_Name: "A",
      Stage: "Qualification"
    })
  })
})

describe("a Zoho CRM note", () => {
  const { lenient, read, refused, write } = mapped(crm.note, note, "Notes")
  const onContact = { Note_Content: "a", Parent_Id: { module: { api_name: "Contacts" }, id: "1" } }

  it("is on one record, of the module it says", () => {
    assert.containSubset(read(onContact), { contact: "1", account: null, opportunity: null, lead: null })
    assert.deepEqual(write({ content: "a", lead: "4" }, "create"), {
      Note_Content: "a",
      Parent_Id: { module: { api_name: "Leads" }, id: "4" }
    })
    assert.property(refused({ content: "a", contact: "1", account: "2" }, "create"), "account")
    assert.deepEqual(lenient({ content: "a", contact: "1", account: "2" }, "create"), {
      record: { Note_Content: "a", Parent_Id: { module: { api_name: "Contacts" }, id: "1" } },
      said: ["account NOT_HELD"]
    })
  })

  it("stays on it", () => {
    assert.deepEqual(write({ content: "b", contact: "1", account: null }, "patch", onContact), { Note_Content: "b" })
    assert.deepEqual(write({ content: "b", contact: "1" }, "replace", onContact), {
      Note_Content: "b",
      Note_Title: null
    })
    assert.property(refused({ contact: "2" }, "patch", onContact), "contact")
    assert.property(refused({ contact: null }, "patch", onContact), "contact")
    assert.property(refused({ account: "1" }, "patch", onContact), "account")
  })
})

describe("a Zoho CRM task", () => {
  const { lenient, read, refused, write } = mapped(crm.task, task, "Tasks")
  const ofDeal = { What_Id: { id: "7", name: "Deal" }, $se_module: "Deals", Status: "In Progress" }
  const ofLead = { What_Id: { id: "7", name: "Lead" }, $se_module: "Leads" }

  it("is about one record", () => {
    assert.containSubset(read(ofDeal), { opportunity: "7", account: null, status: "OPEN" })
    assert.containSubset(read(ofLead), { opportunity: null, account: null })
    assert.deepEqual(lenient({ account: "8" }, "patch", ofDeal), {
      record: { What_Id: { id: "8" }, $se_module: "Accounts" },
      said: ["opportunity CHANGED"]
    })
    assert.deepEqual(write({ account: "8", opportunity: null }, "patch", ofDeal), {
      What_Id: { id: "8" },
      $se_module: "Accounts"
    })
    assert.deepEqual(Object.keys(refused({ account: "8", opportunity: "7" }, "patch", ofDeal)), ["account"])
  })

  it("is about none when that is cleared, and keeps what it has no field for", () => {
    assert.deepEqual(write({ opportunity: null }, "patch", ofDeal), { What_Id: null })
    assert.deepEqual(write({ account: null }, "patch", ofDeal), {})
    assert.propertyVal(write({ subject: "a" }, "replace", ofDeal), "What_Id", null)
    assert.notProperty(write({ subject: "a" }, "replace", ofLead), "What_Id")
  })

  it("is due on a day, that of UTC", () => {
    assert.deepEqual(write({ due_date: "2027-02-15T23:30:00-05:00" }, "patch", ofDeal), { Due_Date: "2027-02-16" })
  })

  it("keeps a status that means the same", () => {
    assert.deepEqual(write({ status: "OPEN" }, "patch", ofDeal), {})
    assert.deepEqual(write({ status: "CLOSED" }, "patch", ofDeal), { Status: "Completed" })
  })
})

describe("a Zoho CRM meeting", () => {
  const { read, write } = mapped(crm.meeting, meeting, "Events")
  const user = { type: "user", participant: "9" }
  const guest = { type: "contact", participant: "1", name: "Ada", invited: true }

  it("has contacts who take part, or else the one it is with", () => {
    assert.deepEqual(read({ Participants: [user, guest], Who_Id: { id: "5" } }).contacts, ["1"])
    assert.deepEqual(read({ Participants: [user], Who_Id: { id: "5" } }).contacts, ["5"])
    assert.deepEqual(read({ Participants: null }).contacts, [])
  })

  it("keeps those who are no contacts, and invites nobody again", () => {
    const current = { Participants: [user, guest] }
    assert.deepEqual(write({ contacts: ["1"] }, "patch", current), {})
    assert.deepEqual(write({ contacts: ["2"] }, "patch", current), {
      Participants: [user, { type: "contact", participant: "2" }]
    })
    assert.deepEqual(write({ contacts: [] }, "patch", { Who_Id: { id: "5" } }), { Participants: [], Who_Id: null })
  })

  it("keeps the invitation and the answer of contacts who stay when another one comes or goes", () => {
    const invited = { ...guest, status: "accepted" }
    const second = { type: "contact", participant: "2", invited: true, status: "declined" }
    const current = { Participants: [user, invited, second] }
    assert.deepEqual(write({ contacts: ["1", "2", "3"] }, "patch", current), {
      Participants: [user, invited, second, { type: "contact", participant: "3" }]
    })
    assert.deepEqual(write({ contacts: ["2"] }, "patch", current), { Participants: [user, second] })
  })

  it("has its contacts in order, each once, and is with the first", () => {
    const one = { type: "contact", participant: "1" }
    const two = { type: "contact", participant: "2" }
    const current = { Participants: [user, one, two], Who_Id: { id: "1" } }
    assert.deepEqual(write({ contacts: ["1", "2", "1"] }, "patch", current), {})
    assert.deepEqual(write({ contacts: ["2", "1"] }, "patch", current), {
      Participants: [user, two, one],
      Who_Id: { id: "2" }
    })
    assert.deepEqual(write({ contacts: ["1", "1"] }, "patch", current).Participants, [user, one])
  })

  it("writes times to the second, with an offset", () => {
    assert.deepEqual(write({ start_time: "2026-11-21T10:00:00.000Z" }, "patch"), {
      Start_DateTime: "2026-11-21T10:00:00+00:00"
    })
    assert.strictEqual(read({ Start_DateTime: "2026-11-21T15:30:00+05:30" }).start_time, "2026-11-21T10:00:00.000Z")
  })
})

describe("a Zoho CRM call", () => {
  const { lenient, read, refused, write } = mapped(crm.activity, activity, "Calls")
  const current = { Call_Type: "Missed", Call_Start_Time: "2026-11-21T10:00:00+00:00", Call_Duration_in_seconds: 850 }

  it("has no end after the year 9999, and is not moved to where it would end there", () => {
    assert.isNull(read({ ...current, Call_Start_Time: "9999-12-31T23:59:00+00:00" }).end_time)
    assert.match(
      refused({ start_time: "9999-12-31T23:59:59Z" }, "patch", current).start_time ?? "",
      /end after the year 9999/
    )
  })

  it("ends after its duration", () => {
    assert.containSubset(read(current), {
      activity_type: "CALL",
      direction: "INBOUND",
      end_time: "2026-11-21T10:14:10.000Z"
    })
    assert.isNull(read({ ...current, Call_Duration_in_seconds: null }).end_time)
    const times = { start_time: "2026-11-21T10:00:00.000Z", end_time: "2026-11-21T11:30:05.000Z" }
    assert.deepEqual(lenient({ activity_type: "CALL", ...times }, "create"), {
      record: {
        Call_Start_Time: "2026-11-21T10:00:00+00:00",
        Call_Duration: "90:05",
        Call_Type: "Outbound"
      },
      said: ["direction CHANGED"]
    })
    assert.deepEqual(lenient({ ...times, direction: "INBOUND", end_time: times.start_time }, "create").said, [
      "end_time NOT_HELD"
    ])
  })

  it("is what stands for an e-mail or anything else that took place", () => {
    const body = { activity_type: "EMAIL", direction: "INBOUND", start_time: "2026-11-21T10:00:00.000Z" }
    assert.deepEqual(lenient(body, "create").said, ["activity_type CHANGED"])
    const { choose } = compile("zoho_crm", crm.activity, activity(silent).mapping)
    const typeFor = (activity_type: string) => choose({ activity_type })?.nativeType
    assert.deepEqual(["CALL", "EMAIL", "MEETING", "OTHER"].map(typeFor), ["Calls", "Calls", "Events", "Calls"])
    assert.property(refused({ activity_type: "EMAIL" }, "patch", current), "activity_type")
  })

  it("that is moved ends when it did", () => {
    assert.deepEqual(write({ start_time: "2026-11-21T10:10:00.000Z" }, "patch", current), {
      Call_Start_Time: "2026-11-21T10:10:00+00:00",
      Call_Duration: "4:10"
    })
    assert.deepEqual(write({ end_time: "2026-11-21T10:01:00.000Z" }, "patch", current), { Call_Duration: "1:00" })
    assert.property(refused({ end_time: "2026-11-21T09:00:00.000Z" }, "patch", current), "end_time")
    assert.deepEqual(write({ start_time: "2026-11-21T11:00:00.000Z" }, "patch", current), {
      Call_Start_Time: "2026-11-21T11:00:00+00:00"
    })
    assert.property(refused({ end_time: null }, "patch", current), "end_time")
    const planned = { ...current, Call_Duration_in_seconds: null }
    assert.deepEqual(write({ end_time: null }, "patch", planned), {}, "has none")
  })

  it("is with one person, and keeps a type that means the same", () => {
    assert.deepEqual(write({ contacts: ["1"], direction: "INBOUND" }, "patch", current), { Who_Id: { id: "1" } })
    assert.deepEqual(write({ direction: "OUTBOUND" }, "patch", current), { Call_Type: "Outbound" })
    assert.deepEqual(write({ contacts: [] }, "patch", current), { Who_Id: null })
    assert.property(refused({ contacts: ["1", "2"] }, "patch", current), "contacts.1")
    assert.deepEqual(write({ contacts: ["1", "1"] }, "patch", current), { Who_Id: { id: "1" } })
  })
})

describe("a Zoho CRM appointment", () => {
  const { lenient, read, refused, write } = mapped(crm.appointment, appointment, "Appointments__s")
  const current = {
    Appointment_For: { module: { api_name: "Contacts" }, id: "1" },
    Service_Name: { id: "2", name: "Repair" },
    Status: "Overdue",
    Location: "Client Address",
    Address: "1 Dorset Street"
  }

  it("is for a contact, at the customer's address or the business's", () => {
    assert.containSubset(read(current), { contact: "1", account: null, service: "2", location: "1 Dorset Street" })
    assert.isNull(read({ ...current, Location: "Business Address", Address: null }).location)
    assert.strictEqual(read({ Appointment_For: { module: { api_name: "Accounts" }, id: "3" } }).account, "3")
    assert.deepEqual(write({ location: null }, "patch", current), { Location: "Business Address", Address: null })
    const made = write({ subject: "a", service: "2", contact: "1", location: "Here" }, "create")
    assert.propertyVal(write({ subject: "a", service: "2" }, "create"), "Location", "Business Address")
    assert.deepEqual(made, {
      Appointment_Name: "a",
      Location: "Client Address",
      Address: "Here",
      Service_Name: { id: "2" },
      Appointment_For: { module: { api_name: "Contacts" }, id: "1" }
    })
  })

  it("of a day that is over is overdue where it would be scheduled", () => {
    const on = (day: string) => write({ status: "SCHEDULED", start_time: `${day}T09:00:00.000Z` }, "create").Status
    assert.deepEqual(["2026-03-01", "2026-03-02", "2026-03-03"].map(on), ["Overdue", "Scheduled", "Scheduled"])
  })

  it("keeps its service and a status that means the same", () => {
    assert.deepEqual(write({ service: "2", status: "SCHEDULED" }, "patch", current), {})
    assert.deepEqual(lenient({ status: "NO_SHOW" }, "patch", current), {
      record: { Status: "Cancelled" },
      said: ["status STATUS_NOT_REACHED"]
    })
    assert.property(refused({ service: "3" }, "patch", current), "service")
  })

  it("keeps who it is for", () => {
    assert.property(refused({ contact: null }, "patch", current), "contact")
    assert.notProperty(write({ subject: "a", service: "2" }, "replace", current), "Appointment_For")
    const forCompany = { Appointment_For: { module: { api_name: "Accounts" }, id: "3" } }
    assert.deepEqual(write({ contact: null }, "patch", forCompany), {}, "has none")
  })
})
