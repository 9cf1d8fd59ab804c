import { Schema } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"

// Fields of a tool's input, each with a description for a model, and with words for what does not fit. None of them makes a
// `$ref` in JSON Schema, which some gateways refuse.

const short = (most: number) =>
  Schema.String.pipe(Schema.maxLength(most, { message: () => `must have at most ${most} characters` }))

const filled = <A extends string, I>(schema: Schema.Schema<A, I>) =>
  schema.pipe(Schema.minLength(1, { message: () => "must not be empty" }))

/** A text that is not empty. */
export const text = (description: string, most = 65_536) => filled(short(most)).annotations({ description })

/** A text that may be empty, which clears. */
export const anyText = (description: string, most = 65_536) => short(most).annotations({ description })

/** A text of a form; `expected` says which, as in "must be …". */
export const formed = (description: string, pattern: RegExp, expected: string) =>
  Schema.String.pipe(Schema.pattern(pattern, { message: () => `must be ${expected}` })).annotations({ description })

export const whole = (description: string, least: number, most: number) =>
  Schema.Number.pipe(Schema.int(), Schema.between(least, most)).annotations({
    description,
    message: () => ({ message: `must be a whole number from ${least} to ${most}`, override: true })
  })

export const flag = (description: string) => Schema.Boolean.annotations({ description })

/** One of some words. */
export const choice = <const Values extends NonEmptyReadonlyArray<string>>(description: string, ...values: Values) =>
  Schema.Literal(...values).annotations({
    description,
    message: () => ({ message: `must be ${values.map((value) => `"${value}"`).join(" or ")}`, override: true })
  })

/** A list, which may be empty. */
export const list = <A, I>(description: string, entry: Schema.Schema<A, I>, most: number) =>
  Schema.Array(entry)
    .pipe(
      // a message on the whole list would also replace the faults of its entries
      Schema.filter((all) => all.length <= most || `must have at most ${most} entries`, {
        jsonSchema: { maxItems: most }
      })
    )
    .annotations({ description })

export const texts = (description: string, most: number) =>
  list(description, filled(Schema.String).annotations({ description: "Not empty." }), most)

/** May be left out. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Has a value when left out; the description says which. */
export const otherwise = <A, I>(schema: Schema.Schema<A, I>, value: NoInfer<A>) =>
  Schema.optionalWith(schema, { exact: true, default: () => value })

/** How many entries a page of an answer has. */
export const limit = otherwise(whole("How many to answer, 1 to 100. 30 when left out.", 1, 100), 30)

/** Where reading of a long text goes on. */
export const from = otherwise(
  whole("Character of the text to read on from: `next_from` of the answer before. 0 when left out.", 0, 100_000_000),
  0
)
