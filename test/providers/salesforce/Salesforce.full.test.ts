import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Layer } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import type { Field, Resource } from "../../../src/canonical/Resource.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import type { Body } from "../../../src/mapping/Encode.ts"
import type { Entry, Native } from "../../../src/mapping/Mapping.ts"
import { raw } from "../../../src/mapping/Transform.ts"
import type { Call } from "../../../src/providers/base/Upstream.ts"
import type { Page } from "../../../src/providers/ProviderAdapter.ts"
import {
  Down,
  Invalid,
  Missing,
  NotPermitted,
  ProviderError,
  type Reason
} from "../../../src/providers/ProviderError.ts"
import { Providers } from "../../../src/providers/Providers.ts"
import { company } from "../../../src/providers/salesforce/Company.ts"
import { contact } from "../../../src/providers/salesforce/Contact.ts"
import { currency } from "../../../src/providers/salesforce/Currency.ts"
import { deal } from "../../../src/providers/salesforce/Deal.ts"
import { lead } from "../../../src/providers/salesforce/Lead.ts"
import { readError } from "../../../src/providers/salesforce/ReadError.ts"
import { Salesforce } from "../../../src/providers/salesforce/Salesforce.ts"
import { simulator } from "../../../src/providers/salesforce/simulator/SalesforceSimulator.ts"
import { quote } from "../../../src/providers/salesforce/Soql.ts"
import { task } from "../../../src/providers/salesforce/Task.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { harness } from "../../support/Harness.ts"
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
  stages,
  variantOf
} from "./support.ts"

// ---------------------------------------------------------------------------------------------------------------------

const words = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/[\r\n\u2028\u2029]/.test(text))
const ids = fc.stringMatching(/^[a-zA-Z0-9]{18}$/)

const valueOf = (field: Field): fc.Arbitrary<unknown> => {
  if (field.values !== undefined) return fc.constantFrom(...field.values)
  switch (field.kind) {
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case "integer":
      return fc.maxSafeInteger()
    case "date":
      return fc
        .date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10))
    case "providerId":
      return ids
    default:
      return words
  }
}

/** Values for the canonical fields of an entry; undefined where the provider decides. */
const bodyOf = (resource: Pick<Resource, "fields">, entry: Entry): fc.Arbitrary<Body> | undefined => {
  const field =
    "canonical" in entry && typeof entry.canonical === "string" ? resource.fields[entry.canonical] : undefined
  switch (entry.kind) {
    case "group":
      // further street lines stand below a first one
      return fc.oneof(
        fc.constant({}),
        words.map((street_1) => ({ street_1 })),
        fc
          .tuple(words, fc.array(words, { minLength: 1, maxLength: 3 }))
          .map(([street_1, more]) => ({ street_1, street_2: more.join("\n") }))
      )
    case "slots": {
      const item = field?.item
      if (item === undefined || !("fields" in item)) return undefined
      const { canonical, label } = entry
      const places = entry.slots.map((slot) => {
        const parts = slot.entries.flatMap((part) => bodyOf({ fields: item.fields }, part) ?? [])
        return fc
          .tuple(...parts)
          .map((values): Body => Object.assign({}, ...values))
          .map((values) =>
            label === null || Object.keys(values).length === 0 ? values : { ...values, [label]: slot.is }
          )
      })
      return fc.tuple(...places).map((items) => ({ [canonical]: items.filter((one) => Object.keys(one).length > 0) }))
    }
    case "field":
    case "computed": {
      if (field === undefined || field.access !== "rw" || entry.canonical === "status") return undefined
      if (entry.kind === "field" ? entry.access === "read" : entry.encode === undefined) return undefined
      const value =
        entry.canonical === "stage"
          ? fc.constantFrom(...stages.map((stage) => stage.ApiName))
          : entry.canonical === "probability"
            ? fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100)
            : valueOf(field)
      return fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [entry.canonical]: one }))
    }
    default:
      return undefined
  }
}

/** Adds the fields that Salesforce sets on a new record by itself. */
const derived = (record: Native): Native => ({
  ...record,
  ...stages.find((stage) => stage.ApiName === record.StageName),
  OpportunityContactRoles: record.ContactId === undefined ? null : { records: [{ ContactId: record.ContactId }] }
})

