// Converts between days in an account's time zone and moments, for APIs that store a day as a moment.

const formats = new Map<string, Intl.DateTimeFormat | undefined>()

const makeFormat = (zone: string): Intl.DateTimeFormat | undefined => {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric"
    })
  } catch {
    return undefined
  }
}

/** Cached, because creating a format is slow. Undefined if the runtime does not know the zone. */
const formatOf = (zone: string) => {
  if (!formats.has(zone)) formats.set(zone, makeFormat(zone))
  return formats.get(zone)
}

/** Whether the runtime knows a zone by its IANA name. */
export const isZone = (zone: unknown): zone is string => typeof zone === "string" && formatOf(zone) !== undefined

/** Local time of a zone, encoded as if it were UTC. An unknown zone counts as UTC. */
const localTime = (moment: number, zone: string): number => {
  const parts = formatOf(zone)?.formatToParts(moment)
  if (parts === undefined) return moment
  const numberOf = (name: Intl.DateTimeFormatPartTypes) => Number(parts.find(({ type }) => type === name)?.value)
  const local = new Date(0)
  local.setUTCFullYear(numberOf("year"), numberOf("month") - 1, numberOf("day"))
  local.setUTCHours(numberOf("hour"), numberOf("minute"), numberOf("second"))
  return local.getTime()
}

/** The day of a moment (milliseconds since the epoch) in a zone, as `YYYY-MM-DD`. */
export const dayInZone = (moment: number, zone: string): string =>
  new Date(localTime(moment, zone)).toISOString().slice(0, 10)

const oneDay = 86_400_000

/** Start of a day in a zone: midnight, or the first moment of the day if clocks skip midnight. */
export const startOfDay = (day: string, zone: string): number => {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const candidates = [midnight - oneDay, midnight + oneDay].map((near) => midnight - (localTime(near, zone) - near))
  const exact = candidates.filter((moment) => localTime(moment, zone) === midnight)
  if (exact.length > 0) return Math.min(...exact)
  let [before, after] = [midnight - oneDay, midnight + oneDay]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (localTime(middle, zone) < midnight) before = middle
    else after = middle
  }
  return after
}
