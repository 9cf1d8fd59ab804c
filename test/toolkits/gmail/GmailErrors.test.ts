import { assert, describe, it } from "@effect/vitest"
import { readFailure } from "../../../src/providers/base/Errors.ts"
import { Invalid, LimitReached, Missing, NotPermitted, Unauthenticated } from "../../../src/providers/ProviderError.ts"
import { readError } from "../../../src/toolkits/gmail/ReadError.ts"

describe("what Gmail says when something went wrong", () => {
  const now = Date.parse("2026-03-01T10:45:00Z")
  const read = (code: number, message: string, domain: string, reason: string) =>
    readFailure(readError, {
      status: code,
      headers: {},
      body: { error: { code, message, errors: [{ message, domain, reason }] } },
      now
    })

  it("tells a used-up limit from a missing permission, though both are 403", () => {
    for (const reason of ["rateLimitExceeded", "userRateLimitExceeded", "dailyLimitExceeded"]) {
      const used = read(403, "Quota exceeded", "usageLimits", reason)
      assert.deepStrictEqual(used, { reason: new LimitReached({ retryAfter: 30 }), detail: "Quota exceeded" })
    }
    assert.deepStrictEqual(
      read(403, "Insufficient Permission", "global", "insufficientPermissions").reason,
      new NotPermitted()
    )
  })

  it("waits until the time that the message names, 15 minutes at most", () => {
    const until = (words: string) => read(429, words, "usageLimits", "rateLimitExceeded").reason
    assert.deepStrictEqual(
      until("User-rate limit exceeded.  Retry after 2026-03-01T11:00:00.247Z (Mail sending)"),
      new LimitReached({ retryAfter: 900 })
    )
    assert.deepStrictEqual(
      until("User-rate limit exceeded.  Retry after 2026-03-01T10:44:00.000Z"),
      new LimitReached({ retryAfter: 1 })
    )
    assert.deepStrictEqual(
      until("Resource has been exhausted (e.g. check quota)."),
      new LimitReached({ retryAfter: 30 })
    )
  })

  it("takes everything else for what its status says", () => {
    assert.deepStrictEqual(read(400, "Invalid label: x", "global", "invalidArgument"), {
      reason: new Invalid({ fields: {} }),
      detail: "Invalid label: x"
    })
    assert.deepStrictEqual(read(401, "Invalid Credentials", "global", "authError").reason, new Unauthenticated())
    assert.deepStrictEqual(read(404, "Requested entity was not found.", "global", "notFound").reason, new Missing())
  })
})
