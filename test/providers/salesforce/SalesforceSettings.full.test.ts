import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { lockRows, turnOn } from "../../../src/providers/salesforce/simulator/Settings.ts"
import type { Account } from "../../../src/providers/simulation/Account.ts"
import {
  type Answer,
  type Doc,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("settings of a Salesforce organisation", (it) => {
  const connected = Effect.gen(function* () {
    const { call, connections } = yield* (yield* SandboxApplication).caller(["salesforce"])
    const store = yield* SimulationStore
    const send = (method: string, path: string, body?: Doc, query = "") =>
      call(method, `/crm/${path}?provider=salesforce${query}`, body === undefined ? {} : { body })
    return {
      send,
      inOrg: <A>(change: (org: Account) => A) => store.run("salesforce", connections.salesforce ?? "", change)
    }
  })

  const duplicatesOf = ({ body }: Answer) => Object(body).duplicate_of

  it.effect("a row lock that passes is not seen; one that stays is 409 RECORD_LOCKED with Retry-After", () =>
    Effect.gen(function* () {
      const { inOrg, send } = yield* connected
      const { remote_id: id } = recordOf(yield* send("POST", "contact", { last_name: "Reyes" }))
      for (const inTrigger of [false, true]) {
        yield* inOrg((org) => lockRows(org, 1, { inTrigger }))
        const made = yield* send("POST", "contact", { last_name: "Okafor" })
        assert.strictEqual(made.status, 201, JSON.stringify(made.body))
        yield* inOrg((org) => lockRows(org, 2, { inTrigger }))
        const changed = yield* send("PATCH", `contact/${String(id)}`, { title: `Buyer ${inTrigger}` })
        assert.strictEqual(recordOf(changed).title, `Buyer ${inTrigger}`)
        yield* inOrg((org) => lockRows(org, 9, { inTrigger }))
        const locked = yield* send("PATCH", `contact/${String(id)}`, { title: "Seller" })
        assert.deepStrictEqual(refusalOf(locked), [409, "RECORD_LOCKED"])
        assert.strictEqual(locked.headers.get("retry-after"), "1")
        yield* inOrg((org) => lockRows(org, 0))
      }
    })
  )

  it.effect("a row lock in a batch is tried again for its record alone", () =>
    Effect.gen(function* () {
      const { inOrg, send } = yield* connected
      yield* inOrg((org) => lockRows(org, 1))
      const records = ["Abel", "Baker", "Cole"].map((last_name) => ({ last_name }))
      const { body } = yield* send("POST", "contact/batch", { operation: "create", records })
      const statuses: ReadonlyArray<Doc> = Object(body).data
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [201, 201, 201],
        JSON.stringify(body)
      )
    })
  )

  it.effect(
    "a duplicate is 409 with the ids of the others; on_duplicate=allow saves it where the rule permits that",
    () =>
      Effect.gen(function* () {
        const { inOrg, send } = yield* connected
        const nora = { last_name: "Lindqvist", email_addresses: [{ email_address: "nora@example.com" }] }
        const { remote_id: id } = recordOf(yield* send("POST", "contact", nora))
        yield* inOrg((org) => turnOn(org, "duplicate rules", { allowSave: true }))
        const refused = yield* send("POST", "contact", nora)
        assert.deepStrictEqual([...refusalOf(refused), duplicatesOf(refused)], [409, "CONFLICT", [id]])
        const { remote_id: other } = recordOf(yield* send("POST", "contact", nora, "&on_duplicate=allow"))
        const another = recordOf(yield* send("POST", "contact", { last_name: "Lindqvist" }))
        const path = `contact/${String(another.remote_id)}`
        const patch = { email_addresses: nora.email_addresses }
        const changed = yield* send("PATCH", path, patch)
        assert.sameMembers(duplicatesOf(changed), [id, other])
        assert.strictEqual((yield* send("PATCH", path, patch, "&on_duplicate=allow")).status, 200)
        const batch = { operation: "create", records: [nora, { last_name: "New" }] }
        const some = Object((yield* send("POST", "contact/batch", batch)).body).data
        assert.deepStrictEqual(
          some.map(({ status }: Doc) => status),
          [409, 201]
        )
        const all = Object((yield* send("POST", "contact/batch", batch, "&on_duplicate=allow")).body).data
        assert.deepStrictEqual(
          all.map(({ status }: Doc) => status),
          [201, 201]
        )
        yield* inOrg((org) => turnOn(org, "duplicate rules", { allowSave: false }))
        const blocked = yield* send("POST", "contact", nora, "&on_duplicate=allow")
        assert.strictEqual(refusalOf(blocked)[0], 409)
        assert.include(duplicatesOf(blocked), id)
      })
  )

  it.effect(
    "on_duplicate is 400 naming the parameter for a resource without duplicate rules, and for another value",
    () =>
      Effect.gen(function* () {
        const { send } = yield* connected
        for (const query of ["&on_duplicate=allow", "&on_duplicate=merge"]) {
          const refused = yield* send("POST", "task", { subject: "Ring" }, query)
          assert.deepStrictEqual(refusalOf(refused), [400, "INVALID_PARAMETER"])
          assert.match(JSON.stringify(refused.body), /on_duplicate/)
        }
      })
  )
})
