/** From the start of its first day to the start of the day after its last, in milliseconds since the epoch. */
export type Span = readonly [start: number, end: number]

/** Start of the unit that holds a date, moved by a number of units. Weeks begin on Sunday. */
const starts: { readonly [unit: string]: (date: Date, by: number) => number } = {
  DAY: (date, by) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + by),
  WEEK: (date, by) =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - date.getUTCDay() + 7 * by),
  MONTH: (date, by) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by, 1),
  QUARTER: (date, by) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - (date.getUTCMonth() % 3) + 3 * by, 1),
  YEAR: (date, by) => Date.UTC(date.getUTCFullYear() + by, 0, 1)
}

const days: { readonly [name: string]: string } = {
  YESTERDAY: "N_DAYS_AGO:1",
  TODAY: "N_DAYS_AGO:0",
  TOMORROW: "N_DAYS_AGO:-1",
  LAST_90_DAYS: "LAST_N_DAYS:90",
  NEXT_90_DAYS: "NEXT_N_DAYS:90"
}

/** How many units from the current one a period begins and ends. */
const reach: ReadonlyArray<readonly [RegExp, (count: number, unit: string) => readonly [first: number, last: number]]> =
  [
    [/^THIS_(?<unit>WEEK|MONTH|QUARTER|YEAR)$/, () => [0, 0]],
    [/^LAST_(?<unit>WEEK|MONTH|QUARTER|YEAR)$/, () => [-1, -1]],
    [/^NEXT_(?<unit>WEEK|MONTH|QUARTER|YEAR)$/, () => [1, 1]],
    [/^N_(?<unit>DAY|WEEK|MONTH|QUARTER|YEAR)S_AGO:(?<count>-?\d+)$/, (count) => [-count, -count]],
    // days count to the end of today, longer units to the end of the one before the current one
    [
      /^LAST_N_(?<unit>DAY|WEEK|MONTH|QUARTER|YEAR)S:(?<count>\d+)$/,
      (count, unit) => [-count, unit === "DAY" ? 0 : -1]
    ],
    [/^NEXT_N_(?<unit>DAY|WEEK|MONTH|QUARTER|YEAR)S:(?<count>\d+)$/, (count) => [1, count]]
  ]

/**
 * The span of a relative period such as `TODAY` or `LAST_N_DAYS:7` at a moment, in UTC; undefined when there is none of
 * that name. Fiscal periods are not known.
 * https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_dateformats.htm
 */
export const period = (name: string): ((now: number) => Span) | undefined => {
  const asked = days[name.toUpperCase()] ?? name.toUpperCase()
  for (const [shape, ends] of reach) {
    const { count = "0", unit = "" } = shape.exec(asked)?.groups ?? {}
    const start = starts[unit]
    if (start === undefined) continue
    const [first, last] = ends(Number(count), unit)
    return (now) => [start(new Date(now), first), start(new Date(now), last + 1)]
  }
  return undefined
}

/** Whether a text is a day that the calendar has; `2026-02-30` is none. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text
