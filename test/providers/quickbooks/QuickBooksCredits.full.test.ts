import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Doc, errorsOf, listOf, recordOf, sandboxApplication } from "../../support/SandboxApplication.ts"
import { amounts, applied, company, share, uuidOf } from "./Company.ts"

/** Applied amounts of a credit, by document. */
const sharesOf = (credit: Doc) =>
  Object.fromEntries(
    listOf(credit.applied_to_lines).map(({ applied_amount, invoice }) => [String(invoice), Number(applied_amount)])
  )

layer(sandboxApplication(), { timeout: "60 seconds" })("credits of QuickBooks Online", (it) => {
  it.effect("two who apply one credit at once do not apply it twice", () =>
    Effect.gen(function* () {
      const { count, customer, get, invoice, item, make, patch } = yield* company
      const [first, second] = [yield* invoice(100), yield* invoice(100)]
      const payments = yield* count("payment")
      const credit = yield* make("credit_note", { contact: customer, line_items: [{ item, total_line_amount: 60 }] })
      const same = [share(first, 20)]
      const answers = yield* Effect.all(
        [same, same, same].map((applied_to_lines) => patch("credit_note", credit, { applied_to_lines })),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) assert.deepInclude(recordOf(answer), { remaining_credit: 40 })
      assert.strictEqual(yield* count("payment"), payments + 1)

      // one takes all for the first, the other all for the second: whoever comes last has it
      const rivals = yield* Effect.all(
        [first, second].map((one) => patch("credit_note", credit, { applied_to_lines: [share(one, 60)] })),
        { concurrency: "unbounded" }
      )
      for (const answer of rivals) recordOf(answer)
      const after = yield* get("credit_note", credit)
      assert.deepInclude(after, { remaining_credit: 0, status: "PAID" })
      assert.deepStrictEqual(amounts(after.applied_to_lines), [60])
      const open = [yield* get("invoice", first), yield* get("invoice", second)].map(({ balance }) => balance)
      assert.sameMembers(open, [100, 40])
    })
  )

  it.effect("what is applied stays when something else is refused", () =>
    Effect.gen(function* () {
      const { bill, cost, count, customer, get, invoice, item, make, patch, vendor } = yield* company
      const [a, b, c, small] = [yield* invoice(100), yield* invoice(100), yield* invoice(100), yield* invoice(5)]
      const credit = yield* make("credit_note", {
        contact: customer,
        line_items: [{ item, total_line_amount: 30 }],
        applied_to_lines: [share(a, 10, { applied_date: "2026-11-02" }), share(b, 20)]
      })
      const payments = yield* count("payment")
      const held = sharesOf(credit)
      for (const [why, applied_to_lines] of [
        ["more than the credit", [share(c, 31)]],
        ["more than the invoice", [share(a, 5), share(small, 6)]],
        ["the second of two changes", [share(c, 10), share(small, 20)]],
        ["a new one after one that was taken back", [share(b, 20), share(small, 10)]]
      ] as const) {
        const answer = yield* patch("credit_note", credit, { applied_to_lines })
        assert.deepStrictEqual(Object.keys(errorsOf(answer)), ["applied_to_lines"], why)
        const now = yield* get("credit_note", credit)
        assert.deepStrictEqual(sharesOf(now), held, why)
        assert.deepInclude(now, { remaining_credit: 0 }, why)
        assert.strictEqual(yield* count("payment"), payments, why)
      }
      assert.deepStrictEqual(
        listOf((yield* get("credit_note", credit)).applied_to_lines)
          .map((one) => one.applied_date)
          .includes("2026-11-02"),
        true
      )

      // what the two have may be exchanged, although nothing of the credit is left
      const swapped = recordOf(yield* patch("credit_note", credit, { applied_to_lines: [share(a, 20), share(b, 10)] }))
      assert.deepStrictEqual(sharesOf(swapped), { [uuidOf(a)]: 20, [uuidOf(b)]: 10 })
      assert.strictEqual(yield* count("payment"), payments)

      const [owed, other] = [yield* bill(50), yield* bill(5)]
      const ours = yield* make("vendor_credit", {
        transaction_date: "2026-11-12",
        vendor,
        lines: [{ account: cost, net_amount: 30 }],
        applied_to_lines: [share(owed, 30)]
      })
      const refused = yield* patch("vendor_credit", ours, { applied_to_lines: [share(other, 30)] })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["applied_to_lines"])
      assert.deepStrictEqual(sharesOf(yield* get("vendor_credit", ours)), { [uuidOf(owed)]: 30 })
      for (const applied_amount of [0, -1]) {
        const nothing = yield* patch("vendor_credit", ours, { applied_to_lines: [share(owed, applied_amount)] })
        assert.deepStrictEqual(Object.keys(errorsOf(nothing)), ["applied_to_lines.0.applied_amount"])
      }
    })
  )

  it.effect("a credit or invoice that is deleted leaves no payment of nothing", () =>
    Effect.gen(function* () {
      const { call, count, customer, get, invoice, item, make, path } = yield* company
      const payments = yield* count("payment")
      const line_items = [{ item, total_line_amount: 60 }]
      const settled = Effect.gen(function* () {
        const open = yield* invoice(100)
        const applied_to_lines = [share(open, 60)]
        return { open, credit: yield* make("credit_note", { contact: customer, line_items, applied_to_lines }) }
      })
      const first = yield* settled
      recordOf(yield* call("DELETE", path("credit_note", first.credit.remote_id)))
      assert.deepInclude(yield* get("invoice", first.open), { balance: 100, payments: [], applied_credit_notes: [] })
      assert.strictEqual(yield* count("payment"), payments)
      const second = yield* settled
      recordOf(yield* call("DELETE", path("invoice", second.open.remote_id)))
      assert.deepInclude(yield* get("credit_note", second.credit), { remaining_credit: 60, applied_to_lines: [] })
      assert.strictEqual(yield* count("payment"), payments)

      // of a payment in money the money stays
      const [third, credit] = [yield* invoice(100), yield* make("credit_note", { contact: customer, line_items })]
      const paid = yield* make("payment", {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer,
        transaction_date: "2026-11-12",
        total_amount: 40,
        applied_to_lines: [applied("INVOICE", third, 100), applied("CREDIT_NOTE", credit, 60)]
      })
      recordOf(yield* call("DELETE", path("credit_note", credit.remote_id)))
      assert.deepStrictEqual(amounts((yield* get("payment", paid)).applied_to_lines), [40])
      assert.deepInclude(yield* get("invoice", third), { balance: 60, status: "PARTIALLY_PAID" })
    })
  )
})