describe("Salesforce mappings", () => {
  const resources = [
    [crm.contact, contact(silent)],
    [crm.company, company(silent)],
    [crm.lead, lead(silent)],
    [crm.deal, deal(silent)]
  ] as const

  it.each(resources)("$name: what is written is what is read", (resource, adapter) => {
    const variant = variantOf(resource, adapter)
    const entries = adapter.mapping.variants.flatMap((one) => one.entries)
    const bodies = fc
      .tuple(...entries.flatMap((entry) => bodyOf(resource, entry) ?? []))
      .map((parts): Body => Object.assign({}, ...parts))
    fc.assert(
      fc.property(bodies, (body) => {
        const { record } = lenient(variant, body, "create")
        const read = variant.decode({ record: derived(JSON.parse(JSON.stringify(record))) }, context)
        for (const [name, field] of Object.entries(resource.fields)) {
          if (field.access !== "rw" || name === "status" || name === "pipeline") continue
          // which every deal has
          if ((name === "stage" || name === "close_date") && body[name] === undefined) continue
          const none = field.kind === "list" ? [] : null
          const item = field.item
          const wanted =
            item !== undefined && "fields" in item
              ? objects(body[name]).map((one) => ({
                  ...Object.fromEntries(Object.keys(item.fields).map((key) => [key, null])),
                  ...one
                }))
              : (body[name] ?? none)
          assert.deepEqual(read[name], JSON.parse(JSON.stringify(wanted)), name)
        }
      })
    )
  })

  it("contact: the second address without a label goes to the other one, a third has no place", () => {
    const variant = variantOf(crm.contact, contact(silent))
    const two = encoded(variant, { last_name: "Doe", addresses: [{ city: "Rome" }, { city: "Oslo" }] }, "create")
    assert.deepEqual(two.record, { LastName: "Doe", MailingCity: "Rome", OtherCity: "Oslo" })
    const three = encodeWith(variant, { addresses: [{ city: "a" }, { city: "b" }, { city: "c" }] }, "patch")
    assert.deepEqual(Either.flip(three).pipe(Either.getOrThrow), { "addresses.2": "salesforce holds at most 2 here" })
    const labelled = encodeWith(variant, { addresses: [{ city: "a", address_type: "BILLING" }] }, "patch")
    assert.deepEqual(Object.keys(Either.flip(labelled).pipe(Either.getOrThrow)), ["addresses.0.address_type"])
  })

  it("deal: the status picks the first stage in use, a stage does not contradict it, nothing happens where it is so already", () => {
    const variant = variantOf(crm.deal, deal(silent))
    const open = { nativeType: "Opportunity", record: derived({ Id: "006", StageName: "Prospecting" }) }
    const won = { nativeType: "Opportunity", record: derived({ Id: "006", StageName: "Old win" }) }
    assert.deepEqual(encoded(variant, { status: "WON" }, "patch", open).record, { StageName: "Closed Won" })
    assert.deepEqual(encoded(variant, { status: "LOST" }, "patch", open).record, { StageName: "Closed Lost" })
    assert.deepEqual(encoded(variant, { status: "OPEN" }, "patch", won).record, { StageName: "Prospecting" })
    assert.deepEqual(encoded(variant, { status: "WON" }, "patch", won).record, {})
    assert.deepEqual(refused(variant, { status: "WON", stage: "Prospecting" }, "patch", open), ["status"])
    assert.deepEqual(encoded(variant, { status: "WON", stage: "Closed Won" }, "patch", open).record, {
      StageName: "Closed Won"
    })
    // no stage in use is a win: where the deal is, is closest
    const few = { stages: stages.slice(0, 2) }
    assert.deepEqual(lenient(variant, { status: "WON", amount: 1 }, "patch", open, few), {
      record: { Amount: 1 },
      said: ["status STATUS_NOT_REACHED"]
    })
    assert.deepEqual(refused(variant, { status: null }, "patch", open), ["status"])
  })

  it("deal: without a stage it is in the first one, without a day it is closed today, and says so", () => {
    const variant = variantOf(crm.deal, deal(silent))
    assert.deepEqual(lenient(variant, { name: "A" }, "create"), {
      record: { Name: "A", StageName: "Prospecting", CloseDate: "2026-03-02" },
      said: ["stage CHANGED", "close_date CHANGED"]
    })
    assert.deepEqual(lenient(variant, { status: "WON", close_date: "2026-01-01" }, "create"), {
      record: { StageName: "Closed Won", CloseDate: "2026-01-01" },
      said: ["stage CHANGED"]
    })
    assert.deepEqual(refused(variant, { name: "A" }, "create"), ["close_date", "stage"])
  })

  it("deal: only stages of the pipeline, and the one it is in", () => {
    const variant = variantOf(crm.deal, deal(silent))
    const gone = { nativeType: "Opportunity", record: derived({ Id: "006", StageName: "Gone" }) }
    assert.deepEqual(refused(variant, { stage: "nope", close_date: "2026-01-01" }, "create"), ["stage"])
    assert.deepEqual(refused(variant, { stage: "nope" }, "patch", gone), ["stage"])
    assert.deepEqual(encoded(variant, { stage: "Gone", amount: 1 }, "patch", gone).record, { Amount: 1 })
    assert.deepEqual(encoded(variant, { stage: "Old win" }, "patch", gone).record, { StageName: "Old win" })
  })

  it("deal: the currency is the org's one, or any of several", () => {
    const variant = variantOf(crm.deal, deal(silent))
    const held = (record: Native, currency: unknown) => ({
      nativeType: "Opportunity",
      record: derived({ Id: "006", StageName: "Prospecting", ...record }),
      lookups: { currency }
    })
    assert.strictEqual(variant.decode(held({}, "USD"), context).currency, "USD")
    assert.strictEqual(variant.decode(held({ CurrencyIsoCode: "EUR" }, null), context).currency, "EUR")
    const single = { stages, currency: "USD" }
    assert.deepEqual(encoded(variant, { currency: "USD" }, "patch", held({}, "USD"), single).record, {})
    const made = { stage: "Prospecting", close_date: "2026-01-01" }
    assert.deepEqual(refused(variant, { ...made, currency: "EUR" }, "create", undefined, single), ["currency"])
    assert.deepEqual(refused(variant, { currency: null }, "patch", held({}, "USD"), single), ["currency"])
    assert.notProperty(
      encoded(variant, { name: "A", stage: "Prospecting" }, "replace", held({}, "USD"), single).record,
      "CurrencyIsoCode"
    )
    const several = { stages, currency: null }
    assert.propertyVal(
      encoded(variant, { ...made, currency: "EUR" }, "create", undefined, several).record,
      "CurrencyIsoCode",
      "EUR"
    )
  })

  it("deal: only the one pipeline, and only contact ids that can be one", () => {
    const variant = variantOf(crm.deal, deal(silent))
    const open = { nativeType: "Opportunity", record: derived({ Id: "006", StageName: "Prospecting" }) }
    assert.deepEqual(refused(variant, { pipeline: "renewals", contact: "O'Hara" }, "patch", open), [
      "contact",
      "pipeline"
    ])
    assert.deepEqual(encoded(variant, { pipeline: "default" }, "patch", open).record, {})
  })
})

