import { assert, describe, it } from "@effect/vitest"
import { HttpClientRequest } from "@effect/platform"
import { Effect, Layer, TestClock } from "effect"
import { createHash } from "node:crypto"
import { simulator as hubspot } from "../../../src/providers/hubspot/simulator/HubSpotSimulator.ts"
import { simulator as pipedrive } from "../../../src/providers/pipedrive/simulator/PipedriveSimulator.ts"
import { simulator as quickbooks } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { simulator as salesforce } from "../../../src/providers/salesforce/simulator/SalesforceSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, type Simulator } from "../../../src/providers/simulation/Simulator.ts"
import { simulator as xero } from "../../../src/providers/xero/simulator/XeroSimulator.ts"
import { simulator as zohocrm } from "../../../src/providers/zohocrm/simulator/ZohoCrmSimulator.ts"

// Consent and its codes are the same for all simulators; what differs is where they are and what refusals are called.

interface Server {
  readonly simulator: Simulator
  readonly authorize: string
  readonly token: string
  readonly scope: string
  readonly client: "basic" | "body"
  /** Error words for a wrong code, redirect, verifier and refresh token, and where they stand. */
  readonly words: {
    readonly code: string
    readonly redirect: string
    readonly verifier: string
    readonly refresh: string
  }
  readonly said: "error" | "status"
}

const grant = { code: "invalid_grant", redirect: "invalid_grant", verifier: "invalid_grant", refresh: "invalid_grant" }

const servers: ReadonlyArray<Server> = [
  {
    simulator: hubspot,
    authorize: "/oauth/authorize",
    token: "/oauth/2026-03/token",
    scope: "oauth crm.objects.contacts.read",
    client: "body",
    said: "status",
    words: {
      code: "BAD_AUTH_CODE",
      redirect: "MISMATCH_REDIRECT_URI_AUTH_CODE",
      verifier: "BAD_CODE_VERIFIER",
      refresh: "BAD_REFRESH_TOKEN"
    }
  },
  {
    simulator: salesforce,
    authorize: "/services/oauth2/authorize",
    token: "/services/oauth2/token",
    scope: "api refresh_token",
    client: "body",
    said: "error",
    words: { ...grant, redirect: "redirect_uri_mismatch" }
  },
  {
    simulator: pipedrive,
    authorize: "/oauth/authorize",
    token: "/oauth/token",
    scope: "base deals:full",
    client: "basic",
    said: "error",
    words: grant
  },
  {
    simulator: zohocrm,
    authorize: "/oauth/v2/auth",
    token: "/oauth/v2/token",
    scope: "ZohoCRM.modules.ALL,ZohoCRM.org.READ",
    client: "body",
    said: "error",
    words: {
      code: "invalid_code",
      redirect: "invalid_redirect_uri",
      verifier: "invalid_code",
      refresh: "invalid_code"
    }
  },
  {
    simulator: quickbooks,
    authorize: "/connect/oauth2",
    token: "/oauth2/v1/tokens/bearer",
    scope: "com.intuit.quickbooks.accounting",
    client: "basic",
    said: "error",
    words: grant
  },
  {
    simulator: xero,
    authorize: "/identity/connect/authorize",
    token: "/connect/token",
    scope: "offline_access accounting.contacts",
    client: "basic",
    said: "error",
    words: grant
  }
]

const redirectUri = "https://app.example.com/back?from=here"
const verifier = "v".repeat(43)
const challenge = createHash("sha256").update(verifier).digest("base64url")

type Fields = { readonly [name: string]: string | undefined }

const present = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const browser = ({ authorize, client: style, scope, simulator, token }: Server) =>
  Effect.gen(function* () {
    const http = yield* client(simulator)
    const read = (request: HttpClientRequest.HttpClientRequest) =>
      Effect.flatMap(http.execute(request), (response) =>
        Effect.map(response.text, (text) => ({ status: response.status, headers: response.headers, text }))
      )
    const query = (change: Fields) =>
      new URLSearchParams(
        present({
          response_type: "code",
          client_id: "app",
          redirect_uri: redirectUri,
          scope,
          state: "s t+a",
          ...change
        })
      ).toString()
    const page = (change: Fields = {}) =>
      read(HttpClientRequest.get(`https://provider.example${authorize}?${query(change)}`))
    const answer = (decision?: Fields, change: Fields = {}) =>
      read(
        HttpClientRequest.post(`https://provider.example${authorize}?${query(change)}`).pipe(
          HttpClientRequest.bodyUrlParams(present(decision ?? { decision: "allow" }))
        )
      )
    const redirect = (change: Fields = {}) =>
      Effect.map(answer(undefined, change), ({ headers, status }) => {
        assert.strictEqual(status, 303)
        return new URL(headers.location ?? "").searchParams
      })
    const exchange = (form: Fields, clientId = "app") => {
      const own = style === "body" ? { client_id: clientId, client_secret: "secret" } : {}
      const bare = HttpClientRequest.post(`https://provider.example${token}`).pipe(
        HttpClientRequest.bodyUrlParams(present({ ...own, ...form }))
      )
      return Effect.map(
        read(style === "basic" ? HttpClientRequest.basicAuth(bare, clientId, "secret") : bare),
        ({ text }) => JSON.parse(text) as { readonly [name: string]: unknown }
      )
    }
    const code = (given: Fields = {}, clientId?: string) =>
      exchange({ grant_type: "authorization_code", redirect_uri: redirectUri, ...given }, clientId)
    return { answer, code, exchange, page, redirect }
  })

