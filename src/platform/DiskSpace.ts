import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schedule } from "effect"
import * as Database from "./Database.ts"
import { Health, NotReady } from "./Health.ts"

/**
 * Whether the database has room to store anything. A statement that fails for want of it makes the service not ready, until a
 * statement that needs room succeeds again.
 */
export class DiskSpace extends Context.Tag("tributary/platform/DiskSpace")<
  DiskSpace,
  {
    /** Notes that a statement failed because the disk is full. The log says so once, and once more when there is room again. */
    readonly ranOut: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    DiskSpace,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope
      let isFull = false

      yield* (yield* Health).register(
        "disk",
        Effect.suspend(() => (isFull ? new NotReady({ reason }) : Effect.void))
      )

      // a megabyte, which never becomes a part of what is stored
      const takeRoom = sql.withTransaction(sql`
        create temporary table room on commit drop as select repeat('x', 1000) as filler from generate_series(1, 1000)`)

      const watch = takeRoom.pipe(
        // whatever else is wrong is not about room
        Effect.catchIf(
          (error) => !Database.isFull(error) && !Database.isAway(error),
          () => Effect.void
        ),
        Effect.retry(Schedule.spaced("1 second")),
        Effect.ignore,
        Effect.zipRight(
          Effect.sync(() => {
            isFull = false
          })
        ),
        Effect.zipRight(Effect.logInfo("The database's disk has room again.")),
        Effect.withTracerEnabled(false),
        Effect.delay("1 second")
      )

      return {
        ranOut: Effect.suspend(() => {
          if (isFull) return Effect.void
          isFull = true
          return Effect.zipRight(
            Effect.logError(`${reason} Make room on it: the service goes on by itself.`),
            Effect.forkIn(watch, scope)
          )
        })
      }
    })
  )
}

const reason = "The database's disk is full: nothing can be stored."
