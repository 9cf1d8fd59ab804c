import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted, TestClock } from "effect"
import { Connections } from "../../src/connections/Connections.ts"
import type { StoredCredentials } from "../../src/connections/StoredCredentials.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(Connections.layer, EndUsers.layer, Organisations.layer).pipe(
  Layer.provideMerge(Encryption.layerTest),
  Layer.provideMerge(TestDatabase.layer)
)

const credentials: StoredCredentials = {
  kind: "accessToken",
  secret: Redacted.make("access-token-of-the-account"),
  refreshToken: undefined,
  expiresAt: undefined,
  values: {}
}

/** An end user of a new organisation, in the sandbox. */
const newEndUser = (organisation: string) =>
  Effect.gen(function* () {
    const { id } = yield* (yield* Organisations).create(organisation)
    return yield* (yield* EndUsers).ensure(id, "sandbox", "u1")
  })

const connect = (endUser: Effect.Effect.Success<ReturnType<typeof newEndUser>>, provider: string) =>
  Effect.flatMap(Connections, (connections) =>
    connections.create({
      organisation: endUser.organisation,
      environment: endUser.environment,
      endUser: endUser.id,
      provider,
      credentials
    })
  )

describe("Connections", () => {
  layer(services)((it) => {
    it.effect("are those of the end user, oldest first, and the same to both providers", () =>
      Effect.gen(function* () {
        const connections = yield* Connections
        const endUser = yield* newEndUser("oldest first")
        assert.deepStrictEqual(yield* connections.ofEndUser(endUser, endUser.externalId), [])
        const first = yield* connect(endUser, "hubspot")
        const second = yield* connect(endUser, "quickbooks")
        const third = yield* connect(endUser, "hubspot")
        assert.deepStrictEqual(yield* connections.ofEndUser(endUser, endUser.externalId), [first, second, third])
        assert.deepStrictEqual(yield* connections.get(endUser, second.id), second)
        assert.deepInclude(second, { endUserId: "u1", provider: "quickbooks", status: "active", statusReason: null })
      })
    )

    it.effect("nobody sees another organisation's or another environment's", () =>
      Effect.gen(function* () {
        const connections = yield* Connections
        const mine = yield* newEndUser("owner of connections")
        const theirs = yield* newEndUser("stranger")
        const { id } = yield* connect(mine, "hubspot")
        const strangers = [
          [{ organisation: theirs.organisation, environment: "sandbox" }, []],
          [{ organisation: mine.organisation, environment: "production" }, undefined]
        ] as const
        // the other organisation has an end user of the same name, the other environment has none
        for (const [stranger, nobody] of strangers) {
          assert.deepStrictEqual(yield* connections.list(stranger), [])
          assert.deepStrictEqual(yield* connections.ofEndUser(stranger, mine.externalId), nobody)
          assert.strictEqual((yield* Effect.flip(connections.get(stranger, id))).code, "CONNECTION_NOT_FOUND")
          assert.strictEqual((yield* Effect.flip(connections.remove(stranger, id))).code, "CONNECTION_NOT_FOUND")
          const stolen = connections.create({ ...stranger, endUser: mine.id, provider: "hubspot", credentials })
          assert.strictEqual((yield* Effect.flip(stolen)).code, "END_USER_NOT_FOUND")
        }
        assert.strictEqual((yield* connections.get(mine, id)).id, id)
        assert.strictEqual((yield* Effect.flip(connections.get(mine, "no id"))).code, "CONNECTION_NOT_FOUND")
      })
    )

    it.effect("are listed by end user, provider and status", () =>
      Effect.gen(function* () {
        const connections = yield* Connections
        const first = yield* newEndUser("filters")
        const second = yield* (yield* EndUsers).ensure(first.organisation, "sandbox", "u2")
        const a = yield* connect(first, "hubspot")
        const b = yield* connect(first, "quickbooks")
        const c = yield* connect(second, "hubspot")
        yield* connections.markNeedsReauth(c, 1, "gone")
        const ids = (filters: Parameters<typeof connections.list>[1]) =>
          Effect.map(connections.list(first, filters), (found) => found.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({}), [a.id, b.id, c.id])
        assert.deepStrictEqual(yield* ids({ endUserId: "u1" }), [a.id, b.id])
        assert.deepStrictEqual(yield* ids({ endUserId: "u2", provider: "quickbooks" }), [])
        assert.deepStrictEqual(yield* ids({ status: "needs_reauth" }), [c.id])
      })
    )

    it.effect("are an end user's own at one provider, and none where none is named", () =>
      Effect.gen(function* () {
        const connections = yield* Connections
        const mine = yield* newEndUser("owns one")
        const other = yield* (yield* EndUsers).ensure(mine.organisation, "sandbox", "u2")
        const made = yield* connect(mine, "hubspot")
        assert.isUndefined(yield* connections.owned(mine, mine.id, "hubspot", undefined))
        assert.deepStrictEqual(yield* connections.owned(mine, mine.id, "hubspot", made.id), made)
        for (const wrong of [
          connections.owned(mine, other.id, "hubspot", made.id),
          connections.owned(mine, mine.id, "quickbooks", made.id)
        ]) {
          assert.strictEqual((yield* Effect.flip(wrong)).code, "CONNECTION_NOT_FOUND")
        }
      })
    )

    it.effect("hear what a provider tells of their account while they are active, and of no other", () =>
      Effect.gen(function* () {
        const connections = yield* Connections
        const endUsers = yield* EndUsers
        const mine = yield* newEndUser("hears")
        const live = yield* endUsers.ensure(mine.organisation, "production", "u1")
        const at = ({ environment, id: endUser, organisation }: typeof mine, provider: string, accountId: string) =>
          connections.create({ organisation, environment, endUser, provider, credentials, accountId })
        const first = yield* at(mine, "hubspot", "told of")
        const second = yield* at(yield* newEndUser("hears too"), "hubspot", "told of")
        const inactive = yield* at(yield* newEndUser("heard"), "hubspot", "told of")
        yield* connections.markNeedsReauth(inactive, 1, "gone")
        yield* at(mine, "hubspot", "another")
        yield* at(mine, "quickbooks", "told of")
        yield* at(live, "hubspot", "told of")
        const told = yield* connections.toAccounts({
          provider: "hubspot",
          environment: "sandbox",
          accountIds: ["told of", "unknown"]
        })
        assert.sameMembers(
          told.map(({ id }) => id),
          [first.id, second.id]
        )
      })
    )

    it.effect("keep no secret in the clear, and give up what is stored when they are removed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const connections = yield* Connections
        const endUser = yield* newEndUser("removed")
        const { id } = yield* connect(endUser, "hubspot")
        yield* connections.ofEndUser(endUser, endUser.externalId)
        const stored = sql<{ row: string; credentials: string }>`
          select c::text as row, credentials from connections c where id = ${id}`
        assert.notInclude((yield* stored)[0]?.row, "access-token")

        yield* connections.remove(endUser, id)
        assert.strictEqual((yield* stored)[0]?.credentials, "")
        assert.deepStrictEqual(yield* connections.ofEndUser(endUser, endUser.externalId), [])
        assert.deepStrictEqual(yield* connections.list(endUser), [])
        assert.strictEqual((yield* Effect.flip(connections.remove(endUser, id))).code, "CONNECTION_NOT_FOUND")
      })
    )

    it.effect(
      "a change shows at once here and within a second elsewhere; nothing is asked of the database meanwhile",
      () =>
        Effect.gen(function* () {
          const connections = yield* Connections
          const elsewhere = yield* Effect.provide(Connections, Layer.fresh(Connections.layer))
          const endUser = yield* newEndUser("a second")
          const connection = yield* connect(endUser, "hubspot")
          const status = (here: Connections["Type"]) =>
            Effect.map(here.ofEndUser(endUser, endUser.externalId), (found) => found?.[0]?.status)
          assert.strictEqual(yield* status(elsewhere), "active")
          yield* connections.markNeedsReauth(connection, 1, "refused")
          assert.strictEqual(yield* status(connections), "needs_reauth")
          assert.strictEqual(yield* status(elsewhere), "active")
          yield* TestClock.adjust("1 second")
          assert.strictEqual(yield* status(elsewhere), "needs_reauth")
        })
    )

    it.effect("are not marked for credentials that were replaced meanwhile", () =>
      Effect.gen(function* () {
        const connections = yield* Connections
        const endUser = yield* newEndUser("replaced")
        const connection = yield* connect(endUser, "hubspot")
        yield* connections.markNeedsReauth(connection, 0, "refused")
        assert.strictEqual((yield* connections.get(endUser, connection.id)).status, "active")
      })
    )
  })
})
