import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { simulator } from "../../../src/providers/xero/simulator/XeroSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

// Xero's own client has its addresses of connections built in, so they are called by hand.

it.scoped("a connection that is removed leads nowhere, and the others go on", () =>
  Effect.gen(function* () {
    const { accessToken, url } = yield* onPort(simulator)
    const call = (method: string, path: string, tenant = "") =>
      Effect.promise(() =>
        fetch(url + path, {
          method,
          headers: { authorization: `Bearer ${accessToken}`, accept: "application/json", "xero-tenant-id": tenant }
        })
      )
    const listed = Effect.flatMap(call("GET", "/connections"), (response) =>
      Effect.promise(async () => (await response.json()) as ReadonlyArray<{ id: string; tenantId: string }>)
    )
    const statusIn = (tenant: string) =>
      Effect.map(call("GET", "/api.xro/2.0/Organisation", tenant), ({ status }) => status)

    const [first, second, ...others] = yield* listed
    if (first === undefined || second === undefined) return assert.fail("two organisations were expected")
    assert.deepStrictEqual([yield* statusIn(first.tenantId), yield* statusIn(second.tenantId)], [200, 200])
    assert.strictEqual((yield* call("DELETE", `/connections/${second.id}`)).status, 204)
    assert.deepStrictEqual(yield* listed, [first, ...others])
    assert.deepStrictEqual([yield* statusIn(first.tenantId), yield* statusIn(second.tenantId)], [200, 403])
    assert.strictEqual((yield* call("DELETE", `/connections/${second.id}`)).status, 404)
  })
)
