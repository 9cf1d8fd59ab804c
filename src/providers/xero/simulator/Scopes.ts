import type { Account } from "../../simulation/Account.ts"
import { isWithout } from "../../simulation/Features.ts"
import type { Feature, SimulatedRequest } from "../../simulation/Simulator.ts"

// https://developer.xero.com/documentation/guides/oauth2/scopes/

/** Scopes for each part of the APIs: the present one, then that of apps from before March 2026. */
const parts: ReadonlyArray<readonly [path: RegExp, ...scopes: ReadonlyArray<string>]> = [
  [/^\/api\.xro\/2\.0\/\w+\/[^/]+\/Attachments/, "accounting.attachments"],
  [/^\/api\.xro\/2\.0\/(?:Invoices|CreditNotes|PurchaseOrders)/, "accounting.invoices", "accounting.transactions"],
  [/^\/api\.xro\/2\.0\/(?:Payments|Overpayments|Prepayments)/, "accounting.payments", "accounting.transactions"],
  [/^\/api\.xro\/2\.0\/Bank(?:Transactions|Transfers)/, "accounting.banktransactions", "accounting.transactions"],
  [/^\/api\.xro\/2\.0\/ManualJournals/, "accounting.manualjournals", "accounting.transactions"],
  [/^\/api\.xro\/2\.0\/Contacts/, "accounting.contacts"],
  [/^\/api\.xro\/2\.0\/Items/, "accounting.settings", "accounting.invoices", "accounting.transactions"],
  [/^\/api\.xro\/2\.0\/(?:Accounts|TaxRates|TrackingCategories|Organisation|Currencies)/, "accounting.settings"],
  [/^\/api\.xro\/2\.0\/Journals/, "accounting.journals"],
  [/^\/api\.xro\/2\.0\/Reports\/BalanceSheet/, "accounting.reports.balancesheet", "accounting.reports"],
  [/^\/api\.xro\/2\.0\/Reports\/ProfitAndLoss/, "accounting.reports.profitandloss", "accounting.reports"],
  [/^\/api\.xro\/2\.0\/Reports\/TrialBalance/, "accounting.reports.trialbalance", "accounting.reports"],
  [/^\/files\.xro\//, "files"],
  [/^\/projects\.xro\//, "projects"],
  [/^\/bankfeeds\.xro\//, "bankfeeds"],
  [/^\/finance\.xro\/1\.0\/BankStatementsPlus/, "finance.bankstatementsplus"],
  [/^\/finance\.xro\/1\.0\/FinancialStatements/, "finance.statements"]
]

/** Scopes that exist only for reading. */
const onlyRead = /^(?:accounting\.(?:journals|reports)|finance\.)/

/** Scopes of an account without a consent: all present ones. */
const all = [
  "offline_access",
  ...new Set(parts.map(([, scope = ""]) => (onlyRead.test(scope) ? `${scope}.read` : scope)))
]

const kept = ["consent", "scopes"] as const

/** Records the scopes of a consent, replacing the previous ones. */
export const consent = (account: Account, scopes: ReadonlyArray<string>): void => account.put(...kept, { scopes })

export const scopesOf = (account: Account): ReadonlyArray<string> => {
  const given = account.get(...kept)?.scopes
  const scopes = Array.isArray(given) ? given.map(String) : all
  const barred = isWithout(account, advanced) ? [journals] : []
  return scopes.filter((name) => !isWithout(account, { kind: "scope", name }) && !barred.includes(name))
}

/** Tier of applications that may use journals, once approved: https://developer.xero.com/faq/pricing-and-policy-updates */
const advanced: Feature = { kind: "tier", name: "Advanced" }

const journals = "accounting.journals.read"

/** Scopes that Xero grants to applications one by one, and the scope of files, which not every consent includes. */
export const features: ReadonlyArray<Feature> = [
  ...["files", journals, "bankfeeds", "finance.bankstatementsplus.read", "finance.statements.read"].map(
    (name): Feature => ({
      kind: "scope",
      name
    })
  ),
  advanced
]

/** Whether the consent covers a request. */
export const covers = (account: Account, { method, path }: SimulatedRequest): boolean => {
  const [, ...wanted] = parts.find(([pattern]) => pattern.test(path)) ?? []
  const held = scopesOf(account)
  return wanted.some((scope) => held.includes(scope) || (method === "GET" && held.includes(`${scope}.read`)))
}
