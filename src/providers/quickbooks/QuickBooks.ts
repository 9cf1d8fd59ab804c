import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { bearer, identify, type OAuth2 } from "../base/Authorization.ts"
import { joining } from "../base/Bulk.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import type { Following } from "../Following.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { account } from "./Account.ts"
import { accountingPeriod } from "./AccountingPeriod.ts"
import { address } from "./Address.ts"
import { attachment } from "./Attachment.ts"
import { makeBatches } from "./Batches.ts"
import { makeBooks } from "./Books.ts"
import { bulksOf } from "./Bulks.ts"
import { companyInfo } from "./CompanyInfo.ts"
import { contact } from "./Contact.ts"
import { creditNote } from "./CreditNote.ts"
import { customFields } from "./CustomFields.ts"
import { makeEditions, plus } from "./Editions.ts"
import { doubts } from "./Doubts.ts"
import { employee } from "./Employee.ts"
import { expense } from "./Expense.ts"
import { generalLedgerTransaction } from "./GeneralLedger.ts"
import { invoice } from "./Invoice.ts"
import { item } from "./Item.ts"
import { journalEntry } from "./JournalEntry.ts"
import { held } from "./Offering.ts"
import { payment } from "./Payment.ts"
import { paymentMethod } from "./PaymentMethod.ts"
import { paymentTerm } from "./PaymentTerm.ts"
import { phoneNumber } from "./PhoneNumber.ts"
import { project } from "./Project.ts"
import { purchaseOrder } from "./PurchaseOrder.ts"
import { push } from "./Push.ts"
import { readError } from "./ReadError.ts"
import { balanceSheet, cashFlowStatement, incomeStatement } from "./Reports.ts"
import { taxRate } from "./TaxRate.ts"
import { trackingCategory } from "./TrackingCategory.ts"
import { transaction } from "./Transaction.ts"
import { vendorCredit } from "./VendorCredit.ts"

const baseUrl = "https://quickbooks.api.intuit.com"

/**
 * Authorization code flow; the redirect back names the company (`realmId`). A refresh may answer a new refresh token.
 * https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://appcenter.intuit.com/connect/oauth2",
  tokenUrl: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
  revokeUrl: "https://developer.api.intuit.com/v2/oauth2/tokens/revoke",
  // 100 days after its last use, and five years after consent: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/faq
  refreshEnd: { told: "x_refresh_token_expires_in", after: 100 * 24 * 3600, isRenewed: true },
  // replaced once a day, and the one before is good for a day more
  rotation: {
    onReuse: "answers",
    graceSeconds: 24 * 3600,
    source: "https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/faq"
  },
  tokenRefusals: {
    answers: [
      { code: "invalid_grant", says: null, status: 400, means: "person" },
      { code: "invalid_grant", says: "token invalid", status: 400, means: "person" },
      { code: "invalid_grant", says: "incorrect or invalid refresh token", status: 400, means: "person" }
    ],
    source: "https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/faq"
  },
  scopes: ["com.intuit.quickbooks.accounting"],
  clientAuthentication: "basic",
  tokenBody: "form",
  pkce: false,
  // https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0#revoke-token-disconnect
  revokeBody: "json",
  keep: { realmId: "realmId" },
  values: { realmId: { pattern: /^\d{1,25}$/, expected: "must be the id of a company: digits", needed: true } },
  identify: identify(
    ({ values: { realmId = "" } }) =>
      HttpClientRequest.get(`${baseUrl}/v3/company/${realmId}/companyinfo/${realmId}`, {
        acceptJson: true
      }),
    Schema.Struct({ CompanyInfo: Schema.Struct({ CompanyName: Schema.String }) }),
    ({ CompanyInfo }, { realmId = "" }) => [{ id: realmId, name: CompanyInfo.CompanyName }]
  ),
  apply: bearer
}

/**
 * 10 calls at a time and 500 a minute for each company. Intuit gives up on a call after 120 seconds.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles
 */
const endpoint: Endpoint = {
  slug: "quickbooks",
  authorization,
  baseUrl: ({ realmId }) => (realmId === undefined ? undefined : baseUrl),
  concurrency: 10,
  readError,
  timeout: 30_000
}

/**
 * Reads are counted for the application over all its companies: 500,000 a month without a subscription. Change data capture
 * goes 30 days back.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles
 */
const following: Following = {
  limit: { calls: 500_000, seconds: 30 * 86_400, of: "application" },
  lag: 60,
  deletions: { days: 30, told: "dated" }
}

/** QuickBooks Online, Accounting API v3: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/account */
export const QuickBooks = provider(
  Effect.gen(function* () {
    const batches = makeBatches()
    const plain = yield* (yield* Upstream).caller(endpoint)
    const call = joining(endpoint, bulksOf(batches), plain)
    const books = yield* makeBooks(call, batches)
    const editions = yield* makeEditions
    const { company, preferences, queryAll } = books
    return {
      slug: endpoint.slug,
      name: "QuickBooks Online",
      category: "accounting",
      authorization,
      api: { call: plain, root: baseUrl, account: { path: "/v3/company/:realmId" } },
      resources: {
        invoice: invoice(books),
        contact: contact(books),
        account: account(books),
        item: item(books),
        payment: payment(books),
        journal_entry: journalEntry(books),
        expense: expense(books),
        purchase_order: { ...purchaseOrder(books), requires: [plus] },
        credit_note: creditNote(books),
        vendor_credit: vendorCredit(books),
        transaction: transaction(books, editions),
        tax_rate: taxRate(books),
        tracking_category: { ...trackingCategory(books), requires: [plus] },
        payment_method: paymentMethod(books),
        payment_term: paymentTerm(books),
        accounting_period: accountingPeriod(books),
        employee: employee(books),
        project: { ...project(books), requires: [plus] },
        company_info: companyInfo(books),
        attachment: attachment(books),
        address: { ...address(books), looks: 2 },
        phone_number: { ...phoneNumber(books), looks: 2 },
        balance_sheet: balanceSheet(books),
        income_statement: incomeStatement(books),
        cash_flow_statement: cashFlowStatement(books),
        general_ledger_transaction: generalLedgerTransaction(books)
      },
      lookups: {
        /** The company's settings: its home currency, and whether it uses others. */
        preferences: { ttl: 3600, load: preferences },
        /** The company file: its country. */
        company: { ttl: 3600, load: company },
        /** Active accounts, reduced to what tells how money comes from them. */
        accounts: {
          ttl: 300,
          load: (connection) =>
            Effect.map(queryAll(connection, "Account"), (accounts) =>
              accounts.map((one) => ({
                Id: String(one.Id),
                AccountType: one.AccountType,
                AccountSubType: one.AccountSubType,
                Currency: getPath(one, "CurrencyRef.value")
              }))
            )
        },
        /** Active items, reduced to what they post to. */
        items: {
          ttl: 300,
          load: (connection) =>
            Effect.map(queryAll(connection, "Item"), (items) =>
              items.map((one) => ({
                Id: String(one.Id),
                Type: one.Type,
                IncomeAccountRef: { value: getPath(one, "IncomeAccountRef.value") }
              }))
            )
        }
      },
      fieldsOf: customFields(preferences),
      held: held(books, editions),
      push,
      following,
      doubts
    } satisfies ProviderAdapter
  })
)
