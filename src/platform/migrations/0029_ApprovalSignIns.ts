import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Sign-ins of end users who decide on a call of a tool: such a sign-in is for an approval, and for no program. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table mcp_sign_ins
      add column if not exists approval_id uuid references approvals on delete cascade,
      alter column client_id drop not null,
      alter column client_name drop not null,
      alter column redirect_host drop not null`
  yield* sql`
    create index if not exists mcp_sign_ins_by_approval on mcp_sign_ins (approval_id) where approval_id is not null`
})
