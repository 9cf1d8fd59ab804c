import { Either } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import type { Outcome } from "./Answers.ts"
import { whole } from "./Collections.ts"

/** A page as the newer APIs (projects, bank feeds) answer it; they page always. */
export const paged = (rows: ReadonlyArray<Doc>, query: URLSearchParams, most: number): Outcome<Doc> =>
  Either.gen(function* () {
    const page = yield* whole(query.get("page"), 1, Number.MAX_SAFE_INTEGER, "page")
    const pageSize = yield* whole(query.get("pageSize"), 50, most, "pageSize")
    return {
      pagination: { page, pageSize, pageCount: Math.ceil(rows.length / pageSize), itemCount: rows.length },
      items: rows.slice((page - 1) * pageSize, page * pageSize)
    }
  })

/** Records in the order they were made in, without that order. */
export const inOrder = (rows: ReadonlyArray<Doc>): ReadonlyArray<Doc> =>
  rows.toSorted((a, b) => Number(a.ordinal) - Number(b.ordinal)).map(({ ordinal: _ordinal, ...doc }) => doc)
