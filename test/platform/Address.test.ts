import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as Address from "../../src/platform/Address.ts"

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
