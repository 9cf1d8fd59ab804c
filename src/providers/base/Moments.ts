// Moments that are made of a start and a duration.

/** The last moment that a date-time can state: years after it have more than four digits. */
export const latestMoment = Date.parse("9999-12-31T23:59:59.999Z")

const earliestMoment = Date.parse("0000-01-01T00:00:00Z")

/** A moment as a date-time; null where it is not known, or where no date-time can state it. */
export const dateTimeOf = (milliseconds: number | null | undefined): string | null =>
  typeof milliseconds === "number" && milliseconds >= earliestMoment && milliseconds <= latestMoment
    ? new Date(milliseconds).toISOString()
    : null

export const endsTooLate =
  "is too late: with its duration it would end after the year 9999. Send an earlier time or end_time."
