import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import { Activity } from "../../../src/canonical/crm/Activity.ts"
import { Appointment } from "../../../src/canonical/crm/Appointment.ts"
import { Company } from "../../../src/canonical/crm/Company.ts"
import { Contact } from "../../../src/canonical/crm/Contact.ts"
import { Deal } from "../../../src/canonical/crm/Deal.ts"
import { Lead } from "../../../src/canonical/crm/Lead.ts"
import { Meeting } from "../../../src/canonical/crm/Meeting.ts"
import { Note } from "../../../src/canonical/crm/Note.ts"
import { Task } from "../../../src/canonical/crm/Task.ts"
import type { Field, Resource, Shape } from "../../../src/canonical/Resource.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import type { Handling } from "../../../src/mapping/Warning.ts"
import type { Body, Encoded, Mode } from "../../../src/mapping/Encode.ts"
import {
  type Entry,
  getPath,
  isNative,
  type Mapping,
  merge,
  type Native,
  type SlotsEntry,
  setPath
} from "../../../src/mapping/Mapping.ts"
import type { Call, Caller } from "../../../src/providers/base/Upstream.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import { activity } from "../../../src/providers/hubspot/Activity.ts"
import { appointment } from "../../../src/providers/hubspot/Appointment.ts"
import { company } from "../../../src/providers/hubspot/Company.ts"
import { contact } from "../../../src/providers/hubspot/Contact.ts"
import { deal } from "../../../src/providers/hubspot/Deal.ts"
import { lead } from "../../../src/providers/hubspot/Lead.ts"
import { linkTypes, type LinkTypes } from "../../../src/providers/hubspot/LinkTypes.ts"
import { KeptValues } from "../../../src/providers/KeptValues.ts"
import { meeting } from "../../../src/providers/hubspot/Meeting.ts"
import { note } from "../../../src/providers/hubspot/Note.ts"
import { isLinks } from "../../../src/providers/hubspot/Links.ts"
import { task } from "../../../src/providers/hubspot/Task.ts"
import type { ResourceAdapter } from "../../../src/providers/ProviderAdapter.ts"
import { Invalid } from "../../../src/providers/ProviderError.ts"

const context = {
  reference: () => "",
  line: (path: string, lineId: string) => `${path}/${lineId}`
}

const noCall: Caller = () => Effect.dieMessage("a mapping calls nobody")
const noType: LinkTypes = () => Effect.dieMessage("a mapping calls nobody")

const stage = (id: string, displayOrder: number, probability: string, isClosed: string) => ({
  id,
  label: id,
  displayOrder,
  archived: false,
  metadata: { probability, isClosed }
})

const pipelines = [
  {
    id: "default",
    stages: [
      stage("appointment", 0, "0.2", "false"),
      stage("contract", 1, "0.9", "false"),
      stage("won", 2, "1.0", "true"),
      stage("lost", 3, "0.0", "true")
    ]
  },
  {
    id: "renewals",
    stages: [stage("r1", 0, "0.5", "false"), stage("r2", 1, "1.0", "true"), stage("r3", 2, "0", "true")]
  }
]

const encodeInput = (current?: Native) => ({
  resolve: () => undefined,
  lookups: { pipelines },
  current: current === undefined ? undefined : { record: current },
  handling: "strict" as const,
  today: "2026-03-02",
  currentRecord: undefined
})

/** Names the kind of a link in a record, where there are several. */
const inlineType: { readonly [way: string]: string } = {
  "contacts/companies": "contact_to_company",
  "deals/contacts": "deal_to_contact",
  "deals/companies": "deal_to_company"
}

/** The record as HubSpot holds it after a write, on top of what it held before. */
const written = (before: Native, encoded: Encoded): Native => {
  const record = merge(before, JSON.parse(JSON.stringify(encoded.record)))
  for (const links of Object.values(encoded.steps)) {
    if (!isLinks(links)) continue
    const path = `associations.${links.to}.results`
    const held = getPath(before, path)
    const kept = (Array.isArray(held) ? held.filter(isNative) : []).filter(
      ({ id }) => !links.unlink.includes(String(id))
    )
    const made = links.link.map((id): Native => ({ id, type: inlineType[`${encoded.nativeType}/${links.to}`] }))
    setPath(
      record,
      path,
      [...kept, ...made].toSorted((a, b) => Number(a.id) - Number(b.id))
    )
  }
  const properties = isNative(record.properties) ? record.properties : {}
  const closed = pipelines.flatMap(({ stages }) => stages).find(({ id }) => id === properties.dealstage)?.metadata
  setPath(record, "properties.hs_is_closed", closed?.isClosed ?? null)
  setPath(record, "properties.hs_is_closed_won", closed === undefined ? null : String(closed.probability === "1.0"))
  return record
}

