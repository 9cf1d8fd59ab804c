import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { isLoopback } from "../platform/Address.ts"
import { Unprocessable } from "../platform/Errors.ts"
import { Environment, type Tenant } from "./CurrentCaller.ts"

/** Origins (`https://app.example.com`) whose pages may embed the connection widget and call workspaces. */
export interface Origins {
  /** Those that the organisation allows in the environment. */
  readonly origins: ReadonlyArray<string>
  /** Those that the operator allows the organisation in both environments. */
  readonly organisationOrigins: ReadonlyArray<string>
}

/** Most origins of an organisation in an environment. */
export const mostOrigins = 100

const TenantKey = Schema.Struct({ organisation: Schema.UUID, environment: Environment })

/** Allowed origins for each environment, beside those of the organisation. */
export class AllowedOrigins extends Context.Tag("tributary/tenancy/AllowedOrigins")<
  AllowedOrigins,
  {
    readonly find: (tenant: Tenant) => Effect.Effect<Origins>
    /** Replaces those of the environment; changes nothing if one is wrong. */
    readonly set: (tenant: Tenant, origins: ReadonlyArray<string>) => Effect.Effect<Origins, Unprocessable>
  }
>() {
  static readonly layer = Layer.effect(
    AllowedOrigins,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const read = SqlSchema.single({
        Request: TenantKey,
        Result: Schema.Struct({
          origins: Schema.Array(Schema.String),
          organisationOrigins: Schema.Array(Schema.String)
        }),
        execute: ({ environment, organisation }) => sql`
          select o.allowed_origins as "organisationOrigins", coalesce(a.origins, '{}') as origins
          from organisations o
          left join allowed_origins a on a.organisation_id = o.id and a.environment = ${environment}
          where o.id = ${organisation}`
      })

      const write = SqlSchema.void({
        Request: Schema.Struct({ ...TenantKey.fields, origins: Schema.Array(Schema.String) }),
        execute: ({ environment, organisation, origins }) => sql`
          insert into allowed_origins (organisation_id, environment, origins)
          values (${organisation}, ${environment}, ${origins}::text[])
          on conflict (organisation_id, environment) do update set origins = excluded.origins, updated_at = now()`
      })

      const find = Effect.fn("AllowedOrigins.find")(
        ({ environment, organisation }: Tenant) => read({ organisation, environment }),
        Effect.orDie
      )

      return AllowedOrigins.of({
        find,
        set: Effect.fn("AllowedOrigins.set")(function* (tenant, origins) {
          const wrong = originErrors(origins)
          if (wrong.length > 0) return yield* new Unprocessable({ errors: Object.fromEntries(wrong) })
          const { environment, organisation } = tenant
          yield* Effect.orDie(write({ organisation, environment, origins: origins.toSorted() }))
          return yield* find(tenant)
        })
      })
    })
  )
}

/** SQL for every allowed origin, by an organisation `o` and an environment of the same query. */
export const allOriginsOf = (sql: SqlClient.SqlClient, environment: "s.environment" | "w.environment") => sql`
  array(
    select unnest(o.allowed_origins)
    union
    select unnest(a.origins) from allowed_origins a
    where a.organisation_id = o.id and a.environment = ${sql.literal(environment)}
    order by 1)`

/** Errors in origins, by their paths. */
const originErrors = (origins: ReadonlyArray<string>): ReadonlyArray<readonly [path: string, message: string]> => {
  if (origins.length > mostOrigins) return [["origins", `must be at most ${mostOrigins}; there are ${origins.length}`]]
  return origins.flatMap((origin, index) => {
    const wrong = origins.indexOf(origin) < index ? "is there before; leave it out" : errorOf(origin)
    return wrong === undefined ? [] : [[`origins.${index}`, wrong] as const]
  })
}

const errorOf = (given: string) => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || given.length > 255 || given.includes("*") || !/^https?:$/.test(url.protocol)) {
    return "must be an https:// origin, such as https://app.example.com, without wildcards"
  }
  const { hostname, origin, protocol } = url
  if (protocol === "http:" && !isLoopback(hostname)) {
    return `must be https://, such as ${origin.replace("http:", "https:")}; http:// is for localhost, 127.0.0.1 and [::1]`
  }
  return given === origin ? undefined : `must be scheme, host and port alone: ${origin}`
}
