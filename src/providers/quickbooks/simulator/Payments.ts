import type { Account, Doc } from "../../simulation/Account.ts"
import { controlComplaints, finish, head, negative, payableComplaints } from "./Books.ts"
import { business, type Complaint, invalidReference, missing, transactionNotFound } from "./Faults.ts"
import { amountAt, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { accountOfType, controlAccount, unapplied } from "./Ledger.ts"
import type { Rule } from "./Lists.ts"

// Payments: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/payment

/** What is wrong with what a payment is applied to. */
const applicationComplaints = (
  account: Account,
  draft: Doc,
  current: Doc | undefined,
  party: string
): ReadonlyArray<Complaint> => {
  const before = new Map(
    partsAt(current ?? {}, "Line").map((line) => [partsAt(line, "LinkedTxn")[0]?.TxnId, amountAt(line, "Amount")])
  )
  return partsAt(draft, "Line").flatMap((line) => {
    const [link, ...more] = partsAt(line, "LinkedTxn")
    if (link === undefined) return [missing("Line.LinkedTxn")]
    if (more.length > 0) return [business("A line of a payment is applied to one transaction.")]
    const target = account.get(String(link.TxnType), String(link.TxnId))
    if (target === undefined) return [transactionNotFound]
    if (refAt(target, party) !== refAt(draft, party))
      return [business("The transaction that is linked belongs to another customer or vendor.")]
    const open = amountAt(target, "Balance").plus(before.get(link.TxnId) ?? 0)
    const amount = amountAt(line, "Amount")
    return amount.isNegative() || amount.gt(open)
      ? [business("The amount applied to a transaction can't be greater than its open balance.")]
      : []
  })
}

const sourceComplaints = (
  account: Account,
  id: string | undefined,
  types: ReadonlyArray<string>,
  path: string
): ReadonlyArray<Complaint> => {
  const found = id === undefined ? undefined : account.get("Account", id)
  return found === undefined || types.includes(textAt(found, "AccountType") ?? "") ? [] : [invalidReference(path)]
}

const paymentComplaints = (account: Account, draft: Doc, current: Doc | undefined, party: string) => [
  ...(amountAt(draft, "TotalAmt").isNegative() ? [negative] : []),
  ...applicationComplaints(account, draft, current, party),
  ...(unapplied(draft) < 0 ? [business("The amount applied is greater than the amount of the payment.")] : [])
]

export const payment: Rule = (account, draft, current) => {
  const customer = account.get("Customer", refAt(draft, "CustomerRef") ?? "")
  const { complaints, currency, doc } = head(account, draft, customer)
  const undeposited = accountOfType(account, "UndepositedFunds")
  return finish(
    [
      ...complaints,
      ...paymentComplaints(account, draft, current, "CustomerRef"),
      ...controlComplaints(account, draft, "ARAccountRef", "Accounts Receivable", currency),
      ...sourceComplaints(
        account,
        refAt(draft, "DepositToAccountRef"),
        ["Bank", "Other Current Asset"],
        "DepositToAccountRef"
      )
    ],
    () => ({
      Line: [],
      ...(undeposited === undefined ? {} : { DepositToAccountRef: { value: undeposited } }),
      ...doc,
      ARAccountRef: draft.ARAccountRef ?? { value: controlAccount(account, "Accounts Receivable", currency) },
      UnappliedAmt: unapplied(draft)
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
        `${member}.${reference}`
      )
    ],
    () => ({
      ...doc,
      APAccountRef: draft.APAccountRef ?? { value: controlAccount(account, "Accounts Payable", currency) }
    })
  )
}
