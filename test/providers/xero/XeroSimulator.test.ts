import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { accountId, amounts, cents, inCompany, type Json, line, messages, reportOf, sale, sumOf } from "./simulated.ts"
import { full } from "../../support/Full.ts"

describe("the simulated Xero", () => {
  full(it).effect("answers a replaced refresh token for half an hour, and opens to its tenant only", () =>
    inCompany(({ call, get, tenant, token, tokens }) =>
      Effect.gen(function* () {
        const form = `grant_type=refresh_token&refresh_token=${tokens.refreshToken}`
        assert.strictEqual((yield* token("/connect/token", form, "")).body.error, "invalid_client")
        const first = yield* token("/connect/token", form)
        assert.deepInclude(first.body, { token_type: "Bearer", expires_in: 1800 })
        assert.strictEqual((yield* token("/connect/token", form)).status, 200)
        const authorization = `Bearer ${first.body.access_token}`
        const [connection] = (yield* get("/connections", { authorization })).body
        assert.deepInclude(connection, {
          tenantId: tenant,
          tenantType: "ORGANISATION",
          tenantName: "Liffey Cycle Works"
        })

        const reply = yield* get("Organisation", { authorization })
        assert.strictEqual(reply.headers["x-minlimit-remaining"], "59")
        assert.strictEqual((yield* get("Organisation", { "xero-tenant-id": "" })).status, 403)
        assert.strictEqual(
          (yield* get("Organisation", { authorization: "Bearer worthless" })).body.Title,
          "Unauthorized"
        )
        assert.strictEqual((yield* get("Invoices/00000000-0000-0000-0000-000000000000")).status, 404)
        assert.strictEqual((yield* call("DELETE", "Organisation")).status, 405)
        yield* TestClock.adjust("31 minutes")
        assert.strictEqual((yield* get("Organisation", { authorization })).status, 401)
        assert.deepStrictEqual(yield* token("/connect/token", form), { status: 400, body: { error: "invalid_grant" } })
      })
    )
  )

  full(it).effect("leads to organisations of five regions, each with books of its own", () =>
    inCompany(({ call, get, list, tenant }) =>
      Effect.gen(function* () {
        const [first, second, ...others] = (yield* get("/connections")).body
        assert.strictEqual(first.tenantId, tenant)
        assert.strictEqual(second.tenantName, "Lagan Cycle Hire")
        const versions = yield* Effect.forEach([first, second, ...others], ({ tenantId }) =>
          Effect.map(get("Organisation", { "xero-tenant-id": tenantId }), ({ body }) => body.Organisations[0].Version)
        )
        assert.deepStrictEqual(versions, ["GLOBAL", "UK", "AU", "NZ", "US"])
        const there = { "xero-tenant-id": second.tenantId }
        const [organisation] = (yield* get("Organisation", there)).body.Organisations
        assert.deepInclude(organisation, { OrganisationID: second.tenantId, Name: "Lagan Cycle Hire" })
        const named = `Contacts?where=Name=="Babbage"`
        yield* call("PUT", "Contacts", { Name: "Babbage" }, there)
        assert.strictEqual((yield* get(named, there)).body.Contacts.length, 1)
        assert.strictEqual((yield* list(named)).length, 0)
        const [contact] = (yield* get(named, there)).body.Contacts
        assert.strictEqual((yield* get(`Contacts/${contact.ContactID}`)).status, 404)
        assert.strictEqual((yield* get(`Contacts/${contact.ContactID}`, there)).status, 200)
      })
    )
  )

  full(it).effect("lists by page, filter, order and time of change", () =>
    inCompany(({ get, list, save }) =>
      Effect.gen(function* () {
        const page = (yield* get("Contacts?page=2&pageSize=7&order=Name")).body
        const { itemCount } = page.pagination
        assert.deepStrictEqual(page.pagination, {
          page: 2,
          pageSize: 7,
          pageCount: Math.ceil(itemCount / 7),
          itemCount
        })
        const names = (yield* list("Contacts?order=Name")).map((one) => one.Name)
        assert.deepStrictEqual(
          page.Contacts.map((one: Json) => one.Name),
          names.slice(7, 14)
        )
        assert.deepStrictEqual(
          names,
          names.toSorted((a, b) => (a < b ? -1 : 1))
        )
        assert.deepStrictEqual((yield* get("Contacts?page=999")).body.Contacts, [])

        const ids = (yield* list("Contacts?order=Name")).map((one) => one.ContactID)
        const some = yield* list(`Contacts?page=1&pageSize=45&IDs=${ids.slice(0, 45).join(",")}`)
        assert.sameMembers(
          some.map((one) => one.ContactID),
          ids.slice(0, 45)
        )
        assert.strictEqual((yield* get(`Contacts?page=1&IDs=${ids.slice(0, 60).join(",")}`)).status, 404)

        const filtered = yield* list(
          'Invoices?page=1&pageSize=1000&where=Type=="ACCPAY" AND Date>=DateTime(2026, 06, 01) %26%26 (AmountDue>0 OR Status!="AUTHORISED")'
        )
        assert.isAbove(filtered.length, 3)
        assert.isTrue(filtered.every((one) => one.Type === "ACCPAY" && one.DateString >= "2026-06-01"))
        assert.isTrue(filtered.every((one) => one.AmountDue > 0 || one.Status !== "AUTHORISED"))
        const [first] = filtered
        const one = yield* list(`Invoices?where=InvoiceID==Guid("${first.InvoiceID}") AND Contact.Name.Contains("")`)
        assert.lengthOf(one, 1)
        assert.deepStrictEqual(one[0].LineItems, [], "lists without pages leave lines out")
        assert.lengthOf(
          yield* list(
            `Invoices?IDs=${filtered
              .slice(0, 3)
              .map(({ InvoiceID }) => InvoiceID)
              .join(",")}`
          ),
          3
        )

        const wrong = (path: string) => Effect.map(get(path), ({ body, status }) => [status, body.Type, body.Message])
        assert.deepStrictEqual(yield* wrong('Invoices?where=InvoiceID=="x"'), [
          400,
          "QueryParseException",
          "Operator '==' incompatible with operand types 'Guid' and 'string'"
        ])
        assert.strictEqual((yield* wrong("Invoices?order=Colour"))[1], "QueryParseException")
        assert.strictEqual((yield* wrong("Invoices?where=Type=="))[1], "QueryParseException")
        // text is compared as it is written, and a method fails on what a record has not
        const [{ Name }] = (yield* list("Contacts")).filter((one) => /[A-Z]/.test(one.Name))
        const lower = encodeURIComponent(Name.toLowerCase())
        assert.lengthOf(yield* list(`Contacts?where=Name=="${lower}"`), 0)
        assert.lengthOf(yield* list(`Contacts?where=Name.ToLower()=="${lower}"`), 1)
        assert.deepStrictEqual((yield* wrong('Contacts?where=TaxNumber.ToLower().StartsWith("x")')).slice(0, 2), [
          500,
          "UnknownErrorException"
        ])
        assert.lengthOf(yield* list('Contacts?where=TaxNumber!=null AND TaxNumber.ToLower().StartsWith("x")'), 0)
        assert.strictEqual((yield* wrong("Contacts?summaryOnly=true"))[0], 400)
        assert.strictEqual((yield* wrong("Contacts?page=1&pageSize=1001"))[0], 400)

        const now = { "if-modified-since": "2026-11-21T09:00:00" }
        assert.deepStrictEqual((yield* get("Contacts", now)).body.Contacts, [])
        yield* save("PUT", "Contacts", { Contacts: [{ Name: "Newest" }] })
        const changed = (yield* get("Contacts", now)).body.Contacts
        assert.deepStrictEqual(
          changed.map((contact: Json) => contact.Name),
          ["Newest"]
        )
      })
    )
  )

  it.effect("reckons lines, tax and totals", () =>
    inCompany(({ call, save }) =>
      Effect.gen(function* () {
        const total = (more: Json) =>
          Effect.map(save("PUT", "Invoices", { ...sale, ...more }), ({ SubTotal, Total, TotalTax }) => [
            SubTotal,
            TotalTax,
            Total
          ])
        assert.deepStrictEqual(yield* total({}), [100, 23, 123])
        assert.deepStrictEqual(yield* total({ LineAmountTypes: "Inclusive" }), [81.3, 18.7, 100])
        assert.deepStrictEqual(yield* total({ LineAmountTypes: "NoTax" }), [100, 0, 100])
        assert.deepStrictEqual(yield* total({ LineItems: [{ ...line, TaxAmount: 22.99 }] }), [100, 22.99, 122.99])
        assert.deepStrictEqual(yield* total({ LineItems: [{ ...line, DiscountRate: 12.5 }] }), [87.5, 20.13, 107.63])
        assert.deepStrictEqual(yield* total({ LineItems: [{ Description: "Only words" }, line] }), [100, 23, 123])

        const refused = (LineItems: Json, more: Json = {}) =>
          Effect.map(call("PUT", "Invoices", { ...sale, LineItems, ...more }), messages)
        assert.deepStrictEqual(yield* refused([{ ...line, LineAmount: 90 }]), [
          "The line total 90.00 does not match the expected line total 100.00"
        ])
        assert.deepStrictEqual(yield* refused([{ ...line, AccountCode: "610" }]), [
          "Account code '610' is not a valid code for this document."
        ])
        assert.deepStrictEqual(yield* refused([]), ["One or more line items must be specified"])
        assert.deepStrictEqual(yield* refused([{ Description: "x", UnitAmount: 1 }], { Status: "AUTHORISED" }), [
          "Account must be valid.",
          "Tax rate must be valid."
        ])
        assert.deepStrictEqual(yield* refused([{ ...line, DiscountRate: 5 }], { Type: "ACCPAY" }), [
          "Discounts are only supported on ACCREC invoices."
        ])
        assert.deepStrictEqual(yield* refused([line], { CurrencyCode: "CHF" }), [
          "Organisation is not subscribed to currency CHF"
        ])
        const unknown = yield* call("PUT", "Invoices", { ...sale, Colour: "red" })
        assert.match(unknown.body.Message, /^The element 'Colour' was not recognised/)

        const fine = { ...sale, LineItems: [{ ...line, Quantity: 100, UnitAmount: 0.1234 }] }
        assert.strictEqual((yield* save("PUT", "Invoices?unitdp=4", fine)).SubTotal, 12.34)
        assert.strictEqual((yield* save("PUT", "Invoices", fine)).SubTotal, 12)

        const item = { ...sale, LineItems: [{ ItemCode: "SV-FULL", Quantity: 2 }] }
        const [made] = (yield* save("PUT", "Invoices", item)).LineItems
        assert.deepInclude(made, { UnitAmount: 129, AccountCode: "210", TaxType: "TAX001", TaxAmount: 34.83 })
      })
    )
  )

  it.effect("replaces lines, but for those that are named", () =>
    inCompany(({ save }) =>
      Effect.gen(function* () {
        const made = yield* save("PUT", "Invoices", { ...sale, LineItems: [line, { ...line, Description: "More" }] })
        const [, second] = made.LineItems
        const LineItems = [
          { LineItemID: second.LineItemID, Quantity: 3 },
          { ...line, UnitAmount: 1 }
        ]
        const changed = yield* save("POST", `Invoices/${made.InvoiceID}`, { LineItems })
        assert.deepInclude(changed.LineItems[0], {
          LineItemID: second.LineItemID,
          Description: "More",
          LineAmount: 150
        })
        assert.lengthOf(changed.LineItems, 2)
        assert.strictEqual(changed.SubTotal, 152)
        const inclusive = yield* save("POST", `Invoices/${made.InvoiceID}`, { LineAmountTypes: "Inclusive" })
        assert.strictEqual(inclusive.Total, 152)
        const kept = yield* save("POST", `Invoices/${made.InvoiceID}`, { Reference: "Order 1" })
        assert.deepStrictEqual(kept.LineItems, inclusive.LineItems)
      })
    )
  )

  it.effect("writes all of a body or none of it, unless it is asked to tell of each", () =>
    inCompany(({ call, list }) =>
      Effect.gen(function* () {
        const body = { Contacts: [{ Name: "Good" }, { EmailAddress: "bad" }] }
        assert.deepStrictEqual(messages(yield* call("PUT", "Contacts", body)), [
          "Contact Name cannot be empty.",
          "Email address must be valid."
        ])
        assert.lengthOf(yield* list('Contacts?where=Name=="Good"'), 0)
        const each = yield* call("PUT", "Contacts?summarizeErrors=false", body)
        assert.strictEqual(each.status, 200)
        assert.deepStrictEqual(
          each.body.Contacts.map((one: Json) => one.StatusAttributeString),
          ["OK", "ERROR"]
        )
        assert.lengthOf(yield* list('Contacts?where=Name=="Good"'), 1)

        const key = { "idempotency-key": "k-1" }
        const first = yield* call("PUT", "Contacts", { Name: "Once" }, key)
        const second = yield* call("PUT", "Contacts", { Name: "Once" }, key)
        assert.deepStrictEqual(second.body, first.body)
        assert.strictEqual((yield* call("PUT", "Contacts", { Name: "Twice" }, key)).status, 400)
        assert.strictEqual((yield* call("PUT", "Contacts", { Contacts: [] })).body.Type, "NoDataProcessedException")
      })
    )
  )

  it.effect("keeps contacts' addresses by type, and their names apart while they are active", () =>
    inCompany(({ call, list, save }) =>
      Effect.gen(function* () {
        const Addresses = [{ AddressType: "POBOX", AddressLine1: "1 Quay", City: "Cork" }]
        const made = yield* save("PUT", "Contacts", { Name: "Grace", EmailAddress: "g@h.example", Addresses })
        const changed = yield* save("POST", `Contacts/${made.ContactID}`, {
          EmailAddress: "",
          Addresses: [{ AddressType: "STREET", City: "Cobh" }],
          Phones: [{ PhoneType: "MOBILE", PhoneNumber: "87" }]
        })
        assert.strictEqual(changed.EmailAddress, "")
        assert.deepStrictEqual(
          changed.Addresses.map(({ AddressType, City }: Json) => [AddressType, City]),
          [
            ["STREET", "Cobh"],
            ["POBOX", "Cork"]
          ]
        )
        assert.strictEqual(changed.Phones.find((one: Json) => one.PhoneType === "MOBILE").PhoneNumber, "87")
        assert.strictEqual((yield* call("PUT", "Contacts", { Name: "GRACE" })).status, 400)
        yield* save("POST", `Contacts/${made.ContactID}`, { ContactStatus: "ARCHIVED" })
        yield* save("PUT", "Contacts", { Name: "Grace" })
        assert.lengthOf(yield* list('Contacts?where=Name=="Grace"'), 1)
        assert.lengthOf(yield* list('Contacts?includeArchived=true&where=Name=="Grace"'), 2)
        const long = yield* call("PUT", "Contacts", { Name: "x".repeat(256) })
        assert.deepStrictEqual(messages(long), ["The length of Name must not exceed 255 characters."])
        assert.deepStrictEqual(
          messages(yield* call("PUT", "Invoices", { ...sale, Contact: { ContactID: made.ContactID } })),
          ["The contact is archived and cannot be used in transactions."]
        )
      })
    )
  )

  it.effect("has tax rates of its own beside those of the system, and two tracking categories", () =>
    inCompany(({ call, get, list, save }) =>
      Effect.gen(function* () {
        const TaxComponents = [
          { Name: "State", Rate: 10 },
          { Name: "City", Rate: 5, IsCompound: true }
        ]
        const rate = yield* save("PUT", "TaxRates", { TaxRates: [{ Name: "Both", TaxComponents }] })
        assert.deepInclude(rate, { TaxType: "TAX004", EffectiveRate: 15.5, Status: "ACTIVE" })
        assert.strictEqual((yield* get("TaxRates/TAX004")).body.TaxRates[0].Name, "Both")
        yield* save("POST", "TaxRates", { Name: "Both", Status: "DELETED" })
        assert.notInclude(
          (yield* list("TaxRates")).map((one) => one.Name),
          "Both"
        )
        assert.deepStrictEqual(messages(yield* call("POST", "TaxRates", { TaxType: "NONE", Name: "Nil" })), [
          "System tax rates cannot be updated."
        ])

        const [department] = yield* list('TrackingCategories?where=Name=="Department"')
        const options = `TrackingCategories/${department.TrackingCategoryID}/Options`
        const option = (yield* call("PUT", options, { Name: "Museum" })).body.Options[0]
        const Tracking = [
          { TrackingCategoryID: department.TrackingCategoryID, TrackingOptionID: option.TrackingOptionID }
        ]
        const made = yield* save("PUT", "Invoices", {
          ...sale,
          Status: "AUTHORISED",
          LineItems: [{ ...line, Tracking }]
        })
        assert.deepStrictEqual(made.LineItems[0].Tracking, [{ Name: "Department", Option: "Museum", ...Tracking[0] }])
        assert.strictEqual((yield* call("DELETE", `${options}/${option.TrackingOptionID}`)).status, 400)
        const spare = (yield* call("PUT", options, { Name: "Spare" })).body.Options[0]
        assert.isTrue((yield* call("DELETE", `${options}/${spare.TrackingOptionID}`)).body.Options[0].IsDeleted)
        const unknown = [{ Name: "Department", Option: "Nowhere" }]
        assert.strictEqual(
          (yield* call("PUT", "Invoices", { ...sale, LineItems: [{ ...line, Tracking: unknown }] })).status,
          400
        )
      })
    )
  )

  it.effect("spends, receives, is paid ahead and moves money between banks", () =>
    inCompany((xero) =>
      Effect.gen(function* () {
        const { call, get, save } = xero
        const [bank, savings] = [yield* accountId(xero, "090"), yield* accountId(xero, "091")]
        const before = amounts(yield* reportOf(xero, "BalanceSheet"))
        const BankAccount = { AccountID: bank }
        const fuel = { Description: "Fuel", UnitAmount: 61.5, AccountCode: "493" }
        const spent = {
          Type: "SPEND",
          BankAccount,
          Contact: { Name: "Pump" },
          LineAmountTypes: "Inclusive",
          LineItems: [fuel]
        }
        const made = yield* save("PUT", "BankTransactions", { BankTransactions: [spent] })
        assert.deepInclude(made, {
          SubTotal: 50,
          TotalTax: 11.5,
          Total: 61.5,
          Status: "AUTHORISED",
          CurrencyCode: "EUR"
        })
        const alter = (body: object) => call("POST", `BankTransactions/${made.BankTransactionID}`, body)
        assert.deepStrictEqual(messages(yield* alter({ IsReconciled: true })), [
          "BankAccount must be specified.",
          "LineItems must be specified.",
          "Type must be specified."
        ])
        const LineItems = [{ LineItemID: made.LineItems[0].LineItemID }]
        const kept = { Type: "SPEND", BankAccount, LineItems }
        assert.match(messages(yield* alter({ ...kept, Date: "2016-03-31" }))[0] ?? "", /lock date, .* 31-Mar-2016$/)
        const whole = { ...kept, IsReconciled: true }
        assert.strictEqual((yield* save("POST", `BankTransactions/${made.BankTransactionID}`, whole)).Total, 61.5)
        assert.match(
          messages(yield* call("POST", `BankTransactions/${made.BankTransactionID}`, { Status: "DELETED" }))[0] ?? "",
          /reconciled/
        )

        const twice = { Description: "Twice", UnitAmount: 40, AccountCode: "610", TaxType: "NONE" }
        const over = { ...spent, Type: "RECEIVE-OVERPAYMENT", Contact: { Name: "Ada" }, LineItems: [twice] }
        const { OverpaymentID } = yield* save("PUT", "BankTransactions", over)
        const { InvoiceID } = yield* save("PUT", "Invoices", { ...sale, Status: "AUTHORISED" })
        const allocated = yield* call("PUT", `Overpayments/${OverpaymentID}/Allocations`, {
          Allocations: [{ Invoice: { InvoiceID }, Amount: 40, Date: "2026-11-21" }]
        })
        assert.strictEqual(allocated.status, 200, JSON.stringify(allocated.body))
        assert.strictEqual((yield* get(`Overpayments/${OverpaymentID}`)).body.Overpayments[0].Status, "PAID")
        const invoice = (yield* get(`Invoices/${InvoiceID}`)).body.Invoices[0]
        assert.deepInclude(invoice, { AmountCredited: 40, AmountDue: 83 })
        assert.strictEqual(invoice.Overpayments[0].OverpaymentID, OverpaymentID)

        const transfer = { FromBankAccount: BankAccount, ToBankAccount: { AccountID: savings }, Amount: 25 }
        const moved = yield* save("PUT", "BankTransfers", { BankTransfers: [transfer] })
        const half = (yield* get(`BankTransactions/${moved.ToBankTransactionID}`)).body.BankTransactions[0]
        assert.deepInclude(half, { Type: "RECEIVE-TRANSFER", Total: 25 })
        const after = amounts(yield* reportOf(xero, "BalanceSheet"))
        const change = (name: string) => sumOf([after[name] ?? 0, -(before[name] ?? 0)])
        assert.strictEqual(change("Business Current Account"), -6150 + 4000 - 2500)
        assert.strictEqual(change("Business Savings Account"), 2500)
        assert.strictEqual(change("Accounts Receivable"), 12300 - 4000)
        yield* save("POST", `BankTransfers/${moved.BankTransferID}`, { Status: "DELETED" })
        const back = amounts(yield* reportOf(xero, "BalanceSheet"))
        assert.strictEqual(cents(back["Business Savings Account"] ?? 0), cents(before["Business Savings Account"] ?? 1))
      })
    )
  )

  it.effect("has projects, bank feeds and bank statements", () =>
    inCompany((xero) =>
      Effect.gen(function* () {
        const { call, get, list } = xero
        const [contact] = yield* list("Contacts")
        const projects = "/projects.xro/2.0/Projects"
        const made = yield* call("POST", projects, { contactId: contact.ContactID, name: "Tandem", estimateAmount: 99 })
        assert.strictEqual(made.status, 201)
        const project = `${projects}/${made.body.projectId}`
        assert.strictEqual((yield* call("PUT", project, { name: "Triplet" })).status, 204)
        assert.strictEqual((yield* call("PATCH", project, { status: "CLOSED" })).status, 204)
        assert.deepInclude((yield* get(project)).body, {
          name: "Triplet",
          status: "CLOSED",
          contactId: contact.ContactID
        })
        assert.strictEqual((yield* get(`${projects}?states=INPROGRESS&pageSize=2`)).body.pagination.itemCount, 6)
        assert.strictEqual((yield* call("POST", projects, { name: "Nobody's" })).status, 400)

        const feeds = "/bankfeeds.xro/1.0"
        const [feed] = (yield* get(`${feeds}/FeedConnections`)).body.items
        const bank = yield* accountId(xero, "090")
        assert.strictEqual(feed.accountId, bank)
        const known = (yield* get(`${feeds}/Statements?pageSize=1000`)).body.items
        assert.isAbove(known.length, 12)
        const statement = {
          feedConnectionId: feed.id,
          startDate: "2026-11-20",
          endDate: "2026-11-20",
          startBalance: { amount: 100, creditDebitIndicator: "CREDIT" },
          endBalance: { amount: 88, creditDebitIndicator: "CREDIT" },
          statementLines: [{ postedDate: "2026-11-20", description: "Tea", amount: 12, creditDebitIndicator: "DEBIT" }]
        }
        const off = { ...statement, endBalance: { amount: 90, creditDebitIndicator: "CREDIT" } }
        assert.strictEqual((yield* call("POST", `${feeds}/Statements`, { items: [off] })).status, 422)
        assert.strictEqual((yield* call("POST", `${feeds}/Statements`, { items: [statement] })).status, 202)
        assert.strictEqual((yield* call("POST", `${feeds}/Statements`, { items: [statement] })).status, 409)

        const path = `/finance.xro/1.0/BankStatementsPlus/statements?BankAccountID=${bank}`
        const plus = (yield* get(`${path}&FromDate=2025-12-01&ToDate=2026-11-20`)).body
        const lines = plus.statements.flatMap((one: Json) => one.statementLines)
        const tea = lines.find((one: Json) => one.notes === "Tea")
        assert.deepInclude(tea, { amount: 12, type: "Debit", isReconciled: false })
        const reconciled = lines.filter((one: Json) => one.isReconciled)
        assert.isAbove(reconciled.length, 100)
        assert.isTrue(reconciled.some((one: Json) => one.payments.length === 1))
        assert.isTrue(reconciled.some((one: Json) => one.bankTransactions.length === 1))
        assert.strictEqual((yield* get(`${path}&FromDate=2024-01-01&ToDate=2026-01-01`)).status, 400)
      })
    )
  )
})
