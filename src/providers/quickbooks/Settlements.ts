import { Decimal } from "decimal.js"
import type { Invoice } from "../../canonical/accounting/Invoice.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { reference, type Transform } from "../../mapping/Transform.ts"
import { amountOf } from "./Common.ts"
import { oneOf, quoted } from "./Conditions.ts"
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
  /** The native member that names the customer or vendor. */
  readonly party: string
  /** Whether a link of a document leads to such a payment. */
  readonly isLink: (type: unknown) => boolean
}

export const ofInvoices: Settlement = {
  entity: "Payment",
  document: "Invoice",
  credit: "CreditMemo",
  party: "CustomerRef",
  isLink: (type) => type === "Payment"
}

/** Links name the kind of bill payment: BillPaymentCheck, BillPaymentCreditCard. */
export const ofBills: Settlement = {
  entity: "BillPayment",
  document: "Bill",
  credit: "VendorCredit",
  party: "VendorRef",
  isLink: (type) => typeof type === "string" && type.startsWith("BillPayment")
}

export const linksOf = (record: Native) => natives(record.LinkedTxn)

export const idsOf = (settlement: Settlement, record: Native) =>
  linksOf(record).flatMap((link) => (settlement.isLink(link.TxnType) ? [String(link.TxnId)] : []))

/** The credit that a share of a payment is from: a credit memo or vendor credit, or a journal entry in the party's favour. */
interface Credit {
  readonly type: unknown
  readonly id: string
}

/** The share of a payment, in money or from one credit, that goes to one document. */
interface Allocation {
  readonly type: unknown
  readonly id: string
  /** Undefined for money. */
  readonly credit: Credit | undefined
  readonly amount: Decimal
}

interface PaymentLine extends Credit {
  readonly amount: Decimal
}

const linesOf = (payment: Native): ReadonlyArray<PaymentLine> =>
  natives(payment.Line).flatMap((line) =>
    linksOf(line)
      .slice(0, 1)
      .map((link) => ({ type: link.TxnType, id: String(link.TxnId), amount: amountOf(line.Amount) ?? new Decimal(0) }))
  )

const sumOf = (lines: ReadonlyArray<{ readonly amount: Decimal }>) =>
  lines.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))

/** Lines beyond which it is not searched which of them are credits. */
const mostUnsure = 12

/** Every choice of some lines, the smaller ones first. */
const choicesOf = (lines: ReadonlyArray<PaymentLine>): ReadonlyArray<ReadonlyArray<PaymentLine>> =>
  lines
    .reduce<ReadonlyArray<ReadonlyArray<PaymentLine>>>(
      (choices, line) => [...choices, ...choices.map((choice) => [...choice, line])],
      [[]]
    )
    .toSorted((a, b) => a.length - b.length)

/**
 * Lines that gave something to the others. Journal entries and the like may be on either side, and lines do not say on which:
 * what is applied, less credits, is what the payment comes to.
 */
const creditsOf = (settlement: Settlement, payment: Native, lines: ReadonlyArray<PaymentLine>) => {
  const sure = lines.filter(({ type }) => type === settlement.credit)
  const unsure = lines.filter(({ type }) => type !== settlement.credit && type !== settlement.document)
  const used = (amountOf(payment.TotalAmt) ?? new Decimal(0)).minus(amountOf(payment.UnappliedAmt) ?? 0)
  const excess = sumOf(lines).minus(sumOf(sure).times(2)).minus(used)
  const choices = unsure.length > mostUnsure ? [] : choicesOf(unsure)
  return new Set([...sure, ...(choices.find((choice) => sumOf(choice).times(2).equals(excess)) ?? [])])
}

/**
 * A payment states how much each document got and how much each credit gave, but not which gave to which: this uses up the
 * credits in the order of the lines, and covers the rest with money.
 */
export const allocationsOf = (settlement: Settlement, payment: Native): ReadonlyArray<Allocation> => {
  const lines = linesOf(payment)
  const credits = creditsOf(settlement, payment, lines)
  const left = [...credits].map((line) => ({ ...line }))
  return lines
    .filter((line) => !credits.has(line))
    .flatMap(({ amount, id, type }) => {
      let open = amount
      const given: Array<Allocation> = []
      for (const credit of left) {
        const part = Decimal.min(open, credit.amount)
        if (part.lte(0)) continue
        credit.amount = credit.amount.minus(part)
        open = open.minus(part)
        given.push({ type, id, credit, amount: part })
      }
      return open.isZero() ? given : [...given, { type, id, credit: undefined, amount: open }]
    })
}

