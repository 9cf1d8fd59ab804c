import { HttpServerRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { clientAddress } from "../../src/platform/ClientAddress.ts"

const from = (trusted: string, remoteAddress: string, forwarded?: string) =>
  Effect.gen(function* () {
    const addressOf = yield* clientAddress
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
    return addressOf(HttpServerRequest.fromWeb(new Request("http://localhost/", { headers })).modify({ remoteAddress }))
  }).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(trusted === "" ? [] : [["TRUSTED_PROXIES", trusted]])))
  )

describe("the address that a request comes from", () => {
  it.effect("is what a trusted proxy says, and nobody else", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* from("", "203.0.113.9", "198.51.100.1"), "203.0.113.9")
      assert.strictEqual(yield* from("10.0.0.0/8", "10.0.0.2", "198.51.100.1"), "198.51.100.1")
      assert.strictEqual(yield* from("10.0.0.0/8", "::ffff:10.0.0.2", "198.51.100.1, 10.0.0.7"), "198.51.100.1")
      // what a client adds stands before what the proxy saw
      assert.strictEqual(yield* from("10.0.0.0/8", "10.0.0.2", "192.0.2.1, 198.51.100.1"), "198.51.100.1")
      assert.strictEqual(yield* from("10.0.0.0/8", "203.0.113.9", "198.51.100.1"), "203.0.113.9")
      assert.strictEqual(yield* from("10.0.0.0/8", "10.0.0.2"), "10.0.0.2")
    })
  )
})
