import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../../src/Api.ts"
import { basePath } from "../../src/platform/Paths.ts"
import { PersonalData } from "../../src/tenancy/PersonalData.ts"
import { application, everyRow, logWritten } from "../endusers/Everything.ts"
import { type Answer, type Caller, failureOf, inProduction, SandboxApplication } from "../support/SandboxApplication.ts"
import { open, type Probe, probesOf, recordProbe, storeOwned } from "./Probes.ts"

/** Tables that change while nobody of the owner does anything, and why. */
const restless: { readonly [table: string]: string } = {
  organisations: "changes of field mappings are counted for both environments",
  api_keys: "the other end user comes with the same key, and its use is noted",
  lookups: "kept for as long as they are good",
  request_log: "the other end user's requests are in it too",
  watched_connections: "watched as time passes",
  watched_resources: "watched as time passes",
  watched_records: "watched as time passes",
  webhook_deliveries: "tried again as time passes",
  webhooks: "disabled when nothing arrives"
}

/** Columns by which a row is an end user's or a connection's. */
const personal = /end_user|external_id|connection|account/

/** Tables with such a column that hold nothing of end users, and why. */
const exempt: { readonly [table: string]: string } = {
  end_users: "the end users themselves, erased last",
  erasures: "what keeps requests that are under way from storing more, for a day, as a digest"
}

interface Route {
  readonly name: string
  readonly endpoint: string
  readonly method: string
  readonly path: string
}

/** Every route that the API declares. */
const routes: ReadonlyArray<Route> = Object.entries<{
  readonly endpoints: { readonly [name: string]: { readonly method: string; readonly path: string } }
}>(Api.groups).flatMap(([group, { endpoints }]) =>
  Object.entries(endpoints).map(([endpoint, { method, path }]) => ({
    name: `${group}.${endpoint}`,
    endpoint,
    method,
    path: path.slice(basePath.length)
  }))
)

/** Others have an end user of the owner's name, whom this erases. */
const last = "endUsers.erase"

const tableOf = (row: string) => row.slice(0, row.indexOf(" "))

/** The leak in somebody else's answer to a request for the owner's data; undefined if there is none. */
const leakOf = (answer: Answer, refused: string | undefined, { shows }: Probe): string | undefined => {
  const text = JSON.stringify(answer.body ?? "")
  if (refused === undefined) {
    if (shows !== undefined && text.includes(shows)) return `tells ${shows}`
    return answer.status < 300 ? undefined : `${answer.status} ${text}`
  }
  const code = answer.status < 400 ? text : failureOf(answer).code
  return code === refused ? undefined : `${answer.status} ${code} instead of ${refused}`
}

layer(application, { timeout: "300 seconds" })("what an organisation has", (it) => {
  it.effect(
    "is out of reach of others, of its other environment and of its other end users",
    () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const sql = yield* SqlClient.SqlClient
        const owner = yield* app.caller(["hubspot", "quickbooks", "close"])
        const owned = yield* storeOwned(owner)
        yield* logWritten

        // nobody else is there yet
        const scoped = yield* sql<{ readonly table: string }>`
        select distinct table_name as table from information_schema.columns
        where table_schema = 'public' and column_name in ('organisation_id', 'environment', 'end_user_id')`
        const before = yield* everyRow
        const stored = new Set(before.map(tableOf))
        assert.deepStrictEqual(
          scoped.flatMap(({ table }) => (stored.has(table) ? [] : [table])),
          [],
          "tables of tenants in which storeOwned stores nothing"
        )

        const others = {
          "another organisation": yield* app.caller([], { endUser: owner.endUser }),
          "the other environment": yield* inProduction(owner)
        }
        const colleague = yield* app.caller([], { tenancy: owner.tenancy, endUser: "colleague" })
        const connections = new Map(Object.entries(owner.connections))
        const connectionTo = Effect.fnUntraced(function* (provider: string) {
          const id = connections.get(provider) ?? (yield* app.connect(owner, provider))
          connections.set(provider, id)
          return id
        })

        const probes = probesOf(owned)
        const wrong: Array<string> = []
        const tried = Effect.fnUntraced(function* (name: string, method: string, probe: Probe) {
          const ask = Effect.fnUntraced(function* (who: string, { call }: Caller, refused: string | undefined) {
            const leak = leakOf(yield* call(method, probe.path, probe), refused, probe)
            if (leak !== undefined) wrong.push(`${name}, asked by ${who}: ${leak}`)
          })
          for (const [who, caller] of Object.entries(others)) yield* ask(who, caller, probe.refused)
          if (probe.endUser === undefined) return
          yield* ask("another end user", colleague, probe.endUser === "own" ? undefined : probe.endUser)
        })

        for (const { endpoint, method, name, path } of routes) {
          if (open[name] !== undefined || name === last) continue
          const ofRecord = yield* recordProbe(path, endpoint, connectionTo)
          const all = [...(ofRecord === undefined ? [] : [ofRecord]), ...(probes[name] ?? [])]
          if (all.length === 0) wrong.push(`${name} has no probe`)
          for (const probe of all) yield* tried(name, method, probe)
        }
        for (const probe of probes[last] ?? []) yield* tried(last, "DELETE", probe)

        // nothing of the owner's was changed
        const after = new Set(yield* everyRow)
        for (const row of before) {
          if (!after.has(row) && restless[tableOf(row)] === undefined) wrong.push(`others changed ${row}`)
        }
        assert.deepStrictEqual(wrong, [])

        // the owner is told what others are not, or nothing was tried
        const methods = new Map(routes.map(({ method, name }) => [name, method]))
        for (const [name, all] of Object.entries(probes)) {
          for (const probe of all) {
            const answer = yield* owner.call(methods.get(name) ?? "", probe.path, probe)
            const text = JSON.stringify(answer.body ?? "")
            if (answer.status >= 400 || (probe.shows !== undefined && !text.includes(probe.shows))) {
              wrong.push(`${name}, asked by the owner: ${answer.status} ${text.slice(0, 300)}`)
            }
          }
        }
        assert.deepStrictEqual(wrong, [])
      }),
    300_000
  )

  it.effect("is erased and exported with the end user whose it is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = yield* sql<{ readonly table: string; readonly column: string }>`
        select table_name as table, column_name as column from information_schema.columns where table_schema = 'public'`
      const references = yield* sql<{ readonly table: string; readonly target: string }>`
        select conrelid::regclass::text as table, confrelid::regclass::text as target
        from pg_constraint where contype = 'f'`
      const named = columns.flatMap(({ column, table }) => (personal.test(column) ? [table] : []))
      const found = new Set(["end_users", ...named])
      // and whatever hangs on those
      for (let size = -1; size !== found.size;) {
        size = found.size
        for (const { table, target } of references) if (found.has(target)) found.add(table)
      }
      const covered = new Set((yield* PersonalData).all().flatMap(({ tables }) => tables))
      assert.deepStrictEqual(
        [...found].filter((table) => !covered.has(table) && exempt[table] === undefined),
        []
      )
      assert.deepStrictEqual(
        [...covered].filter((table) => !columns.some((one) => one.table === table)),
        [],
        "holdings name tables that there are not"
      )
    })
  )
})
