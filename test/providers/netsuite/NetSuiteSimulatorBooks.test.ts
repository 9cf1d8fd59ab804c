import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inAccount, type Json, problem, type Session } from "./simulated.ts"

/** A customer, a vendor and items of a test's own, and accounts by name. */
const prepare = ({ create, first, get }: Session) =>
  Effect.gen(function* () {
    const account = (name: string) =>
      Effect.map(first(`SELECT id FROM account WHERE accountsearchdisplaynamecopy = '${name}'`), ({ id }) => ({ id }))
    const groups = yield* get(`taxGroup?q=${encodeURIComponent('itemId IS "Austin TX"')}`)
    const tax = groups.body.items[0]
    const [sales, rent, bank, card] = [
      yield* account("Sales"),
      yield* account("Rent"),
      yield* account("Operating Account"),
      yield* account("Corporate Card")
    ]
    const subsidiary = { id: "1" }
    const term = yield* first("SELECT id FROM term WHERE name = 'Net 30'")
    const customer = {
      id: yield* create("customer", { companyName: "Lumen Clinic", subsidiary, terms: { id: term.id } })
    }
    const vendor = { id: yield* create("vendor", { companyName: "Castor Metals", subsidiary }) }
    const service = {
      id: yield* create("serviceSaleItem", {
        itemId: "Alignment",
        salesDescription: "Alignment of optics",
        incomeAccount: sales,
        price: { items: [{ currencyPage: { id: "1" }, priceLevel: { id: "1" }, price: 40 }] }
      })
    }
    const part = {
      id: yield* create("nonInventoryPurchaseItem", { itemId: "Bracket", cost: 2.5, expenseAccount: rent })
    }
    return { tax: { id: tax.id }, sales, rent, bank, card, customer, vendor, service, part }
  })

const inBooks = (
  test: (session: Session, stage: Effect.Effect.Success<ReturnType<typeof prepare>>) => Effect.Effect<void, unknown>
) => inAccount((session) => Effect.flatMap(prepare(session), (made) => test(session, made)))

/** The state of a record, whose id is its name too. */
const stateOf = ({ status }: Json): Json => {
  assert.strictEqual(status.id, status.refName)
  return status.refName
}

