import { dailySample } from "../../simulation/DailySample.ts"
import type { Reply, Simulator } from "../../simulation/Simulator.ts"
import { accounts } from "./Accounts.ts"
import { allocationRoutes, type Credit } from "./Allocations.ts"
import { gateway, notFound } from "./Answers.ts"
import { attachmentRoutes } from "./Attachments.ts"
import { bankFeedRoutes } from "./BankFeeds.ts"
import { bankStatementRoutes } from "./BankStatements.ts"
import { bankTransactions } from "./BankTransactions.ts"
import { bankTransfers } from "./BankTransfers.ts"
import { cashFlowRoutes } from "./CashFlow.ts"
import { routesOf } from "./Collections.ts"
import { contacts } from "./Contacts.ts"
import { creditNotes } from "./CreditNotes.ts"
import { fileRoutes } from "./Files.ts"
import { invoices } from "./Invoices.ts"
import { items } from "./Items.ts"
import { journalRoutes } from "./Journals.ts"
import { limited, limitHeaders, limits } from "./Limits.ts"
import { manualJournals } from "./ManualJournals.ts"
import { oauth, oauthRoutes } from "./OAuth.ts"
import { tenantOf } from "./Organisation.ts"
import { organisationRoutes } from "./OrganisationRoutes.ts"
import { overpayments, prepayments } from "./PaidAhead.ts"
import { payments } from "./Payments.ts"
import { projectRoutes } from "./Projects.ts"
import { purchaseOrders } from "./PurchaseOrders.ts"
import { pushes } from "./Push.ts"
import { reportRoutes } from "./Reports.ts"
import { features, scopesOf } from "./Scopes.ts"
import { seed } from "./Seed.ts"
import { taxRates } from "./TaxRates.ts"
import { inTenant } from "./Tenants.ts"
import { optionRoutes, trackingCategories } from "./Tracking.ts"

const kinds = [
  contacts,
  accounts,
  items,
  taxRates,
  trackingCategories,
  invoices,
  creditNotes,
  payments,
  purchaseOrders,
  manualJournals,
  bankTransactions,
  bankTransfers,
  overpayments,
  prepayments
]

const attachable = [
  accounts,
  bankTransactions,
  bankTransfers,
  contacts,
  creditNotes,
  invoices,
  manualJournals,
  purchaseOrders
]

const credits: ReadonlyArray<Credit> = [
  { kind: creditNotes, entity: "CreditNote" },
  { kind: overpayments, entity: "Overpayment" },
  { kind: prepayments, entity: "Prepayment" }
]

const broken = (status: number): Reply =>
  status === 403
    ? gateway(403, "Forbidden", "AuthenticationUnsuccessful")
    : {
        status,
        body: {
          ErrorNumber: status,
          Type: "InternalServerError",
          Message: "An error occurred in Xero. Check the API Status page."
        }
      }

/** Xero: the Accounting API, files, projects, bank feeds, bank statements, cash flow, and OAuth 2.0 tokens and connections. */
export const simulator: Simulator = {
  slug: "xero",
  routes: [
    ...[
      ...kinds.flatMap(routesOf),
      ...credits.flatMap(allocationRoutes),
      ...optionRoutes,
      ...attachable.flatMap(attachmentRoutes),
      ...journalRoutes,
      ...reportRoutes,
      ...projectRoutes,
      ...fileRoutes,
      ...bankFeedRoutes,
      ...bankStatementRoutes,
      ...cashFlowRoutes,
      ...organisationRoutes
    ].map(inTenant),
    ...oauthRoutes
  ],
  tokenOf: ({ headers }) => /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  values: (account) => ({ tenantId: tenantOf(account) }),
  sample: dailySample((account) => seed(account)),
  limits,
  headers: limitHeaders,
  features,
  scopes: scopesOf,
  accountId: tenantOf,
  pushes,
  failures: {
    get unauthorized() {
      return gateway(401, "Unauthorized", "AuthenticationUnsuccessful")
    },
    badGrant: oauth.badGrant,
    notFound: () => notFound,
    methodNotAllowed: () => ({ status: 405, body: "The method is not allowed for this endpoint" }),
    rateLimited: limited,
    broken
  }
}
