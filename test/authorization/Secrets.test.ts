import { HttpClient, HttpClientResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, HashMap, Layer, Logger, LogLevel } from "effect"
import { All } from "../../src/All.ts"
import { InProcess } from "../../src/InProcess.ts"
import { simulators } from "../../src/Simulators.ts"
import { connected, doc, workspaceOf } from "../agent/McpClient.ts"
import { recordOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { makeBrowser } from "./Browser.ts"
import { makeProgram, redirect } from "./Flow.ts"
import { tellingSpans } from "../support/EndedSpans.ts"
import { full } from "../support/Full.ts"

/** All that is told of what happens: lines of the log at every level, and spans with what they say. */
const told: Array<string> = []

const text = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)) ?? ""

const noting = Logger.make(({ annotations, cause, message }) => {
  told.push(text([message, Object.fromEntries(HashMap.toEntries(annotations)), Cause.pretty(cause)]))
})

const tracer = tellingSpans((span) => void told.push(text(span)))

/** Requests to providers in production. */
const sent: Array<string> = []

const network = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) => {
    sent.push(text([request.url, request.headers]))
    return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ results: [] })))
  })
)

const observed = sandboxApplication({}, All, simulators, network).pipe(
  Layer.provide(
    Layer.mergeAll(
      Layer.setTracer(tracer),
      Logger.replace(Logger.defaultLogger, noting),
      Logger.minimumLogLevel(LogLevel.All)
    )
  )
)

layer(observed, { timeout: "60 seconds" })("secrets of programs and end users", (it) => {
  full(it).scoped("stay out of logs, spans and the request log, whether an authorization goes well or not", () =>
    Effect.gen(function* () {
      const { handle } = yield* InProcess
      const caller = yield* (yield* SandboxApplication).caller(["hubspot"])
      yield* caller.call("PUT", "/settings/sign-in", { body: { url: "https://app.example.com/sign-in" } })
      const workspace = yield* workspaceOf(caller, { confirm: "destructive" })
      const program = makeProgram(handle)
      const browser = makeBrowser(handle)
      /** The secrets that there were, by what they are. */
      const secrets: { [name: string]: string } = {}
      const keep = (name: string, secret: string | null | undefined) => {
        assert.isAtLeast(secret?.length ?? 0, 20, name)
        return (secrets[name] = secret ?? "")
      }
      /** Goes through the organisation's sign-in; gives where the browser is sent then. */
      const signedIn = (what: string, start: string) =>
        Effect.gen(function* () {
          const asked = yield* Effect.promise(() => browser.follow(start))
          const challenge = keep(`challenge ${what}`, new URL(asked.url).searchParams.get("challenge"))
          yield* caller.call("GET", `/mcp/authorizations/${challenge}`)
          const accepted = yield* caller.call("POST", `/mcp/authorizations/${challenge}/accept`, {
            body: { endUserId: caller.endUser }
          })
          const onward = String(recordOf(accepted).redirectTo)
          keep(`verifier ${what}`, new URL(onward).searchParams.get("verifier"))
          return onward
        })

      const { body: client } = yield* Effect.promise(() =>
        program.register({ token_endpoint_auth_method: "client_secret_post" })
      )
      const id = String(client["client_id"])
      const client_secret = keep("client secret", String(client["client_secret"]))
      const { address, verifier } = program.begin(id, workspace)
      keep("code verifier", verifier)
      const onward = yield* signedIn("of a program", address)
      const code = yield* Effect.promise(async () => {
        const consent = await browser.follow(onward)
        const done = await browser.submit(consent.url, { answer: "allow" })
        return keep("code", new URL(done.url).searchParams.get("code"))
      })
      yield* Effect.promise(async () => {
        await program.redeem("nobody", code, verifier, { client_secret })
        const { body } = await program.redeem(id, code, verifier, { client_secret })
        const access = keep("access token", String(body["access_token"]))
        const first = keep("refresh token", String(body["refresh_token"]))
        assert.strictEqual((await program.call(workspace, access)).status, 200)
        await program.call(workspace, access, {}, `?access_token=${access}`)
        await program.send(`/api/v1/crm/contact?token=${access}`, { headers: { authorization: `Bearer ${access}` } })
        const refreshed = await program.refresh(id, first, { client_secret })
        keep("second access token", String(refreshed.body["access_token"]))
        const second = keep("second refresh token", String(refreshed.body["refresh_token"]))
        await program.form("/oauth/revoke", { token: second, client_id: id, client_secret })
        assert.strictEqual((await program.refresh(id, second, { client_secret })).status, 400)
        // used twice
        assert.strictEqual((await program.redeem(id, code, verifier, { client_secret })).status, 400)
        await program.redeem(id, "x".repeat(43), verifier, {
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: keep("assertion", `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.${"y".repeat(40)}`)
        })
        await program.send(`/oauth/authorize?client_id=${id}&redirect_uri=${redirect}&code=${code}&state=${verifier}`)
      })

      const { callTool } = yield* connected(caller, workspace)
      const { content } = yield* callTool("crm_delete_contact", { id: crypto.randomUUID() })
      const link = String(doc(content.error).approval_url)
      keep("link of an approval", link.split("/approve/")[1])
      const back = yield* signedIn("of an approval", link)
      const page = yield* Effect.promise(() => browser.follow(back))
      assert.strictEqual(page.answer?.status, 200)
      yield* Effect.promise(() => browser.submit(link, { decision: "refuse" }))

      // when the database fails in the middle, what failed is logged
      const sql = yield* SqlClient.SqlClient
      const lines = told.length
      yield* Effect.acquireUseRelease(
        sql`alter table oauth_records rename to oauth_records_away`,
        () => Effect.promise(() => program.redeem(id, code, verifier, { client_secret }).catch(() => undefined)),
        () => Effect.orDie(sql`alter table oauth_records_away rename to oauth_records`)
      )
      assert.include(told.slice(lines).join("\n"), "oauth_records")

      const requests = yield* sql<{ readonly text: string }>`select row_to_json(r)::text as text from request_log r`
      const all = [...told, ...requests.map((row) => row.text)].join("\n")
      assert.include(all, "/oauth/token")
      assert.include(all, "/approve/:token")
      for (const [name, secret] of Object.entries(secrets)) {
        const at = all.indexOf(secret)
        assert.strictEqual(at, -1, `${name}: …${all.slice(Math.max(0, at - 200), at)}`)
      }
    })
  )

  it.effect("stay here: providers get no token of a program, but the connection's own", () =>
    Effect.gen(function* () {
      const { connect, handle } = yield* InProcess
      const caller = yield* (yield* SandboxApplication).caller([], { environment: "production" })
      yield* connect(caller.tenancy, caller.endUser, "hubspot", "token of the connection")
      const workspace = yield* workspaceOf(caller)
      const made = yield* caller.call("POST", `/mcp/workspaces/${workspace}/tokens`, {
        body: { endUserId: caller.endUser }
      })
      const token = String(recordOf(made).token)
      const answer = yield* Effect.promise(() =>
        makeProgram(handle).send(`/api/v1/mcp/${workspace}`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream"
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "crm_list_contacts", arguments: { limit: 1 } }
          })
        })
      )
      const answered = yield* Effect.promise(() => answer.text())
      assert.include(sent.join("\n"), "token of the connection", answered)
      assert.notInclude(sent.join("\n"), token)
    })
  )
})
