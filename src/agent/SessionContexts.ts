import { SqlClient, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Redacted } from "effect"
import { Encryption } from "../platform/Encryption.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { notErasedSince } from "../tenancy/Erasures.ts"
import type { SessionContext } from "./Api.ts"

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

      const at = ({ environment, organisation }: Tenant, sessionId: string) => sql`
        organisation_id = ${organisation} and environment = ${environment} and session_id = ${sessionId}`

      const upsert = Effect.fnUntraced(function* (
        tenant: Tenant,
        sessionId: string,
        context: string,
        condition: Statement.Fragment
      ) {
        const sealed = yield* encryption.encrypt(context, placeOf(tenant, sessionId))
        return yield* sql<Stamps>`
          insert into session_contexts (organisation_id, environment, session_id, context)
          select ${tenant.organisation}::uuid, ${tenant.environment}, ${sessionId}::uuid, ${sealed} where ${condition}
          on conflict (organisation_id, environment, session_id)
          do update set context = excluded.context, updated_at = now(), used_at = now()
          returning created_at, updated_at`
      })

      return SessionContexts.of({
        put: Effect.fn("SessionContexts.put")(function* (tenant, sessionId, context) {
          const [row] = yield* upsert(tenant, sessionId, context, sql`true`)
          return row === undefined
            ? yield* Effect.dieMessage("an upserted row was not returned")
            : contextOf(sessionId, context, row)
        }, Effect.orDie),

        putFor: Effect.fn("SessionContexts.putFor")(function* (tenant, endUserId, sessionId, context) {
          yield* upsert(tenant, sessionId, context, yield* notErasedSince(sql, { ...tenant, endUserId }))
        }, Effect.orDie),

        get: Effect.fn("SessionContexts.get")(function* (tenant, sessionId) {
          // to the day is enough: a read seldom writes
          const [row] = yield* sql<Stamps & { readonly context: string }>`
            with used as (
              update session_contexts set used_at = now()
              where ${at(tenant, sessionId)} and used_at < now() - interval '1 day'
            )
            select context, created_at, updated_at from session_contexts where ${at(tenant, sessionId)}`
          if (row === undefined) return { sessionId, context: null, createdAt: null, updatedAt: null }
          const opened = yield* encryption.decrypt(row.context, placeOf(tenant, sessionId))
          return contextOf(sessionId, Redacted.value(opened), row)
        }, Effect.orDie),

        remove: Effect.fn("SessionContexts.remove")(function* (tenant, sessionId) {
          yield* sql`delete from session_contexts where ${at(tenant, sessionId)}`
        }, Effect.orDie),

        rotateEncryption: rotate({
          table: "session_contexts",
          column: "context",
          key: ["organisation_id", "environment", "session_id"],
          place: (key) => `session_contexts/${key.join("/")}`,
          until: "used_at + interval '90 days'"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

interface Stamps {
  readonly created_at: Date
  readonly updated_at: Date
}

const contextOf = (sessionId: string, context: string, { created_at, updated_at }: Stamps): SessionContext => ({
  sessionId,
  context,
  createdAt: created_at.toISOString(),
  updatedAt: updated_at.toISOString()
})

/** Where a context belongs; sealed for it, it does not open anywhere else. */
export const placeOf = ({ environment, organisation }: Tenant, sessionId: string) =>
  `session_contexts/${organisation}/${environment}/${sessionId}`
