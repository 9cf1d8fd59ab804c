import { SqlClient, type SqlError, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, type ParseResult, Redacted, Schema } from "effect"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { Encryption, isKeyMissing } from "../platform/Encryption.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { isUuid } from "../platform/Uuid.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import type { ConnectSession } from "./ConnectSessions.ts"

export interface Choice {
  readonly value: string
  readonly label: string
}

/** Where an attempt stands. `choose`: there is consent, for several accounts; one is to be picked of `choices`. */
export interface AttemptState {
  readonly status: "pending" | "choose" | "connected" | "denied" | "failed" | "expired"
  /** For the end user: why it failed. */
  readonly message: string | null
  readonly choices: ReadonlyArray<Choice> | null
  /** Once it is connected. */
  readonly connectionId: string | null
}

/** An end user's attempt to connect an integration by consent. */
export interface Attempt extends Tenant {
  readonly id: string
  /** UUID of the session that it was begun in. */
  readonly session: string
  readonly integration: string
  /** UUID of the end user. */
  readonly endUser: string
  /** The connection it makes, unless the account has one already, or renews. */
  readonly connectionId: string
  readonly isReconnect: boolean
  /** JSON kept for the next step; empty where it is damaged. */
  readonly secrets: Redacted.Redacted
}

/** How an attempt ended: `message` is for the end user, `connectionId` the connection it made or renewed. */
export type AttemptEnd =
  | { readonly status: "connected"; readonly connectionId: string }
  | { readonly status: "denied" }
  | { readonly status: "failed"; readonly message: string }

/** Why a state is not taken. */
export type StateProblem = "unknown" | "used" | "expired"

export interface NewAttempt {
  readonly integration: string
  readonly connectionId: string
  readonly isReconnect: boolean
  readonly secrets: Redacted.Redacted
}

/**
 * Attempts, for ten minutes each. The state that a provider's redirect brings back leads to one, once; it is kept as a
 * hash, and what the next step needs is sealed. Where its key is missing, nothing is changed.
 */
