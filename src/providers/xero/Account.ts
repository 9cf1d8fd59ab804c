import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { type AccountKind, accountKind, accountKinds } from "../../mapping/AccountKinds.ts"
import { Account } from "../../canonical/accounting/Account.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { archiving, company, identity, mappingOf } from "./Common.ts"
import type { Kept } from "./Kept.ts"
import { endpoints, type Kind, objects } from "./Objects.ts"
import { accountOf, runReport } from "./Reports.ts"

/**
 * The chart of accounts. Xero states balances in reports only, and has no subaccounts.
 * https://developer.xero.com/documentation/api/accounting/accounts
 * https://developer.xero.com/documentation/api/accounting/reports#trialbalance
 */

/** A type and what tells its accounts apart: the use of a bank account, the purpose of a system account. */
interface Is {
  readonly Type: string
  readonly BankAccountType?: string
  readonly SystemAccount?: string
}

/** https://developer.xero.com/documentation/api/accounting/types#account-types */
const kinds: ReadonlyArray<readonly [is: Is, kind: AccountKind]> = [
  [{ Type: "CURRENT", SystemAccount: "DEBTORS" }, accountKind("ASSET", "ASSET", "ACCOUNTS_RECEIVABLE")],
  [{ Type: "CURRLIAB", SystemAccount: "CREDITORS" }, accountKind("LIABILITY", "LIABILITY", "ACCOUNTS_PAYABLE")],
  [{ Type: "CURRENT" }, accountKind("ASSET", "ASSET", "OTHER_CURRENT_ASSET")],
  [{ Type: "BANK", BankAccountType: "CREDITCARD" }, accountKind("ASSET", "ASSET", "CREDIT_CARD")],
  [{ Type: "BANK" }, accountKind("ASSET", "ASSET", "BANK")],
  [{ Type: "INVENTORY" }, accountKind("ASSET", "ASSET", "OTHER_CURRENT_ASSET")],
  [{ Type: "PREPAYMENT" }, accountKind("ASSET", "ASSET", "OTHER_CURRENT_ASSET")],
  [{ Type: "FIXED" }, accountKind("ASSET", "ASSET", "FIXED_ASSET")],
  [{ Type: "NONCURRENT" }, accountKind("ASSET", "ASSET", "OTHER_ASSET")],
  [{ Type: "CURRLIAB" }, accountKind("LIABILITY", "LIABILITY", "OTHER_CURRENT_LIABILITY")],
  [{ Type: "LIABILITY" }, accountKind("LIABILITY", "LIABILITY", "OTHER_CURRENT_LIABILITY")],
  [{ Type: "PAYG" }, accountKind("LIABILITY", "LIABILITY", "OTHER_CURRENT_LIABILITY")],
  [{ Type: "TERMLIAB" }, accountKind("LIABILITY", "LIABILITY", "LONG_TERM_LIABILITY")],
  [{ Type: "EQUITY" }, accountKind("EQUITY", "EQUITY", null)],
  [{ Type: "REVENUE" }, accountKind("REVENUE", "INCOME", null)],
  [{ Type: "SALES" }, accountKind("REVENUE", "INCOME", null)],
  [{ Type: "OTHERINCOME" }, accountKind("REVENUE", "OTHER_INCOME", "OTHER_INCOME")],
  [{ Type: "DIRECTCOSTS" }, accountKind("EXPENSE", "COST_OF_GOODS_SOLD", "COST_OF_GOODS_SOLD")],
  [{ Type: "EXPENSE" }, accountKind("EXPENSE", "EXPENSE", null)],
  [{ Type: "OVERHEADS" }, accountKind("EXPENSE", "EXPENSE", null)],
  [{ Type: "DEPRECIATN" }, accountKind("EXPENSE", "EXPENSE", null)]
]

export const accountKindOf = (get: (native: string) => unknown): AccountKind | undefined =>
  kinds.find(([is]) => Object.entries(is).every(([native, value]) => get(native) === value))?.[1]

const views = accountKinds({
  // system accounts cannot be created
  kinds: kinds.filter(([{ SystemAccount }]) => SystemAccount === undefined),
  native: ["Type", "BankAccountType", "SystemAccount"],
  kindOf: accountKindOf,
  write: ({ BankAccountType, Type }, set) => {
    set("Type", Type)
    if (BankAccountType !== undefined) set("BankAccountType", BankAccountType)
  }
})

/** The code; a bank account without one goes by its bank account number. */
const number = computed({
  canonical: "account_number",
  native: ["Code", "BankAccountNumber"],
  needsCurrent: true,
  decode: ({ record }) => record.Code ?? record.BankAccountNumber,
  encode: (value, { get, set }) => {
    const isCoded = get("Type") !== "BANK" || (get("Code") ?? "") !== ""
    if (value !== null) set(isCoded ? "Code" : "BankAccountNumber", value)
  }
})

