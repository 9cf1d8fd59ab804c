import { assert, describe, it } from "@effect/vitest"
import { readFailure } from "../../../src/providers/base/Errors.ts"
import { Clash, Invalid, LimitReached, Missing, NotPermitted } from "../../../src/providers/ProviderError.ts"
import { readError } from "../../../src/toolkits/github/ReadError.ts"

describe("what GitHub says when something went wrong", () => {
  const now = Date.parse("2026-03-01T10:45:00Z")
  const read = (status: number, body: unknown, headers: { readonly [name: string]: string } = {}) =>
    readFailure(readError, { status, body, headers, now })

  it("names the fields of a validation error", () => {
    const body = {
      message: "Validation Failed",
      errors: [
        { resource: "Issue", field: "title", code: "missing_field" },
        { resource: "Issue", code: "custom", message: "Something else" }
      ],
      documentation_url: "https://docs.github.com/rest/issues/issues#create-an-issue",
      status: "422"
    }
    assert.deepStrictEqual(read(422, body), {
      reason: new Invalid({ fields: { title: "missing_field" } }),
      detail: "Validation Failed: title: missing_field; Something else"
    })
  })

  it("hands on errors that are sentences", () => {
    const body = { message: "Unprocessable Entity", errors: ["Can not approve your own pull request"] }
    assert.deepStrictEqual(read(422, body), {
      reason: new Invalid({ fields: {} }),
      detail: "Unprocessable Entity: Can not approve your own pull request"
    })
  })

  it("tells a used-up limit from a missing permission, though both are 403", () => {
    const reset = String(now / 1000 + 90)
    const used = { message: "API rate limit exceeded for user ID 4810220." }
    assert.deepStrictEqual(
      read(403, used, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }).reason,
      new LimitReached({ retryAfter: 90 })
    )
    const secondary = { message: "You have exceeded a secondary rate limit." }
    assert.deepStrictEqual(
      read(403, secondary, { "x-ratelimit-remaining": "4012", "retry-after": "30" }).reason,
      new LimitReached({ retryAfter: 30 })
    )
    assert.deepStrictEqual(read(403, secondary, {}).reason, new LimitReached({ retryAfter: 60 }))
    assert.deepStrictEqual(
      read(403, { message: "Resource not accessible by integration" }, { "x-ratelimit-remaining": "4012" }).reason,
      new NotPermitted()
    )
  })

  it("takes a merge that is not possible for a clash, and a repository that moved for a missing one", () => {
    assert.deepStrictEqual(read(405, { message: "Pull Request is not mergeable" }).reason, new Clash())
    assert.deepStrictEqual(read(301, { message: "Moved Permanently" }).reason, new Missing())
  })

  it("makes nothing of what is not GitHub's", () => {
    assert.deepStrictEqual(read(404, "<html></html>"), { reason: new Missing(), detail: undefined })
  })
})
