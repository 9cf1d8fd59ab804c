import { Schema } from "effect"

export const WarningCode = Schema.Literal(
  "NOT_HELD",
  "CHANGED",
  "STATUS_NOT_REACHED",
  "ASSUMED",
  "ALSO_CREATED",
  "NOT_READ_BACK"
).annotations({
  identifier: "WarningCode",
  description:
    "NOT_HELD: the provider has no place for the value; CHANGED: it is held as the value that the message names; STATUS_NOT_REACHED: the record has another status; ASSUMED: it is held as sent, with something that it does not say assumed; ALSO_CREATED: the provider created another record for the field, which the body does not have; NOT_READ_BACK: the record was written but could not be read afterwards, so the null or empty value shown for this field says nothing about the record"
})
export type WarningCode = typeof WarningCode.Type

/** A value that a write could not hold as it was sent, or that is not known after it. */
export const Warning = Schema.Struct({
  field: Schema.String.annotations({
    description: "Dotted path of the value in the body, or in the record for NOT_READ_BACK"
  }),
  code: WarningCode,
  message: Schema.String.annotations({ description: "What became of the value, in words" }),
  remote_id: Schema.optionalWith(
    Schema.String.annotations({ description: "For ALSO_CREATED: the provider's id of the record that was created" }),
    { exact: true }
  )
}).annotations({
  identifier: "Warning",
  description: "A value that a write could not hold as it was sent, or that is not known after it"
})
export type Warning = typeof Warning.Type

/** How to take values that cannot be held as they were sent (RFC 7240): refuse the write, or write and say so. */
export type Handling = "strict" | "lenient"
