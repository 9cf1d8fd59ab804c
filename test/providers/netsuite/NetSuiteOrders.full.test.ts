import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { uuidOf } from "../../contract/samples/Sample.ts"
import { parties } from "../../contract/samples/NetSuiteLists.ts"
import { type Doc, errorsOf, listOf, recordOf, sandboxApplication } from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"
import { assertAddsUp, connectTo, of } from "./worlds.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("sales orders of NetSuite", (it) => {
  const setUp = Effect.gen(function* () {
    const { alter, call } = yield* connectTo({})
    const { customer, service: item } = yield* parties(call)
    const lines = [
      { item, quantity: 4, unit_price: 25 },
      { item, quantity: 2, unit_price: 100 }
    ]
    const order = recordOf(yield* call("POST", of("sales_order"), { body: { customer, status: "OPEN", lines } }))
    const bill = (line_items: ReadonlyArray<Doc>) =>
      call("POST", of("invoice"), {
        body: { type: "ACCOUNTS_RECEIVABLE", contact: customer, sales_orders: [uuidOf(order)], line_items }
      })
    const read = Effect.map(call("GET", of("sales_order", order.remote_id)), recordOf)
    return { alter, bill, call, item, order, read }
  })

  it.effect("an invoice with sales_orders bills the lines it names, and no more than is left", () =>
    Effect.gen(function* () {
      const { bill, call, item, order, read } = yield* setUp
      const partly = yield* bill([{ item, quantity: 3, unit_price: 25 }])
      assert.deepStrictEqual(said(partly), [])
      const invoice = recordOf(partly)
      assert.deepStrictEqual([invoice.total_amount, invoice.sales_orders], [75, [uuidOf(order)]])
      assertAddsUp(invoice, "part of an order")
      assert.strictEqual((yield* read).status, "PARTIALLY_COMPLETED")

      const over = yield* bill([{ item, quantity: 5, unit_price: 25 }])
      assert.deepStrictEqual(Object.keys(errorsOf(over)), ["line_items.0.quantity"])

      recordOf(
        yield* bill([
          { item, quantity: 1, unit_price: 25 },
          { item, quantity: 2, unit_price: 100 }
        ])
      )
      assert.strictEqual((yield* read).status, "COMPLETED")
      const again = yield* bill([{ item, quantity: 1, unit_price: 25 }])
      assert.deepStrictEqual(Object.keys(errorsOf(again)), ["line_items.0.quantity"])

      // what was billed is open again without its invoice
      assert.strictEqual((yield* call("DELETE", of("invoice", invoice.remote_id))).status, 200)
      assert.strictEqual((yield* read).status, "PARTIALLY_COMPLETED")
    })
  )

  it.effect(
    "an order that is shipped and billed is COMPLETED and can be closed; before that COMPLETED is a warning",
    () =>
      Effect.gen(function* () {
        const { bill, call, item, order, read } = yield* setUp
        const at = of("sales_order", order.remote_id)
        const early = yield* call("PATCH", at, { body: { status: "COMPLETED", memo: "Soon" } })
        assert.deepStrictEqual([early.status, said(early)], [200, ["status STATUS_NOT_REACHED"]])
        const ship = { sales_order: uuidOf(order), status: "SHIPPED", lines: [{ item, quantity: 4 }] }
        recordOf(yield* call("POST", of("item_fulfillment"), { body: ship }))
        recordOf(
          yield* bill([
            { item, quantity: 4, unit_price: 25 },
            { item, quantity: 2, unit_price: 100 }
          ])
        )
        const reached = yield* call("PATCH", at, { body: { status: "COMPLETED" } })
        assert.deepStrictEqual([recordOf(reached).status, said(reached)], ["COMPLETED", []])
        const closed = yield* call("PATCH", at, { body: { status: "CLOSED" } })
        assert.deepStrictEqual([recordOf(closed).status, said(closed)], ["CLOSED", []])
        assert.strictEqual(listOf((yield* read).lines).length, 2)
      })
  )
})
