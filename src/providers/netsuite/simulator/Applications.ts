import type { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partsAt } from "../../simulation/Docs.ts"
import { invalidValue, type Outcome, refuse, userError } from "./Answers.ts"
import { accountType, nextNumber, type Rule, specialAccount, sum, withHead } from "./Books.ts"
import { idAt, targetOf } from "./Fields.ts"
import { titles } from "./Labels.ts"
import { inLanguage } from "./Languages.ts"
import { withReceipt } from "./Movements.ts"

// Payments and credits, and the documents they are applied to.

/** Types that can be paid, and the states in which they can. */
const payable: { readonly [type: string]: ReadonlyArray<string> } = {
  invoice: ["A"],
  vendorBill: ["A", "F"],
  expenseReport: ["F", "G"]
}

const appliedTo = Object.keys(payable)

const overApplied = userError("You cannot apply more than the amount of this transaction.")

/**
 * Applied lines of a draft: each to an open document of the same party and currency, at most what is due, and all of
 * them at most `most`, where there is such a bound. A line without an amount applies what it can.
 */
export const applyLines = (
  account: Account,
  draft: Doc,
  current: Doc | undefined,
  party: string | undefined,
  most?: Decimal
): Outcome<ReadonlyArray<Doc>> =>
  Either.gen(function* () {
    const lines: Array<Doc> = []
    let left = most
    for (const [index, line] of partsAt(draft, "apply").entries()) {
      if (line.apply === false) continue
      const id = idAt(line, "doc") ?? ""
      const target = targetOf(account, appliedTo, id)
      const held = partsAt(current ?? {}, "apply").find((one) => idAt(one, "doc") === id)
      const path = `apply.items[${index}].doc`
      if (target === undefined || idAt(target.doc, "entity") !== party) return yield* refuse(invalidValue(id, path))
      const { doc, type } = target
      const currency = idAt(doc, "currency") ?? idAt(doc, "expensereportcurrency")
      const isOpen = payable[type]?.includes(idAt(doc, "status") ?? "") === true || held !== undefined
      if (currency !== idAt(draft, "currency") || !isOpen) return yield* refuse(invalidValue(id, path))
      const due = amountAt(doc, "amountRemaining").plus(amountAt(held ?? {}, "amount"))
      const rest = left === undefined || left.gt(due) ? due : left
      const amount = line.amount === undefined ? rest : amountAt(line, "amount")
      if (amount.gt(rest) || amount.isNegative()) return yield* refuse(overApplied)
      left = left?.minus(amount)
      lines.push({
        doc: { id },
        line: 0,
        apply: true,
        amount: amount.toNumber(),
        applyDate: doc.tranDate,
        due: due.toNumber(),
        total: doc.total,
        type: inLanguage(account, titles[type] ?? type),
        refNum: doc.tranId,
        currency: account.get("currency", currency ?? "")?.name
      })
    }
    return lines.map(compact)
  })

/** Adds the amounts of lines to the documents they are applied to, or takes them off (`sign` -1). */
const move = (account: Account, lines: ReadonlyArray<Doc>, sign: number, now: string): void => {
  for (const line of lines) {
    const target = targetOf(account, appliedTo, idAt(line, "doc") ?? "")
    if (target === undefined) continue
    const { doc, type } = target
    const paid = amountAt(doc, "amountPaid").plus(amountAt(line, "amount").times(sign))
    const remaining = amountAt(doc, "total").minus(paid)
    const open = type === "expenseReport" ? ["I", "F"] : ["B", "A"]
    account.put(type, String(doc.id), {
      ...doc,
      amountPaid: paid.toNumber(),
      amountRemaining: remaining.toNumber(),
      status: { id: remaining.isZero() ? open[0] : open[1] },
      lastModifiedDate: now
    })
  }
}

/** Replaces the applied lines of a document. */
export const reapply = (account: Account, current: Doc | undefined, doc: Doc | undefined, now: string): void => {
  const [before, after] = [partsAt(current ?? {}, "apply"), partsAt(doc ?? {}, "apply")]
  const same = (one: Doc, other: Doc) => idAt(one, "doc") === idAt(other, "doc") && one.amount === other.amount
  move(
    account,
    before.filter((line) => !after.some((one) => same(one, line))),
    -1,
    now
  )
  move(
    account,
    after.filter((line) => !before.some((one) => same(one, line))),
    1,
    now
  )
}

export const customerPayment: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const party = targetOf(account, ["customer", "job"], idAt(draft, "customer") ?? "")?.doc
    const headed = yield* withHead(account, draft, party)
    const receipt = yield* withReceipt(account, draft, current)
    const receivable = draft.arAcct ?? specialAccount(account, "AcctRec")
    const most = draft.payment === undefined ? undefined : amountAt(draft, "payment")
    const apply = yield* applyLines(account, headed, current, idAt(draft, "customer"), most)
    const applied = sum(apply)
    const payment = most ?? applied
    if (payment.isNegative() || payment.isZero())
      return yield* refuse(userError("Please enter value(s) for: Payment Amount"))
    return compact({
      ...headed,
      tranId: draft.tranId ?? nextNumber(account, "customerPayment", "PYMT"),
      arAcct: receivable,
      ...receipt,
      apply,
      payment: payment.toNumber(),
      total: payment.toNumber(),
      applied: applied.toNumber(),
      unapplied: payment.minus(applied).toNumber(),
      pending: 0
    })
  })

export const vendorPayment: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const party = targetOf(account, ["vendor", "employee"], idAt(draft, "entity") ?? "")?.doc
    const headed = yield* withHead(account, draft, party)
    if (!["Bank", "CredCard"].includes(accountType(account, draft, "account") ?? "")) {
      return yield* refuse(invalidValue(idAt(draft, "account"), "account"))
    }
    const apply = yield* applyLines(account, headed, current, idAt(draft, "entity"))
    if (apply.length === 0) return yield* refuse(userError("You must apply this payment to at least one bill."))
    const approval = idAt(draft, "approvalStatus") ?? "2"
    return compact({
      ...headed,
      tranId: draft.tranId ?? nextNumber(account, "vendorPayment", ""),
      transactionNumber: draft.transactionNumber ?? nextNumber(account, "vendorPaymentNumber", "VENDPYMT"),
      apAcct: draft.apAcct ?? specialAccount(account, "AcctPay"),
      approvalStatus: { id: approval },
      apply,
      total: sum(apply).toNumber(),
      unapplied: 0,
      status: { id: approval === "1" ? "D" : "F" }
    })
  })
