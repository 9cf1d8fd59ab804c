import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import * as Address from "../platform/Address.ts"
import { type Conflict, type FieldErrors, NotFound, Unauthorized, Unprocessable } from "../platform/Errors.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { AllowedOrigins, allOriginsOf } from "../tenancy/AllowedOrigins.ts"
import { type Caller, Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { withOrganisationLock } from "../tenancy/Organisations.ts"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import { Integrations } from "./Integrations.ts"
import { reachable } from "./Sandbox.ts"

/** Permission for one of an organisation's end users to connect their accounts, for half an hour. */
export interface ConnectSession extends Tenant {
  readonly id: string
  readonly organisationName: string
  /** UUID of the end user. */
  readonly endUser: string
  /** The organisation's own id of the end user. */
  readonly endUserId: string
  readonly displayName: string | null
  /** Slugs of the integrations that may be connected; null for all. */
  readonly integrations: ReadonlyArray<string> | null
  /** Origins of the pages that may open the widget and hear from it. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Address that the end user goes to when done. */
  readonly redirectUrl: string | null
  /** The connection to renew, if the session is for one. */
  readonly reconnect: { readonly connectionId: string; readonly provider: string } | null
  /** The session was for one account, which is connected now. */
  readonly isSpent: boolean
  /** ISO 8601 date-time. */
  readonly expiresAt: string
}

export interface NewConnectSession {
  /** The organisation's own id of the end user, who is created if there is none. */
  readonly endUserId: string
  readonly displayName?: string | undefined
  readonly email?: string | undefined
  /** Slugs; absent for all. */
  readonly integrations?: ReadonlyArray<string> | undefined
  readonly redirectUrl?: string | undefined
  /** Some of the organisation's; absent for all of them. */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  /** The session ends with the first account that is connected in it. */
  readonly once?: boolean
}

/** The token of a new session, which is seen only this once. */
export interface NewToken {
  readonly token: Redacted.Redacted
  /** ISO 8601 date-time. */
  readonly expiresAt: string
}

/** Address of the page that a session's token opens. The token comes after `#`, so that no request or log has it. */
export const connectUrlOf = ({ token }: NewToken, address: string) =>
  `${address}/connect#token=${Redacted.value(token)}`

/** Connect sessions. Tokens are kept only as hashes, and a session ends with the API key that it was made with. */
export class ConnectSessions extends Context.Tag("tributary/connections/ConnectSessions")<
  ConnectSessions,
  {
    /** Fails with `QUOTA_EXCEEDED` when the organisation has as many open sessions as it may. */
    readonly create: (
      by: Caller,
      session: NewConnectSession
    ) => Effect.Effect<NewToken, Conflict | NotFound | Unprocessable>
    /** Makes a session for renewing one connection; `once`: it ends when that is done. */
    readonly reconnect: (
      by: Caller,
      connectionId: string,
      once?: boolean
    ) => Effect.Effect<NewToken, Conflict | NotFound>
    /** Connects an account in the session, unless the session was for one account that is connected already. */
    readonly use: (
      id: string,
      connect: Effect.Effect<Connection, Conflict | NotFound>
    ) => Effect.Effect<Connection, Conflict | NotFound | Unauthorized>
    /** Finds a token's session; undefined when it is malformed, unknown or expired, or its key was revoked. */
    readonly find: (token: Redacted.Redacted) => Effect.Effect<ConnectSession | undefined>
  }
>() {
  static readonly layer = Layer.scoped(
    ConnectSessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const allowed = yield* AllowedOrigins
      const endUsers = yield* EndUsers
      const connections = yield* Connections
      const integrations = yield* Integrations
      const limits = yield* ownQuota
      const publicUrl = yield* Address.publicUrl

      // attempts go with their session, except those with consent that has yet to be taken back
      yield* runInBackground(sql`
        delete from connect_sessions s where s.expires_at < now() and not exists (
          select from connect_attempts a where a.session_id = s.id and a.status = 'choose' and a.secrets <> ''
        )`)

      const write = SqlSchema.findOne({
        Request: NewRow,
        Result: Row.pick("expires_at"),
        execute: (row) => sql`
          insert into connect_sessions (id, organisation_id, environment, end_user_id, hash, integrations, redirect_url,
            allowed_origins, reconnect_id, once, api_key_id, expires_at)
          select ${row.id}::uuid, ${row.organisation}::uuid, ${row.environment}, ${row.endUser}::uuid, ${row.hash}::bytea,
            ${row.integrations}::text[], ${row.redirectUrl}, ${row.allowedOrigins}::text[],
            ${row.reconnect}::uuid, ${row.once}, k.id, least(now() + ${lifetime} * interval '1 second', k.expires_at)
          from end_users u left join mcp_grants g on g.id = ${row.key}
            left join api_keys k on k.id = coalesce(g.api_key_id, ${row.key})
          where u.id = ${row.endUser} and (k.id is not null or g.end_user_id = u.id)
          returning expires_at`
      })

      const read = SqlSchema.findOne({
        Request: Schema.Uint8ArrayFromSelf,
        Result: Row,
        execute: (hash) => sql`
          select s.id, s.organisation_id, s.environment, s.end_user_id, s.integrations, s.redirect_url,
            s.allowed_origins, s.reconnect_id, s.once and s.used_at is not null as is_spent, s.expires_at, o.name,
            ${allOriginsOf(sql, "s.environment")} as all_origins, u.external_id, u.display_name, c.provider
          from connect_sessions s
          join organisations o on o.id = s.organisation_id
          join end_users u on u.id = s.end_user_id
          left join connections c on c.id = s.reconnect_id and c.status <> 'revoked'
          left join api_keys k on k.id = s.api_key_id
          where s.hash = ${hash} and s.expires_at > now() and k.revoked_at is null`
      })

      const insert = Effect.fnUntraced(
        function* (
          { environment, key, organisation }: Caller,
          endUser: string,
          {
            allowedOrigins,
            integrations,
            once = false,
            reconnect,
            redirectUrl
          }: Pick<NewConnectSession, "integrations" | "redirectUrl" | "allowedOrigins" | "once"> & {
            readonly reconnect?: string
          }
        ) {
          const token = prefixes[environment] + randomBytes(32).toString("base64url")
          const refuseBeyondQuota = refuseBeyond(
            limits,
            (limit) => sql`
            select count(*)::int as held from (
              select from connect_sessions
              where organisation_id = ${organisation} and environment = ${environment} and expires_at > now()
              limit ${limit}) as open`
          )
          const add = write({
            id: randomUUID(),
            organisation,
            environment,
            endUser,
            key,
            hash: hashOf(token),
            integrations: integrations ?? null,
            redirectUrl: redirectUrl ?? null,
            allowedOrigins: allowedOrigins ?? null,
            reconnect: reconnect ?? null,
            once
          })
          const made = yield* withOrganisationLock(sql, organisation)(Effect.zipRight(refuseBeyondQuota, add))
          if (Option.isNone(made)) {
            return yield* new NotFound({ code: "END_USER_NOT_FOUND", message: "The end user no longer exists." })
          }
          return { token: Redacted.make(token), expiresAt: made.value.expires_at.toISOString() }
        },
        Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
      )

      /** Says why an integration cannot be connected; undefined if it can. */
      const refusalOf = (environment: Environment, slug: string) => {
        const integration = integrations.get(slug)
        return integration === undefined
          ? Effect.succeed(`there is no integration "${slug}"; there are ${slugsOf(integrations)}`)
          : Effect.match(reachable(environment, integration), {
              onFailure: ({ message }) => message,
              onSuccess: () => undefined
            })
      }

      const integrationErrors = (environment: Environment, slugs: ReadonlyArray<string>): Effect.Effect<FieldErrors> =>
        Effect.map(
          Effect.forEach(slugs, (slug) => refusalOf(environment, slug)),
          (refusals) =>
            Object.fromEntries(
              refusals.flatMap((refusal, index) => (refusal === undefined ? [] : [[`integrations.${index}`, refusal]]))
            )
        )

      return ConnectSessions.of({
        create: Effect.fn("ConnectSessions.create")(function* (by, given) {
          const { organisationOrigins, origins } = yield* allowed.find(by)
          const errors = {
            ...(yield* integrationErrors(by.environment, given.integrations ?? [])),
            ...originErrors(publicUrl, [...organisationOrigins, ...origins], given)
          }
          if (Object.keys(errors).length > 0) return yield* new Unprocessable({ errors })
          const endUser = yield* endUsers.ensure(by.organisation, by.environment, given.endUserId, {
            ...(given.displayName === undefined ? {} : { displayName: given.displayName }),
            ...(given.email === undefined ? {} : { email: given.email })
          })
          return yield* insert(by, endUser.id, given)
        }),

        reconnect: Effect.fn("ConnectSessions.reconnect")(function* (by, connectionId, once = false) {
          const { endUser, id, provider } = yield* connections.get(by, connectionId)
          return yield* insert(by, endUser, { integrations: [provider], reconnect: id, once })
        }),

        use: Effect.fn("ConnectSessions.use")(
          function* (id, connect) {
            // an erasure locks in this order, too
            const connection = yield* connect
            const [open] = yield* sql`
              update connect_sessions set used_at = now()
              where id = ${id} and (not once or used_at is null) returning id`
            return open === undefined ? yield* new Unauthorized({ code: "INVALID_CONNECT_SESSION" }) : connection
          },
          sql.withTransaction,
          Effect.catchTag("SqlError", Effect.die)
        ),

        find: Effect.fn("ConnectSessions.find")(function* (token) {
          if (!form.test(Redacted.value(token))) return undefined
          const row = Option.getOrUndefined(yield* read(hashOf(Redacted.value(token))))
          // a connection that was removed meanwhile cannot be renewed
          return row === undefined || (row.reconnect_id !== null && row.provider === null)
            ? undefined
            : sessionOf(publicUrl, row)
        }, Effect.orDie)
      })
    })
  )
}

