import { SqlClient } from "@effect/sql"
import { Context, Effect, Either, Layer, Redacted, Schema } from "effect"
import { createHash, createHmac, randomBytes } from "node:crypto"
import { Encryption } from "../platform/Encryption.ts"
import { upkeep } from "../platform/Upkeep.ts"
import type { Caller, Environment } from "../tenancy/CurrentCaller.ts"

/** Someone signed in at the console, with an API key: they see what that key reaches. */
export interface ConsoleSession {
  readonly caller: Caller
  readonly organisationName: string
  /** First characters of the key. */
  readonly keyPrefix: string
  /** What the cookie holds. */
  readonly token: Redacted.Redacted
  /** What every form of the session's pages carries, so that no other site can send one in its name. */
  readonly formToken: string
}

/** What the next page says, once: how an action ended, with the secret that it made. */
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
 * Sessions of the console. The token is kept as a hash only; 12 hours without a visit,
 * 24 hours since it began, or the end of its key, end one.
 */
export class ConsoleSessions extends Context.Tag("tributary/console/ConsoleSessions")<
  ConsoleSessions,
  {
    /** Signs a key in; gives the token, the only time that it is seen. */
    readonly create: (key: string) => Effect.Effect<Redacted.Redacted>
    /** The session of a token, whose 12 hours without a visit begin anew; undefined when it is malformed, unknown or over. */
    readonly find: (token: Redacted.Redacted) => Effect.Effect<ConsoleSession | undefined>
    readonly end: (session: ConsoleSession) => Effect.Effect<void>
    /** Keeps a notice for the next page, in place of one that was not read. */
    readonly leave: (session: ConsoleSession, notice: Notice) => Effect.Effect<void>
    /** Gives the notice, and forgets it. */
    readonly take: (session: ConsoleSession) => Effect.Effect<Notice | undefined>
  }
>() {
  static readonly layer = Layer.scoped(
    ConsoleSessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption

      yield* upkeep(
        sql`delete from console_sessions
          where seen_at <= now() - ${idle}::interval or created_at <= now() - ${longest}::interval`
      )

      return ConsoleSessions.of({
        create: Effect.fn("ConsoleSessions.create")(function* (key) {
          const token = randomBytes(32).toString("base64url")
          yield* sql`insert into console_sessions (hash, api_key_id) values (${hashOf(token)}, ${key})`
          return Redacted.make(token)
        }, Effect.orDie),

        find: Effect.fn("ConsoleSessions.find")(function* (token) {
          if (!form.test(Redacted.value(token))) return undefined
          const [row] = yield* sql<Row>`
            update console_sessions s set seen_at = now()
            from api_keys k join organisations o on o.id = k.organisation_id
            where s.hash = ${hashOf(Redacted.value(token))} and s.seen_at > now() - ${idle}::interval
              and s.created_at > now() - ${longest}::interval and k.id = s.api_key_id and k.revoked_at is null
            returning k.id, k.organisation_id, k.environment, k.prefix, o.name, o.mapping_revision::text`
          return row === undefined ? undefined : sessionOf(row, token)
        }, Effect.orDie),

        end: Effect.fn("ConsoleSessions.end")(function* ({ token }) {
          yield* sql`delete from console_sessions where hash = ${hashOf(Redacted.value(token))}`
        }, Effect.orDie),

        leave: Effect.fn("ConsoleSessions.leave")(function* ({ token }, notice) {
          const hash = hashOf(Redacted.value(token))
          const sealed = yield* encryption.encrypt(yield* writeNotice(notice), placeOf(hash))
          yield* sql`update console_sessions set notice = ${sealed} where hash = ${hash}`
        }, Effect.orDie),

        take: Effect.fn("ConsoleSessions.take")(function* ({ token }) {
          const hash = hashOf(Redacted.value(token))
          const [row] = yield* sql<{ readonly notice: string }>`
            with left_for as (
              select hash, notice from console_sessions where hash = ${hash} and notice is not null for update
            )
            update console_sessions s set notice = null from left_for where s.hash = left_for.hash
            returning left_for.notice`
          if (row === undefined) return undefined
          const opened = encryption.decrypt(row.notice, placeOf(hash))
          // sealed with a key that is no longer there: nothing to say
          return Either.isLeft(opened) ? undefined : yield* readNotice(Redacted.value(opened.right))
        }, Effect.orDie)
      })
    })
  )
}

interface Row {
  readonly id: string
  readonly organisation_id: string
  readonly environment: Environment
  readonly prefix: string
  readonly name: string
  readonly mapping_revision: string
}

const sessionOf = (row: Row, token: Redacted.Redacted): ConsoleSession => ({
  caller: {
    organisation: row.organisation_id,
    environment: row.environment,
    key: row.id,
    mappingRevision: row.mapping_revision
  },
  organisationName: row.name,
  keyPrefix: row.prefix,
  token,
  formToken: createHmac("sha256", Redacted.value(token)).update("console forms").digest("base64url")
})

/** How long a session lasts without a visit, in PostgreSQL's words. */
const idle = "12 hours"

/** How long it lasts at most. */
const longest = "24 hours"

const form = /^[\w-]{43}$/

const hashOf = (token: string) => createHash("sha256").update(token).digest()

const placeOf = (hash: Buffer) => `console_sessions/${hash.toString("base64url")}`
