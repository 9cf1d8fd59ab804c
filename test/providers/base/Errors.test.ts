import { assert, describe, it } from "@effect/vitest"
import { longestPause, readFailure, retryAfter } from "../../../src/providers/base/Errors.ts"
import { numberIn } from "../../../src/providers/base/Limits.ts"
import { Down, LimitReached } from "../../../src/providers/ProviderError.ts"

const now = Date.parse("2026-03-01T10:00:00Z")

describe("Retry-After", () => {
  for (const [said, seconds] of [
    ["7", 7],
    [" 7 ", 7],
    ["0.5", 0.5],
    ["0", 0],
    ["900", 900],
    ["901", 900],
    ["1e12", 900],
    ["99999999999999999999999", 900],
    ["Infinity", 900],
    ["-5", 3],
    ["-Infinity", 3],
    ["NaN", 3],
    ["soon", 3],
    ["", 3],
    [undefined, 3],
    ["Sun, 01 Mar 2026 10:01:00 GMT", 60],
    ["Sun, 01 Mar 2026 09:00:00 GMT", 0],
    ["Thu, 01 Jan 2099 00:00:00 GMT", 900],
    ["Thu, 99 Foo 2099", 3]
  ] as const) {
    it(`of ${said} is ${seconds} s`, () => {
      assert.strictEqual(retryAfter({ headers: { "retry-after": said }, now }, 3), seconds)
    })
  }

  it("in a body, or worked out, is 15 minutes at most too", () => {
    const read = (seconds: number) =>
      readFailure(() => ({ reason: new LimitReached({ retryAfter: seconds }) }), {
        status: 429,
        headers: {},
        body: {},
        now
      }).reason
    for (const [said, seconds] of [
      [86_400, longestPause],
      [Infinity, longestPause],
      [-5, 0],
      [NaN, 1],
      [20, 20]
    ] as const) {
      assert.deepStrictEqual(read(said), new LimitReached({ retryAfter: seconds }))
    }
    assert.strictEqual(retryAfter({ headers: {}, now }, 86_400), longestPause)
  })

  it("of a provider that is down is kept", () => {
    const read = (headers: { readonly [name: string]: string }) =>
      readFailure(() => ({}), { status: 503, headers, body: {}, now }).reason
    assert.deepStrictEqual(read({ "retry-after": "120" }), new Down({ retryAfter: 120 }))
    assert.deepStrictEqual(read({}), new Down())
  })
})

it("a limit's header holds a number of a sensible size, or says nothing", () => {
  assert.deepStrictEqual(["12", "1.5", "0"].map(numberIn), [12, 1.5, 0])
  for (const text of ["-1", "NaN", "1e12", "9".repeat(400), "", undefined]) assert.isUndefined(numberIn(text))
})
