import { SqlClient } from "@effect/sql"
import { Effect, Redacted, Schema } from "effect"
import { Encryption } from "../platform/Encryption.ts"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"
import { associatedDataOf } from "./Idempotency.ts"

const Scope = Schema.instanceOf(Buffer)

const parse = Schema.decode(Schema.parseJson(Schema.Unknown))

/** The answers of end users' writes that are kept for a repeat. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encryption = yield* Encryption
    return [
      yield* ownRows({
        slug: "idempotentAnswers",
        table: "idempotency_entries",
        where: ({ endUserId, environment, organisation }) => sql`
          t.organisation_id = ${organisation} and t.environment = ${environment} and t.end_user = ${endUserId}`,
        columns: "t.scope, t.status, t.answer, t.created_at, t.expires_at",
        oldestBy: "t.created_at",
        row: Schema.Struct({
          scope: Scope,
          status: Schema.NullOr(Schema.Int),
          answer: Schema.NullOr(Schema.String),
          created_at: Schema.DateFromSelf,
          expires_at: Schema.DateFromSelf
        }),
        shown: ({ answer, created_at, expires_at, scope, status }) =>
          Effect.gen(function* () {
            const text = answer === null ? undefined : yield* encryption.decrypt(answer, associatedDataOf(scope))
            return {
              status,
              answer: text === undefined ? null : yield* parse(Redacted.value(text)),
              createdAt: created_at,
              expiresAt: expires_at
            }
          }).pipe(Effect.orDie)
      })
    ]
  })
)
