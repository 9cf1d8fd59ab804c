import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { find } from "../../../src/canonical/Catalogue.ts"
import { asListed } from "../../../src/testing/contract/Listed.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { parties } from "../../contract/samples/NetSuiteLists.ts"
import {
  type Call,
  type Doc,
  errorsOf,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"

const of = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${encodeURIComponent(String(id))}`}?provider=netsuite`

interface Capability {
  readonly resource: string
  readonly nullInLists: ReadonlyArray<string>
}

const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])

const isDoc = (value: unknown): value is Doc => typeof value === "object" && value !== null && !Array.isArray(value)

/** NetSuite's entry in the matrix. */
const capabilities = (call: Call) =>
  Effect.map(call("GET", "/providers/netsuite"), (answer): ReadonlyArray<Capability> =>
    listOf(recordOf(answer).resources).map(({ fields, resource }) => ({
      resource: String(resource),
      nullInLists: isDoc(fields) ? texts(fields.null_in_lists) : []
    }))
  )

/** Accounts and roles that lack something, by what a test puts into them. */
const accounts: { readonly [name: string]: { readonly [feature: string]: Doc } } = {
  sample: {},
  suiteTax: { suiteTax: { isOn: true } },
  bare: {
    subsidiaries: { isOff: true },
    currencies: { isOff: true },
    role: {
      columns: ["entity.type", "customer.searchstage", "term.isinactive", "paymentmethod.methodtype"],
      tables: ["taxitemtaxgroup"],
      hasBooks: false
    }
  },
  books: { books: { primary: "2" } }
}

const resources = [
  ...["invoice", "credit_note", "vendor_credit", "sales_order", "purchase_order", "expense", "payment"],
  ...["journal_entry", "expense_report", "item_fulfillment", "contact", "address", "phone_number", "item", "account"],
  ...["employee", "project", "accounting_period", "payment_term", "tracking_category", "company_info", "tax_rate"],
  ...["payment_method", "general_ledger_transaction", "transaction"]
]

