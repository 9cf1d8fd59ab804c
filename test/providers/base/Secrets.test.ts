import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { hiding } from "../../../src/providers/base/Secrets.ts"

const hide = (secret: string, words: string, authorization = `Bearer ${secret}`) =>
  hiding(
    { version: 1, secret: Redacted.make(secret), values: {} },
    HttpClientRequest.get("https://api.example.com").pipe(HttpClientRequest.setHeader("authorization", authorization))
  )(words)

describe("secrets in a provider's words", () => {
  it("are masked as they are and as they were sent", () => {
    assert.strictEqual(hide("k-1", "k-1 or azEx", "Basic azEx"), "[redacted] or [redacted]")
  })

  it("are masked once, though the mask contains them", () => {
    assert.strictEqual(hide("act", "bad key act", "Basic red"), "bad key [redacted]")
    assert.strictEqual(hide("redacted", "redacted red", "Basic red"), "[redacted] [redacted]")
  })

  it("are not taken for patterns, and the longer one goes first", () => {
    assert.strictEqual(hide("a.c", "abc a.c a.c.d", "Basic a.c.d"), "abc [redacted] [redacted]")
  })
})
