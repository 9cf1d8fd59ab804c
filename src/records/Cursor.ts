import { Effect, Either, Redacted, Schema } from "effect"
import { Encryption } from "../platform/Encryption.ts"
import { BadRequest } from "../platform/Errors.ts"

/** Where a walk through a list stands: the connections that are not finished, fixed by its first page. */
export const Walk = Schema.Struct({
  connections: Schema.Array(Schema.Struct({ id: Schema.String, position: Schema.NullOr(Schema.String) })),
  /** Whose turn it is to get what does not divide evenly. */
  turn: Schema.Int
})
export type Walk = typeof Walk.Type

const read = Schema.decodeUnknownEither(Schema.parseJson(Walk))
const write = (walk: Walk) => JSON.stringify(walk)

/**
 * A cursor is a walk sealed for whoever it was given to and what was asked: `scope` names organisation, environment, end
 * user, resource and filters. Used elsewhere, or altered, it does not open.
 */
export const seal = (walk: Walk, scope: string): Effect.Effect<string, never, Encryption> =>
  Effect.flatMap(Encryption, (encryption) => encryption.encrypt(write(walk), `cursor/${scope}`))

export const unseal = (cursor: string, scope: string): Effect.Effect<Walk, BadRequest, Encryption> =>
  Effect.flatMap(Encryption, (encryption) =>
    encryption.decrypt(cursor, `cursor/${scope}`).pipe(
      Either.flatMap((text) => read(Redacted.value(text))),
      Either.mapLeft(
        () =>
          new BadRequest({
            code: "INVALID_CURSOR",
            message:
              "cursor: is not one this list gave. Send `pagination.cursor` of the page before, with the same filters, or leave it out to start anew."
          })
      )
    )
  )
