import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, TestClock } from "effect"
import { createServer } from "node:http"
import { routes } from "../../src/Http.ts"
import { routerConfig } from "../../src/RouteTable.ts"
import {
  failureOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  inProduction
} from "../support/SandboxApplication.ts"
import { InProcess } from "../../src/InProcess.ts"
import { connected, doc, docs, modes, workspaceOf } from "./McpClient.ts"
import { All, seen } from "./TestToolkit.ts"
import { full } from "../support/Full.ts"

const routerTools = [
  "execute_destructive_tools",
  "execute_read_tools",
  "execute_tools",
  "get_tool_schemas",
  "manage_connections",
  "search_tools"
]

const helped = Effect.gen(function* () {
  const app = yield* SandboxApplication
  const caller = yield* app.caller([])
  yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
  return caller
})

/** A message as the clients of 2025 send it. */
const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params })
/** Facts about the sender in a message of revision 2026-07-28. */
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} }
}

const mcpHeaders = { accept: "application/json, text/event-stream" }

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("the tool runtime", (it) => {
  for (const mode of modes) {
    it.scoped(`a client in ${mode} mode lists, searches and calls`, () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const caller = yield* app.caller(["hubspot", "quickbooks"])
        const { callTool, client, names } = yield* connected(caller, yield* workspaceOf(caller), { mode })
        assert.deepStrictEqual(client.getServerVersion()?.name, "tributary")
        assert.match(client.getInstructions() ?? "", /search_tools/)
        assert.deepStrictEqual(yield* names, routerTools)
        const found = yield* callTool("search_tools", { queries: ["list contacts of the crm"] })
        assert.strictEqual(docs(docs(found.content.results)[0]?.tools)[0]?.name, "crm_list_contacts")
        const listed = yield* callTool("crm_list_contacts", { limit: 3, fields: ["first_name"] })
        assert.isFalse(listed.isError)
        assert.strictEqual(listed.text, JSON.stringify(listed.content))
        assert.deepInclude(listed.content, { source: "crm", untrusted: true })
        const { has_more, next_cursor, records } = doc(listed.content.content)
        assert.lengthOf(docs(records), 3)
        assert.isTrue(has_more)
        const next = yield* callTool("crm_list_contacts", { limit: 3, cursor: next_cursor })
        const ids = [...docs(records), ...docs(doc(next.content.content).records)].map(({ remote_id }) => remote_id)
        assert.lengthOf(new Set(ids), 6)
        const invoices = yield* callTool("accounting_list_invoices", { created_after: "2020-01-01" })
        assert.isAbove(docs(doc(invoices.content.content).records).length, 0)
      })
    )

    it.scoped(`in ${mode} mode a small workspace lists its own tools, with honest annotations`, () =>
      Effect.gen(function* () {
        const caller = yield* helped
        const workspace = yield* workspaceOf(caller, { integrations: ["helpdesk"] })
        const { callTool, client, names } = yield* connected(caller, workspace, { mode })
        const listed = yield* names
        assert.deepStrictEqual(listed, [...listed].sort())
        assert.includeMembers(listed, [...routerTools, "helpdesk_close_ticket", "helpdesk_get_ticket"])
        const { tools } = yield* Effect.promise(() => client.listTools())
        const hints = (name: string) => tools.find((one) => one.name === name)?.annotations
        assert.deepInclude(hints("helpdesk_close_ticket"), {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
          openWorldHint: true
        })
        assert.deepInclude(hints("helpdesk_get_ticket"), { readOnlyHint: true, destructiveHint: false })
        assert.deepInclude(hints("execute_read_tools"), { readOnlyHint: true, destructiveHint: false })
        assert.deepInclude(hints("execute_tools"), { readOnlyHint: false, destructiveHint: false })
        assert.deepInclude(hints("execute_destructive_tools"), { readOnlyHint: false, destructiveHint: true })
        // it would ask for structured content each time
        for (const tool of tools) assert.isUndefined(tool.outputSchema, tool.name)
        const outside = yield* callTool("crm_list_contacts")
        assert.deepInclude(doc(outside.content.error), { code: "not_permitted" })
      })
    )

    it.scoped(`in ${mode} mode a large answer travels once, and a small one for programs too`, () =>
      Effect.gen(function* () {
        const caller = yield* helped
        const { callTool } = yield* connected(caller, yield* workspaceOf(caller), { mode })
        const calls = [{ tool: "helpdesk_list_tickets", arguments: { count: 40, size: 1000 } }]
        for (const large of [
          yield* callTool("execute_read_tools", { calls }),
          yield* callTool("helpdesk_list_tickets", { count: 40, size: 1000 })
        ]) {
          assert.isAbove(String(large.text).length, 40_000)
          assert.isUndefined(large.structured)
        }
        const small = yield* callTool("helpdesk_get_ticket", { id: "9" })
        assert.deepInclude(doc(small.content.content), { id: "9" })
        assert.deepStrictEqual(small.structured, small.content)
      })
    )

    it.scoped(`in ${mode} mode a tool that is not there is an error of the protocol that says what is meant`, () =>
      Effect.gen(function* () {
        const caller = yield* helped
        const { client } = yield* connected(caller, yield* workspaceOf(caller), { mode })
        const failed = yield* Effect.promise(() =>
          client.callTool({ name: "helpdesk_fetch_ticket", arguments: {} }).then(
            () => new Error("it was answered"),
            (error: unknown) => (error instanceof Error ? error : new Error("it failed with no error"))
          )
        )
        assert.propertyVal(failed, "code", -32602)
        assert.match(failed.message, /Did you mean .*helpdesk_get_ticket/)
      })
    )
  }

  it.effect("who is not let in gets the service's envelope", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([])
      const stranger = yield* app.caller([])
      const live = yield* inProduction(caller)
      const id = yield* workspaceOf(caller)
      const archived = yield* workspaceOf(caller)
      yield* caller.call("DELETE", `/mcp/workspaces/${archived}`)
      const options = { body: rpc("ping"), headers: mcpHeaders }

      const nobody = yield* app.send("POST", `/api/v1/mcp/${id}`, options)
      assert.deepStrictEqual(refusalOf(nobody), [401, "INVALID_API_KEY"])
      assert.match(nobody.headers.get("www-authenticate") ?? "", /^Bearer/)
      for (const [who, workspace] of [
        [stranger, id],
        [live, id],
        [caller, archived],
        [caller, "00000000-0000-4000-8000-000000000000"]
      ] as const) {
        const answer = yield* who.call("POST", `/mcp/${workspace}`, options)
        assert.deepStrictEqual(refusalOf(answer), [404, "WORKSPACE_NOT_FOUND"])
        assert.strictEqual(failureOf(answer).message, `workspace ${workspace} not found`)
      }
      assert.deepStrictEqual(refusalOf(yield* caller.call("POST", "/mcp/mine", options)), [400, "INVALID_PARAMETER"])
      for (const method of ["GET", "DELETE", "PUT"]) {
        const answer = yield* caller.call(method, `/mcp/${id}`)
        assert.deepStrictEqual(refusalOf(answer), [405, "OPERATION_NOT_SUPPORTED"], method)
        assert.strictEqual(answer.headers.get("allow"), "POST")
      }
      for (const [headers, query] of [
        [{ "x-mcp-readonly": "yes" }, ""],
        [{ "x-mcp-tools": "helpdesk_get_ticket,helpdesk_nothing" }, ""],
        [{ "x-connection-id": "mine" }, ""],
        [{}, "?user=1"],
        [{}, "?end_user_id=another"],
        [{ "idempotency-key": "k".repeat(256) }, ""]
      ] as const) {
        const answer = yield* caller.call("POST", `/mcp/${id}${query}`, {
          ...options,
          headers: { ...mcpHeaders, ...headers }
        })
        assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"], JSON.stringify([headers, query]))
      }
    })
  )

  it.effect("pages of other origins are refused", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const id = recordOf(yield* call("POST", "/mcp/workspaces", { body: { name: "x" } })).id
      const from = (origin: string) =>
        Effect.map(
          call("POST", `/mcp/${String(id)}`, { body: rpc("ping"), headers: { ...mcpHeaders, origin } }),
          ({ status }) => status
        )
      for (const origin of ["http://localhost:6274", "http://127.0.0.1", "https://localhost"]) {
        assert.strictEqual(yield* from(origin), 200, origin)
      }
      for (const origin of ["https://evil.example", "http://localhost.evil.example", "null", "file://", "nonsense"]) {
        assert.strictEqual(yield* from(origin), 403, origin)
      }
      // before anything else of the request is looked at
      const faulty = yield* call("POST", `/mcp/${String(id)}?unknown=1`, {
        body: "{",
        headers: { ...mcpHeaders, origin: "https://evil.example", "x-mcp-readonly": "x" }
      })
      assert.deepStrictEqual(refusalOf(faulty), [403, "FORBIDDEN"])
    })
  )

  it.effect("bodies that are no messages are refused", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const id = recordOf(yield* call("POST", "/mcp/workspaces", { body: { name: "x" } })).id
      const send = (body: unknown, headers = {}) =>
        call("POST", `/mcp/${String(id)}`, { body, headers: { ...mcpHeaders, ...headers } })
      const big = yield* send(rpc("tools/call", { name: "x", arguments: { text: "x".repeat(1024 * 1024) } }))
      assert.deepStrictEqual(refusalOf(big), [413, "PAYLOAD_TOO_LARGE"])
      const many = Array.from({ length: 50 }, () => Array.from({ length: 900 }, () => 0))
      const full = yield* send(rpc("tools/call", { name: "x", arguments: { many } }))
      assert.deepStrictEqual(refusalOf(full), [422, "VALIDATION_FAILED"])
      const broken = yield* send("{")
      assert.strictEqual(broken.status, 400)
      assert.deepInclude(doc(doc(broken.body).error), { code: -32700 })
      assert.strictEqual((yield* send("a=b", { "content-type": "application/x-www-form-urlencoded" })).status, 415)
      assert.strictEqual((yield* send({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202)
    })
  )

  it.effect("several messages in one request are refused", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const caller = yield* helped
      const workspace = yield* workspaceOf(caller)
      const connect = rpc("tools/call", {
        name: "manage_connections",
        arguments: { action: "connect", toolkit: "helpdesk" }
      })
      for (const body of [[], [connect], [connect, { ...connect, id: 2 }], ` \n[${JSON.stringify(connect)}]`]) {
        const answer = yield* caller.call("POST", `/mcp/${workspace}`, {
          body,
          headers: { ...mcpHeaders, "content-type": "application/json" }
        })
        assert.strictEqual(answer.status, 400)
        assert.deepInclude(doc(doc(answer.body).error), { code: -32600 })
      }
      assert.deepStrictEqual(
        yield* sql`select id from connect_sessions where organisation_id = ${caller.tenancy.organisation}`,
        []
      )
    })
  )

  it.effect("what the service did not expect is not told in its own words", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const caller = yield* (yield* SandboxApplication).caller([], { environment: "production" })
      const workspace = yield* workspaceOf(caller)
      yield* sql`alter table connect_sessions rename to broken`
      const answer = yield* caller
        .call("POST", `/mcp/${workspace}`, {
          body: rpc("tools/call", {
            name: "manage_connections",
            arguments: { action: "connect", toolkit: "helpdesk" }
          }),
          headers: mcpHeaders
        })
        .pipe(Effect.ensuring(Effect.orDie(sql`alter table broken rename to connect_sessions`)))
      const { error } = doc(JSON.parse(/^data: (.*)$/m.exec(String(answer.body))?.[1] ?? JSON.stringify(answer.body)))
      assert.deepStrictEqual(error, { code: -32603, message: "Internal error" })
    })
  )

  it.scoped("the end user may be in the address", () =>
    Effect.gen(function* () {
      const caller = yield* helped
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller), {
        headers: { "x-end-user-id": undefined },
        query: `?end_user_id=${caller.endUser}`
      })
      assert.isFalse((yield* callTool("helpdesk_get_ticket", { id: "1" })).isError)
    })
  )

  it.scoped("a request may narrow its tools, and only that", () =>
    Effect.gen(function* () {
      const caller = yield* helped
      const { callTool, names } = yield* connected(caller, yield* workspaceOf(caller), {
        headers: { "x-mcp-tools": "helpdesk_get_ticket, Helpdesk-Close-Ticket", "x-mcp-readonly": "true" }
      })
      assert.deepStrictEqual(yield* names, [
        "execute_read_tools",
        "get_tool_schemas",
        "helpdesk_get_ticket",
        "search_tools"
      ])
      assert.isFalse((yield* callTool("helpdesk_get_ticket", { id: "1" })).isError)
      const { content } = yield* callTool("helpdesk_list_tickets", { count: 1, size: 1 })
      assert.deepInclude(doc(content.error), { code: "not_permitted" })
      const found = yield* callTool("search_tools", { queries: ["ticket"] })
      assert.deepStrictEqual(
        docs(docs(found.content.results)[0]?.tools).map(({ name }) => name),
        ["helpdesk_get_ticket"]
      )
    })
  )

  it.scoped("a client that can ask its user has to, before something is changed or removed", () =>
    Effect.gen(function* () {
      const caller = yield* helped
      const workspace = yield* workspaceOf(caller, { confirm: "destructive" })
      const asked: Array<string> = []
      const asking = (answer: "accept" | "decline") =>
        connected(caller, workspace, {
          elicit: (message) => {
            asked.push(message)
            return answer
          }
        })
      const close = { tool: "helpdesk_close_ticket", arguments: { id: "asked-1" } }
      const create = { tool: "helpdesk_create_ticket", arguments: { subject: "asked-2" } }

      const { callTool: declined } = yield* asking("decline")
      for (const [name, args] of [
        ["helpdesk_close_ticket", close.arguments],
        ["execute_destructive_tools", { calls: [create, close] }]
      ] as const) {
        const { content, isError } = yield* declined(name, args)
        assert.isTrue(isError)
        assert.match(String(doc(content.error).message), /declined/)
      }
      assert.lengthOf(asked, 2)
      assert.match(asked[1] ?? "", /helpdesk_close_ticket.*asked-1/)
      assert.notMatch(asked[1] ?? "", /asked-2/)
      assert.notInclude(seen.written, "asked-1")

      const { callTool: accepted } = yield* asking("accept")
      assert.isFalse((yield* accepted("execute_destructive_tools", { calls: [close] })).isError)
      assert.include(seen.written, "asked-1")
      assert.lengthOf(asked, 3)
      // what only adds, or reads, is not asked about
      assert.isFalse((yield* accepted("helpdesk_create_ticket", create.arguments)).isError)
      assert.isFalse((yield* accepted("helpdesk_get_ticket", { id: "1" })).isError)
      assert.lengthOf(asked, 3)

      const { callTool: mute } = yield* connected(caller, workspace)
      const { content, isError } = yield* mute("helpdesk_close_ticket", { id: "mute" })
      assert.isTrue(isError)
      assert.deepInclude(doc(content.error), { code: "approval_required" })
      assert.notInclude(seen.written, "mute")
      yield* caller.call("PATCH", `/mcp/workspaces/${workspace}`, { body: { confirm: "never" } })
      assert.isFalse((yield* declined("helpdesk_close_ticket", { id: "never asked" })).isError)
      assert.lengthOf(asked, 3)
    })
  )

  it.scoped("a consent counts once, for the call that it was asked for", () =>
    Effect.gen(function* () {
      const caller = yield* helped
      const workspace = yield* workspaceOf(caller, { confirm: "destructive" })
      const send = (id: string, more: object = {}) =>
        Effect.map(
          caller.call("POST", `/mcp/${workspace}`, {
            body: rpc("tools/call", { name: "helpdesk_close_ticket", arguments: { id }, _meta: meta, ...more }),
            headers: {
              ...mcpHeaders,
              "mcp-protocol-version": "2026-07-28",
              "mcp-method": "tools/call",
              "mcp-name": "helpdesk_close_ticket"
            }
          }),
          ({ body }) => doc(JSON.parse(/^data: (.*)$/m.exec(String(body))?.[1] ?? JSON.stringify(body)))
        )
      const question = doc((yield* send("one")).result)
      assert.strictEqual(question.resultType, "input_required")
      const consent = {
        requestState: question.requestState,
        inputResponses: { confirm: { action: "accept", content: { confirm: true } } }
      }
      const refused = { code: -32602 }
      assert.deepInclude(doc((yield* send("another", consent)).error), refused)
      assert.deepInclude(
        doc((yield* send("one", { ...consent, requestState: `${String(question.requestState)}x` })).error),
        refused
      )
      assert.notInclude(seen.written, "one")
      assert.strictEqual(
        doc((yield* send("one", { requestState: question.requestState })).result).resultType,
        "input_required",
        "without an answer it is asked again"
      )
      assert.deepInclude(doc((yield* send("one", consent)).result), { isError: false })
      assert.deepInclude(doc((yield* send("one", consent)).error), refused)
      assert.deepStrictEqual(
        seen.written.filter((id) => id === "one"),
        ["one"]
      )
      // an answer to a question that was never asked
      assert.strictEqual(
        doc((yield* send("two", { inputResponses: consent.inputResponses })).result).resultType,
        "input_required"
      )
    })
  )

  full(it).scoped("two keys and two workspaces at once do not see each other", () =>
    Effect.gen(function* () {
      const one = yield* helped
      const other = yield* helped
      const workspaces = [
        [one, yield* workspaceOf(one, { integrations: ["helpdesk"] })],
        [one, yield* workspaceOf(one, { integrations: ["crm"] })],
        [other, yield* workspaceOf(other, { integrations: ["helpdesk"] })],
        [other, yield* workspaceOf(other, { integrations: ["accounting"] })]
      ] as const
      const clients = yield* Effect.forEach(
        workspaces,
        ([caller, workspace], i) =>
          Effect.map(connected(caller, workspace, { mode: modes[i % 2] ?? "auto" }), (client) => ({
            caller,
            ...client
          })),
        { concurrency: "unbounded" }
      )
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, i) => i),
        (i) =>
          Effect.gen(function* () {
            const client = clients[i % 4]
            if (client === undefined) return
            const found = yield* client.callTool("search_tools", { queries: ["ticket", "contact", "invoice"] })
            const toolkits = new Set(
              docs(found.content.results).flatMap(({ tools }) => docs(tools).map((t) => t.toolkit))
            )
            assert.deepStrictEqual([...toolkits], [["helpdesk"], ["crm"], ["helpdesk"], ["accounting"]][i % 4])
            if (i % 2 === 1) return
            const { content } = yield* client.callTool("helpdesk_get_ticket", { id: String(i) })
            assert.deepInclude(doc(content.content), { id: String(i) })
            const held = yield* client.callTool("manage_connections", { action: "list" })
            const [only] = docs(held.content.connections)
            assert.strictEqual(doc(content.content).connection, only?.connection_id)
          }),
        { concurrency: 10 }
      )
    })
  )

  full(it).scoped("an answer that takes its time shows signs of life", () =>
    Effect.gen(function* () {
      const app = yield* InProcess
      const caller = yield* helped
      const workspace = yield* workspaceOf(caller)
      const controller = new AbortController()
      const request = new Request(`http://localhost/api/v1/mcp/${workspace}`, {
        method: "POST",
        signal: controller.signal,
        headers: {
          ...mcpHeaders,
          "content-type": "application/json",
          authorization: `Bearer ${Redacted.value(caller.tenancy.key)}`,
          "x-end-user-id": caller.endUser,
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "helpdesk_wait"
        },
        body: JSON.stringify(rpc("tools/call", { name: "helpdesk_wait", arguments: { id: "alive" }, _meta: meta }))
      })
      const answering = app.handle(request)
      yield* Effect.promise(async () => {
        while (!seen.started.has("alive")) await new Promise((resolve) => setTimeout(resolve, 5))
      })
      yield* TestClock.adjust("15 seconds")
      const response = yield* Effect.promise(() => answering)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      assert.strictEqual(response.headers.get("x-accel-buffering"), "no")
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      const next = Effect.promise(async () => (await reader?.read())?.value)
      assert.strictEqual(yield* next, ": keep-alive\n\n")
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* next, ": keep-alive\n\n")
      yield* TestClock.adjust("30 seconds")
      let rest = ""
      while (!rest.includes("data: ")) rest += (yield* next) ?? "data: none"
      assert.match(rest, /"code\\":\\"timeout\\".*60 seconds/)
    })
  )

  full(it).scoped("it works over a port", () =>
    Effect.gen(function* () {
      const caller = yield* helped
      const workspace = yield* workspaceOf(caller)
      const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
      const app = yield* HttpLayerRouter.toHttpEffect(routes).pipe(
        Effect.provideService(HttpLayerRouter.RouterConfig, routerConfig)
      )
      yield* server.serve(app)
      const url = new URL(`${HttpServer.formatAddress(server.address)}/api/v1/mcp/${workspace}`)
      for (const mode of modes) {
        const id = `port ${mode}`
        yield* Effect.promise(async () => {
          const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } })
          const headers = {
            authorization: `Bearer ${Redacted.value(caller.tenancy.key)}`,
            "x-end-user-id": caller.endUser
          }
          await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
          const result = await client.callTool({ name: "helpdesk_get_ticket", arguments: { id: "9" } })
          assert.deepInclude(doc(doc(result.structuredContent).content), { id: "9" })
          const left = client.callTool({ name: "helpdesk_wait", arguments: { id } }).then(
            () => "answered",
            () => "left"
          )
          while (!seen.started.has(id)) await new Promise((resolve) => setTimeout(resolve, 5))
          await client.close()
          assert.strictEqual(await left, "left")
          const until = Date.now() + 1000
          while (!seen.interrupted.has(id) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5))
          assert.isTrue(seen.interrupted.has(id), `${mode}: still running a second after the socket closed`)
        })
      }
    }).pipe(Effect.provide(HttpServer.layerContext))
  )
})
