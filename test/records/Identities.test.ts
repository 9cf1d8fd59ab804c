import { assert, describe, it as test, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, FastCheck as fc, Layer } from "effect"
import { createHash } from "node:crypto"
import { InProcess } from "../../src/InProcess.ts"
import { Identities } from "../../src/records/Identities.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

/** UUID version 5, written a second time after RFC 9562 section 5.5. */
const version5 = (namespace: string, name: string) => {
  const hash = createHash("sha1")
    .update(Buffer.concat([Buffer.from(namespace.replaceAll("-", ""), "hex"), Buffer.from(name, "utf8")]))
    .digest("hex")
  const variant = ((Number.parseInt(hash.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `5${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32)
  ].join("-")
}

describe("the reference for UUIDs", () => {
  // https://www.rfc-editor.org/rfc/rfc9562#appendix-A.4
  test("gives the RFC's own example", () => {
    assert.strictEqual(
      version5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com"),
      "2ed6657d-e927-568b-95e1-2665a8aea6a2"
    )
  })
})

layer(sandboxApplication(), { timeout: "60 seconds" })("identities", (it) => {
  const connection = Effect.gen(function* () {
    const app = yield* SandboxApplication
    const { connections } = yield* app.caller(["quickbooks"])
    return {
      id: String(connections.quickbooks),
      provider: "quickbooks",
      environment: "sandbox" as const,
      organisation: "org"
    }
  })

  it.effect("are version 5 UUIDs over the connection and what the record is", () =>
    Effect.gen(function* () {
      const identities = yield* Identities
      const names = fc.sample(fc.tuple(fc.string(), fc.string(), fc.string({ unit: "grapheme" })), 200)
      for (const namespace of fc.sample(fc.uuid(), 5)) {
        const { idOf } = identities.sight(
          { id: namespace, provider: "x", environment: "sandbox", organisation: "org" },
          "accounting"
        )
        for (const [resource, type, id] of names) {
          assert.strictEqual(idOf(resource, type, id), version5(namespace, `accounting/${resource}/${type}/${id}`))
        }
      }
    })
  )

  it.effect("lead back to what was seen, for the connection that saw it", () =>
    Effect.gen(function* () {
      const identities = yield* Identities
      const [mine, others] = [yield* connection, yield* connection]
      const sighting = identities.sight(mine, "accounting")
      const met = ["1", "42", "Ünïcode ✓", "a/b", "'"].map(
        (id) => [id, sighting.idOf("contact", "Customer", id)] as const
      )
      const uuids = met.map(([, uuid]) => uuid)
      const before = yield* identities.resolve(mine, uuids)
      assert.isUndefined(before(uuids[0] ?? ""))
      yield* sighting.keep
      yield* sighting.keep
      const resolve = yield* identities.resolve(mine, [...uuids, ...uuids])
      for (const [id, uuid] of met) {
        assert.deepStrictEqual(resolve(uuid), { uuid, resource: "contact", nativeType: "Customer", remoteId: id })
      }
      const stranger = yield* identities.resolve(others, uuids)
      assert.isUndefined(stranger(uuids[0] ?? ""))
      assert.deepStrictEqual([...(yield* identities.firstSeen(others, uuids))], [])
      assert.strictEqual((yield* identities.firstSeen(mine, uuids)).size, uuids.length)
    })
  )

  full(it).effect("that are known already cost no write", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const sql = yield* SqlClient.SqlClient
      const { call } = yield* app.caller(["quickbooks"])
      const list = call("GET", "/accounting/invoice?provider=quickbooks&limit=100")
      yield* list
      const count = sql<{ n: string }>`select count(*) as n, max(xmin::text::bigint) as x from identities`
      const before = yield* count
      yield* list
      assert.deepStrictEqual(yield* count, before)
      const crm = yield* app.caller(["hubspot"])
      yield* crm.call("GET", "/crm/contact?provider=hubspot&limit=100")
      assert.deepStrictEqual(yield* count, before, "CRM reads keep nothing")
    })
  )

  it.effect("stay what they are when the service forgets what it knew", () =>
    Effect.gen(function* () {
      const mine = yield* connection
      const first = (yield* Identities).sight(mine, "accounting").idOf("item", "Item", "7")
      yield* (yield* InProcess).tenancy("another organisation")
      const fresh = yield* Effect.provide(Identities, Layer.fresh(Identities.layer))
      assert.strictEqual(fresh.sight(mine, "accounting").idOf("item", "Item", "7"), first)
    })
  )
})