describe("Salesforce queries", () => {
  const named = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, updateable: true, nillable: true }))
  const describes = (call: Call) => call.path.endsWith("/describe")

  it("quotes what SOQL reserves", () => {
    assert.strictEqual(quote("plain"), "'plain'")
    assert.strictEqual(quote("O'Hara"), "'O\\'Hara'")
    assert.strictEqual(quote("back\\slash\\'"), "'back\\\\slash\\\\\\''")
    assert.strictEqual(quote("two\nlines\r"), "'two\\nlines\\r'")
  })

  it.effect("asks for the fields the org has, through every batch, and looks at the org's fields once", () =>
    Effect.gen(function* () {
      const { calls, org } = yield* orgOf((call) => {
        if (describes(call)) {
          const owner = { name: "OwnerId", relationshipName: "Owner" }
          return { status: 200, body: { fields: [...named("Id", "Name", "CreatedDate", "Tier__c"), owner] } }
        }
        return call.path.endsWith("/:locator")
          ? { status: 200, body: { done: true, records: [{ Id: "006000000000002" }] } }
          : {
              status: 200,
              body: {
                done: false,
                nextRecordsUrl: "/services/data/v66.0/query/01g000-1",
                records: [{ Id: "006000000000001" }]
              }
            }
      })
      const adapter = deal(org)
      const custom = (nativeField: string, field: string) => ({
        field,
        nativeField,
        transform: raw.name,
        nativeType: undefined
      })
      const mapping = compile("salesforce", crm.deal, adapter.mapping, [
        custom("Tier__c", "tier"),
        custom("Owner.Name", "owner_name"),
        custom("Absent__c", "absent"),
        custom("Name FROM User", "odd")
      ])
      const list = adapter.list ?? (() => Effect.dieMessage("no list"))
      const page = yield* list({
        connection,
        mapping,
        position: "006000000000000",
        limit: 5,
        wanted: { created_after: { text: "2025-12-31T22:00:00.000Z", values: ["2025-12-31T22:00:00.000Z"] } }
      })
      yield* list({ connection, mapping, position: null, limit: 5, wanted: {} })
      assert.deepEqual(
        page.records.map(({ record }) => record.Id),
        ["006000000000001", "006000000000002"]
      )
      assert.isNull(page.next)
      assert.strictEqual(calls.filter(describes).length, 1)
      assert.deepEqual(calls[1]?.query, {
        q:
          "SELECT Id, CreatedDate, Name, OwnerId, (SELECT ContactId FROM OpportunityContactRoles " +
          "WHERE IsPrimary = true AND IsDeleted = false), Tier__c, Owner.Name FROM Opportunity WHERE CreatedDate >= 2025-12-31T22:00:00.000Z AND Id > '006000000000000' " +
          "ORDER BY Id LIMIT 6"
      })
    })
  )

  it.effect("writes nothing for an empty patch, and clears with a full body only what can be empty", () =>
    Effect.gen(function* () {
      const { calls, org } = yield* orgOf((call) => ({
        status: 200,
        body: describes(call)
          ? { fields: [...named("LastName", "Title", "Fax"), { name: "OwnerId", updateable: true, nillable: false }] }
          : undefined
      }))
      const adapter = contact(org)
      const variant = variantOf(crm.contact, adapter)
      const id = "003000000000001"
      const current = {
        nativeType: "Contact",
        record: {
          Id: id,
          LastName: "Roe",
          FirstName: "Jane",
          Title: "Buyer",
          Fax: "(503) 555-0101",
          OwnerId: "005000000000001"
        }
      }
      const write = (body: Body, mode: "replace" | "patch") =>
        Effect.suspend(() => {
          const run = adapter[mode] ?? (() => Effect.dieMessage(`no ${mode}`))
          return run({ connection, variant, id, encoded: encoded(variant, body, mode), current, mode })
        })
      assert.deepEqual(yield* write({}, "patch"), { id, record: current })
      assert.strictEqual(calls.length, 0)
      yield* write({ last_name: "Doe" }, "replace")
      assert.deepEqual(calls.findLast(({ json }) => json !== undefined)?.json, {
        LastName: "Doe",
        Title: null,
        Fax: null
      })
      yield* write({ owner: null, first_name: null }, "patch")
      assert.deepEqual(calls.findLast(({ json }) => json !== undefined)?.json, { OwnerId: null })
    })
  )

  it.effect("puts what is never empty back to its default with a full body, and leaves it to a patch", () =>
    Effect.gen(function* () {
      const values = [{ value: "High" }, { value: "Medium", defaultValue: true }]
      const priority = { name: "Priority", updateable: true, nillable: false, picklistValues: values }
      const { calls, org } = yield* orgOf((call) => ({
        status: 200,
        body: describes(call)
          ? { fields: [...named("Subject"), priority] }
          : { done: true, records: [{ Id: "00T000000000001" }] }
      }))
      const adapter = task(org)
      const variant = variantOf(crm.task, adapter)
      const current = { nativeType: "Task", record: { Id: "00T000000000001", Priority: "High" } }
      const write = (body: Body, mode: "patch" | "replace") =>
        (adapter[mode] ?? (() => Effect.dieMessage(`no ${mode}`)))({
          connection,
          variant,
          id: "00T000000000001",
          encoded: encoded(variant, body, mode, current),
          current,
          mode
        })
      yield* write({ subject: "Ring" }, "replace")
      assert.deepEqual(calls.findLast(({ json }) => json !== undefined)?.json, { Subject: "Ring", Priority: "Medium" })
      yield* write({ priority: null }, "patch")
      assert.deepEqual(calls.findLast(({ json }) => json !== undefined)?.json, { Priority: null })
    })
  )

  it.effect("names the field of a reference that leads nowhere, where there is only one", () =>
    Effect.gen(function* () {
      const { org } = yield* orgOf(
        ({ operation }) =>
          new ProviderError({
            provider: "salesforce",
            operation,
            reason: new Invalid({ fields: {} }),
            status: 400,
            detail: "entity is deleted"
          })
      )
      const adapter = contact(org)
      const variant = variantOf(crm.contact, adapter)
      const fieldsOf = (body: Body) =>
        (adapter.create ?? (() => Effect.dieMessage("no create")))({
          connection,
          variant,
          encoded: encoded(variant, body, "create"),
          idempotencyKey: undefined
        }).pipe(
          Effect.flip,
          Effect.map(({ reason }) => (reason._tag === "Invalid" ? reason.fields : reason._tag))
        )
      const [account, owner] = ["001000000000001AAA", "005000000000001AAA"]
      assert.deepEqual(yield* fieldsOf({ last_name: "Doe", account }), { AccountId: "entity is deleted" })
      assert.deepEqual(yield* fieldsOf({ last_name: "Doe", account, owner }), {})
    })
  )

  it.effect("asks the org for its one currency, which is hidden from some", () =>
    Effect.gen(function* () {
      const loaded = (features: Native) =>
        Effect.flatMap(
          orgOf(() => ({ status: 200, body: { features } })),
          ({ org }) => currency(org).load(connection)
        )
      assert.strictEqual(yield* loaded({ multiCurrency: false, defaultCurrencyIsoCode: "GBP" }), "GBP")
      assert.isNull(yield* loaded({ multiCurrency: true, defaultCurrencyIsoCode: null }))
      const failing = (reason: Reason) =>
        Effect.flatMap(
          orgOf(({ operation }) => new ProviderError({ provider: "salesforce", operation, reason })),
          ({ org }) => currency(org).load(connection)
        )
      assert.isNull(yield* failing(new NotPermitted()))
      assert.strictEqual((yield* Effect.flip(failing(new Down()))).reason._tag, "Down")
    })
  )

  it.effect("says what was done when a later step of a write fails", () =>
    Effect.gen(function* () {
      const { org } = yield* orgOf((call) =>
        call.operation === "OpportunityContactRole.create"
          ? new ProviderError({
              provider: "salesforce",
              operation: call.operation,
              reason: new Invalid({ fields: { ContactId: "no" } }),
              status: 400
            })
          : { status: 200, body: { done: true, records: [] } }
      )
      const adapter = deal(org)
      const variant = variantOf(crm.deal, adapter)
      const current = { nativeType: "Opportunity", record: { Id: "006000000000001", OpportunityContactRoles: null } }
      const body = { name: "Big", contact: "003000000000001" }
      const patch = adapter.patch ?? (() => Effect.dieMessage("no patch"))
      const error = yield* Effect.flip(
        patch({
          connection,
          variant,
          id: "006000000000001",
          encoded: encoded(variant, body, "patch", current),
          current,
          mode: "patch"
        })
      )
      assert.deepEqual(error.done, ["record"])
      assert.deepEqual(error.reason, new Invalid({ fields: { ContactId: "no" } }))
    })
  )
})

