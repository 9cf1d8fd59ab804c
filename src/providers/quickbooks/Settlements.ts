import { Decimal } from "decimal.js"
import { computed, type ComputedEntry, type Native } from "../../mapping/Mapping.ts"
import { reference, type Transform } from "../../mapping/Transform.ts"
import { amountOf, nativesOf } from "./Common.ts"
import type { Part } from "./Entities.ts"

/**
 * What settles a document: a Payment settles invoices with money and credit memos, a BillPayment bills with money and
 * vendor credits. A credit applied by itself is one of no amount. Documents name those that settle them in `LinkedTxn`.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/payment
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/billpayment
 */

interface Settlement {
  /** Entity, and native type of the payment. */
  readonly entity: string
  /** Type of the documents, and of the credits, in its lines. */
  readonly document: string
  readonly credit: string
  /** Whether a link of the document is to such a payment. */
  readonly isLink: (type: unknown) => boolean
}

const ofInvoices: Settlement = {
  entity: "Payment",
  document: "Invoice",
  credit: "CreditMemo",
  isLink: (type) => type === "Payment"
}

/** Links name the kind of bill payment: BillPaymentCheck, BillPaymentCreditCard. */
const ofBills: Settlement = {
  entity: "BillPayment",
  document: "Bill",
  credit: "VendorCredit",
  isLink: (type) => typeof type === "string" && type.startsWith("BillPayment")
}

const linksOf = (record: Native) => nativesOf(record.LinkedTxn)

const idsOf = (settlement: Settlement, record: Native) =>
  linksOf(record).flatMap((link) => (settlement.isLink(link.TxnType) ? [String(link.TxnId)] : []))

interface Share {
  readonly money: Decimal
  readonly credits: ReadonlyArray<{ readonly id: string; readonly amount: Decimal }>
}

/**
 * The share of one document in a payment. A payment says how much each document got and how much each credit gave, not
 * which gave to which: credits are used up in the order of the lines, and money is what they do not cover.
 */
const shareOf = ({ credit, document }: Settlement, payment: Native, id: unknown): Share => {
  const lines = nativesOf(payment.Line).flatMap((line) =>
    linksOf(line)
      .slice(0, 1)
      .map((link) => ({ type: link.TxnType, id: String(link.TxnId), amount: amountOf(line.Amount) ?? new Decimal(0) }))
  )
  const left = lines.filter(({ type }) => type === credit).map(({ amount, id }) => ({ id, amount }))
  let share: Share = { money: new Decimal(0), credits: [] }
  for (const line of lines) {
    if (line.type === credit) continue
    let open = line.amount
    const credits: Array<{ id: string; amount: Decimal }> = []
    for (const one of left) {
      const amount = Decimal.min(open, one.amount)
      if (amount.lte(0)) continue
      one.amount = one.amount.minus(amount)
      open = open.minus(amount)
      credits.push({ id: one.id, amount })
    }
    if (line.type === document && line.id === String(id)) {
      share = { money: share.money.plus(open), credits: [...share.credits, ...credits] }
    }
  }
  return share
}

const dayOf = (payment: Native) => (typeof payment.TxnDate === "string" ? payment.TxnDate.slice(0, 10) : null)

const settled = (
  part: string,
  settlement: Settlement,
  applied: { readonly canonical: string; readonly field: string; readonly to: Transform }
): ReadonlyArray<ComputedEntry> => {
  const toPayment = reference("payment", settlement.entity)
  return [
    computed({
      canonical: "payments",
      native: ["LinkedTxn"],
      decode: ({ record }, context) => idsOf(settlement, record).map((id) => toPayment.decode(id, context))
    }),
    computed({
      canonical: "paid_on_date",
      native: ["Balance", "TotalAmt", "LinkedTxn"],
      parts: [part],
      decode: ({ parts, record }) => {
        if (record.Balance !== 0 || amountOf(record.TotalAmt)?.gt(0) !== true) return null
        const days = nativesOf(parts?.[part]).flatMap((payment) => dayOf(payment) ?? [])
        return days.toSorted().at(-1) ?? null
      }
    }),
    computed({
      canonical: "applied_payments",
      native: ["Id"],
      parts: [part],
      decode: ({ parts, record }, context) =>
        nativesOf(parts?.[part]).flatMap((payment) => {
          const { money } = shareOf(settlement, payment, record.Id)
          return money.isZero()
            ? []
            : [
                {
                  remote_id: `${String(payment.Id)}:${String(record.Id)}`,
                  payment: toPayment.decode(payment.Id, context),
                  applied_amount: money.toNumber(),
                  applied_date: dayOf(payment)
                }
              ]
        })
    }),
    computed({
      canonical: applied.canonical,
      native: ["Id"],
      parts: [part],
      decode: ({ parts, record }, context) =>
        nativesOf(parts?.[part]).flatMap((payment) =>
          shareOf(settlement, payment, record.Id).credits.map(({ amount, id }) => ({
            remote_id: `${String(payment.Id)}:${id}`,
            [applied.field]: applied.to.decode(id, context),
            applied_date: dayOf(payment),
            applied_amount: amount.toNumber(),
            remote_was_deleted: false
          }))
        )
    })
  ]
}

export const invoiceSettlements = settled("payments", ofInvoices, {
  canonical: "applied_credit_notes",
  field: "credit_note",
  to: reference("credit_note", "CreditMemo")
})

export const billSettlements = settled("billPayments", ofBills, {
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
