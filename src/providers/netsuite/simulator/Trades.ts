import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partsAt } from "../../simulation/Docs.ts"
import { invalidValue, type Outcome, refuse, userError } from "./Answers.ts"
import { applyLines } from "./Applications.ts"
import {
  accountType,
  dueDate,
  expenseLine,
  inUnits,
  itemLine,
  lineBefore,
  nextNumber,
  noLines,
  numbered,
  type Rule,
  specialAccount,
  sum,
  withHead
} from "./Books.ts"
import { idAt, targetOf } from "./Fields.ts"
import { withReceipt } from "./Movements.ts"
import { billingLines, withMembers, withNotes } from "./Notes.ts"
import { withOrderState } from "./Orders.ts"

// Documents of sale and purchase: lines, tax and totals.

const partyOf = (account: Account, draft: Doc, ...types: ReadonlyArray<string>) =>
  targetOf(account, types, idAt(draft, "entity") ?? "")?.doc

const negative = userError("The total of this transaction may not be negative.")

/** Lines of items and all sums of a sale. */
const withSale = (
  account: Account,
  draft: Doc,
  current: Doc | undefined,
  number: readonly [kind: string, prefix: string]
): Outcome<Doc> =>
  Either.gen(function* () {
    const customer = partyOf(account, draft, "customer", "job")
    const headed = yield* withHead(account, draft, customer)
    const item = withNotes(account, numbered(withMembers(account, partsAt(draft, "item"))), (line) =>
      itemLine(account, line, lineBefore(current, "item", line), idAt(headed, "currency"), "sale")
    )
    if (item.length === 0) return yield* refuse(noLines)
    const subtotal = sum(billingLines(item))
    const discount = account.get("discountItem", idAt(draft, "discountItem") ?? "")
    const percent =
      draft.discountRate === undefined ? amountAt(discount ?? {}, "rate") : amountAt(draft, "discountRate")
    const discountTotal =
      discount === undefined ? 0 : inUnits(account, idAt(headed, "currency"), subtotal.times(percent).div(100))
    const taxTotal = sum(item, "tax1Amt")
    const shipping = amountAt(draft, "shippingCost").plus(amountAt(draft, "handlingCost"))
    const total = subtotal.plus(discountTotal).plus(shipping).plus(taxTotal)
    if (total.isNegative()) return yield* refuse(negative)
    return {
      ...headed,
      tranId: draft.tranId ?? nextNumber(account, ...number),
      salesRep: draft.salesRep ?? customer?.salesRep,
      item,
      discountRate: discount === undefined ? undefined : percent.toNumber(),
      discountTotal,
      subtotal: subtotal.toNumber(),
      taxTotal: taxTotal.toNumber(),
      total: total.toNumber()
    }
  })

/** Lines of both sublists and all sums of a purchase. */
const withPurchase = (
  account: Account,
  draft: Doc,
  current: Doc | undefined,
  ...parties: ReadonlyArray<string>
): Outcome<Doc> =>
  Either.gen(function* () {
    const vendor = partyOf(account, draft, ...parties)
    const headed = yield* withHead(account, draft, vendor)
    const costs = numbered(partsAt(draft, "expense"), partsAt(draft, "item"))
    const item = withNotes(account, numbered(withMembers(account, partsAt(draft, "item")), costs), (line) =>
      itemLine(account, line, lineBefore(current, "item", line), idAt(headed, "currency"), "purchase")
    )
    const expense = yield* Either.all(costs.map((line) => expenseLine(account, line, idAt(headed, "currency"))))
    const lines = [...expense, ...billingLines(item)]
    if (lines.length === 0) return yield* refuse(noLines)
    const taxTotal = sum(lines, "tax1Amt")
    const total = sum(lines).plus(taxTotal)
    if (total.isNegative()) return yield* refuse(negative)
    return {
      ...headed,
      terms: draft.terms ?? (current === undefined ? vendor?.terms : undefined),
      item,
      expense,
      subtotal: sum(lines).toNumber(),
      taxTotal: taxTotal.toNumber(),
      total: total.toNumber()
    }
  })

/** The account a document is booked on: the draft's, if it is of the right type, or the one for the purpose. */
const control = (account: Account, draft: Doc, type: "AcctRec" | "AcctPay"): Outcome<Doc> =>
  draft.account === undefined
    ? Either.right(specialAccount(account, type))
    : accountType(account, draft, "account") === type
      ? Either.right({ id: idAt(draft, "account") })
      : refuse(invalidValue(idAt(draft, "account"), "account"))

const approvalOf = (draft: Doc): string => idAt(draft, "approvalStatus") ?? "2"

const documentStatus = (approval: string, isPaid: boolean): Doc => ({
  id: approval === "1" ? "D" : approval === "3" ? "E" : isPaid ? "B" : "A"
})

const termsOf = (account: Account, draft: Doc, current: Doc | undefined) =>
  draft.terms ?? (current === undefined ? partyOf(account, draft, "customer", "job", "vendor")?.terms : undefined)

const tooMuchApplied = userError("The amount applied to this transaction is greater than its total.")

/** An invoice bills no more of an order's line than was ordered. */
const withinOrders = (account: Account, draft: Doc, current: Doc | undefined): Outcome<void> => {
  const lines = partsAt(draft, "item")
  const over = lines.findIndex((line) => {
    const order = account.get("salesOrder", idAt(line, "orderDoc") ?? "")
    const source = partsAt(order ?? {}, "item").find((one) => one.line === line.orderLine)
    const held = partsAt(current ?? {}, "item").find(
      (one) => idAt(one, "orderDoc") === order?.id && one.orderLine === line.orderLine
    )
    if (order === undefined || source === undefined) return false
    const left = amountAt(source, "quantity").minus(amountAt(source, "quantityBilled"))
    return amountAt(line, "quantity").gt(left.plus(amountAt(held ?? {}, "quantity")))
  })
  return over < 0
    ? Either.right(undefined)
    : refuse(invalidValue(lines[over]?.quantity, `item.items[${over}].quantity`))
}

