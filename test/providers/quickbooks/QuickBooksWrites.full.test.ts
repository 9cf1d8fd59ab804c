import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { errorsOf, listOf, recordOf, sandboxApplication, walk } from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"
import { company, uuidOf } from "./Company.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("lenient writes to QuickBooks Online", (it) => {
  it.effect("who is customer and supplier, or neither, is made a customer; who is a supplier a vendor", () =>
    Effect.gen(function* () {
      const { call, create, path } = yield* company
      const both = yield* create("contact", { name: "Both", is_customer: true, is_supplier: true })
      assert.deepStrictEqual(said(both), ["is_supplier CHANGED"])
      const neither = yield* create("contact", { name: "Neither" })
      assert.deepStrictEqual(said(neither), ["is_customer CHANGED"])
      const supplier = yield* create("contact", { name: "Supplier", is_supplier: true })
      assert.deepStrictEqual(said(supplier), [])
      assert.deepStrictEqual(
        [both, neither, supplier].map((answer) => recordOf(answer).is_customer),
        [true, true, false]
      )
      const strict = yield* call("POST", path("contact"), { body: { name: "Strict" }, headers: strictly })
      assert.deepStrictEqual(Object.keys(errorsOf(strict)), ["is_customer"])
    })
  )

  it.effect("a kind of category that is not said is a class", () =>
    Effect.gen(function* () {
      const { create } = yield* company
      const made = yield* create("tracking_category", { name: "Fairs" })
      assert.deepStrictEqual(said(made), ["category_type CHANGED"])
      assert.strictEqual(recordOf(made).category_type, "CLASS")
      const place = yield* create("tracking_category", { name: "Hall", category_type: "DEPARTMENT" })
      assert.strictEqual(recordOf(place).category_type, "LOCATION")
    })
  )

  it.effect("the rate of the company's own currency is 1, and lines have the currency of their document", () =>
    Effect.gen(function* () {
      const { create, customer, item } = yield* company
      const line_items = [{ item, total_amount: 10, currency: "USD", exchange_rate: "1.0" }]
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, currency: "USD", line_items }
      const same = yield* create("invoice", { ...body, exchange_rate: "1.0" })
      assert.deepStrictEqual(said(same), [])
      assert.deepInclude(listOf(recordOf(same).line_items)[0], { currency: "USD", exchange_rate: "1.0" })
      const other = yield* create("invoice", { ...body, exchange_rate: "1.25" })
      assert.deepStrictEqual(said(other), ["exchange_rate CHANGED"])
      const wrong = yield* create("invoice", { ...body, line_items: [{ item, total_amount: 10, currency: "EUR" }] })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["line_items.0.currency"])
    })
  )

  it.effect("a line of a sale posts to the account of its item, whatever account stands beside it", () =>
    Effect.gen(function* () {
      const { cost, create, customer, item } = yield* company
      const line = { item, total_amount: 10 }
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
      const made = yield* create("invoice", { ...body, line_items: [line] })
      const [held] = listOf(recordOf(made).line_items)
      const same = yield* create("invoice", { ...body, line_items: [{ ...line, account: held?.account }] })
      assert.deepStrictEqual(said(same), [])
      const other = yield* create("invoice", { ...body, line_items: [{ ...line, account: cost }] })
      assert.deepStrictEqual(said(other), ["line_items.0.account CHANGED"])
    })
  )

  it.effect("a sale in the United States has one tax code, and amounts with tax in them get no tax on top", () =>
    Effect.gen(function* () {
      const { bill, call, cost, create, customer, item, path, vendor } = yield* company
      const { records } = yield* walk(call, path("tax_rate"))
      const [code, second] = records.filter(({ total_tax_rate }) => Number(total_tax_rate) > 0).map(uuidOf)
      const rate = Number(records.find((one) => uuidOf(one) === code)?.total_tax_rate)
      const line = { item, total_amount: 100, tax_rate: code }
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
      const taxed = yield* create("invoice", { ...body, line_items: [line] })
      assert.deepStrictEqual(said(taxed), [])
      assert.strictEqual(listOf(recordOf(taxed).line_items)[0]?.tax_rate, code)
      assert.closeTo(Number(recordOf(taxed).total_amount), 100 + rate, 0.01)
      const gross = yield* create("invoice", { ...body, inclusive_of_tax: true, line_items: [line] })
      assert.deepStrictEqual(said(gross), ["inclusive_of_tax CHANGED", "line_items.0.tax_rate CHANGED"])
      assert.deepInclude(recordOf(gross), { total_amount: 100, inclusive_of_tax: false })
      const mixed = yield* create("invoice", { ...body, line_items: [line, { ...line, tax_rate: second }] })
      assert.deepStrictEqual(Object.keys(errorsOf(mixed)), ["line_items"])
      const bought = yield* create("invoice", {
        type: "ACCOUNTS_PAYABLE",
        contact: vendor,
        inclusive_of_tax: false,
        line_items: [{ account: cost, total_amount: 100, tax_rate: code }]
      })
      assert.deepStrictEqual(said(bought), ["line_items.0.tax_rate NOT_HELD"])
      assert.strictEqual((yield* bill(5)).inclusive_of_tax, false)
    })
  )

  it.effect("a document that cannot be void, and a discount that a bill cannot have, are refused", () =>
    Effect.gen(function* () {
      const { count, cost, create, customer, item, vendor } = yield* company
      const bill = { type: "ACCOUNTS_PAYABLE", contact: vendor, line_items: [{ account: cost, total_amount: 5 }] }
      const before = yield* count("invoice")
      const void_ = yield* create("invoice", { ...bill, status: "VOID" })
      assert.deepStrictEqual(Object.keys(errorsOf(void_)), ["status"])
      const less = yield* create("invoice", { ...bill, total_discount: 1 })
      assert.deepStrictEqual(Object.keys(errorsOf(less)), ["total_discount"])
      const credit = { contact: customer, line_items: [{ item, total_line_amount: 5 }] }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("credit_note", { ...credit, status: "VOID" }))), [
        "status"
      ])
      assert.strictEqual(yield* count("invoice"), before)
      assert.deepStrictEqual(said(yield* create("invoice", { ...bill, status: "PAID" })), ["status STATUS_NOT_REACHED"])
    })
  )

  it.effect("a full body without number and date leaves them as they are, and says so", () =>
    Effect.gen(function* () {
      const { call, create, customer, item, path } = yield* company
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items: [{ item, total_amount: 10 }] }
      const dates = { issue_date: "2026-03-04", due_date: "2026-04-05" }
      const made = recordOf(yield* create("invoice", { ...body, ...dates, number: "W-17" }))
      const replaced = yield* call("PUT", path("invoice", made.remote_id), { body })
      assert.deepInclude(recordOf(replaced), { issue_date: "2026-03-04", number: "W-17" })
      assert.includeMembers([...said(replaced)], ["due_date CHANGED", "issue_date CHANGED", "number CHANGED"])
    })
  )

  it.effect("the one name of an expense is of a contact or an employee: what goes is said", () =>
    Effect.gen(function* () {
      const { bank, call, cost, create, path, vendor } = yield* company
      const employee = uuidOf(recordOf(yield* create("employee", { first_name: "Grace", last_name: "Payee" })))
      const made = recordOf(
        yield* create("expense", {
          transaction_date: "2026-03-04",
          account: bank,
          contact: vendor,
          lines: [{ account: cost, net_amount: 5 }]
        })
      )
      const one = path("expense", made.remote_id)
      const changed = yield* call("PATCH", one, { body: { employee } })
      assert.deepStrictEqual(said(changed), ["contact CHANGED"])
      assert.deepInclude(recordOf(changed), { contact: null, employee })
      const two = yield* call("PATCH", one, { body: { employee, contact: vendor } })
      assert.includeMembers(Object.keys(errorsOf(two)), ["contact"])
      const back = yield* call("PUT", one, { body: { ...made, employee: undefined, memo: null } })
      assert.deepStrictEqual(said(back), [])
    })
  )

  it.effect("quantity and price of a cost come to its amount, or contradict it", () =>
    Effect.gen(function* () {
      const { cost, create, vendor } = yield* company
      const bill = (line: object) =>
        create("invoice", { type: "ACCOUNTS_PAYABLE", contact: vendor, line_items: [{ account: cost, ...line }] })
      const whole = yield* bill({ quantity: 3, unit_price: 5 })
      assert.strictEqual(recordOf(whole).total_amount, 15)
      assert.includeMembers([...said(whole)], ["line_items.0.quantity CHANGED"])
      const wrong = yield* bill({ quantity: 3, unit_price: 5, total_amount: 14 })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["line_items.0.total_amount"])
    })
  )

  it.effect("an account has a detail type of its own kind, and a number that is short enough", () =>
    Effect.gen(function* () {
      const { create } = yield* company
      const body = { name: "Fees", type: "EXPENSE" }
      const foreign = yield* create("account", { ...body, remote_type: "OVERHEADS", account_number: "123456789" })
      assert.deepStrictEqual(said(foreign), ["account_number NOT_HELD", "remote_type CHANGED"])
      const own = yield* create("account", { ...body, name: "Ads", remote_type: "AdvertisingPromotional" })
      assert.deepStrictEqual(said(own), [])
    })
  )

  it.effect("stock begins with nothing, and an item without a type is a service", () =>
    Effect.gen(function* () {
      const { account, cost, create, native } = yield* company
      const sales_account = account((one) => one.type === "INCOME")
      const stock = yield* create("item", {
        name: "Hinge",
        type: "INVENTORY",
        sales_account,
        purchase_account: account((one) => one.type === "COST_OF_GOODS_SOLD") || cost
      })
      assert.deepStrictEqual(said(stock), [])
      assert.deepInclude(yield* native("item", recordOf(stock)), { QtyOnHand: 0, InvStartDate: "2026-11-20" })
      const plain = yield* create("item", { name: "Advice", sales_account })
      assert.deepStrictEqual(said(plain), ["type CHANGED"])
      assert.strictEqual(recordOf(plain).type, "SERVICE")
    })
  )

  it.effect("a tax rate without components is its own one, and rates with taken names get others", () =>
    Effect.gen(function* () {
      const { create } = yield* company
      const plain = yield* create("tax_rate", { name: "Flat", total_tax_rate: 4 })
      assert.deepStrictEqual([recordOf(plain).total_tax_rate, said(plain)], [4, []])
      const again = yield* create("tax_rate", { name: "Second", tax_components: [{ name: "FLAT", rate: 4 }] })
      assert.deepStrictEqual(said(again), ["tax_components.0.name CHANGED"])
      const wrong = yield* create("tax_rate", {
        name: "Third",
        total_tax_rate: 5,
        tax_components: [{ name: "Third", rate: 4 }]
      })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["total_tax_rate"])
    })
  )

  it.effect("what has no place is said: method types, second classes, drafts, copies of addresses", () =>
    Effect.gen(function* () {
      const { call, cost, create, customer, item, make, path, vendor } = yield* company
      assert.deepStrictEqual(said(yield* create("payment_method", { name: "Barter", method_type: "CHECK" })), [
        "method_type NOT_HELD"
      ])
      const first = uuidOf(yield* make("tracking_category", { name: "One", category_type: "CLASS" }))
      const second = uuidOf(yield* make("tracking_category", { name: "Two", category_type: "CLASS" }))
      const line = { item, total_amount: 1, tracking_categories: [first, second] }
      const invoice = yield* create("invoice", { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items: [line] })
      assert.deepStrictEqual(said(invoice), ["line_items.0.tracking_categories.1 NOT_HELD"])
      const entry = yield* create("journal_entry", {
        transaction_date: "2026-03-04",
        posting_status: "UNPOSTED",
        lines: [
          { account: cost, net_amount: 1 },
          { account: cost, net_amount: -1 }
        ]
      })
      assert.deepStrictEqual(said(entry), ["posting_status STATUS_NOT_REACHED"])
      const { records } = yield* walk(call, path("address"))
      const order = yield* create("purchase_order", {
        vendor,
        delivery_address: uuidOf(records.find(({ street_1 }) => typeof street_1 === "string")),
        line_items: [{ account: cost, total_line_amount: 1 }]
      })
      assert.deepStrictEqual(said(order), ["delivery_address CHANGED"])
    })
  )

  it.effect("a discount that is in the amounts of the lines is not taken off again; other sums contradict", () =>
    Effect.gen(function* () {
      const { create, customer, item } = yield* company
      const line = { item, quantity: 3, unit_price: 20, total_amount: 54 }
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items: [line] }
      const made = yield* create("invoice", { ...body, total_discount: 6 })
      assert.deepStrictEqual(said(made), ["line_items.0.unit_price CHANGED", "total_discount CHANGED"])
      assert.strictEqual(recordOf(made).sub_total, 54)
      const wrong = yield* create("invoice", { ...body, total_discount: 5 })
      assert.match(Object.keys(errorsOf(wrong)).join(), /line_items/)
    })
  )

  it.effect("no record was made after it was changed", () =>
    Effect.gen(function* () {
      const { call, path } = yield* company
      for (const resource of ["contact", "account", "item", "invoice", "payment", "expense", "tax_rate", "address"]) {
        const { records } = yield* walk(call, path(resource))
        const late = records.filter((one) => String(one.created_at) > String(one.modified_at))
        assert.deepStrictEqual(
          late.map(({ remote_id }) => `${resource} ${String(remote_id)}`),
          []
        )
      }
    })
  )
})
