import { Decimal } from "decimal.js"
import { Effect } from "effect"
import type { Entries } from "../../mapping/Entries.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { reference, type Transform } from "../../mapping/Transform.ts"
import { settling } from "./Links.ts"
import type { Part } from "./RecordType.ts"
import { letterOf } from "./States.ts"

/**
 * Payments and credits applied to a document. The document does not name them; the links between lines of transactions do.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158618434012.html
 */

export const settlements: Part = (own, connection, records) =>
  Effect.map(
    settling(own, connection, "previous", records),
    (settlingOf) =>
      ({ id }) =>
        settlingOf(id)
  )

const ofType = (parts: Native | undefined, type: string) =>
  natives(parts?.settlements).filter((one) => one.type === type)

/** Total of a document's settlements. */
export const settledOf = (parts: Native | undefined): Decimal =>
  natives(parts?.settlements).reduce((sum, { amount }) => sum.plus(Number(amount)), new Decimal(0))

/** Paid in full, of invoices and bills alike. */
const paidLetter = "B"

interface Settling<N extends string> {
  /** Type of the payments: its code in queries, and native type. */
  readonly payment: readonly [code: string, nativeType: string]
  /** Type of the credits: its code in queries, and the field that lists them. */
  readonly credit: readonly [code: string, canonical: N, field: string, to: Transform]
}

const settled = <N extends string>({
  credit: [creditCode, canonical, field, to],
  payment: [code, nativeType]
}: Settling<N>) => {
  const toPayment = reference("payment", nativeType)
  return (of: Entries<"payments" | "paid_on_date" | "applied_payments" | N>) => [
    of.computed({
      canonical: "payments",
      native: ["id"],
      parts: ["settlements"],
      decode: ({ parts }, context) => ofType(parts, code).map(({ id }) => toPayment.decode(id, context))
    }),
    of.computed({
      canonical: "paid_on_date",
      native: ["status"],
      parts: ["state", "settlements"],
      decode: (bundle) => {
        if (letterOf(bundle) !== paidLetter) return null
        const days = natives(bundle.parts?.settlements).flatMap(({ day }) => (typeof day === "string" ? [day] : []))
        return days.toSorted().at(-1) ?? null
      }
    }),
    of.computed({
      canonical: "applied_payments",
      native: ["id"],
      parts: ["settlements"],
      decode: ({ parts, record }, context) =>
        ofType(parts, code).map(({ amount, day, id }) => ({
          remote_id: `${String(id)}:${String(record.id)}`,
          payment: toPayment.decode(id, context),
          applied_amount: amount,
          applied_date: day
        }))
    }),
    of.computed({
      canonical,
      native: ["id"],
      parts: ["settlements"],
      decode: ({ parts, record }, context) =>
        ofType(parts, creditCode).map(({ amount, day, id }) => ({
          remote_id: `${String(id)}:${String(record.id)}`,
          [field]: to.decode(id, context),
          applied_date: day,
          applied_amount: amount,
          remote_was_deleted: false
        }))
    })
  ]
}

export const invoiceSettlements = settled({
  payment: ["CustPymt", "customerPayment"],
  credit: ["CustCred", "applied_credit_notes", "credit_note", reference("credit_note", "creditMemo")]
})

export const billSettlements = settled({
  payment: ["VendPymt", "vendorPayment"],
  credit: ["VendCred", "applied_vendor_credits", "vendor_credit", reference("vendor_credit", "vendorCredit")]
})
