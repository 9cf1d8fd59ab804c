import { SqlClient } from "@effect/sql"
import { Effect, Redacted, Schema } from "effect"
import { Encryption } from "../platform/Encryption.ts"
import { holdings, ownRows, type Person } from "../tenancy/PersonalData.ts"
import * as ChatSessions from "./ChatSessions.ts"
import * as SessionContexts from "./SessionContexts.ts"

const parse = Schema.decode(Schema.parseJson(Schema.Unknown))

/** Holds end users' chats and session contexts. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encryption = yield* Encryption

    const within = ({ environment, organisation }: Person) =>
      sql`t.organisation_id = ${organisation} and t.environment = ${environment}`
    /** The chat session of a context, in `s`. */
    const sessions = sql`
      from chat_sessions s
      where s.organisation_id = t.organisation_id and s.environment = t.environment and s.session_id = t.session_id`

    return yield* Effect.all([
      // before the sessions, which say whose contexts are
      ownRows({
        slug: "sessionContexts",
        table: "session_contexts",
        where: (person) => sql`
          ${within(person)} and (
            exists (select ${sessions} and s.end_user = ${person.endUserId})
            or (t.end_user = ${person.endUserId} and not exists (select ${sessions})))`,
        columns: "t.session_id, t.context, t.created_at, t.updated_at",
        oldestBy: "t.created_at",
        row: Schema.Struct({
          session_id: Schema.UUID,
          context: Schema.String,
          created_at: Schema.DateFromSelf,
          updated_at: Schema.DateFromSelf
        }),
        shown: ({ context, created_at, session_id, updated_at }, person) =>
          encryption.decrypt(context, SessionContexts.associatedDataOf(person, session_id)).pipe(
            Effect.map((text) => ({
              sessionId: session_id,
              context: Redacted.value(text),
              createdAt: created_at,
              updatedAt: updated_at
            })),
            Effect.orDie
          )
      }),
      ownRows({
        slug: "chats",
        table: "chat_sessions",
        where: (person) => sql`${within(person)} and t.end_user = ${person.endUserId}`,
        columns: `t.session_id, t.workspace_id, t.history, t.input_tokens::float8, t.cached_input_tokens::float8,
          t.output_tokens::float8, t.created_at, t.updated_at`,
        oldestBy: "t.updated_at",
        row: Schema.Struct({
          session_id: Schema.UUID,
          workspace_id: Schema.UUID,
          history: Schema.NullOr(Schema.String),
          input_tokens: Schema.Int,
          cached_input_tokens: Schema.Int,
          output_tokens: Schema.Int,
          created_at: Schema.DateFromSelf,
          updated_at: Schema.DateFromSelf
        }),
        shown: ({ history, session_id, workspace_id, ...session }, person) =>
          Effect.gen(function* () {
            const text =
              history === null
                ? "[]"
                : yield* Effect.map(
                    encryption.decrypt(history, ChatSessions.associatedDataOf(person, session_id)),
                    Redacted.value
                  )
            return {
              sessionId: session_id,
              workspaceId: workspace_id,
              messages: yield* parse(text),
              usage: {
                inputTokens: session.input_tokens,
                cachedInputTokens: session.cached_input_tokens,
                outputTokens: session.output_tokens
              },
              createdAt: session.created_at,
              updatedAt: session.updated_at
            }
          }).pipe(Effect.orDie)
      })
    ])
  })
)
