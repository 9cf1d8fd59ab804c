import { assert, layer } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { enter } from "../../../src/providers/quickbooks/simulator/Records.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { listOf, pageOf, SandboxApplication, sandboxApplication } from "../../support/SandboxApplication.ts"
import { tellingSpans } from "../../support/EndedSpans.ts"

/** Every SQL statement that ran since the list was last emptied. */
const statements: Array<string> = []

const counting = tellingSpans(({ attributes, name }) => {
  if (name === "sql.execute") statements.push(String(attributes["db.query.text"]))
})

const connectedApplication = sandboxApplication().pipe(Layer.provide(Layer.setTracer(counting)))

layer(connectedApplication, { timeout: "60 seconds" })("what a list costs the database", (it) => {
  it.effect("a page of 100 invoices of 5 lines: two statements at first besides those of look-ups, then none", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* (yield* SandboxApplication).caller(["quickbooks"])
      const store = yield* SimulationStore
      // the company is made when it is asked for the first time; who asks is known then too
      yield* call("GET", "/accounting/payment_term?provider=quickbooks")
      // all on one day, which is before that of any other invoice
      yield* store.run("quickbooks", String(connections.quickbooks), (account) => {
        const [item] = account.all("Item").filter(({ Type }) => Type === "Service")
        const customers = account.all("Customer").filter(({ Job }) => Job === false)
        const then = { ...account, now: Date.UTC(2000, 0, 1) }
        const line = {
          Amount: 1,
          DetailType: "SalesItemLineDetail",
          SalesItemLineDetail: { ItemRef: { value: item?.Id } }
        }
        for (let i = 0; i < 100; i += 1) {
          enter(then, "Invoice", {
            CustomerRef: { value: customers[i]?.Id },
            CurrencyRef: customers[i]?.CurrencyRef,
            Line: [line, line, line, line, line]
          })
        }
      })
      const list = call("GET", "/accounting/invoice?provider=quickbooks&limit=100")
      statements.length = 0
      const { data } = pageOf(yield* list)
      assert.strictEqual(data.length, 100)
      for (const invoice of data) assert.strictEqual(listOf(invoice.line_items).length, 5)
      const own = statements.filter((text) => !text.includes("lookups"))
      assert.isAtLeast(own.length, 1)
      assert.isAtMost(own.length, 2, own.join("\n"))
      statements.length = 0
      assert.deepStrictEqual(pageOf(yield* list).data, data)
      assert.deepStrictEqual(statements, [])
      // who asks is looked up again after a second
      yield* TestClock.adjust("2 seconds")
      yield* list
      assert.isAtMost(statements.length, 2, statements.join("\n"))
      assert.isTrue(
        statements.every((text) => !text.includes("identities")),
        statements.join("\n")
      )
    })
  )
})
