import { Decimal } from "decimal.js"
import { Either } from "effect"
import { digitsOf } from "../../../platform/Currency.ts"
import type { Account, Doc } from "../../simulation/Account.ts"
import { dueOn } from "../../simulation/SampleTrade.ts"
import {
  business,
  type Complaint,
  invalidReference,
  missing,
  noTaxRate,
  otherCurrency,
  type Outcome,
  refuse,
  timestamp,
  wrongAmount,
  wrongLineTaxCode
} from "./Faults.ts"
import { amountAt, compact, currencyIn, currencyOf, homeOf, money, partAt, partsAt, refAt, textAt } from "./Fields.ts"

import { isGrossRight, isUnitedStates, type Side, taxedDetailOf, worldOf } from "./World.ts"

// Shared by the rules of all transactions.

/** Units of United States dollars for one of a currency. */
const exchangeRates: { readonly [currency: string]: number } = {
  USD: 1,
  AUD: 0.6531,
  EUR: 1.0842,
  GBP: 1.2715,
  CAD: 0.7328,
  JPY: 0.00668,
  KWD: 3.2541
}

const rateBetween = (currency: string, home: string) =>
  new Decimal(exchangeRates[currency] ?? 1)
    .div(exchangeRates[home] ?? 1)
    .toDecimalPlaces(6)
    .toNumber()

/** Due date of a transaction, by its date and term. */
export const dueDate = (account: Account, txnDate: string, term: string | undefined): string => {
  const found = account.get("Term", term ?? "") ?? {}
  const at = (name: string) => amountAt(found, name).toNumber()
  return dueOn(
    txnDate,
    found.Type === "DATE_DRIVEN"
      ? { dayOfMonth: at("DayOfMonthDue"), nextMonthWithin: at("DueNextMonthDays") }
      : { days: at("DueDays") }
  )
}

/** Money moves only through accounts in its own currency or the home currency. */
export const throughComplaints = (
  account: Account,
  id: string | undefined,
  currency: string
): ReadonlyArray<Complaint> => {
  if (id === undefined) return []
  const own = currencyIn(account, account.get("Account", id) ?? {})
  return own === homeOf(account) || own === currency ? [] : [otherCurrency]
}

/** Completes date, currency and rate, which all transactions have; checks the currency against the party's. */
export const head = (account: Account, draft: Doc, party: Doc | undefined) => {
  const [home, currency] = [homeOf(account), currencyIn(account, draft)]
  const complaints = [
    ...(party !== undefined && currencyOf(party) !== currency ? [otherCurrency] : []),
    ...projectComplaints(account, draft, "ProjectRef"),
    ...(currency === home && (draft.ExchangeRate ?? 1) !== 1
      ? [business("The exchange rate must be 1 for a transaction in the home currency.")]
      : [])
  ]
  return {
    currency,
    complaints,
    doc: {
      ...draft,
      TxnDate: textAt(draft, "TxnDate") ?? timestamp(account.now).slice(0, 10),
      CurrencyRef: { value: currency },
      ExchangeRate: currency === home ? 1 : (draft.ExchangeRate ?? rateBetween(currency, home))
    }
  }
}

/** Numbers lines: existing ones keep their ids, others get new ones. */
export const numbered = (lines: ReadonlyArray<Doc>, current: Doc | undefined): ReadonlyArray<Doc> => {
  const known = new Set(
    partsAt(current ?? {}, "Line")
      .flatMap((line) => [line, ...partsAt(partAt(line, "GroupLineDetail"), "Line")])
      .flatMap((line) => textAt(line, "Id") ?? [])
  )
  let last = Math.max(0, ...[...known].map(Number))
  let number = 0
  const numberedOf = ({ Id, ...line }: Doc): Doc => {
    const head = { Id: typeof Id === "string" && known.has(Id) ? Id : String((last += 1)), LineNum: (number += 1) }
    const group = partAt(line, "GroupLineDetail")
    const members = partsAt(group, "Line")
    if (members.length === 0) return { ...head, ...line }
    return { ...head, ...line, GroupLineDetail: { ...group, Line: members.map(numberedOf) } }
  }
  return lines.map(numberedOf)
}

/** An item's line needs an amount, which must be quantity times price when the line has both. */
export const amountComplaints = (line: Doc, detail: Doc, currency: string): ReadonlyArray<Complaint> => {
  if (line.Amount === undefined) return [missing("Amount")]
  if (detail.UnitPrice === undefined || detail.Qty === undefined) return []
  const product = amountAt(detail, "UnitPrice").times(amountAt(detail, "Qty"))
  const unit = new Decimal(10).pow(-digitsOf(currency))
  return product.minus(amountAt(line, "Amount")).abs().gt(unit) ? [wrongAmount(String(line.Amount))] : []
}

