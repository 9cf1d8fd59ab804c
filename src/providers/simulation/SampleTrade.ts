import type { Account } from "./Account.ts"

/** The paid share of a sample document by its age in days: all, some or nothing. `chance` is from 0 to below 1. */
export const paidShare = (age: number, chance: number): number => {
  const all = age > 75 ? 0.84 : age > 35 ? 0.55 : 0.18
  return chance < all ? 1 : chance < all + 0.1 ? 0.4 : 0
}

/** An action of a sample company at a time (milliseconds since the epoch). */
export interface Happening {
  readonly time: number
  readonly act: (then: Account) => void
}

/** Runs all actions in the order of their times, so that ids and times of change grow together. */
export const happen = (account: Account, happenings: ReadonlyArray<Happening>): void => {
  for (const { act, time } of happenings.toSorted((a, b) => a.time - b.time)) act({ ...account, now: time })
}

const day = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

/** When a document is due: some days on, or on a day of a month. */
export type Terms =
  | { readonly days: number }
  /** A document of fewer than `nextMonthWithin` days before the day is due a month later. */
  | { readonly dayOfMonth: number; readonly nextMonthWithin: number }

/** The due date of a document with a date (`YYYY-MM-DD`). */
export const dueOn = (date: string, terms: Terms): string => {
  const at = new Date(`${date}T00:00:00Z`)
  if ("days" in terms) return day(at.getTime() + terms.days * 86_400_000)
  const isLate = at.getUTCDate() + terms.nextMonthWithin > terms.dayOfMonth
  const month = at.getUTCMonth() + (isLate ? 1 : 0)
  const last = new Date(Date.UTC(at.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return day(Date.UTC(at.getUTCFullYear(), month, Math.min(terms.dayOfMonth, last)))
}
