import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { nameOf, type Requirement } from "../../src/providers/Requirement.ts"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import {
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
  walk,
  whileTimePasses
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const module = (name: string) => ({ kind: "module", name }) as const
const scope = (name: string) => ({ kind: "scope", name }) as const
const tier = (name: string) => ({ kind: "tier", name }) as const
const edition = (name: string) => ({ kind: "edition", name }) as const

const orders = "/accounting/purchase_order"

/** Accounts that lack something, with a list that needs it and one that does not. */
const cases: ReadonlyArray<readonly [provider: string, lacks: Requirement, path: string, other?: string]> = [
  ["hubspot", scope("crm.objects.leads.read"), "/crm/lead", "/crm/contact"],
  ["hubspot", tier("Sales Hub Professional"), "/crm/lead", "/crm/deal"],
  ["hubspot", scope("crm.objects.appointments.read"), "/crm/appointment", "/crm/meeting"],
  ["salesforce", module("Salesforce Scheduler or Field Service"), "/crm/appointment", "/crm/contact"],
  ["salesforce", edition("Enterprise"), "/crm/contact"],
  ["zoho_crm", module("Appointments__s"), "/crm/appointment", "/crm/note"],
  ["zoho_crm", module("Deals"), "/crm/deal", "/crm/contact"],
  ["quickbooks", edition("Plus"), orders, "/accounting/invoice"],
  ["pipedrive", scope("leads:full"), "/crm/lead", "/crm/contact"],
  ["pipedrive", scope("activities:full"), "/crm/task", "/crm/note"],
  ["pipedrive", scope("users:read"), "/crm/owner", "/crm/deal"],
  ["netsuite", module("Projects"), "/accounting/project", "/accounting/contact"],
  ["netsuite", module("Accounting Periods"), "/accounting/accounting_period", "/accounting/journal_entry"],
  ["netsuite", module("Sales Orders"), "/accounting/sales_order", "/accounting/invoice"],
  ["netsuite", module("Credit Memo"), "/accounting/credit_note", "/accounting/vendor_credit"],
  ["xero", scope("bankfeeds"), "/accounting/bank_feed_account", "/accounting/invoice"],
  ["xero", scope("finance.statements.read"), "/accounting/cash_flow_statement", "/accounting/balance_sheet"],
  ["xero", tier("Advanced"), "/accounting/general_ledger_transaction", "/accounting/journal_entry"]
]

/** Connects a simulated account that lacks something. */
const connect = ({ call, endUser }: Caller, provider: string, ...lacks: ReadonlyArray<Requirement>) =>
  Effect.map(call("POST", "/connections", { body: { endUserId: endUser, provider, sandbox: { lacks } } }), (answer) =>
    String(recordOf(answer).id)
  )

/** The requirements of a resource as its connection shows them: `{"edition:Plus": false}`. */
const heldBy = ({ call }: Caller, id: string, resource: string) =>
  Effect.map(call("GET", `/connections/${id}`), (answer) => {
    const found = listOf(recordOf(answer).resources).find((one) => one.resource === resource)
    return Object.fromEntries(
      listOf(found?.requires).map(({ held, kind, name }) => [`${String(kind)}:${String(name)}`, held])
    )
  })

/** Orders something of a supplier at QuickBooks. */
const order = Effect.fnUntraced(function* ({ call }: Caller) {
  const list = (resource: string) =>
    Effect.map(walk(call, `/accounting/${resource}?provider=quickbooks`), ({ records }) => records)
  const vendor = (yield* list("contact")).find((one) => one.is_supplier === true)?.id
  const cost = (yield* list("account")).find((one) => one.classification === "EXPENSE")?.id
  return yield* call("POST", "/accounting/purchase_order?provider=quickbooks", {
    body: { vendor, line_items: [{ account: cost, total_line_amount: 10 }] }
  })
})

layer(sandboxApplication(), { timeout: "60 seconds" })("an account that lacks something", (it) => {
  const caller = Effect.flatMap(SandboxApplication, (app) => app.caller([]))

  full(it).effect("says so by one code, in plain words, and the rest of it works", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      for (const [provider, lacks, path, other] of cases) {
        const name = nameOf(lacks)
        const own = yield* caller
        const id = yield* connect(own, provider, lacks)
        const refused = path === orders ? yield* order(own) : yield* own.call("GET", `${path}?provider=${provider}`)
        assert.deepStrictEqual(refusalOf(refused), [403, "PROVIDER_FEATURE_MISSING"], name)
        // HubSpot tells the scopes that cannot be granted without it
        const isUntold = lacks.kind === "tier" && provider === "hubspot"
        assert.include(failureOf(refused).message, isUntold ? "the scope crm.objects.leads.read" : lacks.name)
        if (other !== undefined) {
          assert.isNotEmpty(pageOf(yield* own.call("GET", `${other}?provider=${provider}&limit=5`)).data, other)
        }

        const resource = path.split("/").at(-1) ?? ""
        assert.strictEqual((yield* heldBy(own, id, resource))[name], isUntold ? null : false, name)
        const known = recordOf(yield* call("GET", `/providers/${provider}`))
        const stated = listOf(known.resources).find((one) => one.resource === resource)
        assert.deepInclude(listOf(stated?.requires), lacks)
      }
    })
  )

  full(it).effect("is told of what it has, before anything is asked for", () =>
    Effect.gen(function* () {
      const own = yield* caller
      const held = (provider: string, resource: string) =>
        Effect.flatMap(connect(own, provider), (id) => heldBy(own, id, resource))
      assert.deepStrictEqual(yield* held("quickbooks", "transaction"), { "edition:Plus": true })
      assert.deepStrictEqual(yield* held("zoho_crm", "note"), { "module:Notes": true })
      assert.deepStrictEqual(yield* held("salesforce", "note"), { "edition:Enterprise": true, "module:Notes": true })
      assert.deepStrictEqual(yield* held("xero", "general_ledger_transaction"), {
        "scope:accounting.journals.read": true,
        "tier:Advanced": null
      })
      assert.deepStrictEqual(yield* held("pipedrive", "lead"), { "scope:leads:full": true })
      assert.deepStrictEqual(yield* held("netsuite", "project"), { "module:Projects": true })
      assert.deepStrictEqual(yield* held("netsuite", "invoice"), { "module:Invoice": true, "module:Bills": true })
      const some = yield* connect(own, "netsuite", module("Bills"))
      assert.deepStrictEqual(yield* heldBy(own, some, "invoice"), { "module:Invoice": true, "module:Bills": false })
      const [less] = [yield* connect(own, "quickbooks", edition("Plus"))]
      assert.deepStrictEqual(yield* heldBy(own, less, "transaction"), { "edition:Plus": false })
    })
  )

  it.effect("is asked once, and not waited for when its provider is slow", () =>
    Effect.gen(function* () {
      const own = yield* caller
      const requests = yield* NotedRequests
      const faults = yield* Faults
      const id = yield* connect(own, "zoho_crm")
      yield* faults.add({
        provider: "zoho_crm",
        path: "/settings/modules",
        does: { kind: "latency", milliseconds: 8000 }
      })
      const asked = yield* requests.during(
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* heldBy(own, id, "deal").pipe(whileTimePasses(3500)), { "module:Deals": null })
          yield* TestClock.adjust("6 seconds")
          for (const _ of [1, 2]) assert.deepStrictEqual(yield* heldBy(own, id, "deal"), { "module:Deals": true })
        })
      )
      assert.lengthOf(asked, 1)
      yield* faults.clear
    })
  )

  it.effect("costs the others in a list nothing, and is named once", () =>
    Effect.gen(function* () {
      const own = yield* caller
      yield* connect(own, "hubspot")
      const less = yield* connect(own, "salesforce", module("Salesforce Scheduler or Field Service"))
      const alone = yield* caller
      yield* connect(alone, "hubspot")
      const { records: wanted } = yield* walk(alone.call, "/crm/appointment")
      const first = pageOf(yield* own.call("GET", "/crm/appointment?limit=4"))
      assert.deepStrictEqual(
        first.errors?.map(({ code, connectionId, retryable }) => [code, connectionId, retryable]),
        [["PROVIDER_FEATURE_MISSING", less, false]]
      )
      let { data, pagination } = first
      while (pagination.cursor !== null) {
        const cursor = encodeURIComponent(pagination.cursor)
        const next = pageOf(yield* own.call("GET", `/crm/appointment?limit=100&cursor=${cursor}`))
        assert.isUndefined(next.errors)
        data = [...data, ...next.data]
        pagination = next.pagination
      }
      assert.sameMembers(
        data.map((one) => one.remote_id),
        wanted.map((one) => one.remote_id)
      )
    })
  )

  it.effect("QuickBooks without stock lists the other transactions, and is not asked again", () =>
    Effect.gen(function* () {
      const requests = yield* NotedRequests
      const faults = yield* Faults
      const path = "/accounting/transaction?provider=quickbooks"
      const whole = yield* caller
      yield* connect(whole, "quickbooks")
      const { records: all } = yield* walk(whole.call, path)
      const kinds = (records: ReadonlyArray<Doc>) =>
        [...new Set(records.map((one) => String(one.transaction_type)))].toSorted((a, b) => a.localeCompare(b))
      assert.deepStrictEqual(kinds(all), [
        "Deposit",
        "InventoryAdjustment",
        "RefundReceipt",
        "SalesReceipt",
        "Transfer"
      ])

      const less = yield* caller
      const id = yield* connect(less, "quickbooks", edition("Plus"))
      const { lacks, records: left } = yield* walk(less.call, path)
      assert.lengthOf(lacks, 1)
      assert.include(lacks[0], "the edition Plus")
      assert.deepStrictEqual(
        kinds(left),
        kinds(all).filter((one) => one !== "InventoryAdjustment")
      )
      // where a batch is refused as a whole, each kind is asked for by itself
      const refuseBatch = faults.add({ provider: "quickbooks", path: "/batch", does: { kind: "status", status: 400 } })
      const asked = (call: typeof less.call) =>
        Effect.map(Effect.zipRight(refuseBatch, requests.during(walk(call, path))), (all) =>
          all.map((one) => one.path.split("/").at(-1))
        )
      assert.deepStrictEqual(yield* asked(whole.call), ["batch", ...Array.from({ length: 5 }, () => "query")])
      assert.deepStrictEqual(yield* asked(less.call), ["batch", ...Array.from({ length: 4 }, () => "query")])
      const [sale] = left
      const found = yield* less.call("GET", `/accounting/transaction/${String(sale?.remote_id)}?provider=quickbooks`)
      assert.strictEqual(recordOf(found).id, sale?.id)
      assert.deepStrictEqual(yield* heldBy(less, id, "transaction"), { "edition:Plus": false })

      // in whatever words it is refused
      const other = yield* caller
      yield* connect(other, "quickbooks")
      yield* refuseBatch
      yield* faults.add({ provider: "quickbooks", path: "/query", skip: 4, does: { kind: "status", status: 400 } })
      assert.lengthOf(kinds((yield* walk(other.call, path)).records), 4)
      // what a read is refused for is not the caller's fault
      yield* faults.add({ provider: "quickbooks", path: "/query", does: { kind: "status", status: 400 } })
      const refused = yield* other.call("GET", "/accounting/item?provider=quickbooks")
      assert.deepStrictEqual(refusalOf(refused), [502, "PROVIDER_ERROR"])
      assert.include(failureOf(refused).message, "refused what was asked of it")
    })
  )

  full(it).effect("NetSuite lists the types that a role may see, and says which it may not", () =>
    Effect.gen(function* () {
      const partly: ReadonlyArray<readonly [resource: string, lacks: string, isLeft: (record: Doc) => boolean]> = [
        ["invoice", "Bills", ({ type }) => type === "ACCOUNTS_RECEIVABLE"],
        ["contact", "Customers", ({ is_supplier }) => is_supplier === true],
        ["payment", "Pay Bills", ({ type }) => type === "ACCOUNTS_RECEIVABLE"],
        ["tracking_category", "Departments", ({ category_type }) => category_type !== "DEPARTMENT"],
        ["transaction", "Make Deposits", ({ transaction_type }) => transaction_type !== "Deposit"]
      ]
      const requests = yield* NotedRequests
      const whole = yield* caller
      yield* connect(whole, "netsuite")
      for (const [resource, lacks, isLeft] of partly) {
        const path = `/accounting/${resource}?provider=netsuite`
        const { records: all } = yield* walk(whole.call, path)
        const less = yield* caller
        const id = yield* connect(less, "netsuite", module(lacks))
        const { lacks: told, records } = yield* walk(less.call, path)
        assert.lengthOf(told, 1, resource)
        assert.include(told[0], lacks)
        assert.isNotEmpty(records, resource)
        assert.isAbove(all.length, records.length, resource)
        assert.sameMembers(
          records.map((one) => one.remote_id),
          all.filter(isLeft).map((one) => one.remote_id),
          resource
        )
        assert.strictEqual((yield* heldBy(less, id, resource))[`module:${lacks}`], false, resource)
        // what is lacked is found out once
        const warm = yield* requests.during(walk(less.call, path))
        assert.isFalse(
          warm.some(({ method }) => method === "GET"),
          resource
        )
      }

      const none = yield* caller
      yield* connect(none, "netsuite", module("Check"), module("Credit Card"))
      assert.deepStrictEqual(refusalOf(yield* none.call("GET", "/accounting/expense?provider=netsuite")), [
        403,
        "PROVIDER_FEATURE_MISSING"
      ])
    })
  )

  it.effect("is made in the sandbox only, of what there is", () =>
    Effect.gen(function* () {
      const { call, endUser } = yield* caller
      const make = (provider: string, more: object, other = call) =>
        other("POST", "/connections", { body: { endUserId: endUser, provider, ...more } })
      const unknown = errorsOf(yield* make("xero", { sandbox: { lacks: [scope("bankfeeds"), module("Payroll")] } }))
      assert.deepStrictEqual(Object.keys(unknown), ["sandbox.lacks.1"])
      assert.include(unknown["sandbox.lacks.1"], "scope:bankfeeds")
      const none = errorsOf(yield* make("close", { sandbox: { lacks: [module("Deals")] } }))
      assert.include(none["sandbox.lacks.0"], "nothing")
      const wrong = errorsOf(yield* make("xero", { sandbox: { lacks: [{ kind: "plan", name: "x" }] } }))
      assert.deepStrictEqual(Object.keys(wrong), ["sandbox.lacks.0.kind"])
      assert.include(errorsOf(yield* make("xero", {})).credentials, "sandbox")
      const both = { sandbox: {}, credentials: { accessToken: "x" } }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* make("xero", both))), ["sandbox"])
      const live = yield* Effect.flatMap(SandboxApplication, (app) => app.caller([], { environment: "production" }))
      assert.deepStrictEqual(Object.keys(errorsOf(yield* make("xero", { sandbox: {} }, live.call))), ["credentials"])
    })
  )
})
