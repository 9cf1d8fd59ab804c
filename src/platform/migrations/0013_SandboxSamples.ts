import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Simulated accounts as differences from a sample that they share, each of an end user. Version 0.1.0 finds an account
 * without the sample's marker among its records: it adds sample data of its own, and the account is a whole one from then on.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // body: compressed JSON
  yield* sql`
    create table simulated_samples (
      id uuid primary key,
      provider text not null,
      day date not null,
      body bytea not null,
      created_at timestamptz not null default now(),
      unique (provider, day)
    )`

  // null: stored as a whole, without sample data yet, or of nobody
  yield* sql`
    alter table simulated_accounts
      add column sample_id uuid references simulated_samples,
      add column end_user_id uuid references end_users on delete cascade`
  yield* sql`create index simulated_accounts_by_sample on simulated_accounts (sample_id)`
  yield* sql`create index simulated_accounts_by_end_user on simulated_accounts (end_user_id)`
  yield* sql`
    update simulated_accounts a set end_user_id = c.end_user_id
    from connections c where c.id::text = a.account and c.environment = 'sandbox'`

  // records of the sample that an account does not have any longer
  yield* sql`
    create table simulated_removals (
      provider text not null,
      account text not null,
      type text not null,
      id text not null,
      primary key (provider, account, type, id),
      foreign key (provider, account) references simulated_accounts on delete cascade
    )`
})
