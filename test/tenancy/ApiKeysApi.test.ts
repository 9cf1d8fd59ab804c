import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted, Schema, TestClock } from "effect"
import type { Tenancy } from "../../src/InProcess.ts"
import { ApiKeys, type KeyOptions } from "../../src/tenancy/ApiKeys.ts"
import { scopes } from "../../src/tenancy/Scopes.ts"
import {
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const someone = Effect.flatMap(SandboxApplication, ({ caller }) => caller([]))

/** A caller of the same organisation with another key. */
const as = (tenancy: Tenancy, key: unknown) =>
  Effect.flatMap(SandboxApplication, ({ caller }) =>
    caller([], { tenancy: { ...tenancy, key: Redacted.make(Schema.decodeUnknownSync(Schema.String)(key)) } })
  )

/** A caller with a key that the operator made. */
const withKey = (tenancy: Tenancy, options: KeyOptions) =>
  Effect.gen(function* () {
    const made = yield* (yield* ApiKeys).create(tenancy.organisation, tenancy.environment, options)
    return { id: made.id, ...(yield* as(tenancy, Redacted.value(made.key))) }
  })

const idOf = Schema.decodeUnknownSync(Schema.String)

describe("/api-keys", () => {
  layer(sandboxApplication(), { timeout: "60 seconds" })((it) => {
    it.effect("makes a key that is shown once, and works as far as its scopes go", () =>
      Effect.gen(function* () {
        const { call, tenancy } = yield* someone
        const made = yield* call("POST", "/api-keys", {
          body: { name: "Reports", scopes: ["records:read", "records:read"], expiresAt: "2199-01-31T10:30:00+01:00" }
        })
        assert.strictEqual(made.status, 201)
        const { key, ...shown } = recordOf(made)
        assert.match(idOf(key), /^sk_test_[0-9A-Za-z]{43}$/)
        assert.include(shown, {
          name: "Reports",
          environment: "sandbox",
          prefix: idOf(key).slice(0, 12),
          expiresAt: "2199-01-31T09:30:00.000Z",
          lastUsedAt: null,
          revokedAt: null
        })
        assert.deepStrictEqual(shown["scopes"], ["records:read"])
        const own = yield* as(tenancy, key)
        assert.strictEqual((yield* own.call("GET", "/crm/contact")).status, 200)
        assert.deepStrictEqual(refusalOf(yield* own.call("GET", "/api-keys")), [403, "FORBIDDEN"])

        const [first, second] = pageOf(yield* call("GET", "/api-keys")).data
        assert.include(first, { id: shown["id"], createdBy: second?.["id"] })
        assert.deepInclude(second, { scopes: null, createdBy: null, expiresAt: null })
        assert.notInclude(JSON.stringify([first, second]), idOf(key).slice(12))
      })
    )

    it.effect("says every field that is wrong", () =>
      Effect.gen(function* () {
        const { call } = yield* someone
        const errors = (body: unknown) => Effect.map(call("POST", "/api-keys", { body }), errorsOf)
        assert.sameMembers(Object.keys(yield* errors({})), ["name", "scopes"])
        const all = yield* errors({
          name: "x".repeat(101),
          scopes: ["admin", "records:rule"],
          expiresAt: "2026-02-31T00:00:00Z",
          environment: "production"
        })
        assert.sameMembers(Object.keys(all), ["name", "scopes.1", "expiresAt", "environment"])
        assert.include(all["scopes.1"] ?? "", scopes.join(", "))
        assert.include(all["expiresAt"] ?? "", "2027-01-31T09:30:00Z")
        const body = { name: "n", scopes: ["admin"] }
        assert.property(yield* errors({ ...body, scopes: [] }), "scopes")
        assert.property(yield* errors({ ...body, name: " " }), "name")
        assert.deepStrictEqual(yield* errors({ ...body, expiresAt: "2020-01-01T00:00:00Z" }), {
          expiresAt: "must be in the future"
        })
        assert.property(yield* errors({ ...body, expiresAt: "0000-01-01T00:00:00Z" }), "expiresAt")
        const far = yield* call("POST", "/api-keys", { body: { ...body, expiresAt: "2199-01-31T09:30:00+18:00" } })
        assert.strictEqual(recordOf(far)["expiresAt"], "2199-01-30T15:30:00.000Z")
        assert.deepStrictEqual(refusalOf(yield* call("GET", "/api-keys?limit=0")), [400, "INVALID_PARAMETER"])
        assert.deepStrictEqual(refusalOf(yield* call("GET", "/api-keys?cursor=x")), [400, "INVALID_CURSOR"])
      })
    )

    it.effect("gives no scope and no time that the making key lacks", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* someone
        const expiresAt = "2199-06-01T00:00:00.000Z"
        const maker = yield* withKey(tenancy, { scopes: ["admin", "records:read"], expiresAt })
        const make = (body: object) => maker.call("POST", "/api-keys", { body: { name: "Child", ...body } })
        const refused = yield* make({ scopes: ["records:read", "records:write"] })
        assert.deepStrictEqual(refusalOf(refused), [403, "FORBIDDEN"])
        assert.include(failureOf(refused).message, "scopes.1: this API key lacks the scope records:write")
        const late = yield* make({ scopes: ["admin"], expiresAt: "2199-06-01T00:00:01Z" })
        assert.include(errorsOf(late)["expiresAt"] ?? "", expiresAt)
        assert.strictEqual(recordOf(yield* make({ scopes: ["admin"] }))["expiresAt"], expiresAt)
        const soon = new Date(Date.now() + 5 * 60_000).toISOString()
        const linker = yield* withKey(tenancy, { scopes: ["connect"], expiresAt: soon })
        const link = recordOf(yield* linker.call("POST", "/connect/token", { body: { endUserId: "u-1" } }))
        assert.strictEqual(link["expiresAt"], soon, "nor do its connect tokens live longer")
        const sooner = yield* make({ scopes: ["admin"], expiresAt: "2199-05-01T00:00:00Z" })
        assert.strictEqual(recordOf(sooner)["createdBy"], maker.id)
      })
    )

    it.effect("revokes with a key what was made with it, their connect tokens too, and nothing else", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxApplication
        const sql = yield* SqlClient.SqlClient
        const { call, tenancy } = yield* someone
        const make = (from: typeof call) =>
          Effect.gen(function* () {
            const made = recordOf(
              yield* from("POST", "/api-keys", { body: { name: "k", scopes: ["admin", "connect"] } })
            )
            return { id: idOf(made["id"]), ...(yield* as(tenancy, made["key"])) }
          })
        const child = yield* make(call)
        const grandchild = yield* make(child.call)
        const sibling = yield* make(call)
        const linkOf = (from: typeof call) =>
          Effect.gen(function* () {
            const { token } = recordOf(yield* from("POST", "/connect/token", { body: { endUserId: "u-1" } }))
            return send("GET", "/connect/session", { headers: { authorization: `Bearer ${idOf(token)}` } })
          })
        const links = { gone: yield* linkOf(grandchild.call), kept: yield* linkOf(sibling.call) }
        assert.strictEqual((yield* links.gone).status, 200)

        const revoked = recordOf(yield* call("DELETE", `/api-keys/${child.id}`))
        assert.include(revoked, { id: child.id, alsoRevoked: 1 })
        for (const one of [child, grandchild]) {
          assert.deepStrictEqual(refusalOf(yield* one.call("GET", "/providers")), [401, "INVALID_API_KEY"])
        }
        assert.deepStrictEqual(refusalOf(yield* links.gone), [401, "INVALID_CONNECT_SESSION"])
        assert.strictEqual((yield* links.kept).status, 200)
        assert.strictEqual((yield* sibling.call("GET", "/api-keys")).status, 200)
        const told = pageOf(yield* call("GET", "/api-keys/events")).data.filter(({ event }) => event === "revoked")
        assert.sameDeepMembers(
          told.map(({ keyId, revokedWith }) => [keyId, revokedWith]),
          [
            [child.id, null],
            [grandchild.id, child.id]
          ]
        )
        const again = recordOf(yield* call("DELETE", `/api-keys/${child.id}`))
        assert.include(again, { revokedAt: revoked["revokedAt"], alsoRevoked: 0 })

        // what 0.1.0 inserts goes on working, with all scopes
        const rows = yield* sql`
          insert into connect_sessions (id, organisation_id, environment, end_user_id, hash, expires_at)
          select gen_random_uuid(), organisation_id, environment, id, sha256('0.1.0'), now() + interval '1 hour'
          from end_users where organisation_id = ${tenancy.organisation} and external_id = 'u-1' returning id`
        assert.lengthOf(rows, 1)
        const text = `sk_test_${"0".repeat(42)}a`
        yield* sql`
          insert into api_keys (id, organisation_id, environment, prefix, hash)
          values (gen_random_uuid(), ${tenancy.organisation}, 'sandbox', 'sk_test_0000', sha256(${text}::bytea))`
        const old = yield* as(tenancy, text)
        assert.strictEqual((yield* old.call("GET", "/api-keys")).status, 200)
      })
    )

    it.effect("makes no key with one that is being revoked", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { tenancy } = yield* someone
        const parent = yield* keys.create(tenancy.organisation, "sandbox", { scopes: ["admin"] })
        const by = yield* keys.authenticate(parent.key)
        const [made] = yield* Effect.all(
          [
            Effect.forEach(Array.from({ length: 20 }), () =>
              Effect.option(keys.createWith(by, { name: "n", scopes: ["admin"] }))
            ),
            Effect.delay(keys.revoke(parent.id), 0)
          ],
          { concurrency: "unbounded" }
        )
        const left = (yield* keys.list(tenancy.organisation)).filter(
          ({ createdBy, revokedAt }) => createdBy === parent.id && revokedAt === null
        )
        assert.lengthOf(made, 20)
        assert.deepStrictEqual(left, [])
      })
    )

    it.effect("neither shows nor revokes keys of another organisation or environment", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const mine = yield* someone
        const theirs = yield* someone
        const live = yield* keys.create(mine.tenancy.organisation, "production")
        const [theirKey] = yield* keys.list(theirs.tenancy.organisation)
        for (const id of [live.id, theirKey?.id, "nobody"]) {
          assert.deepStrictEqual(refusalOf(yield* mine.call("DELETE", `/api-keys/${id}`)), [404, "API_KEY_NOT_FOUND"])
        }
        yield* keys.authenticate(live.key)
        for (const path of ["/api-keys", "/api-keys/events"]) {
          const { data } = pageOf(yield* mine.call("GET", path))
          assert.lengthOf(data, 1)
          assert.notInclude(JSON.stringify(data), live.id)
        }
        const first = pageOf(yield* theirs.call("GET", "/api-keys?limit=1"))
        assert.isFalse(first.pagination.hasMore)
      })
    )

    it.effect("lists keys and their events newest first, in pages whose cursors are the caller's own", () =>
      Effect.gen(function* () {
        const { call, tenancy } = yield* someone
        const other = yield* someone
        for (const name of ["one", "two", "three"]) {
          yield* call("POST", "/api-keys", { body: { name, scopes: ["admin"] } })
        }
        for (const [path, nameOf] of [
          ["/api-keys", "name"],
          ["/api-keys/events", "keyName"]
        ] as const) {
          const first = pageOf(yield* call("GET", `${path}?limit=2`))
          assert.deepStrictEqual(
            first.data.map((one) => one[nameOf]),
            ["three", "two"]
          )
          assert.isTrue(first.pagination.hasMore)
          const cursor = encodeURIComponent(first.pagination.cursor ?? "")
          const second = pageOf(yield* call("GET", `${path}?limit=2&cursor=${cursor}`))
          assert.deepStrictEqual(
            second.data.map((one) => one[nameOf]),
            ["one", null]
          )
          assert.deepStrictEqual(second.pagination, { cursor: null, hasMore: false, limit: 2 })
          const stolen = yield* other.call("GET", `${path}?cursor=${cursor}`)
          assert.deepStrictEqual(refusalOf(stolen), [400, "INVALID_CURSOR"])
        }
        const [newest] = pageOf(yield* call("GET", "/api-keys")).data
        yield* call("DELETE", `/api-keys/${idOf(newest?.["id"])}`)
        const { data } = pageOf(yield* call("GET", "/api-keys/events"))
        const actor = (yield* (yield* ApiKeys).authenticate(tenancy.key)).key
        const told = data.map(({ actor, event, keyName, scopes: held }) => ({ actor, event, keyName, held }))
        assert.deepStrictEqual(told.slice(0, 2), [
          { actor, event: "revoked", keyName: "three", held: ["admin"] },
          { actor, event: "created", keyName: "three", held: ["admin"] }
        ])
        assert.deepInclude(told.at(-1), { actor: null, event: "created", keyName: null, held: null })
      })
    )

    it.effect("refuses an expired key, says so to whoever has it, and tells the organisation once", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { call, tenancy } = yield* someone
        const { call: stale, id } = yield* withKey(tenancy, { name: "Old", expiresAt: "2199-01-01T00:00:00Z" })
        yield* sql`update api_keys set expires_at = '2026-01-02T03:04:05Z' where id = ${id}`
        for (let tried = 0; tried < 3; tried += 1) {
          const refused = yield* stale("GET", "/providers")
          assert.deepStrictEqual(refusalOf(refused), [401, "INVALID_API_KEY"])
          assert.include(failureOf(refused).message, "expired at 2026-01-02T03:04:05.000Z")
          yield* TestClock.adjust("1 second")
        }
        const events = Effect.map(call("GET", "/api-keys/events"), (answer) =>
          pageOf(answer).data.filter(({ event }) => event === "used_after_expiry")
        )
        const told = yield* Effect.repeat(events, { until: (all) => all.length > 0, times: 100 })
        assert.lengthOf(told, 1)
        assert.deepInclude(told[0], { keyId: id, keyName: "Old", actor: null })
      })
    )

    full(it).effect("keeps the last use, at most one write a minute", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const keys = yield* ApiKeys
        const { call, tenancy } = yield* someone
        const { call: own, id } = yield* withKey(tenancy, { scopes: ["records:read"] })
        const used = Effect.map(call("GET", "/api-keys"), (answer) =>
          pageOf(answer).data.find((one) => one["id"] === id)
        )
        assert.include(yield* used, { lastUsedAt: null })
        yield* own("GET", "/providers")
        const noted = yield* Effect.repeat(used, {
          until: (one) => one?.["lastUsedAt"] !== null,
          times: 100
        })
        const at = idOf(noted?.["lastUsedAt"])
        assert.isBelow(Math.abs(Date.now() - Date.parse(at)), 60_000)
        const versionOf = Effect.map(
          sql<{ readonly xmin: string }>`select xmin::text from api_keys where id = ${id}`,
          ([row]) => row?.xmin
        )
        const version = yield* versionOf
        for (let tried = 0; tried < 5; tried += 1) {
          yield* own("GET", "/providers")
          yield* TestClock.adjust("1 second")
        }
        assert.strictEqual(yield* versionOf, version)
        assert.isDefined(yield* keys.authenticate(tenancy.key))
      })
    )
  })
})
