import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { simulator } from "../../../src/providers/zohobooks/simulator/ZohoBooksSimulator.ts"
import { notedApplication } from "../../support/Noted.ts"
import { type Doc, pageOf, recordOf, SandboxApplication, walk } from "../../support/SandboxApplication.ts"

const { application, during } = notedApplication(simulator)

const path = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=zoho_books`

const uuidOf = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")

layer(application, { timeout: "60 seconds" })("Zoho Books' filters", (it) => {
  const organisation = Effect.gen(function* () {
    const { call, connections } = yield* (yield* SandboxApplication).caller(["zoho_books"])
    /** Lists by filters, and tells what Zoho is asked for that: paths with their parameters, but those of every list. */
    const list = (resource: string, wanted: { readonly [filter: string]: string }) =>
      Effect.gen(function* () {
        const query = new URLSearchParams({ limit: "100", ...wanted }).toString()
        const { answer, asked } = yield* during(call("GET", `${path(resource)}&${query}`))
        assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
        const usual = ["page", "per_page", "sort_column", "sort_order", "organization_id"]
        return {
          records: pageOf(answer).data,
          asked: asked.map((request) =>
            [
              request.path.split("/").at(-1),
              ...[...request.query].filter(([name]) => !usual.includes(name)).map((one) => one.join("="))
            ].join(" ")
          )
        }
      })
    const ids = (resource: string, wanted: { readonly [filter: string]: string }) =>
      Effect.map(list(resource, wanted), ({ records }) => records.map(({ id }) => id))
    const make = (resource: string, body: Doc) => Effect.map(call("POST", path(resource), { body }), recordOf)
    const { records: accounts } = yield* list("account", {})
    const account = (holds: (one: Doc) => boolean) => uuidOf(accounts.find(holds))
    return {
      call,
      connection: String(connections.zoho_books),
      ids,
      list,
      make,
      bank: account((one) => one.account_type === "BANK"),
      cost: account((one) => one.type === "EXPENSE"),
      customer: yield* make("contact", { name: "Lovelace & Sons", is_customer: true, currency: "USD" }),
      vendor: yield* make("contact", { name: "Clement", is_supplier: true, currency: "USD" })
    }
  })

  it.effect("each that Zoho has is asked of it, in one call for each kind", () =>
    Effect.gen(function* () {
      const { bank, customer, list, vendor } = yield* organisation
      for (const resource of ["invoice", "item", "payment"]) yield* list(resource, {})
      const [own, other] = [customer, vendor].map(({ remote_id }) => String(remote_id))
      const lists: ReadonlyArray<readonly [string, { readonly [filter: string]: string }, ReadonlyArray<string>]> = [
        [
          "contact",
          { name: "Lovelace & S", is_supplier: "false", status: "ARCHIVED" },
          ["contacts contact_name_startswith=Lovelace & S contact_type=customer filter_by=Status.Inactive"]
        ],
        [
          "contact",
          { email_address: `${"x".repeat(120)}@y.example` },
          [`contacts email_startswith=${"x".repeat(100)}`]
        ],
        ["contact", { q: "lovelace" }, ["contacts search_text=lovelace"]],
        [
          "invoice",
          { contact: uuidOf(customer), status: "PAID", due_before: "2026-11-20T12:00:00Z" },
          [`invoices customer_id=${own} status=paid due_date_end=2026-11-21`, `bills vendor_id=${own} status=paid`]
        ],
        // the ends of a range may be within it or not
        [
          "invoice",
          { type: "ACCOUNTS_PAYABLE", issued_after: "2026-03-04T00:00:01Z", issued_before: "2026-04-01" },
          ["bills date_start=2026-03-04 date_end=2026-04-01"]
        ],
        [
          "invoice",
          { type: "ACCOUNTS_RECEIVABLE", status: "OPEN,PAID", number: "INV-9" },
          ["invoices invoice_number_startswith=INV-9"]
        ],
        [
          "invoice",
          { created_after: "2026-11-18", modified_after: "2026-11-19T00:00:00.500Z" },
          [
            "invoices created_date_start=2026-11-17 last_modified_time=2026-11-18T23:59:59+0000",
            "bills last_modified_time=2026-11-18T23:59:59+0000"
          ]
        ],
        [
          "credit_note",
          { number: "CN-", status: "AUTHORIZED" },
          ["creditnotes creditnote_number_startswith=CN- status=open"]
        ],
        ["purchase_order", { contact: uuidOf(vendor) }, [`purchaseorders vendor_id=${other}`]],
        ["payment", { contact: uuidOf(vendor), type: "ACCOUNTS_PAYABLE" }, [`vendorpayments vendor_id=${other}`]],
        ["expense", { account: bank, transaction_after: "9999-12-31T23:00:00Z" }, []],
        ["journal_entry", { modified_after: "0001-01-01", number: "1" }, ["journals entry_number_startswith=1"]],
        ["item", { name: "no such", status: "ACTIVE" }, ["items name_startswith=no such filter_by=Status.Active"]],
        // all of them come at once, and are sifted at once
        ["account", { status: "INACTIVE", limit: "1" }, ["chartofaccounts"]]
      ]
      for (const [resource, wanted, asked] of lists) {
        const found = (yield* list(resource, wanted)).asked
        if (asked.length > 0) assert.deepStrictEqual(found, asked, JSON.stringify(wanted))
        else assert.match(found.join(), /date_start=9999-12-30$/)
      }
    })
  )

  it.effect("nobody is customer and supplier at once", () =>
    Effect.gen(function* () {
      const { ids } = yield* organisation
      assert.deepStrictEqual(yield* ids("contact", { is_customer: "true", is_supplier: "true" }), [])
      assert.deepStrictEqual(yield* ids("contact", { is_customer: "false", is_supplier: "false" }), [])
    })
  )

  it.effect("what lists do not show is found by it", () =>
    Effect.gen(function* () {
      const { bank, cost, customer, ids, make, vendor } = yield* organisation
      const expense = yield* make("expense", {
        contact: uuidOf(vendor),
        account: bank,
        transaction_date: "2026-11-10",
        lines: [{ account: cost, net_amount: 12, description: "Oil" }]
      })
      assert.deepStrictEqual(yield* ids("expense", { contact: uuidOf(vendor) }), [expense.id])
      assert.include(yield* ids("expense", { account: bank }), expense.id)
      assert.deepStrictEqual(yield* ids("expense", { account: cost }), [])
      const payment = yield* make("payment", {
        type: "ACCOUNTS_RECEIVABLE",
        contact: uuidOf(customer),
        account: bank,
        transaction_date: "2026-11-10",
        total_amount: 10
      })
      assert.deepStrictEqual(yield* ids("payment", { contact: uuidOf(customer) }), [payment.id])
      assert.deepStrictEqual(yield* ids("payment", { contact: uuidOf(vendor) }), [])
    })
  )

  it.effect("lists in the order of creation end where the rest is too young", () =>
    Effect.gen(function* () {
      const { call, connection, list } = yield* organisation
      const store = yield* SimulationStore
      const { records } = yield* walk(call, path("contact"))
      const times = records.map((one) => String(one.created_at)).toSorted()
      const bound = times[20] ?? ""
      const found = yield* list("contact", { created_before: bound, limit: "50" })
      assert.lengthOf(found.asked, 1)
      assert.strictEqual(found.records.length, times.filter((time) => time < bound).length)
      const answer = yield* call("GET", `${path("contact")}&created_before=${bound}&limit=50`)
      assert.isFalse(pageOf(answer).pagination.hasMore)
      // stamps have no fractions of a second
      yield* store.run("zoho_books", connection, ({ get, put }) => {
        const id = String(records[0]?.remote_id)
        put("contacts", id, { ...get("contacts", id), last_modified_time: "2027-01-01T13:00:01+0100" })
      })
      const since = (instant: string) =>
        Effect.map(list("contact", { modified_after: instant }), ({ records }) => records.length)
      assert.strictEqual(yield* since("2027-01-01T12:00:01Z"), 1)
      assert.strictEqual(yield* since("2027-01-01T12:00:01.001Z"), 0)
    })
  )

  it.effect("what was changed in the second that is asked for is there, where Zoho begins after it", () =>
    Effect.gen(function* () {
      const { call, connection, list } = yield* organisation
      const store = yield* SimulationStore
      const [invoice, other] = pageOf(yield* call("GET", `${path("invoice")}&limit=2`)).data
      yield* store.run("zoho_books", connection, ({ get, put }) => {
        for (const [record, second] of [
          [invoice, "01"],
          [other, "00"]
        ] as const) {
          const id = String(record?.remote_id)
          put("invoices", id, { ...get("invoices", id), last_modified_time: `2027-01-01T12:00:${second}+0000` })
        }
      })
      const { asked, records } = yield* list("invoice", { modified_after: "2027-01-01T12:00:01Z" })
      assert.include(asked, "invoices last_modified_time=2027-01-01T12:00:00+0000")
      assert.deepStrictEqual(
        records.map(({ id }) => id),
        [invoice?.id]
      )
    })
  )

  it.effect("a word finds records where Zoho looks for it", () =>
    Effect.gen(function* () {
      const { bank, cost, customer, ids, make, vendor } = yield* organisation
      assert.deepStrictEqual(yield* ids("contact", { q: "SONS" }), [customer.id])
      const lines = [{ account: cost, net_amount: 12, description: "Oil" }]
      const expense = yield* make("expense", {
        contact: uuidOf(vendor),
        account: bank,
        transaction_date: "2026-11-10",
        memo: "Whale oil",
        lines
      })
      assert.deepStrictEqual(yield* ids("expense", { q: "whale" }), [expense.id])
      const item = yield* make("item", { name: "Differential gear", unit_price: 3 })
      assert.deepStrictEqual(yield* ids("item", { q: "ential g" }), [item.id])
      const order = yield* make("purchase_order", {
        vendor: uuidOf(vendor),
        issue_date: "2026-11-10",
        purchase_order_number: "Engine/7",
        line_items: [{ description: "Brass", account: cost, quantity: 1, unit_price: 10 }]
      })
      assert.deepStrictEqual(yield* ids("purchase_order", { q: "engine/" }), [order.id])
      assert.deepStrictEqual(yield* ids("invoice", { q: "no such thing" }), [])
    })
  )
})
