import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { accountsOf } from "../../src/connections/Accounts.ts"
import { bearer } from "../../src/providers/base/Authorization.ts"
import { Transport } from "../../src/providers/Transport.ts"

const unused = Transport.of({
  to: () => undefined,
  simulate: () => Effect.dieMessage("not needed")
})

const credentials = { version: 1, secret: Redacted.make("key"), values: { realm: "7" } }

describe("the accounts that credentials open", () => {
  it.effect("are not known where the provider does not say them, and may be in the credentials", () =>
    Effect.gen(function* () {
      const authorization = { kind: "key", help: "", apply: bearer } as const
      const subject = { provider: "acme", environment: "production", authorization } as const
      assert.isUndefined(yield* accountsOf(subject, credentials))
      const accounts = (_: unknown, { realm = "" }: { readonly [name: string]: string }) => [
        { id: realm, name: "Seven" }
      ]
      const known = { ...subject, authorization: { ...authorization, identify: { accounts } } }
      assert.deepStrictEqual(yield* accountsOf(known, credentials), [{ id: "7", name: "Seven" }])
    }).pipe(Effect.provideService(Transport, unused))
  )
})
