import { Effect } from "effect"
import { getPath, natives } from "../../mapping/Mapping.ts"
import type { Complete } from "./Records.ts"

/**
 * Payments and credits of an invoice, which Zoho Books lists apart from it.
 * https://www.zoho.com/books/api/v3/invoices/#list-invoice-payments
 * https://www.zoho.com/books/api/v3/invoices/#list-credits-applied
 */

const isSome = (amount: unknown) => typeof amount === "number" && amount !== 0

/** Reads what the sums of an invoice say was applied to it: an open invoice takes no call. */
export const readApplied: Complete = {
  part: "applied",
  isNeeded: ({ credits_applied, payment_made }) => isSome(payment_made) || isSome(credits_applied),
  none: { payments: [], credits: [] },
  read: (call, connection, id, { credits_applied, payment_made }) => {
    const list = (path: string, member: string, isWanted: boolean) =>
      isWanted
        ? Effect.map(
            call(connection, {
              operation: `invoice.${path}`,
              method: "GET",
              path: `invoices/:id/${path}`,
              params: { id }
            }),
            ({ body }) => natives(getPath(body, member))
          )
        : Effect.succeed([])
    return Effect.all(
      {
        payments: list("payments", "payments", isSome(payment_made)),
        credits: list("creditsapplied", "credits", isSome(credits_applied))
      },
      { concurrency: 2 }
    )
  }
}