layer(sandboxApplication(), { timeout: "120 seconds" })("lists of NetSuite", (it) => {
  const connect = (features: { readonly [feature: string]: Doc }) =>
    Effect.gen(function* () {
      const { call, connections } = yield* Effect.flatMap(SandboxApplication, (app) => app.caller(["netsuite"]))
      const store = yield* SimulationStore
      const alter = (make: (put: (type: string, id: string, doc: Doc) => void) => void) =>
        store.run("netsuite", connections.netsuite ?? "", (account) => make(account.put))
      yield* alter((put) => {
        for (const [name, doc] of Object.entries(features)) put("feature", name, doc)
      })
      /** The requirements of a resource, by its connection. */
      const held = (resource: string) =>
        Effect.map(call("GET", `/connections/${connections.netsuite ?? ""}`), (answer) => {
          const one = listOf(recordOf(answer).resources).find((found) => found.resource === resource)
          return Object.fromEntries(listOf(one?.requires).map((found) => [String(found.name), found.held]))
        })
      return { call, alter, held }
    })

  it.effect.each(Object.entries(accounts))("%s: a record got by its id is the one listed", ([, features]) =>
    Effect.gen(function* () {
      const { call } = yield* connect(features)
      const all = yield* capabilities(call)
      for (const resource of resources) {
        const { records } = yield* walk(call, of(resource))
        const nullInLists = all.find((one) => one.resource === resource)?.nullInLists ?? []
        const step = Math.max(1, Math.floor(records.length / 6))
        for (const record of records.filter((_, i) => i % step === 0 || i === records.length - 1)) {
          const { modified_at: _, ...got } = asListed(
            recordOf(yield* call("GET", of(resource, record.remote_id))),
            nullInLists
          )
          const { modified_at: __, ...listed } = asListed(record, nullInLists)
          assert.deepStrictEqual(listed, got, resource)
        }
      }
    })
  )

  it.effect("a page takes four queries at most, and one more for each further thousand rows of lines", () =>
    Effect.gen(function* () {
      const { call } = yield* connect({})
      const { customer, service: item } = yield* parties(call)
      const requests = yield* NotedRequests
      for (const resource of resources) {
        // what the account is like is found out with the first page
        yield* call("GET", `${of(resource)}&limit=20`)
        const noted = yield* requests.during(call("GET", `${of(resource)}&limit=20`))
        assert.isAtMost(noted.length, 4, resource)
        assert.deepStrictEqual(
          noted.filter(({ method, path }) => method !== "POST" && !path.endsWith("/taxGroup")),
          [],
          resource
        )
      }
      const line = { item, quantity: 1, unit_price: 1 }
      for (let i = 0; i < 4; i += 1) {
        recordOf(
          yield* call("POST", of("sales_order"), { body: { customer, lines: Array.from({ length: 300 }, () => line) } })
        )
      }
      const { records } = yield* walk(call, of("sales_order"))
      const large = records.filter(({ lines }) => listOf(lines).length === 300)
      assert.strictEqual(large.length, 4)
      const noted = yield* requests.during(walk(call, of("sales_order")))
      assert.isAtMost(noted.length, Math.ceil(records.length / 100) * 2 + 2)
    })
  )

  it.effect(
    "leads are no customers; what a role may not see is refused in words, not left out; units are the line's",
    () =>
      Effect.gen(function* () {
        const { alter, call } = yield* connect({ role: { hidden: ["vendorBill", "salesOrder"] } })
        const [customer] = pageOf(yield* call("GET", `${of("contact")}&limit=1`)).data
        yield* alter((put) => {
          put("customer", "900001", {
            id: "900001",
            companyName: "A lead",
            entityStatus: { id: "6" },
            isInactive: false
          })
          put("unit", "1", { id: "1", name: "Box", conversionRate: 12 })
        })
        const contacts = (yield* walk(call, of("contact"))).records
        assert.isFalse(contacts.some(({ name }) => name === "A lead"))
        assert.isString(customer?.name)
        const refused = yield* call("GET", of("sales_order"))
        assert.deepInclude(refused.body, { statusCode: 403, code: "PROVIDER_FEATURE_MISSING" })
        // of several types those that can be seen are listed
        const invoices = (yield* walk(call, of("invoice"))).records
        assert.isAbove(invoices.length, 0)
        assert.isTrue(invoices.every(({ type }) => type === "ACCOUNTS_RECEIVABLE"))
        const { customer: contact, service: item } = yield* parties(call)
        const body = {
          type: "ACCOUNTS_RECEIVABLE",
          contact,
          line_items: [{ item, quantity: 2, unit_price: 24, integration_params: { units: { id: "1" } } }]
        }
        const made = recordOf(yield* call("POST", of("invoice"), { body }))
        const listed = (yield* walk(call, of("invoice"))).records.find(({ id }) => id === made.id)
        assert.deepInclude(listOf(listed?.line_items)[0], { quantity: 2, unit_price: 24, total_amount: 48 })
      })
  )

  it.effect("what a role may not see is told of its connection, whatever the catalogue has", () =>
    Effect.gen(function* () {
      for (const isCatalogued of [false, true]) {
        const { call, held } = yield* connect({ role: { hidden: ["vendorBill"], isCatalogued } })
        assert.strictEqual((yield* held("invoice"))["Bills"], isCatalogued)
        // the account has been looked at: what lists find out counts five minutes later
        assert.isAbove((yield* walk(call, of("invoice"))).records.length, 0)
        yield* TestClock.adjust("6 minutes")
        assert.deepStrictEqual(yield* held("invoice"), { Invoice: true, Bills: false })
      }
    })
  )

  it.effect("payment methods come in one query, or each by itself where queries do not tell their kinds", () =>
    Effect.gen(function* () {
      const requests = yield* NotedRequests
      const noted = (columns: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const { call } = yield* connect({ role: { columns } })
          yield* call("GET", `${of("payment_method")}&limit=1`)
          yield* TestClock.adjust("10 minutes")
          const calls = yield* requests.during(call("GET", of("payment_method")))
          const { data } = pageOf(yield* call("GET", of("payment_method")))
          return { calls, told: data.map(({ method_type, name, remote_id }) => [remote_id, name, method_type]) }
        })
      const queried = yield* noted([])
      assert.deepStrictEqual(
        queried.calls.map(({ method }) => method),
        ["POST"]
      )
      const read = yield* noted(["paymentmethod.methodtype"])
      assert.strictEqual(read.calls.length, read.told.length + 1)
      assert.deepStrictEqual(read.told, queried.told)
      assert.isTrue(read.told.some(([, , kind]) => kind === "CREDIT_CARD"))
    })
  )

  it.effect("a record sent back as it was listed loses nothing that lists do not tell", () =>
    Effect.gen(function* () {
      const { call } = yield* connect({})
      const requests = yield* NotedRequests
      const [listed = {}] = pageOf(yield* call("GET", `${of("contact")}&limit=1`)).data
      const at = of("contact", listed.remote_id)
      recordOf(yield* call("PATCH", at, { body: { tax_number: "T-1" } }))
      assert.isNull(listed.tax_number)

      assert.hasAllKeys(errorsOf(yield* call("PUT", at, { body: listed })), ["tax_number"])
      const patched = yield* call("PATCH", at, { body: { ...listed, name: "Renamed" } })
      assert.strictEqual(patched.status, 422)
      const got = recordOf(yield* call("GET", at))
      assert.deepInclude(got, { tax_number: "T-1", name: listed.name })

      // what was got can be sent back, and what is meant to be cleared is
      const renamed = recordOf(yield* call("PUT", at, { body: { ...got, name: "Renamed" } }))
      assert.deepInclude(renamed, { tax_number: "T-1", name: "Renamed" })
      const noted = yield* requests.during(call("PATCH", at, { body: { ...renamed, name: listed.name } }))
      const plain = yield* requests.during(call("PATCH", at, { body: { name: "Renamed" } }))
      assert.strictEqual(noted.length, plain.length)
      assert.isNull(recordOf(yield* call("PATCH", at, { body: { tax_number: null } })).tax_number)
      recordOf(yield* call("PUT", at, { body: { ...listed, name: "As it was" } }))
    })
  )

  it.effect("a line sent back as it was listed loses nothing either", () =>
    Effect.gen(function* () {
      const { call } = yield* connect({})
      const reports = (yield* walk(call, of("expense_report"))).records
      const [report = {}] = reports
      const at = of("expense_report", report.remote_id)
      const lines = listOf(report.lines)
      const held = listOf(recordOf(yield* call("GET", at)).lines)
      assert.isString(held[0]?.expense_date)
      assert.include(Object.keys(errorsOf(yield* call("PATCH", at, { body: { lines } }))), "lines.0.expense_date")
      recordOf(yield* call("PATCH", at, { body: { lines: held } }))
      const { lines: after } = recordOf(yield* call("GET", at))
      assert.strictEqual(listOf(after)[0]?.expense_date, held[0]?.expense_date)
    })
  )

  it.effect("the matrix names fields that exist", () =>
    Effect.gen(function* () {
      const { call } = yield* connect({})
      for (const { nullInLists, resource } of yield* capabilities(call)) {
        for (const path of nullInLists) {
          assert.property(find("accounting", resource)?.fields, path.split("[]")[0] ?? "", `${resource} ${path}`)
        }
      }
    })
  )
})