export class ConnectAttempts extends Context.Tag("tributary/connections/ConnectAttempts")<
  ConnectAttempts,
  {
    readonly create: (
      session: ConnectSession,
      attempt: NewAttempt
    ) => Effect.Effect<{ readonly id: string; readonly state: string }>
    /** Takes the state, which is good once. */
    readonly claim: (state: string) => Effect.Effect<Attempt, StateProblem>
    /** The attempt that waits for consent under a state. */
    readonly waiting: (state: string) => Effect.Effect<Attempt | undefined>
    /** Of this session; undefined when it has none of that id. */
    readonly state: (session: ConnectSession, id: string) => Effect.Effect<AttemptState | undefined>
    /** Keeps what there is to choose from until one is picked; false when the attempt was removed meanwhile. */
    readonly offer: (
      attempt: Attempt,
      choices: ReadonlyArray<Choice>,
      secrets: Redacted.Redacted
    ) => Effect.Effect<boolean>
    /** Takes an attempt of this session that waits for a choice among which the value is; undefined when there is none. */
    readonly pick: (session: ConnectSession, id: string, value: string) => Effect.Effect<Attempt | undefined>
    /** The end of an attempt; what was kept for it is erased. */
    readonly end: (id: string, end: AttemptEnd) => Effect.Effect<void>
    /** Ends an attempt of this session that still waits for the end user; gives it when it waited for a choice. */
    readonly cancel: (session: ConnectSession, id: string) => Effect.Effect<Attempt | undefined>
    /** Takes those that waited for a choice for too long, each once; those whose key is missing stay. */
    readonly takeAbandoned: Effect.Effect<ReadonlyArray<Attempt>>
    /**
     * Removes all of an end user's, by the organisation's own name for them; without one, everybody's. Gives those that
     * waited for a choice.
     */
    readonly removeAll: (tenant: Tenant, endUserId?: string) => Effect.Effect<ReadonlyArray<Attempt>>
    /** Re-encrypts secrets that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.effect(
    ConnectAttempts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption

      const columns = sql.literal(
        "a.id, a.session_id, a.integration, a.connection_id, a.is_reconnect, s.organisation_id, s.environment, s.end_user_id"
      )

      /** Consent asked for in a session whose key was revoked leads nowhere. */
      const ofValidKey = sql`
        not exists (select from api_keys k where k.id = s.api_key_id and k.revoked_at is not null)`

      const opened = (row: Row) =>
        encryption.decrypt(row.secrets, associatedDataOf(row.id)).pipe(
          Effect.catchAll((error) =>
            error.reason === "unknown key"
              ? Effect.die(error)
              : Effect.as(Effect.logError(`${associatedDataOf(row.id)}: ${error.message}`), Redacted.make(""))
          ),
          Effect.map((secrets) => attemptOf(row, secrets))
        )

      /** Changes the one row that a statement gives, and opens it; undone where it does not open. */
      const openedBy = <R extends Row>(
        change: Effect.Effect<Option.Option<R>, SqlError.SqlError | ParseResult.ParseError>,
        isWanted: (row: R) => boolean = () => true
      ): Effect.Effect<Attempt | undefined> =>
        Effect.flatMap(change, (row) =>
          Option.isSome(row) && isWanted(row.value) ? opened(row.value) : Effect.succeed(undefined)
        ).pipe(sql.withTransaction, Effect.orDie)

      /** Takes what was consented to in an attempt, unless somebody else has. */
      const take = SqlSchema.findOne({
        Request: Row.pick("id", "secrets"),
        Result: Row,
        execute: ({ id, secrets }) => sql`
          update connect_attempts a set choices = null, secrets = ''
          from connect_sessions s
          where a.id = ${id} and a.secrets = ${secrets} and s.id = a.session_id
          returning ${columns}, ${secrets}::text as secrets`
      })

      const claim = SqlSchema.findOne({
        Request: Hash,
        Result: Row,
        execute: (hash) => sql`
          update connect_attempts a set used_at = now()
          from connect_sessions s
          where a.state_hash = ${hash} and a.used_at is null and a.status = 'pending'
            and a.expires_at > now() and s.id = a.session_id and ${ofValidKey}
          returning ${columns}, a.secrets`
      })

      /** Whether an attempt under a state still waits for consent, be it too late. */
      const openness = SqlSchema.findOne({
        Request: Hash,
        Result: Schema.Struct({ is_open: Schema.Boolean }),
        execute: (hash) => sql`
          select used_at is null and status = 'pending' as is_open from connect_attempts
          where state_hash = ${hash}`
      })

      const findWaiting = SqlSchema.findOne({
        Request: Hash,
        Result: Row,
        execute: (hash) => sql`
          select ${columns}, a.secrets from connect_attempts a join connect_sessions s on s.id = a.session_id
          where a.state_hash = ${hash} and a.used_at is null and a.status = 'pending'
            and a.expires_at > now() and ${ofValidKey}`
      })

      const findState = SqlSchema.findOne({
        Request: OfSession,
        Result: StateRow,
        execute: ({ id, session }) => sql`
          select status, message, choices, connection_id, expires_at < now() as is_past from connect_attempts
          where id = ${id} and session_id = ${session}`
      })

      const pick = SqlSchema.findOne({
        Request: Schema.Struct({
          ...OfSession.fields,
          choice: Schema.parseJson(Schema.Array(Schema.Struct({ value: Schema.String })))
        }),
        Result: Row,
        execute: ({ choice, id, session }) => sql`
          update connect_attempts a set status = 'pending'
          from connect_sessions s
          where a.id = ${id} and a.session_id = ${session} and a.status = 'choose' and a.expires_at > now()
            and s.id = a.session_id and a.choices @> ${choice}::jsonb
          returning ${columns}, a.secrets`
      })

      const cancel = SqlSchema.findOne({
        Request: OfSession,
        Result: EndedRow,
        execute: ({ id, session }) => sql`
          with held as (
            select id, status as was, secrets from connect_attempts
            where id = ${id} and session_id = ${session}
              and (status = 'choose' or (status = 'pending' and used_at is null))
            for update
          )
          update connect_attempts a set status = 'denied', choices = null, secrets = ''
          from held, connect_sessions s
          where a.id = held.id and s.id = a.session_id
          returning ${columns}, held.secrets, held.was`
      })

      const findAbandoned = SqlSchema.findAll({
        Request: Schema.Void,
        Result: Row,
        execute: () => sql`
          select ${columns}, a.secrets from connect_attempts a join connect_sessions s on s.id = a.session_id
          where a.status = 'choose' and a.secrets <> '' and a.expires_at < now()`
      })

      const removeAll = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          endUserId: Schema.UndefinedOr(Schema.String)
        }),
        Result: EndedRow,
        execute: ({ endUserId, environment, organisation }) => sql`
          delete from connect_attempts a using connect_sessions s, end_users u
          where s.id = a.session_id and u.id = s.end_user_id
            and s.organisation_id = ${organisation} and s.environment = ${environment}
            and ${endUserId === undefined ? sql`true` : sql`u.external_id = ${endUserId}`}
          returning ${columns}, a.secrets, a.status as was`
      })

      return ConnectAttempts.of({
        create: Effect.fn("ConnectAttempts.create")(function* (session, attempt) {
          const id = randomUUID()
          const state = randomBytes(32).toString("base64url")
          const secrets = yield* encryption.encrypt(attempt.secrets, associatedDataOf(id))
          yield* sql`
            insert into connect_attempts (id, session_id, environment, integration, connection_id, is_reconnect,
              state_hash, secrets, expires_at)
            values (${id}, ${session.id}, ${session.environment}, ${attempt.integration}, ${attempt.connectionId},
              ${attempt.isReconnect}, ${hashOf(state)}, ${secrets}, now() + ${lifetime} * interval '1 second')`
          return { id, state }
        }, Effect.orDie),

        claim: Effect.fn("ConnectAttempts.claim")(function* (state) {
          const hash = hashOf(state)
          const claimed = yield* openedBy(claim(hash))
          if (claimed !== undefined) return claimed
          const known = yield* Effect.orDie(openness(hash))
          return yield* Effect.fail<StateProblem>(
            Option.isNone(known) ? "unknown" : known.value.is_open ? "expired" : "used"
          )
        }),

        waiting: Effect.fn("ConnectAttempts.waiting")(function* (state) {
          const row = yield* findWaiting(hashOf(state))
          return Option.isNone(row) ? undefined : yield* opened(row.value)
        }, Effect.orDie),

        state: Effect.fn("ConnectAttempts.state")(function* (session, id) {
          const row = isUuid(id) ? yield* findState({ id, session: session.id }) : Option.none()
          return Option.isNone(row) ? undefined : stateOf(row.value)
        }, Effect.orDie),

        offer: Effect.fn("ConnectAttempts.offer")(function* (attempt, choices, secrets) {
          const sealed = yield* encryption.encrypt(secrets, associatedDataOf(attempt.id))
          const rows = yield* sql`
            update connect_attempts
            set status = 'choose', choices = ${JSON.stringify(choices)}::jsonb, secrets = ${sealed}
            where id = ${attempt.id} returning id`
          return rows.length > 0
        }, Effect.orDie),

        pick: Effect.fn("ConnectAttempts.pick")((session, id, value) =>
          isUuid(id) ? openedBy(pick({ id, session: session.id, choice: [{ value }] })) : Effect.succeed(undefined)
        ),

        end: Effect.fn("ConnectAttempts.end")(
          (id, end) => {
            const connectionId = end.status === "connected" ? end.connectionId : null
            return sql`
              update connect_attempts
              set status = ${end.status}, message = ${end.status === "failed" ? end.message : null}, choices = null,
                  secrets = '', connection_id = coalesce(${connectionId}::uuid, connection_id)
              where id = ${id}`
          },
          Effect.orDie,
          Effect.asVoid
        ),

        cancel: Effect.fn("ConnectAttempts.cancel")((session, id) =>
          isUuid(id) ? openedBy(cancel({ id, session: session.id }), waited) : Effect.succeed(undefined)
        ),

        takeAbandoned: Effect.gen(function* () {
          const rows = yield* Effect.orDie(findAbandoned())
          const taken = yield* Effect.forEach(rows, (row) =>
            Effect.catchSomeDefect(openedBy(take(row)), (defect) =>
              isKeyMissing(defect)
                ? Option.some(Effect.as(Effect.logError(`${associatedDataOf(row.id)}: ${defect.message}`), undefined))
                : Option.none()
            )
          )
          return taken.filter((attempt) => attempt !== undefined)
        }).pipe(Effect.withSpan("ConnectAttempts.takeAbandoned")),

        removeAll: Effect.fn("ConnectAttempts.removeAll")(
          function* ({ environment, organisation }, endUserId) {
            const rows = yield* removeAll({ organisation, environment, endUserId })
            return yield* Effect.forEach(rows.filter(waited), opened)
          },
          sql.withTransaction,
          Effect.orDie
        ),

        rotateEncryption: rotate({
          table: "connect_attempts",
          column: "secrets",
          key: ["id"],
          associatedDataOf: ([id = ""]) => associatedDataOf(id),
          until: "expires_at"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

/** SHA-256 of a state. */
const Hash = Schema.Uint8ArrayFromSelf

const OfSession = Schema.Struct({ id: Schema.String, session: Schema.String })

const Row = Schema.Struct({
  id: Schema.UUID,
  session_id: Schema.UUID,
  integration: Schema.String,
  connection_id: Schema.UUID,
  is_reconnect: Schema.Boolean,
  secrets: Schema.String,
  organisation_id: Schema.UUID,
  environment: Environment,
  end_user_id: Schema.UUID
})
type Row = typeof Row.Type

/** An attempt that was ended, with the status in which it was. */
const EndedRow = Schema.Struct({ ...Row.fields, was: Schema.String })

/** Whether consent was given in it, and not taken. */
const waited = ({ secrets, was }: typeof EndedRow.Type) => was === "choose" && secrets !== ""

const StateRow = Schema.Struct({
  status: Schema.Literal("pending", "choose", "connected", "denied", "failed"),
  message: Schema.NullOr(Schema.String),
  choices: Schema.Unknown,
  connection_id: Schema.UUID,
  is_past: Schema.Boolean
})

const attemptOf = (row: Row, secrets: Redacted.Redacted): Attempt => ({
  id: row.id,
  session: row.session_id,
  organisation: row.organisation_id,
  environment: row.environment,
  endUser: row.end_user_id,
  integration: row.integration,
  connectionId: row.connection_id,
  isReconnect: row.is_reconnect,
  secrets
})

const decodeChoices = Schema.decodeUnknownOption(
  Schema.Array(Schema.Struct({ value: Schema.String, label: Schema.String }))
)

const stateOf = (row: typeof StateRow.Type): AttemptState => {
  const isOver = row.is_past && (row.status === "pending" || row.status === "choose")
  return {
    status: isOver ? "expired" : row.status,
    message: row.message,
    choices: isOver ? null : Option.getOrNull(decodeChoices(row.choices)),
    connectionId: row.status === "connected" ? row.connection_id : null
  }
}

/** Seconds. */
const lifetime = 10 * 60

const associatedDataOf = (id: string) => `connect_attempts/${id}`

const hashOf = (state: string) => createHash("sha256").update(state).digest()
