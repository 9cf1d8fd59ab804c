import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { createRequire } from "node:module"
import type * as Library from "xero-node"
import { simulator } from "../../../src/providers/xero/simulator/XeroSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// Xero's own client library judges the simulator.

const {
  Account,
  CreditNote,
  Invoice,
  LineAmountTypes,
  ManualJournal,
  Payment,
  XeroClient,
  AccountType,
  Contact
}: typeof Library = createRequire(import.meta.url)("xero-node")

/** Answers, read as a client without types reads them. */
type Json = ReturnType<typeof JSON.parse>

const organisation = Effect.gen(function* () {
  const { accessToken, url } = yield* onPort(simulator)
  const xero = new XeroClient({ clientId: "id", clientSecret: "secret" })
  xero.accountingApi.basePath = `${url}/api.xro/2.0`
  xero.bankFeedsApi.basePath = `${url}/bankfeeds.xro/1.0`
  xero.filesApi.basePath = `${url}/files.xro/1.0`
  xero.financeApi.basePath = `${url}/finance.xro/1.0`
  xero.projectApi.basePath = `${url}/projects.xro/2.0`
  xero.setTokenSet({ access_token: accessToken })
  // the library's address of connections cannot be changed
  const connections: Json = yield* Effect.promise(() =>
    fetch(`${url}/connections`, { headers: { authorization: `Bearer ${accessToken}` } }).then((reply) => reply.json())
  )
  const { bankFeedsApi: bankFeeds, filesApi: files, financeApi: finance, projectApi: projects } = xero
  return { api: xero.accountingApi, bankFeeds, files, finance, projects, tenant: String(connections[0].tenantId) }
})

type Organisation = Effect.Effect.Success<typeof organisation>

const test = (name: string, use: (organisation: Organisation) => Effect.Effect<void, Json, Scope.Scope>) =>
  it.scopedLive(name, () => Effect.flatMap(organisation, use), 30_000)

/** A call of the library: what it answers, or the body of what it throws, which is text. */
const ask = (call: () => Promise<{ readonly body?: Json }>) =>
  Effect.map(
    Effect.tryPromise({
      try: call,
      catch: (thrown): Json => (typeof thrown === "string" ? JSON.parse(thrown).response : thrown)
    }),
    ({ body }): Json => body
  )

const refused = (error: Json, message: RegExp) => {
  assert.strictEqual(error.statusCode, 400)
  assert.match(error.body.Elements[0].ValidationErrors[0].Message, message)
}

