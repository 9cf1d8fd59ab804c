import { Effect } from "effect"
import { AccountingPeriod } from "../../canonical/accounting/AccountingPeriod.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, text } from "../../mapping/Transform.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, ProviderError } from "../ProviderError.ts"
import { wholeById } from "./Paginator.ts"
import { type Calendar, todayIn, yearStartOf } from "./Report.ts"

/**
 * Accounting periods of books that are kept by fiscal years and closed up to a day, without records of periods. The years
 * are computed, from the earliest day that the provider states to the current year. Their ids are their last days.
 */

/** A provider's facts about its books. */
export interface Books {
  readonly calendar: Calendar
  /** Days by which the books had begun, `YYYY-MM-DD`, and the last closed days; any number of each. */
  readonly begun: ReadonlyArray<string>
  readonly closed: ReadonlyArray<string>
}

const nativeType = "FiscalYear"

const stamps = "Fiscal years are computed from the settings of the books, which do not state when a year was"

const mapping = plainMapping(AccountingPeriod, (of) => [
  of.variant({
    nativeType,
    entries: [
      of.readField("remote_id", "Id", text),
      of.constant("remote_was_deleted", false),
      of.readField("name", "Name", text),
      of.computed({
        canonical: "status",
        native: ["IsClosed"],
        decode: ({ record }) => (record.IsClosed === true ? "INACTIVE" : "ACTIVE")
      }),
      of.readField("start_date", "StartDate", date),
      of.readField("end_date", "EndDate", date)
    ],
    notHeld: {
      remote_created_at: `${stamps} created.`,
      remote_updated_at: `${stamps} changed.`
    }
  })
])

/** The years up to a day. One is closed when its last day is. */
export const yearsUntil = (today: string, { begun, calendar, closed }: Books): ReadonlyArray<NativeRecord> => {
  const first = Number(yearStartOf(calendar, [today, ...begun, ...closed].toSorted()[0] ?? today).slice(0, 4))
  const last = Number(yearStartOf(calendar, today).slice(0, 4))
  const startOf = (year: number) => `${String(year).padStart(4, "0")}-${calendar.yearStart}`
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const year = first + index
    const end = new Date(Date.parse(startOf(year + 1)) - 24 * 3600 * 1000).toISOString().slice(0, 10)
    const IsClosed = closed.some((day) => end <= day)
    return {
      nativeType,
      record: { Id: end, Name: `Fiscal year to ${end}`, StartDate: startOf(year), EndDate: end, IsClosed }
    }
  })
}

export const fiscalYears = (
  provider: string,
  read: (connection: ConnectionRef) => Effect.Effect<Books, ProviderError>
): ResourceAdapter => {
  const years = Effect.fnUntraced(function* (connection: ConnectionRef) {
    const books = yield* read(connection)
    return yearsUntil(yield* todayIn(books.calendar.zone), books)
  })
  return {
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) =>
      wholeById(({ record }) => String(record.Id), years(connection))(position, limit),
    get: ({ connection, id }) =>
      Effect.flatMap(years(connection), (all) => {
        const found = all.find(({ record }) => record.Id === id)
        const operation = `${nativeType}.get`
        return found === undefined
          ? Effect.fail(new ProviderError({ provider, operation, reason: new Missing() }))
          : Effect.succeed(found)
      })
  }
}
