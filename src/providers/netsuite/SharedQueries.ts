import { Deferred, Effect, FiberId } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Suite } from "./Suite.ts"

/**
 * Asks each query by ids once for all records of a page, although each of their types asks for its own: a page of invoices and
 * bills has one query for all lines and one for all payments. Parts pick their rows by id, and no two transactions share one.
 */
export const sharingQueries = (own: Suite, page: ReadonlyArray<Native>): Suite => {
  const pageIds = new Set(page.map(({ id }) => id))
  const asked = new Map<string, Deferred.Deferred<Array<Native>, ProviderError>>()
  const allOf: Suite["allOf"] = (connection, select, column, ids, where) =>
    Effect.suspend(() => {
      const wanted = [...ids]
      if (!wanted.every((id) => pageIds.has(id))) return own.allOf(connection, select, column, wanted, where)
      const key = JSON.stringify([select, column, where])
      const known = asked.get(key)
      if (known !== undefined) return Deferred.await(known)
      const rows = Deferred.unsafeMake<Array<Native>, ProviderError>(FiberId.none)
      asked.set(key, rows)
      return Effect.zipRight(
        Effect.intoDeferred(own.allOf(connection, select, column, pageIds, where), rows),
        Deferred.await(rows)
      )
    })
  return { ...own, allOf }
}
