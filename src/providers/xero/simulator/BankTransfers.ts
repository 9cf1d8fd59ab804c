import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, money, partAt, textAt } from "../../simulation/Docs.ts"
import { accountFields, accountIn, accountRef } from "./Accounts.ts"
import { type Checked, complain, dayString } from "./Answers.ts"
import { bankTransactions } from "./BankTransactions.ts"
import { common, day, type Fields, flag, id, number, one, own, part, parts, stamp, text } from "./Fields.ts"
import { keep, type Kind } from "./Kind.ts"
import { post, unpost } from "./Ledger.ts"
import { currenciesOf, today } from "./Organisation.ts"

// https://developer.xero.com/documentation/api/accounting/banktransfers

const fields: Fields = {
  ...common,
  BankTransferID: id,
  FromBankAccount: part(accountFields),
  ToBankAccount: part(accountFields),
  Amount: number,
  Date: day,
  DateString: own(text()),
  CurrencyRate: own(number),
  FromBankTransactionID: own(id),
  ToBankTransactionID: own(id),
  FromIsReconciled: flag,
  ToIsReconciled: flag,
  Reference: text(255),
  CreatedDateUTC: stamp,
  Status: one("AUTHORISED", "DELETED"),
  FromTracking: own(parts({})),
  ToTracking: own(parts({}))
}

/** The half of a transfer that each bank account shows. */
const half = (account: Account, transfer: Doc, type: "SPEND-TRANSFER" | "RECEIVE-TRANSFER", bank: Doc): string => {
  const BankTransactionID = crypto.randomUUID()
  keep(account, bankTransactions, {
    BankTransactionID,
    Type: type,
    AccountID: bank.AccountID,
    Date: transfer.Date,
    ...(transfer.Reference === undefined ? {} : { Reference: transfer.Reference }),
    Status: "AUTHORISED",
    LineAmountTypes: "NoTax",
    LineItems: [],
    IsReconciled: (type === "SPEND-TRANSFER" ? transfer.FromIsReconciled : transfer.ToIsReconciled) === true,
    CurrencyCode: bank.CurrencyCode,
    CurrencyRate: transfer.CurrencyRate,
    SubTotal: transfer.Amount,
    TotalTax: 0,
    Total: transfer.Amount
  })
  return BankTransactionID
}

const created = (account: Account, given: Doc): Checked<() => Doc> => {
  const from = accountIn(account, partAt(given, "FromBankAccount"))
  const to = accountIn(account, partAt(given, "ToBankAccount"))
  const amount = amountAt(given, "Amount")
  const isBank = (one: Doc | undefined): one is Doc => one?.Type === "BANK" && one.Status === "ACTIVE"
  if (!isBank(from) || !isBank(to)) return complain("The bank accounts of the transfer are not valid.")
  if (from.AccountID === to.AccountID) return complain("A transfer must be between two bank accounts.")
  if (from.CurrencyCode !== to.CurrencyCode) return complain("Both bank accounts must have the same currency.")
  if (amount.lte(0)) return complain("The amount of a transfer must be greater than zero.")
  return Either.right(() => {
    const rate = currenciesOf(account)[String(from.CurrencyCode)]?.rate ?? 1
    const transfer = compact({
      BankTransferID: crypto.randomUUID(),
      FromAccountID: from.AccountID,
      ToAccountID: to.AccountID,
      Amount: money(amount),
      Date: textAt(given, "Date") ?? today(account),
      Reference: given.Reference === "" ? undefined : given.Reference,
      CurrencyRate: rate,
      FromIsReconciled: given.FromIsReconciled === true,
      ToIsReconciled: given.ToIsReconciled === true,
      CreatedDateUTC: account.now,
      Status: "AUTHORISED"
    })
    const doc = keep(account, bankTransfers, {
      ...transfer,
      FromBankTransactionID: half(account, transfer, "SPEND-TRANSFER", from),
      ToBankTransactionID: half(account, transfer, "RECEIVE-TRANSFER", to)
    })
    const source = {
      id: String(doc.BankTransferID),
      type: "TRANSFER",
      date: String(doc.Date),
      reference: doc.Reference
    }
    post(account, { ...source, rate: new Decimal(rate) }, [
      { account: String(to.AccountID), amount },
      { account: String(from.AccountID), amount: amount.negated() }
    ])
    return doc
  })
}

const deleted = (account: Account, given: Doc, current: Doc): Checked<() => Doc> => {
  if (given.Status !== "DELETED") return complain("Only the status of a bank transfer can be updated, to DELETED.")
  if (current.Status === "DELETED") return complain("This bank transfer has been deleted.")
  return Either.right(() => {
    unpost(account, String(current.BankTransferID))
    for (const key of [current.FromBankTransactionID, current.ToBankTransactionID]) {
      keep(account, bankTransactions, { ...account.get("BankTransaction", String(key)), Status: "DELETED" })
    }
    return keep(account, bankTransfers, { ...current, Status: "DELETED" })
  })
}

export const bankTransfers: Kind = {
  name: "BankTransfers",
  entity: "BankTransfer",
  id: "BankTransferID",
  fields,
  modifiedSince: true,
  parameters: ["includeDeleted"],
  listed: ({ Status }, query) => Status !== "DELETED" || query.get("includeDeleted") === "true",
  // a transfer tells when it was made, not when it changed
  view: (account, { FromAccountID, ToAccountID, UpdatedDateUTC: _changed, ...doc }) => ({
    ...doc,
    DateString: dayString(doc.Date),
    FromBankAccount: accountRef(account, FromAccountID),
    ToBankAccount: accountRef(account, ToAccountID),
    HasAttachments: account.get("attached", String(doc.BankTransferID)) !== undefined
  }),
  creates: true,
  updates: "both",
  save: (account, given, current) =>
    current === undefined ? created(account, given) : deleted(account, given, current)
}