const run = <A, E>(test: Effect.Effect<A, E, SimulationStore | Faults>) =>
  Effect.provide(test, Layer.merge(SimulationStore.layerMemory, Faults.layer))

describe("consent at a simulator", () => {
  for (const server of servers) {
    const { slug } = server.simulator
    const { said, words } = server

    it.effect(`${slug}: gives a code that is good for tokens, once`, () =>
      run(
        Effect.gen(function* () {
          const { code, exchange, redirect } = yield* browser(server)
          const back = yield* redirect()
          assert.strictEqual(back.get("from"), "here")
          assert.strictEqual(back.get("state"), "s t+a")
          const given = { code: back.get("code") ?? "" }
          const tokens = yield* code(given)
          assert.isString(tokens.access_token, JSON.stringify(tokens))
          assert.isString(tokens.refresh_token)
          const refresh = { grant_type: "refresh_token", refresh_token: String(tokens.refresh_token) }
          assert.isString((yield* exchange(refresh)).access_token)
          assert.strictEqual((yield* code(given))[said], words.code)
          assert.strictEqual(
            (yield* exchange({ ...refresh, refresh_token: `${refresh.refresh_token}x` }))[said],
            words.refresh
          )
        })
      )
    )

    it.effect(`${slug}: a code belongs to its client and redirect, and ends soon`, () =>
      run(
        Effect.gen(function* () {
          const { code, redirect } = yield* browser(server)
          const fresh = Effect.map(redirect(), (back) => back.get("code") ?? "")
          assert.strictEqual((yield* code({ code: yield* fresh }, "another"))[said], words.code)
          const elsewhere = { code: yield* fresh, redirect_uri: "https://evil.example/" }
          assert.strictEqual((yield* code(elsewhere))[said], words.redirect)
          const late = yield* fresh
          yield* TestClock.adjust("61 seconds")
          assert.strictEqual((yield* code({ code: late }))[said], words.code)
          assert.strictEqual((yield* code({ code: "nobody.x" }))[said], words.code)
        })
      )
    )

    it.effect(`${slug}: a code with a challenge needs its verifier`, () =>
      run(
        Effect.gen(function* () {
          const { code, redirect } = yield* browser(server)
          const proof = { code_challenge: challenge, code_challenge_method: "S256" }
          const fresh = Effect.map(redirect(proof), (back) => back.get("code") ?? "")
          const wrong = yield* code({ code: yield* fresh, code_verifier: "w".repeat(43) })
          assert.strictEqual(wrong[said], words.verifier)
          const right = yield* code({ code: yield* fresh, code_verifier: verifier })
          assert.isString(right.access_token, JSON.stringify(right))
        })
      )
    )

    it.effect(`${slug}: a wrong request for consent is answered by a page, not by a redirect`, () =>
      run(
        Effect.gen(function* () {
          const { answer, page } = yield* browser(server)
          for (const change of [
            { response_type: "token" },
            { client_id: "" },
            { redirect_uri: undefined },
            { redirect_uri: "javascript:alert(1)" },
            { scope: "everything!" },
            { code_challenge: challenge, code_challenge_method: "plain" },
            { code_challenge: "short", code_challenge_method: "S256" },
            { unknown: "<b>x</b>" }
          ]) {
            for (const shown of [yield* page(change), yield* answer(undefined, change)]) {
              assert.strictEqual(shown.status, 400, JSON.stringify(change))
              assert.include(shown.headers["content-type"], "text/html")
              assert.notInclude(shown.text, "<b>")
            }
          }
        })
      )
    )

    it.effect(`${slug}: denied, it goes back with an error and no code`, () =>
      run(
        Effect.gen(function* () {
          const { answer, page } = yield* browser(server)
          assert.match((yield* page()).text, /Allow[^]*Deny/)
          const denied = yield* answer({ decision: "deny" })
          const back = new URL(denied.headers.location ?? "").searchParams
          assert.deepStrictEqual(
            [back.get("error"), back.get("state"), back.get("code")],
            ["access_denied", "s t+a", null]
          )
        })
      )
    )
  }
})
