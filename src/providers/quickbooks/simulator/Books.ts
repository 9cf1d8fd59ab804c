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
  otherCurrency,
  type Outcome,
  refuse,
  timestamp,
  wrongAmount,
  wrongLineTaxCode
} from "./Faults.ts"
import { amountAt, compact, currencyOf, homeCurrency, money, partsAt, refAt, textAt } from "./Fields.ts"

// Shared by the rules of all transactions.

/** Default units of home currency for one of a currency. */
const exchangeRates: { readonly [currency: string]: number } = {
  USD: 1,
  EUR: 1.0842,
  GBP: 1.2715,
  CAD: 0.7328,
  JPY: 0.00668,
  KWD: 3.2541
}

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
  const own = currencyOf(account.get("Account", id ?? "") ?? {})
  return own === homeCurrency || own === currency ? [] : [otherCurrency]
}

/** Completes date, currency and rate, which all transactions have; checks the currency against the party's. */
export const head = (account: Account, draft: Doc, party: Doc | undefined) => {
  const currency = currencyOf(draft)
  const complaints = [
    ...(party !== undefined && currencyOf(party) !== currency ? [otherCurrency] : []),
    ...projectComplaints(account, draft, "ProjectRef"),
    ...(currency === homeCurrency && (draft.ExchangeRate ?? 1) !== 1
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
      ExchangeRate: currency === homeCurrency ? 1 : (draft.ExchangeRate ?? exchangeRates[currency] ?? 1)
    }
  }
}

/** Numbers lines: existing ones keep their ids, others get new ones. */
export const numbered = (lines: ReadonlyArray<Doc>, current: Doc | undefined): ReadonlyArray<Doc> => {
  const known = new Set(partsAt(current ?? {}, "Line").flatMap((line) => textAt(line, "Id") ?? []))
  let last = Math.max(0, ...[...known].map(Number))
  return lines.map(({ Id, ...line }, index) => ({
    Id: typeof Id === "string" && known.has(Id) ? Id : String((last += 1)),
    LineNum: index + 1,
    ...line
  }))
}

/** An item's line needs an amount, which must be quantity times price when the line has both. */
export const amountComplaints = (line: Doc, detail: Doc, currency: string): ReadonlyArray<Complaint> => {
  if (line.Amount === undefined) return [missing("Amount")]
  if (detail.UnitPrice === undefined || detail.Qty === undefined) return []
  const product = amountAt(detail, "UnitPrice").times(amountAt(detail, "Qty"))
  const unit = new Decimal(10).pow(-digitsOf(currency))
  return product.minus(amountAt(line, "Amount")).abs().gt(unit) ? [wrongAmount(String(line.Amount))] : []
}

export const taxComplaints = (detail: Doc): ReadonlyArray<Complaint> => {
  const code = refAt(detail, "TaxCodeRef") ?? "NON"
  return code === "TAX" || code === "NON" ? [] : [wrongLineTaxCode(code)]
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
export const totals = (total: Decimal, current: Doc | undefined) => {
  const paid =
    current === undefined ? new Decimal(0) : amountAt(current, "TotalAmt").minus(amountAt(current, "Balance"))
  const open = total.minus(paid)
  return {
    open,
    complaints: [...(total.isNegative() ? [negative] : []), ...(open.isNegative() && !paid.isZero() ? [overpaid] : [])]
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

/** The note of a voided transaction. */
export const voidNote = (doc: Doc): string => {
  const note = textAt(doc, "PrivateNote")
  return note === undefined ? "Voided" : note.startsWith("Voided") ? note : `Voided - ${note}`
}
