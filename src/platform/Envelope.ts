import { Schema } from "effect"

/** The success envelope of an answer. */
export const Envelope = <const Status extends number, S extends Schema.Schema.Any>(statusCode: Status, data: S) =>
  Schema.Struct({
    success: Schema.Literal(true),
    statusCode: Schema.Literal(statusCode).annotations({ description: "Mirrors the HTTP status" }),
    message: Schema.String,
    data
  })

/** Something made, as it travels with status 201. */
export const created = <A>(message: string, data: A) => ({
  success: true as const,
  statusCode: 201 as const,
  message,
  data
})

/** A success as it travels. */
export const ok = <A>(message: string, data: A) => ({ success: true as const, statusCode: 200 as const, message, data })
