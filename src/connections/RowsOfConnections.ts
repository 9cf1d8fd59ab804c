import type { SqlClient, Statement } from "@effect/sql"
import { endUserOfPerson } from "../tenancy/EndUsers.ts"
import type { Person } from "../tenancy/PersonalData.ts"

/** A query for the ids of a person's connections, removed ones included. */
export const connectionsOf = (sql: SqlClient.SqlClient, person: Person) => sql`
  select c.id from connections c where c.end_user_id = ${endUserOfPerson(sql, person)}`

/**
 * Parts of a `with` that delete what belongs to connections, by a query for their ids. Their tables refer to `connections`, but
 * a removed connection keeps its row, so the database does not delete theirs.
 */
export const withoutRows = (sql: SqlClient.SqlClient, ids: Statement.Fragment) => sql`
  met as (
    delete from identities where connection_id in (${ids})
  ), looked as (
    delete from lookups where connection_id in (${ids})
  ), subscribed as (
    delete from push_subscriptions where connection_id in (${ids})
  ), watched as (
    select connection_id from watched_connections where connection_id in (${ids})
    -- in the order in which everybody locks several
    order by connection_id for update
  ), unwatched as (
    delete from watched_connections where connection_id in (select connection_id from watched)
  )`

/** Delete some of what version 0.1.0 left of removed connections; each is done when it gives no rows. */
export const leftRows = (sql: SqlClient.SqlClient) => [
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
    returning account`
]
