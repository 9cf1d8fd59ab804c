import { HttpClient, HttpClientResponse, HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Logger, LogLevel } from "effect"
import { createServer } from "node:http"
import { ChatSessions } from "../../src/agent/ChatSessions.ts"
import { All } from "../../src/All.ts"
import { services } from "../../src/Application.ts"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import { routes } from "../../src/Http.ts"
import { routerConfig } from "../../src/RouteTable.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import * as Migrations from "../../src/platform/Migrations.ts"
import { RateLimiter } from "../../src/platform/RateLimiter.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { Simulators, simulators } from "../../src/Simulators.ts"
import { type Facts, losses, releases, restore, rowCounts } from "../support/Release.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** Results of the upgrade: how far times moved, and the rows of each table before and after. */
class Upgraded extends Context.Tag("tributary/test/Upgraded")<
  Upgraded,
  {
    readonly moved: number
    readonly before: ReadonlyMap<string, number>
    readonly after: ReadonlyMap<string, number>
  }
>() {}

const upgrade = (release: Facts) =>
  Layer.effect(
    Upgraded,
    Effect.gen(function* () {
      const moved = yield* restore(release)
      const before = yield* rowCounts
      yield* Migrations.run
      return { moved, before, after: yield* rowCounts }
    }).pipe(Effect.orDie)
  )

/** HubSpot of production, which knows one token. */
const hubspot = (token: string) => {
  const contact = {
    id: "501",
    properties: { firstname: "Live", lastname: "Account", createdate: "2026-01-01T00:00:00Z" },
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
    archived: false
  }
  return HttpClient.make((request) =>
    Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        request.headers["authorization"] === `Bearer ${token}`
          ? Response.json({ results: [contact] })
          : new Response("{}", { status: 401 })
      )
    )
  )
}

/** The present application, on a port, over a release's database, with the release's keys. */
const applicationOn = (release: Facts) => {
  const config = new Map([
    ["ENCRYPTION_KEYS", release.encryptionKeys],
    ["RATE_LIMIT", "0"]
  ])
  return HttpLayerRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
    Layer.provideMerge(Layer.mergeAll(All, Simulators, Sandbox.layer(simulators))),
    Layer.provideMerge(services),
    Layer.provideMerge(
      Layer.mergeAll(SimulationStore.layerSql, Faults.layer, Encryption.layer, RateLimiter.layerMemory)
    ),
    Layer.provideMerge(upgrade(release)),
    Layer.provideMerge(TestDatabase.ownLayer),
    Layer.provide(
      Layer.merge(
        Layer.succeed(HttpClient.HttpClient, hubspot(release.liveToken)),
        Logger.minimumLogLevel(LogLevel.Error)
      )
    ),
    Layer.provide(
      Layer.setConfigProvider(ConfigProvider.fromMap(config).pipe(ConfigProvider.orElse(ConfigProvider.fromEnv)))
    )
  )
}

interface Sent {
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
}

