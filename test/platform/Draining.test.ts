import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect } from "effect"
import { drainDelay } from "../../src/platform/Draining.ts"

const configured = (value: string) =>
  Effect.withConfigProvider(drainDelay, ConfigProvider.fromMap(new Map([["DRAIN_DELAY", value]])))

describe("DRAIN_DELAY", () => {
  it.effect("is a time in seconds, also none, and 5 when it is not set", () =>
    Effect.gen(function* () {
      const unset = yield* Effect.withConfigProvider(drainDelay, ConfigProvider.fromMap(new Map()))
      assert.strictEqual(Duration.toSeconds(unset), 5)
      assert.strictEqual(Duration.toSeconds(yield* configured("0")), 0)
      assert.strictEqual(Duration.toSeconds(yield* configured("2.5")), 2.5)
      for (const wrong of ["-1", "301", "soon"]) {
        assert.include(String(yield* Effect.flip(configured(wrong))), "DRAIN_DELAY")
      }
    })
  )
})
