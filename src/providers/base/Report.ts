import { Clock, Effect, Either } from "effect"
import { isRealDate } from "../../canonical/Resource.ts"
import type { Mapping, Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, ProviderError } from "../ProviderError.ts"

/**
 * Reports as resources: a list of one record, made for the period between `created_after` and `created_before`. Its id is
 * the period, so a read by id makes it again. Days are inclusive on both ends: a bound that is a day is that day; one that
 * is a moment is the day it falls on in the company's time zone.
 */

/** Facts that decide the bounds a caller leaves out. */
export interface Calendar {
  /** First day of the fiscal year, `MM-DD`. */
  readonly yearStart: string
  /** IANA name of the company's time zone; UTC where the provider does not say. */
  readonly zone: string | undefined
}

/** First and last day, `YYYY-MM-DD`. */
export interface Period {
  readonly start: string
  readonly end: string
}

interface Options<Bounds> {
  readonly provider: string
  readonly mapping: Mapping
  /** Read only when a bound is missing, or is a moment. */
  readonly calendar: (connection: ConnectionRef) => Effect.Effect<Calendar, ProviderError>
  /** The native report; the record adds the period to it, as `Id`. */
  readonly run: (connection: ConnectionRef, bounds: Bounds) => Effect.Effect<Native, ProviderError>
}

const dayIn = (zone: string | undefined, now: number): string =>
  Either.getOrElse(
    // the Canadian format of days is that of ISO 8601
    Either.try(() => new Intl.DateTimeFormat("en-CA", { timeZone: zone ?? "UTC" }).format(now)),
    () => new Date(now).toISOString().slice(0, 10)
  )

/** Today's day in a zone. */
export const todayIn = (zone: string | undefined) => Effect.map(Clock.currentTimeMillis, (now) => dayIn(zone, now))

/** Bounds arrive as moments, days as their midnight in UTC. */
const wholeDay = (bound: string): string | undefined => /^(.{10})T00:00:00\.000Z$/.exec(bound)?.[1]

/** First day of the fiscal year that contains a day. */
export const yearStartOf = ({ yearStart }: Calendar, day: string): string => {
  const year = Number(day.slice(0, 4)) - (day.slice(5) < yearStart ? 1 : 0)
  return year < 1 ? "0001-01-01" : `${String(year).padStart(4, "0")}-${yearStart}`
}

const oneRecord = <Bounds>(
  { calendar, mapping, provider, run }: Options<Bounds>,
  boundsOf: (
    connection: ConnectionRef,
    after: string | undefined,
    before: string | undefined
  ) => Effect.Effect<Bounds, ProviderError>,
  idOf: (bounds: Bounds) => string,
  read: (id: string) => Bounds | undefined
): ResourceAdapter => {
  const made = (connection: ConnectionRef, nativeType: string, bounds: Bounds) =>
    Effect.map(run(connection, bounds), (native): NativeRecord => ({
      nativeType,
      record: { Id: idOf(bounds), ...native }
    }))
  return {
    mapping,
    consistency: "exact",
    finds: ["created_after", "created_before"],
    list: ({ connection, mapping: { variants }, wanted }) =>
      Effect.gen(function* () {
        const dayOf = (bound: string | undefined) => {
          const day = bound === undefined ? undefined : wholeDay(bound)
          return bound === undefined || day !== undefined
            ? Effect.succeed(day)
            : Effect.map(calendar(connection), ({ zone }) => dayIn(zone, Date.parse(bound)))
        }
        const [after, before] = [wanted.created_after?.text, wanted.created_before?.text]
        const bounds = yield* boundsOf(connection, yield* dayOf(after), yield* dayOf(before))
        const records = yield* Effect.forEach(variants, ({ nativeType }) => made(connection, nativeType, bounds))
        return { records, next: null }
      }),
    get: ({ connection, id, variant }) => {
      const bounds = read(id)
      return bounds === undefined
        ? Effect.fail(new ProviderError({ provider, operation: `${variant.nativeType}.get`, reason: new Missing() }))
        : made(connection, variant.nativeType, bounds)
    }
  }
}

/** A report over a period; without bounds, the fiscal year to date. Its id is `2026-01-01_2026-03-31`. */
export const periodReport = (options: Options<Period>): ResourceAdapter =>
  oneRecord(
    options,
    Effect.fnUntraced(function* (connection, after, before) {
      if (after !== undefined && before !== undefined) return { start: after, end: before }
      const calendar = yield* options.calendar(connection)
      const end = before ?? (yield* todayIn(calendar.zone))
      return { start: after ?? yearStartOf(calendar, end), end }
    }),
    ({ end, start }) => `${start}_${end}`,
    (id) => {
      const [start = "", end = "", ...more] = id.split("_")
      return more.length === 0 && isRealDate(start) && isRealDate(end) && start <= end ? { start, end } : undefined
    }
  )

/** A report as of a day, `created_before`, or today. `created_after` means nothing. Its id is the day. */
export const dayReport = (options: Options<string>): ResourceAdapter =>
  oneRecord(
    options,
    (connection, _, before) =>
      before === undefined
        ? Effect.flatMap(options.calendar(connection), ({ zone }) => todayIn(zone))
        : Effect.succeed(before),
    (day) => day,
    (id) => (isRealDate(id) ? id : undefined)
  )
