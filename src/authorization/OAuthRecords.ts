import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { Encryption } from "../platform/Encryption.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { isUuid } from "../platform/Uuid.ts"
import { grantInForce, grantRows } from "./GrantRows.ts"

/** The JSON that the protocol keeps under an id. */
export type Payload = { readonly [name: string]: unknown }

/** Where a record is: its kind, as the library names it, and its id. */
export interface RecordKey {
  readonly kind: string
  readonly id: string
}

/**
 * The protocol's own records: codes, tokens, clients, interactions. Of an id, which is the secret itself, only the hash is
 * kept; payloads are encrypted. What belongs to a grant is there only while the grant is in force.
 */
export class OAuthRecords extends Context.Tag("tributary/authorization/OAuthRecords")<
  OAuthRecords,
  {
    /** Keeps a payload for some seconds; absent: as long as its kind lasts. */
    readonly put: (key: RecordKey, payload: Payload, seconds: number | undefined) => Effect.Effect<void>
    /** Keeps a payload unless there is one; false when there is. */
    readonly add: (key: RecordKey, payload: Payload, seconds: number | undefined) => Effect.Effect<boolean>
    /** The payload, with `consumed` (seconds since 1970) where it was used up. */
    readonly find: (key: RecordKey) => Effect.Effect<Payload | undefined>
    /** Uses a record up; false when somebody else did before. */
    readonly consume: (key: RecordKey) => Effect.Effect<boolean>
    readonly remove: (key: RecordKey) => Effect.Effect<void>
    /** Removes a grant's records of one kind. */
    readonly removeOf: (kind: string, grant: string) => Effect.Effect<void>
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.scoped(
    OAuthRecords,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const grants = yield* grantRows

      yield* runInBackground(sql`delete from oauth_records where expires_at < now()`, "10 minutes")

      const insert = Effect.fnUntraced(function* (
        { id, kind }: RecordKey,
        payload: Payload,
        seconds = fallbackSeconds,
        onConflict: Statement.Fragment
      ) {
        const hash = hashOf(id)
        // the library puts the id itself into the payload
        const { jti: _, ...kept } = payload
        const sealed = yield* encryption.encrypt(yield* toText(kept), associatedDataOf(kind, hash))
        return yield* sql`
          insert into oauth_records (kind, hash, grant_id, payload, expires_at)
          values (${kind}, ${hash}, ${grantOf(kind, id, payload)}::uuid, ${sealed},
                  now() + ${seconds} * interval '1 second')
          on conflict (kind, hash) do ${onConflict} returning 1`
      })
      const replace = sql`
        update set grant_id = excluded.grant_id, payload = excluded.payload, expires_at = excluded.expires_at`

      const read = SqlSchema.findOne({
        Request: Schema.Struct({ kind: Schema.String, hash: Schema.Uint8ArrayFromSelf }),
        Result: Schema.Struct({
          payload: Schema.String,
          consumed: Schema.NullOr(Schema.Int),
          is_forgiven: Schema.NullOr(Schema.Boolean)
        }),
        execute: ({ hash, kind }) => sql`
          select r.payload, floor(extract(epoch from r.consumed_at))::int as consumed,
            r.kind = 'RefreshToken' and r.consumed_at > now() - ${grace} * interval '1 second' as is_forgiven
          from oauth_records r
          where r.kind = ${kind} and r.hash = ${hash} and r.expires_at > now()
            and (r.grant_id is null or exists (select ${grantInForce(sql, sql`g.id = r.grant_id`)}))`
      })

      /** Clients that come back stay, those that never do go soon; of many that never came back the oldest go first. */
      const keepClients = Effect.fnUntraced(function* ({ kind }: RecordKey, { clientId }: Payload) {
        if (kind === "AccessToken" && typeof clientId === "string") {
          yield* sql`
            update oauth_records set expires_at = now() + interval '90 days', consumed_at = coalesce(consumed_at, now())
            where kind = 'Client' and hash = ${hashOf(clientId)}`
        }
        if (kind === "Client") {
          yield* sql`
            delete from oauth_records where kind = 'Client' and hash in (
              select hash from oauth_records where kind = 'Client' and consumed_at is null
              order by created_at desc offset ${mostUnusedClients})`
        }
      })

      return OAuthRecords.of({
        put: Effect.fn("OAuthRecords.put")(function* (key, payload, seconds) {
          yield* insert(key, payload, seconds, replace)
          yield* keepClients(key, payload)
        }, Effect.orDie),

        add: Effect.fn("OAuthRecords.add")(function* (key, payload, seconds) {
          return (yield* insert(key, payload, seconds, sql`nothing`)).length > 0
        }, Effect.orDie),

        find: Effect.fn("OAuthRecords.find")(function* ({ id, kind }) {
          const hash = hashOf(id)
          const found = yield* read({ kind, hash })
          if (Option.isNone(found)) return undefined
          const { consumed, is_forgiven, payload } = found.value
          const text = yield* encryption.decrypt(payload, associatedDataOf(kind, hash))
          const isUsedUp = consumed !== null && is_forgiven !== true && kind !== "Client"
          return { ...(yield* ofText(Redacted.value(text))), ...idIn(kind, id), ...(isUsedUp ? { consumed } : {}) }
        }, Effect.orDie),

        consume: Effect.fn("OAuthRecords.consume")(function* ({ id, kind }) {
          const rows = yield* sql`
            update oauth_records set consumed_at = now()
            where kind = ${kind} and hash = ${hashOf(id)} and consumed_at is null returning 1`
          return rows.length > 0
        }, Effect.orDie),

        remove: Effect.fn("OAuthRecords.remove")(function* ({ id, kind }) {
          yield* sql`delete from oauth_records where kind = ${kind} and hash = ${hashOf(id)}`
          if (kind === "Grant" && isUuid(id)) yield* grants.end(id, undefined)
        }, Effect.orDie),

        removeOf: Effect.fn("OAuthRecords.removeOf")(function* (kind, grant) {
          if (isUuid(grant)) yield* sql`delete from oauth_records where kind = ${kind} and grant_id = ${grant}`
        }, Effect.orDie),

        rotateEncryption: rotate({
          table: "oauth_records",
          column: "payload",
          key: ["kind", "hash"],
          // PostgreSQL writes bytes as \x and hexadecimal digits
          associatedDataOf: ([kind = "", hash = ""]) => associatedDataOf(kind, Buffer.from(hash.slice(2), "hex")),
          until: "expires_at"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

/** Removes everything of a grant. */
export const removedOf = (sql: SqlClient.SqlClient, grant: string) => sql`
  delete from oauth_records where grant_id = ${grant}`

/** A fast hash is right for random ids. */
export const hashOf = (id: string) => createHash("sha256").update(id).digest()

const text = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
const toText = Schema.encode(text)
const ofText = Schema.decode(text)

export const associatedDataOf = (kind: string, hash: Uint8Array) =>
  `oauth_records/${kind}/${Buffer.from(hash).toString("base64url")}`

const grantOf = (kind: string, id: string, { grantId }: Payload) => {
  const grant = kind === "Grant" ? id : grantId
  return typeof grant === "string" && isUuid(grant) ? grant : null
}

/** Clients are not known by `jti`, but by what is in their payload. */
const idIn = (kind: string, id: string) => (kind === "Client" ? {} : { jti: id })

/**
 * Seconds in which a refresh token that was just used is taken once more: two windows of a host refresh at once, or an answer
 * is lost on its way.
 */
const grace = 30

/** Seconds that a record stays whose kind says nothing: a client that registered and got no token yet. */
const fallbackSeconds = 24 * 3600

/** Clients that registered and never got a token. */
const mostUnusedClients = 10_000
