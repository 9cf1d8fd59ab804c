import { Effect, Schema } from "effect"
import { SignIns } from "../../src/authorization/SignIns.ts"
import { find } from "../../src/canonical/Catalogue.ts"
import { readExamples } from "../../src/openapi/ExampleFiles.ts"
import { has, type Operation, operations } from "../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { storeEverything } from "../endusers/Everything.ts"
import { formBody, formType } from "../support/Forms.ts"
import {
  type Answer,
  type Caller,
  type Doc,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication
} from "../support/SandboxApplication.ts"

/** A request for something of the owner's, which the owner may send and others may send in vain. */
export interface Probe {
  readonly path: string
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  /** Nothing waits for time to pass. */
  readonly timeStands?: true
  /** Code of the refusal that others get; absent: they get an answer of their own. */
  readonly refused?: string
  /** Text of the owner's answer that no other's may hold. */
  readonly shows?: string
  /** Code of the refusal that another end user of the owner gets, or `own` for an answer of their own; absent: it is of no end user. */
  readonly endUser?: string
}

/** Has one more end user erased, and everything of another stored; gives the ids by which it can be asked for. */
export const storeOwned = Effect.fnUntraced(function* (owner: Caller) {
  const app = yield* SandboxApplication
  const gone = yield* app.caller([], { tenancy: owner.tenancy, endUser: "gone" })
  yield* gone.call("DELETE", "/end-users/gone")
  const { sessionId, workspace } = yield* storeEverything(owner)
  const { call } = owner
  const ask = (method: string, path: string, body?: unknown) => Effect.map(call(method, path, { body }), recordOf)
  const first = (path: string) => Effect.map(call("GET", path), (answer) => String(pageOf(answer).data[0]?.id))
  const key = yield* ask("POST", "/api-keys", { name: "Key of the owner", scopes: ["records:read"] })
  yield* ask("PUT", "/settings/sign-in", { url: "https://owner.example/sign-in" })
  yield* ask("PUT", "/settings/allowed-origins", { origins: ["https://pages-of-the-owner.example"] })
  yield* call("PUT", "/field-mappings", {
    body: { provider: "hubspot", resource: "contact", field: "title", native_field: "industry" }
  })
  const written = {
    body: { last_name: "Kept of the owner" },
    headers: { "idempotency-key": "key of the owner" }
  }
  const contact = recordOf(yield* call("POST", "/crm/contact?provider=hubspot", written))
  const signIns = yield* SignIns
  const asked = (interaction: string) =>
    signIns.ask(interaction, {
      workspaceId: workspace,
      clientId: "https://host.example/client",
      clientName: "Host",
      redirectHost: "localhost",
      scopes: ["tools:read"]
    })
  yield* ask("POST", `/mcp/authorizations/${yield* asked("accepted")}/accept`, { endUserId: owner.endUser })
  const request = "request-of-the-owner"
  yield* call("GET", "/crm/owner/of-the-owner?provider=hubspot", { headers: { "x-request-id": request } })
  const webhook = yield* first("/webhooks")
  return {
    workspace,
    sessionId,
    webhook,
    delivery: String(pageOf(yield* call("GET", `/webhooks/${webhook}/deliveries`)).data[0]?.id),
    hubspot: owner.connections["hubspot"] ?? "",
    close: owner.connections["close"] ?? "",
    endUser: owner.endUser,
    key: String(key.id),
    contact: String(contact.remote_id),
    cursor: String(pageOf(yield* call("GET", "/crm/contact?limit=1")).pagination.cursor),
    challenge: yield* asked("answered"),
    rejected: yield* asked("rejected"),
    grant: yield* first("/mcp/grants"),
    approval: yield* first("/approvals"),
    toolCall: yield* first("/tool-calls"),
    chat: yield* first("/chat-sessions"),
    event: yield* first("/events"),
    request,
    person: String(listOf(recordBody(yield* call("GET", "/passthrough/close/api/v1/contact/?_limit=1")))[0]?.id),
    written
  }
})

const recordBody = (answer: Answer) =>
  Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Unknown }))(answer.body).data

type Owned = Effect.Effect.Success<ReturnType<typeof storeOwned>>

