import { Decimal } from "decimal.js"
import { Predicate } from "effect"
import type { Doc } from "./Account.ts"

// Reading records, which are plain JSON.

export const textAt = (doc: Doc, name: string): string | undefined => {
  const value = doc[name]
  return typeof value === "string" ? value : undefined
}

/** A number as an exact one; 0 where there is none. */
export const amountAt = (doc: Doc, name: string): Decimal => {
  const value = doc[name]
  return new Decimal(typeof value === "number" ? value : 0)
}

/** The record inside; an empty one where there is none. */
export const partAt = (doc: Doc, name: string): Doc => {
  const value = doc[name]
  return Predicate.isRecord(value) ? value : {}
}

/** The records of a list inside. */
export const partsAt = (doc: Doc, name: string): ReadonlyArray<Doc> => {
  const value = doc[name]
  return Array.isArray(value) ? value.filter(Predicate.isRecord) : []
}

/** Money, to the cent. */
export const money = (amount: Decimal): number => amount.toDecimalPlaces(2, Decimal.ROUND_HALF_UP).toNumber()

/** The record without members that hold nothing. */
export const compact = (doc: Doc): Doc =>
  Object.fromEntries(Object.entries(doc).filter(([, value]) => value !== undefined))
