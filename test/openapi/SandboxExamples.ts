import { Effect, Schema } from "effect"
import { SignIns } from "../../src/authorization/SignIns.ts"
import { resourcesOf } from "../../src/canonical/Catalogue.ts"
import type { Resource } from "../../src/canonical/Resource.ts"
import type { Example, Examples } from "../../src/openapi/Examples.ts"
import { has, type Operation, type ProviderAdapter } from "../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { derived, derivedKinds } from "../../src/testing/contract/DerivedSample.ts"
import { isWhole, type Sample, type Samples } from "../../src/testing/contract/Sample.ts"
import { attio } from "../contract/samples/Attio.ts"
import { close } from "../contract/samples/Close.ts"
import { hubSpot } from "../contract/samples/HubSpot.ts"
import { netSuite } from "../contract/samples/NetSuite.ts"
import { pipedrive } from "../contract/samples/Pipedrive.ts"
import { quickBooks } from "../contract/samples/QuickBooks.ts"
import { salesforce } from "../contract/samples/Salesforce.ts"
import { xeroSamples } from "../contract/samples/Xero.ts"
import { zohoBooks } from "../contract/samples/ZohoBooks.ts"
import { zohoCrm } from "../contract/samples/ZohoCrm.ts"
import { formBody, formType } from "../support/Forms.ts"
import {
  type Answer,
  type Call,
  type Doc,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication,
  walk
} from "../support/SandboxApplication.ts"
import { receiver } from "../webhooks/Receiver.ts"
import { soon } from "../webhooks/Soon.ts"
import { exampleOf, type Made } from "./Plain.ts"

/** The providers in the order in which examples are taken from them, with bodies that each accepts. */
const samples: ReadonlyArray<readonly [slug: string, samples: Samples]> = [
  ["hubspot", hubSpot],
  ["salesforce", salesforce],
  ["pipedrive", pipedrive],
  ["zoho_crm", zohoCrm],
  ["attio", attio],
  ["close", close],
  ["quickbooks", quickBooks],
  ["xero", xeroSamples],
  ["netsuite", netSuite],
  ["zoho_books", zohoBooks]
]

const verbs: ReadonlyArray<Operation> = ["list", "get", "create", "replace", "patch", "remove"]

/** The bodies of a resource's first kind at a provider. */
const sampleOf = Effect.fnUntraced(function* (
  slug: string,
  known: Samples,
  resource: Resource,
  resourceAdapter: ProviderAdapter["resources"][string],
  call: Call
) {
  const row = { provider: slug, resource, resourceAdapter }
  const kinds: Samples[string] = known[resource.name] ?? Object.fromEntries(derivedKinds(row).map((kind) => [kind, {}]))
  const [kind, given]: readonly [string, Samples[string][string]] = Object.entries(kinds)[0] ?? ["", {}]
  const own = typeof given === "function" ? yield* given(call) : given
  const sample: Sample = isWhole(own) ? own : { ...(yield* derived(row, kind, call, own)), ...own }
  return sample
})

const headersOf = (headers: Doc = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** Sends a request and keeps it with its answer, which has to be a success. */
const keeping = (made: Map<string, Made>, call: Call) =>
  Effect.fnUntraced(function* (operation: string, method: string, path: string, body?: unknown, headers?: Doc) {
    const answer = yield* call(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: headersOf(headers)
    })
    if (answer.status >= 300) {
      return yield* Effect.dieMessage(
        `${operation}: ${answer.status} ${JSON.stringify(answer.body)} to ${JSON.stringify(body)}`
      )
    }
    made.set(operation, { request: body, answer })
    return answer
  })

/** Lists that begin with another record in every sandbox: they go by ids of accounts, which are random. */
const unordered = new Set(["bank_feed_transaction"])

/** The record that examples show. */
const firstOf = Effect.fnUntraced(function* (call: Call, { name }: Resource, list: string) {
  if (!unordered.has(name)) return pageOf(yield* call("GET", `${list}&limit=1`)).data[0]
  const { records } = yield* walk(call, list)
  return records.toSorted((a, b) => textOf(a).localeCompare(textOf(b), "en"))[0]
})