const word = fc.string({ minLength: 1, unit: "grapheme" })
const line = word.filter((text) => !/[\r\n]/.test(text))
const providerId = fc.nat().map(String)

const scalar = (field: Field): fc.Arbitrary<unknown> => {
  switch (field.kind) {
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value))
    case "integer":
      return fc.maxSafeInteger()
    case "date":
      return fc
        .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10))
    case "dateTime":
      return fc
        .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
        .map((date) => date.toISOString())
    case "providerId":
      return providerId
    case "list":
      return fc.uniqueArray(providerId).map((ids) => ids.toSorted((a, b) => Number(a) - Number(b)))
    default:
      return field.values === undefined ? word : fc.constantFrom(...field.values)
  }
}

/** Lists that fill any of the slots, in their order. */
const embeddedResource = (entry: SlotsEntry, shape: Shape): fc.Arbitrary<unknown> =>
  fc.subarray([...entry.slots]).chain((places) =>
    fc.tuple(
      ...places.map((place) => {
        const [first, ...rest] = place.entries.flatMap((part) =>
          part.kind === "group" ? part.canonical : [part.canonical]
        )
        const values = Object.fromEntries([
          // an entry of which nothing is there is no entry, and a second street line needs a first
          ...(first === undefined ? [] : [[first, line]]),
          ...rest.map((name) => [name, fc.option(word)])
        ])
        const label = entry.label === null ? {} : { [entry.label]: fc.constant(place.is) }
        const blank = Object.fromEntries(Object.keys(shape.fields).map((name) => [name, null]))
        return fc.record({ ...values, ...label }).map((item) => ({ ...blank, ...item }))
      })
    )
  )

const isLink = ({ item, kind }: Field) => kind === "providerId" || (item !== undefined && !("fields" in item))

/** Bodies of what a mapping can write; a deal's status follows from its stage. */
const bodies = (resource: Resource, entries: ReadonlyArray<Entry>): fc.Arbitrary<Body> => {
  const values: { [name: string]: fc.Arbitrary<unknown> } = {}
  for (const entry of entries) {
    const field = typeof entry.canonical === "string" ? resource.fields[entry.canonical] : undefined
    if (field === undefined || field.access !== "rw" || (entry.kind === "field" && entry.access === "read")) continue
    if (entry.kind === "slots" && field.item !== undefined && "fields" in field.item)
      values[entry.canonical] = embeddedResource(entry, field.item)
    else if (entry.kind === "field" || (entry.kind === "computed" && isLink(field)))
      values[entry.canonical] = scalar(field)
  }
  const emails = fc
    .array(word, { maxLength: 1 })
    .map((all) => all.map((email_address) => ({ email_address, email_address_type: null })))
  const placed = fc
    .constantFrom(...pipelines)
    .chain((pipeline) =>
      fc.record({ pipeline: fc.constant(pipeline.id), stage: fc.constantFrom(...pipeline.stages.map(({ id }) => id)) })
    )
  const { pipeline: _, stage: __, ...rest } = values
  // without them a create takes what the account has
  const filled = Object.fromEntries(
    entries.flatMap((entry) => {
      const field = entry.kind === "computed" && entry.fills === true ? resource.fields[entry.canonical] : undefined
      return field === undefined || resource.name === "deal" ? [] : [[entry.canonical, scalar(field)]]
    })
  )
  const body = fc
    .tuple(
      fc.record(
        { ...rest, ...("email_addresses" in resource.fields ? { email_addresses: emails } : {}) },
        { requiredKeys: [] }
      ),
      fc.record(filled)
    )
    .map(([one, two]) => ({ ...one, ...two }))
  return resource.name === "deal" ? fc.tuple(body, placed).map(([one, two]) => ({ ...one, ...two })) : body
}

/** The fields that a record must have after a body, with nothing else set. */
const expected = (resource: Resource, body: Body, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, body[name] ?? (resource.fields[name]?.kind === "list" ? [] : null)]))

