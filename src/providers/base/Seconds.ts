/**
 * The first whole second at an instant or after it (`2026-01-31T09:30:00`, UTC): what a stamp that counts whole seconds is
 * compared with, so that one of the same second is neither missed nor taken twice.
 */
export const secondFrom = (instant: string): string =>
  new Date(Math.min(Math.ceil(Date.parse(instant) / 1000) * 1000, last)).toISOString().slice(0, 19)

/** Years have four digits. */
const last = Date.UTC(9999, 11, 31, 23, 59, 59)
