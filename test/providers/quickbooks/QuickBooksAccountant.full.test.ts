import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Doc, errorsOf, listOf, recordOf, sandboxApplication, walk } from "../../support/SandboxApplication.ts"
import { strictly } from "../../support/Warnings.ts"
import { applied, company, share, uuidOf } from "./Company.ts"

// Attempts by somebody who knows bookkeeping.

/** A company with names and accounts that deal in other currencies. */
const abroad = Effect.gen(function* () {
  const books = yield* company
  const party = (name: string, currency: string, is_customer: boolean) =>
    Effect.map(books.make("contact", { name, is_customer, is_supplier: !is_customer, currency }), uuidOf)
  return {
    ...books,
    osaka: yield* party("Osaka Kigu", "JPY", true),
    supplier: yield* party("Nagoya Seiko", "JPY", false),
    kuwait: yield* party("Kuwait Kitchens", "KWD", true)
  }
})

layer(sandboxApplication(), { timeout: "60 seconds" })("QuickBooks Online, looked at by an accountant", (it) => {
  it.effect("money that comes back on a credit card is an expense below nothing", () =>
    Effect.gen(function* () {
      const { bank, card, cost, create, get, item, make, native, patch } = yield* company
      const head = { transaction_date: "2026-11-10" }
      const lines = [
        { account: cost, net_amount: -80.25, description: "returned" },
        { item, quantity: 2, unit_price: 10, net_amount: 20 },
        { item, quantity: 2, unit_price: -5, net_amount: -10 }
      ]
      const refund = yield* make("expense", { ...head, account: card, lines })
      assert.deepInclude(refund, { total_amount: -70.25, sub_total: -70.25, total_tax_amount: 0 })
      assert.deepStrictEqual(
        listOf(refund.lines).map(({ net_amount, quantity, unit_price }) => [net_amount, quantity, unit_price]),
        [
          [-80.25, 1, -80.25],
          [20, 2, 10],
          [-10, 2, -5]
        ]
      )
      const held = yield* native("expense", refund)
      assert.deepInclude(held, { Credit: true, TotalAmt: 70.25, PaymentType: "CreditCard" })
      assert.deepStrictEqual(
        listOf(held.Line).map(({ Amount }) => Amount),
        [80.25, -20, 10]
      )
      // what was read can be sent back
      const { account, transaction_date } = refund
      const again = recordOf(yield* patch("expense", refund, { account, lines: refund.lines, transaction_date }))
      assert.deepStrictEqual(again.lines, refund.lines)

      const [first, ...others] = listOf(refund.lines)
      const turned = recordOf(
        yield* patch("expense", refund, { lines: [{ ...first, net_amount: 30, unit_price: 30 }, ...others] })
      )
      assert.deepInclude(turned, { total_amount: 40 })
      assert.deepInclude(yield* native("expense", turned), { Credit: false, TotalAmt: 40 })
      assert.strictEqual(listOf(turned.lines)[2]?.net_amount, -10)

      const cash = yield* create("expense", { ...head, account: bank, lines })
      assert.deepStrictEqual(Object.keys(errorsOf(cash)), ["lines"])
      const other = yield* make("expense", { ...head, account: card, lines })
      assert.deepStrictEqual(Object.keys(errorsOf(yield* patch("expense", other, { account: bank }))), ["account"])
      assert.deepInclude(yield* get("expense", other), { total_amount: -70.25 })
    })
  )

  it.effect("amounts are as exact as their currency, and no finer", () =>
    Effect.gen(function* () {
      const { bank, bill, card, cost, create, customer, invoice, item, kuwait, make, osaka, patch, supplier } =
        yield* abroad
      const [open, owed] = [yield* invoice(10), yield* bill(10)]
      const head = { transaction_date: "2026-11-10" }
      const sale = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
      const refused = (resource: string, body: Doc, path: string) =>
        Effect.map(create(resource, body), (answer) => {
          const errors = errorsOf(answer)
          assert.deepStrictEqual(Object.keys(errors), [path], resource)
          return errors[path]
        })
      yield* refused("invoice", { ...sale, line_items: [{ item, total_amount: 10.005 }] }, "line_items.0.total_amount")
      const list = [{ item, total_amount: 10 }]
      yield* refused("invoice", { ...sale, total_discount: 0.125, line_items: list }, "total_discount")
      yield* refused("invoice", { ...sale, total_discount: -1, line_items: list }, "total_discount")
      const expense = {
        ...head,
        account: card,
        lines: [
          { account: cost, net_amount: 1 },
          { account: cost, net_amount: 0.001 }
        ]
      }
      yield* refused("expense", expense, "lines.1.net_amount")
      const entry = [
        { account: cost, net_amount: 0.001 },
        { account: bank, net_amount: -0.001 }
      ]
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("journal_entry", { ...head, lines: entry }))), [
        "lines.0.net_amount",
        "lines.1.net_amount"
      ])
      const payment = { ...sale, ...head, total_amount: 1.001 }
      yield* refused("payment", payment, "total_amount")
      const half = { ...payment, total_amount: 1, applied_to_lines: [applied("INVOICE", open, 0.999)] }
      yield* refused("payment", half, "applied_to_lines.0.applied_amount")
      const note = {
        contact: customer,
        line_items: [{ item, total_line_amount: 5 }],
        applied_to_lines: [share(open, 1.239)]
      }
      yield* refused("credit_note", note, "applied_to_lines.0.applied_amount")
      assert.deepStrictEqual(
        Object.keys(errorsOf(yield* patch("invoice", owed, { line_items: [{ account: cost, unit_price: 1.119 }] }))),
        ["line_items.0.unit_price"]
      )

      // yen have no digits after the point, dinars have three
      const yen = { type: "ACCOUNTS_RECEIVABLE", contact: osaka }
      const message = yield* refused(
        "invoice",
        { ...yen, line_items: [{ item, total_amount: 1000.5 }] },
        "line_items.0.total_amount"
      )
      assert.match(String(message), /JPY/)
      const whole = yield* make("invoice", { ...yen, line_items: [{ item, quantity: 3, unit_price: 333.5 }] })
      assert.deepInclude(whole, { currency: "JPY", total_amount: 1001, balance: 1001 })
      yield* refused("payment", { ...yen, ...head, total_amount: 500.5 }, "total_amount")
      const part = yield* make("payment", {
        ...yen,
        ...head,
        total_amount: 500,
        applied_to_lines: [applied("INVOICE", whole, 500)]
      })
      assert.deepInclude(part, { currency: "JPY", total_amount: 500 })
      assert.deepStrictEqual(Object.keys(errorsOf(yield* patch("payment", part, { total_amount: 499.5 }))), [
        "total_amount"
      ])
      const dinars = yield* make("invoice", {
        type: "ACCOUNTS_RECEIVABLE",
        contact: kuwait,
        line_items: [
          { item, total_amount: 10.125 },
          { item, quantity: 3, unit_price: 0.0415 }
        ]
      })
      assert.deepInclude(dinars, { currency: "KWD", total_amount: 10.25, balance: 10.25 })
      const order = yield* make("purchase_order", {
        vendor: supplier,
        line_items: [{ account: cost, total_line_amount: 120 }]
      })
      assert.strictEqual(order.currency, "JPY")
      const credit = yield* make("vendor_credit", {
        ...head,
        vendor: supplier,
        lines: [{ account: cost, net_amount: 120 }]
      })
      assert.strictEqual(credit.currency, "JPY")
    })
  )

  it.effect("a document whose currency is not said is in the one of who it is for", () =>
    Effect.gen(function* () {
      const { card, cost, create, make, osaka, supplier, vendor } = yield* abroad
      const bill = yield* make("invoice", {
        type: "ACCOUNTS_PAYABLE",
        contact: supplier,
        line_items: [{ account: cost, total_amount: 700 }]
      })
      assert.deepInclude(bill, { currency: "JPY", total_amount: 700 })
      const paid = yield* make("expense", {
        transaction_date: "2026-11-10",
        account: card,
        contact: supplier,
        lines: [{ account: cost, net_amount: 700 }]
      })
      assert.strictEqual(paid.currency, "JPY")
      const home = yield* make("purchase_order", { vendor, line_items: [{ account: cost, total_line_amount: 1.5 }] })
      assert.strictEqual(home.currency, "USD")
      const wrong = yield* create("credit_note", {
        contact: osaka,
        currency: "EUR",
        line_items: [{ item: (yield* abroad).item, total_line_amount: 1 }]
      })
      assert.strictEqual(wrong.status, 422)
    })
  )

  it.effect("a discount is the amount that is said, though it was so many percent", () =>
    Effect.gen(function* () {
      const { call, make, native, customer, item, patch, path } = yield* company
      const sale = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
      const percent = {
        DetailType: "DiscountLineDetail",
        DiscountLineDetail: { PercentBased: true, DiscountPercent: 10 }
      }
      const made = yield* make("invoice", { ...sale, line_items: [{ item, total_amount: 100 }] })
      const { Line } = yield* native("invoice", made)
      const tenth = recordOf(
        yield* patch("invoice", made, { integration_params: { Line: [...listOf(Line), percent] } })
      )
      assert.deepInclude(tenth, { total_discount: 10, sub_total: 100, total_amount: 90 })
      const [line] = listOf(tenth.line_items)
      // it follows the lines while nothing else is said of it
      const more = recordOf(
        yield* patch("invoice", tenth, { line_items: [{ ...line, unit_price: 200, total_amount: 200 }] })
      )
      assert.deepInclude(more, { total_discount: 20, total_amount: 180 })
      const put = recordOf(
        yield* call("PUT", path("invoice", made.remote_id), {
          body: { ...sale, line_items: [{ ...line, unit_price: 300, total_amount: 300 }], total_discount: 20 }
        })
      )
      assert.deepInclude(put, { total_discount: 20, total_amount: 280 })
    })
  )

  it.effect("lines are of projects; those of words come back as they were", () =>
    Effect.gen(function* () {
      const { bill, call, cost, create, customer, item, make, native, path, patch } = yield* company
      const { records: projects } = yield* walk(call, path("project"))
      const [project, other] = projects.map(uuidOf)
      const sale = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
      const made = yield* make("invoice", {
        ...sale,
        line_items: [
          { item, total_amount: 10, project },
          { item, total_amount: 5 }
        ]
      })
      const projectsOf = (record: Doc) => listOf(record.line_items).map((line) => line.project)
      assert.deepStrictEqual(projectsOf(made), [project, null])
      const ofDocument = { value: String(projects[1]?.remote_id) }
      const headed = recordOf(yield* patch("invoice", made, { integration_params: { ProjectRef: ofDocument } }))
      assert.deepStrictEqual(projectsOf(headed), [project, other])
      const back = recordOf(yield* call("PUT", path("invoice", made.remote_id), { body: headed }))
      assert.deepStrictEqual(projectsOf(back), [project, other])
      const owed = yield* bill(5)
      const [line] = listOf(owed.line_items)
      assert.deepStrictEqual(
        projectsOf(recordOf(yield* patch("invoice", owed, { line_items: [{ ...line, project }] }))),
        [project]
      )
      const wrong = yield* create("invoice", { ...sale, line_items: [{ item, total_amount: 1, project: customer }] })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["line_items.0.project"])
      assert.strictEqual(
        (yield* create("expense", { transaction_date: "2026-11-10", account: cost, lines: [] })).status,
        422
      )

      const words = { DetailType: "DescriptionOnly", Description: "As agreed", DescriptionLineDetail: {} }
      const { Line } = yield* native("invoice", made)
      const told = recordOf(yield* patch("invoice", made, { integration_params: { Line: [words, ...listOf(Line)] } }))
      const [text, ...sold] = listOf(told.line_items)
      assert.deepInclude(text, { description: "As agreed", item: null, account: null, total_amount: 0 })
      const put = recordOf(yield* call("PUT", path("invoice", made.remote_id), { body: told }))
      assert.deepStrictEqual(put.line_items, told.line_items)
      const changed = [{ ...text, description: "As agreed by phone" }, ...sold]
      const renamed = recordOf(
        yield* call("PUT", path("invoice", made.remote_id), { body: { ...told, line_items: changed } })
      )
      assert.strictEqual(listOf(renamed.line_items)[0]?.description, "As agreed by phone")
      // a new line says what is sold
      const vague = yield* call("PUT", path("invoice", made.remote_id), {
        body: { ...told, line_items: [...sold, { description: "?" }] }
      })
      assert.deepStrictEqual(Object.keys(errorsOf(vague)), ["line_items.2.item"])
    })
  )

  it.effect("listed states of tax rates are taken", () =>
    Effect.gen(function* () {
      const { make } = yield* company
      for (const status of ["ACTIVE", "ARCHIVED"]) {
        const made = yield* make("tax_rate", {
          name: `Tax ${status}`,
          status,
          tax_components: [{ name: status, rate: 1 }]
        })
        assert.strictEqual(made.status, "ACTIVE")
      }
    })
  )

  it.effect("orders are delivered to an address, which is a record", () =>
    Effect.gen(function* () {
      const { call, cost, create, make, patch, path, vendor } = yield* company
      const line_items = [{ account: cost, total_line_amount: 10 }]
      const address = { type: "SHIPPING", street_1: "1 Dorset Street", street_2: "Yard", city: "London", country: "GB" }
      const to = yield* make("contact", {
        name: "Babbage",
        is_customer: true,
        is_supplier: false,
        addresses: [address]
      })
      const found = yield* call("GET", path("address", `customer:${String(to.remote_id)}:shipping`))
      const delivery_address = uuidOf(recordOf(found))
      const order = yield* make("purchase_order", { vendor, line_items, delivery_address })
      const addressOf = (record: Doc) =>
        Effect.map(call("GET", path("address", `urn:uuid:${String(record.delivery_address)}`)), recordOf)
      assert.deepInclude(yield* addressOf(order), { ...address, contact: null })
      const again = recordOf(
        yield* patch("purchase_order", order, { delivery_address: order.delivery_address, memo: "soon" })
      )
      assert.deepInclude(yield* addressOf(again), address)
      const { records } = yield* walk(call, path("address"))
      const home = records.find(({ remote_id }) => String(remote_id).startsWith("companyinfo"))
      const moved = recordOf(yield* patch("purchase_order", order, { delivery_address: uuidOf(home) }))
      assert.deepInclude(yield* addressOf(moved), { street_1: home?.street_1, street_2: null, city: home?.city })
      const wrong = yield* create("purchase_order", { vendor, line_items, delivery_address: vendor })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["delivery_address"])
    })
  )

  it.effect("refusals name the field that they are about", () =>
    Effect.gen(function* () {
      const { account, bank, cost, create, customer, invoice, item, make, patch, receivables, vendor } = yield* company
      const fields = (answer: Effect.Effect.Success<ReturnType<typeof create>>) => Object.keys(errorsOf(answer))
      const head = { transaction_date: "2026-11-10" }
      const sale = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
      const list = [{ item, quantity: 2, unit_price: 5, total_amount: 11 }]
      assert.deepStrictEqual(fields(yield* create("invoice", { ...sale, line_items: list })), [
        "line_items.0.total_amount"
      ])
      const minus = [{ item, total_amount: -1 }]
      assert.deepStrictEqual(fields(yield* create("invoice", { ...sale, line_items: minus })), ["line_items"])
      const nameless = [
        { account: receivables, net_amount: 1 },
        { account: bank, net_amount: -1 }
      ]
      assert.deepStrictEqual(fields(yield* create("journal_entry", { ...head, lines: nameless })), ["lines"])
      const open = yield* invoice(10)
      const much = { ...sale, ...head, total_amount: 20, applied_to_lines: [applied("INVOICE", open, 11)] }
      assert.deepStrictEqual(fields(yield* create("payment", much)), ["applied_to_lines"])
      yield* make("payment", { ...much, total_amount: 10, applied_to_lines: [applied("INVOICE", open, 10)] })
      const someone = yield* make("contact", { name: "Someone", is_customer: true, is_supplier: false })
      assert.deepStrictEqual(fields(yield* patch("invoice", open, { contact: uuidOf(someone) })), ["contact"])
      assert.deepStrictEqual(fields(yield* patch("invoice", open, { line_items: [{ item, total_amount: 9 }] })), [
        "line_items"
      ])
      const order = yield* make("purchase_order", { vendor, line_items: [{ account: cost, total_line_amount: 10 }] })
      const other = yield* make("contact", { name: "Other", is_customer: false, is_supplier: true })
      const bill = {
        type: "ACCOUNTS_PAYABLE",
        contact: uuidOf(other),
        line_items: [{ account: cost, total_amount: 10 }],
        purchase_orders: [uuidOf(order)]
      }
      assert.deepStrictEqual(fields(yield* create("invoice", bill)), ["purchase_orders"])
      const free = [{ account: cost, total_amount: 1, is_billable: true }]
      assert.deepStrictEqual(fields(yield* create("invoice", { ...bill, purchase_orders: [], line_items: free })), [
        "line_items"
      ])

      const two = [applied("INVOICE", open, 6), applied("INVOICE", open, 5)]
      const second = yield* invoice(10)
      const twice = two.map((line) => ({ ...line, related_object_id: uuidOf(second) }))
      const paid = { ...sale, ...head, total_amount: 20, applied_to_lines: twice }
      assert.deepStrictEqual(fields(yield* create("payment", paid)), ["applied_to_lines"])
      const nothing = { ...paid, applied_to_lines: [applied("INVOICE", second, 0)] }
      assert.deepStrictEqual(fields(yield* create("payment", nothing)), ["applied_to_lines.0.applied_amount"])
      assert.deepStrictEqual(fields(yield* create("payment", { ...sale, ...head, total_amount: -1 })), ["total_amount"])
      const ten = { ...sale, line_items: [{ item, total_amount: 10 }] }
      for (const [field, value] of [
        ["total_discount", 10.01],
        ["exchange_rate", "1.5"],
        ["inclusive_of_tax", true],
        ["currency", "CHF"]
      ] as const) {
        assert.deepStrictEqual(fields(yield* create("invoice", { ...ten, [field]: value }, strictly)), [field])
      }

      // accounts
      const odd = { name: "Odd", type: "EXPENSE", remote_type: "Checking" }
      assert.deepStrictEqual(fields(yield* create("account", odd, strictly)), ["remote_type"])
      const below = { name: "Below", type: "EXPENSE", parent_account: bank }
      assert.deepStrictEqual(fields(yield* create("account", below)), ["parent_account"])
      const system = account((one) => one.remote_type === "UndepositedFunds")
      const inUse = { remote_id: `urn:uuid:${system}` }
      assert.deepStrictEqual(fields(yield* patch("account", inUse, { status: "INACTIVE" })), ["status"])
    })
  )

  it.effect("what was deposited is neither changed nor deleted", () =>
    Effect.gen(function* () {
      const { call, patch, path } = yield* company
      const { records } = yield* walk(call, path("payment"))
      const linked = yield* Effect.forEach(records, (one) =>
        Effect.map(call("GET", `${path("payment", one.remote_id)}&include_remote_data=true`), recordOf)
      )
      const deposited = linked.find(({ remote_data }) => JSON.stringify(remote_data).includes('"Deposit"'))
      assert.isDefined(deposited)
      if (deposited === undefined) return
      assert.strictEqual((yield* call("DELETE", path("payment", deposited.remote_id))).status, 409)
      assert.strictEqual(
        (yield* patch("payment", deposited, { total_amount: Number(deposited.total_amount) + 1 })).status,
        409
      )
      assert.strictEqual(recordOf(yield* patch("payment", deposited, { memo: "banked" })).memo, "banked")
    })
  )
})
