import { HttpServerRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { clientAddress } from "../../src/platform/ClientAddress.ts"

const trusting = (proxies: string) =>
  Effect.withConfigProvider(clientAddress, ConfigProvider.fromMap(new Map([["TRUSTED_PROXIES", proxies]])))

const from = (peer: string, forwarded?: string) => {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  const request = HttpServerRequest.fromWeb(new Request("http://localhost/", { headers }))
  return request.modify({ remoteAddress: peer })
}

describe("where a request comes from", () => {
  for (const [proxies, peer, forwarded, expected] of [
    ["", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["10.0.0.0/8", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["10.0.0.0/8", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    // what a client wrote itself stands in front
    ["10.0.0.0/8", "10.1.2.3", "192.0.2.66, 198.51.100.1", "198.51.100.1"],
    ["10.0.0.0/8,203.0.113.1", "10.1.2.3", "198.51.100.1, 203.0.113.1", "198.51.100.1"],
    ["uniquelocal", "::ffff:172.18.0.4", "2001:db8::7", "2001:db8::7"],
    ["uniquelocal", "172.18.0.4", undefined, "172.18.0.4"],
    ["uniquelocal", "172.18.0.4", "nonsense", "172.18.0.4"],
    ["loopback", "::1", "198.51.100.1", "198.51.100.1"]
  ] as const) {
    it.effect(
      `is ${expected}, of ${peer} that forwards ${forwarded ?? "nothing"}, trusting ${proxies || "nobody"}`,
      () => Effect.map(trusting(proxies), (addressOf) => assert.strictEqual(addressOf(from(peer, forwarded)), expected))
    )
  }

  for (const wrong of ["everybody", "10.0.0.0/33", "10.0.0/8"]) {
    it.effect(`is not known with proxies like ${wrong}`, () =>
      Effect.map(Effect.flip(trusting(wrong)), (error) => assert.include(String(error), wrong))
    )
  }
})
