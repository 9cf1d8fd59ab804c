import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { getPath } from "../../../src/mapping/Mapping.ts"
import { feedOf, passing, polled, soonTold, walked, watch } from "../../../src/testing/contract/Following.ts"
import { Watcher } from "../../../src/watches/Watcher.ts"
import {
  type Call,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"

const contacts = "/crm/v3/objects/contacts"

const at = (id: unknown) => `/crm/contact/${String(id)}?provider=hubspot`

const make = (call: Call, last_name: string) =>
  Effect.map(call("POST", "/crm/contact?provider=hubspot", { body: { last_name } }), (answer) =>
    String(recordOf(answer).remote_id)
  )

const merge = (call: Call, primaryObjectId: string, objectIdToMerge: string) =>
  Effect.map(
    call("POST", `/passthrough/hubspot${contacts}/merge`, { body: { primaryObjectId, objectIdToMerge } }),
    (answer) => String(getPath(answer.body, "id"))
  )

layer(sandboxApplication(), { timeout: "60 seconds" })("HubSpot records that were merged", (it) => {
  it.effect("are 404 with the record that is left, also for PATCH and DELETE, and listed as deleted", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const [one, two] = [yield* make(call, "One"), yield* make(call, "Two")]
      const left = yield* merge(call, one, two)
      for (const id of [one, two]) {
        const answer = yield* call("GET", at(id))
        assert.strictEqual(answer.status, 404)
        assert.deepInclude(answer.body, { code: "CONTACT_NOT_FOUND", merged_into: left })
        const removed = yield* call("DELETE", at(id))
        assert.strictEqual(removed.status, 404)
        assert.deepInclude(removed.body, { merged_into: left })
      }
      assert.strictEqual(recordOf(yield* call("GET", at(left))).last_name, "One")
      yield* passing(10)
      const page = yield* call(
        "GET",
        "/crm/contact?provider=hubspot&include_deleted=true&limit=100&modified_after=2026-11-20T00:00:00Z"
      )
      const gone = pageOf(page).data.filter(({ remote_was_deleted }) => remote_was_deleted === true)
      assert.includeMembers(
        gone.map(({ remote_id }) => remote_id),
        [one, two]
      )
      const plain = pageOf(
        yield* call("GET", "/crm/contact?provider=hubspot&limit=100&modified_after=2026-11-20T00:00:00Z")
      )
      assert.notIncludeMembers(
        plain.data.map(({ remote_id }) => remote_id),
        [one, two]
      )
    })
  )

  it.scoped("are told as deleted by a poll, with the record that is left, once", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const [one, two] = [yield* make(call, "One"), yield* make(call, "Two")]
      yield* Effect.addFinalizer(() => call("DELETE", "/watches", { timeStands: true }))
      yield* watch(call, ["crm/contact"], { interval: 20 })
      yield* walked(call, 1)
      const events = feedOf(call)
      yield* events
      const left = yield* merge(call, one, two)
      const told = yield* soonTold(events, 3)
      assert.sameDeepMembers(
        told.map(({ merged_into, remote_id, type }) => [type, remote_id, merged_into]),
        [
          ["updated", left, undefined],
          ["deleted", one, left],
          ["deleted", two, left]
        ]
      )
      // a later change of the record that is left, and a sweep, tell neither of them again
      yield* call("PATCH", at(left), { body: { last_name: "Both" } })
      yield* passing(10)
      yield* polled(call)
      assert.deepStrictEqual(
        (yield* events).map(({ remote_id, type }) => [type, remote_id]),
        [["updated", left]]
      )
    })
  )

  it.scoped("are told as deleted when a push names them", () =>
    Effect.gen(function* () {
      const { call, connections, tenancy } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const { poke } = yield* Watcher
      const [one, two] = [yield* make(call, "One"), yield* make(call, "Two")]
      yield* Effect.addFinalizer(() => call("DELETE", "/watches", { timeStands: true }))
      yield* watch(call, ["crm/contact"], { interval: 3600 })
      yield* walked(call, 1)
      yield* passing(3)
      const events = feedOf(call)
      yield* events
      const left = yield* merge(call, one, two)
      yield* poke({ id: connections.hubspot ?? "", ...tenancy }, "crm/contact", [one, two])
      assert.sameDeepMembers(
        (yield* soonTold(events, 3)).map(({ merged_into, remote_id, type }) => [type, remote_id, merged_into]),
        [
          ["deleted", one, left],
          ["deleted", two, left],
          ["updated", left, undefined]
        ]
      )
    })
  )
})
