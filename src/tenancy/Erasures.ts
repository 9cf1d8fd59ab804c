import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, FiberRef, Layer } from "effect"
import { createHash } from "node:crypto"
import { requestNotes } from "../platform/RequestNotes.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import type { Person } from "./PersonalData.ts"

/** SHA-256 of an end user's name: what is kept of it after the erasure, for a day. */
export const digestOf = (endUserId: string) => createHash("sha256").update(endUserId).digest()

/** Milliseconds. */
const aDay = 24 * 3_600_000

/**
 * Remembers for a day who was erased, and when: what a request from before that moment still wants to store of them is not
 * stored. Requests that come in later start over.
 */
export class Erasures extends Context.Tag("tributary/tenancy/Erasures")<
  Erasures,
  { readonly note: (person: Person) => Effect.Effect<void> }
>() {
  static readonly layer = Layer.scoped(
    Erasures,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // by the clock that it was noted by
      yield* runInBackground(
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => sql`delete from erasures where erased_at < ${new Date(now - aDay)}`
        )
      )

      return Erasures.of({
        note: Effect.fn("Erasures.note")(function* ({ endUserId, environment, organisation }) {
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* sql`
            insert into erasures (organisation_id, environment, digest, erased_at)
            values (${organisation}, ${environment}, ${digestOf(endUserId)}, ${now})
            on conflict (organisation_id, environment, digest) do update set erased_at = excluded.erased_at`
        }, Effect.orDie)
      })
    })
  )
}

/**
 * A condition for statements that store something of a person: that they were not erased since the request being answered
 * came in.
 */
export const notErasedSince = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { endUserId, environment, organisation }: Person
) {
  const notes = yield* FiberRef.get(requestNotes)
  const since = notes?.startedAt ?? (yield* Clock.currentTimeMillis)
  return sql`not exists (
    select from erasures e where e.organisation_id = ${organisation} and e.environment = ${environment}
      and e.digest = ${digestOf(endUserId)} and e.erased_at > ${new Date(since)})`
})
