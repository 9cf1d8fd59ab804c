import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Whether a write under an idempotency key was sent. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The lease whose holder has sent nothing yet. A version that does not know the column takes an entry over with a lease
  // of its own, so what it may have sent never counts as unsent.
  yield* sql`alter table idempotency_entries add column unsent_lease_id uuid`
})