describe("Salesforce errors", () => {
  const read = (status: number, body: unknown) => readError({ status, body, headers: {}, now: 0 })
  const one = (status: number, errorCode: string, message = "", fields?: ReadonlyArray<string>) => {
    const { reason } = read(status, [{ errorCode, message, ...(fields === undefined ? {} : { fields }) }])
    return reason?._tag === "Invalid" ? reason.fields : reason?._tag
  }

  it("names the fields of refused values", () => {
    const missing = "Required fields are missing: [LastName]"
    assert.deepEqual(one(400, "REQUIRED_FIELD_MISSING", missing, ["LastName"]), { LastName: missing })
    assert.deepEqual(one(400, "STRING_TOO_LONG", "too long", ["FirstName", "Title"]), {
      FirstName: "too long",
      Title: "too long"
    })
    const column = "No such column 'Tier__c' on sobject of type Account"
    assert.deepEqual(one(400, "INVALID_FIELD", column), { Tier__c: column })
    assert.deepEqual(one(400, "MALFORMED_ID", "bad", ["AccountId"]), { AccountId: "bad" })
    assert.deepEqual(one(400, "FIELD_INTEGRITY_EXCEPTION", "bad", ["AccountId"]), { AccountId: "bad" })
    assert.deepEqual(one(400, "INVALID_CROSS_REFERENCE_KEY", "invalid", ["OwnerId"]), { OwnerId: "invalid" })
    assert.deepEqual(one(400, "JSON_PARSER_ERROR", "Unexpected character"), {})
    const two = "Required fields are missing: [LastName, Company]"
    assert.deepEqual(one(400, "REQUIRED_FIELD_MISSING", two, []), { LastName: two, Company: two })
    const locked = "Unable to create/update fields: Name, IsWon. Please check the security settings of this field."
    assert.deepEqual(one(400, "INVALID_FIELD_FOR_INSERT_UPDATE", locked), { Name: locked, IsWon: locked })
    // an event's length stands for its end
    assert.deepEqual(one(400, "FIELD_INTEGRITY_EXCEPTION", "bad", ["DurationInMinutes"]), { EndDateTime: "bad" })
    assert.deepEqual(one(400, "ENTITY_IS_DELETED", "entity is deleted", ["AccountId"]), {
      AccountId: "entity is deleted"
    })
  })

  it("tells the other failures apart", () => {
    assert.strictEqual(one(400, "DUPLICATES_DETECTED"), "Clash")
    assert.strictEqual(one(400, "DUPLICATE_VALUE"), "Clash")
    assert.strictEqual(one(400, "UNABLE_TO_LOCK_ROW"), "Locked")
    assert.strictEqual(one(400, "DELETE_FAILED"), "Clash")
    assert.strictEqual(one(400, "CANNOT_UPDATE_CONVERTED_LEAD"), "Clash")
    assert.strictEqual(one(404, "NOT_FOUND"), "Missing")
    assert.strictEqual(one(404, "ENTITY_IS_DELETED"), "Missing")
    assert.strictEqual(one(400, "MALFORMED_ID", "bad", ["Id"]), "Missing")
    assert.strictEqual(one(400, "INVALID_QUERY_FILTER_OPERATOR"), "Missing")
    assert.strictEqual(one(401, "INVALID_SESSION_ID"), "Unauthenticated")
    assert.strictEqual(one(400, "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY"), "NotPermitted")
    assert.strictEqual(one(400, "QUERY_TIMEOUT"), "TimedOut")
    assert.isUndefined(one(503, "SERVER_UNAVAILABLE"), "as the status says")
    assert.isUndefined(read(502, "<html>").reason)
    assert.deepEqual(read(400, { error: "invalid_grant", error_description: "expired" }).detail, "expired")
  })

  it("waits longer for the day's allowance than for calls at a time", () => {
    const waits = (message: string) => {
      const { reason } = read(403, [{ errorCode: "REQUEST_LIMIT_EXCEEDED", message }])
      return reason?._tag === "LimitReached" ? reason.retryAfter : undefined
    }
    assert.strictEqual(waits("TotalRequests Limit exceeded."), 60)
    assert.strictEqual(waits("ConcurrentRequests (Concurrent API Requests) Limit exceeded."), 5)
  })
})

