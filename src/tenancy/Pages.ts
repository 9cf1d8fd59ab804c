import { Effect, Schema } from "effect"
import { cursorsOf } from "../platform/Cursors.ts"
import { defaultLimit } from "../platform/Envelope.ts"
import { CurrentCaller } from "./CurrentCaller.ts"

/** A page goes on after the entry at a position. */
const cursors = cursorsOf(Schema.Struct({ after: Schema.String }))

/** Position of an entry that is read with it. */
export const positionOf = ({ position }: { readonly position: string }) => position

/**
 * A page of a list of the caller's, with `positionOf` to say where an entry stands in it. `read` is asked for one entry more than
 * is shown, which says whether there are more. `list` tells the cursors of one list from another's.
 */
export const pages = Effect.map(
  cursors,
  ({ seal, unseal }) =>
    <A>(
      list: string,
      { cursor, limit = defaultLimit }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
      positionOf: (entry: A) => string,
      read: (page: { readonly after: string | undefined; readonly take: number }) => Effect.Effect<ReadonlyArray<A>>
    ) =>
      Effect.gen(function* () {
        const { environment, organisation } = yield* CurrentCaller
        const scope = JSON.stringify([list, organisation, environment])
        const { after } = cursor === undefined ? { after: undefined } : yield* unseal(cursor, scope)
        const found = yield* read({ after, take: limit + 1 })
        const shown = found.slice(0, limit)
        const last = found.length > limit ? shown.at(-1) : undefined
        return {
          data: shown,
          pagination: {
            cursor: last === undefined ? null : yield* seal({ after: positionOf(last) }, scope),
            hasMore: last !== undefined,
            limit
          }
        }
      })
)
