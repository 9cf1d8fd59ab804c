import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { createHash, createHmac, randomBytes } from "node:crypto"
import { Encryption } from "../platform/Encryption.ts"
import type { Conflict } from "../platform/Errors.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { type Caller, Environment } from "../tenancy/CurrentCaller.ts"
import { withOrganisationLock } from "../tenancy/Organisations.ts"
import { knownOf } from "../tenancy/Scopes.ts"

/** A session at the console, signed in with an API key: it sees what that key reaches. */
export interface ConsoleSession {
  readonly caller: Caller
  readonly organisationName: string
  /** First characters of the key. */
  readonly keyPrefix: string
  /** Value of the cookie. */
  readonly token: Redacted.Redacted
  /** Token in every form of the session's pages, so that no other site can send one in its name. */
  readonly formToken: string
}

/** A notice for the next page, shown once: how an action ended, with the secret that it made. */
export const Notice = Schema.Struct({
  kind: Schema.Literal("done", "refused", "key", "link"),
  text: Schema.String,
  secret: Schema.optional(Schema.String)
})
export type Notice = typeof Notice.Type

const NoticeText = Schema.parseJson(Notice)
const writeNotice = Schema.encode(NoticeText)
const readNotice = Schema.decodeUnknown(NoticeText)

/**
 * Sessions of the console. Tokens are kept only as hashes. A session ends after 12 hours without a visit, 24 hours after it
 * began, or with its key.
 */
export class ConsoleSessions extends Context.Tag("tributary/console/ConsoleSessions")<
  ConsoleSessions,
  {
    /**
     * Signs a key in; returns the token, which is seen only this once. Fails with `QUOTA_EXCEEDED` when the organisation has
     * as many sessions as it may.
     */
    readonly create: (caller: Caller) => Effect.Effect<Redacted.Redacted, Conflict>
    /** Finds a token's session and restarts its 12 hours; undefined when it is malformed, unknown or over. */
    readonly find: (token: Redacted.Redacted) => Effect.Effect<ConsoleSession | undefined>
    readonly end: (session: ConsoleSession) => Effect.Effect<void>
    /** Keeps a notice for the next page, replacing an unread one. */
    readonly leave: (session: ConsoleSession, notice: Notice) => Effect.Effect<void>
    /** Returns the notice, and deletes it. */
    readonly take: (session: ConsoleSession) => Effect.Effect<Notice | undefined>
    /** Re-encrypts notices that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.scoped(
    ConsoleSessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const limits = yield* ownQuota

      yield* runInBackground(
        sql`delete from console_sessions
          where seen_at <= now() - ${idle}::interval or created_at <= now() - ${longest}::interval`
      )

      const visit = SqlSchema.findOne({
        Request: Schema.Uint8ArrayFromSelf,
        Result: Row,
        execute: (hash) => sql`
          update console_sessions s set seen_at = now()
          from api_keys k join organisations o on o.id = k.organisation_id
          where s.hash = ${hash} and s.seen_at > now() - ${idle}::interval
            and s.created_at > now() - ${longest}::interval and k.id = s.api_key_id and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > now())
          returning k.id, k.organisation_id, k.environment, k.prefix, k.scopes, o.name, o.mapping_revision::text`
      })

      const takeNotice = SqlSchema.findOne({
        Request: Schema.Uint8ArrayFromSelf,
        Result: Schema.Struct({ notice: Schema.String }),
        execute: (hash) => sql`
          with left_for as (
            select hash, notice from console_sessions where hash = ${hash} and notice is not null for update
          )
          update console_sessions s set notice = null from left_for where s.hash = left_for.hash
          returning left_for.notice`
      })

      return ConsoleSessions.of({
        create: Effect.fn("ConsoleSessions.create")(
          function* ({ environment, key, organisation }) {
            const token = randomBytes(32).toString("base64url")
            const refuseBeyondQuota = refuseBeyond(
              limits,
              (limit) => sql`
              select count(*)::int as held from (
                select from console_sessions s join api_keys k on k.id = s.api_key_id
                where k.organisation_id = ${organisation} and k.environment = ${environment}
                  and s.seen_at > now() - ${idle}::interval and s.created_at > now() - ${longest}::interval
                limit ${limit}) as open`
            )
            const add = sql`insert into console_sessions (hash, api_key_id) values (${hashOf(token)}, ${key})`
            yield* withOrganisationLock(sql, organisation)(Effect.zipRight(refuseBeyondQuota, add))
            return Redacted.make(token)
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        find: Effect.fn("ConsoleSessions.find")(function* (token) {
          if (!form.test(Redacted.value(token))) return undefined
          const row = yield* visit(hashOf(Redacted.value(token)))
          return Option.isNone(row) ? undefined : sessionOf(row.value, token)
        }, Effect.orDie),

        end: Effect.fn("ConsoleSessions.end")(function* ({ token }) {
          yield* sql`delete from console_sessions where hash = ${hashOf(Redacted.value(token))}`
        }, Effect.orDie),

        leave: Effect.fn("ConsoleSessions.leave")(function* ({ token }, notice) {
          const hash = hashOf(Redacted.value(token))
          const sealed = yield* encryption.encrypt(yield* writeNotice(notice), associatedDataOf(hash))
          yield* sql`update console_sessions set notice = ${sealed} where hash = ${hash}`
        }, Effect.orDie),

        take: Effect.fn("ConsoleSessions.take")(function* ({ token }) {
          const hash = hashOf(Redacted.value(token))
          const row = yield* takeNotice(hash)
          if (Option.isNone(row)) return undefined
          const opened = encryption.decrypt(row.value.notice, associatedDataOf(hash))
          if (Either.isRight(opened)) return yield* readNotice(Redacted.value(opened.right))
          yield* Effect.logError("A notice of the console cannot be read", opened.left.message)
          return undefined
        }, Effect.orDie),

        rotateEncryption: rotate({
          table: "console_sessions",
          column: "notice",
          key: ["hash"],
          // PostgreSQL writes bytes as \x and hexadecimal digits
          associatedDataOf: ([hash = ""]) => associatedDataOf(Buffer.from(hash.slice(2), "hex")),
          until: `seen_at + interval '${idle}'`
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

const Row = Schema.Struct({
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  prefix: Schema.String,
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  name: Schema.String,
  mapping_revision: Schema.String
})

const sessionOf = (row: typeof Row.Type, token: Redacted.Redacted): ConsoleSession => ({
  caller: {
    organisation: row.organisation_id,
    environment: row.environment,
    key: row.id,
    scopes: knownOf(row.scopes),
    mappingRevision: row.mapping_revision
  },
  organisationName: row.name,
  keyPrefix: row.prefix,
  token,
  formToken: createHmac("sha256", Redacted.value(token)).update("console forms").digest("base64url")
})

/** How long a session lasts without a visit, as a PostgreSQL interval. */
const idle = "12 hours"

/** How long it lasts at most. */
const longest = "24 hours"

const form = /^[\w-]{43}$/

const hashOf = (token: string) => createHash("sha256").update(token).digest()

const associatedDataOf = (hash: Buffer) => `console_sessions/${hash.toString("base64url")}`

const ownQuota = quota({
  setting: "QUOTA_CONSOLE_SESSIONS",
  fallback: 1000,
  most: (limit) => `An organisation has at most ${limit} console sessions in an environment`,
  remedy: "Sign out where you no longer need to be signed in"
})