const textOf = (record: Doc) =>
  `${String(record.transaction_date)} ${String(record.amount)} ${String(record.description)}`

/** The answer to a list of one record, with that record in it. */
const showing = (body: unknown, record: Doc): unknown => {
  const { data, ...envelope } = Page(body)
  return { ...envelope, data: { ...data, data: [record] } }
}

const anything = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const anythingIn = Schema.decodeUnknownSync(anything)
const Page = Schema.decodeUnknownSync(Schema.Struct({ data: anything }, anything))

/** The writable part of a record. */
const writtenOf = ({ fields }: Resource, record: Doc): Doc =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => fields[name]?.access === "rw" && value !== null))

/** Examples of a resource, each verb at the first provider that has it. */
const ofResource = Effect.fnUntraced(function* (resource: Resource, made: Map<string, Made>) {
  const app = yield* SandboxApplication
  const providers = yield* Providers
  const path = `/${resource.category}/${resource.name}`
  const able = samples.flatMap(([slug, known]) => {
    const resourceAdapter =
      providers.get(slug)?.category === resource.category ? providers.get(slug)?.resources[resource.name] : undefined
    return resourceAdapter === undefined ? [] : [{ slug, known, resourceAdapter }]
  })
  const ranked = able.toSorted(
    (a, b) =>
      verbs.filter((verb) => has(b.resourceAdapter, verb)).length -
      verbs.filter((verb) => has(a.resourceAdapter, verb)).length
  )
  for (const { known, resourceAdapter, slug } of ranked) {
    const name = (verb: string) => `${resource.category}_${resource.name}_${verb}`
    const lacks = (verb: Operation) => has(resourceAdapter, verb) && !made.has(name(verb))
    if (!verbs.some(lacks)) continue
    const { call } = yield* app.caller([slug])
    const keep = keeping(made, call)
    const of = `?provider=${slug}`
    const first = has(resourceAdapter, "list") ? yield* firstOf(call, resource, `${path}${of}`) : undefined
    if (lacks("list") && first !== undefined) {
      const { body, ...answer } = yield* call("GET", `${path}${of}&limit=1`)
      made.set(name("list"), { request: undefined, answer: { ...answer, body: showing(body, first) } })
    }
    const at = (record: Doc) => `${path}/${encodeURIComponent(String(record.remote_id))}${of}`
    if (lacks("get") && first !== undefined) yield* keep(name("get"), "GET", at(first))
    // files are made by their upload
    const makes = has(resourceAdapter, "create") && resource.name !== "attachment"
    if (!makes && !(first !== undefined && (lacks("patch") || lacks("replace")))) continue
    const sample = makes ? yield* sampleOf(slug, known, resource, resourceAdapter, call) : undefined
    const record =
      sample === undefined || !makes
        ? first
        : recordOf(
            lacks("create")
              ? yield* keep(name("create"), "POST", path + of, sample.full)
              : yield* call("POST", path + of, { body: sample.full })
          )
    if (record === undefined) continue
    const text = Object.entries(record).find(([field, value]) => {
      const declared = resource.fields[field]
      return declared?.access === "rw" && declared.kind === "text" && declared.values === undefined && value !== null
    })
    const change =
      sample !== undefined && Object.keys(sample.change).length > 0
        ? sample.change
        : Object.fromEntries(text === undefined ? [] : [text])
    if (lacks("patch")) yield* keep(name("patch"), "PATCH", at(record), change)
    if (lacks("replace")) {
      const body = sample === undefined ? writtenOf(resource, record) : { ...sample.full, ...sample.change }
      yield* keep(name("replace"), "PUT", at(record), body)
    }
    if (makes && has(resourceAdapter, "patch") && !made.has(name("batch"))) {
      const records = [{ id: record.remote_id, ...change }]
      yield* keep(name("batch"), "POST", `${path}/batch${of}`, { operation: "update", records })
    }
    if (lacks("remove")) yield* keep(name("remove"), "DELETE", at(record))
  }
})

