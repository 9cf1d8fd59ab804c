import { Effect } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { fiscalYears } from "../axes/FiscalYears.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ProviderError } from "../ProviderError.ts"
import { calendarOf, readCompany } from "./CompanyInfo.ts"

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
export const accountingPeriod = (
  call: Caller,
  preferences: (connection: ConnectionRef) => Effect.Effect<Native, ProviderError>
) => {
  const read = readCompany(call)
  return fiscalYears("quickbooks", (connection) =>
    Effect.map(Effect.all([read(connection), preferences(connection)], { concurrency: 2 }), ([company, held]) => ({
      calendar: calendarOf(company),
      begun: dayAt(company, "CompanyStartDate"),
      closed: dayAt(held, "AccountingInfoPrefs.BookCloseDate")
    }))
  )
}
