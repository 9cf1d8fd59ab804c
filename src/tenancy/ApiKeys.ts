import { SqlClient, type SqlError, SqlSchema, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { type Conflict, Forbidden, NotFound, Unauthorized, Unprocessable } from "../platform/Errors.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import { isUuid } from "../platform/Uuid.ts"
import { type Caller, Environment, type Tenant } from "./CurrentCaller.ts"
import { form, hashOf, nameOf, prefixes, randomText, shown } from "./KeyText.ts"
import { withOrganisationLock } from "./OrganisationLock.ts"
import { includes, knownOf, type Scope, type Scopes } from "./Scopes.ts"

/** The stored facts of an API key: never the key itself. */
export interface ApiKey {
  readonly id: string
  /** UUID of its organisation. */
  readonly organisation: string
  readonly environment: Environment
  /** For people; null if it was given none. */
  readonly name: string | null
  /** The key's first characters, to tell keys apart. */
  readonly prefix: string
  /** Null for all, also those that are added later. */
  readonly scopes: Scopes
  /** UUID of the key that made it; null for one that the operator made. */
  readonly createdBy: string | null
  /** ISO 8601 date-times. */
  readonly createdAt: string
  readonly expiresAt: string | null
  /** To the minute. */
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

/** A new key, which is seen only this once. */
export interface NewApiKey extends ApiKey {
  readonly key: Redacted.Redacted
}

/** A revoked key, with the number of keys revoked with it because it, or one of them, had made them. */
export interface RevokedKey extends ApiKey {
  readonly alsoRevoked: number
}

export interface KeyOptions {
  readonly name?: string | undefined
  /** Absent for all, also those that are added later. */
  readonly scopes?: ReadonlyArray<Scope> | undefined
  /** ISO 8601 date-time; absent: never, or when the key that makes it does. */
  readonly expiresAt?: string | undefined
}

/** A part of the list of keys: at most `take`, older than the one with the id `after`. */
export interface KeyPart {
  readonly after?: string | undefined
  readonly take: number
}

/** The tenant whose keys are changed, and the key that changes them. */
export type Actor = Tenant & Pick<Caller, "key">

export class ApiKeys extends Context.Tag("tributary/tenancy/ApiKeys")<
  ApiKeys,
  {
    /**
     * Makes a key as the operator. `organisation` is the UUID of an existing one. Fails with `QUOTA_EXCEEDED` when it has as
     * many active keys as it may, and with `Unprocessable` when `expiresAt` is past.
     */
    readonly create: (
      organisation: string,
      environment: Environment,
      options?: KeyOptions
    ) => Effect.Effect<NewApiKey, Conflict | Unprocessable>
    /**
     * Makes a key with another one, in its environment. The new key may have no scope that the other lacks (`Forbidden`),
     * and expire no later (`Unprocessable`). `Unauthorized` when the other one was revoked meanwhile.
     */
    readonly createWith: (
      by: Caller,
      options: KeyOptions & { readonly scopes: ReadonlyArray<Scope> }
    ) => Effect.Effect<NewApiKey, Conflict | Forbidden | Unauthorized | Unprocessable>
    /** Lists keys, newest first, including revoked ones; only of one environment if it is given. */
    readonly list: (
      organisation: string,
      environment?: Environment,
      part?: KeyPart
    ) => Effect.Effect<ReadonlyArray<ApiKey>>
    /**
     * Revokes a key, the keys that were made with it, and so on: at once on this process, within a second on all others.
     * Their connect tokens end too. Revoking it again changes nothing. With `by`, keys of other organisations and
     * environments count as unknown.
     */
    readonly revoke: (id: string, by?: Actor) => Effect.Effect<RevokedKey, NotFound>
    /** Revokes all keys of an organisation, by its UUID, as `revoke` does. */
    readonly revokeAll: (organisation: string) => Effect.Effect<void>
    /** Finds a key's caller; fails when it is malformed, unknown, revoked or expired. Notes its use once a minute. */
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<Caller, Unauthorized>
  }
>() {
  static readonly layer = Layer.scoped(
    ApiKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope
      const limits = yield* ownQuota
      const columns = sql.literal(`id, organisation_id, environment, name, prefix, scopes, created_by, created_at,
        expires_at, last_used_at, revoked_at`)
      // unknown keys' answers are kept too: nobody can know a key before it is made
      const answers = SingleFlightCache.make<Effect.Effect<Caller, Unauthorized>>({
        capacity: 10_000,
        ttl: SingleFlightCache.recent,
        metric: "api_keys"
      })

      const isActive = sql`revoked_at is null and (expires_at is null or expires_at > now())`

      const ofTenant = ({ environment, organisation }: Tenant) =>
        sql`organisation_id = ${organisation} and environment = ${environment}`

      const note = (
        event: "created" | "revoked" | "used_after_expiry",
        ids: ReadonlyArray<string>,
        actor?: Actor,
        revokedWith: string | null = null
      ) => sql`
        insert into key_events (organisation_id, environment, api_key_id, event, actor_id, revoked_with)
        select organisation_id, environment, id, ${event}, ${actor?.key ?? null}::uuid,
          nullif(${revokedWith}::uuid, id)
        from api_keys where id = any(${ids}::uuid[])`

      const insert = (tenant: Tenant, { expiresAt, name, scopes }: KeyOptions, by?: Actor) =>
        Effect.gen(function* () {
          yield* refuseBeyond(
            limits,
            (limit) => sql`
              select count(*)::int as held from (
                select from api_keys where ${ofTenant(tenant)} and ${isActive} limit ${limit}) as active`
          )
          const key = prefixes[tenant.environment] + randomText()
          const id = randomUUID()
          const made = yield* write({
            id,
            organisation: tenant.organisation,
            environment: tenant.environment,
            prefix: key.slice(0, shown),
            hash: hashOf(key),
            name: name ?? null,
            scopes: scopes === undefined ? null : [...new Set(scopes)],
            // PostgreSQL accepts fewer offsets than ISO 8601
            expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
            createdBy: by?.key ?? null
          })
          yield* note("created", [id], by)
          return { ...apiKeyOf(made), key: Redacted.make(key) }
        })

      const write = SqlSchema.single({
        Request: NewRow,
        Result: Row,
        execute: (row) => sql`
          insert into api_keys (id, organisation_id, environment, prefix, hash, name, scopes, expires_at, created_by)
          values (${row.id}, ${row.organisation}, ${row.environment}, ${row.prefix}, ${row.hash}, ${row.name},
                  ${row.scopes}::text[], ${row.expiresAt}::timestamptz, ${row.createdBy}::uuid)
          returning ${columns}`
      })

      /** Refuses a past expiry, by the clock that keys expire by. */
      const refusePast = Effect.fnUntraced(function* (expiresAt: string | undefined) {
        if (expiresAt === undefined) return
        const at = new Date(expiresAt).toISOString()
        const [row] = yield* sql<{ readonly is_past: boolean }>`select ${at}::timestamptz <= now() as is_past`
        if (row?.is_past === true) return yield* new Unprocessable({ errors: { expiresAt: "must be in the future" } })
      })

      const page = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Schema.NullOr(Environment),
          after: Schema.NullOr(Schema.String),
          take: Schema.NullOr(Schema.Int)
        }),
        Result: Row,
        execute: ({ after, environment, organisation, take }) => sql`
          select ${columns} from api_keys
          where organisation_id = ${organisation}
            and (${environment}::text is null or environment = ${environment})
            and (${after}::uuid is null or (created_at, id) < (
              select created_at, id from api_keys where id = ${after}::uuid and organisation_id = ${organisation}))
          order by created_at desc, id desc
          limit ${take}`
      })

      /** Revokes the keys whose ids a query returns, if not yet revoked. No key is made with one of them meanwhile. */
      const end = (organisation: string, ids: Statement.Fragment, by?: Actor, revokedWith?: string) =>
        withOrganisationLock(
          sql,
          organisation
        )(
          Effect.tap(
            sql<{ readonly id: string; readonly hash: Uint8Array }>`
              update api_keys set revoked_at = now() where id in (${ids}) and revoked_at is null returning id, hash`,
            (rows) =>
              note(
                "revoked",
                rows.map(({ id }) => id),
                by,
                revokedWith
              )
          )
        ).pipe(Effect.tap((ended) => Effect.forEach(ended, ({ hash }) => answers.forget(nameOf(hash)))))

      const oneOf = SqlSchema.single({
        Request: Schema.String,
        Result: Row,
        execute: (id) => sql`select ${columns} from api_keys where id = ${id}`
      })

      /** Notes that a key was used, or used after it expired; in the background, so that no caller waits for it. */
      const noteUse = ({ id, is_expired, is_use_due }: Found) => {
        if (!is_use_due) return Effect.void
        const noted: Effect.Effect<unknown, SqlError.SqlError> = is_expired
          ? sql.withTransaction(
              Effect.flatMap(
                sql`
                  update api_keys set expired_use_at = now()
                  where id = ${id} and (expired_use_at is null or expired_use_at < now() - interval '1 day')
                  returning id`,
                (rows) => (rows.length === 0 ? Effect.void : Effect.asVoid(note("used_after_expiry", [id])))
              )
            )
          : sql`
              update api_keys set last_used_at = now()
              where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`
        return noted.pipe(
          Effect.catchAllCause((cause) => Effect.logDebug("the use of an API key was not noted", cause)),
          Effect.forkIn(scope)
        )
      }

      const find = SqlSchema.findOne({
        Request: Schema.Uint8ArrayFromSelf,
        Result: Found,
        execute: (hash) => sql`
          select k.id, k.organisation_id, k.environment, k.scopes, k.expires_at,
            coalesce(k.expires_at <= now(), false) as is_expired,
            case when k.expires_at <= now() then k.expired_use_at is null or k.expired_use_at < now() - interval '1 day'
              else k.last_used_at is null or k.last_used_at < now() - interval '1 minute' end as is_use_due,
            o.mapping_revision::text
          from api_keys k join organisations o on o.id = k.organisation_id
          where k.hash = ${hash} and k.revoked_at is null`
      })

      const read = (hash: Uint8Array) =>
        Effect.gen(function* () {
          const found = yield* find(hash)
          if (found._tag === "None") return Effect.fail(new Unauthorized())
          yield* noteUse(found.value)
          return answerOf(found.value)
        }).pipe(Effect.orDie)

      return ApiKeys.of({
        create: Effect.fn("ApiKeys.create")(
          function* (organisation, environment, options = {}) {
            yield* refusePast(options.expiresAt)
            return yield* withOrganisationLock(sql, organisation)(insert({ organisation, environment }, options))
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die, NoSuchElementException: Effect.die })
        ),

        createWith: Effect.fn("ApiKeys.createWith")(
          function* (by, options) {
            yield* refusePast(options.expiresAt)
            const lacking = options.scopes.findIndex((one) => !includes(by.scopes, one))
            if (lacking >= 0) return yield* cannotGive(lacking, options.scopes[lacking])
            return yield* withOrganisationLock(
              sql,
              by.organisation
            )(
              Effect.gen(function* () {
                const [parent] = yield* sql<{ readonly expires_at: Date | null }>`
                  select expires_at from api_keys where id = ${by.key} and ${ofTenant(by)} and ${isActive}`
                if (parent === undefined) return yield* new Unauthorized()
                const latest = parent.expires_at?.toISOString()
                if (latest !== undefined && Date.parse(options.expiresAt ?? latest) > Date.parse(latest)) {
                  const message = `must not be after ${latest}, when the key that makes it expires`
                  return yield* new Unprocessable({ errors: { expiresAt: message } })
                }
                return yield* insert(by, { ...options, expiresAt: options.expiresAt ?? latest }, by)
              })
            )
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die, NoSuchElementException: Effect.die })
        ),

        list: Effect.fn("ApiKeys.list")(function* (organisation, environment, part) {
          const rows = yield* page({
            organisation,
            environment: environment ?? null,
            after: part?.after ?? null,
            take: part?.take ?? null
          })
          return rows.map(apiKeyOf)
        }, Effect.orDie),

        revoke: Effect.fn("ApiKeys.revoke")(
          function* (id, by) {
            const [known] = isUuid(id)
              ? yield* sql<{ readonly organisation_id: string }>`
                select organisation_id from api_keys
                where id = ${id} and ${by === undefined ? sql`true` : ofTenant(by)}`
              : []
            if (known === undefined) {
              return yield* new NotFound({
                code: "API_KEY_NOT_FOUND",
                message: `There is no API key with the id "${id}".`
              })
            }
            const made = sql`
              with recursive made as (
                select id from api_keys where id = ${id}
                union
                select k.id from api_keys k join made m on k.created_by = m.id
              )
              select id from made`
            const ended = yield* end(known.organisation_id, made, by, id)
            const key = apiKeyOf(yield* oneOf(id))
            return { ...key, alsoRevoked: ended.filter((row) => row.id !== key.id).length }
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die, NoSuchElementException: Effect.die })
        ),

        revokeAll: Effect.fn("ApiKeys.revokeAll")(
          (organisation) => end(organisation, sql`select id from api_keys where organisation_id = ${organisation}`),
          Effect.orDie,
          Effect.asVoid
        ),

        authenticate: (key) => {
          const text = Redacted.value(key)
          if (!form.test(text)) return Effect.fail(new Unauthorized())
          const hash = hashOf(text)
          return Effect.flatten(answers.get(nameOf(hash), read(hash)))
        }
      })
    })
  )
}