/** Routes that answer everybody alike, and why. */
export const open: { readonly [route: string]: string } = {
  "providers.list": "what the service can do",
  "providers.get": "what the service can do",
  "workspaces.models": "models of the service",
  "connections.create": "makes what is the caller's own, of an end user whom it names"
}

const streams = { accept: "application/json, text/event-stream" }

/** Requests for what the owner has, by route, in an order in which the owner can send them. */
export const probesOf = (owned: Owned): { readonly [route: string]: ReadonlyArray<Probe> } => {
  const { approval, challenge, chat, contact, delivery, endUser, event, grant, hubspot, key, webhook, workspace } =
    owned
  const session = `/chat-sessions/${owned.sessionId}`
  const user = `/end-users/${encodeURIComponent(endUser)}`
  const ofHubSpot = { "x-connection-id": hubspot }
  const passed = (method: string, path: string, body?: Doc): { readonly [route: string]: ReadonlyArray<Probe> } => ({
    [`passthrough.${method}`]: [
      {
        path: `/passthrough/hubspot/crm/v3/objects/contacts${path}`,
        headers: ofHubSpot,
        refused: "CONNECTION_NOT_FOUND",
        endUser: "CONNECTION_NOT_FOUND",
        ...(body === undefined ? {} : { body })
      }
    ]
  })
  const at = { refused: "WORKSPACE_NOT_FOUND" }
  const mapping = { provider: "hubspot", resource: "contact", field: "title", native_field: "jobtitle" }
  return {
    // without a connection's id: what was stored for the owner is told to no other key
    "crm_contact.list": [
      { path: "/crm/contact?limit=100&created_after=2026-11-20", shows: "Kept of the owner", endUser: "own" },
      {
        path: `/crm/contact?limit=1&cursor=${encodeURIComponent(owned.cursor)}`,
        refused: "INVALID_CURSOR",
        endUser: "INVALID_CURSOR"
      }
    ],
    "crm_contact.create": [
      {
        path: "/crm/contact?provider=hubspot",
        ...owned.written,
        refused: "PROVIDER_NOT_CONNECTED",
        endUser: "PROVIDER_NOT_CONNECTED",
        shows: contact
      }
    ],
    ...passed("get", `/${contact}`),
    ...passed("patch", `/${contact}`, { properties: { firstname: "Passed" } }),
    "passthrough.put": [
      {
        path: `/passthrough/close/api/v1/contact/${owned.person}/`,
        body: { title: "Passed" },
        headers: { "x-connection-id": owned.close },
        refused: "CONNECTION_NOT_FOUND",
        endUser: "CONNECTION_NOT_FOUND"
      }
    ],
    ...passed("post", "", { properties: { lastname: "Passed" } }),
    "toolRuntime.message": [
      { path: `/mcp/${workspace}`, body: { jsonrpc: "2.0", id: 1, method: "ping" }, headers: streams, ...at },
      {
        path: `/mcp/${workspace}`,
        body: {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "crm_get_contact", arguments: { provider: "hubspot", id: contact } }
        },
        headers: streams,
        shows: "Kept of the owner",
        endUser: "own",
        ...at
      }
    ],
    "chat.chat": [
      {
        path: `/mcp/${workspace}/chat`,
        body: { message: "text" },
        headers: { "x-session-id": owned.sessionId },
        endUser: "CHAT_SESSION_NOT_FOUND",
        ...at
      }
    ],
    "chat.resume": [{ path: `/mcp/${workspace}/chat/${chat}/stream`, ...at }],
    "fieldMappings.list": [{ path: "/field-mappings?provider=hubspot&resource=contact", shows: "properties.industry" }],
    "fieldMappings.preview": [
      { path: "/field-mappings/preview", body: mapping, headers: ofHubSpot, refused: "CONNECTION_NOT_FOUND" }
    ],
    "fieldMappings.put": [
      { path: "/field-mappings", body: mapping, headers: ofHubSpot, refused: "CONNECTION_NOT_FOUND" }
    ],
    "fieldMappings.remove": [
      { path: "/field-mappings?provider=hubspot&resource=contact&field=title", refused: "NOT_FOUND" }
    ],
    "connect.token": [{ path: "/connect/token", body: { endUserId: endUser } }],
    "connections.list": [{ path: "/connections", shows: hubspot }],
    "connections.get": [{ path: `/connections/${hubspot}`, refused: "CONNECTION_NOT_FOUND" }],
    "connections.reconnect": [{ path: `/connections/${hubspot}/reconnect`, refused: "CONNECTION_NOT_FOUND" }],
    "endUsers.list": [{ path: "/end-users", shows: `Name of ${endUser}` }],
    "endUsers.get": [{ path: user, shows: `Name of ${endUser}` }],
    "endUsers.export": [{ path: `${user}/export`, shows: hubspot }],
    "events.list": [{ path: "/events", shows: event }],
    "webhooks.list": [{ path: "/webhooks", shows: webhook }],
    "webhooks.create": [{ path: "/webhooks", body: { url: "http://127.0.0.1:9/", types: ["connection.created"] } }],
    "webhooks.get": [{ path: `/webhooks/${webhook}`, refused: "WEBHOOK_NOT_FOUND" }],
    "webhooks.update": [
      { path: `/webhooks/${webhook}`, body: { types: ["connection.removed"] }, refused: "WEBHOOK_NOT_FOUND" }
    ],
    "webhooks.rotateSecret": [{ path: `/webhooks/${webhook}/rotate-secret`, refused: "WEBHOOK_NOT_FOUND" }],
    "webhooks.test": [{ path: `/webhooks/${webhook}/test`, refused: "WEBHOOK_NOT_FOUND" }],
    "webhooks.deliveries": [{ path: `/webhooks/${webhook}/deliveries`, refused: "WEBHOOK_NOT_FOUND" }],
    "webhooks.redeliver": [
      { path: `/webhooks/${webhook}/deliveries/${delivery}/redeliver`, refused: "WEBHOOK_NOT_FOUND" }
    ],
    "webhooks.remove": [{ path: `/webhooks/${webhook}`, refused: "WEBHOOK_NOT_FOUND" }],
    "watches.get": [{ path: "/watches", shows: `"crm/contact"` }],
    "watches.connections": [{ path: "/watches/connections", shows: hubspot }],
    "watches.put": [{ path: "/watches", body: { resources: ["crm/company"] } }],
    "watches.remove": [{ path: "/watches" }],
    "workspaces.list": [{ path: "/mcp/workspaces", shows: workspace }],
    "workspaces.create": [{ path: "/mcp/workspaces", body: { name: "Own" } }],
    "workspaces.update": [{ path: `/mcp/workspaces/${workspace}`, body: { name: "Changed" }, ...at }],
    "sessionContexts.get": [{ path: `${session}/context`, shows: `Context of ${endUser}` }],
    "sessionContexts.put": [{ path: `${session}/context`, body: { context: "Own" } }],
    "sessionContexts.remove": [{ path: `${session}/context` }],
    "chatSessions.list": [{ path: "/chat-sessions", shows: chat }],
    "chatSessions.get": [{ path: `/chat-sessions/${chat}`, refused: "CHAT_SESSION_NOT_FOUND" }],
    "chatSessions.messages": [{ path: `/chat-sessions/${chat}/messages`, refused: "CHAT_SESSION_NOT_FOUND" }],
    "chatSessions.remove": [{ path: `/chat-sessions/${chat}`, refused: "CHAT_SESSION_NOT_FOUND" }],
    "approvals.list": [{ path: "/approvals", shows: approval }],
    "approvals.get": [{ path: `/approvals/${approval}`, refused: "APPROVAL_NOT_FOUND" }],
    "approvals.decide": [
      { path: `/approvals/${approval}`, body: { decision: "refuse" }, refused: "APPROVAL_NOT_FOUND" }
    ],
    "toolCalls.list": [{ path: "/tool-calls", shows: owned.toolCall }],
    "toolCalls.get": [{ path: `/tool-calls/${owned.toolCall}`, refused: "TOOL_CALL_NOT_FOUND" }],
    "mcpAccess.challenge": [{ path: `/mcp/authorizations/${challenge}`, refused: "AUTHORIZATION_NOT_FOUND" }],
    "mcpAccess.accept": [
      {
        path: `/mcp/authorizations/${challenge}/accept`,
        body: { endUserId: endUser },
        refused: "AUTHORIZATION_NOT_FOUND"
      }
    ],
    "mcpAccess.reject": [
      {
        path: `/mcp/authorizations/${owned.rejected}/reject`,
        body: { reason: "no" },
        refused: "AUTHORIZATION_NOT_FOUND"
      }
    ],
    "mcpAccess.token": [{ path: `/mcp/workspaces/${workspace}/tokens`, body: { endUserId: endUser }, ...at }],
    "mcpAccess.grants": [{ path: "/mcp/grants", shows: grant }],
    "mcpAccess.endGrant": [{ path: `/mcp/grants/${grant}`, refused: "GRANT_NOT_FOUND" }],
    "workspaces.archive": [{ path: `/mcp/workspaces/${workspace}`, ...at }],
    "allowedOrigins.get": [{ path: "/settings/allowed-origins", shows: "https://pages-of-the-owner.example" }],
    "allowedOrigins.put": [{ path: "/settings/allowed-origins", body: { origins: ["https://own.example"] } }],
    "signIn.get": [{ path: "/settings/sign-in", shows: "https://owner.example/sign-in" }],
    "signIn.put": [{ path: "/settings/sign-in", body: { url: "https://own.example/" } }],
    "signIn.remove": [{ path: "/settings/sign-in" }],
    "requests.list": [{ path: "/requests?record_id=of-the-owner", shows: owned.request }],
    "requests.get": [{ path: `/requests/${owned.request}`, refused: "REQUEST_NOT_FOUND" }],
    "apiKeys.list": [{ path: "/api-keys", shows: "Key of the owner" }],
    "apiKeys.create": [{ path: "/api-keys", body: { name: "Own", scopes: ["records:read"] } }],
    "apiKeys.events": [{ path: "/api-keys/events", shows: key }],
    "apiKeys.revoke": [{ path: `/api-keys/${key}`, refused: "API_KEY_NOT_FOUND" }],
    ...passed("delete", `/${contact}`),
    "connections.remove": [{ path: `/connections/${hubspot}`, refused: "CONNECTION_NOT_FOUND" }],
    "endUsers.erase": [{ path: user }]
  }
}

