import { assert, describe, it } from "@effect/vitest"
import { readFailure } from "../../../src/providers/base/Errors.ts"
import {
  Down,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  Unauthenticated
} from "../../../src/providers/ProviderError.ts"
import { readError } from "../../../src/toolkits/linear/ReadError.ts"

describe("what Linear says when something went wrong", () => {
  const now = Date.parse("2026-03-01T10:45:00Z")
  const read = (
    status: number,
    error: { readonly message: string; readonly extensions?: object },
    headers: { readonly [name: string]: string } = {}
  ) => readFailure(readError, { status, body: { errors: [error] }, headers, now })

  const coded = (code: string, more: object = {}) => ({ message: "Some words", extensions: { code, ...more } })

  it("is told by a code, whatever the status", () => {
    assert.deepStrictEqual(read(400, coded("AUTHENTICATION_ERROR")).reason, new Unauthenticated())
    assert.deepStrictEqual(read(400, coded("FORBIDDEN")).reason, new NotPermitted())
    assert.deepStrictEqual(read(400, coded("INTERNAL_SERVER_ERROR")).reason, new Down())
    assert.deepStrictEqual(read(400, coded("INPUT_ERROR")).reason, new Invalid({ fields: {} }))
    assert.deepStrictEqual(
      read(400, { message: "Entity not found: Issue", extensions: { code: "INPUT_ERROR" } }).reason,
      new Missing()
    )
  })

  it("knows which limit is used up, and for how long", () => {
    const reset = (seconds: number) => String(now + seconds * 1000)
    assert.deepStrictEqual(
      read(400, coded("RATELIMITED"), {
        "x-ratelimit-requests-remaining": "40",
        "x-ratelimit-requests-reset": reset(3000),
        "x-ratelimit-complexity-remaining": "0",
        "x-ratelimit-complexity-reset": reset(120)
      }).reason,
      new LimitReached({ retryAfter: 120 })
    )
    assert.deepStrictEqual(read(400, coded("RATELIMITED")).reason, new LimitReached({ retryAfter: 10 }))
  })

  it("hands on the words for people beside those for developers", () => {
    assert.strictEqual(
      read(400, coded("INPUT_ERROR", { userPresentableMessage: "title should not be empty" })).detail,
      "Some words - title should not be empty"
    )
    assert.strictEqual(read(400, coded("INPUT_ERROR", { userPresentableMessage: "Some words" })).detail, "Some words")
  })

  it("goes by the status where nothing is said", () => {
    assert.deepStrictEqual(readFailure(readError, { status: 503, body: "<html>", headers: {}, now }).reason, new Down())
  })
})
