import type { Account } from "./Account.ts"

/** How much of a sample document of an age (days) is paid: all, some or nothing. `chance` is from 0 to below 1. */
export const paidShare = (age: number, chance: number): number => {
  const all = age > 75 ? 0.84 : age > 35 ? 0.55 : 0.18
  return chance < all ? 1 : chance < all + 0.1 ? 0.4 : 0
}

/** What a sample company does at a time (milliseconds since the epoch). */
export interface Happening {
  readonly time: number
  readonly act: (then: Account) => void
}

/** Lets all happen in the order of its times, so that ids and times of change grow together. */
export const happen = (account: Account, happenings: ReadonlyArray<Happening>): void => {
  for (const { act, time } of happenings.toSorted((a, b) => a.time - b.time)) act({ ...account, now: time })
}

const day = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

/** When something is to be paid: so many days on, or on a day of a month. */
export type Terms =
  | { readonly days: number }
  /** A document of fewer than `nextMonthWithin` days before the day is due a month later. */
  | { readonly dayOfMonth: number; readonly nextMonthWithin: number }

/** The day a document of a date (`YYYY-MM-DD`) is due. */
export const dueOn = (date: string, terms: Terms): string => {
  const at = new Date(`${date}T00:00:00Z`)
  if ("days" in terms) return day(at.getTime() + terms.days * 86_400_000)
  const isLate = at.getUTCDate() + terms.nextMonthWithin > terms.dayOfMonth
  const month = at.getUTCMonth() + (isLate ? 1 : 0)
  const last = new Date(Date.UTC(at.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return day(Date.UTC(at.getUTCFullYear(), month, Math.min(terms.dayOfMonth, last)))
}
