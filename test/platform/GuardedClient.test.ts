import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either } from "effect"
import { GuardedClient } from "../../src/platform/GuardedClient.ts"

describe("an address that a user names", () => {
  it.effect("is called by https, and by http only in networks that the operator opened", () =>
    Effect.gen(function* () {
      const { check } = yield* GuardedClient
      const isTaken = (url: string) => Effect.map(Effect.either(check(new URL(url))), Either.isRight)
      assert.isTrue(yield* isTaken("https://8.8.8.8/hook"))
      assert.isFalse(yield* isTaken("http://8.8.8.8/hook"))
      assert.isTrue(yield* isTaken("https://10.1.2.3/hook"))
      assert.isTrue(yield* isTaken("http://10.1.2.3/hook"))
      assert.isFalse(yield* isTaken("ftp://10.1.2.3/hook"))
      assert.isFalse(yield* isTaken("https://10.2.2.3/hook"))
    }).pipe(
      Effect.provide(GuardedClient.layer),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["ALLOW_PRIVATE_HOSTS", "10.1.0.0/16"]])))
    )
  )
})
