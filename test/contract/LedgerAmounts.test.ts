import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { leastBody, ledgers, pathOf } from "../support/Ledgers.ts"
import { errorsOf, listOf, recordOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { said, strictly } from "../support/Warnings.ts"

layer(sandboxApplication(), { timeout: "120 seconds" })("amounts of a document", (it) => {
  for (const ledger of ledgers) {
    const caller = Effect.flatMap(SandboxApplication, (app) => app.caller([ledger]))

    it.effect(`${ledger}: a computed field is checked, and a different value is named in a warning`, () =>
      Effect.gen(function* () {
        const { call } = yield* caller
        const least = yield* leastBody(call, ledger, "invoice")
        const wrong = yield* call("POST", pathOf(ledger, "invoice"), { body: { ...least, total_amount: "many" } })
        assert.deepStrictEqual(errorsOf(wrong), { total_amount: "must be a finite number" })

        const made = yield* call("POST", pathOf(ledger, "invoice"), {
          body: { ...least, total_amount: 7_777_777 },
          headers: strictly
        })
        assert.strictEqual(made.status, 201, JSON.stringify(made.body))
        assert.include(said(made), "total_amount CHANGED")
        const { remote_id: id, total_amount: total } = recordOf(made)
        const path = pathOf(ledger, "invoice", id)
        const changed = yield* call("PATCH", path, { body: { total_amount: 5 } })
        assert.deepStrictEqual(said(changed), ["total_amount CHANGED"])
        assert.strictEqual(recordOf(changed).total_amount, total)
        assert.deepStrictEqual(said(yield* call("PATCH", path, { body: { total_amount: total } })), [])
      })
    )

    it.effect(`${ledger}: amounts that contradict each other are refused with both numbers`, () =>
      Effect.gen(function* () {
        const { call } = yield* caller
        const least = yield* leastBody(call, ledger, "invoice")
        const [line] = listOf(least.line_items)
        const refused = yield* call("POST", pathOf(ledger, "invoice"), {
          body: {
            ...least,
            line_items: [{ ...line, quantity: 2, unit_price: 50, total_amount: 77 }],
            sub_total: 100,
            total_tax_amount: 20,
            total_amount: 130
          }
        })
        const errors = errorsOf(refused)
        assert.deepStrictEqual(Object.keys(errors).toSorted(), ["line_items.0.total_amount", "total_amount"])
        assert.match(errors["line_items.0.total_amount"] ?? "", /77.*100/)
        assert.match(errors.total_amount ?? "", /130.*120/)
      })
    )
  }
})