/** In the United States a line says whether it is taxed; elsewhere it names a tax code, unless the document has no tax. */
export const taxComplaints = (account: Account, txn: Doc, line: Doc, side: Side): ReadonlyArray<Complaint> => {
  const code = refAt(partAt(line, taxedDetailOf(line) ?? ""), "TaxCodeRef")
  const { country, taxWord = "tax" } = worldOf(account)
  if (country === "US") return code === undefined || code === "TAX" || code === "NON" ? [] : [wrongLineTaxCode(code)]
  if (txn.GlobalTaxCalculation === "NotApplicable") return []
  if (code === undefined || code === "TAX" || code === "NON") return [noTaxRate(taxWord)]
  const isWrong = txn.GlobalTaxCalculation === "TaxInclusive" && !isGrossRight(account, line, side)
  return isWrong ? [business("The amount with tax of a line is not its amount and the tax on it.")] : []
}

/** How a document has tax: nowhere in the United States, where no document says so. */
export const taxCalculation = (account: Account, draft: Doc): Doc => {
  const { GlobalTaxCalculation, ...rest } = draft
  return isUnitedStates(account) ? rest : { ...rest, GlobalTaxCalculation: GlobalTaxCalculation ?? "TaxExcluded" }
}

export const itemComplaints = (account: Account, detail: Doc, path: string): ReadonlyArray<Complaint> =>
  account.get("Item", refAt(detail, "ItemRef") ?? "")?.Type === "Category"
    ? [{ ...invalidReference(path), Detail: "Invalid Reference Id : Categories cannot be used in transactions." }]
    : []

/** A project is a job of a customer. */
export const projectComplaints = (account: Account, doc: Doc, path: string): ReadonlyArray<Complaint> => {
  const id = refAt(doc, "ProjectRef")
  return id === undefined || account.get("Customer", id)?.Job === true ? [] : [invalidReference(path)]
}

export const sum = (lines: ReadonlyArray<Doc>): Decimal =>
  lines.reduce((total, line) => total.plus(amountAt(line, "Amount")), new Decimal(0))

export const negative = business("Transaction amount must be 0 or greater.")
const overpaid = business("The amount applied to this transaction is greater than its total.")

export const finish = (complaints: ReadonlyArray<Complaint>, doc: () => Doc): Outcome<Doc> => {
  const [first, ...rest] = complaints
  return first === undefined ? Either.right(compact(doc())) : refuse(first, ...rest)
}

/** The part of a total that existing payments leave open, with complaints. */
export const totals = (total: Decimal, current: Doc | undefined, deposit = new Decimal(0)) => {
  const before = current ?? {}
  const paid = amountAt(before, "TotalAmt").minus(amountAt(before, "Balance")).minus(amountAt(before, "Deposit"))
  const open = total.minus(paid).minus(deposit)
  return {
    open,
    complaints: [
      ...(total.isNegative() ? [negative] : []),
      ...(open.isNegative() && !paid.plus(deposit).isZero() ? [overpaid] : [])
    ]
  }
}

export const inHome = (amount: Decimal, doc: Doc): number => money(amount.times(amountAt(doc, "ExchangeRate")))

export const controlComplaints = (
  account: Account,
  draft: Doc,
  member: string,
  type: string,
  currency: string
): ReadonlyArray<Complaint> => {
  const id = refAt(draft, member)
  const found = id === undefined ? undefined : account.get("Account", id)
  return found === undefined || (found.AccountType === type && currencyOf(found) === currency)
    ? []
    : [business(`${member} must be an ${type} account in the currency of the transaction.`)]
}

export const payableComplaints = (account: Account, draft: Doc, currency: string) =>
  controlComplaints(account, draft, "APAccountRef", "Accounts Payable", currency)

/** A document linked to payments keeps its party. */
export const partyComplaints = (draft: Doc, current: Doc | undefined, party: string): ReadonlyArray<Complaint> =>
  current !== undefined && partsAt(current, "LinkedTxn").length > 0 && refAt(draft, party) !== refAt(current, party)
    ? [business("You can't change the name on a transaction that is linked to others.")]
    : []

/** The note of a voided transaction; the mark comes in front of one that has it already, too. */
export const voidNote = (doc: Doc): string => {
  const note = textAt(doc, "PrivateNote")
  return note === undefined ? "Voided" : `Voided - ${note}`
}
