import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import { Activity } from "../../../src/canonical/crm/Activity.ts"
import { Company } from "../../../src/canonical/crm/Company.ts"
import { Contact } from "../../../src/canonical/crm/Contact.ts"
import { Deal } from "../../../src/canonical/crm/Deal.ts"
import { Lead } from "../../../src/canonical/crm/Lead.ts"
import { Meeting } from "../../../src/canonical/crm/Meeting.ts"
import { Note } from "../../../src/canonical/crm/Note.ts"
import { Task } from "../../../src/canonical/crm/Task.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import type { Body, Mode } from "../../../src/mapping/Encode.ts"
import { merge, type Native } from "../../../src/mapping/Mapping.ts"
import type { Caller } from "../../../src/providers/base/Upstream.ts"
import { activity } from "../../../src/providers/pipedrive/Activity.ts"
import { company } from "../../../src/providers/pipedrive/Company.ts"
import { contact } from "../../../src/providers/pipedrive/Contact.ts"
import { deal } from "../../../src/providers/pipedrive/Deal.ts"
import { lead } from "../../../src/providers/pipedrive/Lead.ts"
import { meeting } from "../../../src/providers/pipedrive/Meeting.ts"
import { note } from "../../../src/providers/pipedrive/Note.ts"
import { task } from "../../../src/providers/pipedrive/Task.ts"

const noCall: Caller = () => Effect.dieMessage("a mapping calls nobody")

const resources = {
  contact: { resource: Contact, resourceAdapter: contact(noCall) },
  company: { resource: Company, resourceAdapter: company(noCall) },
  deal: { resource: Deal, resourceAdapter: deal(noCall) },
  lead: { resource: Lead, resourceAdapter: lead(noCall) },
  note: { resource: Note, resourceAdapter: note(noCall) },
  task: { resource: Task, resourceAdapter: task(noCall) },
  meeting: { resource: Meeting, resourceAdapter: meeting(noCall) },
  activity: { resource: Activity, resourceAdapter: activity(noCall) }
}
type Name = keyof typeof resources

const lookups = {
  timeZone: "Europe/London",
  organizationFields: [
    { field_code: "name", options: null },
    {
      field_code: "industry",
      options: [
        { id: 3, label: "Textiles" },
        { id: "7", label: "Machinery" }
      ]
    }
  ],
  activityFields: [
    {
      field_code: "priority",
      options: [
        { id: 262, label: "Low" },
        { id: "263", label: "Medium" },
        { id: 264, label: "HIGH" },
        { id: 270, label: "Urgent" }
      ]
    }
  ],
  activityTypes: [
    { key_string: "lunch", order_nr: 3, active_flag: true },
    { key_string: "old", order_nr: 0, active_flag: false },
    { key_string: "deadline", order_nr: 2, active_flag: true },
    { key_string: "task", order_nr: 1, active_flag: true }
  ]
}

const variantOf = (name: Name) => {
  const { resourceAdapter, resource } = resources[name]
  const [variant] = compile("pipedrive", resource, resourceAdapter.mapping).variants
  if (variant === undefined) throw new Error("no variant")
  return variant
}

const decode = (name: Name, record: Native) =>
  variantOf(name).decode({ record, lookups }, { reference: () => "", line: () => "" })

/** The native record after a write, as the mapping wants it. */
const written = (name: Name, body: Body, mode: Mode, before: Native = {}): Native => {
  const input = {
    resolve: () => undefined,
    lookups,
    current: mode === "create" ? undefined : { record: before },
    handling: "strict" as const,
    today: "2026-03-02",
    currentRecord: undefined
  }
  return Either.match(variantOf(name).encode(body, mode, input), {
    onLeft: (refusals) => {
      throw new Error(`${name}: ${JSON.stringify(refusals)}`)
    },
    onRight: ({ record }) => merge(before, record)
  })
}

const text = fc.string({ minLength: 1, unit: "grapheme" })
const id = fc.nat().map((number) => String(number + 1))
const label = fc.constantFrom("WORK", "HOME", "MOBILE", "OTHER")
const moment = fc
  .date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true })
  .map((date) => Math.floor(date.getTime() / 1000) * 1000)
const instant = moment.map((milliseconds) => new Date(milliseconds).toISOString())
const day = instant.map((time) => time.slice(0, 10))
const span = fc
  .tuple(
    moment,
    fc.nat(3_600_000).map((seconds) => seconds * 1000)
  )
  .map(([start, length]) => ({
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + length).toISOString()
  }))

const optional = { requiredKeys: [] as [] }
const address = fc
  .record({ street_1: text, street_2: text, city: text, state: text, postal_code: text, country: text }, optional)
  .filter((parts) => Object.keys(parts).length > 0)
