import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import * as Address from "../../src/platform/Address.ts"
import { userAgent } from "../../src/platform/UserAgent.ts"

const urlWith = (config: { readonly [name: string]: string }) =>
  Address.publicUrl.pipe(
    Effect.provide(Address.settled),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(config))))
  )

describe("the service's address", () => {
  it.effect("has the port that PORT=0 is settled to", () =>
    Effect.gen(function* () {
      assert.match(yield* urlWith({ PORT: "0" }), /^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
      assert.strictEqual(yield* urlWith({ PORT: "0", PUBLIC_URL: "https://a.example/" }), "https://a.example")
      assert.strictEqual(yield* urlWith({ PORT: "4321", HOST: "::" }), "http://localhost:4321")
    })
  )
})

describe("the service's name to providers", () => {
  it.effect("is ours with the address that is set, or the operator's own", () =>
    Effect.gen(function* () {
      const given = (config: { readonly [name: string]: string }) =>
        Effect.withConfigProvider(userAgent, ConfigProvider.fromMap(new Map(Object.entries(config))))
      const product = `Tributary/${packageJson.version}`
      assert.strictEqual(yield* given({}), product)
      assert.strictEqual(yield* given({ PUBLIC_URL: "https://a.example/" }), `${product} (+https://a.example)`)
      const own = "Acme-Sync/2.1 (+https://acme.example)"
      assert.strictEqual(yield* given({ USER_AGENT: own, PUBLIC_URL: "https://a.example" }), own)
      for (const wrong of ["", " a", "a\r\nx-other: b", "é", "a".repeat(256)]) {
        assert.include(String(yield* Effect.flip(given({ USER_AGENT: wrong }))), "USER_AGENT")
      }
    })
  )
})
