import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** A delivery while a process attempts it. */
export interface Held {
  /** UUID of the webhook. */
  readonly webhook: string
  readonly id: string
  /** Holder of the lease. */
  readonly holder: string
}

/** How an attempt ended. */
export interface Attempted {
  readonly status: "delivered" | "failed" | "pending"
  /** Seconds until the next one. */
  readonly wait: number
  readonly responseStatus: number | null
  /** Sealed. */
  readonly answer: string | null
  readonly error: string | null
  readonly milliseconds: number
}

/** How long a taken delivery belongs to its taker, unless the lease is renewed. */
const lease = "10 seconds"

/**
 * The statements that change `webhook_deliveries`, some of them parts of larger ones. They stand with the events, which make
 * deliveries as they are published.
 */
export const deliveryRows = Effect.map(SqlClient.SqlClient, (sql) => {
  const until = sql`now() + ${lease}::interval`

  return {
    /** Has the events of `noted` delivered to the webhooks of `listening`, both of the same statement. */
    insert: sql`
      insert into webhook_deliveries (webhook_id, event_id)
      select listening.id, noted.id from noted join listening on noted.type = any(listening.types)
      order by noted.sequence
      returning 1`,

    /** Has a webhook's waiting deliveries attempted at once. */
    hasten: (webhook: string) => sql`
      update webhook_deliveries set next_at = now()
      where webhook_id = ${webhook} and status = 'pending' and lease is null and next_at > now()`,

    /** Begins the schedule of a delivery again, unless it is being attempted. */
    restart: (webhook: string, id: string) => sql`
      update webhook_deliveries set status = 'pending', attempts = 0, next_at = now(), lease = null
      where webhook_id = ${webhook} and id = ${id}::bigint and (lease is null or next_at < now())`,

    /** Takes the deliveries of `due` of the same statement. */
    take: (holder: string) => sql`
      update webhook_deliveries d set next_at = ${until}, lease = ${holder}::uuid
      from due where d.webhook_id = due.webhook_id and d.id = due.id
      returning d.webhook_id, d.id, d.event_id, d.attempts`,

    /** Renews leases; `held` is JSON of a list of them. */
    extend: (held: string) => sql`
      update webhook_deliveries d set next_at = ${until}
      from jsonb_to_recordset(${held}::jsonb) as held (webhook uuid, id bigint, holder uuid)
      where d.webhook_id = held.webhook and d.id = held.id and d.lease = held.holder`,

    /** Ends a lease with what came of it; no row: somebody else has taken the delivery meanwhile. */
    settle: ({ holder, id, webhook }: Held, attempted: Attempted) => sql`
      update webhook_deliveries set status = ${attempted.status}, attempts = attempts + 1, lease = null,
        next_at = now() + ${attempted.wait} * interval '1 second', attempted_at = now(),
        response_status = ${attempted.responseStatus}, answer = ${attempted.answer}, error = ${attempted.error},
        duration_ms = ${attempted.milliseconds}
      where webhook_id = ${webhook} and id = ${id}::bigint and lease = ${holder}::uuid
      returning status`
  }
})
