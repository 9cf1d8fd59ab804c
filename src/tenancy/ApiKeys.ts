import { SqlClient, type SqlError } from "@effect/sql"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { type Conflict, Forbidden, NotFound, Unauthorized, Unprocessable } from "../platform/Errors.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import { isUuid } from "../platform/Uuid.ts"
import { type ApiKeyRow, apiKeyRows, type FoundKey } from "./ApiKeyRows.ts"
import type { Caller, Environment, Tenant } from "./CurrentCaller.ts"
import { form, hashOf, nameOf, prefixes, randomText, shown } from "./KeyText.ts"
import { noteKeyEvent } from "./KeyEvents.ts"
import { withOrganisationLock } from "./Organisations.ts"
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

/** A page of the list of keys: at most `take`, older than the one with the id `after`. */
export interface KeyPage {
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
      page?: KeyPage
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
      const keys = yield* apiKeyRows
      // unknown keys' answers are kept too: nobody can know a key before it is made
      const answers = SingleFlightCache.make<Effect.Effect<Caller, Unauthorized>>({
        capacity: 10_000,
        ttl: SingleFlightCache.recent,
        metric: "api_keys"
      })

      const insert = (tenant: Tenant, { expiresAt, name, scopes }: KeyOptions, by?: Actor) =>
        Effect.gen(function* () {
          yield* refuseBeyond(limits, keys.held(tenant))
          const key = prefixes[tenant.environment] + randomText()
          const id = randomUUID()
          const made = yield* keys.insert({
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
          yield* noteKeyEvent(sql, "created", [id], by?.key)
          return { ...apiKeyOf(made), key: Redacted.make(key) }
        })

      /** Refuses a past expiry, by the clock that keys expire by. */
      const refusePast = Effect.fnUntraced(function* (expiresAt: string | undefined) {
        if (expiresAt === undefined) return
        const { is_past } = yield* keys.isPast(new Date(expiresAt).toISOString())
        if (is_past) return yield* new Unprocessable({ errors: { expiresAt: "must be in the future" } })
      })

      /** Revokes keys and forgets them. No key is made with one of them meanwhile. */
      const end = (organisation: string, revoking: ReturnType<typeof keys.revoke>, by?: Actor, revokedWith?: string) =>
        revoking.pipe(
          Effect.tap((ended) =>
            noteKeyEvent(
              sql,
              "revoked",
              ended.map(({ id }) => id),
              by?.key,
              revokedWith
            )
          ),
          withOrganisationLock(sql, organisation),
          Effect.tap((ended) => Effect.forEach(ended, ({ hash }) => answers.forget(nameOf(hash))))
        )

      /** Notes that a key was used, or used after it expired; in the background, so that no caller waits for it. */
      const noteUse = ({ id, is_expired, is_use_due }: FoundKey) => {
        if (!is_use_due) return Effect.void
        const noted: Effect.Effect<unknown, SqlError.SqlError> = is_expired
          ? sql.withTransaction(
              Effect.flatMap(keys.usedExpired(id), (isFirst) =>
                isFirst ? Effect.asVoid(noteKeyEvent(sql, "used_after_expiry", [id])) : Effect.void
              )
            )
          : keys.used(id)
        return noted.pipe(
          Effect.catchAllCause((cause) => Effect.logDebug("the use of an API key was not noted", cause)),
          Effect.forkIn(scope)
        )
      }

      const read = (hash: Uint8Array) =>
        Effect.gen(function* () {
          const found = yield* keys.find(hash)
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
                const { environment, key, organisation } = by
                const parent = yield* keys.active({ id: key, organisation, environment })
                if (Option.isNone(parent)) return yield* new Unauthorized()
                const latest = parent.value.expires_at?.toISOString()
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

        list: Effect.fn("ApiKeys.list")(function* (organisation, environment, page) {
          const rows = yield* keys.page({
            organisation,
            environment: environment ?? null,
            after: page?.after ?? null,
            take: page?.take ?? null
          })
          return rows.map(apiKeyOf)
        }, Effect.orDie),

        revoke: Effect.fn("ApiKeys.revoke")(
          function* (id, by) {
            const known = isUuid(id) ? yield* keys.organisationOf({ id, within: by }) : Option.none()
            if (Option.isNone(known)) {
              return yield* new NotFound({
                code: "API_KEY_NOT_FOUND",
                message: `There is no API key with the id "${id}".`
              })
            }
            const ended = yield* end(known.value.organisation_id, keys.revoke(id), by, id)
            const key = apiKeyOf(yield* keys.one(id))
            return { ...key, alsoRevoked: ended.filter((row) => row.id !== key.id).length }
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die, NoSuchElementException: Effect.die })
        ),

        revokeAll: Effect.fn("ApiKeys.revokeAll")(
          (organisation) => end(organisation, keys.revokeAll(organisation)),
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

const cannotGive = (index: number, scope: string | undefined) =>
  new Forbidden({
    code: "FORBIDDEN",
    message: `scopes.${index}: this API key lacks the scope ${scope}, so it cannot make a key that has it.`
  })

const apiKeyOf = (row: ApiKeyRow): ApiKey => ({
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

const answerOf = (found: FoundKey): Effect.Effect<Caller, Unauthorized> =>
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
