import { SqlClient, type SqlError, SqlSchema } from "@effect/sql"
import { Clock, Context, Effect, Either, Layer, Option, Redacted, Schedule, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { Encryption, isKeyMissing } from "../platform/Encryption.ts"
import { type ApiError, Conflict } from "../platform/Errors.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { beforeChange } from "../providers/BeforeChange.ts"
import { notErasedSince } from "../tenancy/Erasures.ts"
import type { Subject } from "./Access.ts"

/** A write that may be sent more than once. */
export interface Attempt {
  readonly subject: Subject
  readonly key: string
  readonly method: string
  readonly path: string
  /** Everything that the write depends on besides its path: query, connection and body. */
  readonly content: string
  /** A repeat has no further effect: a replacement, or a create that the provider recognises. */
  readonly repeats: boolean
}

/** A stored answer: a success, or a definite refusal. */
const Answer = Schema.Struct({ status: Schema.Int, body: Schema.Unknown })
export type Answer = typeof Answer.Type

/** An answer that is not final (`isLast: false`) is not stored: a repeat continues where it ended. */
export type Ended = Answer & { readonly isLast?: boolean }

const readAnswer = Schema.decodeUnknownEither(Schema.parseJson(Answer))
const writeAnswer = Schema.encodeSync(Schema.parseJson(Answer))

/** The stored entry of a used key. */
const Entry = Schema.Struct({
  fingerprint: Schema.instanceOf(Buffer),
  answer: Schema.NullOr(Schema.String),
  leaseId: Schema.String,
  /** Seconds that its lease still lasts; 0 or less: it has ended. */
  left: Schema.Number,
  isUnsent: Schema.Boolean
})
type Entry = typeof Entry.Type

/** The lease of a running write. */
interface Held {
  readonly scope: Buffer
  readonly leaseId: string
  /** Whether it may have been sent; a repeatable write counts as sent from the start. */
  sent: boolean
}

const sha256 = (...parts: ReadonlyArray<string>) => createHash("sha256").update(JSON.stringify(parts)).digest()

/** Seconds that a lease lasts. Running writes renew theirs, so a crash blocks a key only this long. */
const lease = 10

/** Whether it refuses the request itself. Others (a limit, a connection to renew) may end differently on a repeat. */
const keepsRefusal = (error: ApiError) =>
  error.status === 422 ||
  error.code === "CONFLICT" ||
  (error.status === 404 && !/^(END_USER|PROVIDER|CONNECTION)_/.test(error.code))

/** Whether the provider may have done the write, or a part of it, despite the failure; before a 503 nothing was sent. */
const leavesOpen = (error: ApiError) =>
  (error.status >= 500 && error.status !== 503) || ("provider" in error && (error.provider?.done?.length ?? 0) > 0)

/** Whether a repeat with the same idempotency key gets this failure again. */
export const isSettled = (error: ApiError) =>
  error.code === "IDEMPOTENCY_OUTCOME_UNKNOWN" || (!leavesOpen(error) && keepsRefusal(error))

const mismatch = new Conflict({
  code: "IDEMPOTENCY_CONFLICT",
  message: "Idempotency-Key: this key was used for a different request. Use a new key."
})

/** `left`: seconds until the lease ends, or is renewed. */
const running = (left: number) =>
  new Conflict({
    code: "IDEMPOTENCY_CONFLICT",
    message: "Idempotency-Key: the first request with this key is still running.",
    retryAfter: left
  })

const unknown = new Conflict({
  code: "IDEMPOTENCY_OUTCOME_UNKNOWN",
  message:
    "Idempotency-Key: the first request with this key ended without an answer, so it may or may not have taken effect. Look the record up, then use a new key."
})

/** The associated data that binds an answer to its row, so that it does not open in another. */
export const associatedDataOf = (scope: Buffer) => `idempotency/${scope.toString("hex")}`

/**
 * `Idempotency-Key`: stores the first answer to a write for 24 hours and returns it to repeats. A running write holds a
 * lease, and its entry says whether it was sent. After a crash, or a failure that leaves the outcome open, a repeat
 * continues if nothing was sent or if repeating is safe; otherwise it fails because the outcome is unknown.
 */
export class Idempotency extends Context.Tag("tributary/records/Idempotency")<
  Idempotency,
  {
    /** Runs a write once. `replayed`: the answer is an earlier one's. */
    readonly once: <R>(
      attempt: Attempt,
      write: Effect.Effect<Ended, ApiError, R>,
      /** Writes a refusal as an answer, so that it can be stored. */
      refusal: (error: ApiError) => Effect.Effect<Answer, never, R>
    ) => Effect.Effect<Answer & { readonly replayed: boolean }, ApiError, R>
    /** Re-encrypts stored answers that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.scoped(
    Idempotency,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const scope = yield* Effect.scope
      const held = new Set<Held>()

      const until = sql`now() + ${lease} * interval '1 second'`

      yield* runInBackground(sql`delete from idempotency_entries where expires_at < now()`)

      const renew = Effect.suspend(() => {
        const all = [...held]
        const scopes = all.map(({ scope }) => scope)
        const leases = all.map(({ leaseId }) => leaseId)
        return Effect.when(
          sql`
            update idempotency_entries set lease_until = ${until}
            where ${sql.in("scope", scopes)} and ${sql.in("lease_id", leases)}`,
          () => all.length > 0
        )
      }).pipe(
        Effect.catchAllCause((cause) => Effect.logWarning("the leases of running writes were not renewed", cause)),
        Effect.withTracerEnabled(false)
      )

      let isRenewing = false
      /** Renews the leases of all running writes, in real time, by one fiber that ends when none is left. */
      const renewing: Effect.Effect<void> = Effect.sleep("3 seconds").pipe(
        Effect.withClock(Clock.make()),
        Effect.flatMap(() => {
          isRenewing = held.size > 0
          return isRenewing ? Effect.zipRight(renew, renewing) : Effect.void
        })
      )
      const hold = (own: Held) =>
        Effect.suspend(() => {
          held.add(own)
          if (isRenewing) return Effect.void
          isRenewing = true
          return Effect.forkIn(renewing, scope)
        })

      const find = SqlSchema.findOne({
        Request: Schema.instanceOf(Buffer),
        Result: Entry,
        execute: (scope) => sql`
          select fingerprint, answer, lease_id as "leaseId", unsent_lease_id is not distinct from lease_id as "isUnsent",
            extract(epoch from lease_until - now())::float8 as "left"
          from idempotency_entries where scope = ${scope}`
      })

      /** Takes the entry for this request, or returns the stored answer, or says why neither is possible. */
      const take = (attempt: Attempt, own: Held, fingerprint: Buffer) =>
        Effect.gen(function* () {
          const { leaseId, scope } = own
          const { caller, endUser } = attempt.subject
          const unsent = attempt.repeats ? null : leaseId
          const wanted = yield* notErasedSince(sql, { ...caller, endUserId: endUser })
          const [made] = yield* sql`
            insert into idempotency_entries (scope, organisation_id, environment, end_user, fingerprint, lease_id,
              unsent_lease_id, lease_until, expires_at)
            select ${scope}::bytea, ${caller.organisation}::uuid, ${caller.environment}, ${endUser},
              ${fingerprint}::bytea, ${leaseId}::uuid, ${unsent}::uuid, ${until}, now() + interval '24 hours'
            where ${wanted}
            on conflict (scope) do update set fingerprint = excluded.fingerprint, status = null, answer = null,
              environment = excluded.environment, end_user = excluded.end_user, lease_id = excluded.lease_id,
              unsent_lease_id = excluded.unsent_lease_id, lease_until = excluded.lease_until, created_at = now(),
              expires_at = excluded.expires_at
            where idempotency_entries.expires_at < now()
            returning scope`
          if (made !== undefined) return undefined
          const found = yield* find(scope)
          if (Option.isNone(found)) return yield* running(1)
          const entry = found.value
          if (!entry.fingerprint.equals(fingerprint)) return yield* mismatch
          if (entry.answer !== null) return yield* answerIn(entry.answer, scope)
          if (entry.left > 0) return yield* running(entry.left)
          if (!attempt.repeats && !entry.isUnsent) return yield* unknown
          // its holder may still be running, and about to send
          const [taken] = yield* sql`
            update idempotency_entries
            set lease_id = ${leaseId}, unsent_lease_id = ${unsent}, lease_until = ${until}
            where scope = ${scope} and lease_id = ${entry.leaseId} and answer is null and lease_until < now()
              and (unsent_lease_id is not distinct from lease_id or ${attempt.repeats})
            returning scope`
          return taken === undefined ? yield* running(lease) : undefined
        }).pipe(Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die }))

      const answerIn = (sealed: string, scope: Buffer) =>
        encryption.decrypt(sealed, associatedDataOf(scope)).pipe(
          Either.flatMap((text) => readAnswer(Redacted.value(text))),
          // the operator can restore a missing key
          Effect.catchTag("DecryptionFailed", (error) =>
            isKeyMissing(error) ? Effect.die(error) : Effect.fail(unknown)
          ),
          Effect.catchTag("ParseError", () => Effect.fail(unknown))
        )

      /** Notes that the write is being sent; it is not if another request has taken over its entry. */
      const sending = (own: Held) =>
        sql`
          update idempotency_entries set unsent_lease_id = null, lease_until = ${until}
          where scope = ${own.scope} and lease_id = ${own.leaseId} returning scope`.pipe(
          Effect.flatMap((rows) => (rows.length === 0 ? Effect.die(running(lease)) : Effect.void)),
          Effect.orDie,
          Effect.zipRight(Effect.sync(() => (own.sent = true))),
          Effect.asVoid
        )

      const keep = ({ leaseId, scope }: Held, answer: Answer) =>
        Effect.flatMap(
          encryption.encrypt(writeAnswer(answer), associatedDataOf(scope)),
          (sealed) => sql`
            update idempotency_entries set status = ${answer.status}, answer = ${sealed}
            where scope = ${scope} and lease_id = ${leaseId}`
        )

      const forget = ({ leaseId, scope }: Held) =>
        sql`delete from idempotency_entries where scope = ${scope} and lease_id = ${leaseId}`

      /** Ends the lease at once. */
      const leaveOpen = ({ leaseId, scope, sent }: Held) => sql`
        update idempotency_entries set lease_until = now(), unsent_lease_id = ${sent ? null : leaseId}
        where scope = ${scope} and lease_id = ${leaseId}`

      /**
       * Notes how a write ended, in the background while the database is unavailable. The caller gets the outcome in any
       * case, since the provider has done the write.
       */
      const settle = (own: Held, note: Effect.Effect<unknown, SqlError.SqlError>) =>
        Effect.suspend(() => {
          held.delete(own)
          return note
        }).pipe(
          Effect.catchAll((error) =>
            Effect.zipRight(
              Effect.logWarning("the outcome of a write is noted when the database is back", error.message),
              note.pipe(
                Effect.retry(Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(300))),
                Effect.catchAllCause((cause) => Effect.logError("the outcome of a write was not noted", cause)),
                Effect.forkIn(scope)
              )
            )
          )
        )

      return {
        once: (attempt, write, refusal) =>
          Effect.gen(function* () {
            const { caller, endUser } = attempt.subject
            const own: Held = {
              scope: sha256(
                caller.organisation,
                caller.environment,
                endUser,
                attempt.method,
                attempt.path,
                attempt.key
              ),
              leaseId: randomUUID(),
              sent: attempt.repeats
            }
            const earlier = yield* take(attempt, own, sha256(attempt.content))
            if (earlier !== undefined) return { ...earlier, replayed: true }
            yield* hold(own)
            const noted = attempt.repeats
              ? write
              : Effect.locally(write, beforeChange, yield* Effect.cached(sending(own)))
            const { isLast = true, ...answer } = yield* Effect.tapErrorCause(noted, (cause) =>
              cause._tag !== "Fail" || leavesOpen(cause.error)
                ? settle(own, leaveOpen(own))
                : keepsRefusal(cause.error)
                  ? Effect.flatMap(refusal(cause.error), (answer) => settle(own, keep(own, answer)))
                  : settle(own, forget(own))
            )
            yield* settle(own, isLast ? keep(own, answer) : leaveOpen(own))
            return { ...answer, replayed: false }
          }).pipe(Effect.withSpan("Idempotency.once")),
        rotateEncryption: rotate({
          table: "idempotency_entries",
          column: "answer",
          key: ["scope"],
          // PostgreSQL writes bytes as \x and hexadecimal digits
          associatedDataOf: ([scope = ""]) => associatedDataOf(Buffer.from(scope.slice(2), "hex")),
          until: "expires_at"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      }
    })
  )
}
