import { Effect } from "effect"
import { fiscalYears } from "../base/FiscalYears.ts"
import type { Caller } from "../base/Upstream.ts"
import { calendarOf, readOrganisation } from "./CompanyInfo.ts"
import { dayOf } from "./Common.ts"

/**
 * Xero has no periods: the organisation says when its financial year ends, up to which days its books are locked for all
 * (`EndOfYearLockDate`) or for all but advisers (`PeriodLockDate`), and when it was made.
 * https://developer.xero.com/documentation/api/accounting/organisation
 * https://central.xero.com/s/article/Set-up-and-work-with-lock-dates
 */
export const accountingPeriod = (call: Caller) => {
  const read = readOrganisation(call)
  return fiscalYears("xero", (connection) =>
    Effect.map(read(connection), (organisation) => ({
      calendar: calendarOf(organisation),
      begun: dayOf(organisation.CreatedDateUTC),
      closed: [...dayOf(organisation.EndOfYearLockDate), ...dayOf(organisation.PeriodLockDate)]
    }))
  )
}
