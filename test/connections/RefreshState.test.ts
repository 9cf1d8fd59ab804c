import { assert, describe, it } from "@effect/vitest"
import { findRefusal, type Rotation } from "../../src/providers/base/TokenRefusals.ts"
import {
  afterAnswer,
  afterRefresh,
  afterRefusal,
  type RefreshState,
  refreshStateOf,
  resendOf,
  whileSent
} from "../../src/connections/RefreshState.ts"

const fresh: RefreshState = { version: 1, refusals: 0 }
const minute = 60_000

describe("RefreshState", () => {
  it("a refusal that no table knows ends a connection the third time, a minute apart at least", () => {
    const times = [0, 30_000, minute, minute + 1, 2 * minute]
    let state = fresh
    const gone = times.map((now) => {
      const after = afterRefusal(whileSent(state, now), now, false)
      state = after.state
      return [state.refusals, after.isGone]
    })
    assert.deepStrictEqual(gone, [
      [1, false],
      [1, false],
      [2, false],
      [2, false],
      [3, true]
    ])
  })

  it("a final refusal ends a connection at once, unless an unanswered call came just before", () => {
    assert.isTrue(afterRefusal(whileSent(fresh, 0), 0, true).isGone)
    const unanswered = whileSent(fresh, 0)
    const again = whileSent(unanswered, minute)
    assert.deepStrictEqual(afterRefusal(again, minute, true), {
      state: { version: 1, refusals: 0, lostAt: 0 },
      isGone: false
    })
    assert.isFalse(afterRefusal(whileSent(again, 3 * minute - 1), 3 * minute - 1, true).isGone)
    assert.isTrue(afterRefusal(whileSent(again, 3 * minute), 3 * minute, true).isGone)
    assert.isTrue(afterRefusal(whileSent(afterAnswer(again), 3 * minute), 3 * minute, true).isGone)
  })

  it("a stored state is forgotten with the version that it is about", () => {
    const stored = { version: 1, refusals: 2, refusedAt: 5, rotates: true }
    assert.deepStrictEqual(refreshStateOf(stored, 1), stored)
    assert.deepStrictEqual(refreshStateOf(stored, 2), { version: 2, refusals: 0, rotates: true })
    assert.deepStrictEqual(refreshStateOf(null, 2), { version: 2, refusals: 0 })
    assert.deepStrictEqual(afterRefresh(stored, false), { version: 2, refusals: 0, rotates: false })
  })

  const sent = whileSent({ ...fresh, rotates: true }, 0)
  const rotations: ReadonlyArray<readonly [string, Rotation | undefined, RefreshState, number, unknown]> = [
    ["that stays good", undefined, sent, 1000, "send"],
    ["that is answered for a while", { onReuse: "answers", graceSeconds: 1800, source: "" }, sent, 1_799_000, "send"],
    ["whose grace is over", { onReuse: "answers", graceSeconds: 1800, source: "" }, sent, 1_800_000, "lost"],
    ["whose reuse is only refused", { onReuse: "refuses", source: "" }, sent, 1000, "send"],
    ["whose answer may come", { onReuse: "revokes", source: "" }, sent, 20_000, { waitSeconds: 40 }],
    ["whose answer will not come", { onReuse: "revokes", source: "" }, sent, minute, "lost"],
    ["that was answered", { onReuse: "revokes", source: "" }, afterAnswer(sent), minute, "send"],
    [
      "without rotation turned on",
      { onReuse: "revokes", isOptional: true, source: "" },
      whileSent(fresh, 0),
      minute,
      "send"
    ],
    ["with rotation turned on", { onReuse: "revokes", isOptional: true, source: "" }, sent, minute, "lost"]
  ]
  for (const [name, rotation, state, now, expected] of rotations) {
    it(`a refresh token ${name} is sent again as the provider allows`, () =>
      assert.deepStrictEqual(resendOf(rotation, state, now), expected))
  }
})

describe("TokenRefusals", () => {
  const table = {
    answers: [
      { code: "invalid_grant", says: "already being processed", means: "retry" },
      { code: "invalid_grant", says: null, means: "person" },
      { code: "BAD", status: 400, means: "person" }
    ],
    source: ""
  } as const
  const found = (status: number, code: string, description: string) =>
    findRefusal(table, { status, codes: [code], description })?.means
  it("an answer is matched by code, status and text", () => {
    assert.strictEqual(found(400, "invalid_grant", "Token request is Already being processed"), "retry")
    assert.strictEqual(found(400, "invalid_grant", ""), "person")
    assert.strictEqual(found(400, "invalid_grant", "something new"), undefined)
    assert.strictEqual(found(400, "BAD", "whatever"), "person")
    assert.strictEqual(found(500, "BAD", ""), undefined)
  })
})
