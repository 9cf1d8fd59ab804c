import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Redacted, Schema } from "effect"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { RequestLog } from "../../src/requests/RequestLog.ts"
import { connected, workspaceOf } from "../agent/McpClient.ts"
import { signIn } from "../console/Visitor.ts"
import { loggedRequest } from "../support/LoggedRequests.ts"
import {
  type Caller,
  type Doc,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const callerOf = (providers: ReadonlyArray<string>) =>
  Effect.flatMap(SandboxApplication, ({ caller }) => caller(providers))

const Calls = Schema.decodeUnknownSync(Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

const found = (caller: Caller, query: string) => Effect.map(caller.call("GET", `/requests?${query}`), pageOf)

const detailsOf = (caller: Caller, id: string): Effect.Effect<Doc> =>
  Effect.map(caller.call("GET", `/requests/${id}`), recordOf)

layer(sandboxApplication({ TRACE_URL: "http://localhost:16686/trace/{traceId}" }), { timeout: "120 seconds" })(
  "why a call failed",
  (it) => {
    it.effect("is told by its id: by whom, with what, where it went and how that ended", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf(["hubspot"])
        const faults = yield* Faults
        yield* faults.add({
          provider: "hubspot",
          path: "/crm/v3/objects/contacts",
          does: { kind: "status", status: 500 },
          times: 9
        })
        const answer = yield* mine.call("GET", "/crm/contact/77?provider=hubspot", {
          headers: { "x-request-id": "why.did.it.fail" }
        })
        yield* faults.clear
        assert.strictEqual(answer.status, 502)
        const one = yield* detailsOf(mine, "why.did.it.fail")
        assert.deepInclude(one, {
          requestId: "why.did.it.fail",
          method: "GET",
          route: "/api/v1/crm/contact/:id",
          status: 502,
          code: "PROVIDER_ERROR",
          message: "hubspot is not available.",
          endUserId: mine.endUser,
          providers: ["hubspot"],
          connectionIds: [mine.connections["hubspot"]],
          resource: "crm/contact",
          recordId: "77",
          idempotencyKey: null,
          callsMade: 3
        })
        assert.match(String(one.traceId), /^[0-9a-f]{32}$/)
        const calls = Calls(one["calls"])
        assert.lengthOf(calls, 3)
        for (const call of calls) {
          assert.deepInclude(call, {
            provider: "hubspot",
            connectionId: mine.connections["hubspot"],
            operation: "contacts.get",
            method: "GET",
            status: 500,
            outcome: "answered"
          })
          assert.isAtLeast(Number(call["milliseconds"]), 0)
        }
      })
    )

    full(it).effect(
      "tells of the token that was renewed for it, and of statements to a database without their text",
      () =>
        Effect.gen(function* () {
          const mine = yield* callerOf(["hubspot", "postgres"])
          const faults = yield* Faults
          yield* faults.add({ provider: "hubspot", does: { kind: "expire" } })
          const answer = yield* mine.call("GET", "/crm/contact?limit=1", {
            headers: { "x-request-id": "renews-its-token" }
          })
          assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
          yield* faults.clear
          const renewed = yield* detailsOf(mine, "renews-its-token")
          assert.deepStrictEqual(
            Calls(renewed["calls"]).map(({ connectionId, method, operation, outcome, provider, status }) => [
              ...[provider, connectionId === mine.connections["hubspot"], method, operation, outcome, status]
            ]),
            [
              ["hubspot", true, "GET", "contacts.list", "answered", 401],
              ["hubspot", true, "POST", "token", "answered", 200],
              ["hubspot", true, "GET", "contacts.list", "answered", 200]
            ]
          )

          const workspace = yield* workspaceOf(mine, { integrations: ["postgres"] })
          const { callTool } = yield* connected(mine, workspace, { headers: { "x-request-id": "asks-a-database" } })
          yield* callTool("postgres_query", { sql: "select 'private-literal' as text" })
          const asked = yield* detailsOf(mine, "asks-a-database")
          assert.deepInclude(asked, { callsMade: 1, providers: ["postgres"] })
          assert.deepInclude(Calls(asked["calls"])[0], {
            provider: "postgres",
            connectionId: mine.connections["postgres"],
            method: "SQL",
            operation: "query",
            status: null,
            outcome: "answered"
          })
          assert.notInclude(JSON.stringify(asked), "private-literal")
          yield* mine.call("POST", `/mcp/${workspace}`, {
            body: {
              jsonrpc: "2.0",
              id: 1,
              method: "tools/call",
              params: { name: "postgres_query", arguments: { sql: "select 1" } }
            },
            headers: { "x-request-id": "asks-and-streams", accept: "application/json, text/event-stream" }
          })
          assert.deepInclude(yield* detailsOf(mine, "asks-and-streams"), { callsMade: 1, providers: ["postgres"] })
          const own = yield* signIn(mine.tenancy.key)
          assert.match(yield* own.read("/console/requests?about=asks-a-database"), /PostgreSQL|postgres/)
        }).pipe(Effect.scoped)
    )

    it.effect("is told of a list that lacks what one provider has, too", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf(["hubspot", "pipedrive"])
        const faults = yield* Faults
        yield* faults.add({ provider: "hubspot", does: { kind: "status", status: 500 }, times: 9 })
        const answer = yield* mine.call("GET", "/crm/contact?limit=4", { headers: { "x-request-id": "lacks-some" } })
        yield* faults.clear
        assert.strictEqual(answer.status, 200)
        assert.deepInclude(yield* detailsOf(mine, "lacks-some"), {
          status: 200,
          code: "PROVIDER_ERROR",
          message: "Answered without hubspot (PROVIDER_ERROR)."
        })
      })
    )

    it.effect("names the provider and the connection where none was reached", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf(["hubspot"])
        const sql = yield* SqlClient.SqlClient
        yield* mine.call("GET", "/crm/contact?provider=pipedrive", { headers: { "x-request-id": "not-connected" } })
        assert.deepInclude(yield* detailsOf(mine, "not-connected"), {
          code: "PROVIDER_NOT_CONNECTED",
          providers: ["pipedrive"],
          connectionIds: [],
          callsMade: 0
        })
        yield* sql`
          update connections set status = 'needs_reauth' where id = ${mine.connections["hubspot"] ?? ""}`
        yield* mine.call("GET", "/crm/deal/1?provider=hubspot", { headers: { "x-request-id": "needs-reauth" } })
        assert.deepInclude(yield* detailsOf(mine, "needs-reauth"), {
          code: "CONNECTION_NEEDS_REAUTH",
          providers: ["hubspot"],
          connectionIds: [mine.connections["hubspot"]],
          resource: "crm/deal",
          callsMade: 0
        })
        const elsewhere = "0b6ffaa2-8a3f-4f52-9c71-000000000000"
        yield* mine.call("GET", "/crm/deal?provider=hubspot", {
          headers: { "x-request-id": "which-connection", "x-connection-id": elsewhere }
        })
        assert.deepInclude(yield* detailsOf(mine, "which-connection"), {
          code: "CONNECTION_NOT_FOUND",
          connectionIds: [elsewhere]
        })
      })
    )

    it.effect("says in its own words what was wrong, and nothing of what was sent", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf(["hubspot"])
        const sql = yield* SqlClient.SqlClient
        const sent = (id: string) => ({ headers: { "x-request-id": id } })
        yield* mine.call("GET", "/crm/contact?limit=private-limit&private-name=1", sent("wrong-query"))
        yield* mine.call("GET", "/crm/private-path", sent("wrong-path"))
        yield* mine.call("GET", "/crm/contact?provider=private-provider", sent("wrong-provider"))
        yield* mine.call("POST", "/crm/contact?provider=hubspot", {
          body: { last_name: 7, first_name: "private-name", "private field": "private-value" },
          ...sent("wrong-body")
        })
        const email = { email_addresses: [{ email_address: "private@example.com" }] }
        for (const id of ["made-once", "made-twice"]) {
          yield* mine.call("POST", "/crm/contact?provider=hubspot", { body: email, ...sent(id) })
        }
        const messages = Object.fromEntries(
          (yield* found(mine, "status=4xx")).data.map(({ message, requestId }) => [requestId, message])
        )
        assert.match(String(messages["wrong-query"]), /limit: must be a whole number from 1 to 100/)
        assert.match(String(messages["wrong-query"]), /…: is not known here/)
        assert.strictEqual(messages["wrong-path"], "There is no crm resource ….")
        assert.match(String(messages["wrong-provider"]), /^provider: there is no crm provider …/)
        assert.strictEqual(messages["wrong-body"], "Some fields of the body are not valid: last_name.")
        const rows = JSON.stringify(yield* sql`select l::text as row from request_log l`)
        assert.notInclude(rows, "private")
      })
    )

    it.effect("is found by everything that is kept of it", () =>
      Effect.gen(function* () {
        const [mine, others] = [yield* callerOf(["hubspot", "quickbooks"]), yield* callerOf([])]
        const made = recordOf(
          yield* mine.call("POST", "/crm/contact?provider=hubspot", {
            body: { last_name: "Found" },
            headers: { "idempotency-key": "the-key", "x-request-id": "made-it-here" }
          })
        )
        yield* mine.call("GET", "/accounting/invoice?limit=1")
        yield* mine.call("GET", "/crm/deal/nowhere?provider=hubspot")
        const routes = (query: string) =>
          Effect.map(found(mine, query), ({ data }) => data.map(({ route }) => String(route).replace("/api/v1", "")))
        const contact = ["/crm/contact"]
        assert.deepStrictEqual(yield* routes(`record_id=${String(made.remote_id)}`), contact)
        assert.deepStrictEqual(yield* routes("resource=crm/contact"), contact)
        assert.deepStrictEqual(yield* routes("provider=quickbooks"), ["/accounting/invoice"])
        assert.deepStrictEqual(yield* routes(`connection=${mine.connections["quickbooks"] ?? ""}`), [
          "/accounting/invoice"
        ])
        assert.deepStrictEqual(yield* routes("code=DEAL_NOT_FOUND"), ["/crm/deal/:id"])
        assert.deepStrictEqual(yield* routes("status=404"), ["/crm/deal/:id"])
        assert.deepStrictEqual(yield* routes("status=5xx"), [])
        assert.deepStrictEqual(yield* routes(`end_user=${mine.endUser}&resource=crm/contact`), contact)
        assert.isEmpty(yield* routes(`end_user=${others.endUser}`))
        assert.strictEqual((yield* detailsOf(mine, "made-it-here"))["idempotencyKey"], "the-key")

        const own = yield* signIn(mine.tenancy.key)
        for (const about of ["made-it-here", String(made.remote_id), mine.connections["hubspot"] ?? ""]) {
          assert.match(yield* own.read(`/console/requests?about=${about}`), /POST \/crm\/contact/)
        }
        assert.match(yield* own.read("/console/requests?about=deal_not_found"), /GET \/crm\/deal\/:id/)
        assert.match(yield* own.read("/console/requests?about=nonsense%20%F0%9F%A6%91"), /No request is like that/)
        const list = String((yield* own.get("/console/requests?about=DEAL_NOT_FOUND")).body)
        const [, path = ""] = /href="[^"]*(\/requests\/\d+)"/.exec(list) ?? []
        const page = yield* own.read(`/console${path}`)
        assert.match(page, /GET \/crm\/deal\/:id .* 404 DEAL_NOT_FOUND deal nowhere was not found\./)
        assert.match(page, /Calls to providers .* HubSpot (GET|POST) deals\.\w+/)
        assert.match(
          String((yield* own.get(`/console${path}`)).body),
          /href="http:\/\/localhost:16686\/trace\/[0-9a-f]{32}"/
        )
        const stranger = yield* signIn(others.tenancy.key)
        assert.strictEqual((yield* stranger.get(`/console${path}`)).status, 404)
      })
    )

    it.effect("is told of a repeat under an idempotency key, too", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf(["quickbooks"])
        const body = { type: "ACCOUNTS_RECEIVABLE", contact: "0b6ffaa2-8a3f-4f52-9c71-000000000000", line_items: [] }
        for (const id of ["refused-once", "refused-again"]) {
          yield* mine.call("POST", "/accounting/invoice?provider=quickbooks", {
            body,
            headers: { "idempotency-key": "one", "x-request-id": id }
          })
        }
        const [first, again] = [yield* detailsOf(mine, "refused-once"), yield* detailsOf(mine, "refused-again")]
        assert.strictEqual(first["code"], "VALIDATION_FAILED")
        assert.strictEqual(again["code"], "VALIDATION_FAILED")
      })
    )

    it.effect("is paged, newest first, and of one's own organisation and environment only", () =>
      Effect.gen(function* () {
        const [mine, others] = [yield* callerOf([]), yield* callerOf([])]
        const log = yield* RequestLog
        const keys = yield* ApiKeys
        const key = mine.tenancy.organisation
        for (let at = 0; at < 5; at += 1) {
          yield* log.note(
            mine.tenancy,
            loggedRequest({ key, at: 1_000 + at, requestId: "chosen-by-two", resource: "crm/contact", record: `${at}` })
          )
        }
        yield* log.note(others.tenancy, loggedRequest({ key, at: 2_000, requestId: "chosen-by-two", record: "theirs" }))
        const seen: Array<unknown> = []
        for (let cursor: string | null = ""; cursor !== null;) {
          const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
          const { data, pagination } = yield* found(mine, `status=ok&resource=crm/contact&limit=2${more}`)
          seen.push(...data.map(({ recordId }) => recordId))
          cursor = pagination.cursor
        }
        assert.deepStrictEqual(seen, ["4", "3", "2", "1", "0"])
        assert.strictEqual((yield* detailsOf(mine, "chosen-by-two"))["recordId"], "4")
        assert.strictEqual((yield* detailsOf(others, "chosen-by-two"))["recordId"], "theirs")
        assert.isEmpty((yield* found(others, "record_id=4")).data)
        const live = yield* keys.create(mine.tenancy.organisation, "production")
        const answer = yield* mine.call("GET", "/requests/chosen-by-two", {
          headers: { authorization: `Bearer ${Redacted.value(live.key)}` }
        })
        assert.strictEqual(answer.status, 404)
      })
    )

    describe("a search that makes no sense", () => {
      for (const [query, said] of [
        ["status=bad", "status: must be ok, failed, 4xx, 5xx or a status such as 409"],
        ["code=NO_SUCH_CODE", "code: must be a code of a failure"],
        ["resource=contact", "resource: must be a resource with its category"],
        ["connection=1", "connection: must be the UUID of a connection"],
        ["provider=Hub%20Spot", "provider: must be the slug"],
        ["end_users=ann", "end_users: is not known here"],
        ["cursor=nonsense", "cursor: is not one this list gave"]
      ] as const) {
        it.effect(`is refused: ${query}`, () =>
          Effect.gen(function* () {
            const mine = yield* callerOf([])
            const answer = yield* mine.call("GET", `/requests?${query}`)
            assert.strictEqual(answer.status, 400)
            assert.include(JSON.stringify(answer.body), said)
          })
        )
      }
    })

    it.effect("needs a key that may look", () =>
      Effect.gen(function* () {
        const mine = yield* callerOf([])
        const keys = yield* ApiKeys
        const reader = yield* keys.create(mine.tenancy.organisation, "sandbox", { scopes: ["records:read"] })
        const headers = { authorization: `Bearer ${Redacted.value(reader.key)}` }
        assert.strictEqual((yield* mine.call("GET", "/requests", { headers })).status, 403)
        assert.strictEqual((yield* mine.call("GET", "/requests/nowhere-to-be-found")).status, 404)
      })
    )
  }
)
