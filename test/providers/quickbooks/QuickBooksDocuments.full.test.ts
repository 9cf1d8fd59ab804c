import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Doc,
  errorsOf,
  failureOf,
  listOf,
  pageOf,
  recordOf,
  refusalOf,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"
import { amounts, applied, company, uuidOf } from "./Company.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("documents of QuickBooks Online", (it) => {
  it.effect("a payment settles invoices with money and credits, and gives back what it took", () =>
    Effect.gen(function* () {
      const { customer, get, invoice, item, make, patch } = yield* company
      const [first, second] = [yield* invoice(100), yield* invoice(50)]
      const credit = yield* make("credit_note", { contact: customer, line_items: [{ item, total_line_amount: 30 }] })
      const payment = yield* make("payment", {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer,
        transaction_date: "2026-11-10",
        total_amount: 80,
        applied_to_lines: [
          applied("INVOICE", first, 90),
          applied("INVOICE", second, 20, { applied_date: "2026-11-10" }),
          applied("CREDIT_NOTE", credit, 30)
        ]
      })
      assert.deepStrictEqual(
        listOf(payment.applied_to_lines).map(({ applied_date, related_object_type: type }) => [type, applied_date]),
        [
          ["INVOICE", "2026-11-10"],
          ["INVOICE", "2026-11-10"],
          ["CREDIT_NOTE", "2026-11-10"]
        ]
      )
      const paid = yield* get("invoice", first)
      assert.deepInclude(paid, { status: "PARTIALLY_PAID", balance: 10, payments: [uuidOf(payment)] })
      assert.deepStrictEqual([amounts(paid.applied_payments), amounts(paid.applied_credit_notes)], [[60], [30]])
      assert.deepInclude(yield* get("credit_note", credit), { status: "PAID", remaining_credit: 0 })

      // what was read may come back with another date, and without one of its lines
      const [, one, two] = listOf(payment.applied_to_lines)
      const moved = recordOf(
        yield* patch("payment", payment, { transaction_date: "2026-11-11", applied_to_lines: [one, two] })
      )
      assert.strictEqual(listOf(moved.applied_to_lines).length, 2)
    })
  )

  it.effect("money applied cannot exceed the payment; deleting it opens the invoice again", () =>
    Effect.gen(function* () {
      const { call, create, customer, get, invoice, make, path } = yield* company
      const open = yield* invoice(100)
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: customer, transaction_date: "2026-11-10", total_amount: 40 }
      const much = yield* create("payment", { ...body, applied_to_lines: [applied("INVOICE", open, 41)] })
      assert.strictEqual(much.status, 422)
      const applied_to_lines = [
        applied("CREDIT_NOTE", open, 1),
        applied("VENDOR_CREDIT", open, 1),
        applied("INVOICE", open, 1, { applied_date: "2026-11-09" })
      ]
      const strange = yield* create("payment", { ...body, applied_to_lines }, strictly)
      assert.deepStrictEqual(Object.keys(errorsOf(strange)), [
        "applied_to_lines.0.related_object_id",
        "applied_to_lines.1.related_object_type",
        "applied_to_lines.2.applied_date"
      ])
      const payment = yield* make("payment", { ...body, applied_to_lines: [applied("INVOICE", open, 40)] })
      assert.strictEqual((yield* get("invoice", open)).balance, 60)
      assert.strictEqual((yield* call("DELETE", path("payment", payment.remote_id))).status, 200)
      assert.deepInclude(yield* get("invoice", open), { balance: 100, status: "OPEN", payments: [] })
    })
  )

  it.effect("a journal entry on receivables needs a customer, and is settled by a payment", () =>
    Effect.gen(function* () {
      const { bank, cost, create, customer, get, make, native, receivables } = yield* company
      const entry = {
        transaction_date: "2026-11-03",
        posting_status: "UNPOSTED",
        lines: [
          { account: receivables, net_amount: 70.1, contact: customer },
          { account: cost, net_amount: -70.1 }
        ]
      }
      const nameless = yield* create("journal_entry", {
        ...entry,
        lines: entry.lines.map(({ account, net_amount }) => ({ account, net_amount }))
      })
      assert.strictEqual(nameless.status, 422)
      assert.match(String(failureOf(nameless).provider?.message), /choose a customer/)
      assert.deepStrictEqual(
        errorsOf(yield* create("journal_entry", { ...entry, lines: [{ account: cost, net_amount: 1 }] })),
        { lines: "must sum to zero" }
      )
      // there are no drafts
      const made = yield* make("journal_entry", entry)
      assert.strictEqual(made.posting_status, "POSTED")
      assert.deepStrictEqual(
        listOf(made.lines).map(({ contact, net_amount }) => [contact, net_amount]),
        [
          [customer, 70.1],
          [null, -70.1]
        ]
      )
      const lines = listOf((yield* native("journal_entry", made)).Line)
      assert.deepStrictEqual(
        lines.map(({ Amount }) => Amount),
        [70.1, 70.1]
      )
      const payment = {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer,
        account: bank,
        transaction_date: "2026-11-10",
        total_amount: 70.1
      }
      const paid = yield* make("payment", { ...payment, applied_to_lines: [applied("JOURNAL_ENTRY", made, 70.1)] })
      assert.deepInclude(listOf(paid.applied_to_lines)[0], {
        related_object_type: "JOURNAL_ENTRY",
        related_object_id: uuidOf(made)
      })
      const again = yield* create("payment", { ...payment, applied_to_lines: [applied("JOURNAL_ENTRY", made, 0.01)] })
      assert.strictEqual(again.status, 422)
      assert.deepInclude(yield* get("journal_entry", made), { journal_number: null })
    })
  )

  it.effect("a vendor is paid by check or by credit card, as the account says", () =>
    Effect.gen(function* () {
      const { bank, bill, card, cost, create, get, make, native, patch, vendor } = yield* company
      const owed = yield* bill(90)
      const body = {
        type: "ACCOUNTS_PAYABLE",
        contact: vendor,
        transaction_date: "2026-11-10",
        total_amount: 90,
        applied_to_lines: [applied("INVOICE", owed, 90)]
      }
      assert.deepStrictEqual(errorsOf(yield* create("payment", body)), {
        account: "is required by quickbooks, where type is ACCOUNTS_PAYABLE"
      })
      assert.deepStrictEqual(errorsOf(yield* create("payment", { ...body, account: cost })), {
        account: "is neither a bank account nor a credit card"
      })
      const paid = yield* make("payment", { ...body, account: card })
      assert.deepInclude(yield* native("payment", paid), { PayType: "CreditCard" })
      assert.deepInclude(yield* get("invoice", owed), { status: "PAID", paid_on_date: "2026-11-10" })
      const switched = recordOf(yield* patch("payment", paid, { account: bank }))
      assert.strictEqual(switched.account, bank)
      const after = yield* native("payment", paid)
      assert.strictEqual(after.PayType, "Check")
      assert.notProperty(after, "CreditCardPayment")
      assert.deepStrictEqual(switched.applied_to_lines, paid.applied_to_lines)
    })
  )

  it.effect("an expense is paid as its account says, to a contact or an employee", () =>
    Effect.gen(function* () {
      const { bank, call, card, cost, create, item, make, native, patch, path, vendor } = yield* company
      const employee = uuidOf(pageOf(yield* call("GET", `${path("employee")}&limit=1`)).data[0])
      const body = {
        transaction_date: "2026-11-10",
        account: card,
        contact: vendor,
        lines: [
          { account: cost, net_amount: 12.34 },
          { item, quantity: 3, unit_price: 5, net_amount: 15 }
        ]
      }
      const made = yield* make("expense", body)
      assert.deepInclude(made, { contact: vendor, employee: null, total_amount: 27.34, sub_total: 27.34 })
      assert.deepInclude(yield* native("expense", made), { PaymentType: "CreditCard" })
      const changed = recordOf(yield* patch("expense", made, { account: bank, contact: null, employee }))
      assert.deepInclude(changed, { contact: null, employee, account: bank })
      assert.deepInclude(yield* native("expense", made), { PaymentType: "Cash" })
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("expense", { ...body, employee }))), [
        "contact",
        "employee"
      ])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("expense", { ...body, lines: [{ net_amount: 1 }] }))), [
        "lines.0.account"
      ])
    })
  )

  it.effect("the books that are closed are told by the date", () =>
    Effect.gen(function* () {
      const { bank, cost, create, invoice, make, patch, vendor } = yield* company
      const transaction_date = "2010-12-31"
      const lines = [{ account: cost, net_amount: 5 }]
      const body = { transaction_date: "2026-11-10", account: bank, contact: vendor, lines }
      const expense = yield* make("expense", body)
      for (const refused of [
        yield* create("expense", { ...body, transaction_date }),
        yield* patch("expense", expense, { transaction_date })
      ]) {
        assert.strictEqual(refused.status, 422)
        assert.match(String(errorsOf(refused)["transaction_date"]), /account period has closed/)
      }
      const late = yield* patch("invoice", yield* invoice(5), { issue_date: transaction_date })
      assert.deepStrictEqual([late.status, Object.keys(errorsOf(late))], [422, ["issue_date"]])
    })
  )

  it.effect("every status of an order is taken, and none makes another document", () =>
    Effect.gen(function* () {
      const { call, cost, count, make, patch, path, vendor } = yield* company
      const bills = yield* count("invoice")
      const order = yield* make("purchase_order", { vendor, line_items: [{ account: cost, total_line_amount: 10 }] })
      assert.strictEqual(order.status, "AUTHORIZED")
      for (const [wanted, held] of [
        ["BILLED", "BILLED"],
        ["DRAFT", "AUTHORIZED"],
        ["SUBMITTED", "AUTHORIZED"],
        ["AUTHORIZED", "AUTHORIZED"]
      ] as const) {
        assert.strictEqual(recordOf(yield* patch("purchase_order", order, { status: wanted })).status, held)
      }
      const gone = recordOf(yield* patch("purchase_order", order, { status: "DELETED", memo: "Never mind" }))
      assert.deepInclude(gone, { status: "DELETED", remote_was_deleted: true, remote_id: order.remote_id })
      assert.strictEqual(gone.memo, "Never mind")
      assert.deepStrictEqual(refusalOf(yield* call("GET", path("purchase_order", order.remote_id))), [
        404,
        "PURCHASE_ORDER_NOT_FOUND"
      ])
      assert.strictEqual(yield* count("invoice"), bills)
    })
  )

  it.effect("a bill names the orders it is of, which closes them", () =>
    Effect.gen(function* () {
      const { cost, get, make, patch, vendor } = yield* company
      const line_items = [{ account: cost, total_line_amount: 10 }]
      const [first, second] = [
        yield* make("purchase_order", { vendor, line_items }),
        yield* make("purchase_order", { vendor, line_items })
      ]
      const bill = yield* make("invoice", {
        type: "ACCOUNTS_PAYABLE",
        contact: vendor,
        purchase_orders: [uuidOf(first)],
        line_items: [{ account: cost, total_amount: 20 }]
      })
      assert.deepStrictEqual(bill.purchase_orders, [uuidOf(first)])
      assert.strictEqual((yield* get("purchase_order", first)).status, "BILLED")
      const moved = recordOf(yield* patch("invoice", bill, { purchase_orders: [uuidOf(second)] }))
      assert.deepStrictEqual(moved.purchase_orders, [uuidOf(second)])
      assert.strictEqual((yield* get("purchase_order", first)).status, "AUTHORIZED")
      assert.strictEqual((yield* get("purchase_order", second)).status, "BILLED")
    })
  )

  it.effect("a credit note is applied and taken back by payments of no amount", () =>
    Effect.gen(function* () {
      const { count, customer, get, invoice, item, make, patch } = yield* company
      const [first, second] = [yield* invoice(100), yield* invoice(100)]
      const payments = yield* count("payment")
      const share = (record: Doc, applied_amount: number, more: Doc = {}) => ({
        invoice: uuidOf(record),
        applied_amount,
        ...more
      })
      const credit = yield* make("credit_note", {
        contact: customer,
        status: "DRAFT",
        line_items: [{ item, total_line_amount: 60 }],
        applied_to_lines: [share(first, 10, { applied_date: "2026-11-12" }), share(second, 20)]
      })
      assert.deepInclude(credit, { status: "AUTHORIZED", remaining_credit: 30, total_amount: 60 })
      assert.deepInclude(listOf(credit.applied_to_lines)[0], {
        invoice: uuidOf(first),
        applied_amount: 10,
        applied_date: "2026-11-12"
      })
      assert.strictEqual(yield* count("payment"), payments + 2)
      assert.deepStrictEqual(amounts((yield* get("invoice", first)).applied_credit_notes), [10])
      assert.deepStrictEqual(amounts((yield* get("invoice", first)).applied_payments), [])

      const [held] = listOf(credit.applied_to_lines)
      const changed = recordOf(yield* patch("credit_note", credit, { applied_to_lines: [held, share(second, 50)] }))
      assert.deepInclude(changed, { status: "PAID", remaining_credit: 0 })
      assert.deepStrictEqual(amounts(changed.applied_to_lines), [10, 50])
      assert.strictEqual(yield* count("payment"), payments + 2)
      const freed = recordOf(yield* patch("credit_note", credit, { applied_to_lines: [] }))
      assert.deepInclude(freed, { remaining_credit: 60, applied_to_lines: [], payments: [] })
      assert.strictEqual(yield* count("payment"), payments)

      // no state is written where none is
      for (const status of ["DRAFT", "SUBMITTED", "PAID"]) {
        const answer = yield* patch("credit_note", credit, { status })
        assert.strictEqual(recordOf(answer).status, "AUTHORIZED")
        assert.deepStrictEqual(said(answer), ["status STATUS_NOT_REACHED"])
      }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* patch("credit_note", credit, { status: "VOID" }))), ["status"])
      assert.strictEqual(yield* count("payment"), payments)

      const mixed = yield* make("payment", {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer,
        transaction_date: "2026-11-12",
        total_amount: 40,
        applied_to_lines: [applied("INVOICE", first, 100), applied("CREDIT_NOTE", credit, 60)]
      })
      const refused = errorsOf(yield* patch("credit_note", credit, { applied_to_lines: [] }))
      assert.include(refused.applied_to_lines, `payment ${String(mixed.remote_id)}`)
    })
  )

  it.effect("a credit that cannot be applied is told of with what was done", () =>
    Effect.gen(function* () {
      const { create, customer, invoice, item, make, patch } = yield* company
      const open = yield* invoice(10)
      const line_items = [{ item, total_line_amount: 60 }]
      const applied_to_lines = [{ invoice: uuidOf(open), applied_amount: 11 }]
      const answer = yield* create("credit_note", { contact: customer, line_items, applied_to_lines })
      assert.strictEqual(answer.status, 422)
      assert.deepStrictEqual(failureOf(answer).provider?.done, ["record"])
      const credit = yield* make("credit_note", { contact: customer, line_items })
      assert.strictEqual((yield* patch("credit_note", credit, { applied_to_lines })).status, 422)
    })
  )

  it.effect("a vendor credit is applied to a bill", () =>
    Effect.gen(function* () {
      const { bill, cost, get, make, patch, vendor } = yield* company
      const owed = yield* bill(100)
      const credit = yield* make("vendor_credit", {
        transaction_date: "2026-11-12",
        vendor,
        lines: [{ account: cost, net_amount: 30 }],
        applied_to_lines: [{ invoice: uuidOf(owed), applied_amount: 25 }]
      })
      assert.deepInclude(listOf(credit.applied_to_lines)[0], { invoice: uuidOf(owed), applied_amount: 25 })
      const billed = yield* get("invoice", owed)
      assert.strictEqual(billed.balance, 75)
      assert.deepStrictEqual(amounts(billed.applied_vendor_credits), [25])
      assert.deepStrictEqual(amounts(billed.applied_payments), [])
      recordOf(yield* patch("vendor_credit", credit, { applied_to_lines: [] }))
      assert.deepInclude(yield* get("invoice", owed), { balance: 100, payments: [] })
    })
  )

  it.effect("lines may take off, and amounts are exact to the cent", () =>
    Effect.gen(function* () {
      const { bank, bill, cost, create, customer, item, make, vendor } = yield* company
      const contact = customer
      const note = yield* make("credit_note", {
        contact,
        line_items: [
          { item, total_line_amount: 0.3 },
          { item, quantity: 1, unit_price: -0.1, description: "less" }
        ]
      })
      assert.deepInclude(note, { total_amount: 0.2, remaining_credit: 0.2 })
      const lines = [
        { account: cost, net_amount: 100.1 },
        { account: cost, net_amount: -0.3 },
        { item, quantity: 3, unit_price: 33.3333333, net_amount: 100 }
      ]
      const head = { transaction_date: "2026-11-10" }
      assert.strictEqual((yield* make("expense", { ...head, account: bank, lines })).total_amount, 199.8)
      const credit = yield* make("vendor_credit", { ...head, vendor, lines })
      assert.deepStrictEqual(
        listOf(credit.lines).map(({ net_amount, quantity, unit_price }) => [net_amount, quantity, unit_price]),
        [
          [100.1, 1, 100.1],
          [-0.3, 1, -0.3],
          [100, 3, 33.3333333]
        ]
      )
      const owed = yield* bill(0.3)
      const paid = yield* make("payment", {
        ...head,
        type: "ACCOUNTS_PAYABLE",
        contact: vendor,
        account: bank,
        total_amount: 0.1,
        applied_to_lines: [applied("INVOICE", owed, 0.3), applied("VENDOR_CREDIT", credit, 0.2)]
      })
      assert.deepStrictEqual(amounts(paid.applied_to_lines), [0.3, 0.2])
      const below = yield* create("expense", { ...head, account: bank, lines: [{ account: cost, net_amount: -1 }] })
      assert.strictEqual(below.status, 422)
    })
  )

  it.effect("documents of another currency keep it and its rate", () =>
    Effect.gen(function* () {
      const { cost, create, get, item, make } = yield* company
      const euro = { currency: "EUR", exchange_rate: "1.25" }
      const party = (name: string, is_customer: boolean) =>
        Effect.map(make("contact", { name, is_customer, is_supplier: !is_customer, currency: "EUR" }), uuidOf)
      const [contact, vendor] = [yield* party("Müller", true), yield* party("Schmidt", false)]
      const invoice = yield* make("invoice", {
        ...euro,
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        line_items: [{ item, total_amount: 80 }]
      })
      const credit = yield* make("credit_note", {
        ...euro,
        contact,
        line_items: [{ item, total_line_amount: 30 }],
        applied_to_lines: [{ invoice: uuidOf(invoice), applied_amount: 30 }]
      })
      assert.deepInclude(credit, { ...euro, status: "PAID" })
      const payment = yield* make("payment", {
        ...euro,
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        transaction_date: "2026-11-10",
        total_amount: 50,
        applied_to_lines: [applied("INVOICE", invoice, 50)]
      })
      assert.deepInclude(payment, { ...euro, total_amount: 50 })
      assert.deepInclude(yield* get("invoice", invoice), { status: "PAID", balance: 0, exchange_rate: "1.25" })
      const order = { vendor, line_items: [{ account: cost, total_line_amount: 10 }] }
      assert.deepInclude(yield* make("purchase_order", { ...order, ...euro }), euro)
      assert.strictEqual((yield* make("purchase_order", order)).currency, "EUR", "that of the vendor")
      const dollars = yield* create("purchase_order", { ...order, currency: "USD" })
      assert.deepStrictEqual(Object.keys(errorsOf(dollars)), ["currency"], "a vendor is dealt with in one currency")
    })
  )

  it.effect("two who change a document at once both succeed", () =>
    Effect.gen(function* () {
      const { get, make, native, patch, cost, vendor } = yield* company
      const order = yield* make("purchase_order", { vendor, line_items: [{ account: cost, total_line_amount: 10 }] })
      const answers = yield* Effect.all(
        [
          patch("purchase_order", order, { memo: "one" }),
          patch("purchase_order", order, { purchase_order_number: "PO-7" })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200]
      )
      assert.deepInclude(yield* get("purchase_order", order), { memo: "one", purchase_order_number: "PO-7" })
      assert.strictEqual((yield* native("purchase_order", order)).SyncToken, "2")
    })
  )

  it.effect("what no other resource covers is read, not written", () =>
    Effect.gen(function* () {
      const { call, path } = yield* company
      const { records } = yield* walk(call, path("transaction"))
      const ofType = (type: string) => records.filter((one) => one.transaction_type === type)
      for (const type of ["SalesReceipt", "RefundReceipt", "Deposit", "Transfer", "InventoryAdjustment"]) {
        const [first] = ofType(type)
        assert.isDefined(first, type)
        assert.isString(first?.account, type)
        assert.isAbove(listOf(first?.line_items).length, 0, type)
        assert.deepStrictEqual(recordOf(yield* call("GET", path("transaction", first?.remote_id))), first)
      }
      for (const sale of ofType("SalesReceipt")) {
        const lines = listOf(sale.line_items).reduce((sum, line) => sum + Number(line.total_line_amount), 0)
        assert.closeTo(lines, Number(sale.total_amount), 0.001)
      }
      const [transfer] = ofType("Transfer")
      const [to] = listOf(transfer?.line_items)
      assert.strictEqual(to?.total_line_amount, transfer?.total_amount)
      assert.notStrictEqual(to?.account, transfer?.account)
      assert.deepStrictEqual(refusalOf(yield* call("POST", path("transaction"), { body: {} })), [
        405,
        "OPERATION_NOT_SUPPORTED"
      ])
      assert.strictEqual(refusalOf(yield* call("DELETE", path("transaction", transfer?.remote_id)))[0], 405)
    })
  )

  it.effect("documents are filtered by when they were made", () =>
    Effect.gen(function* () {
      const { call, path } = yield* company
      for (const resource of ["payment", "journal_entry", "expense", "transaction"]) {
        const { records } = yield* walk(call, path(resource))
        const times = records.map((one) => String(one.created_at)).toSorted()
        const [from, to] = [times[Math.floor(times.length / 3)], times[Math.floor((times.length * 2) / 3)]]
        const bounds = `&created_after=${String(from)}&created_before=${String(to)}`
        const found = yield* walk(call, `${path(resource)}${bounds}`, 7)
        const within = (one: Doc) => String(one.created_at) >= String(from) && String(one.created_at) < String(to)
        assert.deepStrictEqual(found.records, records.filter(within), resource)
        assert.isAbove(found.records.length, 0)
      }
    })
  )
})
