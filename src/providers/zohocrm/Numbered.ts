import { Effect, Either, Schema } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ProviderError } from "../ProviderError.ts"

const Place = Schema.parseJson(Schema.Struct({ page: Schema.Int, last: Schema.NullOr(Schema.String) }))
const readPlace = Schema.decodeUnknownEither(Place)
const writePlace = Schema.encodeSync(Place)

/** Rows of a page. */
export const pageSize = 100

interface Rows {
  readonly rows: ReadonlyArray<Native>
  readonly more: boolean
}

/** Some rows of a list with numbered pages, on from a place: its page and the last row taken of that. */
export const numbered = (
  fetch: (page: number) => Effect.Effect<Rows, ProviderError>,
  position: string | null,
  limit: number
): Effect.Effect<{ readonly rows: ReadonlyArray<Native>; readonly next: string | null }, ProviderError> => {
  const { last, page } = Either.getOrElse(readPlace(position), () => ({ page: 1, last: null }))
  return Effect.map(fetch(page), ({ more, rows }) => {
    const left = rows.slice(rows.findIndex(({ id }) => id === last) + 1)
    const some = left.slice(0, limit)
    const end = some.at(-1)
    return {
      rows: some,
      next:
        left.length > some.length && end !== undefined
          ? writePlace({ page, last: String(end.id) })
          : more
            ? writePlace({ page: page + 1, last: null })
            : null
    }
  })
}
