import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const source = fileURLToPath(new URL("../../src", import.meta.url))

/** The one file of `src` that inserts, updates and deletes rows of each table. */
const repositories: Readonly<Record<string, string>> = {
  allowed_origins: "tenancy/AllowedOrigins.ts",
  api_keys: "tenancy/ApiKeyRows.ts",
  approvals: "approvals/Approvals.ts",
  chat_sessions: "agent/ChatSessions.ts",
  connect_attempts: "connections/ConnectAttempts.ts",
  connect_sessions: "connections/ConnectSessions.ts",
  connections: "connections/ConnectionRows.ts",
  console_sessions: "console/ConsoleSessions.ts",
  end_users: "tenancy/EndUsers.ts",
  erasures: "tenancy/Erasures.ts",
  events: "events/Events.ts",
  field_mapping_overrides: "fieldmappings/FieldMappings.ts",
  idempotency_entries: "records/Idempotency.ts",
  identities: "records/Identities.ts",
  key_events: "tenancy/KeyEvents.ts",
  lookups: "records/LookupStore.ts",
  mcp_grants: "authorization/GrantRows.ts",
  mcp_sign_ins: "authorization/SignIns.ts",
  oauth_records: "authorization/OAuthRecords.ts",
  organisations: "tenancy/Organisations.ts",
  push_subscriptions: "hooks/Subscriptions.ts",
  request_log: "requests/RequestLog.ts",
  session_contexts: "agent/SessionContexts.ts",
  sign_in_addresses: "authorization/SignInAddresses.ts",
  simulated_accounts: "providers/simulation/SimulationStore.ts",
  simulated_records: "providers/simulation/SimulationStore.ts",
  simulated_removals: "providers/simulation/SimulationStore.ts",
  simulated_samples: "providers/simulation/StoredSamples.ts",
  tool_calls: "audit/ToolCalls.ts",
  used_approvals: "agent/Consents.ts",
  watched_connections: "watches/WatchedConnections.ts",
  watched_records: "watches/WatchedResources.ts",
  watched_resources: "watches/WatchedResources.ts",
  watches: "watches/Watches.ts",
  webhook_deliveries: "events/DeliveryRows.ts",
  webhooks: "webhooks/Webhooks.ts",
  workspaces: "agent/Workspaces.ts"
}

/** Deletes what belongs to removed connections, whose own rows stay. */
const withConnections = "connections/RowsOfConnections.ts"

/** Files that write to whichever table they are told, and how. */
const anyTable: Readonly<Record<string, ReadonlyArray<string>>> = {
  "platform/Backup.ts": ["insert into", "truncate"],
  "platform/Rotation.ts": ["update"],
  "tenancy/PersonalData.ts": ["delete from"]
}

interface Text {
  /** Path within `src`. */
  readonly file: string
  readonly text: string
}

const read = (folder: string) =>
  readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path): Text => ({ file: join(folder, path), text: readFileSync(join(source, folder, path), "utf8") }))

const migrations = read("platform/migrations")
const files = read(".").filter(({ file }) => !file.startsWith("platform/migrations/"))

/** The tables that migrations create, each with its columns. */
const created = migrations.flatMap(({ text }) =>
  [...text.matchAll(/\bcreate table (?:if not exists )?(\w+) \(([^`]*)/g)].map(([, table = "", columns = ""]) => ({
    table,
    columns
  }))
)
const tables = new Set(created.map(({ table }) => table))

/** Tables whose rows belong to a connection each. */
const ofConnections = new Set(
  created.flatMap(({ columns, table }) =>
    /\bconnection_id [^,]*references connections\b/.test(columns) ? [table] : []
  )
)

/** A write of a file: its verb, and a table, or `$` where the table is made. */
const writesOf = ({ file, text }: Text) =>
  [
    ...text.matchAll(
      /\b(insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:table\s+|only\s+)?(\w+|"\w+"|\$)/gi
    )
  ]
    .map(([, verb = "", table = ""]) => ({
      file,
      verb: verb.toLowerCase().replace(/\s+/, " "),
      table: table.replaceAll('"', "").toLowerCase()
    }))
    .filter(({ table }) => table === "$" || tables.has(table))

const mayWrite = ({ file, table, verb }: ReturnType<typeof writesOf>[number]) =>
  table === "$"
    ? anyTable[file]?.includes(verb) === true
    : repositories[table] === file ||
      (file === withConnections &&
        verb === "delete from" &&
        (ofConnections.has(table) || table === "simulated_accounts"))

/** Writes that break the rule, as `file: verb table`. */
const broken = (texts: ReadonlyArray<Text>) =>
  texts
    .flatMap(writesOf)
    .filter((write) => !mayWrite(write))
    .map(({ file, table, verb }) => `${file}: ${verb} ${table}`)

describe("the rule of one repository for each table", () => {
  it("names one for every table of the migrations", () => {
    assert.deepStrictEqual([...tables].toSorted(), Object.keys(repositories))
  })

  it("holds in src", () => {
    assert.deepStrictEqual(broken(files), [])
  })

  it("names no repository that writes nothing", () => {
    const written = new Set(files.flatMap(writesOf).map(({ file, table }) => `${file} ${table}`))
    const idle = Object.entries(repositories).filter(([table, file]) => !written.has(`${file} ${table}`))
    assert.deepStrictEqual(idle, [])
  })

  it("has the rows of every table that refers to a connection go with it", () => {
    const gone = files.flatMap(writesOf).flatMap(({ file, table }) => (file === withConnections ? [table] : []))
    assert.deepStrictEqual(
      [...ofConnections].toSorted(),
      [...new Set(gone)].filter((table) => table !== "simulated_accounts").toSorted()
    )
  })

  for (const verb of ["insert into", "update", "delete from", "truncate"]) {
    it(`finds a planted ${verb} of every table`, () => {
      const planted = [...tables, "${sql(table)}"].map((table) => ({
        file: "platform/Paths.ts",
        text: `sql\`with x as (select 1)\n  ${verb}\n    ${table} as t\``
      }))
      assert.deepStrictEqual(
        broken(planted),
        [...tables, "$"].map((table) => `platform/Paths.ts: ${verb} ${table}`)
      )
    })
  }

  it("lets what goes with connections be deleted, and not be written", () => {
    const statements = ["delete from identities", "update identities", "insert into lookups", "delete from watches"]
    assert.deepStrictEqual(broken(statements.map((text) => ({ file: withConnections, text }))), [
      `${withConnections}: update identities`,
      `${withConnections}: insert into lookups`,
      `${withConnections}: delete from watches`
    ])
  })
})
