import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { dayBefore } from "../../simulation/Book.ts"
import { amountAt, money, partsAt } from "../../simulation/Docs.ts"
import { isDay } from "../../simulation/Period.ts"
import type { Reply, Route } from "../../simulation/Simulator.ts"
import { route } from "./Collections.ts"
import { today } from "./Organisation.ts"
import { yearBefore } from "./Statements.ts"
import { sums } from "./Ledger.ts"

// Cash flow by the direct method: https://developer.xero.com/documentation/api/finance/financialstatements

const zero = new Decimal(0)

type Activity = "Operating Activities" | "Investing Activities" | "Financing Activities"

/** Purposes of incoming and outgoing money, by the type of the account on the other side. */
const purposes: { readonly [type: string]: readonly [activity: Activity, into: string, out: string] } = {
  FIXED: [
    "Investing Activities",
    "Proceeds from sale of property, plant and equipment",
    "Payment for property, plant and equipment"
  ],
  NONCURRENT: ["Investing Activities", "Other cash items from investing activities", "Payment for other assets"],
  TERMLIAB: ["Financing Activities", "Proceeds from borrowings", "Repayment of borrowings"],
  EQUITY: ["Financing Activities", "Proceeds from owners", "Other cash items from financing activities"]
}

const usual = ["Operating Activities", "Receipts from customers", "Payments to suppliers and employees"] as const

const activities: ReadonlyArray<Activity> = ["Operating Activities", "Investing Activities", "Financing Activities"]

const isBank = (account: Account, line: Doc) => account.get("Account", String(line.AccountID))?.Type === "BANK"

/** Sums the money that came in (positive) and went out, by the account on the other side. */
const movements = (account: Account, start: string, end: string): ReadonlyMap<string, Decimal> => {
  const found = new Map<string, Decimal>()
  for (const { JournalDate, JournalLines } of account.all("Journal")) {
    const lines = partsAt({ JournalLines }, "JournalLines")
    const isWithin = String(JournalDate) >= start && String(JournalDate) <= end
    if (!isWithin || !lines.some((line) => isBank(account, line))) continue
    for (const line of lines.filter((one) => !isBank(account, one))) {
      const id = String(line.AccountID)
      found.set(id, (found.get(id) ?? zero).minus(amountAt(line, "NetAmount")))
    }
  }
  return found
}

const total = (list: ReadonlyArray<Decimal>) => list.reduce((sum, one) => sum.plus(one), zero)

const cashOn = (account: Account, day: string): Decimal =>
  total(
    [...sums(account, undefined, day)].flatMap(([AccountID, held]) => (isBank(account, { AccountID }) ? [held] : []))
  )

const activityView = (account: Account, name: Activity, moved: ReadonlyMap<string, Decimal>): Doc => {
  const rows = [...moved].flatMap(([id, amount]) => {
    const held = account.get("Account", id) ?? {}
    const [activity, into, out] = purposes[String(held.Type)] ?? usual
    return activity === name && !amount.isZero() ? [{ held, amount, type: amount.isPositive() ? into : out }] : []
  })
  return {
    name,
    total: money(total(rows.map(({ amount }) => amount))),
    cashflowTypes: [...new Set(rows.map(({ type }) => type))].map((type) => {
      const own = rows.filter((row) => row.type === type)
      return {
        name: type,
        total: money(total(own.map(({ amount }) => amount))),
        accounts: own.map(({ amount, held }) => ({
          accountId: held.AccountID,
          accountType: held.Type,
          accountClass: held.Class,
          code: held.Code ?? "",
          name: held.Name,
          reportingCode: "",
          total: money(amount)
        }))
      }
    })
  }
}

const refused = (detail: string) =>
  Either.left<Reply>({ status: 400, body: { type: "invalid-request", title: "InvalidRequest", status: 400, detail } })

export const cashFlowRoutes: ReadonlyArray<Route> = [
  route("GET", "/finance.xro/1.0/FinancialStatements/Cashflow", ["startDate", "endDate"], ({ query }, account) => {
    const endDate = query.get("endDate") ?? today(account)
    const startDate = query.get("startDate") ?? yearBefore(endDate)
    if (!isDay(startDate) || !isDay(endDate)) return refused("The dates must be written yyyy-MM-dd.")
    if (startDate > endDate) return refused("The startDate must not be after the endDate.")
    const [opening, closing] = [cashOn(account, dayBefore(startDate)), cashOn(account, endDate)]
    const moved = movements(account, startDate, endDate)
    return Either.right({
      status: 200,
      body: {
        startDate,
        endDate,
        cashBalance: {
          openingCashBalance: money(opening),
          closingCashBalance: money(closing),
          netCashMovement: money(closing.minus(opening))
        },
        cashflowActivities: activities.map((name) => activityView(account, name, moved))
      }
    })
  })
]