/** Examples of files, of which only a provider with uploads has all. */
const ofAttachments = Effect.fnUntraced(function* (made: Map<string, Made>) {
  const { call } = yield* (yield* SandboxApplication).caller(["quickbooks"])
  const keep = keeping(made, call)
  const path = "/accounting/attachment"
  const of = "?provider=quickbooks"
  const [invoice = {}] = pageOf(yield* call("GET", "/accounting/invoice?provider=quickbooks&limit=1")).data
  const fields = {
    file_name: "receipt.txt",
    related_object_type: "invoice",
    related_object_id: String(invoice.id).replace("urn:uuid:", "")
  }
  const form = formBody([
    ...Object.entries(fields),
    ["file", { name: "receipt.txt", type: "text/plain", content: "Paid." }]
  ])
  const uploaded = yield* keep("accounting_attachment_create", "POST", path + of, form, { "content-type": formType })
  made.set("accounting_attachment_create", { request: { ...fields, file: "Paid." }, answer: uploaded })
  const at = `${path}/${String(recordOf(uploaded).remote_id)}`
  const attachment = recordOf(yield* call("GET", at + of))
  yield* keep("accounting_attachment_content", "GET", `${at}/content${of}`)
  yield* keep("accounting_attachment_patch", "PATCH", at + of, { file_name: "paid.txt" })
  yield* keep("accounting_attachment_replace", "PUT", at + of, {
    file_name: "paid.txt",
    related_object_type: attachment.related_object_type,
    related_object_id: attachment.related_object_id
  })
  yield* keep("accounting_attachment_remove", "DELETE", at + of)
})

/** Examples of what is passed on to providers. */
const ofPassthrough = Effect.fnUntraced(function* (made: Map<string, Made>) {
  const { call } = yield* (yield* SandboxApplication).caller(["hubspot", "close"])
  const keep = keeping(made, call)
  const contacts = "/passthrough/hubspot/crm/v3/objects/contacts"
  yield* keep("passthrough_get", "GET", `${contacts}?limit=1&properties=lastname`)
  const created = yield* keep("passthrough_post", "POST", contacts, { properties: { lastname: "Lovelace" } })
  const at = `${contacts}/${String(anythingIn(created.body).id)}`
  yield* keep("passthrough_patch", "PATCH", at, { properties: { lastname: "Byron" } })
  const people = "/passthrough/close/api/v1/contact/"
  const [first] = listOf(anythingIn((yield* call("GET", `${people}?_limit=1`)).body).data)
  const person = `${people}${String(first?.id)}/`
  yield* keep("passthrough_put", "PUT", person, { title: "Engineer" })
  yield* keep("passthrough_delete", "DELETE", person)
})