// ---------------------------------------------------------------------------------------------------------------------

/** The service's use of an adapter: needs, encoding, the call, reading back. */
const records = (resource: Resource) =>
  Effect.gen(function* () {
    const adapter = (yield* Providers).get("salesforce")
    const resourceAdapter = adapter?.resources[resource.name]
    if (adapter === undefined || resourceAdapter === undefined) return yield* Effect.dieMessage(`no ${resource.name}`)
    const variant = variantOf(resource, resourceAdapter)
    const mapping = compile("salesforce", resource, resourceAdapter.mapping)
    const lookupsOf = (names: ReadonlyArray<string>) =>
      Effect.map(
        Effect.forEach(names, (name) => {
          const load = adapter.lookups[name]?.load ?? (() => Effect.dieMessage(`no lookup ${name}`))
          return Effect.map(load(connection), (value) => [name, value] as const)
        }),
        (all): Native => Object.fromEntries(all)
      )
    const missing = () => Effect.dieMessage("no such operation")
    const native = (id: string) => (resourceAdapter.get ?? missing)({ connection, variant, id })
    const get = (id: string) =>
      Effect.map(Effect.all([native(id), lookupsOf(variant.lookups)]), ([record, lookups]) =>
        variant.decode({ ...record, lookups }, context)
      )
    const update = (mode: "replace" | "patch") => (id: string, body: Body) =>
      Effect.gen(function* () {
        const needs = variant.needs(body, mode)
        const current = needs.current ? yield* native(id) : undefined
        const plan = encoded(variant, body, mode, current, yield* lookupsOf(needs.lookups))
        yield* (resourceAdapter[mode] ?? missing)({ connection, variant, id, encoded: plan, current, mode })
        return yield* get(id)
      })
    return {
      get,
      list: (limit: number) =>
        Effect.gen(function* () {
          const found: Array<string> = []
          let position: string | null = null
          do {
            const request = { connection, mapping, position, limit, wanted: {} }
            const page: Page = yield* (resourceAdapter.list ?? missing)(request)
            assert.isAtMost(page.records.length, limit)
            found.push(...page.records.map((record) => String(variant.decode(record, context).remote_id)))
            position = page.next
          } while (position !== null)
          return found
        }),
      create: (body: Body) =>
        Effect.gen(function* () {
          const lookups = yield* lookupsOf(variant.needs(body, "create").lookups)
          const plan = encoded(variant, body, "create", undefined, lookups)
          const { id } = yield* (resourceAdapter.create ?? missing)({
            connection,
            variant,
            encoded: plan,
            idempotencyKey: undefined
          })
          return { id, record: yield* get(id) }
        }),
      patch: update("patch"),
      replace: update("replace"),
      remove: (id: string) => (resourceAdapter.remove ?? missing)({ connection, variant, id, current: undefined })
    }
  })

