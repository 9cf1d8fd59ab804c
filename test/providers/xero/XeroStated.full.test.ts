import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { pageOf, recordOf, refusalOf, sandboxApplication, walk } from "../../support/SandboxApplication.ts"
import { organisation, uuidOf } from "./organisation.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })(
  "what a Xero organisation states without records of it",
  (it) => {
    it.effect("payment terms are the rules of the organisation and of its contacts, each once", () =>
      Effect.gen(function* () {
        const { call, make, own, path } = yield* organisation
        const terms = Effect.map(walk(call, path("payment_term"), 1), ({ records }) =>
          records.map((one) => [one.remote_id, one.name, one.days_until_due])
        )
        const before = [
          ["DAYSAFTERBILLDATE:14", "14 days after the bill date", 14],
          ["DAYSAFTERBILLDATE:30", "30 days after the bill date", 30]
        ]
        assert.deepStrictEqual(yield* terms, before)
        const monthly = { Bills: { Day: 20, Type: "OFFOLLOWINGMONTH" }, Sales: { Day: 30, Type: "DAYSAFTERBILLDATE" } }
        yield* make("contact", { name: "Cogs & Co", integration_params: { PaymentTerms: monthly } })
        const added = ["OFFOLLOWINGMONTH:20", "Day 20 of the month after the bill", null]
        assert.deepStrictEqual(yield* terms, [...before, added])

        const one = recordOf(yield* call("GET", path("payment_term", "OFFOLLOWINGMONTH:20")))
        assert.deepInclude(one, { is_active: true, discount_days: null, company: uuidOf(own), remote_created_at: null })
        assert.deepStrictEqual(recordOf(yield* call("GET", path("payment_term", one.id))), one)
        const none = yield* call("GET", path("payment_term", "OFFOLLOWINGMONTH:21"))
        assert.deepStrictEqual(refusalOf(none), [404, "PAYMENT_TERM_NOT_FOUND"])
        const made = yield* call("POST", path("payment_term"), { body: { name: "At once" } })
        assert.deepStrictEqual(refusalOf(made), [405, "OPERATION_NOT_SUPPORTED"])
      })
    )

    it.effect("accounting periods are financial years, closed up to the lock date", () =>
      Effect.gen(function* () {
        const { call, path } = yield* organisation
        const { records } = yield* walk(call, path("accounting_period"), 4)
        const [first] = records
        const last = records.at(-1)
        assert.strictEqual(first?.status, "INACTIVE")
        for (const [index, one] of records.entries()) {
          assert.match(String(one.start_date), /-04-01$/)
          assert.match(String(one.end_date), /-03-31$/)
          const next = records[index + 1]
          if (next !== undefined)
            assert.strictEqual(String(one.end_date).slice(0, 4), String(next.start_date).slice(0, 4))
          assert.strictEqual(one.status, index === 0 ? "INACTIVE" : "ACTIVE")
        }
        // a report without bounds is of the year that is running
        const [report] = pageOf(yield* call("GET", path("income_statement"))).data
        assert.strictEqual(last?.start_date, report?.start_period)
        assert.isAbove(records.length, 9)
        assert.deepStrictEqual(recordOf(yield* call("GET", path("accounting_period", last?.remote_id))), last)
        const none = yield* call("GET", path("accounting_period", "2001-01-01"))
        assert.deepStrictEqual(refusalOf(none), [404, "ACCOUNTING_PERIOD_NOT_FOUND"])
      })
    )
  }
)
