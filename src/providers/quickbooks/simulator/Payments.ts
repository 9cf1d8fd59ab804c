import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { controlComplaints, finish, head, negative, payableComplaints, throughComplaints, voidNote } from "./Books.ts"
import { business, type Complaint, invalidReference, missing, transactionNotFound } from "./Faults.ts"
import { amountAt, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { entityOfLink, owedByEntry, unapplied } from "./Ledger.ts"
import type { Rule } from "./Lists.ts"
import { controlAccount, systemAccount } from "./Postings.ts"

// Payments: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/payment

/** What payments leave of a journal entry for or against a customer or vendor. */
const openOfEntry = (account: Account, entry: Doc, party: string | undefined): Decimal => {
  const paid = partsAt(entry, "LinkedTxn").flatMap(({ TxnId, TxnType }) =>
    partsAt(account.get(entityOfLink(String(TxnType)), String(TxnId)) ?? {}, "Line")
      .filter((line) => partsAt(line, "LinkedTxn")[0]?.TxnId === entry.Id)
      .map((line) => amountAt(line, "Amount"))
  )
  return paid.reduce((left, one) => left.minus(one), owedByEntry(account, entry, party).abs())
}

/** Complaints about the transactions that a payment is applied to. */
const applicationComplaints = (
  account: Account,
  draft: Doc,
  current: Doc | undefined,
  party: string
): ReadonlyArray<Complaint> => {
  const idOf = (line: Doc) => partsAt(line, "LinkedTxn")[0]?.TxnId
  /** Sums the amounts that lines apply to one transaction. */
  const takenOf = (lines: ReadonlyArray<Doc>, id: unknown) =>
    lines.reduce((sum, line) => (idOf(line) === id ? sum.plus(amountAt(line, "Amount")) : sum), new Decimal(0))
  const before = partsAt(current ?? {}, "Line")
  return partsAt(draft, "Line").flatMap((line) => {
    const [link, ...more] = partsAt(line, "LinkedTxn")
    if (link === undefined) return [missing("Line.LinkedTxn")]
    if (more.length > 0) return [business("A line of a payment is applied to one transaction.")]
    const target = account.get(String(link.TxnType), String(link.TxnId))
    if (target === undefined) return [transactionNotFound]
    const isEntry = link.TxnType === "JournalEntry"
    if (!isEntry && refAt(target, party) !== refAt(draft, party))
      return [business("The transaction that is linked belongs to another customer or vendor.")]
    const left = isEntry ? openOfEntry(account, target, refAt(draft, party)) : amountAt(target, "Balance")
    const open = left.plus(takenOf(before, link.TxnId))
    return amountAt(line, "Amount").isNegative() || takenOf(partsAt(draft, "Line"), link.TxnId).gt(open)
      ? [business("The amount applied to a transaction can't be greater than its open balance.")]
      : []
  })
}

const sourceComplaints = (
  account: Account,
  id: string | undefined,
  types: ReadonlyArray<string>,
  path: string,
  currency: string
): ReadonlyArray<Complaint> => {
  const found = id === undefined ? undefined : account.get("Account", id)
  return found === undefined || types.includes(textAt(found, "AccountType") ?? "")
    ? throughComplaints(account, id, currency)
    : [invalidReference(path)]
}

const paymentComplaints = (account: Account, draft: Doc, current: Doc | undefined, party: string) => [
  ...applicationComplaints(account, draft, current, party),
  ...(amountAt(draft, "TotalAmt").isNegative()
    ? [negative]
    : unapplied(account, draft) < 0
      ? [business("The amount applied is greater than the amount of the payment.")]
      : [])
]

export const payment: Rule = (account, draft, current) => {
  const customer = account.get("Customer", refAt(draft, "CustomerRef") ?? "")
  const { complaints, currency, doc } = head(account, draft, customer)
  return finish(
    [
      ...complaints,
      ...paymentComplaints(account, draft, current, "CustomerRef"),
      ...controlComplaints(account, draft, "ARAccountRef", "Accounts Receivable", currency),
      ...sourceComplaints(
        account,
        refAt(draft, "DepositToAccountRef"),
        ["Bank", "Other Current Asset"],
        "DepositToAccountRef",
        currency
      )
    ],
    () => ({
      Line: [],
      DepositToAccountRef: { value: systemAccount(account, "UndepositedFunds") },
      ...doc,
      ARAccountRef: draft.ARAccountRef ?? { value: controlAccount(account, "Accounts Receivable", currency) },
      UnappliedAmt: unapplied(account, draft)
    })
  )
}

export const billPayment: Rule = (account, draft, current) => {
  const vendor = account.get("Vendor", refAt(draft, "VendorRef") ?? "")
  const { complaints, currency, doc } = head(account, draft, vendor)
  const isCard = draft.PayType === "CreditCard"
  const member = isCard ? "CreditCardPayment" : "CheckPayment"
  const reference = isCard ? "CCAccountRef" : "BankAccountRef"
  return finish(
    [
      ...complaints,
      ...(draft[member] === undefined ? [missing(member)] : []),
      ...paymentComplaints(account, draft, current, "VendorRef"),
      ...payableComplaints(account, draft, currency),
      ...sourceComplaints(
        account,
        refAt(partAt(draft, member), reference),
        [isCard ? "Credit Card" : "Bank"],
        `${member}.${reference}`,
        currency
      )
    ],
    () => ({
      ...doc,
      APAccountRef: draft.APAccountRef ?? { value: controlAccount(account, "Accounts Payable", currency) }
    })
  )
}

/** Voids a payment: it stays, with amount 0 and no applications. */
export const voidPayment = (payment: Doc): Doc => ({
  ...payment,
  PrivateNote: voidNote(payment),
  Line: [],
  TotalAmt: 0,
  ...("UnappliedAmt" in payment ? { UnappliedAmt: 0 } : {})
})
