import { Effect } from "effect"
import { type Apply, bearer, type Certificate, type Identify, type OAuth2 } from "../base/Authorization.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import type { Following } from "../Following.ts"
import type { CredentialValues } from "../Credentials.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { account } from "./Account.ts"
import { accountingPeriod } from "./AccountingPeriod.ts"
import { address } from "./Address.ts"
import { companyInfo } from "./CompanyInfo.ts"
import { contact } from "./Contact.ts"
import { creditNote } from "./CreditNote.ts"
import { doubts } from "./Doubts.ts"
import { employee } from "./Employee.ts"
import { expense } from "./Expense.ts"
import { expenseReport } from "./ExpenseReport.ts"
import { fieldsOf } from "./Fields.ts"
import { generalLedgerTransaction } from "./GeneralLedger.ts"
import { invoice } from "./Invoice.ts"
import { item } from "./Item.ts"
import { itemFulfillment } from "./ItemFulfillment.ts"
import { journalEntry } from "./JournalEntry.ts"
import { payment } from "./Payment.ts"
import { paymentMethod, readMethodTypes } from "./PaymentMethod.ts"
import { paymentTerm } from "./PaymentTerm.ts"
import { phoneNumber } from "./PhoneNumber.ts"
import { project } from "./Project.ts"
import { purchaseOrder } from "./PurchaseOrder.ts"
import { readError } from "./ReadError.ts"
import { balanceSheet, cashFlowStatement, incomeStatement } from "./Reports.ts"
import { salesOrder } from "./SalesOrder.ts"
import { makeSuite } from "./Suite.ts"
import { taxRate } from "./TaxRate.ts"
import { isTokenBased, signed } from "./TokenBased.ts"
import { trackingCategory } from "./TrackingCategory.ts"
import { transaction } from "./Transaction.ts"
import { vendorCredit } from "./VendorCredit.ts"

const scopes = ["rest_webservices"]

const accountForm = /^\w+(-\w+)*$/

/** A host of an account: its id in lower case, `_` as `-` (`1234567_SB1` is `1234567-sb1`). */
const hostAt =
  (domain: string) =>
  ({ accountId }: CredentialValues["values"]) =>
    accountId !== undefined && accountForm.test(accountId)
      ? `https://${accountId.toLowerCase().replaceAll("_", "-")}.${domain}`
      : undefined

const hostOf = hostAt("suitetalk.api.netsuite.com")

/** Where the end user logs in; an account may have a page of its own for that. */
const loginOf = hostAt("app.netsuite.com")

const apply: Apply = (request, credentials) =>
  isTokenBased(credentials.values) ? signed(request, credentials) : bearer(request, credentials)

const tokenUrl = (values: CredentialValues["values"]) =>
  `${hostOf(values) ?? "https://system.netsuite.com"}/services/rest/auth/oauth2/v1/token`

const accountField = {
  name: "accountId",
  label: "Account ID",
  placeholder: "1234567",
  help: "In NetSuite: Setup, Company, Company Information."
}

const accountValue = {
  pattern: accountForm,
  expected: "must be an account id such as 1234567 or 1234567_SB1",
  needed: true
}

/** The account is what the end user or the redirect back says it is. */
const identify: Identify = {
  accounts: (_, { accountId = "" }) => [
    { id: accountId.toUpperCase().replaceAll("-", "_"), name: `NetSuite ${accountId}` }
  ]
}

/**
 * OAuth 2.0 client credentials: a certificate, mapped to a person, a role and an integration record of the account, signs for
 * access tokens of an hour. It lasts two years at most. Connections with a token id sign each request instead
 * (`TokenBased.ts`); no new ones can be made from NetSuite 2027.1 on.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_162730264820.html
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_162790605110.html
 */
const authorization: Certificate = {
  kind: "certificate",
  help: "In NetSuite: Setup, Integration, OAuth 2.0 Client Credentials (M2M) Setup, Create New; upload the certificate of a key of yours (RSA of 3072 or 4096 bits, or EC). It gives access for as long as the certificate is valid: two years at most.",
  tokenUrl,
  scopes,
  // https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/subsect_162755332391.html
  keys: { bits: [3072, 4096], rsa: "PS256", curves: ["P-256", "P-384", "P-521"] },
  claims: { scope: scopes },
  // the client is the end user's own
  tokenRefusals: {
    answers: [
      { code: "invalid_grant", means: "person" },
      { code: "invalid_client", means: "person" },
      { code: "unauthorized_client", means: "person" }
    ],
    source: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_162790605110.html"
  },
  fields: [
    accountField,
    {
      name: "clientId",
      label: "Client ID",
      help: "Shown once, when the integration record is saved: Setup, Integration, Manage Integrations."
    },
    { name: "certificateId", label: "Certificate ID", help: "In the list of OAuth 2.0 Client Credentials (M2M) Setup." }
  ],
  values: {
    accountId: accountValue,
    clientId: { pattern: /^[\w-]{8,128}$/, expected: "must be the client id of an integration record", needed: true },
    certificateId: {
      pattern: /^[\w.-]{8,128}$/,
      expected: "must be the certificate id that NetSuite shows for the mapping",
      needed: true
    }
  },
  identify,
  apply
}