export const invoice: Rule = (account, draft, current) =>
  Either.gen(function* () {
    yield* withinOrders(account, draft, current)
    const doc = yield* withSale(account, draft, current, ["invoice", "INV"])
    const paid = amountAt(current ?? {}, "amountPaid")
    const remaining = amountAt(doc, "total").minus(paid)
    if (remaining.isNegative()) return yield* refuse(tooMuchApplied)
    const terms = termsOf(account, draft, current)
    const approval = approvalOf(draft)
    return compact({
      ...doc,
      terms,
      account: yield* control(account, draft, "AcctRec"),
      dueDate: draft.dueDate ?? dueDate(account, String(doc.tranDate), idAt({ terms }, "terms")),
      approvalStatus: { id: approval },
      amountPaid: paid.toNumber(),
      amountRemaining: remaining.toNumber(),
      status: documentStatus(approval, remaining.isZero())
    })
  })

export const cashSale: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const doc = yield* withSale(account, draft, current, ["cashSale", "CS"])
    return compact({ ...doc, ...(yield* withReceipt(account, draft, current)) })
  })

export const creditMemo: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const doc = yield* withSale(account, draft, current, ["creditMemo", "CM"])
    const total = amountAt(doc, "total")
    const apply = yield* applyLines(account, doc, current, idAt(draft, "entity"), total)
    const applied = sum(apply)
    return compact({
      ...doc,
      account: yield* control(account, draft, "AcctRec"),
      apply,
      applied: applied.toNumber(),
      unapplied: total.minus(applied).toNumber(),
      amountRemaining: total.minus(applied).toNumber(),
      status: { id: applied.equals(total) ? "B" : "A" }
    })
  })

export const vendorBill: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const doc = yield* withPurchase(account, draft, current, "vendor")
    const paid = amountAt(current ?? {}, "amountPaid")
    const remaining = amountAt(doc, "total").minus(paid)
    if (remaining.isNegative()) return yield* refuse(tooMuchApplied)
    const approval = approvalOf(draft)
    return compact({
      ...doc,
      subtotal: undefined,
      transactionNumber: draft.transactionNumber ?? nextNumber(account, "vendorBill", "VENDBILL"),
      account: yield* control(account, draft, "AcctPay"),
      dueDate: draft.dueDate ?? dueDate(account, String(doc.tranDate), idAt(doc, "terms")),
      approvalStatus: { id: approval },
      userTotal: doc.total,
      amountPaid: paid.toNumber(),
      amountRemaining: remaining.toNumber(),
      status: documentStatus(approval, remaining.isZero())
    })
  })

export const vendorCredit: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const doc = yield* withPurchase(account, draft, current, "vendor")
    const total = amountAt(doc, "total")
    const apply = yield* applyLines(account, doc, current, idAt(draft, "entity"), total)
    const applied = sum(apply)
    return compact({
      ...doc,
      subtotal: undefined,
      transactionNumber: draft.transactionNumber ?? nextNumber(account, "vendorCredit", "VENDCRED"),
      account: yield* control(account, draft, "AcctPay"),
      apply,
      userTotal: doc.total,
      applied: applied.toNumber(),
      unapplied: total.minus(applied).toNumber(),
      status: { id: applied.equals(total) ? "B" : "A" }
    })
  })

/** The shipping address of a customer's goods where an order gives none. */
const shippingOf = (account: Account, draft: Doc) =>
  partsAt(partyOf(account, draft, "customer") ?? {}, "addressBook").find((entry) => entry.defaultShipping === true)
    ?.addressBookAddress

export const salesOrder: Rule = (account, draft, current) =>
  Either.map(withSale(account, draft, current, ["salesOrder", "SO"]), (doc) => {
    const shippingAddress = draft.shippingAddress ?? (current === undefined ? shippingOf(account, draft) : undefined)
    const whole = { ...doc, terms: termsOf(account, draft, current), shippingAddress }
    return compact(withOrderState("salesOrder", whole, current))
  })

export const purchaseOrder: Rule = (account, draft, current) =>
  Either.map(withPurchase(account, draft, current, "vendor"), (doc) =>
    compact(
      withOrderState(
        "purchaseOrder",
        {
          ...doc,
          tranId: draft.tranId ?? nextNumber(account, "purchaseOrder", "PO"),
          approvalStatus: { id: approvalOf(draft) }
        },
        current
      )
    )
  )

/** Expenses paid at once: a check from a bank account, or a charge to a credit card. */
export const paidAtOnce =
  (type: "Bank" | "CredCard", ...number: readonly [kind: string, prefix: string]): Rule =>
  (account, draft, current) =>
    Either.gen(function* () {
      if (accountType(account, draft, "account") !== type) {
        return yield* refuse(invalidValue(idAt(draft, "account"), "account"))
      }
      const doc = yield* withPurchase(account, draft, current, "vendor", "customer", "employee", "job")
      return compact({
        ...doc,
        subtotal: undefined,
        terms: undefined,
        tranId: draft.tranId ?? nextNumber(account, ...number),
        userTotal: doc.total,
        status: { id: "?" }
      })
    })