describe("xero-node", () => {
  test("keeps contacts", ({ api, tenant }) =>
    Effect.gen(function* () {
      const contact = { name: "Babbage & Sons", emailAddress: "babbage@engines.example" }
      const made = (yield* ask(() => api.createContacts(tenant, { contacts: [contact] }))).contacts[0]
      assert.deepInclude(made, { ...contact, contactStatus: "ACTIVE", isCustomer: false })
      refused(
        yield* Effect.flip(ask(() => api.createContacts(tenant, { contacts: [contact] }))),
        /already assigned to another contact/
      )
      yield* ask(() => api.updateContact(tenant, made.contactID, { contacts: [{ firstName: "Charles" }] }))
      const read = (yield* ask(() => api.getContact(tenant, made.contactID))).contacts[0]
      assert.deepInclude(read, { ...contact, firstName: "Charles" })

      const seen: Array<string> = []
      for (let page = 1, pages = 1; page <= pages; page++) {
        const body = yield* ask(() =>
          api.getContacts(
            tenant,
            undefined,
            undefined,
            "ContactID ASC",
            undefined,
            page,
            false,
            undefined,
            undefined,
            37
          )
        )
        pages = body.pagination.pageCount
        seen.push(...body.contacts.map((one: Json) => one.contactID))
      }
      assert.strictEqual(new Set(seen).size, seen.length)
      assert.isAbove(seen.length, 250)
      assert.include(seen, made.contactID)

      const archived = { contactStatus: Contact.ContactStatusEnum.ARCHIVED }
      yield* ask(() => api.updateContact(tenant, made.contactID, { contacts: [archived] }))
      const active = yield* ask(() => api.getContacts(tenant, undefined, 'Name=="Babbage & Sons"'))
      assert.deepStrictEqual(active.contacts, [])
    }))

  test("keeps accounts and items", ({ api, tenant }) =>
    Effect.gen(function* () {
      const account = { code: "299", name: "Brass", type: AccountType.REVENUE }
      const made = (yield* ask(() => api.createAccount(tenant, account))).accounts[0]
      assert.deepInclude(made, { ...account, status: "ACTIVE", _class: "REVENUE" })
      yield* ask(() => api.updateAccount(tenant, made.accountID, { accounts: [{ name: "Brass and steel" }] }))
      assert.strictEqual((yield* ask(() => api.getAccount(tenant, made.accountID))).accounts[0].name, "Brass and steel")
      const revenue = (yield* ask(() => api.getAccounts(tenant, undefined, 'Type=="REVENUE"', "Code DESC"))).accounts
      assert.deepStrictEqual(
        revenue.map((one: Json) => one.code),
        ["299", "260", "220", "210", "200"]
      )

      const item = { code: "COG", name: "Cogwheel", salesDetails: { unitPrice: 12.5, accountCode: "299" } }
      const cog = (yield* ask(() => api.createItems(tenant, { items: [item] }))).items[0]
      assert.deepInclude(cog, { code: "COG", name: "Cogwheel", isTrackedAsInventory: false })
      yield* ask(() => api.updateItem(tenant, cog.itemID, { items: [{ code: "COG", description: "Of brass" }] }))
      assert.strictEqual((yield* ask(() => api.getItem(tenant, cog.itemID))).items[0].description, "Of brass")
      assert.isAbove((yield* ask(() => api.getItems(tenant))).items.length, 20)
      yield* ask(() => api.deleteItem(tenant, cog.itemID))
      assert.strictEqual((yield* Effect.flip(ask(() => api.getItem(tenant, cog.itemID)))).statusCode, 404)

      yield* ask(() =>
        api.updateAccount(tenant, made.accountID, { accounts: [{ status: Account.StatusEnum.ARCHIVED }] })
      )
      assert.strictEqual((yield* ask(() => api.deleteAccount(tenant, made.accountID))).accounts[0].status, "DELETED")
      const [sales] = (yield* ask(() => api.getAccounts(tenant, undefined, 'Code=="200"'))).accounts
      refused(yield* Effect.flip(ask(() => api.deleteAccount(tenant, sales.accountID))), /used in transactions/)
    }))

  test("keeps invoices, payments and credit notes", ({ api, tenant }) =>
    Effect.gen(function* () {
      const body = {
        type: Invoice.TypeEnum.ACCREC,
        contact: { name: "Lovelace Ltd" },
        lineItems: [{ description: "Analysis", quantity: 3, unitAmount: 40, accountCode: "260", taxType: "OUTPUT" }],
        status: Invoice.StatusEnum.AUTHORISED,
        date: "2026-11-02",
        dueDate: "2026-12-02"
      }
      const made = (yield* ask(() => api.createInvoices(tenant, { invoices: [body] }))).invoices[0]
      assert.deepInclude(made, { subTotal: 120, totalTax: 27.6, total: 147.6, amountDue: 147.6, status: "AUTHORISED" })
      assert.match(made.invoiceNumber, /^INV-\d{4}$/)
      assert.strictEqual(JSON.stringify(made.date), '"2026-11-02T00:00:00.000Z"')
      yield* ask(() => api.updateInvoice(tenant, made.invoiceID, { invoices: [{ reference: "Engine 2" }] }))

      const [bank] = (yield* ask(() => api.getAccounts(tenant, undefined, 'Code=="090"'))).accounts
      const payment = {
        invoice: { invoiceID: made.invoiceID },
        account: { accountID: bank.accountID },
        amount: 100,
        date: "2026-11-10"
      }
      const paid = (yield* ask(() => api.createPayment(tenant, payment))).payments[0]
      assert.deepInclude(paid, { amount: 100, paymentType: "ACCRECPAYMENT", status: "AUTHORISED" })
      refused(yield* Effect.flip(ask(() => api.createPayments(tenant, { payments: [payment] }))), /exceeds the amount/)

      const credit = {
        type: CreditNote.TypeEnum.ACCRECCREDIT,
        contact: { contactID: made.contact.contactID },
        lineItems: [{ description: "Goodwill", unitAmount: 47.6, accountCode: "260", taxType: "NONE" }],
        status: CreditNote.StatusEnum.AUTHORISED
      }
      const note = (yield* ask(() => api.createCreditNotes(tenant, { creditNotes: [credit] }))).creditNotes[0]
      assert.strictEqual(note.remainingCredit, 47.6)
      yield* ask(() =>
        api.createCreditNoteAllocation(tenant, note.creditNoteID, {
          allocations: [{ invoice: { invoiceID: made.invoiceID }, amount: 47.6, date: "2026-11-12" }]
        })
      )
      const settled = (yield* ask(() => api.getInvoice(tenant, made.invoiceID))).invoices[0]
      assert.deepInclude(settled, { status: "PAID", amountDue: 0, amountPaid: 100, amountCredited: 47.6 })
      assert.strictEqual(settled.reference, "Engine 2")
      assert.strictEqual(settled.payments[0].paymentID, paid.paymentID)
      assert.strictEqual(settled.creditNotes[0].creditNoteID, note.creditNoteID)
      const used = (yield* ask(() => api.getCreditNote(tenant, note.creditNoteID))).creditNotes[0]
      assert.deepInclude(used, { status: "PAID", remainingCredit: 0 })

      const voided = { status: Invoice.StatusEnum.VOIDED }
      refused(
        yield* Effect.flip(ask(() => api.updateInvoice(tenant, made.invoiceID, { invoices: [voided] }))),
        /payment or credit note allocated/
      )
      yield* ask(() => api.deleteCreditNoteAllocations(tenant, note.creditNoteID, used.allocations[0].allocationID))
      yield* ask(() => api.deletePayment(tenant, paid.paymentID, { status: "DELETED" }))
      assert.strictEqual((yield* ask(() => api.getPayment(tenant, paid.paymentID))).payments[0].status, "DELETED")
      yield* ask(() => api.updateInvoice(tenant, made.invoiceID, { invoices: [voided] }))
      yield* ask(() =>
        api.updateCreditNote(tenant, note.creditNoteID, { creditNotes: [{ status: CreditNote.StatusEnum.VOIDED }] })
      )
      const ended = (yield* ask(() => api.getInvoice(tenant, made.invoiceID))).invoices[0]
      assert.deepInclude(ended, { status: "VOIDED", amountDue: 0 })

      const all = yield* ask(() =>
        api.getInvoices(
          tenant,
          undefined,
          'Type=="ACCREC"',
          "Date DESC",
          undefined,
          undefined,
          undefined,
          ["VOIDED"],
          1
        )
      )
      assert.strictEqual(all.invoices[0].invoiceID, made.invoiceID)
      assert.isTrue(all.invoices.every((one: Json) => one.status === "VOIDED" && one.lineItems.length > 0))
      const payments = yield* ask(() =>
        api.getPayments(tenant, undefined, `Invoice.InvoiceID==Guid("${made.invoiceID}")`)
      )
      assert.lengthOf(payments.payments, 1)
      assert.isAbove((yield* ask(() => api.getCreditNotes(tenant))).creditNotes.length, 10)
      assert.strictEqual(Payment.StatusEnum.DELETED, payments.payments[0].status)
    }))

  test("keeps manual journals", ({ api, tenant }) =>
    Effect.gen(function* () {
      const lines = (amount: number, back: number) => [
        { lineAmount: amount, accountCode: "429", description: "Petty things" },
        { lineAmount: -back, accountCode: "850" }
      ]
      const journal = { narration: "Correction", date: "2026-11-03", journalLines: lines(15, 15) }
      const post = { ...journal, status: ManualJournal.StatusEnum.POSTED, lineAmountTypes: LineAmountTypes.NoTax }
      const made = (yield* ask(() => api.createManualJournals(tenant, { manualJournals: [post] }))).manualJournals[0]
      assert.deepInclude(made, { narration: "Correction", status: "POSTED" })
      refused(
        yield* Effect.flip(
          ask(() => api.createManualJournals(tenant, { manualJournals: [{ ...post, journalLines: lines(15, 10) }] }))
        ),
        /The total debits \(15\.00\) must equal total credits \(-10\.00\)/
      )
      yield* ask(() =>
        api.updateManualJournal(tenant, made.manualJournalID, { manualJournals: [{ narration: "Corrected" }] })
      )
      const read = (yield* ask(() => api.getManualJournal(tenant, made.manualJournalID))).manualJournals[0]
      assert.strictEqual(read.narration, "Corrected")
      assert.deepStrictEqual(
        read.journalLines.map((line: Json) => line.lineAmount),
        [15, -15]
      )
      const all = (yield* ask(() => api.getManualJournals(tenant, undefined, undefined, undefined, 1, 500)))
        .manualJournals
      assert.include(
        all.map((one: Json) => one.manualJournalID),
        made.manualJournalID
      )
      yield* ask(() =>
        api.updateManualJournal(tenant, made.manualJournalID, {
          manualJournals: [{ narration: "Corrected", status: ManualJournal.StatusEnum.VOIDED }]
        })
      )
      const ended = (yield* ask(() => api.getManualJournal(tenant, made.manualJournalID))).manualJournals[0]
      assert.strictEqual(ended.status, "VOIDED")
    }))

  test("reads the organisation, tracking categories, attachments and reports", ({ api, tenant }) =>
    Effect.gen(function* () {
      const [company] = (yield* ask(() => api.getOrganisations(tenant))).organisations
      assert.deepInclude(company, { name: "Liffey Cycle Works", baseCurrency: "EUR", financialYearEndMonth: 3 })
      assert.strictEqual(company.organisationID, tenant)

      const categories = (yield* ask(() => api.getTrackingCategories(tenant))).trackingCategories
      assert.deepStrictEqual(categories.map((one: Json) => one.name).toSorted(), ["Department", "Region"])
      const third = yield* Effect.flip(ask(() => api.createTrackingCategory(tenant, { name: "Fleet" })))
      refused(third, /maximum number of active tracking categories/)
      const [category] = categories
      const made = yield* ask(() =>
        api.createTrackingOptions(tenant, category.trackingCategoryID, { name: "Leinster" })
      )
      assert.deepInclude(made.options[0], { name: "Leinster", status: "ACTIVE" })

      const [invoice] = (yield* ask(() =>
        api.getInvoices(tenant, undefined, undefined, undefined, undefined, undefined, undefined, ["DRAFT"])
      )).invoices
      const file = Buffer.from("plan of an engine")
      yield* ask(() => api.createInvoiceAttachmentByFileName(tenant, invoice.invoiceID, "plan.txt", file))
      const attached = (yield* ask(() => api.getInvoiceAttachments(tenant, invoice.invoiceID))).attachments
      assert.deepInclude(
        attached.find((one: Json) => one.fileName === "plan.txt"),
        { contentLength: file.length }
      )
      const content = yield* ask(() =>
        api.getInvoiceAttachmentByFileName(tenant, invoice.invoiceID, "plan.txt", "text/plain")
      )
      assert.strictEqual(String(content), "plan of an engine")

      const [sheet] = (yield* ask(() => api.getReportBalanceSheet(tenant, "2026-10-31"))).reports
      assert.deepStrictEqual(sheet.reportTitles, ["Balance Sheet", "Liffey Cycle Works", "As at 31 October 2026"])
      assert.strictEqual(sheet.rows[0].rowType, "Header")
      const [income] = (yield* ask(() => api.getReportProfitAndLoss(tenant, "2026-04-01", "2026-10-31"))).reports
      assert.strictEqual(income.rows.at(-1).rows[0].cells[0].value, "Net Profit")
    }))

  test("keeps the files of the library, and what they hang on", ({ api, files, tenant }) =>
    Effect.gen(function* () {
      const [invoice] = (yield* ask(() => api.getInvoices(tenant))).invoices
      const [contact] = (yield* ask(() => api.getContacts(tenant))).contacts
      const plan = Buffer.from("plan of an engine")
      const made = yield* ask(() => api.createInvoiceAttachmentByFileName(tenant, invoice.invoiceID, "plan.txt", plan))
      const id = made.attachments[0].attachmentID
      const on = (object: string) => ask(() => files.getAssociationsByObject(tenant, object, 100))
      const [held] = (yield* on(invoice.invoiceID)).filter((one: Json) => one.fileId === id)
      assert.deepInclude(held, { objectId: invoice.invoiceID, objectGroup: "Invoice", name: "plan.txt", size: 17 })

      // the library's names of groups are no texts
      const link: Json = { objectId: contact.contactID, objectGroup: "Contact" }
      yield* ask(() => files.createFileAssociation(tenant, id, link))
      assert.deepStrictEqual(
        (yield* ask(() => files.getFileAssociations(tenant, id))).map((one: Json) => one.objectGroup).toSorted(),
        ["Contact", "Invoice"]
      )
      const renamed = yield* ask(() => files.updateFile(tenant, id, { name: "drawing.txt" }))
      assert.deepInclude(renamed, { id, name: "drawing.txt", mimeType: made.attachments[0].mimeType, size: 17 })
      const wrong = yield* Effect.flip(ask(() => files.updateFile(tenant, id, { name: "FooBar" })))
      assert.deepInclude(wrong.body[0], { type: "Rename", detail: `Unable to rename ${id} to FooBar` })

      assert.strictEqual((yield* Effect.flip(ask(() => files.deleteFile(tenant, id)))).statusCode, 400)
      yield* ask(() => files.deleteFileAssociation(tenant, id, contact.contactID))
      assert.isUndefined((yield* on(contact.contactID)).find((one: Json) => one.fileId === id))
      yield* ask(() => files.deleteFileAssociation(tenant, id, invoice.invoiceID))
      yield* ask(() => files.deleteFile(tenant, id))
      assert.strictEqual((yield* Effect.flip(ask(() => files.getFile(tenant, id)))).statusCode, 404)
    }))

  test("reads bank feeds, bank statements, cash flow and projects", ({ bankFeeds, finance, projects, tenant }) =>
    Effect.gen(function* () {
      const feeds = yield* ask(() => bankFeeds.getFeedConnections(tenant, 1, 10))
      assert.strictEqual(feeds.pagination.itemCount, 2)
      const [feed] = feeds.items
      assert.deepInclude(feed, { accountName: "Business Current Account", accountType: "BANK", currency: "EUR" })
      assert.deepInclude(yield* ask(() => bankFeeds.getFeedConnection(tenant, feed.id)), { id: feed.id })

      const end = new Date().toISOString().slice(0, 10)
      const start = new Date(Date.now() - 90 * 86_400_000).toISOString().slice(0, 10)
      const plus = yield* ask(() => finance.getBankStatementAccounting(tenant, feed.accountId, start, end, true))
      assert.strictEqual(plus.bankAccountId, feed.accountId)
      const lines = plus.statements.flatMap((one: Json) => one.statementLines)
      assert.isAbove(lines.length, 5)
      assert.isTrue(lines.every((line: Json) => line.amount > 0 && ["Credit", "Debit"].includes(line.type)))

      const flow = yield* ask(() => finance.getFinancialStatementCashflow(tenant, start, end))
      const { closingCashBalance, netCashMovement, openingCashBalance } = flow.cashBalance
      const total = flow.cashflowActivities.reduce((sum: number, one: Json) => sum + one.total, 0)
      assert.closeTo(closingCashBalance - openingCashBalance, netCashMovement, 0.001)
      assert.closeTo(total, netCashMovement, 0.001)

      const { items } = yield* ask(() => projects.getProjects(tenant))
      assert.isAbove(items.length, 3)
    }))

  test("is told when it may not", ({ api, tenant }) =>
    Effect.gen(function* () {
      const elsewhere = yield* Effect.flip(ask(() => api.getInvoices("00000000-0000-0000-0000-000000000000")))
      assert.strictEqual(elsewhere.statusCode, 403)
      assert.strictEqual(elsewhere.body.Detail, "AuthenticationUnsuccessful")
      const filter = yield* Effect.flip(ask(() => api.getInvoices(tenant, undefined, 'Colour=="red"')))
      assert.strictEqual(filter.body.Message, "No property or field 'Colour' exists in type 'Invoice'")
      api.accessToken = "worthless"
      assert.strictEqual((yield* Effect.flip(ask(() => api.getInvoices(tenant)))).statusCode, 401)
    }))
})
