import { assert, describe, layer } from "@effect/vitest"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import packageJson from "../../package.json" with { type: "json" }
import { All } from "../../src/All.ts"
import { simulators } from "../../src/Simulators.ts"
import { go, session } from "../support/Connecting.ts"
import {
  type Doc,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

// Consent in production: what end users are sent away with, and what providers are asked, on a network of the test's own.

interface Asked {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
  readonly form: { readonly [name: string]: string }
}

const asked: Array<Asked> = []

/** `User-Agent` of every request, as long as the file runs. */
const senders = new Set<string | undefined>()

/** The provider's answers, by path; a number is a status. */
const answers = new Map<string, unknown>()

const network = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) => {
    const text = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
    senders.add(request.headers["user-agent"])
    asked.push({
      method: request.method,
      url: url.href,
      authorization: request.headers["authorization"],
      form: Object.fromEntries(new URLSearchParams(text))
    })
    const answer = answers.get(url.pathname)
    const status = typeof answer === "number" ? answer : 200
    return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(JSON.stringify(answer), { status })))
  })
)

const clients = Object.fromEntries(
  ["HUBSPOT", "SALESFORCE", "QUICKBOOKS", "ZOHO_CRM", "NETSUITE", "XERO", "GMAIL"].flatMap((slug) => [
    [`PROVIDER_${slug}_CLIENT_ID`, `client of ${slug}`],
    [`PROVIDER_${slug}_CLIENT_SECRET`, "client-secret"]
  ])
)

const application = sandboxApplication(
  {
    ...clients,
    PUBLIC_URL: "https://connect.example.com/tributary/",
    PROVIDER_XERO_AUTH_URL: "https://login.test.example/authorize",
    PROVIDER_XERO_TOKEN_URL: "https://login.test.example/token",
    PROVIDER_XERO_SCOPES: "offline_access, accounting.contacts",
    PROVIDER_XERO_BASE_URL: "https://xero.test.example/proxy/",
    PROVIDER_HUBSPOT_BASE_URL: "https://hubspot.test.example/proxy"
  },
  All,
  simulators,
  network
)

const base = "https://connect.example.com/tributary"
const redirectUri = `${base}/connect/callback`

const opened = Effect.gen(function* () {
  const { caller: make, send } = yield* SandboxApplication
  const caller = yield* make([], { environment: "production" })
  const own = yield* session(caller)
  asked.length = 0
  answers.clear()
  const authorize = (slug: string, fields: Doc = {}) =>
    Effect.gen(function* () {
      const { attemptId, authorizeUrl } = recordOf(yield* own.call("POST", `/${slug}/authorize`, { fields }))
      const { address, answer } = yield* go(String(authorizeUrl), base)
      const url = new URL(address)
      const state = url.searchParams.get("state") ?? ""
      assert.strictEqual(
        answer.headers.get("set-cookie"),
        `__Host-connect-${state}=1; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax`
      )
      return { id: String(attemptId), url, state }
    })
  const back = (query: { readonly [name: string]: string }) =>
    send("GET", `/connect/callback?${new URLSearchParams(query).toString()}`, {
      headers: { cookie: `__Host-connect-${query["state"]}=1` }
    })
  const connection = (id: unknown) => Effect.map(caller.call("GET", `/connections/${String(id)}`), recordOf)
  return { authorize, back, caller, connection, own }
})

