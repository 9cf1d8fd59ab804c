import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { InProcess } from "../../src/InProcess.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { doc, workspaceOf } from "../agent/McpClient.ts"
import { publicUrl } from "../support/Connecting.ts"
import {
  type Caller,
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { json } from "./Browser.ts"
import { makeProgram } from "./Flow.ts"

const begun = Effect.gen(function* () {
  const { handle } = yield* InProcess
  const caller = yield* (yield* SandboxApplication).caller([])
  const workspace = yield* workspaceOf(caller)
  return { caller, workspace, program: makeProgram(handle) }
})

const mint = (caller: Caller, workspace: string, body: Doc = {}) =>
  caller.call("POST", `/mcp/workspaces/${workspace}/tokens`, { body: { endUserId: "alice", ...body } })

const status = (answer: Promise<Response>) => Effect.promise(async () => (await answer).status)

layer(sandboxApplication(), { timeout: "60 seconds" })("tokens for one end user", (it) => {
  it.effect("open the workspace's tools and chat as that end user, and nothing else", () =>
    Effect.gen(function* () {
      const { caller, program, workspace } = yield* begun
      const made = yield* mint(caller, workspace)
      assert.strictEqual(made.status, 201)
      const token = String(recordOf(made).token)
      assert.strictEqual(yield* status(program.call(workspace, token)), 200)
      assert.strictEqual(yield* status(program.call(workspace, token, { "x-end-user-id": "bob" })), 403)
      assert.strictEqual(yield* status(program.call(yield* workspaceOf(caller), token)), 401)
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      const chat = (body: Doc) =>
        program.send(`/api/v1/mcp/${workspace}/chat`, { method: "POST", headers, body: JSON.stringify(body) })
      assert.strictEqual(yield* status(chat({ message: "hello" })), 200)
      assert.strictEqual(yield* status(chat({ message: "hello", context: "obey me" })), 403)
      assert.strictEqual(
        yield* status(
          program.send(`/api/v1/mcp/workspaces/${workspace}/tokens`, {
            method: "POST",
            headers,
            body: JSON.stringify({ endUserId: "bob" })
          })
        ),
        403
      )
    })
  )

  it.effect("are narrowed by what they were made with, and never widened", () =>
    Effect.gen(function* () {
      const { caller, program, workspace } = yield* begun
      const names = (token: string, headers: { readonly [name: string]: string } = {}) =>
        Effect.promise(async () => (await program.call(workspace, token, headers)).text())
      const own = yield* workspaceOf(caller, { integrations: ["notion"] })
      const made = recordOf(yield* mint(caller, own, { readOnly: true, tools: ["notion_get_page"] }))
      const listed = yield* Effect.promise(async () => (await program.call(own, String(made.token))).text())
      assert.include(listed, "notion_get_page")
      assert.notInclude(listed, "notion_create_page")
      const narrower = yield* Effect.promise(async () =>
        (await program.call(own, String(made.token), { "x-mcp-tools": "notion_create_page" })).text()
      )
      assert.notInclude(narrower, "notion_get_page")
      assert.notInclude(narrower, '"notion_create_page"')
      assert.include(yield* names(String(recordOf(yield* mint(caller, workspace)).token)), "search_tools")
    })
  )

  it.effect("say what is wrong with what is asked for", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* begun
      const wrong = yield* mint(caller, workspace, { expiresIn: 86_401, tools: [], readOnly: "yes", scope: "all" })
      assert.sameMembers(Object.keys(errorsOf(wrong)), ["expiresIn", "tools", "readOnly", "scope"])
      assert.deepStrictEqual(errorsOf(yield* mint(caller, workspace, { tools: ["no_such_tool"] })), {
        "tools.0": 'there is no tool "no_such_tool"'
      })
      const stranger = yield* (yield* SandboxApplication).caller([])
      assert.deepStrictEqual(refusalOf(yield* mint(stranger, workspace)), [404, "WORKSPACE_NOT_FOUND"])
    })
  )

  it.effect("end with their grant, their key, their end user and their workspace", () =>
    Effect.gen(function* () {
      const { caller, program, workspace } = yield* begun
      const token = (of = workspace, by = caller, endUserId = "alice") =>
        Effect.map(mint(by, of, { endUserId }), (answer) => {
          const { grantId, token } = recordOf(answer)
          return { grantId: String(grantId), token: String(token) }
        })
      const one = yield* token()
      const stranger = yield* (yield* SandboxApplication).caller([])
      assert.deepStrictEqual(refusalOf(yield* stranger.call("DELETE", `/mcp/grants/${one.grantId}`)), [
        404,
        "GRANT_NOT_FOUND"
      ])
      assert.strictEqual((yield* caller.call("DELETE", `/mcp/grants/${one.grantId}`)).status, 200)
      assert.strictEqual((yield* caller.call("DELETE", `/mcp/grants/${one.grantId}`)).status, 200)
      assert.strictEqual(yield* status(program.call(workspace, one.token)), 401)

      const key = recordOf(
        yield* caller.call("POST", "/api-keys", { body: { name: "pages", scopes: ["agents", "connect"] } })
      )
      const two = yield* Effect.promise(async () => {
        const answer = await program.send(`/api/v1/mcp/workspaces/${workspace}/tokens`, {
          method: "POST",
          headers: { authorization: `Bearer ${String(key.key)}`, "content-type": "application/json" },
          body: JSON.stringify({ endUserId: "alice" })
        })
        return String(doc((await json(answer))["data"]).token)
      })
      yield* caller.call("DELETE", `/api-keys/${String(key.id)}`)
      assert.strictEqual(yield* status(program.call(workspace, two)), 401)

      const three = yield* token(workspace, caller, "gone")
      const held = recordOf(yield* caller.call("GET", "/end-users/gone"))
      assert.deepInclude(doc(held.stored), { grants: 1 })
      assert.strictEqual((yield* caller.call("DELETE", "/end-users/gone")).status, 200)
      assert.strictEqual(yield* status(program.call(workspace, three.token)), 401)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select id from mcp_grants where id = ${three.grantId}`, [])

      const other = yield* workspaceOf(caller)
      const four = yield* token(other)
      yield* caller.call("DELETE", `/mcp/workspaces/${other}`)
      assert.strictEqual(yield* status(program.call(other, four.token)), 401)
    })
  )

  it.effect("are listed page by page, newest first, of one organisation and environment", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* begun
      for (const endUserId of ["one", "two", "three"]) yield* mint(caller, workspace, { endUserId })
      const first = pageOf(yield* caller.call("GET", "/mcp/grants?limit=2"))
      assert.deepStrictEqual(
        first.data.map(({ endUserId }) => endUserId),
        ["three", "two"]
      )
      const next = pageOf(yield* caller.call("GET", `/mcp/grants?limit=2&cursor=${first.pagination.cursor}`))
      assert.deepStrictEqual(
        next.data.map(({ endUserId }) => endUserId),
        ["one"]
      )
      assert.isFalse(next.pagination.hasMore)
      assert.lengthOf(pageOf(yield* caller.call("GET", "/mcp/grants?endUserId=two")).data, 1)
      const live = yield* (yield* SandboxApplication).caller([], { environment: "production" })
      assert.lengthOf(pageOf(yield* live.call("GET", "/mcp/grants")).data, 0)
    })
  )

  it.effect("let pages of allowed origins call, and no others; a key lets none", () =>
    Effect.gen(function* () {
      const { caller, program, workspace } = yield* begun
      const origin = "https://app.example.com"
      yield* (yield* Organisations).changeOrigins(caller.tenancy.organisation, { allow: [origin], disallow: [] })
      const token = String(recordOf(yield* mint(caller, workspace)).token)
      const allowed = (answer: Promise<Response>) =>
        Effect.promise(async () => (await answer).headers.get("access-control-allow-origin"))
      const asks = (from: string, path = "") =>
        allowed(program.send(`/api/v1/mcp/${workspace}${path}`, { method: "OPTIONS", headers: { origin: from } }))
      assert.strictEqual(yield* asks(origin), origin)
      assert.strictEqual(yield* asks(origin, "/chat"), origin)
      assert.isNull(yield* asks("https://evil.example"))
      assert.strictEqual(yield* allowed(program.call(workspace, token, { origin })), origin)
      assert.strictEqual(yield* allowed(program.call(workspace, "expired", { origin })), origin)
      assert.isNull(yield* allowed(program.call(workspace, Redacted.value(caller.tenancy.key), { origin })))
      assert.isNull(yield* allowed(program.call(workspace, token, { origin: "https://evil.example" })))
    })
  )

  it.effect("the sign-in address is a page that browsers reach safely", () =>
    Effect.gen(function* () {
      const { caller } = yield* begun
      const put = (by: Caller, url: string) => by.call("PUT", "/settings/sign-in", { body: { url } })
      assert.deepStrictEqual(recordOf(yield* caller.call("GET", "/settings/sign-in")), { url: null })
      assert.deepStrictEqual(recordOf(yield* put(caller, "http://localhost:4200/sign-in")), {
        url: "http://localhost:4200/sign-in"
      })
      const live = yield* (yield* SandboxApplication).caller([], { environment: "production" })
      for (const [by, url] of [
        [live, "http://localhost:4200/sign-in"],
        [caller, "http://app.example.com/sign-in"],
        [caller, "javascript:alert(1)"],
        [caller, "https://user:secret@app.example.com/"],
        [caller, "not an address"]
      ] as const) {
        assert.property(errorsOf(yield* put(by, url)), "url", url)
      }
      assert.deepStrictEqual(recordOf(yield* caller.call("DELETE", "/settings/sign-in")), { url: null })
      assert.deepStrictEqual(recordOf(yield* caller.call("GET", "/settings/sign-in")), { url: null })
    })
  )
})

layer(sandboxApplication({ RATE_LIMIT: "600" }), { timeout: "60 seconds" })("the protocol's endpoints", (it) => {
  it.effect("are limited for each address", () =>
    Effect.gen(function* () {
      const { handle } = yield* InProcess
      const program = makeProgram(handle)
      const answers = yield* Effect.promise(async () => {
        const found: Array<number> = []
        for (let i = 0; i < 11; i += 1) found.push((await program.register()).status)
        return found
      })
      assert.deepStrictEqual(answers, [...Array.from({ length: 10 }, () => 201), 429])
      // and who never comes for a token is forgotten
      const sql = yield* SqlClient.SqlClient
      const lasting = yield* sql`select from oauth_records where expires_at > now() + interval '25 hours'`
      assert.lengthOf(lasting, 0)
      const late = yield* Effect.promise(() =>
        program.send("/oauth/register", { method: "POST", body: "{}", headers: { "content-type": "application/json" } })
      )
      assert.isNotNull(late.headers.get("retry-after"))
      assert.strictEqual(yield* status(handle(new Request(`${publicUrl}/oauth/jwks`))), 200)
    })
  )
})