/** Examples of what the service itself holds. */
const ofManagement = Effect.fnUntraced(function* (made: Map<string, Made>) {
  const caller = yield* (yield* SandboxApplication).caller(["hubspot", "quickbooks"], { endUser: "ada" })
  const keep = keeping(made, caller.call)
  const connection = caller.connections.hubspot ?? ""
  yield* keep("providers.list", "GET", "/providers")
  yield* keep("providers.get", "GET", "/providers/hubspot")

  const override = { provider: "hubspot", resource: "contact", field: "title", native_field: "jobtitle" }
  yield* keep("fieldMappings.list", "GET", "/field-mappings?provider=hubspot&resource=contact")
  yield* keep("fieldMappings.preview", "POST", "/field-mappings/preview", override)
  yield* keep("fieldMappings.put", "PUT", "/field-mappings", override)
  yield* keep("fieldMappings.remove", "DELETE", "/field-mappings?provider=hubspot&resource=contact&field=title")

  yield* keep("connect.token", "POST", "/connect/token", {
    endUserId: "ada",
    displayName: "Ada Lovelace",
    email: "ada@engine.example",
    integrations: ["hubspot", "quickbooks"]
  })
  const imported = yield* keep("connections.create", "POST", "/connections", {
    endUserId: "ada",
    provider: "salesforce",
    accountName: "Engine Works",
    sandbox: {}
  })
  yield* keep("connections.list", "GET", "/connections?endUserId=ada&limit=1")
  yield* keep("connections.get", "GET", `/connections/${connection}`)
  yield* keep("connections.reconnect", "POST", `/connections/${connection}/reconnect`)
  yield* keep("connections.remove", "DELETE", `/connections/${String(recordOf(imported).id)}`)

  const workspace = yield* keep("workspaces.create", "POST", "/mcp/workspaces", {
    name: "Sales assistant",
    integrations: ["crm"],
    confirm: "destructive",
    keepContentDays: 30
  })
  const at = `/mcp/workspaces/${String(recordOf(workspace).id)}`
  yield* keep("workspaces.list", "GET", "/mcp/workspaces?limit=1")
  yield* keep("workspaces.models", "GET", "/mcp/models")
  yield* keep("workspaces.update", "PATCH", at, { name: "Sales agent" })
  const runtime = `/mcp/${String(recordOf(workspace).id)}`
  const streams = { accept: "application/json, text/event-stream" }
  yield* keep("tool_runtime", "POST", runtime, { jsonrpc: "2.0", id: 1, method: "ping" }, streams)
  yield* keep("chat", "POST", `${runtime}/chat`, { message: "hello" })
  const params = { name: "crm_get_owner", arguments: { id: "71284630" } }
  yield* caller.call("POST", runtime, {
    body: { jsonrpc: "2.0", id: 2, method: "tools/call", params },
    headers: streams
  })
  const calls = yield* keep("toolCalls.list", "GET", "/tool-calls?limit=1")
  yield* keep("toolCalls.get", "GET", `/tool-calls/${String(pageOf(calls).data[0]?.id)}`)

  // a client that can ask nobody
  yield* caller.call("POST", runtime, {
    body: {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "crm_delete_contact", arguments: { provider: "hubspot", id: "27410002331" } }
    },
    headers: streams
  })
  const [asked = {}] = pageOf(yield* keep("approvals.list", "GET", "/approvals?limit=1")).data
  yield* keep("approvals.get", "GET", `/approvals/${String(asked.id)}`)
  yield* keep("approvals.decide", "POST", `/approvals/${String(asked.id)}`, { decision: "approve" })

  const [chat = {}] = pageOf(yield* keep("chatSessions.list", "GET", "/chat-sessions?limit=1")).data
  yield* keep("chatSessions.get", "GET", `/chat-sessions/${String(chat.id)}`)
  yield* keep("chatSessions.messages", "GET", `/chat-sessions/${String(chat.id)}/messages?limit=2`)
  const session = "/chat-sessions/3f0c2f0e-6a53-4c1e-9a51-0c8f4b1f7f55/context"
  yield* keep("sessionContexts.put", "PUT", session, { context: "The user is Ada, of the sales team." })
  yield* keep("sessionContexts.get", "GET", session)
  yield* keep("sessionContexts.remove", "DELETE", session)
  yield* keep("chatSessions.remove", "DELETE", `/chat-sessions/${String(chat.id)}`)

  yield* keep("allowedOrigins.put", "PUT", "/settings/allowed-origins", { origins: ["https://app.example.com"] })
  yield* keep("allowedOrigins.get", "GET", "/settings/allowed-origins")
  yield* keep("signIn.put", "PUT", "/settings/sign-in", { url: "https://app.example.com/connect-agent" })
  yield* keep("signIn.get", "GET", "/settings/sign-in")
  yield* keep("signIn.remove", "DELETE", "/settings/sign-in")
  const signIns = yield* SignIns
  const challenged = (interaction: string) =>
    Effect.map(
      signIns.ask(interaction, {
        workspaceId: String(recordOf(workspace).id),
        clientId: "https://claude.ai/oauth/claude-code-client-metadata",
        clientName: "Claude Code",
        redirectHost: "localhost",
        scopes: ["tools:read", "tools:write"]
      }),
      (challenge) => `/mcp/authorizations/${challenge}`
    )
  const challenge = yield* challenged("one")
  yield* keep("mcpAccess.challenge", "GET", challenge)
  yield* keep("mcpAccess.accept", "POST", `${challenge}/accept`, { endUserId: "ada", displayName: "Ada Lovelace" })
  yield* keep("mcpAccess.reject", "POST", `${yield* challenged("two")}/reject`, { reason: "not a customer" })
  const token = yield* keep("mcpAccess.token", "POST", `${at}/tokens`, { endUserId: "ada", readOnly: true })
  yield* keep("mcpAccess.grants", "GET", "/mcp/grants?limit=1")
  yield* keep("mcpAccess.endGrant", "DELETE", `/mcp/grants/${String(recordOf(token).grantId)}`)
  yield* keep("workspaces.archive", "DELETE", at)

  const key = yield* keep("apiKeys.create", "POST", "/api-keys", { name: "Nightly export", scopes: ["records:read"] })
  yield* keep("apiKeys.list", "GET", "/api-keys?limit=1")
  yield* keep("apiKeys.revoke", "DELETE", `/api-keys/${String(recordOf(key).id)}`)
  yield* keep("apiKeys.events", "GET", "/api-keys/events?limit=1")

  const followed = "example-0b6ffaa2"
  yield* caller.call("GET", "/crm/contact/no-such-id?provider=hubspot", { headers: { "x-request-id": followed } })
  yield* keep("requests.list", "GET", "/requests?code=CONTACT_NOT_FOUND&record_id=no-such-id&limit=1")
  yield* keep("requests.get", "GET", `/requests/${followed}`)

  yield* keep("endUsers.list", "GET", "/end-users?limit=1")
  yield* keep("endUsers.get", "GET", "/end-users/ada")
  yield* keep("endUsers.export", "GET", "/end-users/ada/export")
  yield* keep("endUsers.erase", "DELETE", "/end-users/ada")
})

