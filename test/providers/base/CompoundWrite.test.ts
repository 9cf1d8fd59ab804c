import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterDoing, orTakeBack } from "../../../src/providers/base/CompoundWrite.ts"
import { Down, Malformed, Missing, ProviderError, type Reason, TimedOut } from "../../../src/providers/ProviderError.ts"

const failure = (reason: Reason, done?: ReadonlyArray<string>) =>
  new ProviderError({ provider: "acme", operation: "leads.create", reason, ...(done === undefined ? {} : { done }) })

/** What is left of a contact and an account that were made for a write which fails, and which of them were removed. */
const leftAfter = (error: ProviderError) =>
  Effect.gen(function* () {
    const removed: Array<string> = []
    const made = (name: string, remove: Effect.Effect<unknown, ProviderError> = Effect.void) => ({
      name,
      remove: Effect.zipRight(
        Effect.sync(() => removed.push(name)),
        remove
      )
    })
    const { done = [] } = yield* Effect.flip(
      orTakeBack(Effect.fail(error), [made("contact"), made("account", Effect.fail(failure(new Down())))])
    )
    return { done, removed }
  })

describe("a write that makes other records on its way", () => {
  it("says everything that was done, in its order", () => {
    assert.deepStrictEqual(afterDoing(["one"])(failure(new Missing(), ["two"])).done, ["one", "two"])
    assert.deepStrictEqual(afterDoing(["one"])(failure(new Missing())).done, ["one"])
    assert.isUndefined(afterDoing([])(failure(new Missing())).done)
  })

  it.effect("takes them back when it is refused, and says which stay", () =>
    Effect.gen(function* () {
      const left = yield* leftAfter(failure(new Missing()))
      assert.deepStrictEqual(left, { done: ["account"], removed: ["contact", "account"] })
    })
  )

  it.effect("leaves them where it may have taken effect", () =>
    Effect.gen(function* () {
      for (const error of [failure(new Down()), failure(new TimedOut()), failure(new Malformed())]) {
        const left = yield* leftAfter(error)
        assert.deepStrictEqual(left, { done: ["contact", "account"], removed: [] })
      }
      const partly = yield* leftAfter(failure(new Missing(), ["note"]))
      assert.deepStrictEqual(partly, { done: ["contact", "account", "note"], removed: [] })
    })
  )
})
