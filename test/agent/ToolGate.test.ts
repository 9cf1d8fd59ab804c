import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, FastCheck, TestClock } from "effect"
import { ToolCatalogue } from "../../src/agent/ToolCatalogue.ts"
import { InProcess } from "../../src/InProcess.ts"
import {
  type Doc,
  failureOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { connected, doc, docs, modes, workspaceOf } from "./McpClient.ts"
import { All, harmless, seen } from "./TestToolkit.ts"
import { full } from "../support/Full.ts"

/** A caller whose end user has connected the help desk, and a workspace. */
const helped = Effect.gen(function* () {
  const app = yield* SandboxApplication
  const caller = yield* app.caller([])
  const connection = yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
  return { caller, connection, workspace: yield* workspaceOf(caller) }
})

const errorOf = ({ content, isError }: { readonly content: Doc; readonly isError: boolean }) => {
  assert.isTrue(isError, JSON.stringify(content))
  return doc(content.error)
}

/** The audit rows of a workspace's calls, in order. */
const audit = (workspace: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<Doc>`select * from tool_calls where workspace_id = ${workspace} order by created_at, id`
  })

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("the gate before every tool", (it) => {
  it.scoped("an answer is marked as data, without what its reader would not see", () =>
    Effect.gen(function* () {
      const { caller, connection, workspace } = yield* helped
      const { callTool } = yield* connected(caller, workspace)
      const { content } = yield* callTool("helpdesk_get_ticket", { id: "7" })
      assert.deepStrictEqual(content, {
        source: "helpdesk",
        untrusted: true,
        content: { id: "7", connection, body: harmless }
      })
      const file = yield* callTool("helpdesk_get_file")
      assert.deepInclude(file.content, { content: { content: "<p>a</p><!-- a comment -->" } })
    })
  )

  it.scoped("an answer of any size fits, and says what is missing", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const { callTool } = yield* connected(caller, workspace)
      for (const args of [
        { count: 400, size: 200 },
        { count: 10, size: 20_000 },
        { count: 50_000, size: 1000 }
      ]) {
        const { content, isError, text } = yield* callTool("helpdesk_list_tickets", args)
        assert.isFalse(isError)
        assert.isBelow(Buffer.byteLength(String(text)), 50_000)
        assert.deepInclude(content, { truncated: true })
        assert.match(String(content.hint), /limit/)
        assert.match(String(text), /more characters\]|\[\d+ more\]/)
        assert.strictEqual(doc(content.content).next_cursor, "c1")
      }
      const whole = yield* callTool("helpdesk_list_tickets", { count: 100, size: 100 })
      assert.notProperty(whole.content, "truncated")
      assert.lengthOf(docs(doc(whole.content.content).tickets), 100)
    })
  )

  it.scoped("wrong arguments are told all at once, with what they should be", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const { callTool } = yield* connected(caller, workspace)
      const error = errorOf(yield* callTool("helpdesk_create_ticket", { subject: "", urgent: true, milliseconds: "x" }))
      assert.strictEqual(error.code, "invalid_arguments")
      assert.hasAllKeys(error.errors, ["subject", "urgent", "milliseconds"])
      assert.hasAllKeys(doc(doc(error.input_schema).properties), ["subject", "milliseconds", "connection_id"])
      const picked = errorOf(yield* callTool("helpdesk_get_ticket", { id: "1", connection_id: "mine" }))
      assert.deepStrictEqual(picked.errors, { connection_id: "must be the UUID of a connection" })
      const nul = errorOf(yield* callTool("helpdesk_get_ticket", { id: "a\0b" }))
      assert.deepInclude(nul, { code: "invalid_arguments" })
      const provider = errorOf(yield* callTool("crm_get_contact", { id: "1", provider: "xero" }))
      assert.match(String(doc(provider.errors).provider), /one of hubspot/)
    })
  )

  it.scoped("what fails at the provider is told with its status and words, and never with ours", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const { callTool } = yield* connected(caller, workspace)
      const fail = (reason: string) => Effect.map(callTool("helpdesk_fail", { reason }), errorOf)
      assert.deepInclude(yield* fail("limit"), { code: "rate_limited", retry_after: 7 })
      assert.deepInclude(yield* fail("reauth"), { code: "not_connected" })
      assert.deepInclude(yield* fail("forbidden"), { code: "not_permitted" })
      assert.deepInclude(yield* fail("missing"), { code: "provider_error", status: 418 })
      assert.deepInclude(yield* fail("clash"), { code: "provider_error", status: 418 })
      const down = yield* fail("down")
      assert.deepInclude(down, { code: "provider_error", status: 418 })
      assert.match(String(down.message), /in the provider's words/)
      assert.deepInclude(yield* fail("slow"), { code: "timeout" })
      assert.deepStrictEqual(yield* fail("die"), { code: "internal_error", message: "Internal server error." })
    })
  )

  it.scoped("which connection is meant is never guessed", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "salesforce"])
      const workspace = yield* workspaceOf(caller)
      const { callTool } = yield* connected(caller, workspace)
      const record = { last_name: "Ambiguous" }
      const error = errorOf(yield* callTool("crm_create_contact", { record }))
      assert.strictEqual(error.code, "connection_ambiguous")
      assert.sameDeepMembers(
        [...docs(error.choices)].map(({ connection_id, provider }) => [provider, connection_id]),
        Object.entries(caller.connections)
      )
      const made = yield* callTool("crm_create_contact", { record, provider: "salesforce" })
      assert.deepInclude(doc(made.content.content), {
        providerSlug: "salesforce",
        providerId: caller.connections.salesforce
      })
      const connection_id = caller.connections.hubspot
      const other = yield* callTool("crm_create_contact", { record, connection_id })
      assert.deepInclude(doc(other.content.content), { providerSlug: "hubspot", providerId: connection_id })

      const narrowed = yield* connected(caller, workspace, { headers: { "x-connection-id": connection_id } })
      const third = yield* narrowed.callTool("crm_create_contact", { record })
      assert.deepInclude(doc(third.content.content), { providerId: connection_id })
      const denied = errorOf(yield* narrowed.callTool("crm_create_contact", { record, provider: "salesforce" }))
      assert.strictEqual(denied.code, "not_connected")
      const { content } = yield* narrowed.callTool("crm_list_contacts")
      assert.isTrue(docs(doc(content.content).records).every(({ providerId }) => providerId === connection_id))
    })
  )

  full(it).scoped("without an end user, a connection or fresh credentials it says what to do", () =>
    Effect.gen(function* () {
      const { caller, connection, workspace } = yield* helped
      const app = yield* SandboxApplication
      const stranger = yield* app.caller([])
      const call = (options: Parameters<typeof connected>[2], name = "helpdesk_get_ticket", args?: Doc) =>
        Effect.flatMap(connected(caller, workspace, options), ({ callTool }) =>
          Effect.map(callTool(name, args ?? { id: "1" }), errorOf)
        )
      const nobody = yield* call({ headers: { "x-end-user-id": undefined } })
      assert.deepInclude(nobody, { code: "not_connected" })
      assert.match(String(nobody.next), /X-End-User-Id/)
      const unknown = yield* call({ headers: { "x-end-user-id": "nobody yet" } })
      assert.match(String(unknown.next), /manage_connections.*helpdesk/)
      assert.deepInclude(yield* call({}, "crm_get_contact", { id: "1" }), { code: "not_connected" })
      const foreign = yield* (yield* InProcess).connect(stranger.tenancy, stranger.endUser, "helpdesk")
      assert.deepInclude(yield* call({ headers: { "x-connection-id": foreign } }), { code: "not_connected" })
      assert.deepInclude(yield* call({}, "helpdesk_get_ticket", { id: "1", connection_id: foreign }), {
        code: "not_connected"
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update connections set status = 'needs_reauth' where id = ${connection}`
      // what was read a moment ago is given again for 900 ms
      yield* TestClock.adjust("1 second")
      const stale = yield* call({})
      assert.deepInclude(stale, { code: "not_connected" })
      assert.match(String(stale.message), /connected again/)
    })
  )

  full(it).scoped("a tool that changes something is not reached by reading", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const catalogue = yield* ToolCatalogue
      const writes = catalogue.tools().filter(({ hints }) => !hints.readOnly)
      assert.isAbove(writes.length, 80)
      const { callTool } = yield* connected(caller, workspace)
      const spelled = (name: string, i: number) =>
        [name, name.toUpperCase(), name.replaceAll("_", "-"), `functions.${name}`][i % 4] ?? name
      for (let from = 0; from < writes.length; from += 20) {
        const calls = writes.slice(from, from + 20).map(({ name }, i) => {
          const call = { tool: spelled(name, i), arguments: { id: "1", record: {}, subject: "never" } }
          // also through an executor within it
          return i % 2 === 0 ? call : { tool: "execute_tools", arguments: { calls: [call] } }
        })
        const { content, isError } = yield* callTool("execute_read_tools", { calls })
        assert.isTrue(isError)
        const results = docs(content.results)
        assert.lengthOf(results, calls.length)
        for (const { error, tool } of results) assert.strictEqual(doc(error).code, "write_not_allowed", String(tool))
      }
      assert.notInclude(seen.written, "never")
      const { callTool: reading, names } = yield* connected(caller, workspace, {
        headers: { "x-mcp-readonly": "true" }
      })
      assert.deepStrictEqual(yield* names, ["execute_read_tools", "get_tool_schemas", "search_tools"])
      assert.deepInclude(errorOf(yield* reading("helpdesk_close_ticket", { id: "1" })), { code: "not_permitted" })
      assert.deepInclude(
        errorOf(
          yield* reading("execute_tools", { calls: [{ tool: "helpdesk_close_ticket", arguments: { id: "1" } }] })
        ),
        { code: "not_permitted" }
      )
    })
  )

  full(it).scoped("however calls are written and put into one another, reading changes nothing", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const tools = (yield* ToolCatalogue).tools()
      const { callTool } = yield* connected(caller, workspace)
      const written = (name: string) =>
        FastCheck.constantFrom(name, name.toUpperCase(), name.replaceAll("_", "."), ` functions.${name} `)
      const single = FastCheck.constantFrom(...tools.filter(({ hints }) => !hints.readOnly)).chain(({ name }) =>
        FastCheck.record({
          tool: written(name),
          arguments: FastCheck.constantFrom<unknown>({ id: "1", subject: "never" }, '{"subject":"never"}', undefined)
        })
      )
      const nested = FastCheck.record({
        tool: FastCheck.constantFrom("execute_tools", "execute_read_tools").chain(written),
        arguments: FastCheck.array(single, { minLength: 1, maxLength: 3 }).chain((calls) =>
          FastCheck.constantFrom<unknown>({ calls }, JSON.stringify({ calls }))
        )
      })
      const batch = FastCheck.array(FastCheck.oneof(single, nested), { minLength: 1, maxLength: 6 })
      const before = [...seen.written]
      for (const calls of FastCheck.sample(batch, 40)) {
        const { content, isError } = yield* callTool("execute_read_tools", { calls })
        assert.isTrue(isError)
        for (const { error } of docs(content.results)) {
          assert.strictEqual(doc(error).code, "write_not_allowed", JSON.stringify(calls))
        }
      }
      assert.deepStrictEqual(seen.written, before)
    })
  )

  full(it).scoped("every tool says what it does to the world", () =>
    Effect.gen(function* () {
      const catalogue = yield* ToolCatalogue
      const tools = catalogue.tools()
      assert.lengthOf(new Set(tools.map(({ name }) => name)), tools.length)
      for (const { description, hints, inputSchema, name, toolkit } of tools) {
        assert.match(name, new RegExp(`^${toolkit.slug}_[a-z0-9_]+$`))
        assert.isAbove(description.length, 40, name)
        assert.hasAllKeys(hints, ["readOnly", "destructive", "idempotent", "openWorld"], name)
        assert.isFalse(hints.readOnly && hints.destructive, name)
        const schema = inputSchema()
        assert.deepInclude(schema, { type: "object", additionalProperties: false }, name)
        assert.notInclude(JSON.stringify(schema), "$ref", name)
        for (const [field, property] of Object.entries(doc(schema.properties))) {
          assert.property(doc(property), "description", `${name} ${field}`)
        }
      }
    })
  )

  full(it).scoped("one request calls 20 tools at most", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const { callTool } = yield* connected(caller, workspace)
      const call = { tool: "helpdesk_get_ticket", arguments: { id: "1", size: 1 } }
      const many = (count: number) => Array.from({ length: count }, () => call)
      assert.strictEqual((yield* callTool("execute_read_tools", { calls: many(20) })).content.error_count, 0)
      const error = errorOf(yield* callTool("execute_read_tools", { calls: many(21) }))
      assert.deepInclude(error, { code: "invalid_arguments" })
      const nested = yield* callTool("execute_read_tools", {
        calls: [0, 1].map(() => ({ tool: "execute_read_tools", arguments: { calls: many(12) } }))
      })
      assert.strictEqual(nested.content.error_count, 4)
      assert.deepStrictEqual(
        docs(nested.content.results).map(({ ok }) => ok),
        Array.from({ length: 24 }, (_, i) => i < 20)
      )
    })
  )

  it.scoped("a name that no tool can have is neither looked for nor told back", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const { callTool, client } = yield* connected(caller, workspace)
      const long = "x".repeat(129)
      const calls = [{ tool: "x".repeat(20_000) }]
      for (const [name, args, field] of [
        ["execute_read_tools", { calls }, "calls.0.tool"],
        ["execute_tools", { calls: [{ tool: long }] }, "calls.0.tool"],
        ["get_tool_schemas", { tools: [long] }, "tools.0"],
        ["search_tools", { queries: ["x".repeat(501)] }, "queries.0"],
        ["manage_connections", { action: "status", toolkit: long }, "toolkit"]
      ] as const) {
        const answer = yield* callTool(name, args)
        const error = errorOf(answer)
        assert.strictEqual(error.code, "invalid_arguments", name)
        assert.match(String(doc(error.errors)[field]), /1 to (128|500) characters/, name)
        assert.notInclude(String(answer.text), "xxxxx")
      }
      // within another executor it is the call that is wrong
      const nested = yield* callTool("execute_tools", { calls: [{ tool: "execute_tools", arguments: { calls } }] })
      assert.notInclude(String(nested.text), "xxxxx")
      assert.deepInclude(doc(docs(nested.content.results)[0]?.error), { code: "not_permitted" })

      for (const name of [long, "x".repeat(900_000)]) {
        const failed = yield* Effect.flip(Effect.tryPromise(() => client.callTool({ name, arguments: {} })))
        const { error } = failed
        assert.propertyVal(error, "code", -32602)
        assert.match(String(error), /at most 128 characters/)
        assert.notInclude(String(error), "xxxxx")
      }
      assert.deepStrictEqual(
        (yield* audit(workspace))
          .map(({ decision, tool }) => [tool, decision])
          .filter(([tool]) => tool !== "execute_tools"),
        [
          ["(not a name)", "denied"],
          ["(not a name)", "denied"]
        ]
      )
      const narrowed = yield* caller.call("POST", `/mcp/${workspace}`, {
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
        headers: { accept: "application/json, text/event-stream", "x-mcp-tools": `helpdesk_get_ticket,${long}` }
      })
      assert.deepStrictEqual(refusalOf(narrowed), [400, "INVALID_PARAMETER"])
      assert.match(failureOf(narrowed).message, /^x-mcp-tools: .*at most 128/)
      assert.notInclude(failureOf(narrowed).message, "xxxxx")
    })
  )

  full(it).scoped("what was noted of a call is forgotten after 90 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { caller, workspace } = yield* helped
      const { callTool } = yield* connected(caller, workspace)
      yield* callTool("helpdesk_get_ticket", { id: "1" })
      yield* callTool("helpdesk_get_file")
      yield* sql`
        update tool_calls set created_at = now() - interval '1 day' * case tool
          when 'helpdesk_get_ticket' then 91 else 89 end
        where workspace_id = ${workspace}`
      yield* TestClock.adjust("2 hours")
      const left = yield* Effect.repeat(audit(workspace), { until: (rows) => rows.length < 2 })
      assert.deepStrictEqual(
        left.map(({ tool }) => tool),
        ["helpdesk_get_file"]
      )
    })
  )

  full(it).scoped("every call is noted, with nothing of what was sent or answered", () =>
    Effect.gen(function* () {
      const { caller, connection, workspace } = yield* helped
      const { callTool, client } = yield* connected(caller, workspace)
      yield* callTool("helpdesk_get_ticket", { id: "secret ticket" })
      yield* callTool("helpdesk_get_ticket", { id: "secret ticket" })
      yield* callTool("helpdesk_get_ticket", {})
      yield* callTool("crm_delete_contact", { id: "secret contact" })
      yield* callTool("execute_read_tools", { calls: [{ tool: "helpdesk_close_ticket", arguments: { id: "1" } }] })
      yield* Effect.ignore(Effect.tryPromise(() => client.callTool({ name: "helpdesk_steal secret", arguments: {} })))
      const rows = yield* audit(workspace)
      assert.deepStrictEqual(
        rows.map(({ connection_id, decision, outcome, tool, toolkit }) => [
          toolkit,
          tool,
          decision,
          outcome,
          connection_id
        ]),
        [
          ["helpdesk", "helpdesk_get_ticket", "allowed", "ok", connection],
          ["helpdesk", "helpdesk_get_ticket", "allowed", "ok", connection],
          ["helpdesk", "helpdesk_get_ticket", "allowed", "invalid_arguments", connection],
          ["crm", "crm_delete_contact", "allowed", "not_connected", null],
          ["helpdesk", "helpdesk_close_ticket", "denied", "write_not_allowed", null],
          [null, "(not a name)", "denied", "unknown_tool", null]
        ]
      )
      const [first, second, third] = rows.map((row) => String(row.arguments_digest))
      assert.strictEqual(first, second)
      assert.notStrictEqual(first, third)
      for (const row of rows) {
        assert.deepInclude(row, { via: "mcp", end_user: caller.endUser, environment: "sandbox" })
        assert.notMatch(JSON.stringify(row), /secret|Printer/)
        assert.match(String(row.request_id), /^[0-9a-f-]{36}$/)
      }
    })
  )

  full(it).scoped("a write sent again under its key happens once", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const key = { headers: { "idempotency-key": "order-1" } }
      const calls = ["first", "second"].map((subject) => ({ tool: "helpdesk_create_ticket", arguments: { subject } }))
      const before = seen.written.length
      const once = (options: Parameters<typeof connected>[2]) =>
        Effect.flatMap(connected(caller, workspace, options), ({ callTool }) => callTool("execute_tools", { calls }))
      const first = yield* once(key)
      assert.strictEqual(first.content.error_count, 0)
      assert.deepStrictEqual((yield* once(key)).content, first.content)
      assert.lengthOf(seen.written, before + 2)
      yield* once({})
      assert.lengthOf(seen.written, before + 4)
      const other = yield* Effect.flatMap(connected(caller, workspace, key), ({ callTool }) =>
        callTool("helpdesk_create_ticket", { subject: "another" })
      )
      assert.deepInclude(errorOf(other), { code: "not_permitted" })
      assert.lengthOf(seen.written, before + 4)
    })
  )

  full(it).scoped("a caller that goes away ends what reads, and not a write that has begun", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      for (const mode of modes) {
        const leave = (name: string, args: Doc, id: string) =>
          Effect.flatMap(connected(caller, workspace, { mode }), ({ client }) =>
            Effect.promise(async () => {
              const controller = new AbortController()
              const left = client.callTool({ name, arguments: args }, { signal: controller.signal }).then(
                () => "answered",
                () => "left"
              )
              while (!seen.started.has(id)) await new Promise((resolve) => setTimeout(resolve, 5))
              // before 2026 a call cannot be taken back where there are no sessions, but its client can hang up
              if (mode === "auto") controller.abort()
              else await client.close()
              assert.strictEqual(await left, "left")
            })
          )
        yield* leave("helpdesk_wait", { id: mode }, mode)
        yield* Effect.promise(async () => {
          const until = Date.now() + 1000
          while (!seen.interrupted.has(mode) && Date.now() < until)
            await new Promise((resolve) => setTimeout(resolve, 5))
        })
        assert.isTrue(seen.interrupted.has(mode), `${mode}: still running after a second`)
        const subject = `${mode} goes on`
        yield* leave("helpdesk_create_ticket", { subject, milliseconds: 150 }, subject)
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 400)))
        assert.include(seen.written, subject)
      }
      const outcomes = (yield* audit(workspace)).map(({ outcome, tool }) => `${String(tool)} ${String(outcome)}`)
      assert.deepStrictEqual(outcomes.sort(), [
        "helpdesk_create_ticket ok",
        "helpdesk_create_ticket ok",
        "helpdesk_wait interrupted",
        "helpdesk_wait interrupted"
      ])
    })
  )
})

layer(sandboxApplication({ RATE_LIMIT: "8" }, All), { timeout: "60 seconds" })("with a limit of 8 a minute", (it) => {
  it.scoped("the tool calls of an end user are counted one by one", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const { callTool } = yield* connected(caller, workspace, { mode: "legacy" })
      const calls = Array.from({ length: 10 }, () => ({ tool: "helpdesk_get_ticket", arguments: { id: "1", size: 1 } }))
      const { content } = yield* callTool("execute_read_tools", { calls })
      const refused = docs(content.results).filter(({ ok }) => ok === false)
      assert.lengthOf(refused, 2)
      for (const { error } of refused) {
        assert.deepInclude(doc(error), { code: "rate_limited" })
        assert.isAtLeast(Number(doc(error).retry_after), 1)
      }
    })
  )
})
