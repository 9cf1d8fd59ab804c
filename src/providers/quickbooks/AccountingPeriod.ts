import { Effect } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { fiscalYears } from "../base/FiscalYears.ts"
import { calendarOf } from "./CompanyInfo.ts"
import type { Books } from "./Books.ts"

const dayAt = (record: Native, path: string): ReadonlyArray<string> => {
  const day = getPath(record, path)
  return typeof day === "string" && /^\d{4}-\d{2}-\d{2}/.test(day) ? [day.slice(0, 10)] : []
}

/**
 * QuickBooks has no periods: the company file says when it began and which month its fiscal year begins with, the preferences
 * up to which day the books are closed.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/companyinfo
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/preferences
 */
export const accountingPeriod = ({ recent }: Books) =>
  fiscalYears("quickbooks", (connection) =>
    Effect.map(
      Effect.all([recent.company(connection), recent.preferences(connection)], { concurrency: 2 }),
      ([company, held]) => ({
        calendar: calendarOf(company),
        begun: dayAt(company, "CompanyStartDate"),
        closed: dayAt(held, "AccountingInfoPrefs.BookCloseDate")
      })
    )
  )
