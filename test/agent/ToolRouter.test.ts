import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { answersLimit } from "../../src/agent/Executors.ts"
import { bytesOf, outputLimit } from "../../src/agent/Untrusted.ts"
import { InProcess } from "../../src/InProcess.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { authorize, consent, decide, follow, session, withToken } from "../support/Connecting.ts"
import { refusalOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { connected, doc, docs, workspaceOf } from "./McpClient.ts"
import { All, seen } from "./TestToolkit.ts"
import { full } from "../support/Full.ts"

const opened = Effect.gen(function* () {
  const app = yield* SandboxApplication
  const caller = yield* app.caller(["hubspot"])
  yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
  const client = yield* connected(caller, yield* workspaceOf(caller))
  return { caller, ...client }
})

const ticket = (id: string, size = 1) => ({ tool: "helpdesk_get_ticket", arguments: { id, size } })

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("the tools that lead to tools", (it) => {
  it.scoped("a search answers each query with the best tools, their schemas and what is connected", () =>
    Effect.gen(function* () {
      const { callTool } = yield* opened
      const { content } = yield* callTool("search_tools", { queries: ["close a ticket", "unpaid invoices"], limit: 10 })
      const [tickets, invoices] = docs(content.results)
      assert.deepInclude(tickets, { query: "close a ticket" })
      const [close, ...others] = docs(tickets?.tools)
      assert.deepInclude(close, {
        name: "helpdesk_close_ticket",
        toolkit: "helpdesk",
        read_only: false,
        destructive: true,
        connection: "connected"
      })
      assert.deepInclude(doc(close?.input_schema), { type: "object" })
      assert.isAtMost(others.length, 9)
      assert.strictEqual(docs(tickets?.tools).filter((one) => "input_schema" in one).length, 3)
      assert.deepInclude(docs(invoices?.tools)[0], { name: "accounting_list_invoices", connection: "not_connected" })
    })
  )

  it.scoped("a search keeps to toolkits, to reading and to a size", () =>
    Effect.gen(function* () {
      const { callTool } = yield* opened
      const search = (more: object) =>
        Effect.map(
          callTool("search_tools", {
            queries: ["contacts", "delete a company", "invoice", "note", "payment"],
            limit: 20,
            ...more
          }),
          ({ content, text }) => {
            assert.isAtMost(Buffer.byteLength(String(text)), 24 * 1024)
            return docs(content.results).flatMap(({ tools }) => docs(tools))
          }
        )
      assert.isAbove((yield* search({})).length, 20)
      assert.isTrue((yield* search({ toolkits: ["crm"] })).every(({ toolkit }) => toolkit === "crm"))
      assert.isTrue((yield* search({ read_only: true })).every(({ read_only }) => read_only === true))
      for (const [args, field] of [
        [{ queries: [] }, "queries"],
        [{ queries: ["a", "b", "c", "d", "e", "f"] }, "queries"],
        [{ queries: ["a"], toolkits: ["fax"] }, "toolkits.0"],
        [{ queries: ["a"], limit: 21 }, "limit"],
        [{ query: "a" }, "query"]
      ] as const) {
        const { content, isError } = yield* callTool("search_tools", args)
        assert.isTrue(isError)
        const error = doc(content.error)
        assert.deepInclude(error, { code: "invalid_arguments" })
        assert.property(doc(error.errors), field)
        assert.property(error, "input_schema")
      }
    })
  )

  it.scoped("schemas are given by name; names that are not there come with what may be meant", () =>
    Effect.gen(function* () {
      const { callTool } = yield* opened
      const { content } = yield* callTool("get_tool_schemas", {
        tools: ["crm_create_contact", "CRM-List-Contacts", "crm_make_contact"]
      })
      assert.deepStrictEqual(
        docs(content.tools).map(({ name }) => name),
        ["crm_create_contact", "crm_list_contacts"]
      )
      const [create] = docs(content.tools)
      const record = doc(doc(doc(create?.input_schema).properties).record)
      assert.deepInclude(record, { type: "object", required: [] })
      // what the service itself sets is not asked for
      assert.containsAllKeys(doc(record.properties), ["first_name", "email_addresses", "custom_fields"])
      assert.doesNotHaveAnyKeys(doc(record.properties), ["id", "remote_id", "last_activity_at", "remote_data"])
      const [unknown] = docs(content.unknown)
      assert.strictEqual(unknown?.name, "crm_make_contact")
      assert.include(unknown?.did_you_mean, "crm_create_contact")
    })
  )

  it.scoped("schemas that do not fit into one answer are named, and come with the next", () =>
    Effect.gen(function* () {
      const { callTool } = yield* opened
      const large = [
        "invoice",
        "purchase_order",
        "sales_order",
        "credit_note",
        "vendor_credit",
        "expense",
        "contact",
        "item"
      ]
      const tools = large.flatMap((name) => [`accounting_create_${name}`, `accounting_update_${name}`])
      const got = new Array<string>()
      let asked = tools
      let answers = 0
      while (asked.length > 0) {
        const { content } = yield* callTool("get_tool_schemas", { tools: asked })
        assert.isAtMost(bytesOf(content), outputLimit + 1024)
        assert.deepStrictEqual(content.unknown, [])
        const names = docs(content.tools).map(({ name }) => String(name))
        assert.isNotEmpty(names)
        got.push(...names)
        asked = asked.slice(names.length)
        answers += 1
        assert.deepStrictEqual(content.omitted ?? [], asked)
      }
      assert.deepStrictEqual(got, tools)
      assert.isAbove(answers, 1)
    })
  )

  it.scoped("several calls are answered in their order, and one that fails does not stop the others", () =>
    Effect.gen(function* () {
      const { callTool } = yield* opened
      const calls = [
        ticket("1"),
        { tool: "helpdesk_nothing", arguments: {} },
        { tool: "helpdesk_fail", arguments: { reason: "down" } },
        { tool: "helpdesk_get_ticket", arguments: {} },
        ticket("5")
      ]
      const { content, isError } = yield* callTool("execute_read_tools", { calls })
      assert.isFalse(isError)
      assert.strictEqual(content.error_count, 3)
      const results = docs(content.results)
      assert.deepStrictEqual(
        results.map(({ error, ok, output, tool }) => [
          tool,
          ok,
          ok === true ? doc(doc(output).content).id : doc(error).code
        ]),
        [
          ["helpdesk_get_ticket", true, "1"],
          ["helpdesk_nothing", false, "unknown_tool"],
          ["helpdesk_fail", false, "provider_error"],
          ["helpdesk_get_ticket", false, "invalid_arguments"],
          ["helpdesk_get_ticket", true, "5"]
        ]
      )
      assert.isNotEmpty(doc(results[1]?.error).did_you_mean)
      const all = yield* callTool("execute_tools", { calls: calls.slice(1, 4) })
      assert.isTrue(all.isError)
    })
  )

  it.scoped("the answers of one executor fit together, and say how to get the rest", () =>
    Effect.gen(function* () {
      const { callTool } = yield* opened
      const large = { tool: "helpdesk_list_tickets", arguments: { count: 90, size: 450 } }
      const alone = yield* callTool("execute_read_tools", { calls: [large] })
      assert.notProperty(doc(docs(alone.content.results)[0]?.output), "truncated")
      assert.isAbove(bytesOf(alone.content), 40_000)
      const calls = [
        ticket("small"),
        ...Array.from({ length: 18 }, () => large),
        { ...large, arguments: { count: "x" } }
      ]
      const { content } = yield* callTool("execute_read_tools", { calls })
      assert.isAtMost(bytesOf(content.results), answersLimit + 1024)
      const [small, ...others] = docs(content.results)
      assert.deepInclude(doc(doc(small?.output).content), { id: "small" })
      assert.notProperty(doc(small?.output), "truncated")
      for (const { output } of others.slice(0, 18)) {
        assert.deepInclude(doc(output), { truncated: true })
        assert.match(String(doc(output).hint), /call it by itself/)
        // what there is of each is still told
        const { tickets } = doc(doc(output).content)
        assert.isAtLeast(Array.isArray(tickets) ? tickets.length : 0, 3)
      }
      assert.deepInclude(doc(others.at(-1)?.error), { code: "invalid_arguments" })
      // two that fit beside each other are left alone
      const both = docs((yield* callTool("execute_read_tools", { calls: [large, large] })).content.results)
      assert.isTrue(both.every(({ output }) => doc(output).truncated === undefined))
    })
  )

  it.scoped("what models get wrong in form is taken as it is meant", () =>
    Effect.gen(function* () {
      const { callTool } = yield* opened
      const ids = (content: unknown) => docs(doc(content).results).map(({ output }) => doc(doc(output).content).id)
      const text = yield* callTool("execute_read_tools", {
        calls: [
          { tool: "helpdesk_get_ticket", arguments: JSON.stringify({ id: "as text" }) },
          { tool: "functions.helpdesk_get_ticket", arguments: { id: "with a prefix" } },
          { tool: "Helpdesk.Get-Ticket", arguments: { id: "in capitals" } }
        ]
      })
      assert.deepStrictEqual(ids(text.content), ["as text", "with a prefix", "in capitals"])
      const nested = yield* callTool("execute_tools", {
        calls: [ticket("outside"), { tool: "execute_tools", arguments: { calls: [ticket("inside"), ticket("too")] } }]
      })
      assert.deepStrictEqual(ids(nested.content), ["outside", "inside", "too"])
      const asText = yield* callTool("execute_read_tools", {
        calls: [{ tool: "execute_read_tools", arguments: JSON.stringify({ calls: [ticket("as text")] }) }]
      })
      assert.deepStrictEqual(ids(asText.content), ["as text"])
      const broken = yield* callTool("execute_read_tools", {
        calls: [{ tool: "helpdesk_get_ticket", arguments: '{"id": ' }]
      })
      assert.deepInclude(doc(docs(broken.content.results)[0]?.error), { code: "invalid_arguments" })
      const search = yield* callTool("execute_read_tools", {
        calls: [{ tool: "search_tools", arguments: { queries: ["x"] } }]
      })
      const error = doc(docs(search.content.results)[0]?.error)
      assert.deepInclude(error, { code: "not_permitted" })
      assert.match(String(error.message), /by itself/)
    })
  )

  it.scoped("a write is not done by reading, also not inside; a read is done by the other executor too", () =>
    Effect.gen(function* () {
      const { callTool } = yield* opened
      const create = { tool: "helpdesk_create_ticket", arguments: { subject: "by reading" } }
      for (const calls of [[create], [{ tool: "execute_tools", arguments: { calls: [create] } }]]) {
        const { content } = yield* callTool("execute_read_tools", { calls })
        const error = doc(docs(content.results)[0]?.error)
        assert.strictEqual(error.code, "write_not_allowed")
        assert.match(String(error.message), /execute_tools/)
      }
      const inside = yield* callTool("execute_tools", {
        calls: [{ tool: "execute_read_tools", arguments: { calls: [create] } }]
      })
      assert.strictEqual(doc(docs(inside.content.results)[0]?.error).code, "write_not_allowed")
      assert.notInclude(seen.written, "by reading")
      assert.isFalse((yield* callTool("execute_tools", { calls: [ticket("1")] })).isError)
    })
  )

  it.scoped("connections are shown, and an end user is handed a link for what is missing", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { caller, callTool } = yield* opened
      const manage = (args: object) => Effect.map(callTool("manage_connections", { ...args }), ({ content }) => content)
      const listed = docs((yield* manage({ action: "list" })).connections)
      assert.sameDeepMembers(
        listed.map(({ provider, status, toolkit }) => [toolkit, provider, status]),
        [
          ["helpdesk", "helpdesk", "active"],
          ["crm", "hubspot", "active"],
          ["accounting", undefined, "not_connected"]
        ]
      )
      const [crm] = docs((yield* manage({ action: "status", toolkit: "crm" })).connections)
      assert.deepInclude(crm, { connection_id: caller.connections.hubspot, account: "HubSpot sandbox" })

      const [waiting] = docs((yield* manage({ action: "connect", toolkit: "accounting" })).connections)
      assert.deepInclude(waiting, {
        toolkit: "accounting",
        connects: ["QuickBooks Online", "Xero", "NetSuite", "Zoho Books"],
        end_user: caller.endUser
      })
      const [, token] = /^http.*\/connect#token=(cs_test_\S+)$/.exec(String(waiting?.connect_url)) ?? []
      assert.isAbove(Date.parse(String(waiting?.expires_at)), 0)
      const session = yield* app.send("GET", "/connect/session", {
        headers: { authorization: `Bearer ${String(token)}` }
      })
      assert.strictEqual(session.status, 200)
      assert.match(JSON.stringify(session.body), new RegExp(`"id":"${caller.endUser}".*"slug":"xero"`))
      assert.notMatch(JSON.stringify(session.body), /"slug":"hubspot"/)

      for (const args of [{ action: "connect" }, { action: "status", toolkit: "fax" }, { action: "remove" }, {}]) {
        const error = doc((yield* manage(args)).error)
        assert.strictEqual(error.code, "invalid_arguments", JSON.stringify(args))
      }
      const nobody = yield* connected(caller, yield* workspaceOf(caller), { headers: { "x-end-user-id": undefined } })
      const refused = yield* nobody.callTool("manage_connections", { action: "connect", toolkit: "crm" })
      assert.deepInclude(doc(refused.content.error), { code: "not_connected" })
    })
  )

  full(it).scoped("a link is good for one account, and a consent that was under way is refused then", () =>
    Effect.gen(function* () {
      const { caller, callTool } = yield* opened
      const link = Effect.map(
        callTool("manage_connections", { action: "connect", toolkit: "accounting" }),
        ({ content }) => /#token=(\S+)$/.exec(String(docs(content.connections)[0]?.connect_url))?.[1] ?? ""
      )
      const own = yield* withToken(yield* link)
      const denied = yield* consent(own, "xero", { decides: { decision: "deny" } })
      assert.strictEqual(denied.status, "denied")
      const late = yield* authorize(own, "zoho_books")
      assert.strictEqual((yield* consent(own, "quickbooks")).status, "connected")
      // the page that is open learns how its attempt ended, and nothing else works any longer
      assert.strictEqual((yield* follow(yield* decide(late.address), late.cookie)).status, 200)
      const refused = yield* own.attempt(late.id)
      assert.strictEqual(refused.status, "failed")
      assert.match(String(refused.message), /This link .* has expired/)
      for (const [method, path] of [
        ["GET", ""],
        ["POST", "/xero/authorize"],
        ["POST", "/netsuite/credentials"]
      ] as const) {
        const answer = yield* own.call(method, path, method === "GET" ? undefined : {})
        assert.deepStrictEqual(refusalOf(answer), [401, "INVALID_CONNECT_SESSION"], path)
      }
      const listed = docs(
        (yield* callTool("manage_connections", { action: "status", toolkit: "accounting" })).content.connections
      )
      assert.deepStrictEqual(
        listed.map(({ provider, status }) => [provider, status]),
        [["quickbooks", "active"]]
      )
      // another link is another session, and tokens that the organisation asked for go on
      const again = yield* withToken(yield* link)
      assert.strictEqual((yield* consent(again, "zoho_books")).status, "connected")
      const shared = yield* session(caller)
      for (const slug of ["pipedrive", "quickbooks"]) {
        assert.strictEqual((yield* consent(shared, slug)).status, "connected")
      }
    })
  )

  it.scoped("a key without the scope connect shows connections, and makes no links", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { tenancy } = yield* app.caller([])
      const { key } = yield* (yield* ApiKeys).create(tenancy.organisation, "sandbox", { scopes: ["agents"] })
      const caller = yield* app.caller(["hubspot"], { tenancy: { ...tenancy, key } })
      const { callTool } = yield* connected(caller, yield* workspaceOf(caller))
      const listed = yield* callTool("manage_connections", { action: "list" })
      assert.deepInclude(docs(listed.content.connections), {
        toolkit: "crm",
        provider: "hubspot",
        status: "active",
        account: "HubSpot sandbox",
        connection_id: caller.connections.hubspot
      })
      const refused = yield* callTool("manage_connections", { action: "connect", toolkit: "accounting" })
      assert.isTrue(refused.isError)
      assert.deepInclude(doc(refused.content.error), { code: "not_permitted" })
      assert.include(String(doc(refused.content.error).message), "lacks the scope connect,")
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`select 1 from connect_sessions where organisation_id = ${tenancy.organisation}`)
    })
  )
})
