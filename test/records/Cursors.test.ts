import { assert, describe, it as test, layer } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import { Encryption } from "../../src/platform/Encryption.ts"
import { cursors } from "../../src/records/Cursor.ts"
import { pageOf, refusalOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const invalid = [400, "INVALID_CURSOR"] as const

layer(sandboxApplication(), { timeout: "60 seconds" })("a cursor", (it) => {
  const given = (cursor: string | null) => `cursor=${encodeURIComponent(String(cursor))}`

  full(it).effect("is good for its own list and nothing else", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "quickbooks"])
      const { call } = caller
      const { cursor } = pageOf(yield* call("GET", "/crm/contact?provider=hubspot&limit=2")).pagination
      assert.strictEqual((yield* call("GET", `/crm/contact?provider=hubspot&limit=9&${given(cursor)}`)).status, 200)
      for (const path of ["/crm/company?provider=hubspot", "/crm/contact?limit=2", "/accounting/contact?limit=2"]) {
        assert.deepStrictEqual(refusalOf(yield* call("GET", `${path}&${given(cursor)}`)), invalid, path)
      }
      const headers = { "x-connection-id": caller.connections.hubspot }
      const picked = yield* call("GET", `/crm/contact?provider=hubspot&${given(cursor)}`, { headers })
      assert.deepStrictEqual(refusalOf(picked), invalid)
      const dated = "/accounting/invoice?created_after=2025-01-01"
      const filtered = pageOf(yield* call("GET", `${dated}&limit=2`)).pagination
      assert.strictEqual((yield* call("GET", `${dated}&${given(filtered.cursor)}`)).status, 200)
      for (const path of [
        "/accounting/invoice?limit=2",
        "/accounting/invoice?created_after=2025-01-02",
        "/accounting/invoice?created_before=2025-01-01",
        `${dated}&created_before=2026-01-01`
      ]) {
        assert.deepStrictEqual(refusalOf(yield* call("GET", `${path}&${given(filtered.cursor)}`)), invalid, path)
      }
    })
  )

  it.effect("is of no use to another end user or another organisation", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const mine = yield* app.caller(["hubspot"])
      const { cursor } = pageOf(yield* mine.call("GET", "/crm/contact?limit=2")).pagination
      const colleague = yield* app.caller(["hubspot"], { tenancy: mine.tenancy })
      const stranger = yield* app.caller(["hubspot"], { endUser: mine.endUser })
      for (const { call } of [colleague, stranger]) {
        assert.deepStrictEqual(refusalOf(yield* call("GET", `/crm/contact?${given(cursor)}`)), invalid)
      }
      assert.strictEqual((yield* mine.call("GET", `/crm/contact?${given(cursor)}`)).status, 200)
    })
  )

  it.effect("that was altered or made up is refused", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot"])
      const { cursor } = pageOf(yield* call("GET", "/crm/contact?limit=2")).pagination
      const good = String(cursor)
      const middle = Math.floor(good.length / 2)
      const other = good[middle] === "A" ? "B" : "A"
      for (const bad of [
        "",
        "x",
        "null",
        '{"connections":[],"turn":0}',
        Buffer.from('{"connections":[],"turn":0}').toString("base64url"),
        `${good}A`,
        good.slice(0, -2),
        good.slice(0, middle) + other + good.slice(middle + 1),
        good.toUpperCase(),
        "💣",
        "x".repeat(10_000)
      ]) {
        assert.deepStrictEqual(refusalOf(yield* call("GET", `/crm/contact?${given(bad)}`)), invalid, bad.slice(0, 60))
      }
    })
  )
})

describe("sealing", () => {
  const walks = fc.record({
    connections: fc.array(fc.record({ id: fc.uuid(), position: fc.option(fc.string(), { nil: null }) })),
    turn: fc.nat(100)
  })

  test.effect.prop(
    "a walk comes back as it was, for the same scope only",
    [walks, fc.string(), fc.string()],
    ([walk, scope, other]) =>
      Effect.gen(function* () {
        const { seal, unseal } = yield* cursors
        const cursor = yield* seal(walk, scope)
        assert.deepStrictEqual(yield* unseal(cursor, scope), walk)
        if (other !== scope) assert.isTrue(Either.isLeft(unseal(cursor, other)))
      }).pipe(Effect.provide(Encryption.layerTest))
  )

  test.effect.prop("no other text opens", [walks, fc.nat(), fc.integer({ min: 1, max: 63 })], ([walk, at, by]) =>
    Effect.gen(function* () {
      const { seal, unseal } = yield* cursors
      const cursor = yield* seal(walk, "scope")
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      // the last character may carry bits that mean nothing
      const i = at % (cursor.length - 1)
      const place = alphabet.indexOf(cursor.charAt(i))
      const changed = place < 0 ? "!" : alphabet.charAt((place + by) % 64)
      const altered = cursor.slice(0, i) + changed + cursor.slice(i + 1)
      assert.isTrue(Either.isLeft(unseal(altered, "scope")), `${i} of ${cursor}`)
    }).pipe(Effect.provide(Encryption.layerTest))
  )
})
