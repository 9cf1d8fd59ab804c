import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Redacted } from "effect"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { NotFound } from "../platform/Errors.ts"
import * as RecentReads from "../platform/RecentReads.ts"
import { isUuid } from "../platform/Uuid.ts"
import type { Caller, Environment } from "./CurrentCaller.ts"

/** What is kept of an API key: never the key itself. */
export interface ApiKey {
  readonly id: string
  /** UUID of its organisation. */
  readonly organisation: string
  readonly environment: Environment
  /** The key's first characters, to tell keys apart. */
  readonly prefix: string
  /** ISO 8601 date-times. */
  readonly createdAt: string
  readonly revokedAt: string | null
}

/** A key just made: the only time that it is seen. */
export interface NewApiKey extends ApiKey {
  readonly key: Redacted.Redacted
}

export class ApiKeys extends Context.Tag("tributary/tenancy/ApiKeys")<
  ApiKeys,
  {
    /** `organisation` is the UUID of one that exists. */
    readonly create: (organisation: string, environment: Environment) => Effect.Effect<NewApiKey>
    /** Newest first, revoked ones included; of one environment where it is given. */
    readonly list: (organisation: string, environment?: Environment) => Effect.Effect<ReadonlyArray<ApiKey>>
    /**
     * Ends a key: at once on this process, within a second on all others. Ending it again changes nothing. With
     * `organisation` or `environment`, the keys of others are as if they were not there.
     */
    readonly revoke: (id: string, organisation?: string, environment?: Environment) => Effect.Effect<ApiKey, NotFound>
    /** Whom a key speaks for; undefined when it is malformed, unknown or revoked. */
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<Caller | undefined>
  }
>() {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal("id, organisation_id, environment, prefix, created_at, revoked_at")
      // Null for an unknown key: nobody can know a key before it is made, so that may be remembered too.
      const callers = RecentReads.make<Caller | null>(10_000)

      const read = (hash: Uint8Array) =>
        sql<Pick<Row, "id" | "organisation_id" | "environment"> & { readonly mapping_revision: string }>`
          select k.id, k.organisation_id, k.environment, o.mapping_revision::text
          from api_keys k join organisations o on o.id = k.organisation_id
          where k.hash = ${hash} and k.revoked_at is null`.pipe(
          Effect.map(([row]) =>
            row === undefined
              ? null
              : {
                  organisation: row.organisation_id,
                  environment: row.environment,
                  key: row.id,
                  mappingRevision: row.mapping_revision
                }
          ),
          Effect.orDie
        )

      return ApiKeys.of({
        create: Effect.fn("ApiKeys.create")(function* (organisation, environment) {
          const key = prefixes[environment] + randomText()
          const [row] = yield* sql<Row>`
            insert into api_keys (id, organisation_id, environment, prefix, hash)
            values (${randomUUID()}, ${organisation}, ${environment}, ${key.slice(0, shown)}, ${hashOf(key)})
            returning ${columns}`
          return row === undefined
            ? yield* Effect.dieMessage("an inserted key was not returned")
            : { ...apiKeyOf(row), key: Redacted.make(key) }
        }, Effect.orDie),

        list: Effect.fn("ApiKeys.list")(function* (organisation, environment) {
          const rows = yield* sql<Row>`
            select ${columns} from api_keys
            where organisation_id = ${organisation}
              and ${environment === undefined ? sql`true` : sql`environment = ${environment}`}
            order by created_at desc, id`
          return rows.map(apiKeyOf)
        }, Effect.orDie),

        revoke: Effect.fn("ApiKeys.revoke")(
          function* (id, organisation, environment) {
            const [row] = isUuid(id)
              ? yield* sql<Row & { readonly hash: Uint8Array }>`
                update api_keys set revoked_at = coalesce(revoked_at, now())
                where id = ${id} and ${organisation === undefined ? sql`true` : sql`organisation_id = ${organisation}`}
                  and ${environment === undefined ? sql`true` : sql`environment = ${environment}`}
                returning ${columns}, hash`
              : []
            if (row === undefined) {
              return yield* new NotFound({
                code: "API_KEY_NOT_FOUND",
                message: `There is no API key with the id "${id}".`
              })
            }
            yield* callers.forget(nameOf(row.hash))
            return apiKeyOf(row)
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        authenticate: Effect.fnUntraced(function* (key) {
          const text = Redacted.value(key)
          if (!form.test(text)) return undefined
          const hash = hashOf(text)
          return (yield* callers.get(nameOf(hash), read(hash))) ?? undefined
        })
      })
    })
  )
}

interface Row {
  readonly id: string
  readonly organisation_id: string
  readonly environment: Environment
  readonly prefix: string
  readonly created_at: Date
  readonly revoked_at: Date | null
}

const apiKeyOf = (row: Row): ApiKey => ({
  id: row.id,
  organisation: row.organisation_id,
  environment: row.environment,
  prefix: row.prefix,
  createdAt: row.created_at.toISOString(),
  revokedAt: row.revoked_at?.toISOString() ?? null
})

const prefixes = { sandbox: "sk_test_", production: "sk_live_" } as const

/** 32 random bytes as 43 letters and digits, which one click selects whole. */
const randomText = () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  let rest = BigInt(`0x${randomBytes(32).toString("hex")}`)
  return Array.from({ length: 43 }, () => {
    const digit = digits.charAt(Number(rest % 62n))
    rest /= 62n
    return digit
  }).join("")
}

const form = /^sk_(test|live)_[0-9A-Za-z]{43}$/

/** Characters of a key that are kept: too few to help guess the rest. */
const shown = 12

// A fast hash is right for 256 random bits; a slow one is for passwords.
const hashOf = (key: string) => createHash("sha256").update(key).digest()

const nameOf = (hash: Uint8Array) => Buffer.from(hash).toString("base64")