/** Shares of a payment that went to one document. */
const sharesOf = (settlement: Settlement, payment: Native, id: unknown) =>
  allocationsOf(settlement, payment).filter((one) => one.type === settlement.document && one.id === String(id))

/** The part of an invoice that was paid when it was made out; no payment stands for it. */
const depositOf = (record: Native) => {
  const amount = amountOf(record.Deposit)
  return amount?.gt(0) === true
    ? [
        {
          remote_id: `${String(record.Id)}:deposit`,
          payment: null,
          applied_amount: amount.toNumber(),
          applied_date: dayOf(record)
        }
      ]
    : []
}

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
      native: ["Balance", "TotalAmt", "LinkedTxn", "Deposit", "TxnDate"],
      parts: [part],
      decode: ({ parts, record }) => {
        if (record.Balance !== 0 || amountOf(record.TotalAmt)?.gt(0) !== true) return null
        const days = natives(parts?.[part]).flatMap((payment) => dayOf(payment) ?? [])
        return days.toSorted().at(-1) ?? depositOf(record)[0]?.applied_date ?? null
      }
    }),
    of.computed({
      canonical: "applied_payments",
      native: ["Id", "Deposit", "TxnDate"],
      parts: [part],
      decode: ({ parts, record }, context) => [
        ...depositOf(record),
        ...natives(parts?.[part]).flatMap((payment) => {
          const money = sharesOf(settlement, payment, record.Id).filter(({ credit }) => credit === undefined)
          if (money.length === 0) return []
          return [
            {
              remote_id: `${String(payment.Id)}:${String(record.Id)}`,
              payment: toPayment.decode(payment.Id, context),
              applied_amount: sumOf(money).toNumber(),
              applied_date: dayOf(payment)
            }
          ]
        })
      ]
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
                    remote_id: `${String(payment.Id)}:${credit.id}`,
                    [applied.field]: credit.type === settlement.credit ? applied.to.decode(credit.id, context) : null,
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

const partyOf = ({ party }: Settlement, record: Native) => getPath(record, `${party}.value`)

const createdOf = (record: Native) => {
  const time = getPath(record, "MetaData.CreateTime")
  return typeof time === "string" ? time : undefined
}

/** Whether a payment applies a credit. */
export const isLinkedBy =
  ({ credit }: Settlement, record: Native) =>
  (payment: Native) =>
    natives(payment.Line).some((line) =>
      linksOf(line).some(({ TxnId, TxnType }) => TxnType === credit && String(TxnId) === String(record.Id))
    )

/** Whether some of a credit was applied. */
const isUsed = ({ Balance, RemainingCredit, TotalAmt }: Native) => {
  const left = amountOf(RemainingCredit ?? Balance)
  return left === undefined || amountOf(TotalAmt)?.equals(left) !== true
}

/** Conditions on the payments that may apply credits: their parties', from the time on when the oldest of them was made. */
export const paymentsSince = (settlement: Settlement, credits: ReadonlyArray<Native>): ReadonlyArray<string> => {
  const [oldest] = credits
    .flatMap((credit) => createdOf(credit) ?? [])
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
  return [
    oneOf(settlement.party, [...new Set(credits.map((credit) => String(partyOf(settlement, credit))))]),
    ...(oldest === undefined ? [] : [`MetaData.LastUpdatedTime >= ${quoted(oldest)}`])
  ]
}

/** Payments that apply credits, which do not name them. */
const creditPart = (settlement: Settlement): Part => ({
  entity: settlement.entity,
  among: (records) => {
    const used = records.filter((record) => isUsed(record) && partyOf(settlement, record) !== undefined)
    return used.length === 0 ? undefined : paymentsSince(settlement, used)
  },
  isOf: (record) => isLinkedBy(settlement, record)
})

export const creditPayments = creditPart(ofInvoices)
export const creditBillPayments = creditPart(ofBills)
