import { SqlClient, SqlSchema } from "@effect/sql"
import type { UIMessage } from "ai"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { v5 } from "uuid"
import { Encryption } from "../platform/Encryption.ts"
import { NotFound } from "../platform/Errors.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { isAfter, Position, positionOf } from "../platform/NewestFirst.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { notErasedSince } from "../tenancy/Erasures.ts"
import { ChatMessage } from "./Api.ts"
import { kept } from "./ChatHistory.ts"
import type { ChatSessionRecord, Usage } from "./ChatSessionsApi.ts"
import * as SessionContexts from "./SessionContexts.ts"

/** A conversation, and the workspace and end user it began with. */
export interface ChatSession {
  readonly tenant: Tenant
  /** Lower-case UUID. */
  readonly id: string
  /** UUID of the workspace. */
  readonly workspace: string
  readonly endUser: string | undefined
}

/** The messages so far, and as they are stored (`sealed`), which shows whether another turn ended meanwhile. */
export interface History {
  /** @internal */
  readonly messages: ReadonlyArray<UIMessage>
  readonly sealed: string | null
}

/** Filters of a list of sessions; an absent one does not filter. */
export interface ChatSessionFilters {
  readonly workspaceId?: string | undefined
  /** The organisation's own name. */
  readonly endUserId?: string | undefined
  /** Position after which the list continues. */
  readonly after: string | undefined
  readonly take: number
}

interface Histories {
  /** Finds a session, or begins it. */
  readonly open: (session: ChatSession) => Effect.Effect<History, NotFound>
  /**
   * Adds messages to the conversation, with the tokens they took. Turns that end at the same moment are all kept.
   * @internal
   */
  readonly append: (
    session: ChatSession,
    history: History,
    messages: ReadonlyArray<UIMessage>,
    usage: Usage
  ) => Effect.Effect<void>
  /**
   * Replaces the conversation with the one that the client keeps, and counts the tokens.
   * @internal
   */
  readonly replace: (session: ChatSession, messages: ReadonlyArray<UIMessage>, usage: Usage) => Effect.Effect<void>
  /** Lists sessions, newest first, each with its position. */
  readonly list: (
    tenant: Tenant,
    filters: ChatSessionFilters
  ) => Effect.Effect<ReadonlyArray<ChatSessionRecord & { readonly position: string }>>
  readonly get: (tenant: Tenant, id: string) => Effect.Effect<ChatSessionRecord, NotFound>
  /** The messages, oldest first. */
  readonly messages: (tenant: Tenant, id: string) => Effect.Effect<ReadonlyArray<ChatMessage>, NotFound>
  /** Deletes the conversation and the session's context. */
  readonly remove: (tenant: Tenant, id: string) => Effect.Effect<void, NotFound>
  /** Re-encrypts histories that are not under the first key. */
  readonly rotateEncryption: Effect.Effect<Rotated>
}

/**
 * The conversations of chat sessions. A session belongs to the workspace and the end user of its first turn; others do not
 * see it. Histories are encrypted, bounded (`ChatHistory.ts`), and deleted 30 days after the last turn.
 */
