import { Decimal } from "decimal.js"
import type { Invoice } from "../../canonical/accounting/Invoice.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { reference, type Transform } from "../../mapping/Transform.ts"
import { amountOf } from "./Common.ts"
import type { Part } from "./Entity.ts"

/**
 * Settlement of documents: a Payment settles invoices with money and credit memos, a BillPayment bills with money and vendor
 * credits. A payment of amount 0 applies credits alone. Documents name the payments that settle them in `LinkedTxn`.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/payment
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/billpayment
 */

export interface Settlement {
  /** Entity and native type of the payment. */
  readonly entity: string
  /** Type of the documents and of the credits in its lines. */
  readonly document: string
  readonly credit: string
  /** Whether a link of a document leads to such a payment. */
  readonly isLink: (type: unknown) => boolean
}

export const ofInvoices: Settlement = {
  entity: "Payment",
  document: "Invoice",
  credit: "CreditMemo",
  isLink: (type) => type === "Payment"
}

/** Links name the kind of bill payment: BillPaymentCheck, BillPaymentCreditCard. */
export const ofBills: Settlement = {
  entity: "BillPayment",
  document: "Bill",
  credit: "VendorCredit",
  isLink: (type) => typeof type === "string" && type.startsWith("BillPayment")
}

export const linksOf = (record: Native) => natives(record.LinkedTxn)

export const idsOf = (settlement: Settlement, record: Native) =>
  linksOf(record).flatMap((link) => (settlement.isLink(link.TxnType) ? [String(link.TxnId)] : []))

/** The share of a payment, in money or from one credit, that goes to one document. */
interface Allocation {
  readonly type: unknown
  readonly id: string
  /** Id of the credit; undefined for money. */
  readonly credit: string | undefined
  readonly amount: Decimal
}

/**
 * A payment states how much each document got and how much each credit gave, but not which gave to which: this uses up the
 * credits in the order of the lines, and covers the rest with money.
 */
export const allocationsOf = (settlement: Settlement, payment: Native): ReadonlyArray<Allocation> => {
  const lines = natives(payment.Line).flatMap((line) =>
    linksOf(line)
      .slice(0, 1)
      .map((link) => ({ type: link.TxnType, id: String(link.TxnId), amount: amountOf(line.Amount) ?? new Decimal(0) }))
  )
  const isCredit = ({ type }: { readonly type: unknown }) => type === settlement.credit
  const left = lines.filter(isCredit).map(({ amount, id }) => ({ id, amount }))
  return lines
    .filter((line) => !isCredit(line))
    .flatMap(({ amount, id, type }) => {
      let open = amount
      const given: Array<Allocation> = []
      for (const credit of left) {
        const part = Decimal.min(open, credit.amount)
        if (part.lte(0)) continue
        credit.amount = credit.amount.minus(part)
        open = open.minus(part)
        given.push({ type, id, credit: credit.id, amount: part })
      }
      return open.isZero() ? given : [...given, { type, id, credit: undefined, amount: open }]
    })
}

/** Shares of a payment that went to one document. */
const sharesOf = (settlement: Settlement, payment: Native, id: unknown) =>
  allocationsOf(settlement, payment).filter((one) => one.type === settlement.document && one.id === String(id))

export const dayOf = (payment: Native) => (typeof payment.TxnDate === "string" ? payment.TxnDate.slice(0, 10) : null)

const settled = <N extends "applied_credit_notes" | "applied_vendor_credits">(
  of: Entries<"applied_payments" | "paid_on_date" | "payments" | N>,
  part: string,
  settlement: Settlement,
  applied: { readonly canonical: N; readonly field: string; readonly to: Transform }
) => {
  const toPayment = reference("payment", settlement.entity)
  return [
    of.computed({
      canonical: "payments",
      native: ["LinkedTxn"],
      decode: ({ record }, context) => idsOf(settlement, record).map((id) => toPayment.decode(id, context))
    }),
    of.computed({
      canonical: "paid_on_date",
      native: ["Balance", "TotalAmt", "LinkedTxn"],
      parts: [part],
      decode: ({ parts, record }) => {
        if (record.Balance !== 0 || amountOf(record.TotalAmt)?.gt(0) !== true) return null
        const days = natives(parts?.[part]).flatMap((payment) => dayOf(payment) ?? [])
        return days.toSorted().at(-1) ?? null
      }
    }),
    of.computed({
      canonical: "applied_payments",
      native: ["Id"],
      parts: [part],
      decode: ({ parts, record }, context) =>
        natives(parts?.[part]).flatMap((payment) => {
          const money = sharesOf(settlement, payment, record.Id).filter(({ credit }) => credit === undefined)
          if (money.length === 0) return []
          return [
            {
              remote_id: `${String(payment.Id)}:${String(record.Id)}`,
              payment: toPayment.decode(payment.Id, context),
              applied_amount: money.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0)).toNumber(),
              applied_date: dayOf(payment)
            }
          ]
        })
    }),
    of.computed({
      canonical: applied.canonical,
      native: ["Id"],
      parts: [part],
      decode: ({ parts, record }, context) =>
        natives(parts?.[part]).flatMap((payment) =>
          sharesOf(settlement, payment, record.Id).flatMap(({ amount, credit }) =>
            credit === undefined
              ? []
              : [
                  {
                    remote_id: `${String(payment.Id)}:${credit}`,
                    [applied.field]: applied.to.decode(credit, context),
                    applied_date: dayOf(payment),
                    applied_amount: amount.toNumber(),
                    remote_was_deleted: false
                  }
                ]
          )
        )
    })
  ]
}

export const invoiceSettlements = (of: EntriesOf<typeof Invoice>) =>
  settled(of, "payments", ofInvoices, {
    canonical: "applied_credit_notes",
    field: "credit_note",
    to: reference("credit_note", "CreditMemo")
  })

export const billSettlements = (of: EntriesOf<typeof Invoice>) =>
  settled(of, "billPayments", ofBills, {
    canonical: "applied_vendor_credits",
    field: "vendor_credit",
    to: reference("vendor_credit", "VendorCredit")
  })

const partOf = (settlement: Settlement): Part => ({
  entity: settlement.entity,
  idsOf: (record) => idsOf(settlement, record)
})

export const payments = partOf(ofInvoices)
export const billPayments = partOf(ofBills)
