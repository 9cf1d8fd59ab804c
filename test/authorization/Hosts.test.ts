import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { InProcess } from "../../src/InProcess.ts"
import { workspaceOf } from "../agent/McpClient.ts"
import { publicUrl } from "../support/Connecting.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { consentAs, type Handle, makeBrowser } from "./Browser.ts"

const redirect = "http://127.0.0.1:5599/callback"

/** What a host keeps of an authorization. */
class Store implements OAuthClientProvider {
  readonly redirectUrl = redirect
  client: OAuthClientInformationMixed | undefined
  saved: OAuthTokens | undefined
  verifier = ""
  address: URL | undefined
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
}

const connect = async (handle: Handle, workspace: string, endUser: string, store = new Store()) => {
  const url = new URL(`${publicUrl}/api/v1/mcp/${workspace}`)
  const fetch = (address: string | URL, init?: RequestInit) => handle(new Request(address, init))
  const transport = new StreamableHTTPClientTransport(url, { authProvider: store, fetch })
  const begun = await new Client({ name: "v2", version: "1" }).connect(transport).then(
    () => undefined,
    (error: unknown) => error
  )
  assert.instanceOf(begun, UnauthorizedError)
  const callback = await consentAs(makeBrowser(handle), store.address?.href ?? "", endUser)
  assert.strictEqual(callback.searchParams.get("iss"), publicUrl)
  await transport.finishAuth(callback.searchParams)
  const client = new Client({ name: "v2", version: "1" })
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: store, fetch }))
  return { client, store }
}

layer(sandboxApplication(), { timeout: "60 seconds" })("a host with nothing but the address", (it) => {
  it.scoped("connects by the official client of today", () =>
    Effect.gen(function* () {
      const { handle } = yield* InProcess
      const caller = yield* (yield* SandboxApplication).caller(["hubspot"])
      const workspace = yield* workspaceOf(caller)
      const { client, store } = yield* Effect.promise(() => connect(handle, workspace, caller.endUser))
      assert.strictEqual(store.saved?.scope, "tools:read tools:write")
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.include(
        tools.map(({ name }) => name),
        "search_tools"
      )
    })
  )
})
