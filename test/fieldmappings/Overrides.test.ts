import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import {
  type Answer,
  type Call,
  type Caller,
  type Doc,
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { firstOf, full } from "../support/Full.ts"

const object = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Rows = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(object) }))
const Previewed = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      mapping: object,
      before: Schema.Unknown,
      after: Schema.Unknown,
      native: Schema.Unknown,
      record: object
    })
  })
)

const rowsOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return Rows(answer.body).data
}

const previewOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return Previewed(answer.body).data
}

const put = (call: Call, body: Doc) => call("PUT", "/field-mappings", { body })
const preview = (call: Call, body: Doc) => call("POST", "/field-mappings/preview", { body })

/** The key that the simulator's account gives the custom field "Loyalty tier" of persons. */
const tierKey = "f3713cc2e26f02869a1e9c5c313167a9097a31e4"

interface Case {
  readonly provider: string
  readonly path: string
  /** Fields that a record of the resource needs. */
  readonly needed: Doc
  readonly resource: string
  /** A canonical text moved onto another text. */
  readonly moved: { readonly field: string; readonly native_field: string; readonly listed: string }
  readonly misspelt: { readonly native_field: string; readonly nearest: string }
  readonly readOnly: { readonly native_field: string; readonly listed: string }
  /** A canonical date or number against a field of another type. */
  readonly unfit: { readonly resource: string; readonly field: string; readonly native_field: string }
  /** A list of values onto the provider's own pick list. */
  readonly table: {
    readonly resource: string
    readonly field: string
    readonly native_field: string
    readonly values: { readonly [native: string]: string }
    readonly transform: string
    /** One that the pick list lacks. */
    readonly strange: string
  }
}

const cases: ReadonlyArray<Case> = [
  {
    provider: "hubspot",
    path: "/crm/contact?provider=hubspot",
    needed: { last_name: "Lovelace" },
    resource: "contact",
    moved: { field: "title", native_field: "industry", listed: "properties.industry" },
    misspelt: { native_field: "properties.jobtitel", nearest: "properties.jobtitle (Job title)" },
    readOnly: { native_field: "hs_analytics_source", listed: "properties.hs_analytics_source" },
    unfit: { resource: "deal", field: "amount", native_field: "closedate" },
    table: {
      resource: "task",
      field: "priority",
      native_field: "hs_task_type",
      values: { TODO: "LOW", CALL: "HIGH" },
      transform: "values",
      strange: "VISIT"
    }
  },
  {
    provider: "salesforce",
    path: "/crm/contact?provider=salesforce",
    needed: { last_name: "Lovelace" },
    resource: "contact",
    moved: { field: "title", native_field: "Department", listed: "Department" },
    misspelt: { native_field: "Account.Industri", nearest: "Account.Industry (Industry)" },
    readOnly: { native_field: "Account.Industry", listed: "Account.Industry" },
    unfit: { resource: "deal", field: "amount", native_field: "CloseDate" },
    table: {
      resource: "lead",
      field: "status",
      native_field: "Rating",
      values: { Cold: "OPEN", Hot: "QUALIFIED" },
      transform: "values",
      strange: "Tepid"
    }
  },
  {
    provider: "pipedrive",
    path: "/crm/contact?provider=pipedrive",
    needed: { last_name: "Lovelace" },
    resource: "contact",
    moved: { field: "title", native_field: "notes", listed: "notes" },
    misspelt: { native_field: "loyalty_tier", nearest: `custom_fields.${tierKey} (Loyalty tier)` },
    readOnly: { native_field: "update_time", listed: "update_time" },
    unfit: { resource: "deal", field: "amount", native_field: "expected_close_date" },
    table: {
      resource: "task",
      field: "priority",
      native_field: "priority",
      values: { "262": "LOW", "264": "HIGH" },
      transform: "numericValues",
      strange: "999"
    }
  },
  {
    provider: "zoho_crm",
    path: "/crm/contact?provider=zoho_crm",
    needed: { last_name: "Lovelace" },
    resource: "contact",
    moved: { field: "title", native_field: "Department", listed: "Department" },
    misspelt: { native_field: "Departement", nearest: "Department (Department)" },
    readOnly: { native_field: "Account_Name.name", listed: "Account_Name.name" },
    unfit: { resource: "deal", field: "amount", native_field: "Closing_Date" },
    table: {
      resource: "deal",
      field: "status",
      native_field: "Delivery",
      values: { Remote: "OPEN", "On site": "WON" },
      transform: "values",
      strange: "By mail"
    }
  }
]