describe("sales", () => {
  it.effect("an invoice reckons lines, tax, discount, due date and what is open", () =>
    inBooks(({ create, first, read }, { customer, service, tax }) =>
      Effect.gen(function* () {
        const discount = yield* first("SELECT id FROM item WHERE itemtype = 'Discount'")
        const id = yield* create("invoice", {
          entity: customer,
          tranDate: "2026-11-02",
          discountItem: { id: discount.id },
          item: {
            items: [
              { item: service, quantity: 3, taxCode: tax },
              { item: service, quantity: 4, amount: 50 },
              { item: service, rate: 0.335, quantity: 1, description: "Screws" }
            ]
          }
        })
        const invoice = yield* read("invoice", id)
        assert.deepStrictEqual(
          invoice.item.items.map((line: Json) => [line.line, line.description, line.quantity, line.rate, line.amount]),
          [
            [1, "Alignment of optics", 3, 40, 120],
            [2, "Alignment of optics", 4, 12.5, 50],
            [3, "Screws", 1, 0.335, 0.34]
          ]
        )
        assert.deepInclude(invoice.item.items[0], { taxRate1: 8.25, tax1Amt: 9.9, grossAmt: 129.9 })
        assert.deepInclude(invoice, {
          subtotal: 170.34,
          discountTotal: -17.03,
          taxTotal: 9.9,
          total: 163.21,
          amountPaid: 0,
          amountRemaining: 163.21,
          dueDate: "2026-12-02",
          exchangeRate: 1
        })
        assert.deepStrictEqual(stateOf(invoice), "Open")
        assert.strictEqual(invoice.postingPeriod.refName, "Nov 2026")
        assert.match(invoice.tranId, /^INV\d+$/)
        assert.strictEqual((yield* read("customer", customer.id)).balance, 163.21)
      })
    )
  )

  it.effect("lines are changed by their number, added without one, and replaced when asked", () =>
    inBooks(({ create, read, update }, { customer, service }) =>
      Effect.gen(function* () {
        const id = yield* create("invoice", {
          entity: customer,
          item: {
            items: [
              { item: service, quantity: 1 },
              { item: service, quantity: 2, description: "Second" }
            ]
          }
        })
        const lines = Effect.map(read("invoice", id), ({ item, total }) => [
          item.items.map((line: Json) => [line.line, line.description, line.amount]),
          total
        ])
        const plain = "Alignment of optics"
        yield* update(`invoice/${id}`, { memo: "Hello" })
        assert.deepStrictEqual(yield* lines, [
          [
            [1, plain, 40],
            [2, "Second", 80]
          ],
          120
        ])
        yield* update(`invoice/${id}`, {
          item: {
            items: [
              { line: 2, quantity: 3 },
              { item: service, rate: 10 }
            ]
          }
        })
        assert.deepStrictEqual(yield* lines, [
          [
            [1, plain, 40],
            [2, "Second", 120],
            [3, plain, 10]
          ],
          170
        ])
        yield* update(`invoice/${id}?replace=item`, { item: { items: [{ line: 2, item: service, quantity: 5 }] } })
        assert.deepStrictEqual(yield* lines, [[[2, plain, 200]], 200])
        assert.strictEqual((yield* read("invoice", id)).memo, "Hello")
      })
    )
  )

  it.effect("payments and credits take from what is open, and give it back", () =>
    inBooks(({ create, first, read, remove, update, write }, { bank, customer, service }) =>
      Effect.gen(function* () {
        const id = yield* create("invoice", { entity: customer, item: { items: [{ item: service, quantity: 3 }] } })
        const state = Effect.map(read("invoice", id), (invoice) => [
          invoice.status.id,
          invoice.amountPaid,
          invoice.amountRemaining
        ])
        const pay = (amount: number, more: Json = {}) => ({
          customer,
          account: bank,
          payment: 100,
          apply: { items: [{ doc: { id }, apply: true, amount }] },
          ...more
        })

        problem(yield* write("POST", "customerPayment", pay(120.01)), 400, "USER_ERROR")
        problem(yield* write("POST", "customerPayment", pay(101)), 400, "USER_ERROR")
        const paid = yield* create("customerPayment", pay(70))
        assert.deepStrictEqual(yield* state, ["Open", 70, 50])
        const payment = yield* read("customerPayment", paid)
        assert.deepInclude(payment, { payment: 100, applied: 70, unapplied: 30, total: 100 })
        assert.deepStrictEqual(stateOf(payment), "Deposited")
        const [line] = payment.apply.items
        assert.deepInclude(line, { amount: 70, apply: true, total: 120, type: "Invoice" })
        assert.strictEqual(line.doc.id, id)
        assert.strictEqual((yield* read("customer", customer.id)).balance, 20)

        const credited = yield* create("creditMemo", {
          entity: customer,
          item: { items: [{ item: service, quantity: 1 }] },
          apply: { items: [{ doc: { id }, apply: true }] }
        })
        assert.deepStrictEqual(yield* state, ["Open", 110, 10])
        assert.deepStrictEqual(stateOf(yield* read("creditMemo", credited)), "Fully Applied")
        yield* update(`customerPayment/${paid}`, { apply: { items: [{ doc: { id }, amount: 80 }] } })
        assert.deepStrictEqual(yield* state, ["Paid In Full", 120, 0])
        assert.deepInclude(
          yield* first(`SELECT foreignamountunpaid AS open, status FROM transaction WHERE id = ${id}`),
          { open: "0", status: "B" }
        )
        const applying = yield* first(`SELECT COUNT(*) AS n FROM nexttransactionlink WHERE previousdoc = ${id}`)
        assert.strictEqual(applying.n, "2")

        problem(
          yield* write("PATCH", `invoice/${id}?replace=item`, { item: { items: [{ item: service, quantity: 1 }] } }),
          400,
          "USER_ERROR"
        )
        problem(yield* remove(`invoice/${id}`), 400, "USER_ERROR")
        assert.strictEqual((yield* remove(`customerPayment/${paid}`)).status, 204)
        yield* update(`creditMemo/${credited}?replace=apply`, { apply: { items: [] } })
        assert.deepStrictEqual(yield* state, ["Open", 0, 120])
        assert.deepInclude(yield* read("creditMemo", credited), { applied: 0, unapplied: 40 })
      })
    )
  )

  it.effect("what waits for approval is neither open nor on the books", () =>
    inBooks(({ create, first, read, update }, { customer, service }) =>
      Effect.gen(function* () {
        const id = yield* create("invoice", {
          entity: customer,
          approvalStatus: { id: "1" },
          item: { items: [{ item: service }] }
        })
        assert.deepStrictEqual(stateOf(yield* read("invoice", id)), "Pending Approval")
        const posted = first(`SELECT posting FROM transaction WHERE id = ${id}`)
        assert.strictEqual((yield* posted).posting, "F")
        yield* update(`invoice/${id}`, { approvalStatus: { id: "2" } })
        assert.deepStrictEqual(stateOf(yield* read("invoice", id)), "Open")
        assert.strictEqual((yield* posted).posting, "T")
      })
    )
  )

  it.effect("an order is fulfilled and billed by what is made of it", () =>
    inBooks(({ create, read, update, write }, { customer, service }) =>
      Effect.gen(function* () {
        const id = yield* create("salesOrder", {
          entity: customer,
          orderStatus: { id: "A" },
          item: {
            items: [
              { item: service, quantity: 4 },
              { item: service, quantity: 1 }
            ]
          }
        })
        const state = Effect.map(read("salesOrder", id), (order) => [
          order.orderStatus.id,
          order.item.items.map((line: Json) => [line.quantityFulfilled, line.quantityBilled])
        ])
        const make = (target: string, body: Json) => write("POST", `salesOrder/${id}/!transform/${target}`, body)
        assert.deepStrictEqual(yield* state, [
          "A",
          [
            [0, 0],
            [0, 0]
          ]
        ])
        problem(yield* make("itemFulfillment", {}), 400, "USER_ERROR")
        yield* update(`salesOrder/${id}`, { orderStatus: { id: "B" } })
        const shipped = yield* make("itemFulfillment", {
          item: {
            items: [
              { orderLine: 1, quantity: 3 },
              { orderLine: 2, itemreceive: false }
            ]
          }
        })
        assert.strictEqual(shipped.status, 204, JSON.stringify(shipped.body))
        assert.deepStrictEqual(yield* state, [
          "D",
          [
            [3, 0],
            [0, 0]
          ]
        ])
        const fulfilment = yield* read("itemFulfillment", shipped.headers.location?.split("/").at(-1) ?? "")
        assert.deepStrictEqual(stateOf(fulfilment), "Shipped")
        assert.strictEqual(fulfilment.createdFrom.id, id)
        assert.deepInclude(fulfilment.item.items[0], { orderLine: 1, quantity: 3 })
        problem(
          yield* make("itemFulfillment", { item: { items: [{ orderLine: 1, quantity: 2 }] } }),
          400,
          "INVALID_CONTENT"
        )
        assert.strictEqual((yield* make("invoice", {})).status, 204)
        assert.deepStrictEqual(yield* state, [
          "G",
          [
            [3, 4],
            [0, 1]
          ]
        ])
        problem(yield* make("invoice", {}), 400, "USER_ERROR")
        problem(yield* make("unicorn", {}), 405, "INVALID_METHOD")

        const closed = yield* create("salesOrder", {
          entity: customer,
          item: { items: [{ item: service, isClosed: true }] }
        })
        assert.deepStrictEqual(stateOf(yield* read("salesOrder", closed)), "Closed")
      })
    )
  )
})

