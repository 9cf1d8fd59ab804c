import { Effect } from "effect"
import type { Call, Caller } from "../base/Upstream.ts"
import { NotPermitted, ProviderError } from "../ProviderError.ts"
import type { Requirement } from "../Requirement.ts"

/**
 * Scopes that an end user consents to. Apps from before March 2026 may ask for broader ones until September 2027.
 * https://developer.xero.com/documentation/guides/oauth2/scopes/
 */

/** Scopes that every connection asks for. */
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
  "files",
  "projects"
] as const

const scope = <Name extends string>(name: Name) => ({ kind: "scope", name }) as const

/** Connections made before attachments could be changed lack it. */
export const library = scope("files")

// granted to applications one by one, after a review of their use: https://developer.xero.com/faq/pricing-and-policy-updates
export const journals = scope("accounting.journals.read")
export const bankFeeds = scope("bankfeeds")
export const bankStatements = scope("finance.bankstatementsplus.read")
export const statements = scope("finance.statements.read")

/** The lowest tier of applications that can get the scope of journals. */
export const advanced = { kind: "tier", name: "Advanced" } as const satisfies Requirement

type Scope =
  (typeof scopes)[number] | (typeof journals | typeof bankFeeds | typeof bankStatements | typeof statements)["name"]

/** The scope that each path needs; the first match counts. */
const places: ReadonlyArray<readonly [path: RegExp, scope: Scope]> = [
  [/\/Attachments/, "accounting.attachments"],
  [/\/(?:Invoices|CreditNotes|PurchaseOrders)/, "accounting.invoices"],
  [/\/(?:Payments|Overpayments|Prepayments)/, "accounting.payments"],
  [/\/Bank(?:Transactions|Transfers)/, "accounting.banktransactions"],
  [/\/ManualJournals/, "accounting.manualjournals"],
  [/\/Contacts/, "accounting.contacts"],
  [/\/Journals/, journals.name],
  [/\/Reports\/BalanceSheet/, "accounting.reports.balancesheet.read"],
  [/\/Reports\/ProfitAndLoss/, "accounting.reports.profitandloss.read"],
  [/\/Reports\/TrialBalance/, "accounting.reports.trialbalance.read"],
  [/^\/files\.xro/, library.name],
  [/^\/projects\.xro/, "projects"],
  [/^\/bankfeeds\.xro/, bankFeeds.name],
  [/\/BankStatementsPlus/, bankStatements.name],
  [/\/FinancialStatements/, statements.name]
]

const scopeOf = ({ path }: Call): Scope => places.find(([place]) => place.test(path))?.[1] ?? "accounting.settings"

/** Wraps calls so that a refusal names the scope that the connection lacks. */
export const namingScopes =
  (call: Caller): Caller =>
  (connection, request) =>
    Effect.mapError(call(connection, request), (error) => {
      if (error.reason._tag !== "NotPermitted" || error.status !== 401) return error
      const name = scopeOf(request)
      return new ProviderError({
        ...error,
        reason: new NotPermitted({
          lacks: [{ kind: "scope", name }, ...(name === journals.name ? [advanced] : [])]
        }),
        detail: `the connection lacks the scope ${name}: the end user has to connect again and grant it`
      })
    })
