import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { find } from "../../src/canonical/Catalogue.ts"
import { FieldMappings } from "../../src/fieldmappings/FieldMappings.ts"
import { InProcess } from "../../src/InProcess.ts"
import { Providers } from "../../src/providers/Providers.ts"
import {
  type Answer,
  type Call,
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const Rows = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })) })
)

const rowsOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return Rows(answer.body).data
}

const override = (call: Call, body: Doc) => call("PUT", "/field-mappings", { body })

const remove = (call: Call, query: string) => call("DELETE", `/field-mappings?${query}`)

const contacts = "/crm/contact?provider=hubspot"

layer(sandboxApplication(), { timeout: "60 seconds" })("field mappings", (it) => {
  const hubspot = Effect.flatMap(SandboxApplication, (app) => app.caller(["hubspot"]))

  const make = (call: Call, body: Doc) => Effect.map(call("POST", contacts, { body }), recordOf)

  /** The native object of a contact. */
  const nativeOf = (call: Call, id: unknown) =>
    Effect.map(call("GET", `/crm/contact/${String(id)}?provider=hubspot&include_remote_data=true`), (answer) => {
      const native = Schema.decodeUnknownSync(
        Schema.Struct({ properties: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })
      )(recordOf(answer).remote_data)
      return native.properties
    })

  it.effect("are listed for a provider and for one resource", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const all = rowsOf(yield* call("GET", "/field-mappings?provider=hubspot"))
      assert.deepStrictEqual([...new Set(all.map((row) => String(row.resource)))].toSorted(), [
        "activity",
        "appointment",
        "company",
        "contact",
        "deal",
        "lead",
        "meeting",
        "note",
        "owner",
        "pipeline",
        "task"
      ])
      const contact = rowsOf(yield* call("GET", "/field-mappings?provider=hubspot&resource=contact"))
      assert.deepStrictEqual(
        contact,
        all.filter((row) => row.resource === "contact")
      )
      assert.deepInclude(contact, {
        resource: "contact",
        native_type: "contacts",
        field: "title",
        native_field: "properties.jobtitle",
        transform: "text",
        access: "both",
        source: "default"
      })
      assert.isTrue(all.every((row) => row.source === "default"))
    })
  )

  it.effect("an override acts on the next call, reading and writing, until it is removed", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const made = yield* make(call, { last_name: "Lovelace", title: "Analyst" })
      const one = `/crm/contact/${String(made.remote_id)}?provider=hubspot`

      const put = { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" }
      const [row] = rowsOf(yield* override(call, put))
      assert.deepInclude(row, { field: "title", native_field: "properties.industry", source: "override" })
      assert.isNull(recordOf(yield* call("GET", one)).title)
      assert.strictEqual(recordOf(yield* call("PATCH", one, { body: { title: "Engines" } })).title, "Engines")
      const native = yield* nativeOf(call, made.remote_id)
      assert.strictEqual(native.industry, "Engines")
      const listed = pageOf(yield* call("GET", `${contacts}&limit=1`)).data
      assert.isNull(listed[0]?.title)
      const rows = rowsOf(yield* call("GET", "/field-mappings?provider=hubspot&resource=contact"))
      assert.strictEqual(rows.filter(({ field }) => field === "title").length, 1, "it replaces the default")

      yield* override(call, { ...put, native_field: "properties.company" })
      assert.isNull(recordOf(yield* call("GET", one)).title, "a second one replaces the first")

      const removed = yield* remove(call, "provider=hubspot&resource=contact&field=title")
      assert.strictEqual(removed.status, 200)
      assert.strictEqual(recordOf(yield* call("GET", one)).title, "Analyst")
      const again = yield* remove(call, "provider=hubspot&resource=contact&field=title")
      assert.deepStrictEqual(refusalOf(again), [404, "NOT_FOUND"])
    })
  )

  it.effect("filters go by a field as the organisation made it", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const whole = pageOf(yield* call("GET", "/crm/deal?provider=hubspot&limit=100")).data
      const owner = whole.find((deal) => deal.owner !== null)?.owner
      const listed = (value: unknown) =>
        Effect.map(call("GET", `/crm/deal?provider=hubspot&limit=100&owner=${String(value)}`), (answer) =>
          pageOf(answer).data.map((deal) => [deal.remote_id, deal.owner])
        )
      assert.deepStrictEqual(
        yield* listed(owner),
        whole.filter((deal) => deal.owner === owner).map((deal) => [deal.remote_id, owner])
      )
      yield* override(call, { provider: "hubspot", resource: "deal", field: "owner", native_field: "dealstage" })
      assert.deepStrictEqual(yield* listed(owner), [])
      const [{ stage } = {}] = whole
      assert.deepStrictEqual(
        yield* listed(stage),
        whole.filter((deal) => deal.stage === stage).map((deal) => [deal.remote_id, stage])
      )
    })
  )

  it.effect("a field of the organisation's own goes both ways under custom_fields", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const refused = yield* call("POST", contacts, {
        body: { last_name: "x", custom_fields: { employer: "Babbage" } }
      })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["custom_fields.employer"])
      assert.include(errorsOf(refused)["custom_fields.employer"], "/field-mappings")

      const put = { provider: "hubspot", resource: "contact", field: "employer", native_field: "company" }
      const [row] = rowsOf(yield* override(call, put))
      assert.deepInclude(row, { field: "custom_fields.employer", source: "override" })
      const made = yield* make(call, { last_name: "Lovelace", custom_fields: { employer: "Babbage & Co" } })
      assert.deepStrictEqual(made.custom_fields, { employer: "Babbage & Co" })
      assert.strictEqual((yield* nativeOf(call, made.remote_id)).company, "Babbage & Co")

      const one = `/crm/contact/${String(made.remote_id)}?provider=hubspot`
      const untouched = recordOf(yield* call("PATCH", one, { body: { first_name: "Ada" } }))
      assert.deepStrictEqual(untouched.custom_fields, { employer: "Babbage & Co" })
      const cleared = recordOf(yield* call("PATCH", one, { body: { custom_fields: { employer: null } } }))
      assert.deepStrictEqual(cleared.custom_fields, { employer: null })
      const sentBack = recordOf(yield* call("PUT", one, { body: { ...made, last_name: "Byron" } }))
      assert.deepStrictEqual(sentBack.custom_fields, { employer: "Babbage & Co" })
      const replaced = recordOf(yield* call("PUT", one, { body: { last_name: "Byron" } }))
      assert.deepStrictEqual(replaced.custom_fields, { employer: null }, "a PUT clears it like any other field")
    })
  )

  it.effect("a transform that is named is used, for what is read and what is written", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const put = { provider: "hubspot", resource: "company", field: "revenue", native_field: "annualrevenue" }
      yield* override(call, { ...put, transform: "numericString" })
      const body = { name: "Engines", custom_fields: { revenue: 12_000.5 } }
      const made = recordOf(yield* call("POST", "/crm/company?provider=hubspot", { body }))
      assert.deepStrictEqual(made.custom_fields, { revenue: 12_000.5 })
    })
  )

  it.effect("an override for one native type leaves the others alone", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["quickbooks"])
      const put = { provider: "quickbooks", resource: "contact", field: "title", native_field: "Title" }
      const rows = rowsOf(yield* override(call, { ...put, native_type: "Vendor" }))
      assert.deepStrictEqual(
        rows.map((row) => row.native_type),
        ["Vendor"]
      )
      const path = "/accounting/contact?provider=quickbooks"
      const vendor = { name: "V", is_supplier: true, is_customer: false, custom_fields: { title: "Dr" } }
      assert.deepStrictEqual(recordOf(yield* call("POST", path, { body: vendor })).custom_fields, { title: "Dr" })
      const customer = { ...vendor, name: "C", is_supplier: false, is_customer: true }
      const refused = yield* call("POST", path, { body: customer })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["custom_fields.title"])
      assert.strictEqual(
        (yield* remove(call, "provider=quickbooks&resource=contact&field=title&native_type=Vendor")).status,
        200
      )
    })
  )

  it.effect("belong to one organisation in one environment", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const inProcess = yield* InProcess
      const mine = yield* hubspot
      const others = yield* hubspot
      const production = yield* inProcess.tenancy("Same name, production", "production")
      const live = yield* app.caller([], { tenancy: { ...production, organisation: production.organisation } })
      yield* override(mine.call, { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" })
      for (const { call } of [others, live]) {
        const rows = rowsOf(yield* call("GET", "/field-mappings?provider=hubspot"))
        assert.isTrue(rows.every(({ source }) => source === "default"))
        const removed = yield* remove(call, "provider=hubspot&resource=contact&field=title")
        assert.deepStrictEqual(refusalOf(removed), [404, "NOT_FOUND"])
      }
      const body = { last_name: "x", title: "Analyst" }
      const made = recordOf(yield* others.call("POST", contacts, { body }))
      assert.strictEqual((yield* nativeOf(others.call, made.remote_id)).jobtitle, "Analyst")
      const colleague = yield* app.caller(["hubspot"], { tenancy: mine.tenancy })
      const theirs = recordOf(yield* colleague.call("POST", contacts, { body }))
      assert.strictEqual((yield* nativeOf(colleague.call, theirs.remote_id)).industry, "Analyst")
    })
  )

  it.effect.each([
    [{ field: "Not A Field" }, ["field"]],
    [{ field: "" }, ["field"]],
    [{ field: "constructor" }, ["field"]],
    [{ field: "addresses" }, ["field"]],
    [{ field: "id" }, ["field"]],
    [{ field: "remote_id" }, ["field"]],
    [{ native_field: "" }, ["native_field"]],
    [{ native_field: "a b" }, ["native_field"]],
    [{ native_field: "a'; drop table x" }, ["native_field"]],
    [{ native_field: "__proto__.x" }, ["native_field"]],
    [{ native_field: "constructor" }, ["native_field"]],
    [{ native_field: "x".repeat(256) }, ["native_field"]],
    [{ transform: "magic" }, ["transform"]],
    [{ native_type: "deals" }, ["native_type"]],
    [{ native_type: "x", transform: "y", field: "Z" }, ["field", "native_type", "transform"]],
    [{ field: 12 }, ["field"]],
    [{ fields: "x" }, ["fields"]],
    [{ native_field: undefined }, ["native_field"]]
  ] as const)("a bad override is 422, names what is wrong and changes nothing: %j", ([wrong, names]) =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const before = rowsOf(yield* call("GET", "/field-mappings?provider=hubspot"))
      const good = { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" }
      const answer = yield* override(call, { ...good, ...wrong })
      assert.deepStrictEqual(Object.keys(errorsOf(answer)).toSorted(), [...names])
      assert.deepStrictEqual(rowsOf(yield* call("GET", "/field-mappings?provider=hubspot")), before)
    })
  )

  it.effect("unknown providers and resources are 404, unknown parameters 400", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const good = { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" }
      for (const answer of [
        yield* call("GET", "/field-mappings?provider=nobody"),
        yield* override(call, { ...good, provider: "nobody" }),
        yield* remove(call, "provider=nobody&resource=contact&field=title")
      ]) {
        assert.deepStrictEqual(refusalOf(answer), [404, "PROVIDER_NOT_FOUND"])
      }
      for (const resource of ["contcat", "invoice", "constructor"]) {
        for (const answer of [
          yield* call("GET", `/field-mappings?provider=hubspot&resource=${resource}`),
          yield* override(call, { ...good, resource }),
          yield* remove(call, `provider=hubspot&resource=${resource}&field=title`)
        ]) {
          assert.deepStrictEqual(refusalOf(answer), [404, "RESOURCE_UNKNOWN"], resource)
        }
      }
      for (const answer of [
        yield* call("GET", "/field-mappings"),
        yield* call("GET", "/field-mappings?provider=hubspot&source=default"),
        yield* remove(call, "provider=hubspot&resource=contact")
      ]) {
        assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"])
      }
    })
  )

  full(it).effect("are held for so many at a time, however many organisations there are", () =>
    Effect.gen(function* () {
      const { call, tenancy } = yield* hubspot
      yield* override(call, { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" })
      const fieldMappings = yield* FieldMappings
      const adapter = (yield* Providers).get("hubspot")
      const contact = find("crm", "contact")
      if (adapter === undefined || contact === undefined) return assert.fail("HubSpot has contacts")
      const compiled = (organisation: string) =>
        fieldMappings.compiled(
          {
            organisation,
            environment: "sandbox",
            mappingRevision: "1"
          },
          adapter,
          contact
        )
      const first = yield* compiled(tenancy.organisation)
      yield* Effect.forEach(Array.from({ length: 4999 }), () => compiled(randomUUID()), { discard: true })
      assert.strictEqual(yield* compiled(tenancy.organisation), first)
      yield* compiled(randomUUID())
      const again = yield* compiled(tenancy.organisation)
      assert.notStrictEqual(again, first)
      assert.deepStrictEqual(again?.rows, first?.rows)
    })
  )
})
