import { SqlClient } from "@effect/sql"
import { Context, Effect, Either, Layer, Redacted, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { Encryption, isKeyMissing } from "../platform/Encryption.ts"
import { type ApiError, Conflict } from "../platform/Errors.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { upkeep } from "../platform/Upkeep.ts"
import type { Subject } from "./Access.ts"

/** A write that may be sent more than once. */
export interface Attempt {
  readonly subject: Subject
  readonly key: string
  readonly method: string
  readonly path: string
  /** All that the write depends on besides its path: query, connection and body. */
  readonly content: string
  /** Doing it again cannot do it twice: a replacement, or a create the provider recognises. */
  readonly repeats: boolean
}

/** What is stored: a success, or a definite refusal. */
const Answer = Schema.Struct({ status: Schema.Int, body: Schema.Unknown })
export type Answer = typeof Answer.Type

const readAnswer = Schema.decodeUnknownEither(Schema.parseJson(Answer))
const writeAnswer = Schema.encodeSync(Schema.parseJson(Answer))

const sha256 = (...parts: ReadonlyArray<string>) => createHash("sha256").update(JSON.stringify(parts)).digest()

/** Seconds a running write holds its entry; longer than any write takes. */
const lease = 300

/** Refusals of the request itself. Others (a limit, a connection to be renewed) may turn out otherwise on a repeat. */
const keepsRefusal = (error: ApiError) =>
  error.status === 422 ||
  error.code === "CONFLICT" ||
  (error.status === 404 && !/^(END_USER|PROVIDER|CONNECTION)_/.test(error.code))

/** Failures that leave open whether the provider did it, or after which a part of it is done. */
const leavesOpen = (error: ApiError) =>
  error.status >= 500 || ("provider" in error && (error.provider?.done?.length ?? 0) > 0)

/**
 * `Idempotency-Key`: the first answer of a write is kept for 24 hours and given to whoever repeats it. A running write
 * holds a lease; one that lapsed (a crash) or whose outcome is unknown goes on only where repeating is safe.
 */
export class Idempotency extends Context.Tag("tributary/records/Idempotency")<
  Idempotency,
  {
    /** Runs a write once. `replayed` says that the answer is an earlier one's. */
    readonly once: <R>(
      attempt: Attempt,
      write: Effect.Effect<Answer, ApiError, R>,
      /** How a refusal is written, so that it can be kept. */
      refusal: (error: ApiError) => Effect.Effect<Answer, never, R>
    ) => Effect.Effect<Answer & { readonly replayed: boolean }, ApiError, R>
    /** Re-encrypts kept answers that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.scoped(
    Idempotency,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption

      yield* upkeep(sql`delete from idempotency_entries where expires_at < now()`)

      const mismatch = new Conflict({
        code: "IDEMPOTENCY_CONFLICT",
        message: "Idempotency-Key: this key was used for a different request. Use a new key."
      })
      const running = new Conflict({
        code: "IDEMPOTENCY_CONFLICT",
        message: "Idempotency-Key: the first request with this key is still running.",
        retryAfter: 1
      })
      const unknown = new Conflict({
        code: "IDEMPOTENCY_OUTCOME_UNKNOWN",
        message:
          "Idempotency-Key: the first request with this key ended without an answer, so it may or may not have taken effect. Look the record up, then use a new key."
      })

      const place = (scope: Buffer) => `idempotency/${scope.toString("hex")}`

      /** Takes the entry for this request, or says why not, or gives the answer that is there. */
      const take = (attempt: Attempt, scope: Buffer, fingerprint: Buffer, leaseId: string) =>
        Effect.gen(function* () {
          const { organisation } = attempt.subject.caller
          const [made] = yield* sql`
            insert into idempotency_entries (scope, organisation_id, fingerprint, lease_id, lease_until, expires_at)
            values (${scope}, ${organisation}, ${fingerprint}, ${leaseId}, now() + ${lease} * interval '1 second',
              now() + interval '24 hours')
            on conflict (scope) do update set fingerprint = excluded.fingerprint, status = null, answer = null,
              lease_id = excluded.lease_id, lease_until = excluded.lease_until, created_at = now(),
              expires_at = excluded.expires_at
            where idempotency_entries.expires_at < now()
            returning scope`
          if (made !== undefined) return undefined
          const [entry] = yield* sql<{ fingerprint: Buffer; answer: string | null; lapsed: boolean }>`
            select fingerprint, answer, lease_until < now() as lapsed from idempotency_entries where scope = ${scope}`
          if (entry === undefined) return yield* running
          if (!entry.fingerprint.equals(fingerprint)) return yield* mismatch
          if (entry.answer !== null) {
            return yield* encryption.decrypt(entry.answer, place(scope)).pipe(
              Either.flatMap((text) => readAnswer(Redacted.value(text))),
              // that its key is missing is the operator's to put right
              Effect.catchTag("DecryptionFailed", (error) =>
                isKeyMissing(error) ? Effect.die(error) : Effect.fail(unknown)
              ),
              Effect.catchTag("ParseError", () => Effect.fail(unknown))
            )
          }
          if (!entry.lapsed) return yield* running
          if (!attempt.repeats) return yield* unknown
          const [taken] = yield* sql`
            update idempotency_entries set lease_id = ${leaseId}, lease_until = now() + ${lease} * interval '1 second'
            where scope = ${scope} and answer is null and lease_until < now() returning scope`
          return taken === undefined ? yield* running : undefined
        }).pipe(Effect.catchTag("SqlError", Effect.die))

      const keep = (scope: Buffer, leaseId: string, answer: Answer) =>
        Effect.gen(function* () {
          const sealed = yield* encryption.encrypt(writeAnswer(answer), place(scope))
          yield* sql`
            update idempotency_entries set status = ${answer.status}, answer = ${sealed}
            where scope = ${scope} and lease_id = ${leaseId}`
        }).pipe(Effect.orDie)

      const forget = (scope: Buffer, leaseId: string) =>
        Effect.orDie(sql`delete from idempotency_entries where scope = ${scope} and lease_id = ${leaseId}`)

      /** Ends the lease at once: a repeat goes on where that is safe, and is told that the outcome is unknown elsewhere. */
      const leaveOpen = (scope: Buffer, leaseId: string) =>
        Effect.orDie(
          sql`update idempotency_entries set lease_until = now() where scope = ${scope} and lease_id = ${leaseId}`
        )

      return {
        once: (attempt, write, refusal) =>
          Effect.gen(function* () {
            const { caller, endUser } = attempt.subject
            const scope = sha256(
              caller.organisation,
              caller.environment,
              endUser,
              attempt.method,
              attempt.path,
              attempt.key
            )
            const leaseId = randomUUID()
            const earlier = yield* take(attempt, scope, sha256(attempt.content), leaseId)
            if (earlier !== undefined) return { ...earlier, replayed: true }
            const answer = yield* write.pipe(
              Effect.tapErrorCause((cause) =>
                cause._tag === "Fail"
                  ? Effect.gen(function* () {
                      const error = cause.error
                      if (leavesOpen(error)) yield* leaveOpen(scope, leaseId)
                      else if (keepsRefusal(error)) yield* keep(scope, leaseId, yield* refusal(error))
                      else yield* forget(scope, leaseId)
                    })
                  : leaveOpen(scope, leaseId)
              )
            )
            yield* keep(scope, leaseId, answer)
            return { ...answer, replayed: false }
          }).pipe(Effect.withSpan("Idempotency.once")),
        rotateEncryption: rotate({
          table: "idempotency_entries",
          column: "answer",
          key: ["scope"],
          // PostgreSQL writes bytes as \x and hexadecimal digits
          place: ([scope = ""]) => place(Buffer.from(scope.slice(2), "hex")),
          until: "expires_at"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      }
    })
  )
}
