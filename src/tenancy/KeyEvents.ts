import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { runInBackground } from "../platform/BackgroundJob.ts"
import type { Tenant } from "./CurrentCaller.ts"
import { knownOf, type Scopes } from "./Scopes.ts"

/** The events of a key. */
export const EventName = Schema.Literal("created", "revoked", "used_after_expiry")

/** Something that happened to a key. */
export interface KeyEvent {
  /** Grows from event to event. */
  readonly id: string
  readonly event: typeof EventName.Type
  /** UUID of the key. */
  readonly keyId: string
  readonly keyName: string | null
  readonly keyPrefix: string
  /** Null for all. */
  readonly scopes: Scopes
  /** UUID of the key that did it; null for the operator, and for the use of an expired key. */
  readonly actor: string | null
  /** UUID of the key whose revocation ended this one too. */
  readonly revokedWith: string | null
  /** ISO 8601 date-time. */
  readonly at: string
}

/** Which events: at most `take`, older than the one with the id `before`. */
export interface EventPart {
  readonly before?: string | undefined
  readonly take: number
}

const Row = Schema.Struct({
  id: Schema.String,
  event: EventName,
  keyId: Schema.String,
  keyName: Schema.NullOr(Schema.String),
  keyPrefix: Schema.String,
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  actor: Schema.NullOr(Schema.String),
  revokedWith: Schema.NullOr(Schema.String),
  at: Schema.DateFromSelf
})

/** Notes an event of keys, by their ids; `actor` is the key that did it. */
export const noteKeyEvent = (
  sql: SqlClient.SqlClient,
  event: typeof EventName.Type,
  ids: ReadonlyArray<string>,
  actor: string | null = null,
  revokedWith: string | null = null
) => sql`
  insert into key_events (organisation_id, environment, api_key_id, event, actor_id, revoked_with)
  select organisation_id, environment, id, ${event}, ${actor}::uuid, nullif(${revokedWith}::uuid, id)
  from api_keys where id = any(${ids}::uuid[])`

/** The events of an organisation's keys, kept for a year. */
export class KeyEvents extends Context.Tag("tributary/tenancy/KeyEvents")<
  KeyEvents,
  {
    /** Newest first. */
    readonly list: (tenant: Tenant, part: EventPart) => Effect.Effect<ReadonlyArray<KeyEvent>>
  }
>() {
  static readonly layer = Layer.scoped(
    KeyEvents,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      yield* runInBackground(sql`delete from key_events where at < now() - interval '1 year'`)

      const find = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Schema.String,
          before: Schema.NullOr(Schema.String),
          take: Schema.Int
        }),
        Result: Row,
        execute: ({ before, environment, organisation, take }) => sql`
          select e.id::text, e.event, e.api_key_id as "keyId", k.name as "keyName", k.prefix as "keyPrefix", k.scopes,
            e.actor_id as actor, e.revoked_with as "revokedWith", e.at
          from key_events e join api_keys k on k.id = e.api_key_id
          where e.organisation_id = ${organisation} and e.environment = ${environment}
            and (${before}::bigint is null or e.id < ${before}::bigint)
          order by e.id desc limit ${take}`
      })

      return KeyEvents.of({
        list: Effect.fn("KeyEvents.list")(function* ({ environment, organisation }, { before = null, take }) {
          const rows = yield* find({ organisation, environment, before, take })
          return rows.map((row) => ({ ...row, scopes: knownOf(row.scopes), at: row.at.toISOString() }))
        }, Effect.orDie)
      })
    })
  )
}
