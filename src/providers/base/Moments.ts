// Date-times computed from a start and a duration.

/** Latest date-time with a four-digit year. */
export const latestMoment = Date.parse("9999-12-31T23:59:59.999Z")

const earliestMoment = Date.parse("0000-01-01T00:00:00Z")

/** Formats a moment as a date-time; null if it is unknown or its year does not have four digits. */
export const dateTimeOf = (milliseconds: number | null | undefined): string | null =>
  typeof milliseconds === "number" && milliseconds >= earliestMoment && milliseconds <= latestMoment
    ? new Date(milliseconds).toISOString()
    : null

export const endsTooLate =
  "is too late: with its duration it would end after the year 9999. Send an earlier time or end_time."
