import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { getPath } from "../../../src/mapping/Mapping.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Doc,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"

/** Canonical fields that NetSuite tells only of a single record. */
const single = ["tax_number", "sales_tax_rate", "purchase_tax_rate", "current_balance"]

const without = (record: Doc, names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))

layer(sandboxApplication(), { timeout: "60 seconds" })("expand at NetSuite", (it) => {
  it.effect.each<readonly [resource: string, field: string, to: string, calls: number]>([
    // a query for each kind of contact, and one for their address books
    ["invoice", "contact", "contact", 4],
    ["invoice", "payment_term", "payment_term", 1],
    ["invoice", "accounting_period", "accounting_period", 1],
    ["invoice", "company", "company_info", 1],
    // heads and lines
    ["payment", "account", "account", 1],
    ["sales_order", "customer", "contact", 2],
    ["expense_report", "employee", "employee", 1],
    // types and prices
    ["invoice", "line_items.item", "item", 2],
    ["journal_entry", "lines.account", "account", 1],
    ["item_fulfillment", "sales_order", "sales_order", 2]
  ])("a page of %s reads %s at once, as a get tells it", ([resource, field, to, most]) =>
    Effect.gen(function* () {
      const notes = yield* NotedRequests
      const { call } = yield* (yield* SandboxApplication).caller(["netsuite"])
      const path = `/accounting/${resource}?provider=netsuite&limit=100`
      yield* call("GET", `${path}&expand=${field}`)
      const plain = yield* notes.during(call("GET", path))
      let found: ReadonlyArray<Doc> = []
      const all = yield* notes.during(
        Effect.map(call("GET", `${path}&expand=${field}`), (answer) => {
          found = pageOf(answer).data
        })
      )
      const [first = "", second] = field.split(".")
      const holders = second === undefined ? found : found.flatMap((one) => listOf(one[first]))
      const expanded = holders.flatMap((one) => listOf([getPath(one.expanded, second ?? first) ?? []].flat()))
      assert.isNotEmpty(expanded)
      assert.isAtMost(all.length - plain.length, most)
      const [one = {}] = expanded
      const got = recordOf(yield* call("GET", `/accounting/${to}/${String(one.id)}?provider=netsuite`))
      assert.deepStrictEqual(without(one, single), without(got, single))
    })
  )
})