const Texts = Schema.Array(Schema.String)

const NewRow = Schema.Struct({
  id: Schema.String,
  organisation: Schema.String,
  environment: Environment,
  endUser: Schema.String,
  /** UUID of the API key or grant that makes it. */
  key: Schema.String,
  hash: Schema.Uint8ArrayFromSelf,
  integrations: Schema.NullOr(Texts),
  redirectUrl: Schema.NullOr(Schema.String),
  allowedOrigins: Schema.NullOr(Texts),
  reconnect: Schema.NullOr(Schema.String),
  once: Schema.Boolean
})

const Row = Schema.Struct({
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  end_user_id: Schema.UUID,
  integrations: Schema.NullOr(Texts),
  redirect_url: Schema.NullOr(Schema.String),
  allowed_origins: Schema.NullOr(Texts),
  reconnect_id: Schema.NullOr(Schema.UUID),
  is_spent: Schema.Boolean,
  expires_at: Schema.DateFromSelf,
  name: Schema.String,
  all_origins: Texts,
  external_id: Schema.String,
  display_name: Schema.NullOr(Schema.String),
  provider: Schema.NullOr(Schema.String)
})

/** Whether an address is the page on which an end user consents to a program and connects accounts for it. */
const isOwnPage = (publicUrl: string, address: string) => address.startsWith(`${publicUrl}/oauth/interaction/`)