const adapters: ReadonlyArray<{ readonly resource: Resource; readonly adapter: ResourceAdapter }> = [
  { resource: Contact, adapter: contact(noCall, noType) },
  { resource: Company, adapter: company(noCall, noType) },
  { resource: Deal, adapter: deal(noCall, noType) },
  { resource: Note, adapter: note(noCall, noType) },
  { resource: Task, adapter: task(noCall, noType) },
  { resource: Meeting, adapter: meeting(noCall, noType) },
  { resource: Activity, adapter: activity(noCall, noType) },
  { resource: Appointment, adapter: appointment(noCall, noType) }
]

const mapped = adapters.flatMap(({ adapter, resource }) =>
  adapter.mapping.variants.map(({ entries, nativeType }) => ({ adapter, resource, entries, nativeType }))
)

describe.each(mapped)("mapping of $resource.name onto $nativeType", ({ adapter, entries, nativeType, resource }) => {
  const variant = compile("hubspot", resource, adapter.mapping).variant(nativeType)
  if (variant === undefined) throw new Error("no variant")
  const body = bodies(resource, entries)
  const names = entries
    .filter((entry) => {
      const field = typeof entry.canonical === "string" ? resource.fields[entry.canonical] : undefined
      if (entry.kind === "computed")
        return field !== undefined && (isLink(field) || field.kind === "list" || entry.fills === true)
      return entry.kind === "field" ? entry.access === "both" : entry.kind !== "constant"
    })
    .flatMap((entry) => entry.canonical)
  const encode = (one: Body, mode: Mode, current?: Native) =>
    Either.getOrThrowWith(
      variant.encode(one, mode, encodeInput(current)),
      (refused) => new Error(JSON.stringify(refused))
    )
  const created = (one: Body) => written({ id: "1", properties: {} }, encode(one, "create"))
  const pick = (record: Native) => Object.fromEntries(names.map((name) => [name, record[name]]))
  const shown = (record: Native) => pick(variant.decode({ record }, context))

  it("shows what a create wrote", () =>
    fc.assert(fc.property(body, (one) => assert.deepStrictEqual(shown(created(one)), expected(resource, one, names)))))

  it("shows nothing but what a replace wrote", () =>
    fc.assert(
      fc.property(body, body, (old, one) => {
        const before = created(old)
        const after = written(before, encode(one, "replace", before))
        assert.deepStrictEqual(shown(after), expected(resource, one, names))
      })
    ))

  it("keeps what a patch does not name", () =>
    fc.assert(
      fc.property(body, body, (old, one) => {
        const before = created(old)
        const after = written(before, encode(one, "patch", before))
        assert.deepStrictEqual(shown(after), expected(resource, { ...old, ...one }, names))
      })
    ))

  it.effect("calls nobody for a patch that changes nothing", () =>
    Effect.gen(function* () {
      const encoded = encode({}, "patch")
      const connection = { id: "c", provider: "hubspot", environment: "sandbox", organisation: "org" } as const
      const written = adapter.patch?.({ connection, variant, id: "1", encoded, current: undefined, mode: "patch" })
      assert.deepStrictEqual(yield* written ?? Effect.dieMessage("no patch"), { id: "1" })
    })
  )

  it("writes every property as a string", () =>
    fc.assert(
      fc.property(body, (one) => {
        const { properties } = encode(one, "create").record
        for (const value of Object.values(isNative(properties) ? properties : {})) assert.isString(value)
      })
    ))
})

