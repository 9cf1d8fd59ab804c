import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Redacted, TestClock } from "effect"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { cookieOf, locationOf, signIn, trySignIn, visitor } from "./Visitor.ts"

const someone = Effect.flatMap(SandboxApplication, ({ caller }) => caller([]))

const madeUp = `sk_test_${"0".repeat(43)}`

describe("signing in at the console", () => {
  layer(sandboxApplication())((it) => {
    it.effect("takes a key and gives a cookie that only the browser's own requests carry", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* someone
        const answer = yield* trySignIn(` ${Redacted.value(tenancy.key)}\n`)
        assert.strictEqual(locationOf("/console/sign-in", answer), "/console")
        const attributes = (answer.headers.get("set-cookie") ?? "").split("; ").slice(1)
        assert.sameMembers(attributes, ["HttpOnly", "SameSite=Strict"])
        const own = yield* visitor(cookieOf(answer))
        assert.match(yield* own.read("/console"), /Organisation \d+ Sandbox Sign out/)
      })
    )

    it.effect("sends whoever is not signed in to the page that does it", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        for (const path of ["/console", "/console/keys", "/console/nowhere"]) {
          assert.strictEqual(locationOf(path, yield* send("GET", path)), "/console/sign-in")
        }
        const forged = yield* send("GET", "/console", { headers: { cookie: `tributary_console=${"A".repeat(43)}` } })
        assert.strictEqual(locationOf("/console", forged), "/console/sign-in")
        assert.strictEqual((yield* send("GET", "/console/sign-in")).status, 200)
      })
    )

    it.effect("keeps a hash of the cookie, and nothing of the key", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { tenancy } = yield* someone
        const own = yield* signIn(tenancy.key)
        const rows = JSON.stringify(yield* sql`select s::text as row from console_sessions s`)
        assert.notInclude(rows, own.cookie.split("=")[1] ?? "")
        assert.notInclude(rows, Redacted.value(tenancy.key).slice(8))
      })
    )

    it.effect("takes forms of at most 16 kB, signed in or not", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* someone
        const strange = yield* trySignIn("x".repeat(17_000))
        assert.strictEqual(strange.status, 413)
        assert.include(String(strange.body), "The body is larger than 16384 bytes.")
        const own = yield* signIn(tenancy.key)
        const refused = yield* own.post("/console/sign-out", { more: "x".repeat(17_000) })
        assert.strictEqual(refused.status, 413)
        assert.include(String(refused.body), "The body is larger than 16384 bytes.")
      })
    )

    it.effect("says what is wrong with a wrong key, and no more after 30 of them", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* someone
        const wrong = yield* trySignIn(madeUp)
        assert.strictEqual(wrong.status, 401)
        assert.include(String(wrong.body), "This is not a key of this service, or it was revoked.")
        assert.notInclude(String(wrong.body), madeUp)
        assert.isNull(wrong.headers.get("set-cookie"))
        for (let tried = 1; tried < 30; tried += 1) yield* trySignIn("nonsense")
        const refused = yield* trySignIn(madeUp)
        assert.strictEqual(refused.status, 429)
        assert.match(String(refused.body), /Try again in \d+ seconds/)
        assert.strictEqual((yield* trySignIn(Redacted.value(tenancy.key))).status, 303)
        yield* TestClock.adjust("2 minutes")
      })
    )

    it.effect("refuses a form of another site", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* someone
        const key = Redacted.value(tenancy.key)
        for (const headers of [
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" },
          { origin: "https://evil.example" },
          { origin: "null" }
        ]) {
          const answer = yield* trySignIn(key, headers)
          assert.strictEqual(answer.status, 403, JSON.stringify(headers))
          assert.isNull(answer.headers.get("set-cookie"))
        }
        for (const headers of [{ "sec-fetch-site": "same-origin" }, { origin: "http://127.0.0.1:3000" }]) {
          assert.strictEqual((yield* trySignIn(key, headers)).status, 303, JSON.stringify(headers))
        }
      })
    )

    it.effect("ends with signing out, for good", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* someone
        const own = yield* signIn(tenancy.key)
        const answer = yield* own.post("/console/sign-out")
        assert.strictEqual(locationOf("/console/sign-out", answer), "/console/sign-in")
        assert.match(
          answer.headers.get("set-cookie") ?? "",
          /^tributary_console=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/
        )
        assert.strictEqual(locationOf("/console", yield* own.get("/console")), "/console/sign-in")
      })
    )

    it.effect("ends after 12 hours without a visit", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { tenancy } = yield* someone
        const own = yield* signIn(tenancy.key)
        const ago = (time: string) => sql`
          update console_sessions set seen_at = now() - ${time}::interval where api_key_id in (
            select id from api_keys where organisation_id = ${tenancy.organisation})`
        yield* ago("11 hours 59 minutes")
        assert.strictEqual((yield* own.get("/console")).status, 200)
        // that visit began them again
        const [session] = yield* sql<{ readonly fresh: boolean }>`
          select bool_and(seen_at > now() - interval '1 minute') as fresh from console_sessions where api_key_id in (
            select id from api_keys where organisation_id = ${tenancy.organisation})`
        assert.isTrue(session?.fresh)
        yield* ago("12 hours")
        assert.strictEqual(locationOf("/console", yield* own.get("/console")), "/console/sign-in")
      })
    )

    it.effect("ends after 24 hours, however busy it is", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { tenancy } = yield* someone
        const own = yield* signIn(tenancy.key)
        const began = (time: string) => sql`
          update console_sessions set created_at = now() - ${time}::interval where api_key_id in (
            select id from api_keys where organisation_id = ${tenancy.organisation})`
        yield* began("23 hours 59 minutes")
        assert.strictEqual((yield* own.get("/console")).status, 200)
        yield* began("24 hours")
        assert.strictEqual(locationOf("/console", yield* own.get("/console")), "/console/sign-in")
      })
    )

    it.effect("ends with its key", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { tenancy } = yield* someone
        const other = yield* keys.create(tenancy.organisation, "sandbox")
        const [own, others] = [yield* signIn(tenancy.key), yield* signIn(other.key)]
        yield* keys.revoke(other.id)
        assert.strictEqual((yield* own.get("/console")).status, 200)
        assert.strictEqual(locationOf("/console", yield* others.get("/console")), "/console/sign-in")
        assert.strictEqual((yield* trySignIn(Redacted.value(other.key))).status, 401)
      })
    )
  })

  layer(sandboxApplication({ PUBLIC_URL: "https://api.example.com/crm" }))("over TLS", (it) => {
    it.effect("keeps the cookie to it, and holds behind a path", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* someone
        const answer = yield* trySignIn(Redacted.value(tenancy.key), { origin: "https://api.example.com" })
        assert.sameMembers((answer.headers.get("set-cookie") ?? "").split("; ").slice(1), [
          "HttpOnly",
          "Secure",
          "SameSite=Strict"
        ])
        const own = yield* visitor(cookieOf(answer))
        for (const path of ["/console", "/console/keys"]) {
          const markup = String((yield* own.get(path)).body)
          const addresses = [...markup.matchAll(/(?:href|action|src)="([^"]+)"/g)].map(([, address = ""]) => address)
          assert.isAbove(addresses.length, 10)
          for (const address of addresses.filter((one) => !one.startsWith("data:") && !one.startsWith("#"))) {
            assert.match(
              new URL(address, `https://api.example.com/crm${path}`).pathname,
              /^\/crm\/(console|connect|docs)/
            )
          }
        }
      })
    )
  })
})
