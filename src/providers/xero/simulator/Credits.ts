import type { Account, Doc } from "../../simulation/Account.ts"
import { compact } from "../../simulation/Docs.ts"
import { dayString } from "./Answers.ts"
import { isOfApp } from "./Kind.ts"
import { type Target, settlementsOf } from "./Settlements.ts"

/** Whether a document or credit is on the customers' side, and not on the suppliers'. */
export const isSales = (doc: Doc): boolean => /^(?:ACCREC|RECEIVE)/.test(String(doc.Type))

/** The payments of a record, as it shows them. */
export const paymentsOf = (account: Account, doc: Doc): ReadonlyArray<Doc> =>
  settlementsOf(doc)
    .filter(({ member }) => member === "Payments")
    .map(({ amount, date, id }) => {
      const payment = account.get("Payment", String(id)) ?? {}
      return compact({
        PaymentID: id,
        Date: date,
        Amount: amount,
        Reference: payment.Reference ?? "",
        BatchPaymentID: payment.BatchPaymentID,
        CurrencyRate: isOfApp(payment) && payment.CurrencyRate === 1 ? undefined : payment.CurrencyRate,
        HasAccount: false,
        HasValidationErrors: false
      })
    })

/** The invoices that a credit was allocated to, as it shows them. */
export const allocationsOf = (account: Account, doc: Doc): ReadonlyArray<Doc> =>
  settlementsOf(doc)
    .filter(({ member }) => member === "Allocations")
    .map(({ amount, date, id, other }) => ({
      AllocationID: id,
      Amount: amount,
      Date: date,
      Invoice: { InvoiceID: other, InvoiceNumber: account.get("Invoice", String(other))?.InvoiceNumber ?? "" }
    }))

/** The credits of a kind that were allocated to an invoice, as it shows them. */
export const creditsOf = (
  account: Account,
  doc: Doc,
  entity: Exclude<Target["entity"], "Invoice">
): ReadonlyArray<Doc> =>
  settlementsOf(doc)
    .filter(({ member }) => member === `${entity}s`)
    .map(({ amount, other }) => {
      const credit = account.get(entity, String(other)) ?? {}
      return compact({
        [`${entity}ID`]: other,
        ID: other,
        CreditNoteNumber: credit.CreditNoteNumber,
        AppliedAmount: amount,
        // its own day, whenever it was allocated
        DateString: dayString(credit.Date),
        Date: credit.Date,
        LineItems: [],
        Total: credit.Total,
        HasErrors: false
      })
    })
