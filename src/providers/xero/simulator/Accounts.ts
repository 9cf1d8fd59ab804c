import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { partsAt, textAt } from "../../simulation/Docs.ts"
import { type Checked, complain } from "./Answers.ts"
import { common, type Fields, flag, id, one, own, text } from "./Fields.ts"
import { cleared, idOf, keep, type Kind, names } from "./Kind.ts"
import { baseCurrencyOf, currenciesOf, regionOf } from "./Organisation.ts"

// https://developer.xero.com/documentation/api/accounting/accounts

/** Class and usual tax of each type. */
const types: { readonly [type: string]: readonly [accountClass: string, tax: "sales" | "purchases" | "none"] } = {
  BANK: ["ASSET", "none"],
  CURRENT: ["ASSET", "none"],
  FIXED: ["ASSET", "purchases"],
  INVENTORY: ["ASSET", "none"],
  NONCURRENT: ["ASSET", "none"],
  PREPAYMENT: ["ASSET", "none"],
  EQUITY: ["EQUITY", "none"],
  DEPRECIATN: ["EXPENSE", "none"],
  DIRECTCOSTS: ["EXPENSE", "purchases"],
  EXPENSE: ["EXPENSE", "purchases"],
  OVERHEADS: ["EXPENSE", "purchases"],
  CURRLIAB: ["LIABILITY", "none"],
  LIABILITY: ["LIABILITY", "none"],
  TERMLIAB: ["LIABILITY", "none"],
  PAYG: ["LIABILITY", "none"],
  REVENUE: ["REVENUE", "sales"],
  SALES: ["REVENUE", "sales"],
  OTHERINCOME: ["REVENUE", "sales"]
}

export const accountFields: Fields = {
  ...common,
  AccountID: id,
  Code: text(10),
  Name: text(150),
  Type: one(...Object.keys(types)),
  BankAccountNumber: text(),
  Status: one("ACTIVE", "ARCHIVED", "DELETED"),
  Description: text(4000),
  BankAccountType: one("BANK", "CREDITCARD", "PAYPAL", "NONE"),
  CurrencyCode: text(),
  TaxType: text(),
  EnablePaymentsToAccount: flag,
  ShowInExpenseClaims: flag,
  Class: own(text()),
  SystemAccount: own(text()),
  ReportingCode: text(),
  ReportingCodeName: own(text()),
  AddToWatchlist: flag
}

const codes = names("account code")
const labels = names("account name")

export const byCode = (account: Account, code: string): Doc | undefined => {
  const owner = codes.ownerOf(account, code)
  return owner === undefined ? undefined : account.get("Account", owner)
}

/** Finds the account that a body names by id or code. */
export const accountIn = (account: Account, given: Doc): Doc | undefined => {
  const [owner, code] = [textAt(given, "AccountID"), textAt(given, "Code") ?? textAt(given, "AccountCode")]
  return owner === undefined ? byCode(account, code ?? "") : account.get("Account", owner)
}

/** The system account for a purpose. */
export const systemAccount = (account: Account, purpose: string): string =>
  String(account.get("system account", purpose)?.AccountID)

/** Fields of an account that other records show. */
export const accountRef = (account: Account, accountId: unknown): Doc => {
  const held = account.get("Account", String(accountId)) ?? {}
  return { AccountID: accountId, ...(held.Code === undefined ? {} : { Code: held.Code }), Name: held.Name }
}

const isUsed = (account: Account, accountId: unknown): boolean =>
  account
    .all("Journal")
    .some((journal) => partsAt(journal, "JournalLines").some((line) => line.AccountID === accountId))

const complaints = (account: Account, draft: Doc, current: Doc | undefined): ReadonlyArray<string> => {
  const { AccountID, BankAccountNumber, Code, CurrencyCode, Name, TaxType, Type } = draft
  const isTaken = (owner: string | undefined) => owner !== undefined && owner !== AccountID
  const isBank = Type === "BANK"
  return [
    ...(Type === undefined ? ["Account type must be specified."] : []),
    ...(Name === undefined ? ["Please enter a valid name."] : []),
    ...(Code === undefined && !isBank ? ["Please enter a valid code."] : []),
    ...(isTaken(codes.ownerOf(account, String(Code))) ? ["Please enter a unique Code."] : []),
    ...(isTaken(labels.ownerOf(account, String(Name))) ? ["Please enter a unique Name."] : []),
    ...(isBank && BankAccountNumber === undefined ? ["A bank account number must be specified."] : []),
    ...(isBank && draft.Description !== undefined ? ["Bank accounts have no description."] : []),
    ...(CurrencyCode !== undefined && (!isBank || currenciesOf(account)[String(CurrencyCode)] === undefined)
      ? [`Currency code '${String(CurrencyCode)}' is not valid for this account.`]
      : []),
    ...(TaxType !== undefined && account.get("TaxRate", String(TaxType)) === undefined
      ? [`The tax type '${String(TaxType)}' is not valid.`]
      : []),
    ...(current !== undefined && isBank !== (current.Type === "BANK") ? ["The type of a bank account is fixed."] : []),
    ...(current?.SystemAccount !== undefined && (Type !== current.Type || draft.Status !== current.Status)
      ? ["System accounts cannot be updated or archived."]
      : [])
  ]
}

const settled = (account: Account, draft: Doc): Doc => {
  const [accountClass, tax] = types[String(draft.Type)] ?? ["ASSET", "none"]
  const isBank = draft.Type === "BANK"
  return {
    TaxType: regionOf(account).usual[tax],
    EnablePaymentsToAccount: false,
    ShowInExpenseClaims: false,
    AddToWatchlist: false,
    ...(isBank ? { BankAccountType: "BANK", CurrencyCode: baseCurrencyOf(account) } : {}),
    ...draft,
    Class: accountClass
  }
}

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> => {
  const draft: Doc = cleared({ Status: "ACTIVE", ...current, ...given, AccountID: idOf(accounts, current) })
  const messages = complaints(account, draft, current)
  if (messages.length > 0) return complain(...messages)
  if (draft.Status === "DELETED") return complain("Use DELETE to delete an account.")
  const changes = Object.keys(given).filter((name) => current !== undefined && given[name] !== current[name])
  if (changes.length > 1 && changes.includes("Status")) {
    return complain("The status of an account cannot be changed together with other values.")
  }
  return Either.right(() => {
    const doc = keep(account, accounts, settled(account, draft))
    const owner = String(doc.AccountID)
    codes.move(account, owner, textAt(current ?? {}, "Code"), textAt(doc, "Code"))
    labels.move(account, owner, textAt(current ?? {}, "Name"), textAt(doc, "Name"))
    return doc
  })
}

const remove = (account: Account, current: Doc): Checked<() => Doc> => {
  const owner = String(current.AccountID)
  if (current.SystemAccount !== undefined) return complain("System accounts cannot be deleted.")
  if (isUsed(account, owner)) return complain("This account is used in transactions and cannot be deleted.")
  return Either.right(() => {
    codes.move(account, owner, textAt(current, "Code"), undefined)
    labels.move(account, owner, textAt(current, "Name"), undefined)
    return keep(account, accounts, { ...current, Status: "DELETED" })
  })
}

export const accounts: Kind = {
  name: "Accounts",
  entity: "Account",
  id: "AccountID",
  fields: accountFields,
  modifiedSince: true,
  listed: ({ Status }) => Status !== "DELETED",
  view: (account, doc) => ({
    ...doc,
    HasAttachments: account.get("attached", String(doc.AccountID)) !== undefined
  }),
  creates: true,
  updates: "one",
  save,
  remove
}
