import { Effect } from "effect"
import type { Call, Caller } from "../axes/Upstream.ts"
import { ProviderError } from "../ProviderError.ts"

/**
 * What an end user consents to. Apps from before March 2026 may ask for broader ones until September 2027.
 * https://developer.xero.com/documentation/guides/oauth2/scopes/
 */

/** What every connection asks for. */
export const scopes = [
  "offline_access",
  "accounting.invoices",
  "accounting.payments",
  "accounting.banktransactions",
  "accounting.manualjournals",
  "accounting.contacts",
  "accounting.settings",
  "accounting.attachments",
  "accounting.reports.balancesheet.read",
  "accounting.reports.profitandloss.read",
  "accounting.reports.trialbalance.read",
  "projects"
] as const

type Scope =
  | (typeof scopes)[number]
  // only for apps on a tier that has journals, and for approved partners
  | "accounting.journals.read"
  | "bankfeeds"
  | "finance.bankstatementsplus.read"
  | "finance.statements.read"

/** Where each is needed: the first place that fits. */
const places: ReadonlyArray<readonly [path: RegExp, scope: Scope]> = [
  [/\/Attachments/, "accounting.attachments"],
  [/\/(?:Invoices|CreditNotes|PurchaseOrders)/, "accounting.invoices"],
  [/\/(?:Payments|Overpayments|Prepayments)/, "accounting.payments"],
  [/\/Bank(?:Transactions|Transfers)/, "accounting.banktransactions"],
  [/\/ManualJournals/, "accounting.manualjournals"],
  [/\/Contacts/, "accounting.contacts"],
  [/\/Journals/, "accounting.journals.read"],
  [/\/Reports\/BalanceSheet/, "accounting.reports.balancesheet.read"],
  [/\/Reports\/ProfitAndLoss/, "accounting.reports.profitandloss.read"],
  [/\/Reports\/TrialBalance/, "accounting.reports.trialbalance.read"],
  [/^\/projects\.xro/, "projects"],
  [/^\/bankfeeds\.xro/, "bankfeeds"],
  [/\/BankStatementsPlus/, "finance.bankstatementsplus.read"],
  [/\/FinancialStatements/, "finance.statements.read"]
]

const scopeOf = ({ path }: Call): Scope => places.find(([place]) => place.test(path))?.[1] ?? "accounting.settings"

/** Calls that say which scope a connection lacks that is not let in. */
export const namingScopes =
  (call: Caller): Caller =>
  (connection, request) =>
    Effect.mapError(call(connection, request), (error) =>
      error.reason._tag === "NotPermitted" && error.status === 401
        ? new ProviderError({
            ...error,
            detail: `the connection lacks the scope ${scopeOf(request)}: the end user has to connect again and grant it`
          })
        : error
    )