const person = {
  first_name: text,
  title: text,
  addresses: fc.array(address, { maxLength: 1 }),
  email_addresses: fc.array(fc.record({ email_address: text, email_address_type: label })),
  phone_numbers: fc.array(fc.record({ phone_number: text, phone_number_type: label }))
}
const about = { content: text, owner: id, account: id, opportunity: id }

/** Bodies with every field that Pipedrive takes, some of them left out. */
const bodies: { readonly [name in Name]: fc.Arbitrary<Body> } = {
  contact: fc.record({ last_name: text, ...person, account: id, owner: id }, { requiredKeys: ["last_name"] }),
  company: fc.record(
    {
      name: text,
      industry: fc.constantFrom("Textiles", "Machinery"),
      website: text,
      number_of_employees: fc.nat(),
      owner: id,
      addresses: person.addresses
    },
    { requiredKeys: ["name"] }
  ),
  deal: fc.record(
    {
      name: text,
      amount: fc.double({ noNaN: true, noDefaultInfinity: true }),
      currency: fc.constantFrom("EUR", "SEK"),
      pipeline: id,
      stage: id,
      status: fc.constantFrom("OPEN", "WON", "LOST"),
      close_date: day,
      probability: fc.nat(100).map((percent) => percent / 100),
      owner: id,
      account: id,
      contact: id
    },
    { requiredKeys: ["name"] }
  ),
  lead: fc.record(
    {
      name: text,
      last_name: text,
      ...person,
      company: text,
      status: fc.constantFrom("OPEN", "CLOSED"),
      owner: id,
      contact: id,
      account: id
    },
    { requiredKeys: ["last_name"] }
  ),
  note: fc.record({ ...about, contact: id, lead: fc.uuid() }, { requiredKeys: ["content"] }),
  task: fc.record(
    {
      subject: text,
      ...about,
      contact: id,
      status: fc.constantFrom("OPEN", "CLOSED"),
      priority: fc.constantFrom("LOW", "NORMAL", "HIGH"),
      due_date: instant
    },
    { requiredKeys: ["subject"] }
  ),
  meeting: fc
    .record(
      {
        span,
        subject: text,
        ...about,
        contacts: fc.uniqueArray(id),
        location: text,
        status: fc.constantFrom("SCHEDULED", "COMPLETED")
      },
      { requiredKeys: ["subject", "span"] }
    )
    .map(({ span: times, ...rest }) => ({ ...rest, ...times })),
  activity: fc
    .record(
      {
        span,
        activity_type: fc.constantFrom("CALL", "EMAIL", "MEETING", "OTHER"),
        subject: text,
        ...about,
        contacts: fc.uniqueArray(id)
      },
      { requiredKeys: ["activity_type", "span"] }
    )
    .map(({ span: times, ...rest }) => ({ ...rest, ...times }))
}

/** A body in the shape of a record: addresses have all their members. */
const saidBy = (body: Body) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name === "addresses" && Array.isArray(value)
        ? value.map((one: object) => ({
            street_1: null,
            street_2: null,
            city: null,
            state: null,
            postal_code: null,
            country: null,
            address_type: null,
            ...one
          }))
        : value
    ])
  )

/** A record's values of the fields in a body. */
const heldOf = (record: Native, body: Body) => Object.fromEntries(Object.keys(body).map((name) => [name, record[name]]))

const names: ReadonlyArray<Name> = ["contact", "company", "deal", "lead", "note", "task", "meeting", "activity"]

