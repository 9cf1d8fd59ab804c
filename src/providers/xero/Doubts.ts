import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "The operator's application may ask for granular scopes, as those made since March 2026",
    otherwise: "Consent fails at Xero; `PROVIDER_XERO_SCOPES` names the scopes that the application has",
    source: "https://developer.xero.com/faq/granular-scopes"
  },
  {
    assumed: "Broad scopes, such as `accounting.transactions`, are good for applications from before March 2026",
    otherwise: "Their connections are 403 `PROVIDER_FEATURE_MISSING` until their end users connect again",
    source: "https://developer.xero.com/faq/granular-scopes",
    ends: "2027-09-01"
  },
  {
    assumed: "A call without its scope is 401 `AuthorizationUnsuccessful`, journals of a lower tier too",
    otherwise:
      "Another 401 is taken for a token that ended: it is refreshed once, then the connection is `needs_reauth`",
    source: "https://support.databuzz.com.au/article/742-changes-to-the-xero-developer-pricing"
  },
  {
    assumed: "Journals are for applications of the tier Advanced or above, after an assessment",
    otherwise: "General ledger transactions are refused, or let through, as Xero decides",
    source: "https://developer.xero.com/faq/pricing-and-policy-updates"
  },
  {
    assumed: "Bank feeds and the Finance API are for applications that Xero approved for them",
    otherwise: "Bank feeds and cash flow statements are refused, or let through, as Xero decides",
    source: "https://developer.xero.com/documentation/api/bankfeeds/feedconnections"
  },
  {
    assumed:
      "60 calls a minute, 5 at a time and 5,000 a day (1,000 on the tier Starter) are let through for an organisation",
    otherwise: "A 429 leaves the organisation alone as long as it says",
    source: "https://developer.xero.com/documentation/guides/oauth2/limits"
  },
  {
    assumed: "A refresh token is good for one refresh, and for 60 days without use",
    otherwise: "The connection becomes `needs_reauth`; its end user connects again",
    source: "https://developer.xero.com/documentation/guides/oauth2/auth-flow/"
  },
  {
    assumed: "Lock dates are told in words (`… lock date …`), about the document's date",
    otherwise: "The 422 has the words under `body` and does not name the date",
    source: "https://github.com/waynerobinson/xeroizer/issues/92"
  },
  {
    assumed: "An attachment is a file of the library by the same id, or by its name and size",
    otherwise: "It is 405 to rename or delete it",
    source: "https://developer.xero.com/documentation/api/files/associations"
  },
  {
    assumed: "A file goes once it is taken off every record",
    otherwise: "It is off the record, but stays in the library; the refusal says so in Xero's words",
    source: "https://github.com/XeroAPI/Xero-Java/issues/408"
  },
  {
    assumed: "Pages of invoices, credit notes and their like come with their lines",
    otherwise: "`line_items` of lists are empty where those of a single record are not",
    source: "https://developer.xero.com/documentation/api/accounting/invoices"
  },
  {
    assumed: "Purchase orders keep four decimals of a unit price with `unitdp=4`, as other documents do",
    otherwise: "Prices of orders are rounded to two decimals, which a warning says",
    source: "https://github.com/calcinai/xero-php/issues/852"
  },
  {
    assumed: "The delivery address of a purchase order is cleared by an empty text",
    otherwise: "The order keeps its address, which a warning says",
    source: "https://developer.xero.com/documentation/api/accounting/purchaseorders"
  },
  {
    assumed: "A manual journal in the status ARCHIVED is posted, and only hidden from the list of posted ones",
    otherwise: "`posting_status` of such a journal is POSTED though it is not on the ledger",
    source: "https://help.xero.com/au/ManualJournals-VoidArchive"
  },
  {
    assumed: "Conditions take `ToLower().StartsWith(…)` on a text that is not null",
    otherwise:
      "Lists of contacts by name, e-mail address or tax number, and of credits by number, fail in Xero's words",
    source: "https://github.com/XeroAPI/xero-ruby/issues/184"
  },
  {
    assumed:
      "Contacts, archived ones too, and invoices are had by `IDs`, and the others by a condition on their ids, up to some 2,000 characters of a URL",
    otherwise: "`expand` fails in Xero's words, or has null for records that are there",
    source: "https://github.com/XeroAPI/Xero-NetStandard/issues/471"
  },
  {
    assumed:
      "Writes of accounts, tracking categories, their options, and new projects are answered with the whole record",
    otherwise: "Fields of the answer to such a write are null that are not in the next read",
    source: "https://raw.githubusercontent.com/XeroAPI/Xero-OpenAPI/master/xero_accounting.yaml"
  },
  {
    assumed:
      "The organisation, its feeds and the years without bank lines change seldom, so that they are kept for five minutes",
    otherwise: "Reports, payment terms, addresses and bank feed transactions follow such a change by that much later",
    source: "https://developer.xero.com/documentation/api/accounting/organisation"
  },
  {
    assumed: "Balances of accounts may be a minute old where others post; what is posted here shows at once",
    otherwise: "`current_balance` is behind the trial balance for up to a minute",
    source: "https://developer.xero.com/documentation/api/accounting/reports#trialbalance"
  },
  {
    assumed: "The search of invoices finds one by the whole of its number, whatever the case",
    otherwise: "A list of invoices by number is without it",
    source: "https://raw.githubusercontent.com/XeroAPI/Xero-OpenAPI/master/xero_accounting.yaml"
  },
  {
    assumed:
      "Where an organisation has very many records, conditions on members that Xero keeps no index of still work, but for invoices and payments, which are not asked by such",
    otherwise:
      "Lists by `is_customer`, `is_supplier`, `tax_number`, by the number of a credit or the account of an expense fail in Xero's words",
    source: "https://developer.xero.com/documentation/api/efficient-data-retrieval"
  },
  {
    assumed: "`If-Modified-Since` brings what was changed in that very second too, and transfers by their deletion",
    otherwise: "A sync whose runs do not overlap misses what was changed in the second it goes on from",
    source: "https://developer.xero.com/documentation/api/accounting/requests-and-responses"
  },
  {
    assumed:
      "Payments and credits that settle a document change it; its contact's `is_customer` and `is_supplier` change without a stamp",
    otherwise: "`modified_after` is without documents that were paid since",
    source: "https://developer.xero.com/documentation/api/accounting/requests-and-responses"
  },
  {
    assumed:
      "Webhooks of the category INVOICE tell changes of bills too, and those of CREDITNOTE of both kinds of credits",
    otherwise: "Changes of the others are told when their watch looks at its next interval",
    source: "https://developer.xero.com/documentation/webhooks/configuring-your-server"
  },
  {
    assumed: "One call takes 50 records, and with `summarizeErrors=false` answers for each in their order",
    otherwise: "A call that is refused as a whole is sent again in parts, and its records at last alone",
    source: "https://developer.xero.com/documentation/api/accounting/requests-and-responses"
  }
]