const send = Effect.fnUntraced(function* (method: string, path: string, { body, headers = {} }: Sent = {}) {
  const address = yield* HttpServer.addressFormattedWith(Effect.succeed)
  return yield* Effect.promise(async () => {
    const response = await fetch(address + path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("application/json") === true
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  })
})

for (const release of releases) {
  /** One call as somebody of the fixture. */
  const call = (who: string, method: string, path: string, { body, headers = {} }: Sent = {}) => {
    const { endUser, key } = release.callers[who] ?? assert.fail(`nobody is called ${who}`)
    return send(method, `/api/v1${path}`, {
      body,
      headers: { authorization: `Bearer ${key}`, "x-end-user-id": endUser, ...headers }
    })
  }

  describe(`an installation of ${release.version}`, () => {
    layer(applicationOn(release), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
      it.effect("loses no row to the migrations", () =>
        Effect.gen(function* () {
          const { after, before } = yield* Upgraded
          for (const [table, rows] of before) assert.isAtLeast(after.get(table) ?? 0, rows, table)
          for (const table of [
            "connections",
            "simulated_records",
            "tool_calls",
            "request_log",
            "idempotency_entries"
          ]) {
            assert.isAbove(before.get(table) ?? 0, 0, table)
          }
        })
      )

      for (const { answer, as, path, status } of release.reads) {
        it.effect(`answers ${as} as before: ${path.slice(0, 70)}`, () =>
          Effect.gen(function* () {
            const { moved } = yield* Upgraded
            const now = yield* call(as, "GET", path)
            assert.strictEqual(now.status, status, now.text)
            assert.deepStrictEqual(losses(answer, now.json, moved), [])
          })
        )
      }

      for (const { answer, as, body, key, method, path, status } of release.writes) {
        it.effect(`repeats what it answered to ${method} ${path}`, () =>
          Effect.gen(function* () {
            const now = yield* call(as, method, path, { body, headers: { "idempotency-key": key } })
            assert.strictEqual(now.status, status, now.text)
            assert.strictEqual(now.headers.get("idempotency-replayed"), "true")
            assert.deepStrictEqual(losses(answer, now.json, 0), [])
          })
        )
      }

      it.effect("goes on refusing a revoked key, an archived workspace and other organisations", () =>
        Effect.gen(function* () {
          assert.strictEqual((yield* call("revoked", "GET", "/crm/contact")).status, 401)
          const patched = { body: { name: "Anew" } }
          assert.strictEqual((yield* call("ann", "PATCH", `/mcp/workspaces/${release.archived}`, patched)).status, 404)
          assert.strictEqual(
            (yield* call("other", "PATCH", `/mcp/workspaces/${release.workspace}`, patched)).status,
            404
          )
        })
      )

      it.effect("goes on with a chat that it remembers, for whom it was with", () =>
        Effect.gen(function* () {
          const { organisation, environment } = yield* tenantOf(release)
          const open = Effect.flatMap(ChatSessions, (sessions) =>
            sessions.open({
              tenant: { organisation, environment },
              id: release.chat,
              workspace: release.workspace,
              endUser: "ann"
            })
          )
          const before = (yield* open).messages
          assert.isAtLeast(before.length, 4)
          assert.include(JSON.stringify(before), "List 3 contacts")
          const say = (who: string) =>
            call(who, "POST", `/mcp/${release.workspace}/chat`, {
              body: { message: "List 3 contacts" },
              headers: { "x-session-id": release.chat }
            })
          assert.strictEqual((yield* say("ann")).status, 200)
          assert.isAbove((yield* open).messages.length, before.length)
          assert.strictEqual((yield* say("bob")).status, 404)
        })
      )

      it.effect("lets an end user finish what they began to connect", () =>
        Effect.gen(function* () {
          const { attempt, choice, token } = release.session
          const headers = { authorization: `Bearer ${token}` }
          const chosen = yield* send("POST", `/connect/session/attempts/${attempt}/choice`, {
            body: { value: choice.value },
            headers
          })
          assert.strictEqual(chosen.json?.data?.status, "connected", chosen.text)
          const listed = yield* call("bob", "GET", "/accounting/contact?provider=xero&limit=2")
          assert.lengthOf(listed.json?.data?.data, 2, listed.text)
        })
      )

      it.effect("keeps who is signed in at the console, and the key that is waiting to be read", () =>
        Effect.gen(function* () {
          const page = yield* send("GET", "/console/keys", {
            headers: { cookie: release.console.cookie, "sec-fetch-site": "same-origin" }
          })
          assert.strictEqual(page.status, 200)
          const [key = ""] = /sk_test_[\w-]{20,}/.exec(page.text) ?? []
          const listed = yield* send("GET", "/api/v1/connections", { headers: { authorization: `Bearer ${key}` } })
          assert.strictEqual(listed.status, 200, listed.text)
        })
      )

      it.effect("opens the accounts of toolkits", () =>
        Effect.gen(function* () {
          for (const name of ["github_list_repositories", "jira_list_projects", "linear_list_teams"]) {
            const answer = yield* call("ann", "POST", `/mcp/${release.workspace}`, {
              body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } },
              headers: { accept: "application/json, text/event-stream" }
            })
            assert.strictEqual(answer.status, 200)
            assert.include(answer.text, `"id":`)
            assert.notInclude(answer.text, `"isError":true`)
          }
        })
      )

      it.effect("writes to the accounts that it kept", () =>
        Effect.gen(function* () {
          const made = yield* call("ann", "POST", "/crm/contact?provider=hubspot", { body: { last_name: "Upgraded" } })
          assert.strictEqual(made.status, 201, made.text)
          const read = yield* call("ann", "GET", `/crm/contact/${made.json?.data?.remote_id}?provider=hubspot`)
          assert.strictEqual(read.json?.data?.last_name, "Upgraded")
        })
      )
    })
  })
}

/** The organisation and environment that a chat of the fixture is of. */
const tenantOf = (release: Facts) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly organisation: string }>`
      select organisation_id as organisation from chat_sessions where session_id = ${release.chat}`
    return { organisation: row?.organisation ?? "", environment: "sandbox" as const }
  })