describe("mappings", () => {
  it.each(names)("%s: what is written is what is read", (name) => {
    fc.assert(
      fc.property(bodies[name], (body) => {
        const sent = JSON.parse(JSON.stringify(body))
        assert.deepStrictEqual(heldOf(decode(name, written(name, sent, "create")), sent), saidBy(sent))
      })
    )
  })

  it.each(names)("%s: a patch changes what it says, and nothing else", (name) => {
    fc.assert(
      fc.property(bodies[name], bodies[name], fc.nat(), (before, other, pick) => {
        const made = written(name, before, "create")
        const given = Object.keys(other)
        const key = given[pick % given.length] ?? ""
        // times and closing days hang together; tests of their own say how
        if (["start_time", "end_time", "close_date", "status", "activity_type", "account", "company"].includes(key))
          return
        const patched = decode(name, written(name, { [key]: other[key] }, "patch", made))
        const change = { [key]: other[key] }
        assert.deepStrictEqual(heldOf(patched, change), saidBy(change))
        const untouched = decode(name, made)
        // the type of content comes with it
        const changed = key === "content" ? { content: null, content_type: null } : { [key]: null }
        assert.deepStrictEqual({ ...patched, ...changed }, { ...untouched, ...changed })
      })
    )
  })

  it("a full body clears what it leaves out, and keeps what a record is never without", () => {
    const always: { readonly [name: string]: ReadonlyArray<string> } = {
      deal: ["currency", "pipeline", "stage", "status", "close_date"],
      lead: ["name", "contact"],
      task: ["status"],
      meeting: ["status"]
    }
    // given or not: what is the contact's of a lead, and what a note is on
    const stays: { readonly [name: string]: ReadonlyArray<string> } = {
      lead: ["status", "first_name", "title", "addresses", "email_addresses", "phone_numbers"],
      note: ["contact", "account", "opportunity", "lead"]
    }
    const needed = ["name", "last_name", "content", "subject", "start_time", "activity_type", "owner"]
    for (const name of names) {
      fc.assert(
        fc.property(bodies[name], (body) => {
          const made = written(name, body, "create")
          const kept = [...needed, ...(name === "meeting" ? ["end_time"] : []), ...(always[name] ?? [])]
          const least = Object.fromEntries(
            Object.entries(body).filter(([key]) => kept.includes(key) && key !== "owner")
          )
          const replaced = decode(name, written(name, least, "replace", made))
          for (const [key, value] of Object.entries(body)) {
            // follows from the link, which the adapter reads again
            if (name === "lead" && key === "company") continue
            if (kept.includes(key) || stays[name]?.includes(key) === true) {
              assert.deepStrictEqual(replaced[key], decode(name, made)[key], `${name} ${key}`)
            } else {
              assert.isTrue(replaced[key] === null || Array.isArray(value), `${name} ${key}`)
              if (Array.isArray(value)) assert.deepStrictEqual(replaced[key], [], `${name} ${key}`)
            }
          }
        }),
        { numRuns: 50 }
      )
    }
  })
})

describe("priorities", () => {
  it("are what the account calls them; one of another name says nothing, and stays until another is written", () => {
    const read = [262, 263, 264, 270, 999, null].map((priority) => decode("task", { priority }).priority)
    assert.deepStrictEqual(read, ["LOW", "NORMAL", "HIGH", null, null, null])
    const urgent = { subject: "Call", priority: 270 }
    assert.strictEqual(written("task", { subject: "Call" }, "replace", urgent).priority, 270)
    assert.strictEqual(written("task", { priority: "NORMAL" }, "patch", urgent).priority, 263)
    assert.isNull(written("task", { priority: null }, "patch", { ...urgent, priority: 264 }).priority)
  })

  it("are refused where the account has none of that name", () => {
    const input = { resolve: () => undefined, current: undefined, today: "2026-03-02", currentRecord: undefined }
    const encoded = (handling: "strict" | "lenient") =>
      variantOf("task").encode({ subject: "Call", priority: "LOW" }, "create", {
        ...input,
        handling,
        lookups: { ...lookups, activityFields: [{ field_code: "priority", options: [{ id: 1, label: "Urgent" }] }] }
      })
    assert.isTrue(Either.isLeft(encoded("strict")))
    const lenient = Either.getOrThrow(encoded("lenient"))
    assert.deepStrictEqual(lenient.record, { subject: "Call" })
    assert.deepStrictEqual(
      lenient.warnings.map(({ code, field }) => `${field} ${code}`),
      ["priority NOT_HELD"]
    )
  })
})

describe("an activity near the end of the year 9999", () => {
  const late = { due_date: "9999-12-31", due_time: "23:59:59", duration: "01:29:00" }

  it("has no end where no date-time can state it", () => {
    assert.include(decode("activity", late), { start_time: "9999-12-31T23:59:59.000Z", end_time: null })
  })

  it("is refused a start from which its duration would lead past it, by the name of the field", () => {
    const held = { due_date: "2027-02-15", due_time: "13:00:00", duration: "01:29:00" }
    for (const name of ["activity", "meeting"] as const) {
      assert.throws(() => written(name, { start_time: "9999-12-31T23:59:59Z" }, "patch", held), /start_time.*year 9999/)
      const fits = { start_time: "9999-12-31T22:00:00Z", end_time: "9999-12-31T23:00:00Z" }
      assert.include(written(name, fits, "patch", held), { due_date: "9999-12-31", duration: "01:00:00" })
    }
  })

  it("keeps a duration that was not read when it is written back", () => {
    const undated = { due_date: null, due_time: null, duration: "00:15:00" }
    for (const held of [undated, late]) {
      const { end_time, start_time } = decode("activity", held)
      assert.deepInclude(written("activity", { end_time, start_time }, "patch", held), held)
    }
  })
})
