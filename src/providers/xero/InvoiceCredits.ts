import { Effect } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import type { Caller } from "../base/Upstream.ts"
import { credits } from "./Credits.ts"
import { documentKind, livingIn } from "./Documents.ts"
import { endpoints, type Kind } from "./Objects.ts"

/**
 * Credits that are set against invoices. An invoice names them with their own dates, and only the credit says when it was
 * allocated, so that credits are read along with a page of invoices.
 * https://developer.xero.com/documentation/api/accounting/creditnotes (Allocations)
 */

export const allocationsPart = "allocations"

/** Members of an invoice that hold credits, and the kind of each. */
const members: { readonly [member: string]: Kind } = {
  CreditNotes: credits,
  Overpayments: { ...documentKind, nativeType: "Overpayment", endpoint: "Overpayments", id: "OverpaymentID" },
  Prepayments: { ...documentKind, nativeType: "Prepayment", endpoint: "Prepayments", id: "PrepaymentID" }
}

/** Reads the allocations of the credits that a page of invoices names, by the ids of the credits. */
export const withAllocations = (call: Caller): NonNullable<Kind["complete"]> => {
  const { many } = endpoints(call)
  return (connection, wanted, records) => {
    const named = Object.entries(members).flatMap(([member, kind]) => {
      const ids = new Set(records.flatMap(({ record }) => livingIn(record[member]).map((one) => String(one[kind.id]))))
      return ids.size === 0 ? [] : [{ kind, ids: [...ids] }]
    })
    if (named.length === 0 || !wanted.includes(allocationsPart)) return Effect.succeed(records)
    return Effect.map(
      Effect.forEach(named, ({ ids, kind }) => many(connection, kind, ids), { concurrency: "unbounded" }),
      (found) => {
        const allocations = Object.fromEntries(
          named.flatMap(({ kind }, i) =>
            (found[i] ?? []).map(({ record }) => [String(record[kind.id]), livingIn(record.Allocations)])
          )
        )
        return records.map((one) => ({ ...one, parts: { ...one.parts, [allocationsPart]: allocations } }))
      }
    )
  }
}

/** The allocations of a credit to an invoice; none where the credit was not read. */
export const allocationsTo = (
  invoice: unknown,
  credit: unknown,
  parts: { readonly [name: string]: unknown } | undefined
): ReadonlyArray<Native> =>
  natives(getPath(parts?.[allocationsPart], String(credit))).filter(
    (one) => getPath(one, "Invoice.InvoiceID") === invoice
  )
