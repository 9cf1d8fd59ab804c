import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  type Doc,
  errorsOf,
  listOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"

const path = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=zoho_books`

const uuidOf = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")

const organisation = Effect.gen(function* () {
  const { call } = yield* (yield* SandboxApplication).caller(["zoho_books"])
  const create = (resource: string, body: Doc) => call("POST", path(resource), { body })
  const make = (resource: string, body: Doc) => Effect.map(create(resource, body), (answer) => uuidOf(recordOf(answer)))
  const { records: accounts } = yield* walk(call, path("account"))
  const account = (holds: (one: Doc) => boolean) => uuidOf(accounts.find(holds))
  const bank = recordOf(
    yield* call("GET", path("account", accounts.find((one) => one.account_type === "BANK")?.remote_id))
  )
  return {
    account,
    bank,
    call,
    create,
    make,
    cost: account((one) => one.type === "EXPENSE"),
    customer: yield* make("contact", { name: "Lovelace", is_customer: true, currency: "USD" }),
    vendor: yield* make("contact", { name: "Clement", is_supplier: true, currency: "USD" })
  }
})

layer(sandboxApplication(), { timeout: "60 seconds" })("lenient writes to Zoho Books", (it) => {
  it.effect("who is customer and supplier, or neither, is made a customer, and stays what they are", () =>
    Effect.gen(function* () {
      const { call, create } = yield* organisation
      const both = yield* create("contact", { name: "Both", is_customer: true, is_supplier: true })
      assert.deepStrictEqual(said(both), ["is_supplier CHANGED"])
      const neither = yield* create("contact", { name: "Neither" })
      assert.deepStrictEqual(said(neither), ["is_customer CHANGED"])
      assert.deepStrictEqual(said(yield* create("contact", { name: "Supplier", is_supplier: true })), [])
      const body = { name: "Named", is_supplier: true }
      const changed = yield* call("PATCH", path("contact", recordOf(both).remote_id), { body })
      assert.deepStrictEqual(said(changed), ["is_supplier CHANGED"])
      const strict = yield* call("POST", path("contact"), { body: { name: "Strict" }, headers: strictly })
      assert.deepStrictEqual(Object.keys(errorsOf(strict)), ["is_customer"])
    })
  )

  it.effect("the rate of the organisation's own currency is 1, and lines have the currency of their document", () =>
    Effect.gen(function* () {
      const { create, customer } = yield* organisation
      const line = { description: "Advice", quantity: 1, unit_price: 10, currency: "USD" }
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, currency: "USD", line_items: [line] }
      const made = yield* create("invoice", { ...body, exchange_rate: "1.0" })
      assert.deepStrictEqual(said(made), [])
      assert.deepInclude(listOf(recordOf(made).line_items)[0], { currency: "USD", exchange_rate: "1.0" })
      const other = yield* create("invoice", { ...body, exchange_rate: "1.25" })
      assert.deepStrictEqual(said(other), ["exchange_rate CHANGED"])
      const wrong = yield* create("invoice", { ...body, line_items: [{ ...line, currency: "EUR" }] })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["line_items.0.currency"])
    })
  )

  it.effect("payments are in the currency of their contact, and expenses in any", () =>
    Effect.gen(function* () {
      const { bank, cost, create, customer } = yield* organisation
      const paid = { type: "ACCOUNTS_RECEIVABLE", contact: customer, transaction_date: "2026-03-04", total_amount: 5 }
      assert.deepStrictEqual(said(yield* create("payment", { ...paid, currency: "USD" })), [])
      const wrong = yield* create("payment", { ...paid, currency: "EUR" })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["currency"])
      const spent = { account: uuidOf(bank), transaction_date: "2026-03-04", lines: [{ account: cost, net_amount: 5 }] }
      for (const currency of ["USD", "EUR"]) {
        const made = yield* create("expense", { ...spent, currency })
        assert.deepStrictEqual([recordOf(made).currency, said(made)], [currency, []])
      }
    })
  )

  it.effect("a cost of an item is booked to the account that it is bought on", () =>
    Effect.gen(function* () {
      const { account, bank, cost, create, make } = yield* organisation
      const bought = account((one) => one.type === "COST_OF_GOODS_SOLD")
      const item = yield* make("item", { name: "Brass", type: "NON_INVENTORY", purchase_account: bought })
      const body = { account: uuidOf(bank), transaction_date: "2026-03-04" }
      const made = yield* create("expense", { ...body, lines: [{ item, net_amount: 5 }] })
      assert.deepStrictEqual(said(made), ["lines.0.item NOT_HELD"])
      assert.strictEqual(listOf(recordOf(made).lines)[0]?.account, bought)
      const sold = yield* make("item", { name: "Sold only" })
      const wrong = yield* create("expense", { ...body, lines: [{ item: sold, net_amount: 5 }] })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["lines.0.account"])
      const pieces = yield* create("expense", {
        ...body,
        lines: [{ account: cost, quantity: 2, unit_price: 2.5, net_amount: 5 }]
      })
      assert.deepStrictEqual(said(pieces), ["lines.0.quantity CHANGED", "lines.0.unit_price CHANGED"])
      const contrary = yield* create("expense", { ...body, lines: [{ account: cost, unit_price: 4, net_amount: 5 }] })
      assert.deepStrictEqual(Object.keys(errorsOf(contrary)), ["lines.0.unit_price"])
    })
  )

  it.effect("several components are one rate here, those on top of others on their tax too", () =>
    Effect.gen(function* () {
      const { create } = yield* organisation
      const parts = [
        { name: "State", rate: 5 },
        { name: "City", rate: 2 }
      ]
      const plain = yield* create("tax_rate", { name: "Plain", total_tax_rate: 7, tax_components: parts })
      assert.deepStrictEqual([recordOf(plain).total_tax_rate, said(plain)], [7, ["tax_components CHANGED"]])
      const [state, city] = parts
      const compound = yield* create("tax_rate", {
        name: "Compound",
        tax_components: [state, { ...city, is_compound: true }]
      })
      assert.strictEqual(recordOf(compound).total_tax_rate, 7.1)
      const wrong = yield* create("tax_rate", { name: "Wrong", total_tax_rate: 8, tax_components: parts })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["total_tax_rate"])
    })
  )

  it.effect("states that are not reached are said, and void ones refused", () =>
    Effect.gen(function* () {
      const { call, create, customer, vendor } = yield* organisation
      const line_items = [{ description: "Advice", unit_price: 10 }]
      const invoice = { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items }
      assert.deepStrictEqual(said(yield* create("invoice", { ...invoice, status: "PAID" })), [
        "status STATUS_NOT_REACHED"
      ])
      const bill = { type: "ACCOUNTS_PAYABLE", contact: vendor, number: "B-1", line_items }
      assert.deepStrictEqual(said(yield* create("invoice", { ...bill, status: "DRAFT" })), [
        "status STATUS_NOT_REACHED"
      ])
      const voided = yield* create("invoice", { ...invoice, status: "VOID" })
      assert.strictEqual(recordOf(voided).status, "VOID")
      const order = recordOf(yield* create("purchase_order", { vendor, line_items: [{ ...line_items[0] }] }))
      const draft = yield* call("PATCH", path("purchase_order", order.remote_id), {
        body: { customer_note: "x", status: "DRAFT" }
      })
      assert.deepStrictEqual(said(draft), [])
    })
  )

  it.effect("a discount is taken off an invoice, and refused where a bill would be of another amount", () =>
    Effect.gen(function* () {
      const { call, create, customer, vendor } = yield* organisation
      const line_items = [{ description: "Advice", unit_price: 100 }]
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items }
      const made = yield* create("invoice", { ...body, total_discount: 12.5 })
      assert.deepStrictEqual(said(made), [])
      assert.deepInclude(recordOf(made), { total_discount: 12.5, sub_total: 100, total_amount: 87.5 })
      const one = path("invoice", recordOf(made).remote_id)
      assert.strictEqual(recordOf(yield* call("PATCH", one, { body: { total_discount: 0 } })).total_amount, 100)
      const bill = { type: "ACCOUNTS_PAYABLE", contact: vendor, number: "B-7", line_items, total_discount: 1 }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("invoice", bill))), ["total_discount"])
    })
  )

  it.effect("payments and credits show on the invoice and move its stamp, and DELETE takes a credit off first", () =>
    Effect.gen(function* () {
      const { bank, call, create, customer } = yield* organisation
      const line_items = [{ description: "Advice", quantity: 1, unit_price: 100 }]
      const made = recordOf(
        yield* create("invoice", { type: "ACCOUNTS_RECEIVABLE", contact: customer, status: "OPEN", line_items })
      )
      const invoice = uuidOf(made)
      const read = Effect.map(call("GET", path("invoice", made.remote_id)), recordOf)
      const open = yield* read
      assert.deepStrictEqual([open.payments, open.applied_payments, open.applied_credit_notes], [[], [], []])
      const payment = recordOf(
        yield* create("payment", {
          type: "ACCOUNTS_RECEIVABLE",
          contact: customer,
          account: uuidOf(bank),
          transaction_date: "2026-03-04",
          total_amount: 70,
          applied_to_lines: [{ related_object_id: invoice, related_object_type: "INVOICE", applied_amount: 70 }]
        })
      )
      const credit = recordOf(
        yield* create("credit_note", {
          contact: customer,
          line_items: [{ description: "Goodwill", quantity: 1, unit_price: 30 }],
          applied_to_lines: [{ invoice, applied_amount: 30 }]
        })
      )
      const paid = yield* read
      assert.deepInclude(paid, { status: "PAID", balance: 0, payments: [uuidOf(payment)] })
      assert.deepInclude(listOf(paid.applied_payments)[0], { payment: uuidOf(payment), applied_amount: 70 })
      assert.deepInclude(listOf(paid.applied_credit_notes)[0], { credit_note: uuidOf(credit), applied_amount: 30 })
      assert.deepInclude(listOf(credit.applied_to_lines)[0], { invoice, applied_amount: 30 })
      assert.isString(paid.paid_on_date)
      const removed = yield* call("DELETE", path("credit_note", credit.remote_id))
      assert.isBelow(removed.status, 300)
      assert.deepInclude(yield* read, { status: "PARTIALLY_PAID", balance: 30, applied_credit_notes: [] })
    })
  )

  it.effect("a PATCH of an invoice keeps its shipping charge as a line, and a list without it takes it off", () =>
    Effect.gen(function* () {
      const { call, create, customer } = yield* organisation
      const line = { description: "Advice", quantity: 2, unit_price: 50 }
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items: [line] }
      const made = recordOf(yield* create("invoice", { ...body, integration_params: { shipping_charge: 15 } }))
      const [first = {}, charge = {}] = listOf(made.line_items)
      assert.deepInclude(charge, { remote_id: "shipping_charge", quantity: 1, unit_price: 15, total_amount: 15 })
      assert.deepInclude(made, { sub_total: 115, total_amount: 115 })
      const patch = (line_items: ReadonlyArray<Doc>) =>
        call("PATCH", path("invoice", made.remote_id), { body: { line_items } })
      const same = yield* patch([first, charge])
      assert.deepStrictEqual([recordOf(same).total_amount, said(same)], [115, []])
      const changed = yield* patch([first, { ...charge, unit_price: 20, total_amount: 20 }])
      assert.deepStrictEqual(
        [recordOf(changed).total_amount, said(changed)],
        [115, ["line_items.1.total_amount CHANGED", "line_items.1.unit_price CHANGED"]]
      )
      assert.deepInclude(recordOf(yield* patch([first])), { sub_total: 100, total_amount: 100 })
    })
  )

  it.effect("a cancelled order is not billed, but can be opened again", () =>
    Effect.gen(function* () {
      const { call, create, vendor } = yield* organisation
      const line_items = [{ description: "Brass", quantity: 1, unit_price: 10 }]
      const order = recordOf(yield* create("purchase_order", { vendor, line_items, status: "DELETED" }))
      const patch = (body: Doc) => call("PATCH", path("purchase_order", order.remote_id), { body })
      const billed = yield* patch({ status: "BILLED", reference: "Q-1" })
      assert.deepStrictEqual([recordOf(billed).status, said(billed)], ["DELETED", ["status STATUS_NOT_REACHED"]])
      assert.strictEqual(recordOf(yield* patch({ status: "AUTHORIZED" })).status, "AUTHORIZED")
      assert.strictEqual(recordOf(yield* patch({ status: "BILLED" })).status, "BILLED")
    })
  )

  it.effect("a void invoice has nothing open, and prices that contain tax add up", () =>
    Effect.gen(function* () {
      const { call, create, customer } = yield* organisation
      const { records: taxes } = yield* walk(call, path("tax_rate"))
      const tax_rate = uuidOf(taxes.find((one) => one.total_tax_rate === 7.25))
      const line_items = [{ description: "Advice", quantity: 1, unit_price: 107.25, tax_rate }]
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items, inclusive_of_tax: true }
      const made = recordOf(yield* create("invoice", body))
      assert.deepInclude(made, { sub_total: 100, total_tax_amount: 7.25, total_amount: 107.25 })
      assert.strictEqual(listOf(made.line_items)[0]?.total_amount, 107.25)
      const voided = recordOf(yield* create("invoice", { ...body, status: "VOID" }))
      assert.deepInclude(voided, { status: "VOID", balance: 0, total_amount: 107.25 })
    })
  )

  it.effect("stock is kept in the stock account, and a type stays", () =>
    Effect.gen(function* () {
      const { account, call, create } = yield* organisation
      const purchase_account = account((one) => one.type === "COST_OF_GOODS_SOLD")
      const made = yield* create("item", { name: "Hinge", type: "INVENTORY", unit_price: 2, purchase_account })
      assert.deepStrictEqual([recordOf(made).type, said(made)], ["INVENTORY", []])
      const body = { type: "SERVICE", description: "Brass" }
      const changed = yield* call("PATCH", path("item", recordOf(made).remote_id), { body })
      assert.deepStrictEqual(said(changed), ["type CHANGED"])
    })
  )

  it.effect("a discount that is in the amounts of the lines is not taken off again; other sums contradict", () =>
    Effect.gen(function* () {
      const { create, customer } = yield* organisation
      const line = { description: "Advice", quantity: 3, unit_price: 20, total_amount: 54 }
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items: [line] }
      const made = yield* create("invoice", { ...body, total_discount: 6 })
      assert.deepStrictEqual(said(made), ["line_items.0.unit_price CHANGED", "total_discount CHANGED"])
      assert.strictEqual(recordOf(made).sub_total, 54)
      const wrong = yield* create("invoice", { ...body, total_discount: 5 })
      assert.match(Object.keys(errorsOf(wrong)).join(), /line_items/)
    })
  )

  it.effect("rules that Zoho Books tells without naming a member name their field", () =>
    Effect.gen(function* () {
      const { account, bank, call, create, customer, make, vendor } = yield* organisation
      const line_items = [{ description: "Advice", unit_price: 100 }]
      const fieldsOf = (answer: Answer) => Object.keys(errorsOf(answer))
      const invoice = recordOf(
        yield* create("invoice", { type: "ACCOUNTS_RECEIVABLE", contact: customer, status: "OPEN", line_items })
      )
      const bill = yield* make("invoice", { type: "ACCOUNTS_PAYABLE", contact: vendor, number: "B-9", line_items })
      const pay = (type: string, contact: string, total_amount: number, invoiceId: string, applied_amount: number) =>
        create("payment", {
          type,
          contact,
          total_amount,
          transaction_date: "2026-03-04",
          account: uuidOf(bank),
          applied_to_lines: [{ related_object_id: invoiceId, related_object_type: "INVOICE", applied_amount }]
        })
      for (const [total, applied] of [
        [200, 150],
        [50, 60]
      ] as const) {
        const received = yield* pay("ACCOUNTS_RECEIVABLE", customer, total, uuidOf(invoice), applied)
        assert.deepStrictEqual(fieldsOf(received), ["applied_to_lines"])
        assert.deepStrictEqual(fieldsOf(yield* pay("ACCOUNTS_PAYABLE", vendor, total, bill, applied)), [
          "applied_to_lines"
        ])
      }
      recordOf(yield* pay("ACCOUNTS_RECEIVABLE", customer, 80, uuidOf(invoice), 80))
      const cheaper = { line_items: [{ description: "Advice", unit_price: 10 }] }
      assert.deepStrictEqual(fieldsOf(yield* call("PATCH", path("invoice", invoice.remote_id), { body: cheaper })), [
        "line_items"
      ])
      const below = account((one) => one.type === "EXPENSE")
      const child = { name: "Below", type: "INCOME", parent_account: below }
      assert.deepStrictEqual(fieldsOf(yield* create("account", child)), ["parent_account"])
    })
  )

  it.effect("no record was made after it was changed", () =>
    Effect.gen(function* () {
      const { call } = yield* organisation
      for (const resource of [
        "contact",
        "account",
        "item",
        "invoice",
        "payment",
        "expense",
        "credit_note",
        "tax_rate"
      ]) {
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
