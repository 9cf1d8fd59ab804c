import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { createRequire } from "node:module"
import { Readable } from "node:stream"
import type NodeQuickBooks from "node-quickbooks"
import { simulator } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// The client library most Node programs use judges the simulator.

/** Its types tell of a default export that the module, which is CommonJS, does not have. */
const QuickBooks: typeof NodeQuickBooks.default = createRequire(import.meta.url)("node-quickbooks")
type Client = InstanceType<typeof QuickBooks>

/** Answers, read as a client without types reads them. */
type Json = ReturnType<typeof JSON.parse>

type Done = (error: Json, answer?: Json) => void

/** A call of the library; what it calls an error fails. */
const ask = (call: (done: Done) => void) =>
  Effect.async<Json, Json>((resume) => {
    call((error, answer) => resume(error === null ? Effect.succeed(answer) : Effect.fail(error)))
  })

const company = Effect.map(onPort(simulator), ({ accessToken, refreshToken, url }) => {
  const client = new QuickBooks(
    "id",
    "secret",
    accessToken,
    false,
    "9130357992221046",
    false,
    false,
    null,
    "2.0",
    refreshToken
  )
  client.endpoint = `${url}/v3/company/`
  return client
})

const test = (name: string, use: (client: Client) => Effect.Effect<void, Json, Scope.Scope>) =>
  it.scopedLive(name, () => Effect.flatMap(company, use), 30_000)

/** One record of a list. */
const first = (list: (criteria: Json, done: Done) => void, criteria: Json) =>
  Effect.map(
    ask((done) => list({ ...criteria, limit: 1 }, done)),
    (answer) => Object.values<Json>(answer.QueryResponse).find(Array.isArray)?.[0]
  )

interface Verbs {
  readonly create: (body: Json, done: Done) => void
  readonly get: (id: string, done: Done) => void
  readonly update: (body: Json, done: Done) => void
  readonly find: (criteria: Json, done: Done) => void
  readonly remove?: (record: Json, done: Done) => void
}

/** Makes a record, changes it, finds it among all and ends it. */
const lives = Effect.fnUntraced(function* (
  entity: string,
  verbs: Verbs,
  body: Json,
  change: { readonly [name: string]: unknown }
) {
  const made = yield* ask((done) => verbs.create(body, done))
  assert.strictEqual(made.SyncToken, "0", entity)
  assert.deepStrictEqual(yield* ask((done) => verbs.get(made.Id, done)), made)
  const changed = yield* ask((done) =>
    verbs.update({ Id: made.Id, SyncToken: made.SyncToken, sparse: true, ...change }, done)
  )
  assert.deepInclude(changed, { ...change, Id: made.Id, SyncToken: "1" })
  const found = yield* ask((done) => verbs.find({ fetchAll: true, limit: 40 }, done))
  const all: ReadonlyArray<Json> = found.QueryResponse[entity]
  assert.strictEqual(new Set(all.map(({ Id }) => Id)).size, all.length, entity)
  assert.deepStrictEqual(
    all.find(({ Id }) => Id === made.Id),
    changed
  )
  const remove = verbs.remove
  if (remove === undefined) {
    const ended = yield* ask((done) => verbs.update({ Id: made.Id, SyncToken: "1", sparse: true, Active: false }, done))
    assert.isFalse(ended.Active)
    return
  }
  const gone = yield* ask((done) => remove(changed, done))
  assert.deepInclude(gone[entity], { Id: made.Id, status: "Deleted" })
  const error = yield* Effect.flip(ask((done) => verbs.get(made.Id, done)))
  assert.strictEqual(error.response.data.Fault.Error[0].code, "610")
})

