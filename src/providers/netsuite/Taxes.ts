import { Effect } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { number, type Select, text } from "./Select.ts"
import type { Suite } from "./Suite.ts"

/**
 * Tax codes of lines. An account with SuiteTax has rows of their own for them, several for a line, and its records say neither
 * the tax code of a line nor the total of taxes; elsewhere lines name a tax, or a group of taxes.
 */

const select: Select = {
  from: "transactiontaxdetail d",
  columns: { transaction: text("d.transaction"), line: number("d.line"), code: text("d.taxcode") },
  order: "d.transaction, d.line, d.taxcode"
}

/** A tax is an item or a group of items; which one it is shows where the item is found. */
export const taxCodeOf = (id: unknown, taxItem: unknown) =>
  typeof id === "string" ? { id, recordType: taxItem === id ? "salesTaxItem" : "taxGroup" } : undefined

/** Tells the tax code of a line, where SuiteTax gives it one only. */
export const taxCodes = (own: Suite, connection: ConnectionRef, records: ReadonlyArray<Native>) =>
  Effect.gen(function* () {
    const isSuiteTax = yield* own.has(connection, "transactiontaxdetail", "transaction")
    const rows = isSuiteTax
      ? yield* own.allOf(
          connection,
          select,
          "d.transaction",
          records.map(({ id }) => id)
        )
      : []
    const codes = new Map<string, Set<unknown>>()
    for (const { code, line, transaction } of rows) {
      const key = `${String(transaction)}:${String(line)}`
      codes.set(key, (codes.get(key) ?? new Set()).add(code))
    }
    return (transaction: unknown, line: unknown) => {
      const [code, ...more] = codes.get(`${String(transaction)}:${String(line)}`) ?? []
      return more.length === 0 ? taxCodeOf(code, code) : undefined
    }
  })