/** Only bank accounts may have a currency of their own; it cannot change. */
const currency = computed({
  canonical: "currency",
  native: ["CurrencyCode"],
  lookups: ["organisation"],
  encodeLookups: ["organisation"],
  needsCurrent: true,
  decode: ({ lookups, record }) => record.CurrencyCode ?? getPath(lookups, "organisation.BaseCurrency"),
  encode: (value, { current, get, lookups, prefix, refuse, set }) => {
    const base = getPath(lookups, "organisation.BaseCurrency")
    if (value === null || value === (get("CurrencyCode") ?? base)) return
    if (current === undefined && get("Type") === "BANK") set("CurrencyCode", value)
    else refuse(`${prefix}currency`, `is ${String(get("CurrencyCode") ?? base)} for this account`)
  }
})

/** The type under Xero's own name. A type of another provider is ignored. */
const remoteType = computed({
  canonical: "remote_type",
  native: ["Type"],
  needsCurrent: true,
  decode: ({ record }) => record.Type,
  encode: (value, { get, prefix, set, warn }) => {
    if (value === null || value === get("Type")) return
    if (kinds.some(([{ Type }]) => Type === value)) set("Type", value)
    else warn(`${prefix}remote_type`, "NOT_HELD", "is not held: it is not an account type of Xero")
  }
})

const trialBalance = "trialBalance"

/** Whether debits raise the balance of accounts of a class: assets and expenses; credits raise the others. */
const isDebit = (accountClass: unknown) => accountClass === "ASSET" || accountClass === "EXPENSE"

/**
 * From today's trial balance, up to a minute old; income and expenses count from the start of the financial year. Null for
 * bank accounts in another currency than the base currency, and where the connection may not read reports.
 */
const balance = computed({
  canonical: "current_balance",
  native: ["AccountID", "Class", "CurrencyCode"],
  parts: [trialBalance],
  lookups: ["organisation"],
  decode: ({ lookups, parts, record }) => {
    const base = getPath(lookups, "organisation.BaseCurrency")
    if (parts?.[trialBalance] === undefined || (record.CurrencyCode ?? base) !== base) return null
    const side = (name: string) => Number(getPath(parts[trialBalance], `${String(record.AccountID)}.${name}`) ?? 0)
    const held = new Decimal(side("debit")).minus(side("credit"))
    return (isDebit(record.Class) ? held : held.negated()).toNumber()
  }
})

const mapping = mappingOf(Account, (of) => [
  of.variant({
    nativeType: "Account",
    entries: [
      ...identity(of, "AccountID"),
      of.field("name", "Name", text),
      of.field("description", "Description", text),
      remoteType(of),
      ...views(of),
      archiving(of, "Status", "INACTIVE"),
      number(of),
      balance(of),
      currency(of),
      company(of)
    ],
    notHeld: {
      remote_created_at: "Xero states no time of creation for accounts.",
      parent_account: "Xero's chart of accounts is a flat list without accounts below others."
    }
  })
])

/** A row of the trial balance holds the amounts of the month, then those of the year, each as debit and credit. */
const sidesOf = (report: Native): Native =>
  Object.fromEntries(
    natives(report.Rows)
      .flatMap((section) => natives(section.Rows))
      .flatMap((row) => {
        const [, , , debit, credit] = natives(row.Cells)
        const id = accountOf(row)
        return id === undefined ? [] : [[id, { debit: debit?.Value, credit: credit?.Value }]]
      })
  )

/** Reads the debits and credits of accounts, by account id; null where the connection may not read reports. */
export const readBalances = (call: Caller) => {
  const run = runReport(endpoints(call))
  return (connection: ConnectionRef) =>
    run(connection, "TrialBalance", {}).pipe(
      Effect.map((report): Native | null => sidesOf(report)),
      Effect.catchIf(
        ({ reason }) => reason._tag === "NotPermitted",
        () => Effect.succeed(null)
      )
    )
}

export const accounts: Kind = {
  nativeType: "Account",
  endpoint: "Accounts",
  id: "AccountID",
  stamp: "UpdatedDateUTC",
  isBare: true,
  apart: "Status",
  ending: "delete"
}

export const account = (call: Caller, { balances }: Pick<Kept, "balances">): ResourceAdapter => {
  /** One report for all accounts of a page. */
  const complete: Kind["complete"] = (connection, wanted, records) =>
    records.length === 0 || !wanted.includes(trialBalance)
      ? Effect.succeed(records)
      : Effect.map(balances(connection), (sides) =>
          sides === null ? records : records.map((one) => ({ ...one, parts: { [trialBalance]: sides } }))
        )
  const { remove, ...verbs } = objects(call, mapping, { ...accounts, complete })
  const { update } = endpoints(call)
  return {
    ...verbs,
    needs: ["account_number"],
    /** A used account can only be archived. */
    ...(remove === undefined
      ? {}
      : {
          remove: (target) =>
            Effect.catchIf(
              remove(target),
              ({ reason }) => reason._tag === "Invalid",
              () => Effect.asVoid(update(target.connection, accounts, target.id, { Status: "ARCHIVED" }, "archive"))
            )
        })
  }
}
