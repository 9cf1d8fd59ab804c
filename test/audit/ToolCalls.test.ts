import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { ToolCalls } from "../../src/audit/ToolCalls.ts"
import { InProcess } from "../../src/InProcess.ts"
import * as Metrics from "../../src/platform/Metrics.ts"
import {
  type Caller,
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  inProduction
} from "../support/SandboxApplication.ts"
import { connected, workspaceOf } from "../agent/McpClient.ts"
import { All } from "../agent/TestToolkit.ts"
import { signIn } from "../console/Visitor.ts"
import { full } from "../support/Full.ts"

/** A caller whose end user has connected the help desk, and a workspace. */
const helped = (body: { readonly [name: string]: unknown } = {}) =>
  Effect.gen(function* () {
    const app = yield* SandboxApplication
    const caller = yield* app.caller([])
    const connection = yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
    return { app, caller, connection, workspace: yield* workspaceOf(caller, body) }
  })

const list = ({ call }: Caller, query = "") =>
  Effect.map(call("GET", `/tool-calls${query}`), (answer) => {
    assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
    return pageOf(answer)
  })

const toolsOf = (page: Effect.Effect.Success<ReturnType<typeof list>>) => page.data.map(({ tool }) => tool)

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("the audit of tool calls", (it) => {
  it.scoped("tells every call of a real tool, refused and pending ones too, and who called it", () =>
    Effect.gen(function* () {
      const { caller, connection, workspace } = yield* helped({ confirm: "destructive" })
      const { callTool } = yield* connected(caller, workspace, { elicit: () => "decline" })
      yield* callTool("search_tools", { queries: ["ticket"] })
      yield* callTool("execute_read_tools", { calls: [{ tool: "helpdesk_get_ticket", arguments: { id: "7" } }] })
      yield* callTool("helpdesk_fail", { reason: "limit" })
      yield* callTool("execute_read_tools", { calls: [{ tool: "helpdesk_close_ticket", arguments: { id: "1" } }] })
      yield* callTool("helpdesk_close_ticket", { id: "1" })
      const { data } = yield* list(caller)
      assert.deepStrictEqual(
        data.map(({ decision, outcome, tool }) => [tool, decision, outcome]),
        [
          ["helpdesk_close_ticket", "denied", "declined"],
          ["helpdesk_close_ticket", "pending", "approval_required"],
          ["helpdesk_close_ticket", "denied", "write_not_allowed"],
          ["helpdesk_fail", "allowed", "rate_limited"],
          ["helpdesk_get_ticket", "allowed", "ok"]
        ]
      )
      for (const one of data) {
        assert.deepInclude(one, {
          environment: "sandbox",
          workspaceId: workspace,
          workspaceName: "Agents",
          endUserId: caller.endUser,
          via: "mcp",
          client: "test/1.0.0",
          toolkit: "helpdesk",
          approvalId: null,
          hasContent: false
        })
        assert.match(String(one.traceId), /^[0-9a-f]{32}$/)
        assert.match(String(one.requestId), /^[0-9a-f-]{36}$/)
        assert.match(String(one.at), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        assert.isAtLeast(Number(one.milliseconds), 0)
      }
      assert.deepStrictEqual(
        data.map(({ connectionId }) => connectionId),
        [null, null, null, connection, connection]
      )
    })
  )

  full(it).scoped("goes on page by page, newest first, and is narrowed by what is asked for", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped()
      const other = yield* workspaceOf(caller)
      const legacy = { mode: "legacy", headers: { "user-agent": "desk/2 (macOS)" } } as const
      const { callTool } = yield* connected(caller, workspace, legacy)
      for (const id of ["1", "2", "3"]) yield* callTool("helpdesk_get_ticket", { id })
      yield* callTool("helpdesk_get_file")
      const between = String((yield* list(caller, "?limit=1")).data[0]?.at)
      yield* Effect.flatMap(connected(caller, other, { headers: { "x-end-user-id": "bob" } }), (bob) =>
        bob.callTool("helpdesk_get_file")
      )
      const first = yield* list(caller, "?limit=2")
      assert.deepStrictEqual(
        first.data.map(({ endUserId }) => endUserId),
        ["bob", caller.endUser]
      )
      assert.strictEqual(first.data[1]?.client, "desk/2 (macOS)")
      const second = yield* list(caller, `?limit=2&cursor=${encodeURIComponent(String(first.pagination.cursor))}`)
      const third = yield* list(caller, `?limit=2&cursor=${encodeURIComponent(String(second.pagination.cursor))}`)
      assert.deepStrictEqual(
        [first, second, third].map(({ data, pagination }) => [data.length, pagination.hasMore]),
        [
          [2, true],
          [2, true],
          [1, false]
        ]
      )
      assert.isNull(third.pagination.cursor)
      assert.lengthOf(new Set([first, second, third].flatMap(({ data }) => data.map(({ id }) => id))), 5)

      for (const [query, tools] of [
        [`?workspaceId=${other}`, ["helpdesk_get_file"]],
        [`?endUserId=bob`, ["helpdesk_get_file"]],
        [`?endUserId=nobody`, []],
        [`?tool=helpdesk_get_file`, ["helpdesk_get_file", "helpdesk_get_file"]],
        [`?tool=helpdesk_get_file&outcome=not_connected`, ["helpdesk_get_file"]],
        [`?outcome=ok&limit=100`, ["helpdesk_get_file", ...Array.from({ length: 3 }, () => "helpdesk_get_ticket")]],
        [`?since=${between}`, ["helpdesk_get_file", "helpdesk_get_file"]],
        [`?since=2100-01-01T00:00:00%2B02:00`, []]
      ] as const) {
        assert.deepStrictEqual(toolsOf(yield* list(caller, query)), [...tools], query)
      }
      // a cursor is good for the filters it was given for
      const cursor = encodeURIComponent(String(first.pagination.cursor))
      const moved = yield* caller.call("GET", `/tool-calls?limit=2&tool=helpdesk_get_file&cursor=${cursor}`)
      assert.deepStrictEqual(refusalOf(moved), [400, "INVALID_CURSOR"])
      for (const [query, told] of [
        ["?outcome=odd", /outcome: must be one of ok, /],
        ["?since=yesterday", /since: must be a date-time/],
        ["?workspaceId=1", /workspaceId: must be the UUID of a workspace/],
        ["?decision=denied", /decision: is not known here/]
      ] as const) {
        const refused = yield* caller.call("GET", `/tool-calls${query}`)
        assert.deepStrictEqual(refusalOf(refused), [400, "INVALID_PARAMETER"])
        assert.match(failureOf(refused).message, told)
      }
    })
  )

  it.scoped("is of the caller's organisation and environment alone", () =>
    Effect.gen(function* () {
      const { app, caller, workspace } = yield* helped()
      const { callTool } = yield* connected(caller, workspace)
      yield* callTool("helpdesk_get_ticket", { id: "7" })
      const [made] = (yield* list(caller)).data
      const path = `/tool-calls/${String(made?.id)}`
      assert.deepInclude(recordOf(yield* caller.call("GET", path)), made ?? {})
      for (const { call } of [yield* app.caller([]), yield* inProduction(caller)]) {
        assert.deepStrictEqual(pageOf(yield* call("GET", "/tool-calls")).data, [])
        assert.deepStrictEqual(refusalOf(yield* call("GET", path)), [404, "TOOL_CALL_NOT_FOUND"])
      }
      assert.deepStrictEqual(refusalOf(yield* caller.call("GET", "/tool-calls/1")), [400, "INVALID_PARAMETER"])
    })
  )

  full(it).scoped("keeps arguments and answers where a workspace says so, sealed, for as long as it says", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { caller, workspace } = yield* helped({ keepContentDays: 30 })
      const { callTool } = yield* connected(caller, workspace)
      const answer = yield* callTool("helpdesk_get_ticket", { id: "secret ticket" })
      yield* callTool("helpdesk_get_ticket", { id: "secret ticket", urgent: true })
      const { data } = yield* list(caller)
      const details = yield* Effect.forEach(data, ({ id }) =>
        Effect.map(caller.call("GET", `/tool-calls/${String(id)}`), recordOf)
      )
      assert.deepInclude(details[1], {
        hasContent: true,
        arguments: { id: "secret ticket" },
        answer: answer.content
      })
      assert.deepInclude(details[0]?.arguments, { urgent: true })
      assert.deepInclude(details[0]?.answer, { code: "invalid_arguments" })
      const [row] = yield* sql<{ readonly text: string }>`
        select string_agg(to_jsonb(t)::text, ' ') as text from tool_calls t where workspace_id = ${workspace}`
      assert.notMatch(row?.text ?? "", /secret|Printer/)
      assert.include(JSON.stringify((yield* caller.call("GET", `/end-users/${caller.endUser}/export`)).body), "secret")
      assert.deepInclude(yield* (yield* ToolCalls).rotateEncryption, { remaining: [] })

      // what is older than the workspace keeps is not told, and then erased
      const shortened = { body: { keepContentDays: 1 } }
      yield* sql`
        update tool_calls set created_at = now() - interval '25 hours'
        where id = ${String(data[1]?.id)}`
      assert.deepInclude(recordOf(yield* caller.call("GET", `/tool-calls/${String(data[1]?.id)}`)), {
        hasContent: true
      })
      const changed = yield* caller.call("PATCH", `/mcp/workspaces/${workspace}`, shortened)
      assert.deepInclude(recordOf(changed), { keepContentDays: 1 })
      assert.deepInclude(recordOf(yield* caller.call("GET", `/tool-calls/${String(data[1]?.id)}`)), {
        hasContent: false,
        arguments: null,
        answer: null
      })
      yield* TestClock.adjust("2 hours")
      const left = sql`select id from tool_calls where workspace_id = ${workspace} and content is not null`
      const rows = yield* Effect.repeat(left, { until: (found) => found.length < 2 })
      assert.deepStrictEqual(rows, [{ id: data[0]?.id }])
      assert.lengthOf((yield* list(caller)).data, 2)

      for (const days of [-1, 91, 1.5, "7"]) {
        const refused = yield* caller.call("PATCH", `/mcp/workspaces/${workspace}`, { body: { keepContentDays: days } })
        assert.deepStrictEqual(errorsOf(refused), { keepContentDays: "must be a whole number from 0 to 90" })
      }
    })
  )

  it.scoped("is erased with the end user", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped({ keepContentDays: 30 })
      const { callTool } = yield* connected(caller, workspace)
      yield* callTool("helpdesk_get_ticket", { id: "7" })
      const erased = recordOf(yield* caller.call("DELETE", `/end-users/${caller.endUser}`))
      assert.deepInclude(erased.erased, { toolCalls: 1 })
      assert.deepStrictEqual((yield* list(caller)).data, [])
    })
  )

  it.scoped("is counted by toolkit and outcome", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped()
      const count = (labels: string) =>
        Effect.map(Metrics.render, (text) =>
          Number(
            text
              .split("\n")
              .find((line) => line.startsWith(`tool_calls_total{${labels}}`))
              ?.split(" ")[1] ?? 0
          )
        )
      const labels = 'toolkit="helpdesk",outcome="rate_limited"'
      const before = yield* count(labels)
      const { callTool } = yield* connected(caller, workspace)
      yield* callTool("helpdesk_fail", { reason: "limit" })
      assert.strictEqual(yield* count(labels), before + 1)
    })
  )

  it.scoped("is shown in the console, and what came from outside is text", () =>
    Effect.gen(function* () {
      const { app, caller, workspace } = yield* helped({ name: "<b>Bots</b>" })
      const own = yield* signIn(caller.tenancy.key)
      assert.include(yield* own.read("/console/tool-calls"), "No tool was called yet")
      const headers = { "user-agent": "<script>alert(1)</script>" }
      const { callTool } = yield* connected(caller, workspace, { mode: "legacy", headers })
      yield* callTool("helpdesk_get_ticket", { id: "secret" })
      yield* callTool("helpdesk_fail", { reason: "down" })
      const text = yield* own.read("/console/tool-calls")
      assert.match(
        text,
        /helpdesk_fail in <b>Bots<\/b>, over MCP, by <script>.* Provider error .*helpdesk_get_ticket .* OK/
      )
      assert.notInclude(text, "secret")
      assert.notMatch(String((yield* own.get("/console/tool-calls")).body), /<script>alert|<b>Bots/)
      const filtered = yield* own.read(`/console/tool-calls?outcome=ok&workspaceId=${workspace}&tool=&endUserId=`)
      assert.include(filtered, "helpdesk_get_ticket")
      assert.notInclude(filtered, "helpdesk_fail")
      assert.include(yield* own.read("/console/tool-calls?tool=nothing"), "No call is like that")
      assert.strictEqual((yield* own.get("/console/tool-calls?outcome=odd")).status, 400)
      assert.strictEqual((yield* own.get("/console/tool-calls?before=1")).status, 400)
      const stranger = yield* signIn((yield* app.caller([])).tenancy.key)
      assert.include(yield* stranger.read("/console/tool-calls"), "No tool was called yet")
    })
  )
})
