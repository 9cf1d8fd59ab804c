import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money, partsAt } from "../../simulation/Docs.ts"

// Payments and allocations, stored with each invoice or credit that they settle, one entry for each.

/** A document or credit that stays open until it is settled. */
export interface Target {
  readonly entity: "Invoice" | "CreditNote" | "Overpayment" | "Prepayment"
  readonly id: string
}

export interface Settlement {
  /** The member in which the record shows it. */
  readonly member: "Payments" | "CreditNotes" | "Overpayments" | "Prepayments" | "Allocations"
  /** Id of the payment or allocation. */
  readonly id: string
  readonly amount: number
  readonly date: string
  /** Id of the record on the other side of an allocation. */
  readonly other?: string
}

export const settlementsOf = (doc: Doc): ReadonlyArray<Doc> => partsAt(doc, "settlements")

const sumOf = (list: ReadonlyArray<Doc>): Decimal =>
  list.reduce((sum, one) => sum.plus(amountAt(one, "amount")), new Decimal(0))

/** The open amount of an approved record; 0 for others. */
export const openOf = (doc: Doc): Decimal =>
  doc.Status === "AUTHORISED" || doc.Status === "PAID"
    ? amountAt(doc, "Total").minus(sumOf(settlementsOf(doc)))
    : new Decimal(0)

/** Updates the members of a record that follow from its settlements. */
export const balanced = (entity: Target["entity"], doc: Doc): Doc => {
  const list = settlementsOf(doc)
  const open = openOf(doc)
  const isApproved = doc.Status === "AUTHORISED" || doc.Status === "PAID"
  const { FullyPaidOnDate: _paid, ...members } = doc
  const last = list.map(({ date }) => String(date)).toSorted()
  const settled = isApproved && open.isZero()
  const shared = {
    ...members,
    ...(isApproved ? { Status: settled ? "PAID" : "AUTHORISED" } : {}),
    ...(settled && list.length > 0 ? { FullyPaidOnDate: last.at(-1) } : {})
  }
  if (entity !== "Invoice") return { ...shared, RemainingCredit: money(open) }
  const paid = sumOf(list.filter(({ member }) => member === "Payments"))
  return {
    ...shared,
    AmountPaid: money(paid),
    AmountCredited: money(sumOf(list).minus(paid)),
    // a draft shows its whole amount as due, an ended record none
    AmountDue: isApproved ? money(open) : doc.Status === "VOIDED" || doc.Status === "DELETED" ? 0 : doc.Total
  }
}

const change = (account: Account, { entity, id }: Target, by: (list: ReadonlyArray<Doc>) => ReadonlyArray<Doc>) => {
  const doc = account.get(entity, id)
  if (doc === undefined) return
  const settlements = by(settlementsOf(doc))
  account.put(entity, id, { ...balanced(entity, { ...doc, settlements }), UpdatedDateUTC: account.now })
}

export const settle = (account: Account, target: Target, settlement: Settlement): void =>
  change(account, target, (list) => [...list, { ...settlement }])

export const unsettle = (account: Account, target: Target, settlement: string): void =>
  change(account, target, (list) => list.filter(({ id }) => id !== settlement))
