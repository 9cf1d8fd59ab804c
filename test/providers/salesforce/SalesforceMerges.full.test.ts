import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { merge } from "../../../src/providers/salesforce/simulator/Records.ts"
import { sObjectNamed } from "../../../src/providers/salesforce/simulator/Schema.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { feedOf, passing, polled, soonTold, walked, watch } from "../../../src/testing/contract/Following.ts"
import { type Doc, pageOf, recordOf, SandboxApplication, sandboxApplication } from "../../support/SandboxApplication.ts"

const kinds: ReadonlyArray<readonly [resource: string, object: string, body: Doc]> = [
  ["contact", "Contact", { last_name: "Okafor" }],
  ["company", "Account", { name: "Okafor Ltd" }],
  ["lead", "Lead", { last_name: "Okafor", company: "Okafor Ltd" }]
]

layer(sandboxApplication(), { timeout: "60 seconds" })("Salesforce records that were merged", (it) => {
  const two = (resource: string, object: string, body: Doc) =>
    Effect.gen(function* () {
      const { call, connections } = yield* (yield* SandboxApplication).caller(["salesforce"])
      const store = yield* SimulationStore
      const at = (id: string) => `/crm/${resource}/${id}?provider=salesforce`
      const make = Effect.map(call("POST", `/crm/${resource}?provider=salesforce`, { body }), (answer) =>
        String(recordOf(answer).remote_id)
      )
      const [kept, lost] = [yield* make, yield* make]
      const merged = store.run("salesforce", connections.salesforce ?? "", (org) => {
        const found = sObjectNamed(object)
        if (found !== undefined) merge(org, found, kept, [lost])
      })
      return { at, call, kept, lost, merged }
    })

  for (const [resource, object, body] of kinds) {
    it.effect(`a merged ${resource} is 404 with the record that is left, and include_deleted lists it`, () =>
      Effect.gen(function* () {
        const { at, call, kept, lost, merged } = yield* two(resource, object, body)
        yield* merged
        for (const answer of [
          yield* call("GET", at(lost)),
          yield* call("PATCH", at(lost), { body: body }),
          yield* call("DELETE", at(lost))
        ]) {
          assert.strictEqual(answer.status, 404, JSON.stringify(answer.body))
          assert.deepInclude(answer.body, { code: `${resource.toUpperCase()}_NOT_FOUND`, merged_into: kept })
        }
        assert.strictEqual(recordOf(yield* call("GET", at(kept))).remote_id, kept)
        const list = `/crm/${resource}?provider=salesforce&limit=100&modified_after=2026-11-20T00:00:00Z`
        const all = pageOf(yield* call("GET", `${list}&include_deleted=true`)).data
        assert.deepStrictEqual(
          all.filter(({ remote_was_deleted }) => remote_was_deleted === true).map(({ remote_id }) => remote_id),
          [lost]
        )
        assert.notInclude(
          pageOf(yield* call("GET", list)).data.map(({ remote_id }) => remote_id),
          lost
        )
      })
    )
  }

  it.effect("a deleted record that was not merged is 404 without merged_into", () =>
    Effect.gen(function* () {
      const { at, call, kept } = yield* two("contact", "Contact", { last_name: "Okafor" })
      yield* call("DELETE", at(kept))
      const answer = yield* call("GET", at(kept))
      assert.strictEqual(answer.status, 404)
      assert.notProperty(answer.body, "merged_into")
    })
  )

  it.scoped("are told as deleted by a poll, with the record that is left, once", () =>
    Effect.gen(function* () {
      const { call, kept, lost, merged } = yield* two("contact", "Contact", { last_name: "Okafor" })
      yield* Effect.addFinalizer(() => call("DELETE", "/watches", { timeStands: true }))
      yield* watch(call, ["crm/contact"], { interval: 20 })
      yield* walked(call, 1)
      const events = feedOf(call)
      yield* events
      yield* merged
      const told = yield* soonTold(events, 1)
      assert.deepStrictEqual(
        told.filter(({ type }) => type === "deleted").map(({ merged_into, remote_id }) => [remote_id, merged_into]),
        [[lost, kept]]
      )
      yield* passing(10)
      yield* polled(call)
      assert.notInclude(
        (yield* events).map(({ remote_id }) => remote_id),
        lost
      )
    })
  )
})
