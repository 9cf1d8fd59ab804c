import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The leash of a workspace: the tools it exposes, when somebody is asked, and what its model is told. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table workspaces
      add column if not exists read_only boolean not null default false,
      add column if not exists tools_allow text[] not null default '{*}',
      add column if not exists tools_deny text[] not null default '{}',
      add column if not exists instructions text,
      add column if not exists model text,
      drop constraint if exists workspaces_confirm_check`
  yield* sql`
    alter table workspaces
      add constraint workspaces_confirm_check check (confirm in ('never', 'destructive', 'writes'))`
})
