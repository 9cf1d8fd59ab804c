import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import { UnauthorizedError as UnauthorizedErrorV1 } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { InProcess } from "../../src/InProcess.ts"
import { doc, workspaceOf } from "../agent/McpClient.ts"
import { publicUrl } from "../support/Connecting.ts"
import { pageOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { type Browser, consentAs, json, makeBrowser } from "./Browser.ts"
import { makeProgram, redirect, resourceOf } from "./Flow.ts"
import { full } from "../support/Full.ts"

/** The parts of an authorization that a host keeps, as both generations of the client ask for it. */
class Store implements OAuthClientProvider {
  readonly redirectUrl = redirect
  client: OAuthClientInformationMixed | undefined
  saved: OAuthTokens | undefined
  verifier = ""
  address: URL | undefined
  discovery: Parameters<NonNullable<OAuthClientProvider["saveDiscoveryState"]>>[0] | undefined
  readonly clientMetadata = {
    client_name: "Example host",
    redirect_uris: [redirect],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none"
  }
  clientInformation() {
    return this.client
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.client = client
  }
  tokens() {
    return this.saved
  }
  saveTokens(tokens: OAuthTokens) {
    this.saved = tokens
  }
  redirectToAuthorization(url: URL) {
    this.address = url
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
  saveDiscoveryState(state: NonNullable<Store["discovery"]>) {
    this.discovery = state
  }
  discoveryState() {
    return this.discovery
  }
}

const accept = "application/json, text/event-stream"

const begun = Effect.gen(function* () {
  const { handle } = yield* InProcess
  const caller = yield* (yield* SandboxApplication).caller(["hubspot"])
  const workspace = yield* workspaceOf(caller)
  const fetch = (address: string | URL, init?: RequestInit) => handle(new Request(address, init))

  /** Connects the client of today in a browser; gives it with what it keeps. */
  const connect = async (
    of: string,
    browser: Browser,
    endUser: string,
    store = new Store(),
    decision?: { readonly [name: string]: string }
  ) => {
    const transport = new StreamableHTTPClientTransport(new URL(resourceOf(of)), { authProvider: store, fetch })
    const refused = await new Client({ name: "v2", version: "1" }).connect(transport).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.instanceOf(refused, UnauthorizedError)
    const callback = await consentAs(browser, store.address?.href ?? "", endUser, decision)
    await transport.finishAuth(callback.searchParams)
    const client = new Client({ name: "v2", version: "1" })
    await client.connect(new StreamableHTTPClientTransport(new URL(resourceOf(of)), { authProvider: store, fetch }))
    return { client, store, callback }
  }
  return { handle, caller, workspace, fetch, connect, browser: () => makeBrowser(handle) }
})

const names = async (client: Pick<Client, "listTools">) => (await client.listTools()).tools.map(({ name }) => name)

layer(sandboxApplication(), { timeout: "60 seconds" })("a host with nothing but the address", (it) => {
  full(it).effect("connects by the official client of today, and goes on when its token expires", () =>
    Effect.gen(function* () {
      const { browser, caller, connect, workspace } = yield* begun
      const { callback, client, store } = yield* Effect.promise(() => connect(workspace, browser(), caller.endUser))
      assert.strictEqual(callback.searchParams.get("iss"), publicUrl)
      assert.strictEqual(store.saved?.scope, "tools:read tools:write")
      assert.include(yield* Effect.promise(() => names(client)), "search_tools")
      const [grant] = pageOf(yield* caller.call("GET", "/mcp/grants")).data
      assert.deepInclude(grant, {
        workspaceId: workspace,
        endUserId: caller.endUser,
        origin: "host",
        client: { name: "Example host", redirectHost: "127.0.0.1:5599" }
      })
      const before = store.saved?.refresh_token
      store.saved = { ...store.saved, token_type: "Bearer", access_token: "expired" }
      assert.include(yield* Effect.promise(() => names(client)), "search_tools")
      assert.notStrictEqual(store.saved.refresh_token, before)
      const called = yield* Effect.promise(() =>
        client.callTool({ name: "crm_list_contacts", arguments: { limit: 1 } })
      )
      assert.notStrictEqual(called.isError, true)
    })
  )

  full(it).effect("asks for more when a tool needs more than the end user let it do, and gets it from them alone", () =>
    Effect.gen(function* () {
      const { browser, caller, connect, fetch, handle, workspace } = yield* begun
      const readOnly = { answer: "allow", read_only: "on" }
      const shared = browser()
      const { client, store } = yield* Effect.promise(() =>
        connect(workspace, shared, caller.endUser, new Store(), readOnly)
      )
      assert.strictEqual(store.saved?.scope, "tools:read")
      assert.notInclude(yield* Effect.promise(() => names(client)), "execute_tools")
      const create = { name: "crm_create_contact", arguments: { record: { last_name: "Lovelace" } } }
      const within = {
        name: "execute_tools",
        arguments: { calls: [{ tool: create.name, arguments: create.arguments }] }
      }
      const program = makeProgram(handle)
      const answers = yield* Effect.promise(async () => {
        const token = String(store.saved?.access_token)
        const send = (params: object, headers: { readonly [name: string]: string } = {}) =>
          program.send(`/api/v1/mcp/${workspace}`, {
            method: "POST",
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept, ...headers },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
          })
        return [
          await send(create),
          await send(within),
          // what no scope would change
          await send(create, { "x-mcp-readonly": "true" }),
          await send({ name: "crm_list_contacts", arguments: { limit: 1 } })
        ]
      })
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [403, 403, 200, 200]
      )
      const [refused] = answers
      assert.strictEqual(
        refused?.headers.get("www-authenticate"),
        `Bearer realm="tributary", error="insufficient_scope", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/api/v1/mcp/${workspace}", scope="tools:read tools:write"`
      )
      if (refused !== undefined) {
        assert.deepInclude(yield* Effect.promise(() => json(refused)), { code: "INSUFFICIENT_SCOPE", statusCode: 403 })
      }

      const transport = new StreamableHTTPClientTransport(new URL(resourceOf(workspace)), {
        authProvider: store,
        fetch
      })
      const stepped = new Client({ name: "v2", version: "1" })
      const called = yield* Effect.promise(async () => {
        await stepped.connect(transport)
        const stopped = await stepped.callTool(create).then(
          () => undefined,
          (error: unknown) => error
        )
        assert.instanceOf(stopped, UnauthorizedError)
        assert.include(store.address?.searchParams.get("scope") ?? "", "tools:write")
        const callback = await consentAs(shared, store.address?.href ?? "", caller.endUser)
        await transport.finishAuth(callback.searchParams)
        return stepped.callTool(create)
      })
      assert.strictEqual(store.saved?.scope, "tools:read tools:write")
      assert.notStrictEqual(called.isError, true, JSON.stringify(called))
      const noted = pageOf(yield* caller.call("GET", `/tool-calls?workspaceId=${workspace}&tool=${create.name}`)).data
      assert.deepStrictEqual(
        noted.map(({ outcome }) => outcome),
        ["ok", "not_permitted", "not_permitted", "not_permitted", "not_permitted"]
      )
    })
  )

  full(it).effect("connects by the official client of the generation before", () =>
    Effect.gen(function* () {
      const { browser, caller, fetch, workspace } = yield* begun
      const store = new Store()
      const url = new URL(resourceOf(workspace))
      const listed = yield* Effect.promise(async () => {
        const transport = new TransportV1(url, { authProvider: store, fetch })
        const refused = await new ClientV1({ name: "v1", version: "1" }).connect(transport).then(
          () => undefined,
          (error: unknown) => error
        )
        assert.instanceOf(refused, UnauthorizedErrorV1)
        const callback = await consentAs(browser(), store.address?.href ?? "", caller.endUser)
        await transport.finishAuth(callback.searchParams.get("code") ?? "")
        const client = new ClientV1({ name: "v1", version: "1" })
        await client.connect(new TransportV1(url, { authProvider: store, fetch }))
        const { tools } = await client.listTools()
        await client.close()
        return tools.map(({ name }) => name)
      })
      assert.include(listed, "search_tools")
    })
  )

  full(it).effect("connects another workspace as another person in the same browser, and the first one stays", () =>
    Effect.gen(function* () {
      const { browser, caller, connect, workspace } = yield* begun
      const other = yield* workspaceOf(caller)
      const shared = browser()
      const first = yield* Effect.promise(() => connect(workspace, shared, "alice"))
      const store = new Store()
      store.client = first.store.client
      const second = yield* Effect.promise(() => connect(other, shared, "bob", store))
      assert.include(yield* Effect.promise(() => names(first.client)), "search_tools")
      assert.include(yield* Effect.promise(() => names(second.client)), "search_tools")
      assert.sameDeepMembers(
        pageOf(yield* caller.call("GET", "/mcp/grants")).data.map((one) => [one["workspaceId"], one["endUserId"]]),
        [
          [workspace, "alice"],
          [other, "bob"]
        ]
      )
    })
  )

  it.effect("finds the documents that it looks for, with what it looks for in them", () =>
    Effect.gen(function* () {
      const { handle, workspace } = yield* begun
      const program = makeProgram(handle)
      const path = `/.well-known/oauth-protected-resource/api/v1/mcp/${workspace}`
      const document = yield* Effect.promise(() => program.send(path))
      assert.strictEqual(document.headers.get("access-control-allow-origin"), "*")
      assert.deepStrictEqual(yield* Effect.promise(() => json(document)), {
        resource: resourceOf(workspace),
        authorization_servers: [publicUrl],
        scopes_supported: ["tools:read", "tools:write"],
        bearer_methods_supported: ["header"],
        resource_name: "Agents"
      })
      const unknown = `/.well-known/oauth-protected-resource/api/v1/mcp/${crypto.randomUUID()}`
      assert.strictEqual((yield* Effect.promise(() => program.send(unknown))).status, 404)
      const refused = yield* Effect.promise(() => program.send(`/api/v1/mcp/${workspace}`, { method: "POST" }))
      assert.strictEqual(refused.status, 401)
      assert.include(refused.headers.get("www-authenticate") ?? "", `resource_metadata="${publicUrl}${path}"`)
    })
  )

  it.effect("is taken as the hosts in use register themselves", () =>
    Effect.gen(function* () {
      const { handle, workspace } = yield* begun
      const program = makeProgram(handle)
      const shapes = [
        {
          client_name: "Cursor",
          redirect_uris: [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback"
          ]
        },
        {
          client_name: "Visual Studio Code",
          redirect_uris: ["https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none",
          application_type: "native"
        },
        {
          client_name: "Claude",
          redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
          scope: "tools:read offline_access something:else",
          token_endpoint_auth_method: "client_secret_post"
        }
      ]
      for (const shape of shapes) {
        const { body, status } = yield* Effect.promise(() => program.register(shape))
        assert.strictEqual(status, 201, JSON.stringify(body))
        assert.notProperty(body, "scope")
        const [redirect_uri = ""] = shape.redirect_uris
        const asked = yield* Effect.promise(() =>
          makeBrowser(handle).follow(
            program.begin(String(body["client_id"]), workspace, { redirect_uri, scope: "openid email profile" }).address
          )
        )
        assert.include(asked.url, "/oauth/sandbox/", shape.client_name)
      }
    })
  )

  it.effect("leads into the widget for what is not connected, and back", () =>
    Effect.gen(function* () {
      const { caller, handle } = yield* begun
      const workspace = yield* workspaceOf(caller, { integrations: ["notion"] })
      const program = makeProgram(handle)
      const client = yield* Effect.promise(() => program.clientId())
      const browser = makeBrowser(handle)
      const onward = yield* Effect.promise(async () => {
        const pick = await browser.follow(program.begin(client, workspace).address)
        const consent = await browser.submit(pick.url, { end_user: caller.endUser })
        const page = (await consent.answer?.text()) ?? ""
        assert.include(page, "Not connected")
        // a name is anybody's to take: what is known of the program is said
        for (const said of ["nobody has checked it", "a program on this computer", "127.0.0.1:5599"]) {
          assert.include(page, said)
        }
        const answer = await browser.post(consent.url, { connect: "notion" })
        return { consent: consent.url, to: answer.headers.get("location") ?? "" }
      })
      assert.match(onward.to, /\/connect#token=cs_test_/)
      const session = yield* Effect.promise(async () => {
        const headers = { authorization: `Bearer ${onward.to.split("token=")[1] ?? ""}` }
        return json(await program.send("/connect/session", { headers }))
      })
      assert.deepInclude(doc(session["data"]), { redirectUrl: onward.consent })
    })
  )

  full(it).effect("is seen and ended by the end user", () =>
    Effect.gen(function* () {
      const { caller, handle, workspace } = yield* begun
      const program = makeProgram(handle)
      const held = yield* Effect.promise(() => program.tokens(workspace, caller.endUser))
      const browser = makeBrowser(handle)
      const page = yield* Effect.promise(async () => {
        const pick = await browser.follow(program.begin(held.client, workspace).address)
        const consent = await browser.submit(pick.url, { end_user: caller.endUser })
        const list = await browser.step(`${consent.url}/grants`)
        const text = await list.text()
        const [, id = ""] = /name="end"\s+value="([^"]+)"/.exec(text) ?? []
        return (await browser.post(`${consent.url}/grants`, { end: id })).text()
      })
      assert.include(page, "There are none")
      // and how another is let in
      assert.include(page, `claude mcp add --transport http tools ${resourceOf(workspace)}`)
      assert.include(page, "Settings, Apps &amp; Connectors")
      assert.strictEqual((yield* Effect.promise(() => program.call(workspace, held.access))).status, 401)
    })
  )
})
