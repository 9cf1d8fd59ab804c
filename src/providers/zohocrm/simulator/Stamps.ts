import type { Account as Org, Doc } from "../../simulation/Account.ts"

// Ids, users and times, as the organisation writes them.

const organisation = "554023"

/** 18 digits, of which the first six are the organisation's. */
export const idAt = (place: number) => `${organisation}${String(place).padStart(12, "0")}`

/** Ids of records end in 001, those of settings in other digits. */
export const nextId = (org: Org): string => idAt(org.nextId() * 1000 + 1)

export const isId = (text: string) => /^\d{1,19}$/.test(text)

/** The user the token belongs to: the one who made the organisation. */
export const me = (org: Org): string => String(org.all("users")[0]?.id ?? "")

/** A user as records name them. */
export const userOf = (org: Org, id: unknown): Doc | null => {
  const user = typeof id === "string" ? org.get("users", id) : undefined
  return user === undefined ? null : { name: user.full_name, id: user.id, email: user.email }
}

/** The same without the address, as answers to writes have it. */
export const byline = (org: Org, id: unknown): Doc => {
  const { email: _, ...named } = userOf(org, id) ?? {}
  return named
}

const zone = "+05:30"
const offset = 5.5 * 3_600_000

/** A moment in the time zone of the organisation, as Zoho writes it: `2024-01-31T10:00:00+05:30`. */
export const stampOf = (milliseconds: number): string =>
  `${new Date(milliseconds + offset).toISOString().slice(0, 19)}${zone}`