const cannotGive = (place: number, scope: string | undefined) =>
  new Forbidden({
    code: "FORBIDDEN",
    message: `scopes.${place}: this API key lacks the scope ${scope}, so it cannot make a key that has it.`
  })

// ---------------------------------------------------------------------------------------------------------------------
// rows

const NewRow = Schema.Struct({
  id: Schema.String,
  organisation: Schema.String,
  environment: Environment,
  prefix: Schema.String,
  hash: Schema.Uint8ArrayFromSelf,
  name: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  expiresAt: Schema.NullOr(Schema.String),
  createdBy: Schema.NullOr(Schema.String)
})

const Row = Schema.Struct({
  id: Schema.String,
  organisation_id: Schema.String,
  environment: Environment,
  name: Schema.NullOr(Schema.String),
  prefix: Schema.String,
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  created_by: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  expires_at: Schema.NullOr(Schema.DateFromSelf),
  last_used_at: Schema.NullOr(Schema.DateFromSelf),
  revoked_at: Schema.NullOr(Schema.DateFromSelf)
})

const apiKeyOf = (row: typeof Row.Type): ApiKey => ({
  id: row.id,
  organisation: row.organisation_id,
  environment: row.environment,
  name: row.name,
  prefix: row.prefix,
  scopes: knownOf(row.scopes),
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  revokedAt: row.revoked_at?.toISOString() ?? null
})

/** A key that is not revoked, as looked up for a request. */
const Found = Schema.Struct({
  id: Schema.String,
  organisation_id: Schema.String,
  environment: Environment,
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  expires_at: Schema.NullOr(Schema.DateFromSelf),
  is_expired: Schema.Boolean,
  is_use_due: Schema.Boolean,
  mapping_revision: Schema.String
})
type Found = typeof Found.Type

const answerOf = (found: Found): Effect.Effect<Caller, Unauthorized> =>
  found.is_expired
    ? Effect.fail(new Unauthorized({ expiredAt: found.expires_at?.toISOString() }))
    : Effect.succeed({
        organisation: found.organisation_id,
        environment: found.environment,
        key: found.id,
        scopes: knownOf(found.scopes),
        mappingRevision: found.mapping_revision
      })

const ownQuota = quota({
  setting: "QUOTA_API_KEYS",
  fallback: 100,
  most: (limit) => `An organisation has at most ${limit} active API keys in an environment`,
  remedy: "Revoke keys that are not used any more"
})
