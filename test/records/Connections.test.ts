import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import {
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("whose records are meant", (it) => {
  full(it).effect("two connections to one provider are 409 until X-Connection-Id says which", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot"])
      const { call } = caller
      const both = [String(caller.connections.hubspot), yield* app.connect(caller, "hubspot")]
      for (const [method, path, options] of [
        ["GET", "/crm/contact?provider=hubspot", {}],
        ["GET", "/crm/contact/1?provider=hubspot", {}],
        ["POST", "/crm/contact?provider=hubspot", { body: { last_name: "x" } }],
        ["PATCH", "/crm/contact/1?provider=hubspot", { body: {} }],
        ["DELETE", "/crm/contact/1?provider=hubspot", {}]
      ] as const) {
        const answer = yield* call(method, path, options)
        assert.deepStrictEqual(refusalOf(answer), [409, "CONNECTION_AMBIGUOUS"], `${method} ${path}`)
        for (const id of both) assert.include(failureOf(answer).message, id)
      }
      for (const id of both) {
        const headers = { "x-connection-id": id }
        const made = recordOf(
          yield* call("POST", "/crm/contact?provider=hubspot", { body: { last_name: id }, headers })
        )
        assert.strictEqual(made.providerId, id)
        for (const path of ["/crm/contact?provider=hubspot", "/crm/contact?limit=100"]) {
          const { data } = pageOf(yield* call("GET", path, { headers }))
          assert.isTrue(data.every(({ providerId }) => providerId === id))
        }
      }
      const headers = { "x-connection-id": both[0] }
      const { records } = yield* walk((method, path) => call(method, path, { headers }), "/crm/contact")
      assert.deepStrictEqual(
        both.map((id) => records.some(({ last_name }) => last_name === id)),
        [true, false],
        "what was made at one is not at the other"
      )
    })
  )

  it.effect("X-Connection-Id of another provider, another end user or another organisation is not there", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const mine = yield* app.caller(["hubspot", "salesforce"])
      const colleague = yield* app.caller(["hubspot"], { tenancy: mine.tenancy })
      const stranger = yield* app.caller(["hubspot"], { endUser: mine.endUser })
      const asked = [mine.connections.salesforce, colleague.connections.hubspot, stranger.connections.hubspot]
      for (const id of asked) {
        const headers = { "x-connection-id": String(id) }
        const answer = yield* mine.call("GET", "/crm/contact?provider=hubspot", { headers })
        assert.deepStrictEqual(refusalOf(answer), [404, "CONNECTION_NOT_FOUND"])
      }
      const headers = { "x-connection-id": String(mine.connections.salesforce) }
      const list = yield* mine.call("GET", "/crm/contact", { headers })
      assert.isTrue(pageOf(list).data.every(({ providerSlug }) => providerSlug === "salesforce"))
    })
  )

  it.effect("one organisation's key does nothing with what belongs to another", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const theirs = yield* app.caller(["quickbooks", "hubspot"])
      const mine = yield* app.caller(["quickbooks"])
      const asThem = { "x-end-user-id": theirs.endUser }
      for (const path of [
        "/crm/contact",
        "/crm/contact?provider=hubspot",
        "/accounting/invoice/1?provider=quickbooks"
      ]) {
        const answer = yield* mine.call("GET", path, { headers: asThem })
        assert.deepStrictEqual(refusalOf(answer), [404, "END_USER_NOT_FOUND"], path)
      }
      const [account] = pageOf(yield* theirs.call("GET", "/accounting/account?limit=1")).data
      const path = `/accounting/account/${encodeURIComponent(String(account?.id))}?provider=quickbooks`
      assert.strictEqual((yield* theirs.call("GET", path)).status, 200)
      assert.deepStrictEqual(refusalOf(yield* mine.call("GET", path)), [404, "ACCOUNT_NOT_FOUND"])
      // the same account number at the same provider is another record, and another id
      const [own] = pageOf(yield* mine.call("GET", "/accounting/account?limit=1")).data
      assert.strictEqual(own?.remote_id, account?.remote_id)
      assert.notStrictEqual(own?.id, account?.id)
      const body = { name: "Sub", type: "EXPENSE", parent_account: String(account?.id).replace("urn:uuid:", "") }
      const refused = yield* mine.call("POST", "/accounting/account?provider=quickbooks", { body })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["parent_account"])
    })
  )

  it.effect("an id that several native types have is 409 with their service ids, which are never ambiguous", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call, connections } = yield* app.caller(["quickbooks"])
      const contacts = "/accounting/contact"
      const { records } = yield* walk(call, `${contacts}?provider=quickbooks`)
      const customer = records.find((one) => one.is_customer === true)
      const vendor = records.find((one) => one.is_supplier === true)
      const id = String(customer?.remote_id)
      const store = yield* SimulationStore
      yield* store.run("quickbooks", String(connections.quickbooks), (account) => {
        const held = account.get("Vendor", String(vendor?.remote_id))
        if (held === undefined) throw new Error("the simulator keeps vendors elsewhere")
        account.put("Vendor", id, { ...held, Id: id, DisplayName: "The vendor of that id" })
      })
      const one = `${contacts}/${id}?provider=quickbooks`
      for (const [method, options] of [
        ["GET", {}],
        ["PATCH", { body: { email_address: "x@y.example" } }],
        ["PUT", { body: { name: "x", is_customer: true, is_supplier: false } }],
        ["DELETE", {}]
      ] as const) {
        const answer = yield* call(method, one, options)
        assert.deepStrictEqual(refusalOf(answer), [409, "RECORD_AMBIGUOUS"], method)
        const urns = failureOf(answer).message.match(/urn:uuid:[0-9a-f-]{36}/g) ?? []
        assert.lengthOf(urns, 2)
        const found = yield* Effect.forEach(urns, (urn) =>
          Effect.map(call("GET", `${contacts}/${encodeURIComponent(urn)}?provider=quickbooks`), recordOf)
        )
        assert.deepStrictEqual(found.map(({ is_customer }) => String(is_customer)).toSorted(), ["false", "true"])
        assert.deepStrictEqual(
          found.map(({ id }) => id),
          urns
        )
      }
      const urn = encodeURIComponent(String(customer?.id))
      const body = { email_address: "this@one.example" }
      const patched = recordOf(yield* call("PATCH", `${contacts}/${urn}?provider=quickbooks`, { body }))
      assert.deepStrictEqual([patched.id, patched.email_address], [customer?.id, "this@one.example"])
    })
  )
})
