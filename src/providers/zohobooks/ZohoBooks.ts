import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { identify } from "../base/Authorization.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import type { Following } from "../Following.ts"
import { apiOf, zohoOAuth, zohoRoot } from "../base/ZohoAccounts.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { account, accounts } from "./Account.ts"
import { companyInfo, readOrganization } from "./CompanyInfo.ts"
import { contact } from "./Contact.ts"
import { creditNote } from "./CreditNote.ts"
import { doubts } from "./Doubts.ts"
import { expense } from "./Expense.ts"
import { searchText } from "./Filters.ts"
import { invoice } from "./Invoice.ts"
import { item } from "./Item.ts"
import { journalEntry } from "./JournalEntry.ts"
import { payment } from "./Payment.ts"
import { purchaseOrder } from "./PurchaseOrder.ts"
import { readError } from "./ReadError.ts"
import { all } from "./Records.ts"
import { taxRate } from "./TaxRate.ts"

/** https://www.zoho.com/books/api/v3/oauth/ */
const authorization = zohoOAuth({
  scopes: [
    "settings",
    "contacts",
    "accountants",
    "invoices",
    "bills",
    "creditnotes",
    "customerpayments",
    "vendorpayments",
    "expenses",
    "purchaseorders"
  ].map((module) => `ZohoBooks.${module}.ALL`),
  values: {
    organizationId: { pattern: /^\d{1,25}$/, expected: "must be the id of an organisation: digits", needed: true }
  },
  // https://www.zoho.com/books/api/v3/organizations/#list-organizations
  identify: identify(
    ({ values }) => HttpClientRequest.get(`${apiOf(values) ?? ""}/books/v3/organizations`),
    Schema.Struct({
      organizations: Schema.Array(Schema.Struct({ organization_id: Schema.String, name: Schema.String }))
    }),
    ({ organizations }) =>
      organizations.map(({ name, organization_id }) => ({
        id: organization_id,
        name,
        values: { organizationId: organization_id }
      }))
  )
})

/**
 * 100 calls a minute of an organisation, and ten at a time (five on the free plan); 1,000 to 10,000 a day by its plan.
 * https://www.zoho.com/books/api/v3/introduction/#api-call-limit
 */
const endpoint: Endpoint = {
  slug: "zoho_books",
  authorization,
  baseUrl: apiOf,
  concurrency: 5,
  readError,
  timeout: 30_000
}

/**
 * An organisation has 1,000 calls a day at least.
 * https://www.zoho.com/books/api/v3/introduction/#api-call-limit
 */
const following: Following = { limit: { calls: 1000, seconds: 86_400, of: "account" }, lag: 60 }

/** Zoho Books: https://www.zoho.com/books/api/v3/introduction/ */
export const ZohoBooks = provider(
  Effect.gen(function* () {
    const call = yield* (yield* Upstream).caller(endpoint)
    const chart = all(call, accounts)
    return {
      slug: endpoint.slug,
      name: "Zoho Books",
      category: "accounting",
      authorization,
      api: {
        call,
        root: zohoRoot,
        // they name every organisation of the person who consented, and change any of them
        closed: ["/books/v3/organizations"],
        credentials: ["authtoken", "zapikey"],
        // https://www.zoho.com/books/api/v3/introduction/#organization-id
        account: {
          query: { organization_id: "organizationId" },
          headers: { "x-com-zoho-books-organizationid": "organizationId" }
        }
      },
      resources: {
        contact: contact(call),
        account: account(call),
        item: item(call),
        invoice: invoice(call),
        payment: payment(call),
        credit_note: creditNote(call),
        journal_entry: journalEntry(call),
        expense: expense(call),
        purchase_order: purchaseOrder(call),
        tax_rate: taxRate(call),
        company_info: companyInfo(call)
      },
      lookups: {
        /** The organisation of the connection. */
        organization: { ttl: 3600, load: readOrganization(call) },
        /** Currencies are records; their codes are what is known outside. */
        currencies: {
          ttl: 3600,
          load: all(call, {
            nativeType: "currency",
            path: "settings/currencies",
            list: "currencies",
            id: "currency_id"
          })
        },
        /** Active accounts that stock is kept in. */
        stockAccounts: {
          ttl: 3600,
          load: (connection) =>
            Effect.map(chart(connection), (found) =>
              found.flatMap(({ account_id, account_type, is_active }) =>
                account_type === "stock" && is_active !== false ? [{ account_id }] : []
              )
            )
        }
      },
      searchText,
      following,
      doubts
    } satisfies ProviderAdapter
  })
)