/**
 * Authorization code flow with PKCE; the redirect back names the account (`company`), which has its own token endpoint. The
 * refresh token ends after seven days and is not replaced.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158081944642.html
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_160855594402.html
 */
const consent: OAuth2 = {
  kind: "oauth2",
  help: "Signing in gives access for seven days; then NetSuite asks you to sign in again. A certificate lasts up to two years.",
  authorizeUrl: (values) => `${loginOf(values) ?? "https://system.netsuite.com"}/app/login/oauth2/authorize.nl`,
  tokenUrl,
  refreshEnd: { after: 7 * 24 * 3600 },
  tokenRefusals: {
    answers: [{ code: "invalid_grant", says: null, status: 400, means: "person" }],
    source: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_160855594402.html"
  },
  revokeUrl: (values) => `${hostOf(values) ?? "https://system.netsuite.com"}/services/rest/auth/oauth2/v1/revoke`,
  scopes,
  clientAuthentication: "basic",
  tokenBody: "form",
  pkce: true,
  fields: [accountField],
  keep: { company: "accountId" },
  values: { accountId: accountValue },
  identify,
  apply
}

/**
 * An account may run five calls at a time without further licences, for all who call it: one is left to its other
 * integrations.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/subsect_1559222360.html
 */
const endpoint: Endpoint = {
  slug: "netsuite",
  authorization,
  baseUrl: hostOf,
  concurrency: 4,
  readError,
  timeout: 30_000
}

/**
 * Only calls at a time are limited, so the number is our own. Saved searches and scripts may take minutes to commit.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3497592.html
 */
const following: Following = {
  limit: { calls: 1000, seconds: 3600, of: "account" },
  lag: 300,
  deletions: { days: 3650, told: "undated" }
}

/** NetSuite, SuiteTalk REST web services and SuiteQL: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/book_1559132836.html */
export const NetSuite = provider(
  Effect.gen(function* () {
    const call = yield* (yield* Upstream).caller(endpoint)
    const own = yield* makeSuite(call)
    return {
      slug: endpoint.slug,
      name: "NetSuite",
      category: "accounting",
      authorization,
      consent,
      api: {
        call,
        root: "https://{account}.suitetalk.api.netsuite.com",
        // SOAP has the credentials, of whichever account, in its body
        closed: ["/services/netsuiteport*", "/services/rest/auth"],
        // how a request is checked, and its idempotency key
        headers: ["x-netsuite-*"]
      },
      resources: {
        invoice: invoice(own),
        contact: contact(own),
        account: account(own),
        item: item(own),
        payment: payment(own),
        journal_entry: journalEntry(own),
        expense: expense(own),
        purchase_order: purchaseOrder(own),
        sales_order: salesOrder(own),
        credit_note: creditNote(own),
        vendor_credit: vendorCredit(own),
        tax_rate: taxRate(own),
        tracking_category: trackingCategory(own),
        accounting_period: accountingPeriod(own),
        payment_method: paymentMethod(own),
        payment_term: paymentTerm(own),
        employee: employee(own),
        project: project(own),
        expense_report: expenseReport(own),
        item_fulfillment: itemFulfillment(own),
        company_info: companyInfo(own),
        address: { ...address(own), looks: 3 },
        phone_number: { ...phoneNumber(own), looks: 3 },
        balance_sheet: balanceSheet(own),
        income_statement: incomeStatement(own),
        cash_flow_statement: cashFlowStatement(own),
        general_ledger_transaction: generalLedgerTransaction(own),
        transaction: transaction(own)
      },
      fieldsOf: fieldsOf(call),
      held: own.held,
      following,
      doubts,
      lookups: {
        /** ISO codes of the account's currencies, by their ids; none where it has one currency, which no query tells then. */
        currencies: {
          ttl: 3600,
          load: (connection) =>
            Effect.flatMap(own.has(connection, "currency", "id"), (isThere) =>
              isThere
                ? own.query(connection, "currency", "SELECT id, symbol, isbasecurrency FROM currency ORDER BY id")
                : Effect.succeed([])
            )
        },
        /** The currencies of subsidiaries, and what they are under, by their ids. */
        subsidiaries: {
          ttl: 3600,
          load: (connection) =>
            Effect.flatMap(own.oneWorld(connection), (isOneWorld) =>
              isOneWorld
                ? own.query(connection, "subsidiary", "SELECT id, name, currency, parent FROM subsidiary ORDER BY id")
                : Effect.succeed([])
            )
        },
        /** Types of accounts, which tell how money comes from them. */
        accounts: {
          ttl: 300,
          load: (connection) => own.query(connection, "account", "SELECT id, accttype FROM account ORDER BY id")
        },
        /** The accounts that sales of items are booked to; none where the role may not see items. */
        itemAccounts: {
          ttl: 300,
          load: (connection) =>
            Effect.catchIf(
              own.query(connection, "item", "SELECT id, incomeaccount FROM item ORDER BY id"),
              ({ reason }) => reason._tag === "NotPermitted",
              () => Effect.succeed([])
            )
        },
        methodTypes: { ttl: 3600, load: readMethodTypes(own) }
      }
    } satisfies ProviderAdapter
  })
)