describe("purchases", () => {
  it.effect("a bill has expenses and items, and is paid by bank account", () =>
    inBooks(({ create, read, rows, write }, { bank, customer, part, rent, sales, tax, vendor }) =>
      Effect.gen(function* () {
        const id = yield* create("vendorBill", {
          entity: vendor,
          tranId: "R-17",
          expense: {
            items: [{ account: rent, amount: 100.1, memo: "November", taxCode: tax, customer, isBillable: true }]
          },
          item: { items: [{ item: part, quantity: 10 }] }
        })
        const bill = yield* read("vendorBill", id)
        assert.deepInclude(bill, { total: 133.36, taxTotal: 8.26, userTotal: 133.36, tranId: "R-17", balance: 133.36 })
        assert.notProperty(bill, "amountRemaining")
        assert.deepInclude(bill.item.items[0], { rate: 2.5, amount: 25 })
        assert.deepInclude(bill.expense.items[0], { amount: 100.1, memo: "November", isBillable: true })
        const lines = yield* rows(
          `SELECT BUILTIN.DF(account) AS name, debit, credit FROM transactionaccountingline WHERE transaction = ${id} ORDER BY transactionline`
        )
        assert.deepStrictEqual(
          lines.map(({ credit, debit, name }) => [name, debit, credit]),
          [
            ["2000 Accounts Payable", undefined, "133.36"],
            ["6500 Rent", "100.1", undefined],
            ["6500 Rent", "25", undefined],
            ["2200 Sales Taxes Payable", "8.26", undefined]
          ]
        )
        const pay = (account: Json) =>
          write("POST", "vendorPayment", { entity: vendor, account, apply: { items: [{ doc: { id }, apply: true }] } })
        problem(yield* pay(sales), 400, "INVALID_CONTENT")
        assert.strictEqual((yield* pay(bank)).status, 204)
        assert.deepStrictEqual(stateOf(yield* read("vendorBill", id)), "Paid In Full")
        problem(yield* pay(bank), 400, "INVALID_CONTENT")
        problem(yield* write("POST", "vendorBill", { entity: vendor }), 400, "USER_ERROR")
        assert.match(
          problem(
            yield* write("POST", "vendorBill", { entity: vendor, expense: { items: [{ amount: 5 }] } }),
            400,
            "USER_ERROR"
          ).detail,
          /Account/
        )
      })
    )
  )

  it.effect("an order is billed by its lines; checks and charges take accounts of their type", () =>
    inBooks(({ create, read, write }, { bank, card, part, rent, vendor }) =>
      Effect.gen(function* () {
        const id = yield* create("purchaseOrder", {
          entity: vendor,
          approvalStatus: { id: "1" },
          item: { items: [{ item: part, quantity: 8 }] }
        })
        const state = Effect.map(read("purchaseOrder", id), stateOf)
        assert.deepStrictEqual(yield* state, "Pending Supervisor Approval")
        assert.strictEqual((yield* write("PATCH", `purchaseOrder/${id}`, { approvalStatus: { id: "2" } })).status, 204)
        assert.deepStrictEqual(yield* state, "Pending Receipt")
        const bill = { entity: vendor, item: { items: [{ item: part, quantity: 5, orderDoc: { id }, orderLine: 1 }] } }
        yield* create("vendorBill", bill)
        assert.deepStrictEqual(yield* state, "Pending Billing/Partially Received")
        const rest = yield* write("POST", `purchaseOrder/${id}/!transform/vendorBill`, { tranId: "R-18" })
        assert.strictEqual(rest.status, 204, JSON.stringify(rest.body))
        assert.deepStrictEqual(yield* state, "Fully Billed")

        const spend = (account: Json) => ({
          entity: vendor,
          account,
          expense: { items: [{ account: rent, amount: 9 }] }
        })
        yield* create("check", spend(bank))
        yield* create("creditCardCharge", spend(card))
        problem(yield* write("POST", "check", spend(card)), 400, "INVALID_CONTENT")
        problem(yield* write("POST", "creditCardCharge", spend(bank)), 400, "INVALID_CONTENT")
      })
    )
  )
})