describe("kinds of link", () => {
  const connection = (id: string): ConnectionRef => ({
    id,
    provider: "hubspot",
    environment: "sandbox",
    organisation: "org"
  })

  /** An account that numbers its kinds otherwise than the published tables do, and calls them otherwise. */
  const labels = [
    { category: "USER_DEFINED", typeId: 28, label: "Primary school" },
    { category: "HUBSPOT_DEFINED", typeId: 4711, label: "Lead with Primary Company" },
    { category: "HUBSPOT_DEFINED", typeId: 4712, label: null }
  ]

  const linked = (call: Caller) => Effect.provide(linkTypes(call), KeptValues.layerMemory)

  const recorded = (answer: unknown) => {
    const calls: Array<Call> = []
    const call: Caller = (_, asked) =>
      Effect.sync(() => {
        calls.push(asked)
        return { status: 200, headers: {}, body: asked.operation === "associations.labels" ? answer : { id: "7" } }
      })
    return { call, calls }
  }

  it.effect("are the account's own, asked for once", () =>
    Effect.gen(function* () {
      const { call, calls } = recorded({ results: labels })
      const typeOf = yield* linked(call)
      const both = Effect.all([
        typeOf(connection("one"), "leads", "companies", true),
        typeOf(connection("one"), "leads", "companies", false)
      ])
      const kinds = [
        { id: 4711, isPrimary: true },
        { id: 4712, isPrimary: false }
      ]
      assert.deepStrictEqual(yield* both, kinds)
      assert.deepStrictEqual(yield* both, kinds)
      assert.deepStrictEqual(
        calls.map(({ path }) => path),
        ["/crm/v4/associations/leads/companies/labels"]
      )
      yield* typeOf(connection("two"), "leads", "companies", false)
      assert.strictEqual(calls.length, 2)
    })
  )

  it.effect("are written with their ids, and asked for by no write that links nothing", () =>
    Effect.gen(function* () {
      const { call, calls } = recorded({ results: labels })
      const { create, mapping } = appointment(call, yield* linked(call))
      const [variant] = compile("hubspot", Appointment, mapping).variants
      if (variant === undefined || create === undefined) return assert.fail("no create")
      const made = (body: Body) =>
        create({
          connection: connection("one"),
          variant,
          encoded: Either.getOrThrow(variant.encode(body, "create", encodeInput())),
          idempotencyKey: undefined
        })
      yield* made({ subject: "Visit" })
      assert.deepStrictEqual(
        calls.map(({ operation }) => operation),
        ["appointments.create"]
      )
      yield* made({ subject: "Visit", account: "12" })
      assert.deepStrictEqual(getPath(calls.at(-1)?.json, "associations"), [
        { to: { id: "12" }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 4712 }] }
      ])
    })
  )

  it.effect("that an account lacks are no field to set", () =>
    Effect.gen(function* () {
      const typeOf = yield* linked(recorded({ results: labels.slice(0, 1) }).call)
      const { reason } = yield* Effect.flip(typeOf(connection("one"), "leads", "companies", true))
      assert.deepStrictEqual(
        reason,
        new Invalid({
          fields: {
            "associations.companies": "cannot be set: this HubSpot account has no link from leads to companies"
          }
        })
      )
    })
  )
})

