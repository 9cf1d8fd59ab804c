import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, TestClock } from "effect"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { authorize, publicUrl, session, withToken } from "../support/Connecting.ts"
import {
  type Caller,
  errorsOf,
  failureOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const someone = Effect.flatMap(SandboxApplication, ({ caller }) => caller([]))

const allow = ({ tenancy }: Caller, ...origins: ReadonlyArray<string>) =>
  Effect.flatMap(Organisations, (organisations) =>
    Effect.orDie(organisations.changeOrigins(tenancy.organisation, { allow: origins, disallow: [] }))
  )

const make = (caller: Caller, body: unknown) => caller.call("POST", "/connect/token", { body })

describe("POST /connect/token", () => {
  layer(sandboxApplication())((it) => {
    it.effect("gives a token for half an hour, and the page that it opens", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const caller = yield* someone
        const answer = yield* make(caller, { endUserId: "u 1", displayName: "Ann", email: "ann@example.com" })
        assert.strictEqual(answer.status, 201)
        const { connectUrl, expiresAt, token } = recordOf(answer)
        assert.match(String(token), /^cs_test_[\w-]{43}$/)
        assert.strictEqual(connectUrl, `${publicUrl}/connect#token=${String(token)}`)
        const minutes = (Date.parse(String(expiresAt)) - Date.now()) / 60_000
        assert.isTrue(minutes > 28 && minutes < 32, String(expiresAt))
        // only a hash is kept
        const rows = yield* sql`select s::text as row from connect_sessions s`
        assert.notInclude(JSON.stringify(rows), String(token).slice(8))

        const shown = recordOf(yield* (yield* withToken(String(token))).call("GET", ""))
        assert.deepInclude(shown, {
          endUser: { id: "u 1", displayName: "Ann" },
          environment: "sandbox",
          allowedOrigins: [],
          redirectUrl: null,
          reconnect: null
        })
      })
    )

    const wrong: ReadonlyArray<readonly [body: { readonly [name: string]: unknown }, fields: ReadonlyArray<string>]> = [
      [{}, ["endUserId"]],
      [{ endUserId: " " }, ["endUserId"]],
      // no header could name them
      [{ endUserId: " ann" }, ["endUserId"]],
      [{ endUserId: "ann\nbob" }, ["endUserId"]],
      [{ endUserId: "x".repeat(256) }, ["endUserId"]],
      [{ endUserId: "u", enduserid: "u" }, ["enduserid"]],
      [{ endUserId: "u", integrations: [] }, ["integrations"]],
      [{ endUserId: "u", integrations: ["hubspot", "hubsplot"] }, ["integrations.1"]],
      [{ endUserId: "u", email: "ann" }, ["email"]],
      [{ endUserId: "u", redirectUrl: "/done" }, ["redirectUrl"]],
      [{ endUserId: "u", redirectUrl: "javascript:alert(1)" }, ["redirectUrl"]],
      [{ endUserId: "u", redirectUrl: "https://evil.example/" }, ["redirectUrl"]],
      [{ endUserId: "u", redirectUrl: "https://app.example.com.evil.example/" }, ["redirectUrl"]],
      [{ endUserId: "u", allowedOrigins: ["https://app.example.com", "https://evil.example"] }, ["allowedOrigins.1"]],
      // of the session's own origins, not only of the organisation's
      [
        {
          endUserId: "u",
          allowedOrigins: ["https://app.example.com"],
          redirectUrl: "https://admin.example.com/done"
        },
        ["redirectUrl"]
      ]
    ]
    for (const [body, fields] of wrong) {
      it.effect(`refuses ${JSON.stringify(body).slice(0, 90)}`, () =>
        Effect.gen(function* () {
          const caller = yield* someone
          yield* allow(caller, "https://app.example.com", "https://admin.example.com")
          assert.deepStrictEqual(Object.keys(errorsOf(yield* make(caller, body))), fields)
        })
      )
    }

    it.effect("and the routes beside it take no query they do not know", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        for (const [method, path, body] of [
          ["POST", "/connect/token", { endUserId: "u" }],
          ["POST", "/connections", { endUserId: "u", provider: "hubspot", credentials: { accessToken: "x" } }],
          ["GET", "/connections/x", undefined],
          ["GET", "/providers", undefined]
        ] as const) {
          const answer = yield* caller.call(method, `${path}?extra=1`, { body })
          assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"], path)
        }
      })
    )

    it.effect("names what there is in place of an unknown integration", () =>
      Effect.gen(function* () {
        const errors = errorsOf(yield* make(yield* someone, { endUserId: "u", integrations: ["hubsplot"] }))
        assert.include(errors["integrations.0"], '"hubsplot"')
        assert.include(errors["integrations.0"], "hubspot")
      })
    )

    it.effect("origins are the organisation's unless given, and go with the organisation's", () =>
      Effect.gen(function* () {
        const organisations = yield* Organisations
        const caller = yield* someone
        yield* allow(caller, "https://app.example.com", "https://admin.example.com")
        const originsOf = (own: Effect.Effect.Success<ReturnType<typeof session>>) =>
          Effect.map(own.call("GET", ""), (answer) => recordOf(answer).allowedOrigins)
        const all = yield* session(caller, { redirectUrl: "https://admin.example.com/done?x=1" })
        const some = yield* session(caller, { allowedOrigins: ["https://admin.example.com"] })
        const redirectOf = Effect.map(all.call("GET", ""), (answer) => recordOf(answer).redirectUrl)
        assert.strictEqual(yield* redirectOf, "https://admin.example.com/done?x=1")
        assert.deepStrictEqual(yield* originsOf(all), ["https://admin.example.com", "https://app.example.com"])
        assert.deepStrictEqual(yield* originsOf(some), ["https://admin.example.com"])
        yield* organisations.changeOrigins(caller.tenancy.organisation, {
          allow: [],
          disallow: ["https://admin.example.com"]
        })
        assert.deepStrictEqual(yield* originsOf(all), ["https://app.example.com"])
        assert.deepStrictEqual(yield* originsOf(some), [])
        assert.isNull(yield* redirectOf)
      })
    )

    it.effect("limits a session to its integrations", () =>
      Effect.gen(function* () {
        const own = yield* session(yield* someone, { integrations: ["xero", "hubspot"] })
        const shown = recordOf(yield* own.call("GET", "")).integrations as ReadonlyArray<{ slug: string }>
        assert.deepStrictEqual(shown.map(({ slug }) => slug).sort(), ["hubspot", "xero"])
        for (const slug of ["salesforce", "nothing"]) {
          const answer = yield* own.call("POST", `/${slug}/authorize`, {})
          assert.deepStrictEqual(refusalOf(answer), [404, "INTEGRATION_NOT_FOUND"])
        }
      })
    )
  })
})

