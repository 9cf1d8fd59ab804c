import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { runInBackground } from "../platform/BackgroundJob.ts"

/**
 * Erases, a batch at a time, what is left of removed connections and erased end users: version 0.1.0 removes no more than the
 * credentials of connections, knows no events, and may still run beside this one.
 */
const eraseOrphans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const batches = [
    sql`
      update connections set account_name = null, account_id = null, scopes = null, status_reason = null
      where id in (
        select id from connections
        where status = 'revoked' and num_nonnulls(account_name, account_id, scopes, status_reason) > 0
        limit 1000)
      returning id`,
    sql`
      delete from identities where (connection_id, id) in (
        select i.connection_id, i.id from connections c join identities i on i.connection_id = c.id
        where c.status = 'revoked' limit 1000)
      returning id`,
    sql`
      delete from lookups where connection_id in (select id from connections where status = 'revoked') returning name`,
    sql`
      delete from push_subscriptions where connection_id in (select id from connections where status = 'revoked')
      returning id`,
    sql`
      delete from watched_connections where connection_id in (
        select w.connection_id from watched_connections w join connections c on c.id = w.connection_id
        where c.status = 'revoked'
        -- in the order in which everybody locks several
        order by w.connection_id for update of w)
      returning connection_id`,
    // with their records, of which there may be thousands
    sql`
      delete from simulated_accounts where (provider, account) in (
        select a.provider, a.account from connections c
        join simulated_accounts a on a.provider = c.provider and a.account = c.id::text
        where c.status = 'revoked' limit 10)
      returning account`,
    // goes from end user to end user through the index, however many events each has
    sql`
      with recursive named as (
        (select organisation_id, environment, end_user from events where end_user is not null
          order by organisation_id, environment, end_user limit 1)
        union all
        select next.* from named cross join lateral (
          select e.organisation_id, e.environment, e.end_user from events e
          where e.end_user is not null
            and (e.organisation_id, e.environment, e.end_user) > (named.organisation_id, named.environment, named.end_user)
          order by e.organisation_id, e.environment, e.end_user limit 1
        ) as next
      )
      delete from events where id in (
        select e.id from named n join events e using (organisation_id, environment, end_user)
        where not exists (
          select from end_users u
          where u.organisation_id = n.organisation_id and u.environment = n.environment and u.external_id = n.end_user)
        limit 1000)
      returning id`
  ]
  yield* Effect.forEach(batches, (batch) => Effect.repeat(batch, { until: (rows) => rows.length === 0 }), {
    discard: true
  })
})

export const layer = Layer.scopedDiscard(runInBackground(eraseOrphans))
