import type { StoredCredentials } from "./StoredCredentials.ts"

/** Days before a connection ends at which it is told. */
export const warnedAt = { early: 7, late: 1 } as const

/** Milliseconds. */
export const day = 86_400_000

/** When credentials end, as it is stored, with the warning that is no news while they are new. */
export const endOf = ({ reauthBy }: StoredCredentials, now: number) => ({
  reauthBy: reauthBy === undefined ? null : new Date(reauthBy),
  warned: reauthBy !== undefined && reauthBy - now <= warnedAt.early * day ? warnedAt.early : null
})

/** Whether a connection ends so soon that people are told. */
export const isEnding = (
  { reauthBy, status }: { readonly reauthBy: string | null; readonly status: string },
  now: number
): boolean => status === "active" && reauthBy !== null && Date.parse(reauthBy) - now <= warnedAt.early * day
