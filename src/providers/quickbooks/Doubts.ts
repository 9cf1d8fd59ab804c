import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed:
      "A query for `InventoryAdjustment` in a company whose edition lacks it is refused with 400, in whatever words",
    otherwise: "Any 400 of that query is taken so, and not asked again for an hour; another status fails the list",
    source: "https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-inventory/inventory-adjustment"
  },
  {
    assumed: "Codes 5020 and 5030 say that the edition lacks a feature, which Plus and Advanced have",
    otherwise: "`PROVIDER_FEATURE_MISSING` names Plus where another edition is meant",
    source: "https://developer.intuit.com/app/developer/qbo/docs/develop/troubleshooting/error-codes"
  },
  {
    assumed: "`OfferingSku` of the company file names the product, such as `QuickBooks Online Plus`",
    otherwise: "The edition of the account is said to be unknown, until it refuses something",
    source: "https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/companyinfo"
  },
  {
    assumed: "Editions below Plus answer queries for purchase orders, projects, classes and departments with nothing",
    otherwise: "Their lists are refused with the provider's words",
    source: "https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-projects"
  },
  {
    assumed: "Minor version 75 is the lowest that counts, and changes that break come with higher ones",
    otherwise: "The number stands once, in `Entities.ts`",
    source: "https://blogs.intuit.com/2025/01/21/changes-to-our-accounting-api-that-may-impact-your-application"
  },
  {
    assumed: "A refresh token is good for 100 days without use, and for five years at most",
    otherwise: "The connection becomes `needs_reauth`; its end user connects again",
    source: "https://blogs.intuit.com/2025/11/12/important-changes-to-refresh-token-policy",
    ends: "2028-10-01"
  },
  {
    assumed: "A refresh token that was replaced is good for a day more",
    otherwise: "A crash between the answer and its storage makes the connection `needs_reauth`",
    source: "https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/faq"
  },
  {
    assumed: "Closed books are told in words, with codes 6210, 6200 or 5010",
    otherwise: "The 422 has the words under `body` and does not name the date",
    source: "https://github.com/routablehq/python-quickbooks/issues/208"
  },
  {
    assumed: "`requestid` makes a repeated create answer the record that the first one made",
    otherwise: "A create whose answer was lost makes a second record when it is sent again",
    source: "https://developer.intuit.com/app/developer/qbo/docs/learn/rest-api-features#request-id"
  },
  {
    assumed: "500 calls a minute and 10 at a time are let through for a company",
    otherwise: "A 429 leaves the company alone for a minute",
    source: "https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles"
  },
  {
    assumed: "40 batches a minute are let through for a company, whatever they hold, up to 30 queries each",
    otherwise: "A 429 leaves the company alone for a minute, and half as many are sent in the hour after it",
    source: "https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles"
  },
  {
    assumed: "A query that a batch holds and that is refused leaves the others of the batch whole",
    otherwise: "Where the whole batch is refused with 400, each of its queries is asked by itself",
    source: "https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/batch"
  },
  {
    assumed: "Reads of an application on the free tier are counted, 500,000 a month",
    otherwise: "Every company's calls are 429 until the month is over",
    source: "https://blogs.intuit.com/2026/01/08/understanding-builder-tier-api-limits-for-you-and-your-customers"
  },
  {
    assumed:
      "In the United States a sale is charged by the code in `TxnTaxDetail.TxnTaxCodeRef` of the answer, which automated sales tax may choose itself",
    otherwise: "`tax_rate` of taxed lines is another code than the one that was charged; the amounts are right",
    source: "https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-us-locales"
  },
  {
    assumed:
      "With `GlobalTaxCalculation` TaxInclusive, `Amount` and `UnitPrice` are without tax and `TaxInclusiveAmt` is with it, and a write states both",
    otherwise: "Prices of a written document differ by the tax, and the answer warns of it",
    source: "https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-non-us-locales"
  },
  {
    assumed: "A credit memo names no payments: those of its customer that were changed since it was made apply it",
    otherwise: "A share that a payment of another customer applies is missing in `applied_to_lines`",
    source: "https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/creditmemo"
  },
  {
    assumed: "Voiding leaves every item line of a sale with `Qty` 0, those without a quantity too",
    otherwise: "A void sale of such lines reads PAID",
    source: "https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice#void-an-invoice"
  },
  {
    assumed: "Queries cannot ask for projects, so lists of contacts and projects look at `IsProject` of each customer",
    otherwise: "Lists of projects read more customers than they need",
    source: "https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer"
  },
  {
    assumed:
      "In a query, `LIKE` compares without regard to case, as somebody counted at a company's vendors in September 2026; `%` has no escape",
    otherwise: "Filters by a name, number or code find only what is written in the same case",
    source: "https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries"
  },
  {
    assumed: "An answer of change data capture that is full has the oldest changes of its entity",
    otherwise: "`include_deleted` leaves out deletions where more than 1,000 records of an entity have changed since",
    source:
      "https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/change-data-capture"
  },
  {
    assumed: "What may be queried is what the pages of the entities mark as filterable",
    otherwise: "A list with that filter is refused with code 4001 and the name of the property",
    source: "https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice"
  },
  {
    assumed:
      "The second part of a CloudEvent's `type` is the entity's name in lower case, such as `qbo.billpayment.created.v1`",
    otherwise: "Changes of entities that are named otherwise are told when their watch looks at its next interval",
    source: "https://blogs.intuit.com/2025/11/12/upcoming-change-to-webhooks-payload-structure"
  },
  {
    assumed: "An item of a batch is written, or refused with a Fault of its own, whatever becomes of the others",
    otherwise: "Where the whole batch is refused, its records are sent in smaller ones, and at last alone",
    source: "https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/batch"
  }
]
