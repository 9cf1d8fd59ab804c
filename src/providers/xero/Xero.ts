import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../base/Authorization.ts"
import { joining } from "../base/Bulk.ts"
import { remainingIn } from "../base/Limits.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import type { Following } from "../Following.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { account, accounts, readBalances } from "./Account.ts"
import { accountingPeriod } from "./AccountingPeriod.ts"
import { address } from "./Address.ts"
import { attachment } from "./Attachment.ts"
import { bankFeedAccount, bankFeedTransaction, readFeeds } from "./BankFeeds.ts"
import { bulks } from "./Bulks.ts"
import { companyInfo, readOrganisation } from "./CompanyInfo.ts"
import { contact } from "./Contact.ts"
import { creditNote } from "./CreditNote.ts"
import { doubts } from "./Doubts.ts"
import { expense } from "./Expense.ts"
import { generalLedgerTransaction } from "./GeneralLedger.ts"
import { invoice } from "./Invoice.ts"
import { item, items } from "./Item.ts"
import { journalEntry } from "./JournalEntry.ts"
import { keptFor } from "./Kept.ts"
import { endpoints } from "./Objects.ts"
import { payment } from "./Payment.ts"
import { paymentTerm } from "./PaymentTerm.ts"
import { phoneNumber } from "./PhoneNumber.ts"
import { project } from "./Project.ts"
import { purchaseOrder } from "./PurchaseOrder.ts"
import { push } from "./Push.ts"
import { readError } from "./ReadError.ts"
import { balanceSheet, cashFlowStatement, incomeStatement } from "./Reports.ts"
import { namingScopes, scopes, statements } from "./Scopes.ts"
import { taxRate } from "./TaxRate.ts"
import { trackingCategory, trackingOptions } from "./TrackingCategory.ts"
import { transaction } from "./Transaction.ts"
import { vendorCredit } from "./VendorCredit.ts"

const baseUrl = "https://api.xero.com"

/**
 * Authorization code flow with PKCE. Access tokens last 30 minutes; a refresh token is good for one refresh, which returns
 * the next one. /connections lists the organisations of a token (`tenantId`). Revoking a token disconnects every
 * organisation of the person who consented; one of several organisations can be disconnected by itself.
 * https://developer.xero.com/documentation/guides/oauth2/auth-flow/
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://login.xero.com/identity/connect/authorize",
  tokenUrl: "https://identity.xero.com/connect/token",
  revokeUrl: "https://identity.xero.com/connect/revocation",
  revokesAll: true,
  // refresh tokens expire after 60 days without use: https://developer.xero.com/documentation/guides/oauth2/token-types
  refreshEnd: { after: 60 * 24 * 3600, isRenewed: true },
  // a token whose answer was lost can be sent again for half an hour
  rotation: {
    onReuse: "answers",
    graceSeconds: 1800,
    source: "https://community.xero.com/developer/discussion/105714701/"
  },
  tokenRefusals: {
    answers: [{ code: "invalid_grant", says: null, status: 400, means: "person" }],
    source: "https://developer.xero.com/documentation/guides/oauth2/troubleshooting"
  },
  scopes,
  clientAuthentication: "basic",
  tokenBody: "form",
  pkce: true,
  values: {
    tenantId: { pattern: /^[0-9a-fA-F-]{36}$/, expected: "must be the id of an organisation: a UUID", needed: true }
  },
  // listing and disconnecting organisations: https://developer.xero.com/documentation/guides/oauth2/tenants
  identify: identify(
    () => HttpClientRequest.get(`${baseUrl}/connections`),
    Schema.Array(
      Schema.Struct({
        id: Schema.String,
        tenantId: Schema.String,
        tenantName: Schema.String,
        tenantType: Schema.String
      })
    ),
    (tenants) =>
      tenants
        .filter(({ tenantType }) => tenantType === "ORGANISATION")
        .map(({ id, tenantId, tenantName }) => ({
          id: tenantId,
          name: tenantName,
          values: { tenantId, connectionId: id }
        }))
  ),
  disconnect: ({ values = {} }) => HttpClientRequest.del(`${baseUrl}/connections/${values["connectionId"] ?? ""}`),
  apply: bearer
}

/**
 * 5 calls at a time, 60 a minute and 5000 a day for each organisation; 10,000 a minute for the application.
 * https://developer.xero.com/documentation/guides/oauth2/limits
 */