export class ChatSessions extends Context.Tag("tributary/agent/ChatSessions")<ChatSessions, Histories>() {
  static readonly layer = Layer.scoped(
    ChatSessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption

      // a context is used for longer, and keeps the end user of its session
      yield* runInBackground(sql`
        with gone as (
          delete from chat_sessions where updated_at < now() - interval '30 days'
          returning organisation_id, environment, session_id, end_user
        )
        ${SessionContexts.keptFor(sql)}`)

      const at = ({ environment, organisation }: Tenant, id: string) => sql`
        organisation_id = ${organisation} and environment = ${environment} and session_id = ${id}`

      const opened = <A, E>(
        tenant: Tenant,
        id: string,
        history: string | null,
        read: (text: string) => Effect.Effect<ReadonlyArray<A>, E>
      ) =>
        history === null
          ? Effect.succeed<ReadonlyArray<A>>([])
          : Effect.flatMap(encryption.decrypt(history, associatedDataOf(tenant, id)), (text) =>
              read(Redacted.value(text))
            )

      /** A turn that began before its end user was erased stores nothing more. */
      const wanted = ({ endUser = "", tenant }: ChatSession) => notErasedSince(sql, { ...tenant, endUserId: endUser })

      const seal = ({ id, tenant }: ChatSession, messages: ReadonlyArray<UIMessage>) =>
        encryption.encrypt(JSON.stringify(kept(messages)), associatedDataOf(tenant, id))

      /** A turn as it is stored. */
      const turn = (history: string, usage: Usage) => sql`
        history = ${history}, updated_at = now(), input_tokens = input_tokens + ${usage.inputTokens}::bigint,
        cached_input_tokens = cached_input_tokens + ${usage.cachedInputTokens}::bigint,
        output_tokens = output_tokens + ${usage.outputTokens}::bigint`

      const store = Effect.fnUntraced(function* (
        session: ChatSession,
        messages: ReadonlyArray<UIMessage>,
        usage: Usage
      ) {
        const history = yield* seal(session, messages)
        yield* sql`
          update chat_sessions set ${turn(history, usage)}
          where ${at(session.tenant, session.id)} and ${yield* wanted(session)}`
      })

      const lockHistory = SqlSchema.findOne({
        Request: Named,
        Result: Stored,
        execute: ({ id, ...tenant }) => sql`select history from chat_sessions where ${at(tenant, id)} for update`
      })

      const findHistory = SqlSchema.findOne({
        Request: Named,
        Result: Stored,
        execute: ({ id, ...tenant }) => sql`select history from chat_sessions where ${at(tenant, id)}`
      })

      // an update that changes nothing returns the existing row, whoever it belongs to
      const ensure = SqlSchema.findOne({
        Request: Schema.Struct({ ...Named.fields, workspace: Schema.String, endUser: Schema.String }),
        Result: Schema.Struct({ ...Stored.fields, workspace_id: Schema.UUID, end_user: Schema.String }),
        execute: ({ endUser, environment, id, organisation, workspace }) =>
          Effect.flatMap(
            notErasedSince(sql, { organisation, environment, endUserId: endUser }),
            (isWanted) => sql`
              insert into chat_sessions (organisation_id, environment, session_id, workspace_id, end_user)
              select ${organisation}::uuid, ${environment}, ${id}::uuid, ${workspace}::uuid, ${endUser}
              where ${isWanted}
              on conflict (organisation_id, environment, session_id)
              do update set session_id = excluded.session_id
              returning workspace_id, end_user, history`
          )
      })

      const appendToNewer = (session: ChatSession, messages: ReadonlyArray<UIMessage>, usage: Usage) =>
        Effect.gen(function* () {
          const { id, tenant } = session
          const held = yield* lockHistory(namedOf(tenant, id))
          if (Option.isNone(held)) return
          yield* store(session, [...(yield* opened(tenant, id, held.value.history, parse)), ...messages], usage)
        }).pipe(sql.withTransaction)

      const columns = sql`
        s.session_id as id, s.environment, s.workspace_id as "workspaceId", nullif(s.end_user, '') as "endUserId",
        exists (
          select from session_contexts c
          where c.organisation_id = s.organisation_id and c.environment = s.environment
            and c.session_id = s.session_id
        ) as "hasContext",
        s.input_tokens::float8 as "inputTokens", s.cached_input_tokens::float8 as "cachedInputTokens",
        s.output_tokens::float8 as "outputTokens", s.created_at as "createdAt", s.updated_at as "updatedAt"`
      const within = ({ environment, organisation }: Tenant) => sql`
        s.organisation_id = ${organisation} and s.environment = ${environment}`

      const find = SqlSchema.findAll({
        Request: Wanted,
        Result: Schema.Struct({ ...Row.fields, position: Position }),
        execute: ({ after, endUserId, take, workspaceId, ...tenant }) => sql`
          select ${columns}, ${positionOf(sql, "s.created_at", "s.session_id")} as position
          from chat_sessions s
          where ${sql.and([
            within(tenant),
            ...(workspaceId === undefined ? [] : [sql`s.workspace_id = ${workspaceId}`]),
            ...(endUserId === undefined ? [] : [sql`s.end_user = ${endUserId}`]),
            ...(after === undefined ? [] : [isAfter(sql, "s.created_at", "s.session_id", after)])
          ])}
          order by s.created_at desc, s.session_id desc limit ${take}`
      })

      const findOne = SqlSchema.findOne({
        Request: Named,
        Result: Row,
        execute: ({ id, ...tenant }) => sql`
          select ${columns} from chat_sessions s where ${within(tenant)} and s.session_id = ${id}`
      })

      return ChatSessions.of({
        open: Effect.fn("ChatSessions.open")(
          function* (session) {
            const { endUser = "", id, tenant, workspace } = session
            const row = Option.getOrUndefined(yield* ensure({ ...namedOf(tenant, id), workspace, endUser }))
            if (row?.workspace_id !== workspace || row.end_user !== endUser) return yield* unknown(id)
            return { messages: yield* opened(tenant, id, row.history, parse), sealed: row.history }
          },
          Effect.catchTags({ SqlError: Effect.die, DecryptionFailed: Effect.die, ParseError: Effect.die })
        ),

        append: Effect.fn("ChatSessions.append")(function* (session, { messages: before, sealed }, messages, usage) {
          const history = yield* seal(session, [...before, ...messages])
          const [done] = yield* sql`
            update chat_sessions set ${turn(history, usage)}
            where ${at(session.tenant, session.id)} and history is not distinct from ${sealed}
              and ${yield* wanted(session)}
            returning session_id`
          if (done === undefined) yield* appendToNewer(session, messages, usage)
        }, Effect.orDie),

        replace: Effect.fn("ChatSessions.replace")(store, Effect.orDie),

        list: Effect.fn("ChatSessions.list")(function* ({ environment, organisation }, filters) {
          const rows = yield* find({ organisation, environment, ...filters })
          return rows.map(({ position, ...row }) => ({ ...recordOf(row), position }))
        }, Effect.orDie),

        get: Effect.fn("ChatSessions.get")(
          function* (tenant, id) {
            const found = yield* findOne(namedOf(tenant, id))
            return Option.isNone(found) ? yield* unknown(id) : recordOf(found.value)
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
        ),

        messages: Effect.fn("ChatSessions.messages")(
          function* (tenant, id) {
            const held = yield* findHistory(namedOf(tenant, id))
            return Option.isNone(held) ? yield* unknown(id) : yield* opened(tenant, id, held.value.history, parseShown)
          },
          Effect.catchTags({ SqlError: Effect.die, DecryptionFailed: Effect.die, ParseError: Effect.die })
        ),

        remove: Effect.fn("ChatSessions.remove")(
          function* (tenant, id) {
            // a session that only has a context has no history yet
            const gone = yield* sql`
              with history as (delete from chat_sessions where ${at(tenant, id)} returning session_id),
                context as (${SessionContexts.removed(sql, tenant, id)})
              select session_id from history union select session_id from context`
            if (gone.length === 0) yield* unknown(id)
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        rotateEncryption: rotate({
          table: "chat_sessions",
          column: "history",
          key: ["organisation_id", "environment", "session_id"],
          associatedDataOf: (key) => `chat_sessions/${key.join("/")}`,
          until: "updated_at + interval '30 days'"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

/** The namespace of sessions that clients name by ids of their own. */
const ownNames = "b0f77dab-8193-4975-9fcc-027fc4d48969"

/**
 * The session for a client's own chat id: always the same one for this end user in this workspace, and nobody else's. A new
 * one without such an id.
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

const Stored = Schema.Struct({ history: Schema.NullOr(Schema.String) })

const Named = Schema.Struct({ organisation: Schema.String, environment: Environment, id: Schema.String })

const namedOf = ({ environment, organisation }: Tenant, id: string) => ({ organisation, environment, id })

const Wanted = Schema.Struct({
  organisation: Schema.String,
  environment: Environment,
  workspaceId: Schema.optional(Schema.String),
  endUserId: Schema.optional(Schema.String),
  after: Schema.UndefinedOr(Position),
  take: Schema.Int
})

const Row = Schema.Struct({
  id: Schema.UUID,
  environment: Environment,
  workspaceId: Schema.UUID,
  endUserId: Schema.NullOr(Schema.String),
  hasContext: Schema.Boolean,
  inputTokens: Schema.Int,
  cachedInputTokens: Schema.Int,
  outputTokens: Schema.Int,
  createdAt: Schema.DateFromSelf,
  updatedAt: Schema.DateFromSelf
})

const recordOf = ({
  cachedInputTokens,
  createdAt,
  inputTokens,
  outputTokens,
  updatedAt,
  ...row
}: typeof Row.Type): ChatSessionRecord => ({
  ...row,
  usage: { inputTokens, cachedInputTokens, outputTokens },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString()
})

/** Trusts histories that this service stored, and does not validate every message again. */
const isHistory = (value: unknown): value is ReadonlyArray<UIMessage> => Array.isArray(value)
const parse = Schema.decode(Schema.parseJson(Schema.declare(isHistory)))
const parseShown = Schema.decode(Schema.parseJson(Schema.Array(ChatMessage)))

const unknown = (id: string) =>
  new NotFound({ code: "CHAT_SESSION_NOT_FOUND", message: `chat session ${id} not found` })

/** The associated data that binds a history to its row, so that it does not open in another. */
export const associatedDataOf = ({ environment, organisation }: Tenant, id: string) =>
  `chat_sessions/${organisation}/${environment}/${id}`
