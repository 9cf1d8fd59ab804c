import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { SessionContexts } from "../../src/agent/SessionContexts.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`

/** The contexts as a service with these keys has them. */
const withKeys = <A, E>(keys: string, use: (contexts: SessionContexts["Type"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(SessionContexts, use).pipe(
    Effect.provide(SessionContexts.layer.pipe(Layer.provide(Encryption.layer))),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["ENCRYPTION_KEYS", keys]])))
  )

layer(TestDatabase.layer, { timeout: "60 seconds" })("new encryption keys", (it) => {
  it.effect("seal contexts anew, so that the old key can go", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [old, fresh] = [key("old"), key("fresh")]
      const tenant = { organisation: randomUUID(), environment: "production" as const }
      yield* sql`insert into organisations (id, name) values (${tenant.organisation}, 'Rotating')`
      const [first, second] = [randomUUID(), randomUUID()]
      yield* withKeys(old, ({ put }) => put(tenant, first, "sealed long ago"))
      yield* withKeys(fresh, ({ put }) => put(tenant, second, "sealed today"))
      assert.strictEqual(yield* withKeys(`${fresh},${old}`, ({ rotateEncryption }) => rotateEncryption), 1)
      assert.strictEqual(yield* withKeys(`${fresh},${old}`, ({ rotateEncryption }) => rotateEncryption), 0)
      for (const [id, context] of [
        [first, "sealed long ago"],
        [second, "sealed today"]
      ] as const) {
        assert.deepInclude(yield* withKeys(fresh, ({ get }) => get(tenant, id)), { context })
      }
    })
  )
})