describe("deal stages", () => {
  const [variant] = compile("hubspot", Deal, deal(noCall, noType).mapping).variants
  if (variant === undefined) throw new Error("no variant")
  const at = (pipeline: string, dealstage: string): Native =>
    written({ id: "1", properties: { pipeline, dealstage } }, { nativeType: "deals", record: {}, steps: {} })
  const patched = (body: Body, current: Native) =>
    Either.map(variant.encode(body, "patch", encodeInput(current)), ({ record }) => record.properties)
  const properties = (pipeline: string, dealstage: string) => Either.right({ pipeline, dealstage })
  const unchanged = Either.right(undefined)

  it("takes the stage that has the status", () => {
    assert.deepStrictEqual(patched({ status: "WON" }, at("default", "contract")), properties("default", "won"))
    assert.deepStrictEqual(patched({ status: "LOST" }, at("renewals", "r1")), properties("renewals", "r3"))
    assert.deepStrictEqual(patched({ status: "OPEN" }, at("default", "lost")), properties("default", "appointment"))
    assert.deepStrictEqual(
      patched({ status: "WON", pipeline: "renewals" }, at("default", "contract")),
      properties("renewals", "r2")
    )
  })

  it("stays where the status is met", () => {
    assert.deepStrictEqual(patched({ status: "OPEN" }, at("default", "contract")), unchanged)
    assert.deepStrictEqual(patched({ pipeline: "default" }, at("default", "contract")), unchanged)
  })

  it("refuses a status that its stage contradicts, and finds the stage's pipeline", () => {
    for (const stage of ["appointment", "contract"]) {
      assert.deepStrictEqual(
        Either.mapLeft(patched({ status: "WON", stage }, at("default", "contract")), Object.keys),
        Either.left(["status"])
      )
    }
    assert.deepStrictEqual(
      patched({ status: "WON", stage: "won" }, at("default", "contract")),
      properties("default", "won")
    )
    assert.deepStrictEqual(patched({ stage: "r1" }, at("default", "contract")), properties("renewals", "r1"))
  })

  it("keeps the status when only the pipeline changes", () => {
    assert.deepStrictEqual(patched({ pipeline: "renewals" }, at("default", "lost")), properties("renewals", "r3"))
    assert.deepStrictEqual(patched({ pipeline: "renewals" }, at("default", "contract")), properties("renewals", "r1"))
  })

  it("stays where no stage has the status", () => {
    const onlyOpen = [{ id: "short", stages: [stage("s1", 0, "0.1", "false")] }]
    const input = { ...encodeInput(at("short", "s1")), lookups: { pipelines: onlyOpen }, handling: "lenient" as const }
    const plan = Either.getOrThrow(variant.encode({ name: "New", status: "LOST" }, "patch", input))
    assert.deepStrictEqual(plan.record.properties, { dealname: "New" })
    assert.deepStrictEqual(
      plan.warnings.map(({ code, field }) => [field, code]),
      [["status", "STATUS_NOT_REACHED"]]
    )
    // nothing else would be written
    assert.deepStrictEqual(
      Either.mapLeft(variant.encode({ status: "LOST" }, "patch", input), Object.keys),
      Either.left(["status"])
    )
  })

  it("puts a new deal where the account does by default, and says so", () => {
    const made = (body: Body) => {
      const input = { ...encodeInput(), handling: "lenient" as const }
      const plan = Either.getOrThrow(variant.encode({ name: "New", ...body }, "create", input))
      const place = ["pipeline", "dealstage"].map((name) => getPath(plan.record, `properties.${name}`))
      return [...place, ...plan.warnings.map(({ code, field }) => `${field} ${code}`)]
    }
    assert.deepStrictEqual(made({}), ["default", "appointment", "stage CHANGED"])
    assert.deepStrictEqual(made({ pipeline: "renewals", stage: null }), ["renewals", "r1", "stage CHANGED"])
    assert.deepStrictEqual(made({ status: "LOST" }), ["default", "lost", "stage CHANGED"])
    assert.deepStrictEqual(made({ stage: "r2", status: "WON" }), ["renewals", "r2"])
    assert.deepStrictEqual(
      Either.mapLeft(variant.encode({ name: "New" }, "create", encodeInput()), Object.keys),
      Either.left(["stage"])
    )
  })

  it("refuses what is in no pipeline, and clearing", () => {
    const refused = (body: Body) =>
      Either.match(patched(body, at("default", "contract")), { onLeft: Object.keys, onRight: () => [] })
    assert.deepStrictEqual(refused({ stage: "gone" }), ["stage"])
    assert.deepStrictEqual(refused({ stage: "r1", pipeline: "default" }), ["stage"])
    assert.deepStrictEqual(refused({ pipeline: "gone" }), ["pipeline"])
    assert.deepStrictEqual(refused({ stage: null }), ["stage"])
  })
})

/** The only variant of a native type, with what it writes over what HubSpot holds. */
const only = (resource: Resource, { mapping }: { readonly mapping: Mapping }, nativeType: string) => {
  const variant = compile("hubspot", resource, mapping).variant(nativeType)
  if (variant === undefined) throw new Error(`no ${nativeType}`)
  const current = (properties: Native, lookups: Native = {}) => {
    const record: Native = { id: "1", properties }
    const encode = (body: Body, mode: Mode, handling: Handling = "strict") =>
      Either.match(variant.encode(body, mode, { ...encodeInput(record), handling, lookups }), {
        onLeft: (refused): unknown => refused,
        onRight: (encoded) => encoded.record.properties
      })
    return {
      shown: variant.decode({ record, lookups }, context),
      patched: (body: Body, handling?: Handling) => encode(body, "patch", handling),
      replaced: (body: Body) => encode(body, "replace")
    }
  }
  return current
}

describe("the status of a task", () => {
  const held = only(Task, task(noCall, noType), "tasks")

  it("is OPEN until the task is completed, whatever it is until then", () => {
    for (const hs_task_status of ["NOT_STARTED", "IN_PROGRESS", "WAITING", "DEFERRED", null]) {
      const { patched, shown } = held({ hs_task_status })
      assert.strictEqual(shown.status, "OPEN")
      assert.isUndefined(patched({ status: "OPEN" }))
      assert.deepStrictEqual(patched({ status: "CLOSED" }), { hs_task_status: "COMPLETED" })
    }
    const { patched, shown } = held({ hs_task_status: "COMPLETED" })
    assert.strictEqual(shown.status, "CLOSED")
    assert.isUndefined(patched({ status: "CLOSED" }))
    assert.deepStrictEqual(patched({ status: "OPEN" }), { hs_task_status: "NOT_STARTED" })
  })

  it("stays in a PUT that does not say it, and is not cleared", () => {
    const { patched, replaced } = held({ hs_task_status: "COMPLETED" })
    assert.notProperty(replaced({ subject: "Later" }), "hs_task_status")
    assert.property(patched({ status: null }), "status")
  })

  it("tells when the task was done only of one that is", () => {
    const hs_task_completion_date = "2026-03-01T10:00:00Z"
    const done = { hs_task_completion_date, hs_task_status: "COMPLETED" }
    assert.strictEqual(held(done).shown.completed_date, "2026-03-01T10:00:00.000Z")
    assert.isNull(held({ ...done, hs_task_status: "WAITING" }).shown.completed_date)
  })

  it("has no priority where HubSpot says NONE", () => {
    assert.isNull(held({ hs_task_priority: "NONE" }).shown.priority)
    assert.strictEqual(held({ hs_task_priority: "MEDIUM" }).shown.priority, "NORMAL")
  })
})