describe("entries", () => {
  it.effect("a journal entry balances, and names who owes", () =>
    inBooks(({ create, first, read, write }, { bank, rent }) =>
      Effect.gen(function* () {
        const entry = (debit: number, account: Json = rent) => ({
          subsidiary: { id: "1" },
          line: {
            items: [
              { account, debit, memo: "Share" },
              { account: bank, credit: 10.1 }
            ]
          }
        })
        problem(yield* write("POST", "journalEntry", entry(10)), 400, "USER_ERROR")
        const receivable = yield* first("SELECT id FROM account WHERE accttype = 'AcctRec'")
        problem(yield* write("POST", "journalEntry", entry(10.1, { id: receivable.id })), 400, "USER_ERROR")
        const before = (yield* read("account", bank.id)).balance
        const journal = yield* read("journalEntry", yield* create("journalEntry", entry(10.1)))
        assert.deepInclude(journal, { approved: true })
        assert.strictEqual(journal.approvalStatus.id, "2")
        assert.deepInclude(journal.line.items[0], { line: 1, debit: 10.1, memo: "Share" })
        assert.notProperty(journal.line.items[0], "credit")
        assert.closeTo((yield* read("account", bank.id)).balance, before - 10.1, 0.001)
        yield* create("journalEntry", { ...entry(10.1), approvalStatus: { id: "1" } })
        assert.closeTo((yield* read("account", bank.id)).balance, before - 10.1, 0.001)
        problem(yield* write("POST", "journalEntry", { ...entry(10.1), tranDate: "1999-01-01" }), 400, "USER_ERROR")
      })
    )
  )

  it.effect("an expense report goes from hand to hand", () =>
    inBooks(({ create, first, read, update }) =>
      Effect.gen(function* () {
        const employee = yield* first("SELECT id FROM employee")
        const category = yield* first("SELECT id FROM expensecategory WHERE name = 'Hotel'")
        const id = yield* create("expenseReport", {
          entity: { id: employee.id },
          expense: {
            items: [
              { category: { id: category.id }, amount: 120, memo: "Two nights" },
              { category: { id: category.id }, foreignamount: 50, exchangerate: 1.1, isnonreimbursable: true }
            ]
          }
        })
        const report = yield* read("expenseReport", id)
        assert.deepInclude(report, { total: 175, reimbursable: 120, nonreimbursable: 55, amount: 120 })
        assert.strictEqual(report.expense.items[0].expenseaccount.refName, "6920 Travel : Lodging")
        const path = [
          { complete: true },
          { supervisorapproval: true },
          { accountingapproval: true },
          { approvalStatus: { id: "3" } }
        ]
        const states = [stateOf(report)]
        for (const body of path) {
          yield* update(`expenseReport/${id}`, body)
          states.push(stateOf(yield* read("expenseReport", id)))
        }
        assert.deepStrictEqual(states, [
          "In Progress",
          "Pending Supervisor Approval",
          "Pending Accounting Approval",
          "Approved by Accounting",
          "Rejected by Accounting"
        ])
      })
    )
  )

  it.effect("rates and periods come of the company's settings", () =>
    inAccount(({ create, first, read, write }) =>
      Effect.gen(function* () {
        const euro = yield* first("SELECT id FROM vendor WHERE currency = 4 AND isinactive = 'F'")
        const rent = yield* first("SELECT id FROM account WHERE accountsearchdisplaynamecopy = 'Rent'")
        const bill = { entity: { id: euro.id }, expense: { items: [{ account: { id: rent.id }, amount: 10 }] } }
        assert.strictEqual((yield* read("vendorBill", yield* create("vendorBill", bill))).exchangeRate, 1.0842)
        assert.strictEqual(
          (yield* read("vendorBill", yield* create("vendorBill", { ...bill, exchangeRate: 1.2 }))).exchangeRate,
          1.2
        )
        problem(yield* write("POST", "vendorBill", { ...bill, subsidiary: { id: "2" } }), 400, "INVALID_CONTENT")
        const closed = yield* first(
          "SELECT id FROM accountingperiod WHERE closed = 'T' AND isquarter = 'F' AND isyear = 'F'"
        )
        problem(
          yield* write("POST", "vendorBill", { ...bill, postingPeriod: { id: closed.id } }),
          400,
          "INVALID_CONTENT"
        )
        const terms = yield* first("SELECT id FROM term WHERE datedriven = 'T'")
        const due = yield* create("vendorBill", { ...bill, tranDate: "2026-11-25", terms: { id: terms.id } })
        assert.strictEqual((yield* read("vendorBill", due)).dueDate, "2026-12-10")
      })
    )
  )
})
