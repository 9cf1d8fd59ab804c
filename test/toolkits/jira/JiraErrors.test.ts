import { assert, describe, it } from "@effect/vitest"
import { readFailure } from "../../../src/providers/base/Errors.ts"
import { Clash, Invalid, LimitReached, NotPermitted, Unauthenticated } from "../../../src/providers/ProviderError.ts"
import { readError } from "../../../src/toolkits/jira/ReadError.ts"

describe("what Jira says when something went wrong", () => {
  const now = Date.parse("2026-03-01T10:45:00Z")
  const read = (status: number, body: unknown, headers: { readonly [name: string]: string } = {}) =>
    readFailure(readError, { status, body, headers, now })

  it("names the fields that it rejects, and what it says of all", () => {
    const body = { errorMessages: ["No."], errors: { duedate: "Error parsing date string: soon" } }
    assert.deepStrictEqual(read(400, body), {
      reason: new Invalid({ fields: { duedate: "Error parsing date string: soon" } }),
      detail: "No.; duedate: Error parsing date string: soon"
    })
  })

  it("tells a token without a scope from one that is worthless, though both are 401", () => {
    assert.deepStrictEqual(
      read(401, { code: 401, message: "Unauthorized; scope does not match" }).reason,
      new NotPermitted()
    )
    assert.deepStrictEqual(read(401, { code: 401, message: "Unauthorized" }).reason, new Unauthenticated())
  })

  it("knows when a limit is over", () => {
    assert.deepStrictEqual(read(429, {}, { "retry-after": "7" }).reason, new LimitReached({ retryAfter: 7 }))
    assert.deepStrictEqual(
      read(429, {}, { "x-ratelimit-reset": "2026-03-01T10:46:30Z" }).reason,
      new LimitReached({ retryAfter: 90 })
    )
    assert.deepStrictEqual(read(429, "slow down").reason, new LimitReached({ retryAfter: 10 }))
  })

  it("takes a configuration that stands in the way for a clash", () => {
    assert.deepStrictEqual(read(422, { errorMessages: ["The workflow is broken."] }).reason, new Clash())
  })
})