describe("the times of activities", () => {
  const call = only(Activity, activity(noCall, noType), "calls")
  const hs_timestamp = "2026-03-01T10:00:00Z"
  const lasting = { hs_timestamp, hs_call_duration: "600000" }

  it("end a call after its duration", () => {
    assert.strictEqual(call(lasting).shown.start_time, "2026-03-01T10:00:00.000Z")
    assert.strictEqual(call(lasting).shown.end_time, "2026-03-01T10:10:00.000Z")
    for (const hs_call_duration of [null, ""]) {
      assert.isNull(call({ hs_timestamp, hs_call_duration }).shown.end_time)
    }
    assert.deepStrictEqual(call(lasting).patched({ end_time: "2026-03-01T11:00:00+01:00" }), { hs_call_duration: "0" })
  })

  it("keep the end of a call whose start moves, unless it is given or cleared", () => {
    const start_time = "2026-03-01T10:05:00Z"
    const moved = { hs_timestamp: start_time }
    assert.deepStrictEqual(call(lasting).patched({ start_time }), { ...moved, hs_call_duration: "300000" })
    assert.deepStrictEqual(call({ hs_timestamp }).patched({ start_time }), moved)
    assert.deepInclude(call(lasting).patched({ start_time, end_time: null }), { ...moved, hs_call_duration: "" })
    assert.deepInclude(call(lasting).replaced({ start_time }), { ...moved, hs_call_duration: "" })
    assert.deepInclude(call(lasting).replaced({ start_time, end_time: "2026-03-01T10:06:00Z" }), {
      ...moved,
      hs_call_duration: "60000"
    })
  })

  it("do not run backwards", () => {
    assert.property(call(lasting).patched({ start_time: "2026-03-01T10:11:00Z" }), "start_time")
    assert.property(call(lasting).patched({ end_time: "2026-03-01T09:00:00Z" }), "end_time")
  })

  it("do not run backwards where both are kept, whichever moves", () => {
    const kinds = [
      {
        held: only(Meeting, meeting(noCall, noType), "meetings"),
        start: "hs_meeting_start_time",
        end: "hs_meeting_end_time"
      },
      {
        held: only(Appointment, appointment(noCall, noType), "appointments"),
        start: "hs_appointment_start",
        end: "hs_appointment_end"
      },
      {
        held: only(Activity, activity(noCall, noType), "meetings"),
        start: "hs_meeting_start_time",
        end: "hs_meeting_end_time"
      }
    ]
    const [nine, ten, eleven, noon] = ["09", "10", "11", "12"].map((hour) => `2026-03-01T${hour}:00:00Z`)
    for (const { end, held, start } of kinds) {
      const { patched, replaced } = held({ [start]: ten, [end]: eleven })
      const refused = (body: Body) => Object.keys(patched(body) ?? {})
      assert.deepStrictEqual(refused({ end_time: nine }), ["end_time"])
      assert.deepStrictEqual(refused({ start_time: noon }), ["start_time"])
      assert.deepStrictEqual(refused({ start_time: noon, end_time: eleven }), ["end_time"])
      assert.deepInclude(patched({ start_time: nine, end_time: nine }), { [start]: nine, [end]: nine })
      assert.deepInclude(patched({ start_time: noon, end_time: null }), { [start]: noon, [end]: "" })
      assert.deepInclude(replaced({ start_time: noon }), { [start]: noon, [end]: "" })
      assert.property(held({}).patched({ start_time: noon, end_time: nine }), "end_time")
    }
  })

  it("put a meeting where it starts", () => {
    const meetings = only(Meeting, meeting(noCall, noType), "meetings")
    const start = { hs_meeting_start_time: "2026-03-02T10:00:00Z" }
    assert.strictEqual(meetings({ hs_timestamp }).shown.start_time, "2026-03-01T10:00:00.000Z")
    assert.strictEqual(meetings({ hs_timestamp, ...start }).shown.start_time, "2026-03-02T10:00:00.000Z")
    assert.deepStrictEqual(meetings({}).patched({ start_time: hs_timestamp }), {
      hs_timestamp,
      hs_meeting_start_time: hs_timestamp
    })
  })
})