describe("a session's token", () => {
  layer(sandboxApplication())((it) => {
    it.effect("that is missing, altered, of another environment or expired is refused", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { send } = yield* SandboxApplication
        const { token } = yield* session(yield* someone)
        const refused = [401, "INVALID_CONNECT_SESSION"] as const
        assert.deepStrictEqual(refusalOf(yield* send("GET", "/connect/session")), refused)
        for (const wrong of [
          `${token}x`,
          token.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
          token.replace("_test_", "_live_"),
          "x",
          "sk_test_x"
        ]) {
          assert.deepStrictEqual(refusalOf(yield* (yield* withToken(wrong)).call("GET", "")), refused, wrong)
        }
        const good = yield* withToken(token)
        assert.strictEqual((yield* good.call("GET", "")).status, 200)
        yield* sql`update connect_sessions set expires_at = now()`
        assert.deepStrictEqual(refusalOf(yield* good.call("GET", "")), refused)
        assert.deepStrictEqual(refusalOf(yield* good.call("POST", "/hubspot/authorize", {})), refused)
      })
    )

    full(it).effect("that has expired is forgotten, with what was attempted", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [old, young] = [yield* session(yield* someone), yield* session(yield* someone)]
        const { id } = yield* authorize(old, "hubspot")
        const kept = yield* authorize(young, "hubspot")
        yield* sql`
          update connect_sessions set expires_at = now() - interval '1 second'
          where id = (select session_id from connect_attempts where id = ${id})`
        yield* TestClock.adjust("2 hours")
        const left = sql<{ readonly id: string }>`select id from connect_attempts`
        yield* Effect.repeat(left, { until: (rows) => rows.every((row) => row.id !== id) })
        assert.include(
          (yield* left).map((row) => row.id),
          kept.id
        )
        assert.deepStrictEqual(yield* sql`select id from connect_sessions where expires_at < now()`, [])
      })
    )

    it.effect("opens nothing of the API, and a key opens no session", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const caller = yield* someone
        const { token } = yield* session(caller)
        const headers = { authorization: `Bearer ${token}` }
        assert.deepStrictEqual(refusalOf(yield* send("GET", "/api/v1/connections", { headers })), [
          401,
          "INVALID_API_KEY"
        ])
      })
    )

    it.effect("of another session does not see an attempt", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const [own, other] = [yield* session(caller), yield* session(caller)]
        const { id } = yield* authorize(own, "hubspot")
        for (const [method, path, body] of [
          ["GET", `/attempts/${id}`, undefined],
          ["POST", `/attempts/${id}/cancel`, undefined],
          ["POST", `/attempts/${id}/choice`, { value: "x" }],
          ["GET", "/attempts/x", undefined]
        ] as const) {
          assert.deepStrictEqual(refusalOf(yield* other.call(method, path, body)), [404, "ATTEMPT_NOT_FOUND"])
        }
        assert.strictEqual((yield* own.attempt(id)).status, "pending")
      })
    )

    it.effect("says what is wrong with a body", () =>
      Effect.gen(function* () {
        const own = yield* session(yield* someone)
        const refused = yield* own.call("POST", "/hubspot/authorize", { connectionId: "x", field: {} })
        assert.sameMembers(Object.keys(errorsOf(refused)), ["connectionId", "field"])
        assert.deepStrictEqual(refusalOf(yield* own.call("POST", "/hubspot/credentials", {})), [
          400,
          "INVALID_PARAMETER"
        ])
        assert.deepStrictEqual(refusalOf(yield* own.call("DELETE", "")), [405, "OPERATION_NOT_SUPPORTED"])
      })
    )

    it.effect("takes bodies of at most 16 kB", () =>
      Effect.gen(function* () {
        const own = yield* session(yield* someone)
        const largest = (name: string) => ({ [name]: "x".repeat(16 * 1024 - `{"${name}":""}`.length) })
        for (const path of ["/hubspot/authorize", "/hubspot/credentials"]) {
          const larger = yield* own.call("POST", path, { ...largest("field"), more: 1 })
          assert.deepStrictEqual(refusalOf(larger), [413, "PAYLOAD_TOO_LARGE"])
          assert.strictEqual(failureOf(larger).message, "The body is larger than 16384 bytes.")
          assert.deepStrictEqual(refusalOf(yield* own.call("POST", path, largest("field"))), [422, "VALIDATION_FAILED"])
        }
        const unknown = yield* own.call("POST", "/nowhere/authorize", { field: "x".repeat(100_000) })
        assert.strictEqual(unknown.status, 404)
      })
    )

    it.effect("for a reconnection ends with its connection", () =>
      Effect.gen(function* () {
        const { caller: connected } = yield* SandboxApplication
        const caller = yield* connected(["hubspot"])
        const id = caller.connections.hubspot ?? ""
        const made = recordOf(yield* caller.call("POST", `/connections/${id}/reconnect`))
        const own = yield* withToken(String(made.token))
        const shown = recordOf(yield* own.call("GET", ""))
        assert.deepStrictEqual(shown.reconnect, { connectionId: id, provider: "hubspot" })
        assert.deepStrictEqual(
          (shown.integrations as ReadonlyArray<{ slug: string; connections: unknown }>).map((one) => [
            one.slug,
            one.connections
          ]),
          [["hubspot", [{ id, accountName: "HubSpot sandbox", status: "active", reauthBy: null }]]]
        )
        yield* caller.call("DELETE", `/connections/${id}`)
        assert.deepStrictEqual(refusalOf(yield* own.call("GET", "")), [401, "INVALID_CONNECT_SESSION"])
      })
    )

    full(it).effect("is limited, and so is guessing", () =>
      Effect.gen(function* () {
        const own = yield* session(yield* someone)
        const statuses = yield* Effect.forEach(Array.from({ length: 301 }), () =>
          Effect.map(own.call("GET", "/attempts/x"), ({ status }) => status)
        )
        assert.deepStrictEqual(new Set(statuses.slice(0, 300)), new Set([404]))
        assert.strictEqual(statuses[300], 429)

        const guess = yield* withToken(`cs_test_${"A".repeat(43)}`)
        const guesses = yield* Effect.forEach(Array.from({ length: 40 }), () =>
          Effect.map(guess.call("GET", ""), ({ status }) => status)
        )
        assert.strictEqual(guesses.at(-1), 429)
      })
    )
  })
})