/** Examples of webhooks, with an endpoint on this machine. */
const ofWebhooks = Effect.fnUntraced(function* (made: Map<string, Made>) {
  const { call } = yield* (yield* SandboxApplication).caller(["hubspot"], { endUser: "grace" })
  const keep = keeping(made, call)
  const { url } = yield* receiver(() => ({ body: "thanks" }))
  const webhook = yield* keep("webhooks.create", "POST", "/webhooks", {
    url,
    types: ["connection.created", "record.created", "record.updated"],
    include_record: false
  })
  const at = `/webhooks/${String(recordOf(webhook).id)}`
  yield* keep("webhooks.list", "GET", "/webhooks?limit=1")
  yield* keep("webhooks.get", "GET", at)
  yield* keep("webhooks.update", "PATCH", at, { types: ["connection.created", "connection.removed"] })
  yield* call("POST", "/connections", { body: { endUserId: "grace", provider: "xero", sandbox: {} } })
  yield* keep("events.list", "GET", "/events?limit=1")
  const [delivery] = yield* soon(
    Effect.map(call("GET", `${at}/deliveries`), (answer) => pageOf(answer).data),
    ([one]) => one?.status === "delivered"
  )
  yield* keep("webhooks.deliveries", "GET", `${at}/deliveries?limit=1`)
  yield* keep("webhooks.redeliver", "POST", `${at}/deliveries/${String(delivery?.id)}/redeliver`)
  yield* keep("webhooks.test", "POST", `${at}/test`)
  yield* keep("webhooks.rotateSecret", "POST", `${at}/rotate-secret`)
  yield* keep("webhooks.remove", "DELETE", at)
}, Effect.scoped)