describe("what is particular to kinds of activities", () => {
  it("an e-mail shows its HTML before its text, and keeps a direction that means the same", () => {
    const email = only(Activity, activity(noCall, noType), "emails")
    const { patched, replaced, shown } = email({
      hs_email_text: "plain",
      hs_email_html: "<p><b>rich</b></p>",
      hs_email_direction: "FORWARDED_EMAIL"
    })
    assert.deepInclude(shown, { content: "<p><b>rich</b></p>", content_type: "HTML" })
    const plain = email({ hs_email_text: "<plain>", hs_email_html: null }).shown
    assert.deepInclude(plain, { content: "<plain>", content_type: "TEXT" })
    assert.deepStrictEqual(patched({ content: "a < b" }), { hs_email_text: "a < b", hs_email_html: "a &lt; b" })
    assert.strictEqual(shown.direction, "INBOUND")
    assert.isUndefined(patched({ direction: "INBOUND" }))
    assert.deepStrictEqual(patched({ direction: "OUTBOUND" }), { hs_email_direction: "EMAIL" })
    assert.property(patched({ direction: null }), "direction")
    assert.notProperty(replaced({ start_time: "2026-03-01T10:00:00Z" }), "hs_email_direction")
  })

  it("what a kind does not hold is refused, also another kind", () => {
    const message = only(Activity, activity(noCall, noType), "communications")({})
    const body = { subject: "s", direction: "INBOUND", end_time: "2026-03-01T10:00:00Z", activity_type: "CALL" }
    assert.sameMembers(Object.keys(message.patched(body) ?? {}), Object.keys(body))
  })

  it("an account whose appointments have no status is not asked to write or clear it", () => {
    const held = only(Appointment, appointment(noCall, noType), "appointments")
    const has = { appointment_properties: ["hs_appointment_name", "hs_appointment_status"] }
    const lacks = { appointment_properties: ["hs_appointment_name"] }
    assert.deepStrictEqual(held({}, has).patched({ status: "CANCELLED" }), { hs_appointment_status: "CANCELED" })
    assert.deepInclude(held({}, has).replaced({ subject: "s" }), { hs_appointment_status: "" })
    assert.deepStrictEqual(held({}, lacks).patched({ status: "CANCELLED" }), {
      status: "the account has no property hs_appointment_status"
    })
    assert.notProperty(held({}, lacks).replaced({ subject: "s" }), "hs_appointment_status")
  })
})

