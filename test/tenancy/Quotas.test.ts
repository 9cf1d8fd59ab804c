import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { quota } from "../../src/platform/Quota.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { trySignIn } from "../console/Visitor.ts"
import {
  type Answer,
  failureOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const limits = {
  QUOTA_API_KEYS: "3",
  QUOTA_CONNECTIONS: "3",
  QUOTA_CONNECT_SESSIONS: "3",
  QUOTA_CONSOLE_SESSIONS: "3",
  QUOTA_WEBHOOKS: "3",
  QUOTA_WORKSPACES: "3"
}

const someone = Effect.flatMap(SandboxApplication, ({ caller }) => caller([]))

const atOnce = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: times }, () => effect),
    { concurrency: "unbounded" }
  )

/** Of answers to the same request, sent at the same moment: so many went through, the others name the quota. */
const expectExceeded = (answers: ReadonlyArray<Answer>, through: number, setting: keyof typeof limits) => {
  const made = answers.filter(({ status }) => status === 201)
  assert.lengthOf(made, through)
  for (const answer of answers.filter((one) => !made.includes(one))) {
    const { code, message } = failureOf(answer)
    assert.deepStrictEqual([answer.status, code], [409, "QUOTA_EXCEEDED"])
    assert.include(message, "at most 3 ")
    assert.include(message, setting)
  }
}

describe("quotas", () => {
  it.effect("are 0 for none or more", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(quota({ setting: "QUOTA_API_KEYS", fallback: 1, most: String, remedy: "" }))
      assert.include(String(error), "QUOTA_API_KEYS")
    }).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["QUOTA_API_KEYS", "-1"]]))))
  )

  layer(sandboxApplication(limits), { timeout: "60 seconds" })((it) => {
    full(it).effect("hold for active keys of an organisation's environment, whoever makes them at once", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { call, tenancy } = yield* someone
        const body = { name: "one of many", scopes: ["admin"] }
        expectExceeded(yield* atOnce(10, call("POST", "/api-keys", { body })), 2, "QUOTA_API_KEYS")
        const byOperator = yield* Effect.flip(keys.create(tenancy.organisation, "sandbox"))
        assert.strictEqual(byOperator._tag, "Conflict")

        // other environments and organisations have their own
        yield* keys.create(tenancy.organisation, "production")
        yield* (yield* someone).call("POST", "/api-keys", { body })

        // revoked and expired ones do not count
        const [newest, next] = yield* keys.list(tenancy.organisation, "sandbox")
        yield* keys.revoke(newest?.id ?? "")
        assert.strictEqual((yield* call("POST", "/api-keys", { body })).status, 201)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update api_keys set expires_at = now() where id = ${next?.id ?? ""}`
        assert.strictEqual((yield* call("POST", "/api-keys", { body })).status, 201)
        expectExceeded([yield* call("POST", "/api-keys", { body })], 0, "QUOTA_API_KEYS")
      })
    )

    it.effect("hold for connections of an end user, whichever way they come", () =>
      Effect.gen(function* () {
        const { call } = yield* someone
        const connect = (endUserId: string, provider: string, credentials: object) =>
          call("POST", "/connections", { body: { endUserId, provider, credentials } })
        const hubspot = { accessToken: "a", refreshToken: "b", expiresAt: "2030-01-01T00:00:00Z" }
        const books = { ...hubspot, accountId: "1234567" }
        expectExceeded(yield* atOnce(6, connect("u-1", "hubspot", hubspot)), 3, "QUOTA_CONNECTIONS")
        expectExceeded(yield* atOnce(2, connect("u-1", "netsuite", books)), 0, "QUOTA_CONNECTIONS")
        // another end user has their own, and who comes back adds none
        expectExceeded(yield* atOnce(3, connect("u-2", "netsuite", books)), 3, "QUOTA_CONNECTIONS")
        expectExceeded(yield* atOnce(3, connect("u-2", "hubspot", hubspot)), 2, "QUOTA_CONNECTIONS")
      })
    )

    it.effect("hold for open connect sessions", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { call, tenancy } = yield* someone
        const make = call("POST", "/connect/token", { body: { endUserId: "u-1" } })
        expectExceeded(yield* atOnce(6, make), 3, "QUOTA_CONNECT_SESSIONS")
        assert.strictEqual(
          (yield* (yield* someone).call("POST", "/connect/token", { body: { endUserId: "u" } })).status,
          201
        )
        yield* sql`update connect_sessions set expires_at = now() where organisation_id = ${tenancy.organisation}`
        assert.strictEqual((yield* make).status, 201)
      })
    )

    it.effect("hold for active workspaces", () =>
      Effect.gen(function* () {
        const { call } = yield* someone
        const answers = yield* atOnce(6, call("POST", "/mcp/workspaces", { body: { name: "w" } }))
        expectExceeded(answers, 3, "QUOTA_WORKSPACES")
      })
    )

    it.effect("hold for webhooks", () =>
      Effect.gen(function* () {
        const { call } = yield* someone
        const body = { url: "https://1.1.1.1/", types: ["connection.created"] }
        const answers = yield* atOnce(6, call("POST", "/webhooks", { body }))
        expectExceeded(answers, 3, "QUOTA_WEBHOOKS")
        const made = answers.find(({ status }) => status === 201)
        assert.strictEqual((yield* call("DELETE", `/webhooks/${String(made && recordOf(made).id)}`)).status, 200)
        expectExceeded(yield* atOnce(2, call("POST", "/webhooks", { body })), 1, "QUOTA_WEBHOOKS")
      })
    )

    it.effect("hold for console sessions", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* someone
        const answers = yield* atOnce(6, trySignIn(Redacted.value(tenancy.key)))
        assert.strictEqual(answers.filter(({ status }) => status === 303).length, 3)
        assert.include(JSON.stringify(answers.map(({ body }) => body)), "QUOTA_CONSOLE_SESSIONS")
      })
    )
  })
})