const reasonOf = <A>(effect: Effect.Effect<A, ProviderError>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

const odd = `O'Hara \\ "Söhne" 🚀 שלום \\' OR`

const simulated = Layer.provideMerge(
  Salesforce,
  harness([{ simulator, values: { instanceUrl: "https://simulated.my.salesforce.com" } }])
)

layer(simulated)("Salesforce", (it) => {
  it.effect("lists every record once, at any page size", () =>
    Effect.gen(function* () {
      for (const resource of [crm.company, crm.deal, crm.lead, crm.owner]) {
        const { list } = yield* records(resource)
        const all = yield* list(100)
        assert.isAbove(all.length, 0, resource.name)
        assert.strictEqual(new Set(all).size, all.length, resource.name)
        assert.deepEqual(yield* list(1), all, resource.name)
        assert.deepEqual(yield* list(7), all, resource.name)
      }
    })
  )

  it.effect("goes on when the token ends between two pages", () =>
    Effect.gen(function* () {
      const { list } = yield* records(crm.contact)
      const all = yield* list(100)
      yield* (yield* Faults).add({ provider: "salesforce", path: "/query", skip: 2, does: { kind: "expire" } })
      assert.deepEqual(yield* list(7), all)
    })
  )

  it.effect("creates, changes, replaces and removes a contact", () =>
    Effect.gen(function* () {
      const contacts = yield* records(crm.contact)
      const account = yield* (yield* records(crm.company)).create({ name: odd })
      const body = {
        first_name: odd,
        last_name: "O'Hara",
        account: account.id,
        title: "CTO",
        addresses: [
          { street_1: "1 Main St", street_2: "Floor 2\nDoor 3", city: "Rome", country: "IT" },
          { city: "Oslo" }
        ],
        email_addresses: [{ email_address: "o@example.com" }],
        phone_numbers: [
          { phone_number: "+1 2", phone_number_type: "WORK" },
          { phone_number: "+3 4", phone_number_type: "FAX" }
        ]
      }
      const { id, record } = yield* contacts.create(body)
      assert.strictEqual(record.remote_id, id)
      assert.strictEqual(record.remote_was_deleted, false)
      assert.isString(record.remote_created_at)
      assert.strictEqual(record.first_name, odd)
      assert.strictEqual(record.account, account.id)
      assert.isString(record.owner)
      assert.containSubset(record.addresses, body.addresses)
      assert.deepEqual(record.phone_numbers, body.phone_numbers)

      const patched = yield* contacts.patch(id, { title: odd, email_addresses: [] })
      assert.deepEqual(
        { ...patched, title: 0, email_addresses: 0, remote_updated_at: 0 },
        {
          ...record,
          title: 0,
          email_addresses: 0,
          remote_updated_at: 0
        }
      )
      assert.strictEqual(patched.title, odd)
      assert.deepEqual(patched.email_addresses, [])

      const replaced = yield* contacts.replace(id, { last_name: "Only" })
      assert.strictEqual(replaced.last_name, "Only")
      assert.strictEqual(replaced.owner, record.owner, "every contact has an owner")
      for (const name of ["first_name", "account", "title"]) assert.isNull(replaced[name], name)
      for (const name of ["addresses", "email_addresses", "phone_numbers"]) assert.deepEqual(replaced[name], [], name)

      yield* contacts.remove(id)
      assert.deepEqual(yield* reasonOf(contacts.get(id)), new Missing())
      assert.deepEqual(yield* reasonOf(contacts.remove(id)), new Missing())
      assert.notInclude(yield* contacts.list(100), id)
    })
  )

  it.effect("has billing and shipping addresses of a company", () =>
    Effect.gen(function* () {
      const companies = yield* records(crm.company)
      const { id, record } = yield* companies.create({
        name: odd,
        number_of_employees: 0,
        website: "https://example.com",
        addresses: [
          { city: "Oslo", address_type: "SHIPPING" },
          { city: "Rome", address_type: "BILLING" }
        ]
      })
      assert.strictEqual(record.name, odd)
      assert.strictEqual(record.number_of_employees, 0)
      assert.containSubset(record.addresses, [
        { city: "Rome", address_type: "BILLING" },
        { city: "Oslo", address_type: "SHIPPING" }
      ])
      const patched = yield* companies.patch(id, { addresses: [{ city: "Bonn", address_type: "SHIPPING" }] })
      assert.containSubset(patched.addresses, [{ city: "Bonn", address_type: "SHIPPING" }])
      assert.lengthOf(objects(patched.addresses), 1)
    })
  )

  it.effect("wins, loses and reopens a deal by its status", () =>
    Effect.gen(function* () {
      const deals = yield* records(crm.deal)
      const [pipeline] = yield* (yield* records(crm.pipeline)).list(1)
      assert.strictEqual(pipeline, "default")
      const { stages } = yield* (yield* records(crm.pipeline)).get("default")
      const first = (status: string) => objects(stages).find((stage) => stage.status === status)?.remote_id
      const stage = String(first("OPEN"))
      const { id, record } = yield* deals.create({ name: odd, stage, pipeline: "default", close_date: "2026-12-31" })
      assert.deepEqual(
        [record.name, record.stage, record.status, record.pipeline, record.close_date],
        [odd, stage, "OPEN", "default", "2026-12-31"]
      )
      const won = yield* deals.patch(id, { status: "WON", probability: 1, amount: -12.5 })
      assert.deepEqual([won.status, won.stage, won.probability, won.amount], ["WON", first("WON"), 1, -12.5])
      const lost = yield* deals.patch(id, { status: "LOST" })
      assert.deepEqual([lost.status, lost.stage], ["LOST", first("LOST")])
      assert.strictEqual((yield* deals.patch(id, { status: "OPEN" })).stage, first("OPEN"))
      assert.strictEqual((yield* deals.patch(id, { status: "OPEN", stage })).status, "OPEN")
      assert.strictEqual(lost.currency, "USD")
      assert.strictEqual((yield* deals.patch(id, { currency: "USD" })).stage, stage)
    })
  )

  it.effect("keeps the primary contact of a deal", () =>
    Effect.gen(function* () {
      const contacts = yield* records(crm.contact)
      const deals = yield* records(crm.deal)
      const one = yield* contacts.create({ last_name: "One" })
      const two = yield* contacts.create({ last_name: "Two" })
      const body = { name: "Deal", stage: "Prospecting", close_date: "2026-12-31" }
      const { id, record } = yield* deals.create({ ...body, contact: one.id })
      assert.strictEqual(record.contact, one.id)
      assert.strictEqual((yield* deals.patch(id, { name: "Renamed" })).contact, one.id)
      assert.strictEqual((yield* deals.patch(id, { contact: two.id })).contact, two.id)
      assert.strictEqual((yield* deals.patch(id, { contact: one.id })).contact, one.id, "who has a role already")
      assert.isNull((yield* deals.replace(id, body)).contact)
      assert.strictEqual((yield* deals.replace(id, { ...body, contact: two.id })).contact, two.id)
      const bare = yield* deals.create(body)
      assert.isNull(bare.record.contact)
      assert.strictEqual((yield* deals.patch(bare.id, { contact: one.id })).contact, one.id)
      const refused = yield* Effect.flip(deals.patch(bare.id, { name: "New", contact: "003000000000000AAA" }))
      assert.deepEqual(refused.done, ["record"])
      assert.strictEqual((yield* deals.get(bare.id)).contact, one.id)
    })
  )

  it.effect("has owners and the pipeline's stages", () =>
    Effect.gen(function* () {
      const owners = yield* records(crm.owner)
      const [id = ""] = yield* owners.list(1)
      const owner = yield* owners.get(id)
      assert.isString(owner.name)
      assert.strictEqual(owner.remote_was_deleted, false)
      const pipelines = yield* records(crm.pipeline)
      const { stages, ...pipeline } = yield* pipelines.get("default")
      assert.deepInclude(pipeline, { name: "Sales", is_default: true, is_active: true, remote_was_deleted: false })
      for (const [index, stage] of objects(stages).entries()) {
        assert.strictEqual(stage.display_order, index)
        assert.include(["OPEN", "WON", "LOST"], stage.status)
        assert.isString(stage.name)
      }
      assert.deepEqual(yield* reasonOf(pipelines.get("other")), new Missing())
    })
  )

  it.effect("says what is wrong with a call", () =>
    Effect.gen(function* () {
      const contacts = yield* records(crm.contact)
      for (const id of ["", "' OR Id != '", "003", "not-an-id-of-18-c"]) {
        assert.deepEqual(yield* reasonOf(contacts.get(id)), new Missing(), id)
        assert.deepEqual(yield* reasonOf(contacts.patch(id, { title: "x" })), new Missing(), id)
        assert.deepEqual(yield* reasonOf(contacts.remove(id)), new Missing(), id)
      }
      const refused = (body: Body) =>
        Effect.map(reasonOf(contacts.create(body)), (reason) =>
          reason._tag === "Invalid" ? Object.keys(reason.fields) : reason._tag
        )
      assert.deepEqual(yield* refused({ first_name: "No last name" }), ["LastName"])
      assert.deepEqual(yield* refused({ last_name: "Doe", account: "nonsense" }), ["AccountId"])
      assert.deepEqual(yield* refused({ last_name: "Doe", title: "x".repeat(200) }), ["Title"])
      assert.deepEqual(yield* refused({ last_name: "Doe", integration_params: { Nope__c: 1 } }), ["Nope__c"])
      yield* (yield* Faults).add({ provider: "salesforce", does: { kind: "limit", retryAfter: 1 } })
      assert.strictEqual((yield* reasonOf(contacts.list(100)))._tag, "LimitReached")
    })
  )
})
