import { SqlClient } from "@effect/sql"
import type { UIMessage } from "ai"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { v5 } from "uuid"
import { Encryption } from "../platform/Encryption.ts"
import { NotFound } from "../platform/Errors.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { upkeep } from "../platform/Upkeep.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { notErasedSince } from "../tenancy/Erasures.ts"
import { kept } from "./ChatHistory.ts"

/** A conversation, and what it was begun with. */
export interface ChatSession {
  readonly tenant: Tenant
  /** Lower-case UUID. */
  readonly id: string
  /** UUID of the workspace. */
  readonly workspace: string
  readonly endUser: string | undefined
}

/** What was said so far, and as it is stored: by that it is seen whether another turn ended meanwhile. */
export interface History {
  /** @internal */
  readonly messages: ReadonlyArray<UIMessage>
  readonly sealed: string | null
}

interface Histories {
  /** Begins a session, or finds it. */
  readonly open: (session: ChatSession) => Effect.Effect<History, NotFound>
  /**
   * Adds messages to what was said. Turns that end at the same moment are all kept.
   * @internal
   */
  readonly append: (session: ChatSession, history: History, messages: ReadonlyArray<UIMessage>) => Effect.Effect<void>
  /**
   * Puts a conversation that the client keeps in the place of what was said.
   * @internal
   */
  readonly replace: (session: ChatSession, messages: ReadonlyArray<UIMessage>) => Effect.Effect<void>
  /** Re-encrypts histories that are not under the first key. */
  readonly rotateEncryption: Effect.Effect<Rotated>
}

/**
 * What was said in chat sessions. A session belongs to the workspace and the end user of its first turn; for others it is
 * not there. Histories are encrypted, bounded (`ChatHistory.ts`), and forgotten 30 days after the last turn.
 */
export class ChatSessions extends Context.Tag("tributary/agent/ChatSessions")<ChatSessions, Histories>() {
  static readonly layer = Layer.scoped(
    ChatSessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption

      // a context is used for longer, and stays the end user's whose session it was
      yield* upkeep(sql`
        with gone as (
          delete from chat_sessions where updated_at < now() - interval '30 days'
          returning organisation_id, environment, session_id, end_user
        )
        update session_contexts c set end_user = gone.end_user from gone
        where c.organisation_id = gone.organisation_id and c.environment = gone.environment
          and c.session_id = gone.session_id`)

      const at = ({ environment, organisation }: Tenant, id: string) => sql`
        organisation_id = ${organisation} and environment = ${environment} and session_id = ${id}`

      const opened = (tenant: Tenant, id: string, history: string | null) =>
        history === null
          ? Effect.succeed([])
          : Effect.flatMap(encryption.decrypt(history, placeOf(tenant, id)), (text) => parse(Redacted.value(text)))

      /** A turn that began before its end user was erased stores nothing more. */
      const wanted = ({ endUser = "", tenant }: ChatSession) => notErasedSince(sql, { ...tenant, endUserId: endUser })

      const seal = ({ id, tenant }: ChatSession, messages: ReadonlyArray<UIMessage>) =>
        encryption.encrypt(JSON.stringify(kept(messages)), placeOf(tenant, id))

      const store = Effect.fnUntraced(function* (session: ChatSession, messages: ReadonlyArray<UIMessage>) {
        const history = yield* seal(session, messages)
        yield* sql`
          update chat_sessions set history = ${history}, updated_at = now()
          where ${at(session.tenant, session.id)} and ${yield* wanted(session)}`
      })

      const appendToNewer = (session: ChatSession, messages: ReadonlyArray<UIMessage>) =>
        Effect.gen(function* () {
          const { id, tenant } = session
          const [row] = yield* sql<Pick<Row, "history">>`
            select history from chat_sessions where ${at(tenant, id)} for update`
          if (row === undefined) return
          yield* store(session, [...(yield* opened(tenant, id, row.history)), ...messages])
        }).pipe(sql.withTransaction)

      return ChatSessions.of({
        open: Effect.fn("ChatSessions.open")(
          function* (session) {
            const { endUser = "", id, tenant, workspace } = session
            // an update that changes nothing gives the row that is there, of whoever it is
            const [row] = yield* sql<Row>`
              insert into chat_sessions (organisation_id, environment, session_id, workspace_id, end_user)
              select ${tenant.organisation}::uuid, ${tenant.environment}, ${id}::uuid, ${workspace}::uuid, ${endUser}
              where ${yield* wanted(session)}
              on conflict (organisation_id, environment, session_id)
              do update set session_id = excluded.session_id
              returning workspace_id, end_user, history`
            if (row?.workspace_id !== workspace || row.end_user !== endUser) return yield* unknown(id)
            return { messages: yield* opened(tenant, id, row.history), sealed: row.history }
          },
          Effect.catchTags({ SqlError: Effect.die, DecryptionFailed: Effect.die, ParseError: Effect.die })
        ),

        append: Effect.fn("ChatSessions.append")(function* (session, { messages: before, sealed }, messages) {
          const history = yield* seal(session, [...before, ...messages])
          const [done] = yield* sql`
            update chat_sessions set history = ${history}, updated_at = now()
            where ${at(session.tenant, session.id)} and history is not distinct from ${sealed}
              and ${yield* wanted(session)}
            returning session_id`
          if (done === undefined) yield* appendToNewer(session, messages)
        }, Effect.orDie),

        replace: Effect.fn("ChatSessions.replace")(store, Effect.orDie),

        rotateEncryption: rotate({
          table: "chat_sessions",
          column: "history",
          key: ["organisation_id", "environment", "session_id"],
          place: (key) => `chat_sessions/${key.join("/")}`,
          until: "updated_at + interval '30 days'"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

/** The namespace of sessions that clients name by ids of their own. */
const ownNames = "b0f77dab-8193-4975-9fcc-027fc4d48969"

/**
 * The session that a client's own id of a chat names: always the same one for this end user in this workspace, and nobody
 * else's. A new one without such an id.
 */
export const sessionOf = (
  { environment, organisation }: Tenant,
  workspace: string,
  endUser: string | undefined,
  chat: string | undefined
): string =>
  chat === undefined
    ? randomUUID()
    : v5(JSON.stringify([organisation, environment, workspace, endUser ?? null, chat]), ownNames)

interface Row {
  readonly workspace_id: string
  readonly end_user: string
  readonly history: string | null
}

/** What this service stored is what it was: not walked again. */
const isHistory = (value: unknown): value is ReadonlyArray<UIMessage> => Array.isArray(value)
const parse = Schema.decode(Schema.parseJson(Schema.declare(isHistory)))

const unknown = (id: string) =>
  new NotFound({ code: "CHAT_SESSION_NOT_FOUND", message: `chat session ${id} not found` })

/** Where a history belongs; sealed for it, it does not open anywhere else. */
export const placeOf = ({ environment, organisation }: Tenant, id: string) =>
  `chat_sessions/${organisation}/${environment}/${id}`
