import { Either } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partsAt } from "../../simulation/Docs.ts"
import { invalidValue, refuse, userError } from "./Answers.ts"
import {
  accountType,
  expenseLine,
  inUnits,
  nextNumber,
  noLines,
  numbered,
  type Rule,
  specialAccount,
  sum,
  withHead
} from "./Books.ts"
import { idAt } from "./Fields.ts"

/** A line is on one side; on receivables and payables it names who owes or is owed. */
export const journalEntry: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const headed = yield* withHead(account, draft, undefined)
    const line = numbered(partsAt(draft, "line"))
    if (line.length < 2) return yield* refuse(noLines)
    for (const [index, one] of line.entries()) {
      const path = `line.items[${index}]`
      const [debit, credit] = [amountAt(one, "debit"), amountAt(one, "credit")]
      if (debit.isZero() === credit.isZero() || debit.isNegative() || credit.isNegative()) {
        return yield* refuse(
          invalidValue(one.debit ?? one.credit, `${path}.${debit.isNegative() ? "debit" : "credit"}`)
        )
      }
      const type = accountType(account, one, "account")
      if ((type === "AcctRec" || type === "AcctPay") && one.entity === undefined) {
        return yield* refuse(userError("Please enter value(s) for: Name"))
      }
    }
    if (!sum(line, "debit").equals(sum(line, "credit"))) {
      return yield* refuse(userError("The total of debits must equal the total of credits in a journal entry."))
    }
    const approval = idAt(draft, "approvalStatus") ?? "2"
    return compact({
      ...headed,
      tranId: draft.tranId ?? nextNumber(account, "journalEntry", "JE"),
      approvalStatus: { id: approval },
      approved: approval === "2",
      isReversal: current?.isReversal ?? false,
      line: line.map((one) =>
        // a side that holds nothing is left out
        compact({
          ...one,
          debit: one.debit === 0 ? undefined : one.debit,
          credit: one.credit === 0 ? undefined : one.credit
        })
      )
    })
  })

const expenseStatus = (draft: Doc): string => {
  if (idAt(draft, "approvalStatus") === "3") return "E"
  if (draft.complete !== true) return "A"
  if (draft.accountingapproval === true) return "F"
  return draft.supervisorapproval === true ? "C" : "B"
}

export const expenseReport: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const employee = account.get("employee", idAt(draft, "entity") ?? "")
    const headed = yield* withHead(account, draft, employee, {
      currency: "expensereportcurrency",
      rate: "expensereportexchangerate"
    })
    const own = idAt(headed, "expensereportcurrency")
    const expense = yield* Either.all(
      numbered(partsAt(draft, "expense")).map((line) => {
        const units =
          line.quantity === undefined || line.rate === undefined
            ? undefined
            : amountAt(line, "quantity").times(amountAt(line, "rate"))
        const foreign =
          line.foreignamount ??
          (units === undefined ? line.amount : inUnits(account, idAt(line, "currency") ?? own, units))
        const rate = line.exchangerate ?? 1
        const amount =
          line.amount ?? inUnits(account, own, amountAt({ foreign }, "foreign").times(amountAt({ rate }, "rate")))
        const whole = {
          ...line,
          foreignamount: foreign,
          exchangerate: rate,
          amount,
          expensedate: line.expensedate ?? headed.tranDate,
          currency: line.currency ?? headed.expensereportcurrency,
          isnonreimbursable: line.isnonreimbursable ?? false
        }
        return foreign === undefined
          ? refuse(userError("Please enter value(s) for: Amount"))
          : Either.map(
              expenseLine(account, whole, own, "expenseaccount"),
              ({ grossAmt: _gross, taxRate1: _rate, tax1Amt: _tax, ...kept }) => kept
            )
      })
    )
    if (expense.length === 0) return yield* refuse(noLines)
    const nonreimbursable = sum(expense.filter((line) => line.isnonreimbursable === true))
    const total = sum(expense)
    const due = total.minus(nonreimbursable).minus(amountAt(draft, "advance"))
    const paid = amountAt(current ?? {}, "amountPaid")
    const letter = expenseStatus(draft)
    return compact({
      ...headed,
      tranId: draft.tranId ?? nextNumber(account, "expenseReport", "EXP"),
      account: draft.account ?? specialAccount(account, "UnappvExpRept"),
      complete: draft.complete ?? false,
      supervisorapproval: draft.supervisorapproval ?? false,
      accountingapproval: draft.accountingapproval ?? false,
      expense: expense.map(compact),
      total: total.toNumber(),
      amount: due.toNumber(),
      reimbursable: total.minus(nonreimbursable).toNumber(),
      nonreimbursable: nonreimbursable.toNumber(),
      amountPaid: paid.toNumber(),
      amountRemaining: due.minus(paid).toNumber(),
      status: { id: letter === "F" && paid.gt(0) && paid.gte(due) ? "I" : letter }
    })
  })
