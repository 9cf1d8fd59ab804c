import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Metrics from "../../../src/platform/Metrics.ts"
import { enter } from "../../../src/providers/netsuite/simulator/Records.ts"
import { partsAt } from "../../../src/providers/simulation/Docs.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import { uuidOf } from "../../contract/samples/Sample.ts"
import {
  type Call,
  type Doc,
  errorsOf,
  listOf,
  pageOf,
  recordOf,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"
import { assertAddsUp, connectTo, of, worlds } from "./worlds.ts"

const stated = ["invoice", "credit_note", "sales_order", "purchase_order", "expense_report", "item_fulfillment"]

const stateOf = ({ remote_id, status }: Doc) => [remote_id, status]

const byId = (records: ReadonlyArray<Doc>) => records.map(stateOf)

layer(sandboxApplication(), { timeout: "120 seconds" })("worlds of NetSuite", (it) => {
  const statesIn = (call: Call, resource: string) => Effect.map(walk(call, of(resource)), ({ records }) => records)

  it.effect.each(Object.entries(worlds))(
    "%s: states are those of an English user, in lists, single reads and filters",
    ([, features]) =>
      Effect.gen(function* () {
        const english = yield* connectTo({})
        const { call } = yield* connectTo(features)
        for (const resource of stated) {
          const [expected, found] = [yield* statesIn(english.call, resource), yield* statesIn(call, resource)]
          assert.deepStrictEqual(byId(found), byId(expected), resource)
          const states = new Set(found.map(({ status }) => status))
          assert.notInclude([...states], null, resource)
          for (const status of states) {
            const those = found.filter((record) => record.status === status)
            const [one] = those
            const got = recordOf(yield* call("GET", of(resource, one?.remote_id)))
            assert.strictEqual(got.status, status, resource)
            const filtered = yield* walk(call, `${of(resource)}&status=${String(status)}`)
            assert.deepStrictEqual(byId(filtered.records), byId(those), `${resource} ${String(status)}`)
          }
        }
      })
  )

  it.effect.each(Object.entries(worlds))("%s: documents add up, in lists and single reads", ([name, features]) =>
    Effect.gen(function* () {
      const { call } = yield* connectTo(features)
      const { records } = yield* walk(call, of("invoice"))
      for (const record of records) assertAddsUp(record, `${name}, list`)
      for (const { remote_id } of records.filter((_, i) => i % 12 === 0)) {
        assertAddsUp(recordOf(yield* call("GET", of("invoice", remote_id))), `${name}, get`)
      }
    })
  )

  it.effect.each(Object.entries(worlds))("%s: a value that is missing is refused under its field", ([, features]) =>
    Effect.gen(function* () {
      const { call } = yield* connectTo(features)
      // NetSuite asks for the days, which only it knows to be needed
      const refused = yield* call("POST", of("payment_term"), { body: { name: "No days", discount_days: 5 } })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["days_until_due"])
    })
  )

  it.effect.each(Object.entries(worlds))(
    "%s: subtotals, descriptions and groups are no lines, shipping is one that cannot be written",
    ([name, features]) =>
      Effect.gen(function* () {
        const { alter, call } = yield* connectTo(features)
        const found = (resource: string, holds: (record: Doc) => boolean) =>
          Effect.map(walk(call, of(resource)), ({ records }) => records.find(holds) ?? assert.fail(resource))
        const customer = yield* found("contact", (one) => one.is_customer === true && one.status === "ACTIVE")
        const service = yield* found("item", (one) => one.type === "SERVICE" && one.status === "ACTIVE")
        const [entity, item] = [customer, service].map(({ remote_id }) => ({ id: remote_id }))
        const made =
          (yield* alter((account) => {
            const [subtotal, text, group] = [
              enter(account, "subtotalItem", { itemId: "So far" }),
              enter(account, "descriptionItem", { itemId: "Text", description: "All prices are net" }),
              enter(account, "itemGroup", { itemId: "Set", member: { items: [{ item, quantity: 2 }] } })
            ].map(({ id }) => ({ item: { id } }))
            const sold = { item, rate: 60 }
            const head = { entity, shippingCost: 12.5, handlingCost: 2.5 }
            const bodies = [
              [{ ...sold, quantity: 3 }, subtotal, text],
              [{ ...sold, quantity: 3 }, group, subtotal]
            ]
            return bodies.map((items) => String(enter(account, "invoice", { ...head, item: { items } }).id))
          })) ?? assert.fail("no account")
        const [noted = "", grouped = ""] = made
        const { records } = yield* walk(call, of("invoice"))
        for (const id of made) {
          const got = recordOf(yield* call("GET", of("invoice", id)))
          const listed = records.find(({ remote_id }) => remote_id === id) ?? assert.fail(id)
          assertAddsUp(got, `${name}, get`)
          assert.deepStrictEqual(listed.line_items, got.line_items)
        }
        const got = recordOf(yield* call("GET", of("invoice", noted)))
        const lines = listOf(got.line_items)
        assert.deepStrictEqual(
          lines.map(({ remote_id, total_amount }) => [remote_id, total_amount]),
          [
            ["1", 180],
            ["shipping", 15]
          ]
        )

        // sent back as read it stays, and so do the lines that are not shown
        const put = yield* call("PUT", of("invoice", noted), { body: got })
        assert.deepStrictEqual(said(put), [])
        assert.deepStrictEqual(recordOf(put).line_items, got.line_items)
        const [line = {}] = lines
        const replaced = yield* call("PATCH", of("invoice", noted), {
          body: {
            line_items: [
              { item: uuidOf(service), quantity: 1, unit_price: 40 },
              { ...line, quantity: 4, total_amount: null }
            ]
          }
        })
        assertAddsUp(recordOf(replaced), name)
        const kinds = yield* alter((account) =>
          partsAt(account.get("invoice", noted) ?? {}, "item").map(({ itemType }) => itemType)
        )
        assert.deepStrictEqual(kinds, ["Service", "Service", "Subtotal", "Description"])

        // the members of a group would be added again
        const group = recordOf(yield* call("GET", of("invoice", grouped)))
        const changed = listOf(group.line_items).map((one, i) =>
          i === 0 ? { ...one, quantity: 5, total_amount: null } : one
        )
        const updated = yield* call("PATCH", of("invoice", grouped), { body: { line_items: changed } })
        assert.strictEqual(listOf(recordOf(updated).line_items)[0]?.total_amount, 300)
        const refused = yield* call("PATCH", of("invoice", grouped), { body: { line_items: changed.slice(1) } })
        assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["line_items"])
      })
  )

  it.effect.each(Object.entries(worlds))(
    "%s: a page of 100 invoices and bills costs at most five calls",
    ([, features]) =>
      Effect.gen(function* () {
        const { call } = yield* connectTo(features)
        const requests = yield* NotedRequests
        const page = `${of("invoice")}&limit=100`
        const { data } = pageOf(yield* call("GET", page))
        assert.strictEqual(data.length, 100)
        assert.strictEqual(new Set(data.map(({ type }) => type)).size, 2)
        const noted = yield* requests.during(call("GET", page))
        assert.isAtMost(noted.length, 5)
      })
  )

  it.effect.each(Object.entries(worlds))(
    "%s: a custom list field is the same in lists and single reads",
    ([, features]) =>
      Effect.gen(function* () {
        const { call } = yield* connectTo(features)
        const body = { provider: "netsuite", resource: "contact", native_type: "customer", field: "tier" }
        const put = yield* call("PUT", "/field-mappings", {
          body: { ...body, native_field: "custentity_loyalty_tier" }
        })
        assert.strictEqual(put.status, 200, JSON.stringify(put.body))
        const { data } = pageOf(yield* call("GET", `${of("contact")}&limit=20`))
        const tierOf = ({ custom_fields }: Doc) => custom_fields
        const some = data.filter((one) => JSON.stringify(tierOf(one)).includes("refName"))
        assert.isNotEmpty(some)
        for (const listed of data) {
          const got = recordOf(yield* call("GET", of("contact", listed.remote_id)))
          assert.deepStrictEqual(tierOf(listed), tierOf(got))
        }
      })
  )

  it.effect("a state in no table is null and counted; names are read only where queries do not tell letters", () =>
    Effect.gen(function* () {
      const counted = Effect.map(Metrics.render, (text) =>
        ["unknown", "words"].map((outcome) =>
          Number(new RegExp(`provider_native_states_total\\{[^}]*"${outcome}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0)
        )
      )
      const { alter, call } = yield* connectTo({})
      const { data } = pageOf(yield* call("GET", `${of("invoice")}&type=ACCOUNTS_RECEIVABLE&limit=1`))
      const id = String(data[0]?.remote_id)
      yield* alter(({ get, put }) => put("invoice", id, { ...get("invoice", id), status: { id: "Q" } }))
      const [unknown = 0, words = 0] = yield* counted
      assert.isNull(recordOf(yield* call("GET", of("invoice", id))).status)
      const [more = 0, same = 0] = yield* counted
      assert.deepStrictEqual([more > unknown, same], [true, words])

      const blind = yield* connectTo({ role: { columns: ["transaction.status"] } })
      const states = yield* Effect.forEach(data, ({ remote_id }) =>
        Effect.map(blind.call("GET", of("invoice", remote_id)), (answer) => recordOf(answer).status)
      )
      assert.deepStrictEqual(states, [data[0]?.status])
      const [, last = 0] = yield* counted
      assert.isAbove(last, words)
    })
  )
})
