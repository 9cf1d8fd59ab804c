import { Effect, Either, Redacted, Schema } from "effect"
import { Encryption } from "./Encryption.ts"
import { BadRequest } from "./Errors.ts"

/**
 * Cursors that carry a position, sealed for whoever they were given to and what was asked: `scope` names organisation,
 * environment, end user, resource and filters. Used elsewhere, or altered, one does not open.
 */
export const cursorsOf = <A>(position: Schema.Schema<A>) => {
  const read = Schema.decodeUnknownEither(Schema.parseJson(position))
  return Effect.map(Encryption, (encryption) => ({
    seal: (at: A, scope: string): Effect.Effect<string> => encryption.encrypt(JSON.stringify(at), `cursor/${scope}`),

    unseal: (cursor: string, scope: string): Either.Either<A, BadRequest> =>
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
  }))
}
