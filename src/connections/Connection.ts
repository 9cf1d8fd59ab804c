import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { Environment } from "../tenancy/CurrentCaller.ts"
import type { ConnectionRow, Status } from "./ConnectionRows.ts"

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

export const connectionOf = (row: ConnectionRow): Connection => ({
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
