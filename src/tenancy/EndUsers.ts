import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { Environment, Tenant } from "./CurrentCaller.ts"

/** A user of an organisation's product, in one environment. */
export interface EndUser extends Tenant {
  readonly id: string
  /** The organisation's own name for them: what calls send as `X-End-User-Id`. */
  readonly externalId: string
  readonly displayName: string | null
  readonly email: string | null
}

/** Which end users, in the order of their external ids. */
export interface EndUserFilters {
  /** Part of an external id, a name or an e-mail address, in capitals or not. */
  readonly search?: string | undefined
  /** External id that those given come after. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface EndUserDetails {
  readonly displayName?: string
  readonly email?: string
}

export class EndUsers extends Context.Tag("tributary/tenancy/EndUsers")<
  EndUsers,
  {
    /** Gives the end user, made when there is none; details that are given replace those that are kept. */
    readonly ensure: (
      organisation: string,
      environment: Environment,
      externalId: string,
      details?: EndUserDetails
    ) => Effect.Effect<EndUser>
    readonly list: (tenant: Tenant, filters: EndUserFilters) => Effect.Effect<ReadonlyArray<EndUser>>
  }
>() {
  static readonly layer = Layer.effect(
    EndUsers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal("id, organisation_id, environment, external_id, display_name, email")
      return EndUsers.of({
        ensure: Effect.fn("EndUsers.ensure")(function* (organisation, environment, externalId, details = {}) {
          const [row] = yield* sql<Row>`
            insert into end_users (id, organisation_id, environment, external_id, display_name, email)
            values (${randomUUID()}, ${organisation}, ${environment}, ${externalId},
                    ${details.displayName ?? null}, ${details.email ?? null})
            on conflict (organisation_id, environment, external_id) do update
            set display_name = coalesce(excluded.display_name, end_users.display_name),
                email = coalesce(excluded.email, end_users.email)
            returning ${columns}`
          if (row === undefined) return yield* Effect.dieMessage("an upserted end user was not returned")
          return endUserOf(row)
        }, Effect.orDie),

        list: Effect.fn("EndUsers.list")(function* ({ environment, organisation }, { after, limit, search = "" }) {
          const rows = yield* sql<Row>`
            select ${columns} from end_users
            where organisation_id = ${organisation} and environment = ${environment}
              and (${search} = '' or position(lower(${search}) in
                lower(concat_ws(chr(10), external_id, display_name, email))) > 0)
              and (${after ?? null}::text is null or external_id > ${after ?? null}::text)
            order by external_id limit ${limit}`
          return rows.map(endUserOf)
        }, Effect.orDie)
      })
    })
  )
}

interface Row {
  readonly id: string
  readonly organisation_id: string
  readonly environment: Environment
  readonly external_id: string
  readonly display_name: string | null
  readonly email: string | null
}

const endUserOf = (row: Row): EndUser => ({
  id: row.id,
  organisation: row.organisation_id,
  environment: row.environment,
  externalId: row.external_id,
  displayName: row.display_name,
  email: row.email
})
