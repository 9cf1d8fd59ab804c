import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ToolCatalogue } from "../../src/agent/ToolCatalogue.ts"
import { RequestLog } from "../../src/requests/RequestLog.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { type Fault, Faults } from "../../src/providers/simulation/Faults.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { mockProvider, TestApplication, testApplication } from "../../src/testing.ts"
import { formBody, formType } from "../support/Forms.ts"
import {
  type Answer,
  type Caller,
  failureOf,
  type Options,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

/** A read of each provider's own API, and a text that its own answer has. */
const reads: { readonly [slug: string]: readonly [path: string, text: string] } = {
  attio: ["/v2/self", '"workspace_id":'],
  close: ["/api/v1/me/", '"organizations":'],
  hubspot: ["/crm/v3/objects/contacts?limit=1&properties=firstname&properties=lastname", '"lastname":'],
  netsuite: ["/services/rest/record/v1/customer?limit=1", '"hasMore":true'],
  pipedrive: ["/api/v1/users/me", '"company_id":'],
  quickbooks: ["/v3/company/:realmId/query?query=select%20*%20from%20Customer%20maxresults%201", '"QueryResponse":'],
  salesforce: ["/services/data/v66.0/query?q=SELECT+Id+FROM+Contact+LIMIT+1", '"totalSize":'],
  xero: ["/api.xro/2.0/Organisation", '"OrganisationID":'],
  zoho_books: ["/books/v3/contacts?per_page=1", '"contact_id":'],
  zoho_crm: ["/crm/v8/Contacts?fields=Last_Name&per_page=1", '"Last_Name":']
}

const contacts = "/passthrough/hubspot/crm/v3/objects/contacts"
const body = { properties: { lastname: "Lovelace" } }

const readBody = Schema.decodeUnknownSync(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** The status of an answer, and that of the provider where the answer is its own. */
const statusesOf = ({ headers, status }: Answer) => [status, headers.get("provider-status")]

/** Has the simulator of HubSpot misbehave, and nothing else. */
const misbehaving = (fault: Omit<Fault, "provider">) =>
  Effect.flatMap(Faults, (faults) => Effect.zipRight(faults.clear, faults.add({ provider: "hubspot", ...fault })))

/** How often a fault that was to come up so many times did. */
const hits = (times: number) =>
  Effect.gen(function* () {
    const faults = yield* Faults
    let left = 0
    while ((yield* faults.take("hubspot", "POST", "/")).length > 0) left += 1
    return times - left
  })

layer(sandboxApplication(), { timeout: "60 seconds" })("passthrough in the sandbox", (it) => {
  const callerOf = (...providers: ReadonlyArray<string>) =>
    Effect.flatMap(SandboxApplication, ({ caller }) => caller(providers))

  it.effect("is there for every provider", () =>
    Effect.map(Providers, (providers) => {
      const reached = providers.all().flatMap(({ api, slug }) => (api === undefined ? [] : [slug]))
      assert.deepStrictEqual(reached.toSorted(), Object.keys(reads))
    })
  )

  it.effect.each(Object.entries(reads))(
    "%s: reaches its simulator, and hands back its answer",
    ([slug, [path, text]]) =>
      Effect.gen(function* () {
        const mine = yield* callerOf(slug)
        const answer = yield* mine.call("GET", `/passthrough/${slug}${path}`)
        assert.deepStrictEqual(statusesOf(answer), [200, "200"], JSON.stringify(answer.body))
        assert.include(JSON.stringify(answer.body), text)
        assert.match(answer.headers.get("content-type") ?? "", /json/)
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        const { apiRoot } = recordOf(yield* mine.call("GET", `/providers/${slug}`))
        assert.match(String(apiRoot), /^https:\/\/[^/]+$/)
      })
  )

  it.effect("writes and removes, and hands back what the provider refuses, in its own words", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("hubspot")
      const made = yield* call("POST", contacts, { body })
      assert.deepStrictEqual(statusesOf(made), [201, "201"])
      const id = String(readBody(made.body).id)
      const canonical = `/crm/contact/${id}?provider=hubspot`
      assert.strictEqual(recordOf(yield* call("GET", canonical)).last_name, "Lovelace")
      const changed = yield* call("PATCH", `${contacts}/${id}`, { body: { properties: { lastname: "Byron" } } })
      assert.deepStrictEqual(statusesOf(changed), [200, "200"])
      assert.strictEqual(recordOf(yield* call("GET", canonical)).last_name, "Byron")
      const removed = yield* call("DELETE", `${contacts}/${id}`)
      assert.deepStrictEqual([...statusesOf(removed), removed.body], [204, "204", ""])
      const gone = yield* call("GET", `${contacts}/${id}`)
      assert.deepStrictEqual(statusesOf(gone), [404, "404"])
      assert.strictEqual(readBody(gone.body).category, "OBJECT_NOT_FOUND")
    })
  )

  it.effect("keeps to the end user, the organisation and the environment; X-Connection-Id picks", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const mine = yield* callerOf("hubspot")
      const path = `${contacts}/${String(readBody((yield* mine.call("POST", contacts, { body })).body).id)}`
      const asked = (caller: Caller, options: Options = {}) => Effect.map(caller.call("GET", path, options), statusesOf)
      const picking = (id: string | undefined) => ({ headers: { "x-connection-id": String(id) } })
      assert.deepStrictEqual(yield* asked(mine), [200, "200"])
      const colleague = yield* app.caller(["hubspot"], { tenancy: mine.tenancy })
      const stranger = yield* app.caller(["hubspot"], { endUser: mine.endUser })
      for (const other of [colleague, stranger]) {
        assert.deepStrictEqual(yield* asked(other), [404, "404"], "not in their accounts")
        const foreign = yield* other.call("GET", path, picking(mine.connections.hubspot))
        assert.deepStrictEqual(refusalOf(foreign), [404, "CONNECTION_NOT_FOUND"])
      }
      const live = yield* app.caller([], { environment: "production", endUser: mine.endUser })
      assert.deepStrictEqual(refusalOf(yield* live.call("GET", path)), [404, "PROVIDER_NOT_CONNECTED"])
      const nobody = { headers: { "x-end-user-id": "nobody" } }
      assert.deepStrictEqual(refusalOf(yield* mine.call("GET", path, nobody)), [404, "END_USER_NOT_FOUND"])
      const unnamed = { headers: { "x-end-user-id": undefined } }
      assert.deepStrictEqual(refusalOf(yield* mine.call("GET", path, unnamed)), [400, "MISSING_END_USER"])

      const second = yield* app.connect(mine, "hubspot")
      assert.deepStrictEqual(refusalOf(yield* mine.call("GET", path)), [409, "CONNECTION_AMBIGUOUS"])
      assert.deepStrictEqual(yield* asked(mine, picking(mine.connections.hubspot)), [200, "200"])
      assert.deepStrictEqual(yield* asked(mine, picking(second)), [404, "404"])
    })
  )

  it.effect("needs the scope, and a provider; toolkits are none", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const mine = yield* callerOf("attio", "github")
      const { key } = yield* (yield* ApiKeys).create(mine.tenancy.organisation, "sandbox", {
        scopes: ["records:read", "records:write", "agents", "admin"]
      })
      const lacking = yield* app.caller([], { tenancy: { ...mine.tenancy, key }, endUser: mine.endUser })
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
        assert.strictEqual((yield* lacking.call(method, "/passthrough/attio/v2/self")).status, 403, method)
      }
      for (const slug of ["github", "crm", "nowhere", "attio%40evil.example", "attio%3A8080"]) {
        const answer = yield* mine.call("GET", `/passthrough/${slug}/user`)
        assert.deepStrictEqual(refusalOf(answer), [404, "PROVIDER_NOT_FOUND"], slug)
        assert.isNull(answer.headers.get("provider-status"))
      }
      assert.deepStrictEqual(refusalOf(yield* mine.call("OPTIONS", "/passthrough/attio/v2/self"))[0], 405)
    })
  )

  it.effect("is no tool of an agent", () =>
    Effect.map(ToolCatalogue, (catalogue) => {
      const names = catalogue.tools().map(({ name }) => name)
      assert.isAbove(names.length, 50)
      assert.deepStrictEqual(
        names.filter((name) => /pass|native|proxy|raw/i.test(name)),
        []
      )
    })
  )

  it.effect("is about the account of the connection and no other", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("quickbooks", "xero", "zoho_books")
      /** The connection's own account, as the refusal of another one names it. */
      const named = (answer: Answer, pattern: RegExp) => pattern.exec(failureOf(answer).message)?.[1] ?? ""
      const company = (realm: string, beginning = "/v3/company/") =>
        `/passthrough/quickbooks${beginning}${realm}/companyinfo/1`
      const organisation = "/passthrough/xero/api.xro/2.0/Organisation"
      const tenant = (id: string) => ({ headers: { "xero-tenant-id": id } })
      const books = "/passthrough/zoho_books/books/v3/contacts"

      const realm = named(yield* call("GET", company("1")), /begin with \/v3\/company\/(\d+),/)
      const xero = named(yield* call("GET", organisation, tenant("1")), /must be ([\w-]+),/)
      const own = named(yield* call("GET", `${books}?organization_id=1`), /must be (\d+),/)
      for (const [path, options] of [
        [company(realm), {}],
        [organisation, tenant(xero.toUpperCase())],
        [`${books}?organization_id=${own}`, {}]
      ] as const) {
        assert.deepStrictEqual(statusesOf(yield* call("GET", path, options)), [200, "200"], path)
      }
      for (const [path, options] of [
        [company(`1${realm}`), {}],
        [company(realm, "/V3/company/"), {}],
        [company("1", "/v3%2Fcompany/"), {}],
        [company("1", "/v3;x/company/"), {}],
        ["/passthrough/quickbooks/v3/company", {}],
        [organisation, tenant(crypto.randomUUID())],
        ["/passthrough/xero/connections", {}],
        [`${books}?organization_id=${own}&organization_id=1`, {}],
        [`${books}?per_page=1;organization%5Fid=1`, {}],
        [books, { headers: { "x-com-zoho-books-organizationid": "1" } }],
        ["/passthrough/zoho_books/books/v3/organizations", {}]
      ] as const) {
        const answer = yield* call("GET", path, options)
        assert.deepStrictEqual(refusalOf(answer), [403, "FORBIDDEN"], path)
        assert.isNull(answer.headers.get("provider-status"), path)
      }
    })
  )

  it.effect("brings no credentials but the connection's", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("pipedrive", "hubspot", "salesforce", "zoho_crm", "zoho_books", "netsuite")
      for (const path of [
        "pipedrive/api/v2/persons?api_token=of-another",
        "hubspot/crm/v3/objects/contacts?hapikey=of-another",
        "salesforce/services/data/v60.0/sobjects?access_token=of-another",
        "salesforce/services/data/v60.0/sobjects?sid=of-another",
        "salesforce/services/Soap/u/60.0",
        "salesforce/secur/frontdoor.jsp",
        "zoho_crm/crm/v8/functions/x/actions/execute?auth_type=apikey&zapikey=of-another",
        "zoho_books/books/v3/contacts?authtoken=of-another",
        "netsuite/services/NetSuitePort_2023_2"
      ]) {
        const answer = yield* call("POST", `/passthrough/${path}`, { body: {} })
        assert.deepStrictEqual(refusalOf(answer), [403, "FORBIDDEN"], path)
        assert.isNull(answer.headers.get("provider-status"), path)
      }
    })
  )

  it.effect("names no other organisation in what it sends either", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("zoho_books", "pipedrive")
      const books = "/passthrough/zoho_books/books/v3/contacts"
      const refused = yield* call("GET", `${books}?organization_id=1`)
      const [, own = ""] = /must be (\d+),/.exec(failureOf(refused).message) ?? []
      const urlEncoded = "application/x-www-form-urlencoded"
      const padding = "x".repeat(1024 * 1024)
      const bodies = (organisation: string): ReadonlyArray<readonly [type: string, body: string | Uint8Array]> => [
        ["application/json", JSON.stringify({ contact_name: "Ada", organization_id: organisation })],
        ["text/plain", ` {"organization\\u005fid": "${organisation}"}`],
        [urlEncoded, `JSONString=%7B%7D&organization_id=${organisation}`],
        [urlEncoded, `JSONString=${encodeURIComponent(JSON.stringify({ organization_id: organisation }))}`],
        [formType, formBody([["organization_id", organisation]])],
        [formType, formBody([["JSONString", JSON.stringify({ organization_id: organisation })]])]
      ]
      for (const [type, body] of bodies("1")) {
        const answer = yield* call("POST", books, { body, headers: { "content-type": type } })
        assert.deepStrictEqual(refusalOf(answer), [403, "FORBIDDEN"], `${type} ${String(body)}`)
        assert.match(failureOf(answer).message, /^organization_id: /)
      }
      for (const [type, body] of bodies(own).filter(([one]) => one !== formType)) {
        const answer = yield* call("POST", books, { body, headers: { "content-type": type } })
        assert.isNotNull(answer.headers.get("provider-status"), `${type} ${String(body)}`)
      }
      const large = yield* call("POST", books, {
        body: formBody([
          ["file", padding],
          ["organization_id", "1"]
        ]),
        headers: { "content-type": formType }
      })
      assert.deepStrictEqual(refusalOf(large), [403, "FORBIDDEN"])
      const other = { body: formBody([["description", "organization_id"]]), headers: { "content-type": formType } }
      assert.isNotNull((yield* call("POST", books, other)).headers.get("provider-status"))
      const largeForm = { body: `a=${padding}&organization_id=1`, headers: { "content-type": urlEncoded } }
      assert.strictEqual((yield* call("POST", books, largeForm)).status, 413)
      const packed = { body: "{}", headers: { "content-type": "application/json", "content-encoding": "gzip" } }
      assert.strictEqual((yield* call("POST", books, packed)).status, 400)
      const credential = { body: "name=Ada&api_token=of-another", headers: { "content-type": urlEncoded } }
      const answer = yield* call("POST", "/passthrough/pipedrive/api/v2/persons", credential)
      assert.deepStrictEqual(refusalOf(answer), [403, "FORBIDDEN"])
    })
  )

  it.effect("repeats what only reads, and nothing else", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("hubspot")
      yield* misbehaving({ does: { kind: "status", status: 503 } })
      assert.strictEqual((yield* call("GET", contacts)).status, 200)
      yield* misbehaving({ does: { kind: "status", status: 503 }, times: 10 })
      assert.deepStrictEqual(statusesOf(yield* call("GET", contacts)), [503, "503"])
      assert.strictEqual(yield* hits(10), 3)

      const fresh = yield* callerOf("hubspot")
      for (const [method, path, options] of [
        ["POST", contacts, { body }],
        ["PUT", `${contacts}/1`, { body }],
        ["PATCH", `${contacts}/1`, { body }],
        ["DELETE", `${contacts}/1`, {}]
      ] as const) {
        yield* misbehaving({ does: { kind: "status", status: 500 }, times: 10 })
        assert.deepStrictEqual(statusesOf(yield* fresh.call(method, path, options)), [500, "500"], method)
        assert.strictEqual(yield* hits(10), 1, method)
      }
      yield* misbehaving({ does: { kind: "drop", after: true }, times: 10 })
      const dropped = yield* (yield* callerOf("hubspot")).call("POST", contacts, { body })
      assert.deepStrictEqual(refusalOf(dropped), [502, "PROVIDER_ERROR"])
      assert.isNull(dropped.headers.get("provider-status"))
      assert.strictEqual(yield* hits(10), 1)
    })
  )

  it.effect("leaves a provider alone that keeps failing", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("hubspot")
      yield* misbehaving({ does: { kind: "status", status: 503 }, times: 100 })
      for (let i = 0; i < 5; i += 1) yield* call("POST", contacts, { body, timeStands: true })
      const refused = yield* call("POST", contacts, { body, timeStands: true })
      assert.deepStrictEqual(refusalOf(refused), [503, "UNAVAILABLE"])
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.strictEqual(yield* hits(100), 5)
    })
  )

  it.effect("hands a limit of the provider back once, and then keeps to it", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("hubspot")
      yield* misbehaving({ does: { kind: "limit", retryAfter: 30 }, times: 10 })
      const met = yield* call("POST", contacts, { body })
      assert.deepStrictEqual(statusesOf(met), [429, "429"])
      assert.notProperty(met.body, "statusCode", "the provider's own words")
      const kept = yield* call("GET", contacts)
      assert.deepStrictEqual(refusalOf(kept), [429, "RATE_LIMITED"])
      assert.isAbove(Number(kept.headers.get("retry-after")), 20)
      assert.strictEqual((yield* call("GET", "/crm/contact?provider=hubspot")).status, 429, "whatever is asked for")
      assert.strictEqual(yield* hits(10), 1)
    })
  )

  it.effect("replaces a token that the provider no longer takes, and sends again, whatever the request does", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* callerOf("hubspot")
      for (const [method, options, status] of [
        ["GET", {}, 200],
        ["POST", { body }, 201]
      ] as const) {
        yield* misbehaving({ does: { kind: "expire" } })
        assert.deepStrictEqual(statusesOf(yield* call(method, contacts, options)), [status, String(status)])
      }
      assert.strictEqual(recordOf(yield* call("GET", `/connections/${connections.hubspot ?? ""}`)).status, "active")
    })
  )

  it.effect("hands a second refusal of credentials back, and the connection has to be renewed", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("hubspot")
      yield* misbehaving({ does: { kind: "expire" }, path: "/contacts", times: 2 })
      assert.deepStrictEqual(statusesOf(yield* call("POST", contacts, { body })), [401, "401"])
      const again = yield* call("POST", contacts, { body })
      assert.deepStrictEqual(refusalOf(again), [409, "CONNECTION_NEEDS_REAUTH"])
    })
  )

  it.effect("stands in the request log and the metrics by its route, with nothing of what was sent", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const mine = yield* callerOf("attio")
      yield* mine.call("GET", "/passthrough/attio/v2/secretive?q=private")
      const requests = yield* (yield* RequestLog).list(mine.tenancy, {}, { take: 10 })
      assert.deepStrictEqual(
        requests.map(({ method, providers, route, status }) => [method, route, status, ...providers]),
        [["GET", "/api/v1/passthrough/:provider/:path", 404, "attio"]]
      )
      assert.notMatch(JSON.stringify(requests), /secretive|private/)
      const metrics = String((yield* app.send("GET", "/metrics")).body)
      const lines = metrics.split("\n").filter((line) => line.includes('operation="passthrough"'))
      assert.isTrue(lines.some((line) => line.includes('provider="attio"')))
      assert.include(metrics, 'route="/api/v1/passthrough/:provider/:path"')
      assert.notMatch(metrics, /secretive|private/)
    })
  )

  it.effect("shows the provider's limits, in its own headers and as every other answer does", () =>
    Effect.gen(function* () {
      const { call } = yield* callerOf("hubspot")
      const { headers } = yield* call("GET", contacts)
      assert.match(headers.get("provider-ratelimit") ?? "", /^"hubspot\.burst";r=\d+;t=10/)
      assert.match(headers.get("x-hubspot-ratelimit-remaining") ?? "", /^\d+$/)
    })
  )
})

layer(testApplication({ providers: [mockProvider("hubspot", { contact: [{ first_name: "Ada" }] })] }))(
  "passthrough to a provider without an API",
  (it) => {
    it.effect("is no operation of it", () =>
      Effect.gen(function* () {
        const { fetch } = yield* TestApplication
        const answer = yield* Effect.promise(() => fetch(`/api/v1${contacts}`))
        assert.strictEqual(answer.status, 405)
        const provider = yield* Effect.promise(async () => (await fetch("/api/v1/providers/hubspot")).json())
        assert.nestedPropertyVal(provider, "data.apiRoot", null)
      })
    )
  }
)
