import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Encryption } from "../platform/Encryption.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { notErasedSince } from "../tenancy/Erasures.ts"
import type { SessionContext } from "./Api.ts"

const atSession =
  (sql: SqlClient.SqlClient) =>
  ({ environment, organisation }: Tenant, sessionId: string) => sql`
    organisation_id = ${organisation} and environment = ${environment} and session_id = ${sessionId}`

/** Deletes the context of a session. */
export const removed = (sql: SqlClient.SqlClient, tenant: Tenant, sessionId: string) => sql`
  delete from session_contexts where ${atSession(sql)(tenant, sessionId)} returning session_id`

/** Gives the contexts of chat sessions, deleted in `gone` of the same statement, the end users of these. */
export const keptFor = (sql: SqlClient.SqlClient) => sql`
  update session_contexts c set end_user = gone.end_user from gone
  where c.organisation_id = gone.organisation_id and c.environment = gone.environment
    and c.session_id = gone.session_id`

/**
 * The text in front of the agent's system prompt, one for each chat session of an organisation's environment. Encrypted at
 * rest; session ids are lower-case UUIDs. One that was neither set nor read for 90 days is forgotten.
 */
export class SessionContexts extends Context.Tag("tributary/agent/SessionContexts")<
  SessionContexts,
  {
    readonly put: (tenant: Tenant, sessionId: string, context: string) => Effect.Effect<SessionContext>
    /** The same for a chat session of an end user (empty: of nobody), unless they were erased since the request came in. */
    readonly putFor: (tenant: Tenant, endUserId: string, sessionId: string, context: string) => Effect.Effect<void>
    readonly get: (tenant: Tenant, sessionId: string) => Effect.Effect<SessionContext>
    /** Nothing happens when there is none. */
    readonly remove: (tenant: Tenant, sessionId: string) => Effect.Effect<void>
    /** Re-encrypts contexts that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.scoped(
    SessionContexts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption

      yield* runInBackground(sql`delete from session_contexts where used_at < now() - interval '90 days'`)

      const at = atSession(sql)

      /** `endUserId`: for this end user, unless they were erased since the request came in. */
      const write = SqlSchema.findOne({
        Request: Schema.Struct({
          ...Named.fields,
          sealed: Schema.String,
          endUserId: Schema.UndefinedOr(Schema.String)
        }),
        Result: Stamps,
        execute: Effect.fnUntraced(function* ({ endUserId, environment, organisation, sealed, sessionId }) {
          const condition =
            endUserId === undefined ? sql`true` : yield* notErasedSince(sql, { organisation, environment, endUserId })
          return yield* sql`
            insert into session_contexts (organisation_id, environment, session_id, context)
            select ${organisation}::uuid, ${environment}, ${sessionId}::uuid, ${sealed} where ${condition}
            on conflict (organisation_id, environment, session_id)
            do update set context = excluded.context, updated_at = now(), used_at = now()
            returning created_at, updated_at`
        })
      })

      // to the day is enough: a read seldom writes
      const read = SqlSchema.findOne({
        Request: Named,
        Result: Schema.Struct({ ...Stamps.fields, context: Schema.String }),
        execute: ({ sessionId, ...tenant }) => sql`
          with used as (
            update session_contexts set used_at = now()
            where ${at(tenant, sessionId)} and used_at < now() - interval '1 day'
          )
          select context, created_at, updated_at from session_contexts where ${at(tenant, sessionId)}`
      })

      const upsert = Effect.fnUntraced(function* (
        { environment, organisation }: Tenant,
        sessionId: string,
        context: string,
        endUserId?: string
      ) {
        const sealed = yield* encryption.encrypt(context, associatedDataOf({ organisation, environment }, sessionId))
        return yield* write({ organisation, environment, sessionId, sealed, endUserId })
      })

      return SessionContexts.of({
        put: Effect.fn("SessionContexts.put")(function* (tenant, sessionId, context) {
          const row = yield* Effect.flatten(upsert(tenant, sessionId, context))
          return contextOf(sessionId, context, row)
        }, Effect.orDie),

        putFor: Effect.fn("SessionContexts.putFor")(function* (tenant, endUserId, sessionId, context) {
          yield* upsert(tenant, sessionId, context, endUserId)
        }, Effect.orDie),

        get: Effect.fn("SessionContexts.get")(function* (tenant, sessionId) {
          const { environment, organisation } = tenant
          const row = yield* read({ organisation, environment, sessionId })
          if (Option.isNone(row)) return { sessionId, context: null, createdAt: null, updatedAt: null }
          const opened = yield* encryption.decrypt(row.value.context, associatedDataOf(tenant, sessionId))
          return contextOf(sessionId, Redacted.value(opened), row.value)
        }, Effect.orDie),

        remove: Effect.fn("SessionContexts.remove")(function* (tenant, sessionId) {
          yield* removed(sql, tenant, sessionId)
        }, Effect.orDie),

        rotateEncryption: rotate({
          table: "session_contexts",
          column: "context",
          key: ["organisation_id", "environment", "session_id"],
          associatedDataOf: (key) => `session_contexts/${key.join("/")}`,
          until: "used_at + interval '90 days'"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

const Named = Schema.Struct({ organisation: Schema.String, environment: Environment, sessionId: Schema.String })

const Stamps = Schema.Struct({ created_at: Schema.DateFromSelf, updated_at: Schema.DateFromSelf })

const contextOf = (
  sessionId: string,
  context: string,
  { created_at, updated_at }: typeof Stamps.Type
): SessionContext => ({
  sessionId,
  context,
  createdAt: created_at.toISOString(),
  updatedAt: updated_at.toISOString()
})

/** The associated data that binds a context to its row, so that it does not open in another. */
export const associatedDataOf = ({ environment, organisation }: Tenant, sessionId: string) =>
  `session_contexts/${organisation}/${environment}/${sessionId}`
