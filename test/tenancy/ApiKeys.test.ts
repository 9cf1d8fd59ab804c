import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, Redacted, TestClock } from "effect"
import { createHash } from "node:crypto"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(ApiKeys.layer, Organisations.layer).pipe(Layer.provideMerge(TestDatabase.layer))

const organisation = (name: string) =>
  Effect.flatMap(Organisations, (organisations) => Effect.orDie(organisations.create(name)))

/** The keys as another process sees them. */
const elsewhere = Effect.provide(ApiKeys, Layer.fresh(ApiKeys.layer))

describe("ApiKeys", () => {
  layer(services)((it) => {
    it.effect("a key speaks for its organisation and environment", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { id } = yield* organisation("speaks")
        const test = yield* keys.create(id, "sandbox")
        const live = yield* keys.create(id, "production")
        assert.match(Redacted.value(test.key), /^sk_test_[0-9A-Za-z]{43}$/)
        assert.match(Redacted.value(live.key), /^sk_live_[0-9A-Za-z]{43}$/)
        assert.isTrue(Redacted.value(test.key).startsWith(test.prefix))
        assert.deepStrictEqual(yield* keys.authenticate(test.key), {
          organisation: id,
          environment: "sandbox",
          key: test.id,
          scopes: null,
          mappingRevision: "0"
        })
        assert.deepStrictEqual(yield* keys.authenticate(live.key), {
          organisation: id,
          environment: "production",
          key: live.id,
          scopes: null,
          mappingRevision: "0"
        })
      })
    )

    it.effect("only the hash of a key is stored", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* organisation("hash only")
        const { key, prefix } = yield* (yield* ApiKeys).create(id, "sandbox")
        const text = Redacted.value(key)
        const [row] = yield* sql<{ stored: string; hash: Uint8Array }>`
          select k::text as stored, hash from api_keys k where organisation_id = ${id}`
        assert.notInclude(row?.stored, text.slice(prefix.length))
        assert.deepStrictEqual(
          Buffer.from(row?.hash ?? []).toString("hex"),
          createHash("sha256").update(text).digest("hex")
        )
      })
    )

    it.effect("wrong and malformed keys speak for nobody", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { id } = yield* organisation("wrong keys")
        const { key } = yield* keys.create(id, "sandbox")
        const text = Redacted.value(key)
        const last = text.endsWith("a") ? "b" : "a"
        const wrong = [
          text.slice(0, -1) + last,
          text.replace("sk_test_", "sk_live_"),
          text.slice(0, -1),
          `${text}a`,
          text.toUpperCase(),
          "",
          "sk_test_",
          `sk_test_${"'".repeat(43)}`
        ]
        for (const one of wrong)
          assert.isTrue(Either.isLeft(yield* Effect.either(keys.authenticate(Redacted.make(one)))), one)
      })
    )

    it.effect("a revoked key ends at once here and within a second elsewhere", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const other = yield* elsewhere
        const { id } = yield* organisation("revoked")
        const { key, id: keyId } = yield* keys.create(id, "sandbox")
        assert.isDefined(yield* keys.authenticate(key))
        assert.isDefined(yield* other.authenticate(key))

        const revoked = yield* keys.revoke(keyId)
        assert.isNotNull(revoked.revokedAt)
        assert.strictEqual((yield* Effect.flip(keys.authenticate(key))).code, "INVALID_API_KEY")
        yield* TestClock.adjust("1 second")
        yield* Effect.flip(other.authenticate(key))
        assert.deepStrictEqual(yield* keys.revoke(keyId), revoked)
      })
    )

    it.effect("a key works in every process as soon as it is made", () =>
      Effect.gen(function* () {
        const other = yield* elsewhere
        const { id } = yield* organisation("as soon")
        yield* Effect.flip(other.authenticate(Redacted.make(`sk_test_${"0".repeat(43)}`)))
        const { key } = yield* (yield* ApiKeys).create(id, "sandbox")
        assert.isDefined(yield* other.authenticate(key))
      })
    )

    it.effect("an organisation neither sees nor revokes another's keys", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const mine = yield* organisation("mine")
        const theirs = yield* organisation("theirs")
        const { key, id } = yield* keys.create(theirs.id, "production")
        assert.deepStrictEqual(yield* keys.list(mine.id), [])
        assert.deepStrictEqual(
          (yield* keys.list(theirs.id)).map((one) => one.id),
          [id]
        )
        const asMine = { organisation: mine.id, environment: "production", key: id } as const
        for (const refused of [keys.revoke(id, asMine), keys.revoke("no id", asMine)]) {
          assert.strictEqual((yield* Effect.flip(refused)).code, "API_KEY_NOT_FOUND")
        }
        assert.isDefined(yield* keys.authenticate(key))
      })
    )
  })
})
