import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { RequestLog } from "../../src/requests/RequestLog.ts"
import { Events } from "../../src/events/Events.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { followed, until, watch } from "../../src/testing/contract/Following.ts"
import { turn } from "../agent/ChatFrames.ts"
import { workspaceOf } from "../agent/McpClient.ts"
import { begin, session } from "../support/Connecting.ts"
import { type Caller, pageOf, recordOf, sandboxApplicationAt } from "../support/SandboxApplication.ts"

/** The application with its simulated accounts in the database. */
export const application = sandboxApplicationAt(Date.UTC(2026, 10, 20, 9))(
  { ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
  undefined,
  undefined,
  undefined,
  Layer.orDie(SimulationStore.layerSql)
)

/** Has something of every kind stored of a caller's end user, who is connected to HubSpot and QuickBooks. */
export const storeEverything = Effect.fnUntraced(function* (caller: Caller) {
  const mark = caller.endUser
  yield* caller.call("POST", "/crm/contact?provider=hubspot", {
    body: { last_name: `Contact of ${mark}` },
    headers: { "idempotency-key": randomUUID() }
  })
  // references have ids that are kept
  pageOf(yield* caller.call("GET", "/accounting/invoice?provider=quickbooks&limit=5"))
  yield* watch(caller.call, ["crm/contact"], { providers: ["hubspot"] })
  yield* until(
    Effect.map(followed(caller.call), (all) =>
      all.some(({ connectionId, state }) => connectionId === caller.connections.hubspot && state === "following")
    )
  )
  const opened = yield* session(caller, { displayName: `Name of ${mark}`, email: "someone@example.com" })
  yield* begin(opened, "pipedrive")
  // nobody listens there, so that a delivery waits
  yield* caller.call("POST", "/webhooks", { body: { url: "http://127.0.0.1:9/", types: ["connection.restored"] } })
  yield* (yield* Events).publish(caller.tenancy, [
    {
      type: "connection.restored",
      data: { connectionId: caller.connections.hubspot ?? "", provider: "hubspot", endUserId: mark }
    }
  ])
  const workspace = yield* workspaceOf(caller)
  yield* caller.call("PATCH", `/mcp/workspaces/${workspace}`, { body: { confirm: "destructive" } })
  yield* caller.call("POST", `/mcp/${workspace}`, {
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "crm_delete_contact", arguments: { provider: "hubspot", id: `Approval of ${mark}` } }
    },
    headers: { accept: "application/json, text/event-stream" }
  })
  yield* caller.call("POST", `/mcp/workspaces/${workspace}/tokens`, { body: { endUserId: mark } })
  const sessionId = randomUUID()
  yield* caller.call("PUT", `/chat-sessions/${sessionId}/context`, { body: { context: `Context of ${mark}` } })
  yield* turn(caller, workspace, `list 2 contacts for ${mark}`, { "x-session-id": sessionId })
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into push_subscriptions (id, connection_id, type, secret, due_at)
    values (${randomUUID()}, ${caller.connections["hubspot"] ?? null}, 'contact', ${`secret of ${mark}`}, now())`
  return { sessionId, workspace, token: opened.token }
})

const Row = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ row: Schema.String })))

/** Every row of every table, as text. */
export const everyRow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(sql`select to_jsonb(t)::text as row from ${sql(name)} t`, (found) =>
      Row(found).map(({ row }) => `${name} ${row}`)
    )
  )
  return rows.flat()
})

/** The console's log is written when it is read. */
export const logWritten = Effect.flatMap(RequestLog, (log) =>
  log.list({ organisation: randomUUID(), environment: "sandbox" }, {}, { take: 1 })
)

/** The API's answer about a caller's end user. */
export const stored = (caller: Caller) =>
  Effect.map(caller.call("GET", `/end-users/${encodeURIComponent(caller.endUser)}`), recordOf)