layer(sandboxApplication(), { timeout: "60 seconds" })("overrides, checked with the provider's metadata", (it) => {
  const connected = (provider: string) => Effect.flatMap(SandboxApplication, (app) => app.caller([provider]))

  const known = new Map<string, Caller>()

  /** One caller for the tests that save nothing. */
  const anyOf = (provider: string) =>
    Effect.suspend(() => {
      const caller = known.get(provider)
      return caller !== undefined
        ? Effect.succeed(caller)
        : Effect.tap(connected(provider), (made) => known.set(provider, made))
    })

  for (const each of firstOf(cases)) {
    const { provider, resource } = each

    it.effect(`${provider}: a field the account has is taken, and moves what is read and written`, () =>
      Effect.gen(function* () {
        const { call } = yield* connected(provider)
        const { field, listed, native_field } = each.moved
        const [row] = rowsOf(yield* put(call, { provider, resource, field, native_field }))
        assert.deepInclude(row, { field, native_field: listed, access: "both", source: "override", checked: true })
        const made = recordOf(yield* call("POST", each.path, { body: { ...each.needed, [field]: "Engines" } }))
        assert.strictEqual(made[field], "Engines")
        const one = each.path.replace("?", `/${String(made.remote_id)}?`)
        assert.strictEqual(recordOf(yield* call("PATCH", one, { body: { [field]: "Looms" } }))[field], "Looms")
        assert.isNull(recordOf(yield* call("PUT", one, { body: each.needed }))[field], "a PUT clears it")
      })
    )

    it.effect(`${provider}: a field the account lacks is refused, with the nearest`, () =>
      Effect.gen(function* () {
        const { call, endUser } = yield* anyOf(provider)
        const { native_field, nearest } = each.misspelt
        const body = { provider, resource, field: "own", native_field }
        for (const answer of [yield* put(call, body), yield* preview(call, body)]) {
          const { native_field: said = "" } = errorsOf(answer)
          assert.include(said, nearest)
          assert.include(said, endUser)
        }
        const rows = rowsOf(yield* call("GET", `/field-mappings?provider=${provider}`))
        assert.isTrue(rows.every(({ source }) => source === "default"))
      })
    )

    it.effect(`${provider}: what cannot be written makes a mapping that is only read`, () =>
      Effect.gen(function* () {
        const { call } = yield* connected(provider)
        const { listed, native_field } = each.readOnly
        const [row] = rowsOf(yield* put(call, { provider, resource, field: "own", native_field }))
        assert.deepInclude(row, { native_field: listed, access: "read", checked: true })
        const made = recordOf(yield* call("POST", each.path, { body: each.needed }))
        const one = each.path.replace("?", `/${String(made.remote_id)}?`)
        assert.strictEqual((yield* call("PUT", one, { body: made })).status, 200, "what was read may be sent back")
        const refused = errorsOf(yield* call("PATCH", one, { body: { custom_fields: { own: "x" } } }))
        assert.include(refused["custom_fields.own"], "only read")
        assert.include(refused["custom_fields.own"], listed)
      })
    )

    it.effect(`${provider}: a field that no transform fits is refused`, () =>
      Effect.gen(function* () {
        const { call } = yield* anyOf(provider)
        const body = { provider, ...each.unfit }
        assert.deepStrictEqual(Object.keys(errorsOf(yield* put(call, body))), ["native_field"])
        const named = errorsOf(yield* put(call, { ...body, transform: "percent" }))
        assert.include(named.transform, each.unfit.native_field)
      })
    )

    it.effect(`${provider}: one of a list of values needs to be told which native value is which`, () =>
      Effect.gen(function* () {
        const { call } = yield* connected(provider)
        const { strange, transform, values, ...of } = each.table
        const [first = ""] = Object.keys(values)
        const [meaning = ""] = Object.values(values)
        const needed = errorsOf(yield* put(call, { provider, ...of }))
        assert.deepStrictEqual(Object.keys(needed), ["values"])
        assert.include(needed.values, first)
        assert.include(needed.values, meaning)
        const outside = yield* put(call, { provider, ...of, values: { ...values, [first]: "SOMETIMES" } })
        assert.deepStrictEqual(Object.keys(errorsOf(outside)), [`values.${first}`])
        const unknown = yield* put(call, { provider, ...of, values: { [strange]: meaning } })
        assert.include(errorsOf(unknown)[`values.${strange}`], first)
        const [row] = rowsOf(yield* put(call, { provider, ...of, values }))
        assert.deepInclude(row, { transform, values, checked: true })
      })
    )

    it.effect(`${provider}: a preview shows a record before and after, and saves nothing`, () =>
      Effect.gen(function* () {
        const { call } = yield* anyOf(provider)
        const { field, listed, native_field } = each.moved
        const made = recordOf(yield* call("POST", each.path, { body: { ...each.needed, [field]: "Analyst" } }))
        const one = each.path.replace("?", `/${String(made.remote_id)}?`)
        const body = { provider, resource, field, native_field, remote_id: made.remote_id }
        const { after, before, mapping, native, record } = previewOf(yield* preview(call, body))
        assert.deepStrictEqual([before, after, native], ["Analyst", null, null])
        assert.deepInclude(mapping, { field, native_field: listed, checked: true })
        assert.deepInclude(record, { remote_id: made.remote_id, last_name: "Lovelace", [field]: null })
        const own = previewOf(yield* preview(call, { provider, resource, field: "own", native_field }))
        assert.notStrictEqual(own.record.remote_id, made.remote_id, "without an id it is the first record")
        assert.deepStrictEqual(own.record.custom_fields, { own: own.native })
        assert.strictEqual(recordOf(yield* call("GET", one))[field], "Analyst")
        const rows = rowsOf(yield* call("GET", `/field-mappings?provider=${provider}`))
        assert.isTrue(rows.every(({ source }) => source === "default"))
      })
    )
  }

  it.effect("without a connection nothing can be checked: it is taken, and says so", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const anyone: Call = (method, path, options = {}) =>
        call(method, path, { ...options, headers: { "x-end-user-id": undefined } })
      const body = { provider: "hubspot", resource: "contact", field: "title", native_field: "jobtitel" }
      const [row] = rowsOf(yield* put(anyone, body))
      assert.deepInclude(row, { native_field: "properties.jobtitel", checked: false })
      assert.deepStrictEqual(refusalOf(yield* preview(anyone, body)), [404, "PROVIDER_NOT_CONNECTED"])
      // who names an end user means that one's account
      assert.deepStrictEqual(refusalOf(yield* put(call, body)), [404, "PROVIDER_NOT_CONNECTED"])
      const nobody = yield* call("PUT", "/field-mappings", { body, headers: { "x-end-user-id": "nobody" } })
      assert.deepStrictEqual(refusalOf(nobody), [404, "END_USER_NOT_FOUND"])
    })
  )

  it.effect("any connection of the organisation in the environment serves, never another organisation's", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call, connections, tenancy } = yield* connected("hubspot")
      const anyone: Call = (method, path, options = {}) =>
        call(method, path, { ...options, headers: { "x-end-user-id": undefined, ...options.headers } })
      const body = { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" }
      const [row] = rowsOf(yield* put(anyone, body))
      assert.isTrue(row?.checked)
      const foreign = yield* connected("hubspot")
      const headers = { "x-connection-id": foreign.connections.hubspot }
      const refused = yield* anyone("PUT", "/field-mappings", { body, headers })
      assert.deepStrictEqual(refusalOf(refused), [404, "CONNECTION_NOT_FOUND"])
      const malformed = yield* anyone("PUT", "/field-mappings", { body, headers: { "x-connection-id": "1" } })
      assert.strictEqual(failureOf(malformed).message, "x-connection-id: must be the UUID of a connection")
      const own = { "x-connection-id": connections.hubspot }
      assert.strictEqual((yield* anyone("PUT", "/field-mappings", { body, headers: own })).status, 200)
      const twice = yield* app.caller(["hubspot"], { tenancy })
      yield* app.connect(twice, "hubspot")
      assert.deepStrictEqual(refusalOf(yield* put(twice.call, body)), [409, "CONNECTION_AMBIGUOUS"])
    })
  )

  it.effect("a native field of one native type only has to be put for that one", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot")
      const body = { provider: "hubspot", resource: "activity", field: "call_status", native_field: "hs_call_status" }
      assert.include(errorsOf(yield* put(call, body)).native_field, "calls")
      const rows = rowsOf(yield* put(call, { ...body, native_type: "calls" }))
      assert.deepStrictEqual(
        rows.map(({ checked, native_type }) => [native_type, checked]),
        [["calls", true]]
      )
      const shown = previewOf(yield* preview(call, { ...body, native_type: "calls" }))
      assert.deepInclude(shown.record, { activity_type: "CALL" })
      assert.deepInclude(shown.mapping, { native_type: "calls" })
    })
  )

  it.effect("a lead is also what its contact says", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot")
      const native_field = "contact.properties.salutation"
      const [row] = rowsOf(yield* put(call, { provider: "hubspot", resource: "lead", field: "title", native_field }))
      assert.deepInclude(row, { native_field, checked: true })
      const body = { last_name: "Lovelace", title: "Countess" }
      const made = recordOf(yield* call("POST", "/crm/lead?provider=hubspot", { body }))
      assert.strictEqual(made.title, "Countess")
    })
  )

  it.effect("the transform that fits is taken where the usual one does not", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot")
      const body = { provider: "hubspot", resource: "deal", field: "close_date", native_field: "closedate" }
      const [row] = rowsOf(yield* put(call, body))
      assert.deepInclude(row, { transform: "midnight", access: "both" })
      const made = recordOf(
        yield* call("POST", "/crm/deal?provider=hubspot", {
          body: { name: "Looms", stage: "qualifiedtobuy", close_date: "2026-12-24" }
        })
      )
      assert.strictEqual(made.close_date, "2026-12-24")
      const texts = { ...body, native_field: "description" }
      assert.include(errorsOf(yield* put(call, texts)).transform, "date")
      const [named] = rowsOf(yield* put(call, { ...texts, transform: "date" }))
      assert.deepInclude(named, { transform: "date", native_field: "properties.description" })
    })
  )

  it.effect("what is no value of the field reads as none", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("salesforce")
      const body = { provider: "salesforce", resource: "deal", field: "probability", native_field: "Probability" }
      const path = "/crm/deal?provider=salesforce"
      const made = { name: "Looms", stage: "Prospecting", close_date: "2026-12-24", probability: 0.4 }
      const { remote_id } = recordOf(yield* call("POST", path, { body: made }))
      const plain = previewOf(yield* preview(call, { ...body, remote_id }))
      assert.deepStrictEqual([plain.before, plain.after, plain.native], [0.4, null, 40])
      const percent = previewOf(yield* preview(call, { ...body, remote_id, transform: "percent" }))
      assert.strictEqual(percent.after, 0.4)
    })
  )

  it.effect("values go both ways by the table", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("pipedrive")
      const values = { "101": "bronze", "102": "silver", "103": "gold" }
      const body = { provider: "pipedrive", resource: "contact", field: "tier", native_field: tierKey, values }
      const [row] = rowsOf(yield* put(call, body))
      assert.deepInclude(row, { native_field: `custom_fields.${tierKey}`, transform: "numericValues" })
      const path = "/crm/contact?provider=pipedrive"
      const made = recordOf(
        yield* call("POST", path, { body: { last_name: "Lovelace", custom_fields: { tier: "silver" } } })
      )
      assert.deepStrictEqual(made.custom_fields, { tier: "silver" })
      const one = `/crm/contact/${String(made.remote_id)}?provider=pipedrive`
      const { remote_data } = recordOf(yield* call("GET", `${one}&include_remote_data=true`))
      assert.deepInclude(remote_data, { custom_fields: { [tierKey]: 102 } })
      const refused = errorsOf(yield* call("PATCH", one, { body: { custom_fields: { tier: "iron" } } }))
      assert.include(refused["custom_fields.tier"], "bronze, silver, gold")
    })
  )

  it.effect("a field that Pipedrive gives only when it is asked for is asked for", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("pipedrive")
      const native_field = "open_deals_count"
      const [row] = rowsOf(
        yield* put(call, { provider: "pipedrive", resource: "contact", field: "open_deals", native_field })
      )
      assert.deepInclude(row, { native_field, access: "read", checked: true })
      const path = "/crm/contact?provider=pipedrive"
      const made = recordOf(yield* call("POST", path, { body: { last_name: "Lovelace" } }))
      assert.deepStrictEqual(made.custom_fields, { open_deals: 0 })
      yield* call("POST", "/crm/deal?provider=pipedrive", { body: { name: "Looms", contact: made.remote_id } })
      const one = path.replace("?", `/${String(made.remote_id)}?`)
      const changed = recordOf(yield* call("PATCH", one, { body: { title: "Analyst" } }))
      assert.deepStrictEqual(changed.custom_fields, { open_deals: 1 })
    })
  )

  full(it).effect("an entry of a list of QuickBooks' custom fields is a native field", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("quickbooks")
      const crew = "CustomField[DefinitionId=1].StringValue"
      const body = { provider: "quickbooks", resource: "invoice", field: "custom_fields.crew", native_field: crew }
      assert.include(errorsOf(yield* put(call, body)).native_field, "give native_type, Invoice")
      const ofInvoices = { ...body, native_type: "Invoice" }
      const wrong = { ...ofInvoices, native_field: "CustomField[DefinitionId=9].StringValue" }
      assert.include(errorsOf(yield* put(call, wrong)).native_field, `${crew} (Crew)`)
      const [row] = rowsOf(yield* put(call, ofInvoices))
      assert.deepInclude(row, { field: "custom_fields.crew", native_field: crew, checked: true })
      const contact = yield* call("GET", "/accounting/contact?provider=quickbooks&limit=1")
      const item = yield* call("GET", "/accounting/item?provider=quickbooks&limit=1")
      const idIn = (answer: Answer) =>
        Schema.decodeUnknownSync(
          Schema.Struct({ data: Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ id: Schema.String })) }) })
        )(answer.body).data.data[0].id
      const invoice = {
        type: "ACCOUNTS_RECEIVABLE",
        contact: idIn(contact),
        line_items: [{ item: idIn(item), quantity: 1, unit_price: 10 }]
      }
      const path = "/accounting/invoice?provider=quickbooks"
      const made = recordOf(
        yield* call("POST", path, {
          body: { ...invoice, custom_fields: { crew: "North" } }
        })
      )
      assert.deepStrictEqual(made.custom_fields, { crew: "North" })
      const one = path.replace("?", `/${String(made.remote_id)}?`)
      const patched = recordOf(yield* call("PATCH", one, { body: { memo: "Later" } }))
      assert.deepStrictEqual(patched.custom_fields, { crew: "North" })
      const changed = recordOf(yield* call("PATCH", one, { body: { custom_fields: { crew: "South" } } }))
      assert.deepStrictEqual(changed.custom_fields, { crew: "South" })
      const other = { ...ofInvoices, field: "site", native_field: "CustomField[DefinitionId=2].StringValue" }
      yield* put(call, other)
      const both = recordOf(yield* call("PATCH", one, { body: { custom_fields: { site: "Ada" } } }))
      assert.deepStrictEqual(both.custom_fields, { crew: "South", site: "Ada" }, "the other entry stays")
      const cleared = recordOf(yield* call("PATCH", one, { body: { custom_fields: { crew: null } } }))
      assert.deepStrictEqual(cleared.custom_fields, { crew: null, site: "Ada" })
    })
  )

  full(it).effect("NetSuite's catalogue tells custom fields and what references lead to", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("netsuite")
      const body = { provider: "netsuite", resource: "contact", native_type: "customer", field: "tier" }
      const misspelt = { ...body, native_field: "custentity_loyalty_teir.id" }
      assert.include(errorsOf(yield* put(call, misspelt)).native_field, "custentity_loyalty_tier")
      const native_field = "custentity_loyalty_tier.id"
      const values = { "1": "bronze", "2": "silver" }
      assert.include(
        errorsOf(yield* put(call, { ...body, native_field, values: { "9": "iron" } }))["values.9"],
        "1, 2, 3"
      )
      const [row] = rowsOf(yield* put(call, { ...body, native_field, values }))
      assert.deepInclude(row, { field: "custom_fields.tier", native_field, access: "both", checked: true })
      const path = "/accounting/contact?provider=netsuite"
      const [customer] = pageOf(yield* call("GET", `${path}&limit=1`)).data
      const one = path.replace("?", `/${String(customer?.remote_id)}?`)
      for (const tier of ["silver", "bronze", null]) {
        const patched = recordOf(yield* call("PATCH", one, { body: { custom_fields: { tier } } }))
        assert.deepStrictEqual(patched.custom_fields, { tier })
      }
      const [name] = rowsOf(yield* put(call, { ...body, field: "rep", native_field: "salesRep.refName" }))
      assert.deepInclude(name, { access: "read" })
    })
  )

  it.effect("is removed by the name it is listed under", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot")
      const named = { provider: "hubspot", resource: "contact", field: "custom_fields.tier" }
      const [row] = rowsOf(yield* put(call, { ...named, native_field: "loyalty_tier" }))
      assert.strictEqual(row?.field, "custom_fields.tier")
      const query = "provider=hubspot&resource=contact&field=custom_fields.tier"
      assert.strictEqual((yield* call("DELETE", `/field-mappings?${query}`)).status, 200)
      const rows = rowsOf(yield* call("GET", "/field-mappings?provider=hubspot&resource=contact"))
      assert.isTrue(rows.every(({ source }) => source === "default"))
      const canonical = yield* put(call, { ...named, field: "custom_fields.title", native_field: "industry" })
      assert.include(errorsOf(canonical).field, "without custom_fields")
    })
  )

  it.effect("an override that became bad is named by what it refuses", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { tenancy } = yield* app.caller([])
      const before = yield* app.caller([], { tenancy })
      // as it was put while nobody was connected
      const anyone: Call = (method, path, options = {}) =>
        before.call(method, path, { ...options, headers: { "x-end-user-id": undefined } })
      const body = { provider: "hubspot", resource: "contact", field: "shoe_size", native_field: "no_such_property" }
      rowsOf(yield* put(anyone, body))
      const { call } = yield* app.caller(["hubspot"], { tenancy })
      const path = "/crm/contact?provider=hubspot"
      const made = recordOf(yield* call("POST", path, { body: { last_name: "Lovelace" } }))
      const one = path.replace("?", `/${String(made.remote_id)}?`)
      const refused = errorsOf(yield* call("PUT", one, { body: { last_name: "Byron" } }))
      assert.deepStrictEqual(Object.keys(refused), ["custom_fields.shoe_size"])
      assert.include(refused["custom_fields.shoe_size"], "override")
      assert.include(refused["custom_fields.shoe_size"], "properties.no_such_property")
      const read = recordOf(yield* call("GET", one))
      assert.deepStrictEqual(read.custom_fields, { shoe_size: null }, "reading goes on")
    })
  )

  it.effect("a provider that fails while it is asked saves nothing; one that may not be asked is not checked", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      const { call } = yield* connected("hubspot")
      const body = { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" }
      const fault = { provider: "hubspot", path: "/properties", times: 9 }
      yield* faults.add({ ...fault, does: { kind: "status", status: 500 } })
      assert.deepStrictEqual(refusalOf(yield* put(call, body)), [502, "PROVIDER_ERROR"])
      const rows = rowsOf(yield* call("GET", "/field-mappings?provider=hubspot"))
      assert.isTrue(rows.every(({ source }) => source === "default"))
      yield* faults.clear
      yield* faults.add({ ...fault, does: { kind: "status", status: 403 } })
      const [row] = rowsOf(yield* put(call, body))
      assert.deepInclude(row, { native_field: "properties.industry", checked: false })
      yield* faults.clear
    })
  )

  it.effect("a record to preview on that is not there is not found", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot")
      const body = { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" }
      assert.deepStrictEqual(refusalOf(yield* preview(call, { ...body, remote_id: "404" })), [404, "CONTACT_NOT_FOUND"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* preview(call, { ...body, remote_id: "" }))), ["remote_id"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* put(call, { ...body, remote_id: "1" }))), ["remote_id"])
      assert.deepStrictEqual(refusalOf(yield* preview(call, { ...body, provider: "nobody" })), [
        404,
        "PROVIDER_NOT_FOUND"
      ])
    })
  )
})
