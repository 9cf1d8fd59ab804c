import { Schema } from "effect"

const success = Schema.Literal(true).annotations({ description: "true: what was asked for was done" })
const message = Schema.String.annotations({ description: "What was done, in words" })

/** The success envelope of an answer. */
export const Envelope = <const Status extends number, S extends Schema.Schema.Any>(statusCode: Status, data: S) =>
  Schema.Struct({
    success,
    statusCode: Schema.Literal(statusCode).annotations({ description: "Mirrors the HTTP status" }),
    message,
    data
  })

/** Where a list that goes on by cursor stands. */
export const Pagination = Schema.Struct({
  cursor: Schema.NullOr(Schema.String).annotations({ description: "Where to go on; null at the end" }),
  hasMore: Schema.Boolean.annotations({ description: "Whether the list goes on" }),
  limit: Schema.Int.annotations({ description: "Most entries of a page" })
}).annotations({ identifier: "Pagination", description: "Where the list stands" })

/** A page of a list, in its envelope. */
export const Page = <S extends Schema.Schema.AnyNoContext>(record: S) =>
  Envelope(
    200,
    Schema.Struct({
      data: Schema.Array(record).annotations({ description: "The entries of this page" }),
      pagination: Pagination
    })
  )

/** Most entries of a page where `limit` does not say. */
export const defaultLimit = 25

/** The query of a list that goes on by cursor. */
export const pageQuery = {
  cursor: Schema.optional(Schema.String.annotations({ description: "`pagination.cursor` of the page before" })),
  limit: Schema.optional(
    Schema.String.pipe(
      Schema.pattern(/^\d{1,3}$/),
      Schema.compose(Schema.NumberFromString),
      Schema.between(1, 100),
      Schema.annotations({
        message: () => ({ message: "must be a whole number from 1 to 100", override: true }),
        jsonSchema: {
          type: "integer",
          minimum: 1,
          maximum: 100,
          default: defaultLimit,
          description: "At most so many entries; a page may be shorter"
        }
      })
    )
  )
}

/** Something made, as it travels with status 201. */
export const created = <A>(message: string, data: A) => ({
  success: true as const,
  statusCode: 201 as const,
  message,
  data
})

/** A success as it travels. */
export const ok = <A>(message: string, data: A) => ({ success: true as const, statusCode: 200 as const, message, data })