const sessionOf = (publicUrl: string, row: typeof Row.Type): ConnectSession => {
  // an origin that is no longer the organisation's is not allowed either
  const allowedOrigins = row.all_origins.filter((origin) => row.allowed_origins?.includes(origin) !== false)
  const isAllowed =
    row.redirect_url !== null &&
    (isOwnPage(publicUrl, row.redirect_url) || allowedOrigins.includes(new URL(row.redirect_url).origin))
  return {
    id: row.id,
    organisation: row.organisation_id,
    environment: row.environment,
    organisationName: row.name,
    endUser: row.end_user_id,
    endUserId: row.external_id,
    displayName: row.display_name,
    integrations: row.integrations,
    allowedOrigins,
    redirectUrl: isAllowed ? row.redirect_url : null,
    reconnect:
      row.reconnect_id === null || row.provider === null
        ? null
        : { connectionId: row.reconnect_id, provider: row.provider },
    isSpent: row.is_spent,
    expiresAt: row.expires_at.toISOString()
  }
}

/** Seconds. */
const lifetime = 30 * 60

const prefixes = { sandbox: "cs_test_", production: "cs_live_" } as const

const form = /^cs_(test|live)_[\w-]{43}$/

const hashOf = (token: string) => createHash("sha256").update(token).digest()

const slugsOf = (integrations: Integrations["Type"]) =>
  integrations
    .all()
    .map(({ slug }) => slug)
    .join(", ")

/** Errors in the origins of a new session, given the allowed ones. */
const originErrors = (
  publicUrl: string,
  allowed: ReadonlyArray<string>,
  { allowedOrigins = allowed, redirectUrl }: NewConnectSession
): FieldErrors => {
  const hint = "allow it with `PUT /settings/allowed-origins`"
  const errors = allowedOrigins.flatMap((origin, index) =>
    allowed.includes(origin)
      ? []
      : [[`allowedOrigins.${index}`, `${origin} is not an allowed origin of the organisation; ${hint}`] as const]
  )
  if (redirectUrl === undefined) return Object.fromEntries(errors)
  const url = URL.canParse(redirectUrl) ? new URL(redirectUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return Object.fromEntries([
      ...errors,
      ["redirectUrl", "must be a whole address, such as https://app.example.com/done"]
    ])
  }
  return Object.fromEntries(
    isOwnPage(publicUrl, redirectUrl) || allowedOrigins.includes(url.origin)
      ? errors
      : [...errors, ["redirectUrl", `${url.origin} is not an allowed origin of the session; ${hint}`]]
  )
}

const ownQuota = quota({
  setting: "QUOTA_CONNECT_SESSIONS",
  fallback: 10_000,
  most: (limit) => `An organisation has at most ${limit} open connect sessions in an environment`,
  remedy: "Wait until some expire, half an hour after they were made"
})