/** Examples of watches, of an account that is in no other: what they read on the way differs from run to run. */
const ofWatches = Effect.fnUntraced(function* (made: Map<string, Made>) {
  const caller = yield* (yield* SandboxApplication).caller(["hubspot", "quickbooks"])
  const keep = keeping(made, caller.call)
  yield* keep("watches.put", "PUT", "/watches", {
    resources: ["crm/contact", "accounting/invoice"],
    providers: ["hubspot", "quickbooks"],
    interval: 5
  })
  yield* keep("watches.get", "GET", "/watches")
  // how far it got by now differs from machine to machine
  const followed = yield* caller
    .call("GET", "/watches/connections?limit=1")
    .pipe(Effect.repeat({ until: (answer) => pageOf(answer).data.length > 0 }))
  const [first = {}] = pageOf(followed).data
  made.set("watches.connections", {
    request: undefined,
    answer: {
      ...followed,
      body: showing(followed.body, { ...first, state: "following", lag: 3, polledAt: first.since, dueAt: first.since })
    }
  })
  yield* keep("watches.remove", "DELETE", "/watches")
})

/** Failures that a caller meets without anything being broken, by their names. */
const failures = Effect.gen(function* () {
  const app = yield* SandboxApplication
  const { call } = yield* app.caller(["hubspot", "quickbooks"])
  const contact = "/crm/contact?provider=hubspot"
  const body = { last_name: "Lovelace" }
  const of = (body: unknown, more: Doc = {}) => ({ body, headers: headersOf(more) })
  const key = recordOf(yield* call("POST", "/api-keys", { body: { name: "Reader", scopes: ["records:read"] } })).key
  yield* call("POST", contact, of(body, { "idempotency-key": "first" }))
  const all: { readonly [name: string]: Answer } = {
    BadRequest: yield* call("GET", "/crm/contact?limit=0"),
    Unauthorized: yield* app.send("GET", "/api/v1/crm/contact"),
    Forbidden: yield* call("POST", contact, of(body, { authorization: `Bearer ${String(key)}` })),
    NotFound: yield* call("GET", "/crm/contact/0?provider=hubspot"),
    MethodNotAllowed: yield* call("POST", "/crm/owner?provider=hubspot", of(body)),
    Conflict: yield* call("POST", contact, of({ last_name: "Byron" }, { "idempotency-key": "first" })),
    PayloadTooLarge: yield* call("POST", contact, of({ last_name: "a".repeat(1_100_000) })),
    UnsupportedMediaType: yield* call("POST", contact, of("last_name=Lovelace", { "content-type": "text/plain" })),
    Unprocessable: yield* call("POST", contact, of({ last_nam: "Lovelace" }))
  }
  return all
})

/** Changes here are answered once they are in force. */
const waiting = ["/field-mappings", "/watches"]

/** Its callers, for whom time stands still: how long a slow machine takes must not be in an example. */
const standing = (app: typeof SandboxApplication.Service): typeof SandboxApplication.Service => ({
  ...app,
  caller: (providers, given) =>
    Effect.map(app.caller(providers, given), (caller) => ({
      ...caller,
      call: (method, path, options) =>
        caller.call(method, path, { ...options, timeStands: !waiting.some((place) => path.startsWith(place)) })
    }))
})

/** An example of every operation, and of failures, as the sandbox answers. */
export const sandboxExamples: Effect.Effect<Examples, never, SandboxApplication | Providers | SignIns> = Effect.gen(
  function* () {
    const made = new Map<string, Made>()
    yield* ofAttachments(made)
    for (const category of ["crm", "accounting"] as const) {
      for (const resource of resourcesOf(category)) yield* ofResource(resource, made)
    }
    yield* ofPassthrough(made)
    yield* ofManagement(made)
    yield* ofWebhooks(made)
    const refused = yield* failures
    // last, since time goes on
    yield* ofWatches(made)
    const sorted = <A>(all: Iterable<readonly [string, A]>) => [...all].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const operations: { [id: string]: Example } = {}
    for (const [operation, one] of sorted(made)) operations[operation] = exampleOf(one)
    const failed: { [name: string]: Example } = {}
    for (const [name, answer] of sorted(Object.entries(refused))) {
      failed[name] = exampleOf({ request: undefined, answer })
    }
    return { operations, failures: failed }
  }
).pipe(Effect.updateService(SandboxApplication, standing))