describe("consent in production", () => {
  layer(application)((it) => {
    it.effect("sends the end user to the provider, with PKCE where it is known", () =>
      Effect.gen(function* () {
        const { authorize, back, connection, own } = yield* opened
        const { id, state, url } = yield* authorize("salesforce", { loginHost: "acme.my.salesforce.com" })
        assert.strictEqual(url.origin + url.pathname, "https://acme.my.salesforce.com/services/oauth2/authorize")
        const { code_challenge, ...sent } = Object.fromEntries(url.searchParams)
        assert.deepStrictEqual(sent, {
          response_type: "code",
          client_id: "client of SALESFORCE",
          redirect_uri: redirectUri,
          scope: "api refresh_token",
          state,
          code_challenge_method: "S256"
        })
        assert.match(state, /^[\w-]{43}$/)
        assert.include(url.search, "scope=api%20refresh_token")

        answers.set("/services/oauth2/token", {
          access_token: "at",
          refresh_token: "rt",
          instance_url: "https://acme.my.salesforce.com",
          scope: "api refresh_token"
        })
        answers.set("/services/data/v66.0/query", { records: [{ Id: "00D1", Name: "Acme Ltd" }] })
        assert.strictEqual((yield* back({ code: "c", state })).status, 200)
        const [token, query] = asked
        assert.strictEqual(token?.url, "https://acme.my.salesforce.com/services/oauth2/token")
        const { code_verifier = "", ...form } = token?.form ?? {}
        assert.deepStrictEqual(form, {
          grant_type: "authorization_code",
          code: "c",
          redirect_uri: redirectUri,
          client_id: "client of SALESFORCE",
          client_secret: "client-secret"
        })
        assert.strictEqual(createHash("sha256").update(code_verifier).digest("base64url"), code_challenge)
        assert.strictEqual(query?.authorization, "Bearer at")
        const { connectionId, status } = yield* own.attempt(id)
        assert.strictEqual(status, "connected")
        assert.deepInclude(yield* connection(connectionId), { accountName: "Acme Ltd", accountId: "00D1" })
      })
    )

    it.effect("takes the operator's addresses and scopes", () =>
      Effect.gen(function* () {
        const { authorize, back, caller, connection, own } = yield* opened
        const { id, state, url } = yield* authorize("xero")
        assert.strictEqual(url.origin + url.pathname, "https://login.test.example/authorize")
        assert.strictEqual(url.searchParams.get("scope"), "offline_access accounting.contacts")
        answers.set("/token", { access_token: "at", expires_in: 1800 })
        answers.set("/proxy/connections", [
          { id: "c1", tenantId: "t1", tenantName: "One", tenantType: "ORGANISATION" },
          { id: "c2", tenantId: "t2", tenantName: "Two", tenantType: "PRACTICE" }
        ])
        yield* back({ code: "c", state })
        assert.deepStrictEqual(
          asked.map((one) => one.url),
          ["https://login.test.example/token", "https://xero.test.example/proxy/connections"]
        )
        // form-encoded, as RFC 6749 has it
        assert.strictEqual(asked[0]?.authorization, `Basic ${btoa("client+of+XERO:client-secret")}`)
        const { connectionId } = yield* own.attempt(id)
        // an answer without scopes gives all that were asked for
        assert.deepInclude(yield* connection(connectionId), {
          accountName: "One",
          scopes: ["offline_access", "accounting.contacts"]
        })
        // consent is taken back where it was given
        yield* caller.call("DELETE", `/connections/${connectionId}`)
        assert.deepInclude(asked.at(-1), {
          url: "https://login.test.example/connect/revocation",
          form: { token: "at" }
        })
      })
    )

    it.effect(
      "asks the operator's host for tokens, whose they are and to take them back, where tokens come from the API",
      () =>
        Effect.gen(function* () {
          const { authorize, back, caller, connection, own } = yield* opened
          const path = "/proxy/oauth/2026-03/token"
          answers.set(path, { access_token: "at", refresh_token: "rt", expires_in: 1800 })
          answers.set(`${path}/introspect`, { active: true, hub_id: 17, hub_domain: "acme.example", scopes: ["oauth"] })
          const { id, state } = yield* authorize("hubspot")
          yield* back({ code: "c", state })
          const { connectionId } = yield* own.attempt(id)
          assert.deepInclude(yield* connection(connectionId), {
            accountId: "17",
            accountName: "acme.example",
            scopes: ["oauth"]
          })
          yield* caller.call("DELETE", `/connections/${connectionId}`)
          const client = { client_id: "client of HUBSPOT", client_secret: "client-secret" }
          assert.deepStrictEqual(
            asked.map(({ form, method, url }) => [`${method} ${url}`, form]),
            [
              [
                `POST https://hubspot.test.example${path}`,
                { ...client, grant_type: "authorization_code", code: "c", redirect_uri: redirectUri }
              ],
              [
                `POST https://hubspot.test.example${path}/introspect`,
                { ...client, token: "at", token_type_hint: "access_token" }
              ],
              [`POST https://hubspot.test.example${path}/revoke`, { ...client, token: "rt" }]
            ]
          )
          assert.deepStrictEqual(
            asked.map(({ authorization }) => authorization),
            [undefined, undefined, undefined]
          )
          // a token that is good for nothing names no account
          answers.set(`${path}/introspect`, { active: false })
          const again = yield* authorize("hubspot")
          yield* back({ code: "c", state: again.state })
          assert.strictEqual((yield* own.attempt(again.id)).status, "failed")
        })
    )

    /** Xero's connections of a login. */
    const tenants = (...ids: ReadonlyArray<string>) =>
      ids.map((id) => ({ id: `c-${id}`, tenantId: id, tenantName: id, tenantType: "ORGANISATION" }))

    it.effect("disconnects one of a person's accounts by itself, and takes the consent back with the last", () =>
      Effect.gen(function* () {
        const { authorize, back, caller, own } = yield* opened
        answers.set("/token", { access_token: "at", refresh_token: "rt", expires_in: 1800 })
        answers.set("/proxy/connections", tenants("t1", "t2"))
        const connected = Effect.fnUntraced(function* (value: string) {
          const { id, state } = yield* authorize("xero")
          yield* back({ code: "c", state })
          return recordOf(yield* own.call("POST", `/attempts/${id}/choice`, { value })).connectionId
        })
        const ids = [yield* connected("t1"), yield* connected("t2")]
        const removed = (id: unknown) =>
          Effect.gen(function* () {
            asked.length = 0
            assert.strictEqual((yield* caller.call("DELETE", `/connections/${String(id)}`)).status, 200)
            return asked.map(({ method, url }) => `${method} ${url}`)
          })
        assert.deepStrictEqual(yield* removed(ids[0]), [
          "GET https://xero.test.example/proxy/connections",
          "DELETE https://xero.test.example/proxy/connections/c-t1"
        ])
        answers.set("/proxy/connections", tenants("t2"))
        assert.deepStrictEqual(yield* removed(ids[1]), [
          "GET https://xero.test.example/proxy/connections",
          "POST https://login.test.example/connect/revocation"
        ])
      })
    )

    it.effect("renews an access token that has expired to disconnect with", () =>
      Effect.gen(function* () {
        const { authorize, back, caller, own } = yield* opened
        answers.set("/token", { access_token: "at", refresh_token: "rt", expires_in: 0 })
        answers.set("/proxy/connections", tenants("t1"))
        const { id, state } = yield* authorize("xero")
        yield* back({ code: "c", state })
        const { connectionId } = yield* own.attempt(id)
        answers.set("/token", { access_token: "at2", refresh_token: "rt2", expires_in: 1800 })
        asked.length = 0
        yield* caller.call("DELETE", `/connections/${connectionId}`)
        assert.deepStrictEqual(
          asked.map(({ authorization, form }) => form["refresh_token"] ?? form["token"] ?? authorization),
          ["rt", "Bearer at2", "rt2"]
        )
      })
    )

    it.effect("takes back no consent that another end user's connection to the account lives on", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* opened, yield* opened]
        answers.set("/token", { access_token: "at", refresh_token: "rt", expires_in: 3600 })
        answers.set("/gmail/v1/users/me/profile", { emailAddress: "ann@example.com" })
        const ids = yield* Effect.forEach([first, second], ({ authorize, back, own }) =>
          Effect.gen(function* () {
            const { id, state } = yield* authorize("gmail")
            yield* back({ code: "c", state })
            return (yield* own.attempt(id)).connectionId
          })
        )
        assert.notStrictEqual(ids[0], ids[1])
        const revocations = () => asked.filter(({ url }) => url.endsWith("/revoke")).length
        yield* first.caller.call("DELETE", `/connections/${ids[0]}`)
        assert.strictEqual(revocations(), 0)
        yield* second.caller.call("DELETE", `/connections/${ids[1]}`)
        assert.strictEqual(revocations(), 1)
      })
    )

    it.effect("keeps the connection of an account that is connected again", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { authorize, back, caller, connection, own } = yield* opened
        answers.set("/services/oauth2/token", {
          access_token: "at",
          refresh_token: "rt",
          instance_url: "https://acme.my.salesforce.com"
        })
        const organisation = (Id: string) =>
          answers.set("/services/data/v66.0/query", { records: [{ Id, Name: `Acme ${Id}` }] })
        const connected = Effect.gen(function* () {
          const { id, state } = yield* authorize("salesforce")
          yield* back({ code: "c", state })
          const attempt = yield* own.attempt(id)
          assert.strictEqual(attempt.status, "connected")
          return attempt.connectionId
        })
        const listed = Effect.map(caller.call("GET", "/connections"), (answer) =>
          pageOf(answer).data.map(({ id }) => id)
        )

        organisation("00D1")
        const id = yield* connected
        yield* sql`update connections set status = 'needs_reauth', status_reason = 'gone' where id = ${id}`
        assert.strictEqual(yield* connected, id)
        assert.deepInclude(yield* connection(id), { status: "active", statusReason: null, accountName: "Acme 00D1" })

        // another account of the end user is another connection
        organisation("00D2")
        const other = yield* connected
        assert.deepStrictEqual(yield* listed, [id, other])

        // one that was removed does not come back
        yield* caller.call("DELETE", `/connections/${other}`)
        const anew = yield* connected
        assert.notStrictEqual(anew, other)
        assert.deepStrictEqual(yield* listed, [id, anew])
      })
    )

    it.effect("makes one connection of several consents to an account that come back at once", () =>
      Effect.gen(function* () {
        const { authorize, back, caller, own } = yield* opened
        answers.set("/services/oauth2/token", { access_token: "at", instance_url: "https://acme.my.salesforce.com" })
        answers.set("/services/data/v66.0/query", { records: [{ Id: "00D1", Name: "Acme" }] })
        const begun = yield* Effect.replicateEffect(authorize("salesforce"), 5)
        yield* Effect.forEach(begun, ({ state }) => back({ code: "c", state }), { concurrency: "unbounded" })
        const [only, ...more] = pageOf(yield* caller.call("GET", "/connections")).data
        assert.isEmpty(more)
        for (const { id } of begun) {
          const { connectionId, status } = yield* own.attempt(id)
          assert.deepStrictEqual([status, connectionId], ["connected", only?.id])
        }
      })
    )

    it.effect("tells the end user also of what cannot be kept", () =>
      Effect.gen(function* () {
        const { authorize, back, own } = yield* opened
        answers.set("/token", { access_token: "at" })
        const tenants = ["t1", "t2"].map((tenantId) => ({
          id: tenantId,
          tenantId,
          tenantName: "A\0B",
          tenantType: "ORGANISATION"
        }))
        for (const some of [tenants.slice(0, 1), tenants]) {
          answers.set("/proxy/connections", some)
          const { id, state } = yield* authorize("xero")
          const page = yield* back({ code: "c", state })
          assert.include(String(page.body), "Something went wrong here")
          assert.strictEqual((yield* own.attempt(id)).status, "failed")
        }
      })
    )

    it.effect("calls the data centre that the redirect names, as far as it is known", () =>
      Effect.gen(function* () {
        const { authorize, back, own } = yield* opened
        answers.set("/oauth/v2/token", { access_token: "at", api_domain: "https://www.zohoapis.eu" })
        answers.set("/crm/v8/org", { org: [{ zgid: "1", company_name: "Acme" }] })
        const first = yield* authorize("zoho_crm")
        assert.strictEqual(first.url.searchParams.get("scope")?.includes(","), true)
        yield* back({
          code: "c",
          state: first.state,
          location: "eu",
          "accounts-server": "https://evil.example"
        })
        assert.strictEqual((yield* own.attempt(first.id)).status, "connected")
        const second = yield* authorize("zoho_crm", { location: "cn" })
        assert.strictEqual(second.url.host, "accounts.zoho.com.cn")
        yield* back({ code: "c", state: second.state, location: "//evil.example" })
        assert.strictEqual((yield* own.attempt(second.id)).status, "failed")
        assert.deepStrictEqual(
          asked.map((one) => new URL(one.url).host),
          ["accounts.zoho.eu", "www.zohoapis.eu"]
        )
      })
    )

    it.effect("takes back a consent that opens no account", () =>
      Effect.gen(function* () {
        const { authorize, back, own } = yield* opened
        answers.set("/services/oauth2/token", {
          access_token: "at",
          refresh_token: "rt",
          instance_url: "https://acme.my.salesforce.com"
        })
        answers.set("/services/data/v66.0/query", { records: [] })
        const { id, state } = yield* authorize("salesforce")
        yield* back({ code: "c", state })
        assert.strictEqual((yield* own.attempt(id)).status, "failed")
        assert.deepStrictEqual(
          asked.map(({ url }) => new URL(url).pathname),
          ["/services/oauth2/token", "/services/data/v66.0/query", "/services/oauth2/revoke"]
        )
      })
    )

    it.effect("connects no company that the consent is not for", () =>
      Effect.gen(function* () {
        const { authorize, back, caller, own } = yield* opened
        answers.set("/oauth2/v1/tokens/bearer", { access_token: "at", refresh_token: "rt", expires_in: 3600 })
        answers.set("/v3/company/999/companyinfo/999", 403)
        const { id, state } = yield* authorize("quickbooks")
        yield* back({ code: "c", state, realmId: "999" })
        assert.strictEqual((yield* own.attempt(id)).status, "failed")
        const again = yield* authorize("quickbooks")
        yield* back({ code: "c", state: again.state, realmId: "../../other" })
        assert.strictEqual((yield* own.attempt(again.id)).status, "failed")
        // what the first one gave was taken back
        assert.deepStrictEqual(
          asked.map(({ url }) => new URL(url).pathname),
          ["/oauth2/v1/tokens/bearer", "/v3/company/999/companyinfo/999", "/v2/oauth2/tokens/revoke"]
        )
        assert.deepStrictEqual((yield* caller.call("GET", "/connections")).body, {
          success: true,
          statusCode: 200,
          message: "connections",
          data: { data: [], pagination: { cursor: null, hasMore: false, limit: 25 } }
        })
      })
    )

    it.effect("takes an account's own host from what was entered", () =>
      Effect.gen(function* () {
        const { authorize } = yield* opened
        const { url } = yield* authorize("netsuite", { accountId: "1234567_SB1" })
        assert.strictEqual(url.host, "1234567-sb1.app.netsuite.com")
      })
    )

    for (const [what, token, message] of [
      ["nonsense", "<html>", /an answer that is not complete/],
      ["an error in a success", { error: "invalid_grant" }, /did not accept the consent/],
      ["no client", 401, /application/],
      ["a limit", 429, /cannot be reached now/]
    ] as const) {
      it.effect(`tells the end user of ${what} from the token endpoint`, () =>
        Effect.gen(function* () {
          const { authorize, back, own } = yield* opened
          answers.set("/oauth2/v1/tokens/bearer", token)
          const { id, state } = yield* authorize("quickbooks")
          const page = yield* back({ code: "c", state, realmId: "1" })
          const attempt = yield* own.attempt(id)
          assert.strictEqual(attempt.status, "failed")
          assert.match(attempt.message ?? "", message)
          assert.match(String(page.body), message)
        })
      )
    }

    it.effect("does not offer what the operator has no client for, and has no page of the sandbox", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const { authorize, own } = yield* opened
        const shown = recordOf(yield* own.call("GET", "")).integrations as ReadonlyArray<Doc>
        const slugs = shown.map(({ slug }) => slug)
        assert.include(slugs, "salesforce")
        assert.notInclude(slugs, "pipedrive")
        assert.deepStrictEqual(refusalOf(yield* own.call("POST", "/pipedrive/authorize", {})), [503, "UNAVAILABLE"])
        const { state } = yield* authorize("salesforce")
        const elsewhere = yield* send("GET", `/sandbox/salesforce/services/oauth2/authorize?state=${state}`)
        assert.strictEqual(elsewhere.status, 404)
      })
    )

    it.effect("names this service and where it is in whatever it asks", () =>
      Effect.sync(() => assert.deepStrictEqual([...senders], [`Tributary/${packageJson.version} (+${base})`]))
    )
  })
})
