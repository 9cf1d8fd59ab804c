import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { Environment } from "../tenancy/CurrentCaller.ts"

/** `needs_reauth`: the provider refuses its credentials, so the end user must connect again. */
export type Status = "active" | "needs_reauth"

/** An end user's authorised account at a provider. */
export interface Connection extends ConnectionRef {
  /** UUID; `providerId` in records. */
  readonly id: string
  /** UUID of the end user. */
  readonly endUser: string
  /** The organisation's own id of the end user. */
  readonly endUserId: string
  /** Slug. */
  readonly provider: string
  readonly environment: Environment
  readonly status: Status
  /** Why it is not active. */
  readonly statusReason: string | null
  /** The provider's name for the account. */
  readonly accountName: string | null
  /** The provider's id of the account; null when it is not known. */
  readonly accountId: string | null
  /** Scopes that the end user consented to; null when they are not known. */
  readonly scopes: ReadonlyArray<string> | null
  /** ISO 8601 date-time by which the end user must connect again; null when there is none, or it is not known. */
  readonly reauthBy: string | null
  /** ISO 8601 date-time. */
  readonly createdAt: string
}

/** Columns of `connections c` and `end_users u`. */
export const rowColumns = `c.id, c.organisation_id, c.environment, c.end_user_id, u.external_id, c.provider, c.status,
  c.status_reason, c.account_name, c.account_id, c.scopes, c.reauth_by, c.created_at, c.version`

/** A connection as it is read, with its end user's external id. */
export interface Row {
  readonly id: string
  readonly organisation_id: string
  readonly environment: Environment
  readonly end_user_id: string
  readonly external_id: string
  readonly provider: string
  readonly status: Status
  readonly status_reason: string | null
  readonly account_name: string | null
  readonly account_id: string | null
  readonly scopes: ReadonlyArray<string> | null
  readonly reauth_by: Date | null
  readonly created_at: Date
  readonly version: number
}

export const connectionOf = (row: Row): Connection => ({
  id: row.id,
  organisation: row.organisation_id,
  endUser: row.end_user_id,
  endUserId: row.external_id,
  provider: row.provider,
  environment: row.environment,
  status: row.status,
  statusReason: row.status_reason,
  accountName: row.account_name,
  accountId: row.account_id,
  scopes: row.scopes,
  reauthBy: row.reauth_by?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  version: row.version
})