const endpoint: Endpoint = {
  slug: "xero",
  authorization,
  baseUrl: ({ tenantId }) => (tenantId === undefined ? undefined : baseUrl),
  headers: ({ tenantId = "" }) => ({ "xero-tenant-id": tenantId }),
  concurrency: 5,
  readError,
  readLimits: remainingIn({
    minute: { header: "x-minlimit-remaining", resetAfter: 60 },
    day: { header: "x-daylimit-remaining" },
    app: { header: "x-appminlimit-remaining", resetAfter: 60 }
  }),
  timeout: 30_000
}

/**
 * 5,000 calls a day for an organisation. Voided and deleted records stay in lists, with a status.
 * https://developer.xero.com/documentation/guides/oauth2/limits
 */
const following: Following = {
  limit: { calls: 5000, seconds: 86_400, of: "account" },
  lag: 60,
  deletions: { days: 3650, told: "dated" }
}

/** Xero: Accounting API 2.0 and related APIs. https://developer.xero.com/documentation/api/accounting/overview */
export const Xero = provider(
  Effect.gen(function* () {
    const bare = yield* (yield* Upstream).caller(endpoint)
    const plain = namingScopes(joining(endpoint, bulks, bare))
    const kept = yield* keptFor(plain, {
      organisation: readOrganisation(plain),
      feeds: readFeeds(plain),
      balances: readBalances(plain)
    })
    const { call } = kept
    const { all } = endpoints(call)
    return {
      slug: endpoint.slug,
      name: "Xero",
      category: "accounting",
      authorization,
      api: {
        call: bare,
        root: baseUrl,
        closed: ["/connections"],
        account: { headers: { "xero-tenant-id": "tenantId" } }
      },
      resources: {
        contact: contact(call),
        account: account(call, kept),
        item: item(call),
        invoice: invoice(call),
        tax_rate: taxRate(call),
        tracking_category: trackingCategory(call),
        company_info: companyInfo(call),
        payment: payment(call),
        payment_term: paymentTerm(call, kept),
        credit_note: creditNote(call),
        vendor_credit: vendorCredit(call),
        purchase_order: purchaseOrder(call, kept),
        journal_entry: journalEntry(call),
        expense: expense(call),
        address: address(call, kept),
        phone_number: phoneNumber(call, kept),
        balance_sheet: balanceSheet(call, kept),
        income_statement: incomeStatement(call, kept),
        cash_flow_statement: { ...cashFlowStatement(call, kept), requires: [statements] },
        general_ledger_transaction: generalLedgerTransaction(call),
        transaction: transaction(call),
        project: project(call),
        accounting_period: accountingPeriod(call),
        bank_feed_account: bankFeedAccount(call, kept),
        bank_feed_transaction: bankFeedTransaction(call, kept),
        attachment: attachment(call)
      },
      lookups: {
        /** The organisation: its id, base currency and country. */
        organisation: { ttl: 3600, load: readOrganisation(call) },
        /** Accounts by id: codes for lines, classes and types for reports, and the currencies of bank accounts. */
        accounts: {
          ttl: 300,
          load: (connection) =>
            Effect.map(all(connection, accounts), (found) =>
              found.map(({ record: { AccountID, Class, Code, CurrencyCode, Name, Type } }) => ({
                id: AccountID,
                Class,
                Code,
                CurrencyCode,
                Name,
                Type
              }))
            )
        },
        items: {
          ttl: 300,
          load: (connection) =>
            Effect.map(all(connection, items), (found) =>
              found.map(({ record: { Code, ItemID } }) => ({ id: ItemID, Code }))
            )
        },
        tracking: { ttl: 300, load: trackingOptions(call) }
      },
      push,
      following,
      doubts
    } satisfies ProviderAdapter
  })
)