describe("node-quickbooks", () => {
  test("keeps customers, items and accounts", (qb) =>
    Effect.gen(function* () {
      yield* lives(
        "Customer",
        {
          create: (body, done) => qb.createCustomer(body, done),
          get: (id, done) => qb.getCustomer(id, done),
          update: (body, done) => qb.updateCustomer(body, done),
          find: (criteria, done) => qb.findCustomers(criteria, done)
        },
        { DisplayName: "Babbage & Sons", PrimaryEmailAddr: { Address: "babbage@engines.example" } },
        { CompanyName: "Babbage's" }
      )
      const income = yield* first((criteria, done) => qb.findAccounts(criteria, done), { AccountType: "Income" })
      yield* lives(
        "Item",
        {
          create: (body, done) => qb.createItem(body, done),
          get: (id, done) => qb.getItem(id, done),
          update: (body, done) => qb.updateItem(body, done),
          find: (criteria, done) => qb.findItems(criteria, done)
        },
        { Name: "Cogwheel", Type: "Service", IncomeAccountRef: { value: income.Id } },
        { UnitPrice: 12.5 }
      )
      yield* lives(
        "Account",
        {
          create: (body, done) => qb.createAccount(body, done),
          get: (id, done) => qb.getAccount(id, done),
          update: (body, done) => qb.updateAccount(body, done),
          find: (criteria, done) => qb.findAccounts(criteria, done)
        },
        { Name: "Brass", AccountType: "Expense" },
        { Description: "and steel" }
      )
    }))

  test("keeps invoices, bills, payments, journal entries and credit memos", (qb) =>
    Effect.gen(function* () {
      const accounts = (criteria: Json, done: Done) => qb.findAccounts(criteria, done)
      const item = yield* first((criteria, done) => qb.findItems(criteria, done), { Type: "Service" })
      const [bank, cost] = [
        yield* first(accounts, { AccountType: "Bank" }),
        yield* first(accounts, { AccountType: "Expense" })
      ]
      const customer = yield* ask((done) => qb.createCustomer({ DisplayName: "Lovelace Ltd" }, done))
      const vendor = yield* ask((done) => qb.createVendor({ DisplayName: "Clement Tools" }, done))
      const sale = {
        CustomerRef: { value: customer.Id },
        Line: [{ Amount: 80, DetailType: "SalesItemLineDetail", SalesItemLineDetail: { ItemRef: { value: item.Id } } }]
      }
      const side = (PostingType: string, account: Json) => ({
        Amount: 15,
        DetailType: "JournalEntryLineDetail",
        JournalEntryLineDetail: { PostingType, AccountRef: { value: account.Id } }
      })
      yield* lives(
        "Invoice",
        {
          create: (body, done) => qb.createInvoice(body, done),
          get: (id, done) => qb.getInvoice(id, done),
          update: (body, done) => qb.updateInvoice(body, done),
          find: (criteria, done) => qb.findInvoices(criteria, done),
          remove: (record, done) => qb.deleteInvoice(record, done)
        },
        sale,
        { PrivateNote: "Order 7" }
      )
      yield* lives(
        "CreditMemo",
        {
          create: (body, done) => qb.createCreditMemo(body, done),
          get: (id, done) => qb.getCreditMemo(id, done),
          update: (body, done) => qb.updateCreditMemo(body, done),
          find: (criteria, done) => qb.findCreditMemos(criteria, done),
          remove: (record, done) => qb.deleteCreditMemo(record, done)
        },
        sale,
        { PrivateNote: "Scratched" }
      )
      yield* lives(
        "Bill",
        {
          create: (body, done) => qb.createBill(body, done),
          get: (id, done) => qb.getBill(id, done),
          update: (body, done) => qb.updateBill(body, done),
          find: (criteria, done) => qb.findBills(criteria, done),
          remove: (record, done) => qb.deleteBill(record, done)
        },
        {
          VendorRef: { value: vendor.Id },
          Line: [
            {
              Amount: 12.34,
              DetailType: "AccountBasedExpenseLineDetail",
              AccountBasedExpenseLineDetail: { AccountRef: { value: cost.Id } }
            }
          ]
        },
        { DocNumber: "R-1" }
      )
      yield* lives(
        "Payment",
        {
          create: (body, done) => qb.createPayment(body, done),
          get: (id, done) => qb.getPayment(id, done),
          update: (body, done) => qb.updatePayment(body, done),
          find: (criteria, done) => qb.findPayments(criteria, done),
          remove: (record, done) => qb.deletePayment(record, done)
        },
        { CustomerRef: { value: customer.Id }, TotalAmt: 25 },
        { PrivateNote: "Ahead" }
      )
      yield* lives(
        "JournalEntry",
        {
          create: (body, done) => qb.createJournalEntry(body, done),
          get: (id, done) => qb.getJournalEntry(id, done),
          update: (body, done) => qb.updateJournalEntry(body, done),
          find: (criteria, done) => qb.findJournalEntries(criteria, done),
          remove: (record, done) => qb.deleteJournalEntry(record, done)
        },
        { Line: [side("Debit", cost), side("Credit", bank)] },
        { PrivateNote: "Petty things" }
      )
    }))

  test("is told what changed since a time", (qb) =>
    Effect.gen(function* () {
      const since = new Date(Date.now() - 1000)
      const made = yield* ask((done) => qb.createCustomer({ DisplayName: "Changed & Sons" }, done))
      const changes = (entities: string | Array<string>) => ask((done) => qb.changeDataCapture(entities, since, done))
      const { CDCResponse } = yield* changes(["Customer", "Invoice"])
      const [customers, invoices] = CDCResponse[0].QueryResponse
      assert.deepStrictEqual(customers.Customer, [made])
      assert.notProperty(invoices, "Invoice")
      const error = yield* Effect.flip(changes("TaxCode"))
      assert.strictEqual(error.response.data.Fault.Error[0].code, "6000")
    }))

  test("makes an invoice and its payment void", (qb) =>
    Effect.gen(function* () {
      const item = yield* first((criteria, done) => qb.findItems(criteria, done), { Type: "Service" })
      const customer = yield* ask((done) => qb.createCustomer({ DisplayName: "Somerville" }, done))
      const CustomerRef = { value: customer.Id }
      const SalesItemLineDetail = { ItemRef: { value: item.Id } }
      const invoice = yield* ask((done) =>
        qb.createInvoice(
          { CustomerRef, Line: [{ Amount: 80, DetailType: "SalesItemLineDetail", SalesItemLineDetail }] },
          done
        )
      )
      const paid = yield* ask((done) =>
        qb.createPayment(
          {
            CustomerRef,
            TotalAmt: 80,
            Line: [{ Amount: 80, LinkedTxn: [{ TxnId: invoice.Id, TxnType: "Invoice" }] }]
          },
          done
        )
      )
      assert.strictEqual((yield* ask((done) => qb.getInvoice(invoice.Id, done))).Balance, 0)
      const undone = yield* ask((done) =>
        qb.voidPayment({ Id: paid.Id, SyncToken: paid.SyncToken, sparse: true }, done)
      )
      assert.deepInclude(undone, { TotalAmt: 0, PrivateNote: "Voided", Line: [] })
      const open = yield* ask((done) => qb.getInvoice(invoice.Id, done))
      assert.deepInclude(open, { Balance: 80, LinkedTxn: [] })
      yield* ask((done) => qb.voidInvoice(open, done))
      assert.deepInclude(yield* ask((done) => qb.getInvoice(invoice.Id, done)), { TotalAmt: 0, PrivateNote: "Voided" })
    }))

  test("uploads a file and hangs it on an invoice", (qb) =>
    Effect.gen(function* () {
      const invoice = yield* first(qb.findInvoices.bind(qb), {})
      const content = Buffer.from([0, 255, 13, 10, 45, 45, 128])
      const file = yield* ask((done) =>
        qb.upload("plan.png", "image/png", Readable.from([content]), "Invoice", invoice.Id, done)
      )
      assert.deepInclude(file, { FileName: "plan.png", ContentType: "image/png", Size: content.length, SyncToken: "1" })
      assert.deepInclude(file.AttachableRef[0].EntityRef, { type: "Invoice", value: invoice.Id })
      const refused = yield* Effect.flip(
        ask((done) =>
          qb.upload("run.exe", "application/x-msdownload", Readable.from([content]), "Invoice", invoice.Id, done)
        )
      )
      assert.strictEqual(refused.Fault.Error[0].code, "6000")
    }))

  test("reads reports, and is told what is wrong", (qb) =>
    Effect.gen(function* () {
      const sheet = yield* ask((done) => qb.reportBalanceSheet({ end_date: "2026-01-31" }, done))
      assert.strictEqual(sheet.Header.ReportName, "BalanceSheet")
      assert.strictEqual(sheet.Header.EndPeriod, "2026-01-31")
      const income = yield* ask((done) => qb.reportProfitAndLoss({}, done))
      assert.strictEqual(income.Header.ReportName, "ProfitAndLoss")

      const unknown = yield* Effect.flip(
        ask((done) => qb.createCustomer(Object.assign({ DisplayName: "Nobody" }, { Colour: "red" }), done))
      )
      assert.strictEqual(unknown.response.data.Fault.Error[0].code, "2010")
      qb.token = "worthless"
      const refused = yield* Effect.flip(ask((done) => qb.findInvoices({ limit: 1 }, done)))
      assert.strictEqual(refused.response.status, 401)
    }))
})
