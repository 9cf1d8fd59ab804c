import { createHash, randomBytes } from "node:crypto"
import { publicUrl } from "../support/Connecting.ts"
import { type Browser, consentAs, type Handle, json, makeBrowser } from "./Browser.ts"

export const redirect = "http://127.0.0.1:5599/callback"

/** The resource of a workspace. */
export const resourceOf = (workspace: string) => `${publicUrl}/api/v1/mcp/${workspace}`

/** Requests of programs to the protocol's endpoints. */
export const makeProgram = (handle: Handle) => {
  const send = (path: string, init: RequestInit = {}) => handle(new Request(publicUrl + path, init))

  const form = (
    path: string,
    fields: { readonly [name: string]: string },
    headers: { readonly [name: string]: string } = {}
  ) => send(path, { method: "POST", body: new URLSearchParams(fields), headers })

  const register = async (metadata: object = {}) => {
    const answer = await send("/oauth/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Example host", redirect_uris: [redirect], ...metadata })
    })
    return { status: answer.status, body: await json(answer) }
  }

  /** The id of a new client. */
  const clientId = async (metadata: object = {}) => String((await register(metadata)).body["client_id"])

  /** The address that begins an authorization, and the verifier of its code. */
  const begin = (client: string, workspace: string, changes: { readonly [name: string]: string | undefined } = {}) => {
    const verifier = randomBytes(32).toString("base64url")
    const fields = {
      client_id: client,
      response_type: "code",
      redirect_uri: redirect,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: resourceOf(workspace),
      scope: "tools:read tools:write",
      state: "of the host",
      ...changes
    }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value)
    return { verifier, address: `${publicUrl}/oauth/authorize?${query.toString()}` }
  }

  const redeem = async (
    client: string,
    code: string,
    verifier: string,
    changes: { readonly [name: string]: string } = {}
  ) => {
    const answer = await form("/oauth/token", {
      grant_type: "authorization_code",
      client_id: client,
      code,
      code_verifier: verifier,
      redirect_uri: redirect,
      ...changes
    })
    return { status: answer.status, body: await json(answer) }
  }

  const refresh = async (client: string, token: string, changes: { readonly [name: string]: string } = {}) => {
    const answer = await form("/oauth/token", {
      grant_type: "refresh_token",
      client_id: client,
      refresh_token: token,
      ...changes
    })
    return { status: answer.status, body: await json(answer) }
  }

  /** A code for an end user who allows it. */
  const code = async (client: string, workspace: string, endUser: string, of: { readonly browser?: Browser } = {}) => {
    const { address, verifier } = begin(client, workspace)
    const callback = await consentAs(of.browser ?? makeBrowser(handle), address, endUser)
    return { code: callback.searchParams.get("code") ?? "", verifier, callback }
  }

  /** Tokens of a new client for an end user. */
  const tokens = async (workspace: string, endUser: string) => {
    const client = await clientId()
    const given = await code(client, workspace, endUser)
    const { body } = await redeem(client, given.code, given.verifier)
    return { client, access: String(body["access_token"]), refresh: String(body["refresh_token"]), body }
  }

  /** Lists tools with a token, as far as its answer's status. */
  const call = (workspace: string, token: string, headers: { readonly [name: string]: string } = {}, path = "") =>
    send(`/api/v1/mcp/${workspace}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
    })

  return { send, form, register, clientId, begin, redeem, refresh, code, tokens, call }
}

export type Program = ReturnType<typeof makeProgram>
