import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import type { Call } from "../../../src/providers/base/Upstream.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import { makeBatches } from "../../../src/providers/quickbooks/Batches.ts"
import { KeptValues } from "../../../src/providers/KeptValues.ts"
import { makeBooks } from "../../../src/providers/quickbooks/Books.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Call as Caller,
  failureOf,
  pageOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"

const connection = { id: "c", provider: "quickbooks", environment: "sandbox", organisation: "o" } as const

describe("QuickBooks Online batches", () => {
  it.effect("have an outcome for each query, whatever came of the others and in whatever order", () =>
    Effect.gen(function* () {
      const sent: Array<Call> = []
      const ask = (_: ConnectionRef, call: Call) => {
        sent.push(call)
        const Fault = (type: string, code: string) => ({ type, Error: [{ Message: "No", code }] })
        return Effect.succeed({
          status: 200,
          headers: {},
          body: {
            BatchItemResponse: [
              { bId: "3", Fault: Fault("SystemFault", "10000") },
              { bId: "1", Fault: Fault("ValidationFault", "4001") },
              { bId: "0", QueryResponse: { Vendor: [{ Id: "7" }] } },
              { bId: "2", QueryResponse: {} }
            ]
          }
        })
      }
      const books = yield* Effect.provide(makeBooks(ask, makeBatches()), KeptValues.layerMemory)
      const names = ["Vendor", "Customer", "Class", "Term", "Item"]
      const outcomes = yield* books.queries(
        connection,
        names.map((name) => ({ name, where: [] }))
      )
      assert.deepStrictEqual(outcomes.map(Either.mapLeft(({ operation, reason }) => [operation, reason._tag])), [
        Either.right([{ Id: "7" }]),
        Either.left(["Customer.query", "Invalid"]),
        Either.right([]),
        Either.left(["Term.query", "Down"]),
        Either.left(["Item.query", "Malformed"])
      ])
      assert.deepStrictEqual(
        sent.map(({ method, path, reads }) => [method, path, reads]),
        [["POST", "/v3/company/:realmId/batch", true]]
      )
    })
  )

  layer(sandboxApplication(), { timeout: "60 seconds" })((it) => {
    const caller = Effect.flatMap(SandboxApplication, (app) => app.caller(["quickbooks"]))
    const path = (id: unknown) => `/accounting/contact/${String(id)}?provider=quickbooks`

    /** The last steps of the requests that so many reads of a contact lead to, whose kind is not known. */
    const asked = Effect.fnUntraced(function* (call: Caller, times: number) {
      const { data } = pageOf(yield* call("GET", "/accounting/contact?provider=quickbooks&limit=1"))
      const requests = yield* (yield* NotedRequests).during(
        Effect.repeatN(
          Effect.tap(call("GET", path(data[0]?.remote_id)), ({ status }) =>
            Effect.sync(() => assert.equal(status, 200))
          ),
          times - 1
        )
      )
      return requests.map((request) => request.path.split("/").at(-1))
    })

    const repeated = (name: string, times: number) => Array.from({ length: times }, () => name)

    it.effect("are sent as often as Intuit lets them through, and queries beyond", () =>
      Effect.gen(function* () {
        const { call } = yield* caller
        assert.deepStrictEqual(yield* asked(call, 45), [...repeated("batch", 36), ...repeated("query", 18)])
        yield* TestClock.adjust("61 seconds")
        assert.deepStrictEqual(yield* asked(call, 1), ["batch"])
      })
    )

    it.effect("are sent half as often once others send them too", () =>
      Effect.gen(function* () {
        const { call } = yield* caller
        yield* asked(call, 1)
        yield* (yield* Faults).add({ provider: "quickbooks", path: "/batch", does: { kind: "limit", retryAfter: 60 } })
        assert.strictEqual(failureOf(yield* call("GET", path("1"))).statusCode, 429)
        yield* TestClock.adjust("61 seconds")
        assert.deepStrictEqual(yield* asked(call, 20), [...repeated("batch", 18), ...repeated("query", 4)])
      })
    )
  })
})