describe("the status of a lead", () => {
  const held = only(
    Lead,
    lead(noCall, noType, () => Effect.dieMessage("nobody looks")),
    "leads"
  )
  const lead_pipelines = [
    {
      id: "lead-pipeline-id",
      stages: [
        { id: "new-stage-id", label: "Neu" },
        { id: "qualified-stage-id", label: "Gewonnen" },
        { id: "unqualified-stage-id", label: "Verloren" }
      ]
    },
    {
      id: "2",
      stages: [
        { id: "21", label: "New" },
        { id: "22", label: "Qualified" },
        { id: "23", label: "Disqualified", archived: true },
        { id: "24", label: "Disqualified" }
      ]
    }
  ]
  const at = (hs_pipeline: string, hs_pipeline_stage: string) =>
    held({ hs_pipeline, hs_pipeline_stage }, { lead_pipelines })
  const properties = (hs_pipeline: string, hs_pipeline_stage: string) => ({ hs_pipeline, hs_pipeline_stage })

  it("is what the id of the stage means, else its label", () => {
    assert.strictEqual(at("lead-pipeline-id", "qualified-stage-id").shown.status, "QUALIFIED")
    assert.strictEqual(at("lead-pipeline-id", "new-stage-id").shown.status, "OPEN")
    assert.strictEqual(at("2", "22").shown.status, "QUALIFIED")
    assert.strictEqual(at("2", "24").shown.status, "UNQUALIFIED")
    assert.strictEqual(at("2", "gone").shown.status, "OPEN")
  })

  it("moves the lead inside its pipeline, and only when it changes", () => {
    assert.deepStrictEqual(at("2", "21").patched({ status: "UNQUALIFIED" }), properties("2", "24"))
    assert.isUndefined(at("2", "23").patched({ status: "UNQUALIFIED" }))
    assert.deepStrictEqual(
      held({}, { lead_pipelines }).patched({ status: "QUALIFIED" }),
      properties("lead-pipeline-id", "qualified-stage-id")
    )
  })

  it("is closest where it cannot be reached: closed is not qualified, and a lead whose pipeline lacks the stage stays", () => {
    const closed = { title: "x", status: "CLOSED" }
    assert.deepStrictEqual(at("2", "21").patched(closed, "lenient"), properties("2", "24"))
    assert.deepStrictEqual(at("2", "21").patched(closed), { status: "is held as UNQUALIFIED" })
    assert.deepStrictEqual(at("2", "21").patched({ status: "CLOSED" }, "lenient"), properties("2", "24"))
    assert.deepStrictEqual(at("2", "24").patched({ status: "CLOSED" }, "lenient"), { status: "is held as UNQUALIFIED" })
    const none = held({}, { lead_pipelines: [] })
    assert.isUndefined(none.patched({ title: "x", status: "QUALIFIED" }, "lenient"))
    assert.deepStrictEqual(none.patched({ status: "QUALIFIED" }), {
      status: "no stage of the lead's pipeline has it"
    })
    const short = { lead_pipelines: [{ id: "3", stages: [{ id: "31", label: "New" }] }] }
    assert.isUndefined(
      held({ hs_pipeline: "3", hs_pipeline_stage: "31" }, short).patched(
        { title: "x", status: "UNQUALIFIED" },
        "lenient"
      )
    )
  })

  it("cannot be cleared; a PUT may leave it out", () => {
    assert.property(at("2", "21").patched({ status: null }), "status")
    assert.notProperty(at("2", "21").replaced({ last_name: "King" }), "hs_pipeline_stage")
  })

  it("stands beside a name that can be changed, not cleared", () => {
    const { patched } = held({ hs_lead_name: "Ada" })
    assert.property(patched({ name: null }), "name")
    assert.deepStrictEqual(patched({ name: "Augusta" }), { hs_lead_name: "Augusta" })
  })
})

describe("e-mail addresses of a contact", () => {
  const [variant] = compile("hubspot", Contact, contact(noCall, noType).mapping).variants
  if (variant === undefined) throw new Error("no variant")
  const current: Native = {
    id: "1",
    properties: { email: "a@example.com", hs_additional_emails: "b@example.com;c@example.com" }
  }
  const further = { email_address: "b@example.com", email_address_type: "SECONDARY" }

  it("shows further ones as SECONDARY", () => {
    assert.deepStrictEqual(variant.decode({ record: current }, context).email_addresses, [
      { email_address: "a@example.com", email_address_type: null },
      further,
      { ...further, email_address: "c@example.com" }
    ])
  })

  it("takes back further ones it holds and refuses new ones by their place", () => {
    const first = { email_address: "new@example.com" }
    const encode = (body: Body) => variant.encode(body, "patch", encodeInput(current))
    const last = { email_address: "C@example.com" }
    assert.isTrue(variant.needs({ email_addresses: [first] }, "patch").current)
    assert.deepStrictEqual(
      Either.map(encode({ email_addresses: [first, further, last] }), ({ record }) => record),
      Either.right({ properties: { email: "new@example.com" } })
    )
    assert.deepStrictEqual(
      Either.match(encode({ email_addresses: [first, further, last, { email_address: "x@example.com" }] }), {
        onLeft: Object.keys,
        onRight: () => []
      }),
      ["email_addresses.3"]
    )
  })

  it("refuses to leave out further ones, and names them", () => {
    const said = (email_addresses: unknown) =>
      Either.match(variant.encode({ email_addresses }, "patch", encodeInput(current)), {
        onLeft: (refused) => refused.email_addresses,
        onRight: () => undefined
      })
    const first = { email_address: "a@example.com" }
    assert.match(String(said([first, further])), /keeps c@example\.com:/)
    assert.match(String(said([further])), /keeps b@example\.com, c@example\.com:/)
    assert.match(String(said(null)), /keeps b@example\.com, c@example\.com:/)
  })
})
