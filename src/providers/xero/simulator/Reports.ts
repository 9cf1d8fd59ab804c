import { Either } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Reply, Route } from "../../simulation/Simulator.ts"
import { answer, invalidData, type Outcome } from "./Answers.ts"
import { accounting, route } from "./Collections.ts"
import { organisation, today } from "./Organisation.ts"
import { balanceSheet, header, profitAndLoss, trialBalance, yearBefore } from "./Statements.ts"

// https://developer.xero.com/documentation/api/accounting/reports

const formatted = (day: string, month: "short" | "long"): string => {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: "UTC",
    day: "numeric",
    month,
    year: "numeric"
  }).formatToParts(new Date(`${day}T00:00:00Z`))
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ""
  return `${part("day")} ${part("month")} ${part("year")}`
}

const report = (account: Account, type: string, name: string, period: string, rows: ReadonlyArray<Doc>): Reply =>
  answer(account, {
    Reports: [
      {
        ReportID: type,
        ReportName: name,
        ReportType: type,
        ReportTitles: [name, organisation(account).Name, period],
        ReportDate: formatted(today(account), "long"),
        UpdatedDateUTC: account.now,
        Fields: [],
        Rows: rows
      }
    ]
  })

const dayIn = (query: URLSearchParams, name: string, usual: string): Outcome<string> => {
  const day = query.get(name) ?? usual
  return isDay(day) ? Either.right(day) : Either.left(invalidData(`The ${name} must be written YYYY-MM-DD.`))
}

/** Reports are on an accruals basis, in the layout that is the same for all. */
const layout = ["standardLayout", "paymentsOnly"]

const layoutOf = (query: URLSearchParams): Outcome<void> =>
  query.get("paymentsOnly") === "true" || query.get("standardLayout") === "false"
    ? Either.left(invalidData("Reports on a cash basis and in another layout are not available."))
    : Either.right(undefined)

/** The most days that a profit and loss covers. */
const longest = 365 * 86_400_000

export const reportRoutes: ReadonlyArray<Route> = [
  route("GET", `${accounting}/Reports/BalanceSheet`, ["date", ...layout], ({ query }, account) =>
    Either.gen(function* () {
      yield* layoutOf(query)
      const day = yield* dayIn(query, "date", today(account))
      const days = [day, yearBefore(day)]
      const titles = header("", ...days.map((one) => formatted(one, "short")))
      const rows = balanceSheet(account, days)
      return report(account, "BalanceSheet", "Balance Sheet", `As at ${formatted(day, "long")}`, [titles, ...rows])
    })
  ),
  route("GET", `${accounting}/Reports/ProfitAndLoss`, ["fromDate", "toDate", ...layout], ({ query }, account) =>
    Either.gen(function* () {
      yield* layoutOf(query)
      const to = yield* dayIn(query, "toDate", today(account))
      const from = yield* dayIn(query, "fromDate", `${to.slice(0, 8)}01`)
      if (from > to) return yield* Either.left(invalidData("The fromDate must be before the toDate."))
      if (Date.parse(to) - Date.parse(from) > longest) {
        return yield* Either.left(invalidData("A profit and loss covers at most 365 days."))
      }
      const period = `${formatted(from, "long")} to ${formatted(to, "long")}`
      const rows = profitAndLoss(account, from, to)
      return report(account, "ProfitAndLoss", "Profit and Loss", period, [header("", formatted(to, "short")), ...rows])
    })
  ),
  route("GET", `${accounting}/Reports/TrialBalance`, ["date", "paymentsOnly"], ({ query }, account) =>
    Either.gen(function* () {
      yield* layoutOf(query)
      const day = yield* dayIn(query, "date", today(account))
      const titles = header("Account", "Debit", "Credit", "YTD Debit", "YTD Credit")
      const rows = trialBalance(account, day)
      return report(account, "TrialBalance", "Trial Balance", `As at ${formatted(day, "long")}`, [titles, ...rows])
    })
  )
]
