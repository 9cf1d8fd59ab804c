import { type SqlError, SqlSchema } from "@effect/sql"
import { Config, type ConfigError, Effect, Option, Schema } from "effect"
import { Conflict } from "./Errors.ts"

/** How much of something may be there at a time. */
export interface Quota {
  /** 0 for no limit. */
  readonly limit: number
  /** The answer to exceeding it: 409 `QUOTA_EXCEEDED`. */
  readonly exceeded: Conflict
}

/**
 * A quota that the operator sets; 0 for none. `most` says what at most so many may be of, `remedy` what a caller can do who
 * has met it.
 */
export const quota = (given: {
  readonly setting: string
  readonly fallback: number
  readonly most: (limit: number) => string
  readonly remedy: string
}): Effect.Effect<Quota, ConfigError.ConfigError> => {
  const { fallback, most, remedy, setting } = given
  return Config.integer(setting).pipe(
    Config.validate({
      message: `Expected ${setting} to be 0 (no limit) or more`,
      validation: (limit) => limit >= 0
    }),
    Config.withDefault(fallback),
    Effect.map((limit) => ({
      limit,
      exceeded: new Conflict({
        code: "QUOTA_EXCEEDED",
        message: `${most(limit)} (${setting}). ${remedy}, or ask the operator to raise ${setting}.`
      })
    }))
  )
}

/**
 * Fails when as many are held as may be; `held` counts no further than the limit. To let nothing pass the limit, run it in
 * the transaction of the insert, after a statement that locks what everybody who adds locks.
 */
export const refuseBeyond = (
  { exceeded, limit }: Quota,
  held: (limit: number) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<void, Conflict | SqlError.SqlError> => {
  if (limit === 0) return Effect.void
  const count = SqlSchema.findOne({ Request: Schema.Int, Result: Count, execute: held })
  return count(limit).pipe(
    Effect.catchTag("ParseError", Effect.die),
    Effect.flatMap((row) => (Option.isSome(row) && (row.value.held ?? 0) >= limit ? exceeded : Effect.void))
  )
}

/** Null is the sum of nothing. */
const Count = Schema.Struct({ held: Schema.NullOr(Schema.Int) })
