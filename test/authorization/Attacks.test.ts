import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { InProcess } from "../../src/InProcess.ts"
import { workspaceOf } from "../agent/McpClient.ts"
import { publicUrl } from "../support/Connecting.ts"
import {
  type Caller,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { consentAs, json, makeBrowser } from "./Browser.ts"
import { makeProgram, redirect } from "./Flow.ts"
import { full } from "../support/Full.ts"

/** An organisation with a workspace, and programs that know nothing but its address. */
const begun = Effect.gen(function* () {
  const { handle } = yield* InProcess
  const caller = yield* (yield* SandboxApplication).caller([])
  const workspace = yield* workspaceOf(caller)
  return { handle, caller, workspace, program: makeProgram(handle) }
})

const status = (answer: Promise<Response>) => Effect.promise(async () => (await answer).status)

const setAddress = (caller: Caller, url = "https://app.example.com/sign-in") =>
  caller.call("PUT", "/settings/sign-in", { body: { url } })

layer(sandboxApplication(), { timeout: "60 seconds" })("attacks on authorization", (it) => {
  full(it).effect("a code counts once, with its verifier, its client, its redirect and its workspace", () =>
    Effect.gen(function* () {
      const { caller, program, workspace } = yield* begun
      const other = yield* workspaceOf(caller)
      const client = yield* Effect.promise(() => program.clientId())
      const stranger = yield* Effect.promise(() => program.clientId())
      const fresh = () => program.code(client, workspace, "alice")
      const spoilt = yield* Effect.promise(async () => {
        const one = await fresh()
        const two = await fresh()
        const three = await fresh()
        const four = await fresh()
        return [
          await program.redeem(client, one.code, "x".repeat(43)),
          await program.redeem(stranger, two.code, two.verifier),
          await program.redeem(client, three.code, three.verifier, { redirect_uri: `${redirect}/elsewhere` }),
          await program.redeem(client, four.code, four.verifier, { resource: `${publicUrl}/api/v1/mcp/${other}` })
        ]
      })
      assert.deepStrictEqual(
        spoilt.map(({ body, status }) => [status, body["error"]]),
        [
          [400, "invalid_grant"],
          [400, "invalid_grant"],
          [400, "invalid_grant"],
          [400, "invalid_target"]
        ]
      )
      const given = yield* Effect.promise(fresh)
      const first = yield* Effect.promise(() => program.redeem(client, given.code, given.verifier))
      assert.strictEqual(first.status, 200)
      const token = String(first.body["access_token"])
      assert.strictEqual(yield* status(program.call(workspace, token)), 200)
      const again = yield* Effect.promise(() => program.redeem(client, given.code, given.verifier))
      assert.deepStrictEqual([again.status, again.body["error"]], [400, "invalid_grant"])
      const refreshed = yield* Effect.promise(() => program.refresh(client, String(first.body["refresh_token"])))
      assert.strictEqual(refreshed.status, 400)
      const [grant] = pageOf(yield* caller.call("GET", "/mcp/grants?limit=1")).data
      assert.isString(grant?.["revokedAt"])
    })
  )

  full(it).effect("of several who redeem a code at once one gets tokens", () =>
    Effect.gen(function* () {
      const { program, workspace } = yield* begun
      const client = yield* Effect.promise(() => program.clientId())
      const given = yield* Effect.promise(() => program.code(client, workspace, "alice"))
      const all = yield* Effect.promise(() =>
        Promise.all([1, 2, 3, 4].map(() => program.redeem(client, given.code, given.verifier)))
      )
      assert.isAtMost(all.filter(({ status }) => status === 200).length, 1)
    })
  )

  it.effect("authorization needs PKCE by S256, a known redirect, one workspace that there is", () =>
    Effect.gen(function* () {
      const { handle, program, workspace } = yield* begun
      const client = yield* Effect.promise(() => program.clientId())
      const browser = makeBrowser(handle)
      const refused = (changes: { readonly [name: string]: string | undefined }) =>
        Effect.promise(async () => {
          const { answer, url } = await browser.follow(program.begin(client, workspace, changes).address)
          return answer === undefined
            ? ["error", "iss"].map((name) => new URL(url.replace("#", "?")).searchParams.get(name))
            : [answer.status]
        })
      assert.deepStrictEqual(yield* refused({ code_challenge_method: "plain" }), ["invalid_request", publicUrl])
      assert.deepStrictEqual(yield* refused({ code_challenge: undefined, code_challenge_method: undefined }), [
        "invalid_request",
        publicUrl
      ])
      assert.deepStrictEqual(yield* refused({ resource: undefined }), ["invalid_target", publicUrl])
      assert.deepStrictEqual(yield* refused({ resource: `${publicUrl}/api/v1/mcp/${crypto.randomUUID()}` }), [
        "invalid_target",
        publicUrl
      ])
      assert.deepStrictEqual(yield* refused({ resource: "https://elsewhere.example/mcp" }), [
        "invalid_target",
        publicUrl
      ])
      assert.deepStrictEqual(yield* refused({ prompt: "none" }), ["login_required", publicUrl])
      assert.deepStrictEqual(yield* refused({ response_type: "token" }), ["unsupported_response_type", publicUrl])
      // whoever is not known is not sent anywhere
      assert.deepStrictEqual(yield* refused({ redirect_uri: "http://127.0.0.1:5599/elsewhere" }), [400])
      assert.deepStrictEqual(yield* refused({ redirect_uri: "https://elsewhere.example/callback" }), [400])
      assert.deepStrictEqual(yield* refused({ client_id: "nobody" }), [400])
      // the port of a program on the same machine is free
      const moved = yield* Effect.promise(() =>
        browser.follow(program.begin(client, workspace, { redirect_uri: "http://127.0.0.1:6000/callback" }).address)
      )
      assert.include(moved.url, "/oauth/sandbox/")
      const both = `${program.begin(client, workspace).address}&resource=${encodeURIComponent(`${publicUrl}/api/v1/mcp/x`)}`
      const twice = yield* Effect.promise(() => browser.follow(both))
      assert.strictEqual(new URL(twice.url).searchParams.get("error"), "invalid_target")
    })
  )

  it.effect("a token counts for its workspace and end user, and opens nothing else", () =>
    Effect.gen(function* () {
      const { caller, program, workspace } = yield* begun
      const other = yield* workspaceOf(caller)
      const { access } = yield* Effect.promise(() => program.tokens(workspace, "alice"))
      assert.strictEqual(yield* status(program.call(workspace, access)), 200)
      assert.strictEqual(yield* status(program.call(workspace, access, { "x-end-user-id": "alice" })), 200)
      assert.strictEqual(yield* status(program.call(workspace, access, { "x-end-user-id": "bob" })), 403)
      assert.strictEqual(yield* status(program.call(workspace, access, {}, "?end_user_id=bob")), 403)
      const elsewhere = yield* Effect.promise(() => program.call(other, access))
      assert.strictEqual(elsewhere.status, 401)
      assert.strictEqual(
        elsewhere.headers.get("www-authenticate"),
        `Bearer realm="tributary", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/api/v1/mcp/${other}", scope="tools:read tools:write"`
      )
      const headers = { authorization: `Bearer ${access}`, "x-end-user-id": "alice" }
      for (const path of [
        "/crm/contact",
        "/connections",
        "/mcp/workspaces",
        "/mcp/grants",
        "/api-keys",
        "/providers"
      ]) {
        assert.strictEqual(yield* status(program.send(`/api/v1${path}`, { headers })), 403, path)
      }
      // what hosts try before they post
      assert.strictEqual(yield* status(program.send(`/api/v1/mcp/${workspace}`, { headers })), 405)
      // never in an address
      assert.strictEqual(
        yield* status(program.send(`/api/v1/mcp/${workspace}?access_token=${access}`, { method: "POST" })),
        401
      )
    })
  )

  full(it).effect("a refresh token that is used again later ends its family; at once it is forgiven", () =>
    Effect.gen(function* () {
      const { program, workspace } = yield* begun
      const sql = yield* SqlClient.SqlClient
      const held = yield* Effect.promise(() => program.tokens(workspace, "alice"))
      const first = yield* Effect.promise(() => program.refresh(held.client, held.refresh))
      assert.strictEqual(first.status, 200)
      assert.notStrictEqual(first.body["refresh_token"], held.refresh)
      const twin = yield* Effect.promise(() => program.refresh(held.client, held.refresh))
      assert.strictEqual(twin.status, 200)
      yield* sql`update oauth_records set consumed_at = consumed_at - interval '1 minute' where consumed_at is not null`
      const stolen = yield* Effect.promise(() => program.refresh(held.client, held.refresh))
      assert.deepStrictEqual([stolen.status, stolen.body["error"]], [400, "invalid_grant"])
      for (const { body } of [first, twin]) {
        const { status } = yield* Effect.promise(() => program.refresh(held.client, String(body["refresh_token"])))
        assert.strictEqual(status, 400)
        assert.strictEqual(
          (yield* Effect.promise(() => program.call(workspace, String(body["access_token"])))).status,
          401
        )
      }
    })
  )

  it.effect("a refresh asks for no more, nothing else, and by no other client", () =>
    Effect.gen(function* () {
      const { caller, handle, program, workspace } = yield* begun
      const other = yield* workspaceOf(caller)
      const client = yield* Effect.promise(() => program.clientId())
      const { address, verifier } = program.begin(client, workspace)
      const callback = yield* Effect.promise(() =>
        consentAs(makeBrowser(handle), address, "alice", { answer: "allow", read_only: "on" })
      )
      const { body } = yield* Effect.promise(() =>
        program.redeem(client, callback.searchParams.get("code") ?? "", verifier)
      )
      assert.strictEqual(body["scope"], "tools:read")
      const token = String(body["refresh_token"])
      const errors = yield* Effect.promise(async () => [
        (await program.refresh(client, token, { scope: "tools:read tools:write" })).body["error"],
        (await program.refresh(client, token, { resource: `${publicUrl}/api/v1/mcp/${other}` })).body["error"],
        (await program.refresh(await program.clientId(), token)).body["error"]
      ])
      assert.deepStrictEqual(errors, ["invalid_scope", "invalid_target", "invalid_grant"])
    })
  )

  it.effect("a forwarded sign-in link gives its sender nothing, and its receiver neither", () =>
    Effect.gen(function* () {
      const { caller, handle, program, workspace } = yield* begun
      yield* setAddress(caller)
      const client = yield* Effect.promise(() => program.clientId())
      const sender = makeBrowser(handle)
      const victim = makeBrowser(handle)
      const start = program.begin(client, workspace).address
      const asked = yield* Effect.promise(() => sender.follow(start))
      assert.match(asked.url, /^https:\/\/app\.example\.com\/sign-in\?challenge=[\w-]{43}$/)
      const challenge = new URL(asked.url).searchParams.get("challenge") ?? ""
      const accepted = yield* caller.call("POST", `/mcp/authorizations/${challenge}/accept`, {
        body: { endUserId: "victim" }
      })
      const onward = String(recordOf(accepted).redirectTo)
      // the victim's browser has the verifier, and no cookie
      const there = yield* Effect.promise(() => victim.follow(onward))
      assert.strictEqual(there.answer?.status, 400)
      // the sender's has the cookie, and no verifier: it is asked again, and the old answer is void
      const anew = yield* Effect.promise(() => sender.follow(new URL(onward.split("?")[0] ?? "").href))
      assert.include(anew.url, "https://app.example.com/sign-in?challenge=")
      const late = yield* Effect.promise(() => sender.follow(onward))
      assert.include(late.url, "https://app.example.com/sign-in?challenge=")
    })
  )

  it.effect("a challenge is answered once, by its own organisation, in its own environment", () =>
    Effect.gen(function* () {
      const { caller, handle, program, workspace } = yield* begun
      yield* setAddress(caller)
      const app = yield* SandboxApplication
      const stranger = yield* app.caller([])
      const client = yield* Effect.promise(() => program.clientId())
      const asked = yield* Effect.promise(() => makeBrowser(handle).follow(program.begin(client, workspace).address))
      const challenge = new URL(asked.url).searchParams.get("challenge") ?? ""
      const accept = (by: Caller, of = challenge) =>
        by.call("POST", `/mcp/authorizations/${of}/accept`, { body: { endUserId: "alice" } })
      assert.deepInclude(recordOf(yield* caller.call("GET", `/mcp/authorizations/${challenge}`)), {
        workspaceId: workspace,
        client: { id: client, name: "Example host", redirectHost: "127.0.0.1:5599" },
        scopes: ["tools:read", "tools:write"]
      })
      const unknown = [404, "AUTHORIZATION_NOT_FOUND"] as const
      assert.deepStrictEqual(refusalOf(yield* accept(stranger)), unknown)
      assert.deepStrictEqual(refusalOf(yield* accept(caller, "x".repeat(43))), unknown)
      assert.strictEqual((yield* accept(caller)).status, 200)
      assert.deepStrictEqual(refusalOf(yield* accept(caller)), [409, "CONFLICT"])
      assert.deepStrictEqual(
        refusalOf(yield* caller.call("POST", `/mcp/authorizations/${challenge}/reject`, { body: {} })),
        [409, "CONFLICT"]
      )
    })
  )

  it.effect("a rejected challenge, a refused consent and a forged one let nobody in", () =>
    Effect.gen(function* () {
      const { caller, handle, program, workspace } = yield* begun
      const client = yield* Effect.promise(() => program.clientId())
      const refused = yield* Effect.promise(() =>
        consentAs(makeBrowser(handle), program.begin(client, workspace).address, "alice", { answer: "deny" })
      )
      assert.strictEqual(refused.searchParams.get("error"), "access_denied")
      assert.strictEqual(refused.searchParams.get("state"), "of the host")
      assert.strictEqual(refused.searchParams.get("iss"), publicUrl)

      const browser = makeBrowser(handle)
      const pick = yield* Effect.promise(() => browser.follow(program.begin(client, workspace).address))
      const consent = yield* Effect.promise(() => browser.submit(pick.url, { end_user: "alice" }))
      const forged = { "sec-fetch-site": "cross-site", origin: "https://evil.example" }
      assert.strictEqual(yield* status(browser.post(consent.url, { answer: "allow" }, forged)), 403)
      assert.strictEqual(yield* status(makeBrowser(handle).post(consent.url, { answer: "allow" })), 400)
      const page = yield* Effect.promise(() => browser.step(consent.url))
      assert.include(page.headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
      assert.strictEqual(page.headers.get("cache-control"), "no-store")

      yield* setAddress(caller)
      const asked = yield* Effect.promise(() => browser.follow(program.begin(client, workspace).address))
      const challenge = new URL(asked.url).searchParams.get("challenge") ?? ""
      const rejected = yield* caller.call("POST", `/mcp/authorizations/${challenge}/reject`, {
        body: { reason: "not a customer" }
      })
      const back = yield* Effect.promise(() => browser.follow(String(recordOf(rejected).redirectTo)))
      const said = new URL(back.url).searchParams
      assert.deepStrictEqual([said.get("error"), said.get("error_description")], ["access_denied", "not a customer"])
    })
  )

  it.effect("nothing is at rest that opens anything, and addresses come from the configuration", () =>
    Effect.gen(function* () {
      const { program, workspace } = yield* begun
      const sql = yield* SqlClient.SqlClient
      const { access, client, refresh } = yield* Effect.promise(() => program.tokens(workspace, "alice"))
      const rows = yield* sql<{ readonly text: string }>`
        select row_to_json(r)::text as text from oauth_records r
        union all select row_to_json(g)::text from mcp_grants g union all select row_to_json(s)::text from mcp_sign_ins s`
      const text = rows.map((row) => row.text).join("\n")
      for (const secret of [access, refresh]) assert.notInclude(text, secret)
      assert.include(text, client, "the list of grants names the client")
      const metadata = yield* Effect.promise(async () =>
        json(
          await program.send("/.well-known/oauth-authorization-server", {
            headers: { "x-forwarded-host": "evil.example", host: "127.0.0.1:3000" }
          })
        )
      )
      assert.strictEqual(metadata["issuer"], publicUrl)
      assert.strictEqual(metadata["token_endpoint"], `${publicUrl}/oauth/token`)
      assert.deepStrictEqual(metadata["code_challenge_methods_supported"], ["S256"])
      assert.include(JSON.stringify(metadata["token_endpoint_auth_methods_supported"]), '"none"')
      assert.isTrue(metadata["client_id_metadata_document_supported"])
      assert.isTrue(metadata["authorization_response_iss_parameter_supported"])
      const wrong = yield* Effect.promise(async () =>
        json(await program.send("/.well-known/oauth-authorization-server", { headers: { host: "localhost:3000" } }))
      )
      assert.deepInclude(wrong, { statusCode: 400 })
      assert.include(String(wrong["message"]), publicUrl)
    })
  )

  it.effect("a program revokes what it has, and only that", () =>
    Effect.gen(function* () {
      const { program, workspace } = yield* begun
      const own = yield* Effect.promise(() => program.tokens(workspace, "alice"))
      const others = yield* Effect.promise(() => program.tokens(workspace, "alice"))
      const revoke = (token: string, client: string) =>
        status(program.form("/oauth/revoke", { token, client_id: client }))
      assert.strictEqual(yield* revoke(others.access, own.client), 200)
      assert.strictEqual(yield* status(program.call(workspace, others.access)), 200)
      assert.strictEqual(yield* revoke(own.refresh, own.client), 200)
      assert.strictEqual(yield* status(program.call(workspace, own.access)), 401)
    })
  )

  it.effect("registrations are small, and their redirects lead to programs", () =>
    Effect.gen(function* () {
      const { program } = yield* begun
      const refused = (metadata: object) =>
        Effect.promise(async () => {
          const { body, status } = await program.register(metadata)
          return [status, body["error"]]
        })
      const bad = [400, "invalid_redirect_uri"]
      assert.deepStrictEqual(yield* refused({ redirect_uris: ["javascript:alert(1)"] }), bad)
      assert.deepStrictEqual(yield* refused({ redirect_uris: ["data:text/html,x"] }), bad)
      assert.deepStrictEqual(yield* refused({ redirect_uris: ["http://public.example/callback"] }), bad)
      assert.deepStrictEqual(yield* refused({ redirect_uris: ["https://host.example/callback#x"] }), bad)
      const many = Array.from({ length: 11 }, (_, i) => `http://127.0.0.1/${i}`)
      assert.deepStrictEqual(yield* refused({ redirect_uris: many }), [400, "invalid_client_metadata"])
      assert.deepStrictEqual(yield* refused({ client_name: "x".repeat(201) }), [400, "invalid_client_metadata"])
      assert.deepStrictEqual(yield* refused({ client_name: "x".repeat(9000) }), [413, "invalid_request"])
      assert.deepStrictEqual(yield* refused({ redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"] }), [
        201,
        undefined
      ])
    })
  )
})

layer(sandboxApplication({ PUBLIC_URL: "http://127.0.0.1:3000", HOST: "0.0.0.0" }), { timeout: "60 seconds" })(
  "a sandbox that others reach",
  (it) => {
    it.effect("has nobody picked as an end user but by the console", () =>
      Effect.gen(function* () {
        const { caller, handle, program, workspace } = yield* begun
        const client = yield* Effect.promise(() => program.clientId())
        const browser = makeBrowser(handle)
        const { answer, url } = yield* Effect.promise(() => browser.follow(program.begin(client, workspace).address))
        assert.include(url, "/oauth/interaction/")
        const page = yield* Effect.promise(async () => (await answer?.text()) ?? "")
        const [, way = ""] = /href="([^"]*\/console\/mcp\/pick\/[\w-]+)"/.exec(page) ?? []
        const challenge = way.split("/").at(-1)
        assert.strictEqual(
          yield* status(browser.post(`${publicUrl}/oauth/sandbox/${challenge}`, { end_user: "x" })),
          404
        )
        const stranger = yield* Effect.promise(() => browser.step(way))
        assert.strictEqual(stranger.status, 303)
        assert.match(stranger.headers.get("location") ?? "", /console\/sign-in$/)

        const signedIn = yield* Effect.promise(() =>
          browser.post(`${publicUrl}/console/sign-in`, { key: Redacted.value(caller.tenancy.key) })
        )
        assert.strictEqual(signedIn.status, 303)
        const form = yield* Effect.promise(async () => (await browser.step(way)).text())
        const token = /name="form_token"\s+value="([^"]+)"/.exec(form)?.[1] ?? ""
        const consent = yield* Effect.promise(() => browser.submit(way, { form_token: token, end_user: "alice" }))
        assert.strictEqual(consent.answer?.status, 200)
        assert.include(consent.url, "/oauth/interaction/")
      })
    )
  }
)
