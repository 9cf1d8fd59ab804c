import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import { warnedAt } from "./ReauthBy.ts"

/** Credentials as they are kept, with what else belongs to them. */
const CredentialRow = Schema.Struct({
  status: Schema.Literal("active", "needs_reauth"),
  version: Schema.Int,
  credentials: Schema.String,
  end_user_id: Schema.String,
  account_id: Schema.NullOr(Schema.String)
})

const Ending = Schema.Struct({
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  provider: Schema.String,
  version: Schema.Int,
  reauth_by: Schema.DateFromSelf
})
export type Ending = typeof Ending.Type

/** The statements on the credentials in `connections`, and on the lease under which they are refreshed. */
export const credentialRows = Effect.map(SqlClient.SqlClient, (sql) => ({
  read: SqlSchema.findOne({
    Request: Schema.Struct({ id: Schema.String, environment: Environment, provider: Schema.String }),
    Result: CredentialRow,
    execute: ({ environment, id, provider }) => sql`
      select status, version, credentials, end_user_id, account_id from connections
      where id = ${id} and environment = ${environment} and provider = ${provider} and status <> 'revoked'`
  }),

  /**
   * Takes the lease; false while another refresher has it, or one of another process failed a moment ago (`isNoted`: the
   * failure was this process's own, which knows that its time is over), or when the credentials were replaced.
   */
  takeLease: ({ id }: ConnectionRef, version: number, lease: string, seconds: number, isNoted: boolean) =>
    Effect.map(
      sql`
        update connections set lease_id = ${lease}, lease_until = now() + ${seconds} * interval '1 second'
        where id = ${id} and version = ${version} and status = 'active'
          and (lease_until is null or lease_until < now() or (${isNoted} and lease_id is null))
        returning version`,
      (rows) => rows.length > 0
    ),

  /** Ends the lease. A failure keeps the others from asking too: they find the time for that without a lease. */
  releaseLease: ({ id }: ConnectionRef, lease: string, seconds: number) => sql`
    update connections
    set lease_id = null,
        lease_until = case when ${seconds} > 0 then now() + ${seconds} * interval '1 second' end
    where id = ${id} and lease_id = ${lease}`,

  /** Seconds until another process's refresh that failed may be repeated; nothing when none has failed just now. */
  leftOfFailure: SqlSchema.findOne({
    Request: Schema.Struct({ id: Schema.String, environment: Environment }),
    Result: Schema.Struct({ left: Schema.Number }),
    execute: ({ environment, id }) => sql`
      select extract(epoch from lease_until - now())::float8 as left from connections
      where id = ${id} and environment = ${environment} and lease_id is null and lease_until > now()`
  }),

  /** Replaces a version, be it refused meanwhile, and ends the lease; false when it is not there any more. */
  replace: (
    { id }: ConnectionRef,
    version: number,
    credentials: string,
    end: { readonly reauthBy: Date | null; readonly warned: number | null }
  ) =>
    Effect.map(
      sql`
        update connections
        set credentials = ${credentials}, version = version + 1, status = 'active', status_reason = null,
            reauth_warned = case when reauth_by is distinct from ${end.reauthBy} then ${end.warned} else reauth_warned end,
            reauth_by = ${end.reauthBy}, lease_id = null, lease_until = null, updated_at = now()
        where id = ${id} and status <> 'revoked'
          and (version = ${version} or (version = ${version + 1} and status = 'needs_reauth'))
        returning version`,
      (rows) => rows.length > 0
    ),

  /** Takes the active connections that end soon and were not warned of, and notes that they are now. */
  ending: SqlSchema.findAll({
    Request: Schema.DateFromSelf,
    Result: Ending,
    execute: (now) => {
      const inDays = (days: number) => sql`${now}::timestamptz + ${days} * interval '1 day'`
      return sql`
        update connections
        set reauth_warned = case when reauth_by <= ${inDays(warnedAt.late)} then ${warnedAt.late}::int else ${warnedAt.early}::int end
        where status = 'active' and reauth_by > ${now} and reauth_by <= ${inDays(warnedAt.early)}
          and (reauth_warned is null or (reauth_warned > ${warnedAt.late} and reauth_by <= ${inDays(warnedAt.late)}))
        returning id, organisation_id, environment, provider, version, reauth_by`
    }
  })
}))
