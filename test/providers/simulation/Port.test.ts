import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { simulator } from "../../../src/providers/hubspot/simulator/HubSpotSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

describe("a simulator on a port", () => {
  it.scopedLive("drops the connection when asked to, and answers again after", () =>
    Effect.gen(function* () {
      const { accessToken, url } = yield* onPort(simulator)
      const list = Effect.tryPromise(() =>
        fetch(`${url}/crm/v3/objects/contacts?limit=1`, { headers: { authorization: `Bearer ${accessToken}` } })
      )
      const fault = JSON.stringify({ does: { kind: "drop" } })
      yield* Effect.promise(() => fetch(`${url}/_faults`, { method: "POST", body: fault }))
      assert.isTrue(yield* Effect.isFailure(list))
      assert.strictEqual((yield* list).status, 200)
    })
  )
})