const examples = Effect.runSync(readExamples())

/** The operation of a provider that a route of records needs. */
const needed = (endpoint: string): Operation =>
  operations.find((one) => one === endpoint) ?? (endpoint === "content" ? "download" : "patch")

/** The request to a route of records, for the owner's connection to a provider that has it; the body is an example's. */
export const recordProbe = Effect.fnUntraced(function* (
  path: string,
  endpoint: string,
  connectionTo: (provider: string) => Effect.Effect<string>
) {
  const [, category, name = ""] = /^\/(crm|accounting)\/(\w+)/.exec(path) ?? []
  if (category !== "crm" && category !== "accounting") return undefined
  const resource = find(category, name)
  if (resource === undefined) return undefined
  const able = (yield* Providers).all(category).find((adapter) => {
    const resourceAdapter = adapter.resources[name]
    return resourceAdapter !== undefined && has(resourceAdapter, needed(endpoint))
  })
  if (able === undefined) return undefined
  const headers = { "x-connection-id": yield* connectionTo(able.slug) }
  const refused = { refused: "CONNECTION_NOT_FOUND", endUser: "CONNECTION_NOT_FOUND", timeStands: true } as const
  const at = `${path.replace(":id", "1")}?provider=${able.slug}`
  if (name === "attachment" && endpoint === "create") {
    const form = formBody([
      ["file_name", "owned.txt"],
      ["file", { name: "owned.txt", type: "text/plain", content: "Own." }]
    ])
    return { path: at, body: form, headers: { ...headers, "content-type": formType }, ...refused } satisfies Probe
  }
  const { request } = examples.operations[`${category}_${name}_${endpoint}`] ?? {}
  return { path: at, headers, ...refused, ...(request === undefined ? {} : { body: request }) } satisfies Probe
})
