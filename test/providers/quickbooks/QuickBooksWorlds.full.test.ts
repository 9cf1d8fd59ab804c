import { assert, layer } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { simulatorIn } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { type Doc, errorsOf, listOf, recordOf, sandboxApplication, walk } from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"
import { company, uuidOf } from "./Company.ts"

/** What differs between companies of several countries. Most of it is who names a tax code, and whether amounts have tax in them. */

const worlds = ["US", "US automated", "CA", "GB", "AU"] as const

const applicationIn = (world: (typeof worlds)[number]) =>
  sandboxApplication({}, undefined, [{ slug: "quickbooks", load: Effect.succeed(simulatorIn(world)) }])

const sum = (values: ReadonlyArray<unknown>) =>
  values.reduce<Decimal>((total, value) => total.plus(typeof value === "number" ? value : 0), new Decimal(0))

/** Sums of an invoice that do not agree. */
const mismatches = (invoice: Doc): ReadonlyArray<string> => {
  const of = (name: string) => sum([invoice[name]])
  const lines = sum(listOf(invoice.line_items).map(({ total_amount }) => total_amount))
  const subTotal = of("sub_total")
  const tax = of("total_tax_amount")
  const settled = [invoice.applied_payments, invoice.applied_credit_notes, invoice.applied_vendor_credits]
  const applied = sum(settled.flatMap((list) => listOf(list).map(({ applied_amount }) => applied_amount)))
  const equations = [
    ["lines", lines, invoice.inclusive_of_tax === true ? subTotal.plus(tax) : subTotal],
    ["total", subTotal.minus(of("total_discount")).plus(tax), of("total_amount")],
    ["balance", of("total_amount").minus(applied), of("balance")]
  ] as const
  return equations.flatMap(([name, a, b]) =>
    a.equals(b) ? [] : [`invoice ${String(invoice.remote_id)}: ${name}: ${a.toString()} is not ${b.toString()}`]
  )
}

/** A company with the tax rates that it charges: the usual one, and the one of 0%. */
const taxedCompany = Effect.gen(function* () {
  const all = yield* company
  const { records: rates } = yield* walk(all.call, all.path("tax_rate"))
  const charging = rates.filter(({ total_tax_rate }) => Number(total_tax_rate) > 0)
  const none = rates.find(({ remote_id, total_tax_rate }) => total_tax_rate === 0 || remote_id === "NON")
  const sale = { type: "ACCOUNTS_RECEIVABLE", contact: all.customer }
  return {
    ...all,
    rates: charging,
    usual: uuidOf(charging[0]),
    percent: Number(charging[0]?.total_tax_rate),
    none: uuidOf(none),
    sale,
    replace: (resource: string, record: Doc, body: Doc) =>
      all.call("PUT", all.path(resource, record.remote_id), { body })
  }
})

for (const world of worlds) {
  const isUnitedStates = world.startsWith("US")

  layer(applicationIn(world), { timeout: "90 seconds" })(`a QuickBooks Online company in the world ${world}`, (it) => {
    it.effect("invoices and bills add up, listed and got alone", () =>
      Effect.gen(function* () {
        const { call, get, path } = yield* company
        const { records } = yield* walk(call, path("invoice"))
        assert.isAbove(records.length, 200)
        assert.deepStrictEqual(records.flatMap(mismatches), [])
        const settled = records.filter((one) => listOf(one.applied_payments).length > 0).slice(-3)
        for (const one of [...records.slice(-12), ...settled]) {
          assert.deepStrictEqual(mismatches(yield* get("invoice", one)), [])
        }
      })
    )

    it.effect("expenses and credits add up", () =>
      Effect.gen(function* () {
        const { call, path } = yield* company
        const { records: expenses } = yield* walk(call, path("expense"))
        for (const one of expenses) {
          const lines = sum(listOf(one.lines).map(({ net_amount }) => net_amount))
          const subTotal = sum([one.sub_total])
          const shown = one.inclusive_of_tax === true ? subTotal.plus(sum([one.total_tax_amount])) : subTotal
          assert.strictEqual(lines.toString(), shown.toString(), `expense ${String(one.remote_id)}`)
        }
        const { records: credits } = yield* walk(call, path("credit_note"))
        for (const one of credits) {
          const applied = sum(listOf(one.applied_to_lines).map(({ applied_amount }) => applied_amount))
          const left = sum([one.total_amount]).minus(sum([one.remaining_credit]))
          assert.strictEqual(applied.toString(), left.toString(), `credit note ${String(one.remote_id)}`)
        }
        assert.isTrue(credits.some((one) => listOf(one.applied_to_lines).length > 0))
      })
    )

    it.effect("a document that is put as it was read stays as it is", () =>
      Effect.gen(function* () {
        const { call, path, replace } = yield* taxedCompany
        const { records } = yield* walk(call, path("invoice"))
        const untidy = records.filter(
          (one) =>
            one.type === "ACCOUNTS_RECEIVABLE" &&
            (one.inclusive_of_tax === true ||
              listOf(one.line_items).some(({ item, quantity }) => item === null || quantity === 1))
        )
        for (const one of [...untidy.slice(-12), ...records.slice(-4)]) {
          const answer = yield* replace("invoice", one, one)
          assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
          assert.deepStrictEqual(said(answer), [], JSON.stringify(one))
          const after = recordOf(answer)
          assert.deepStrictEqual(after.line_items, one.line_items)
          for (const name of ["sub_total", "total_discount", "total_tax_amount", "total_amount", "balance", "status"])
            assert.strictEqual(after[name], one[name], name)
        }
      })
    )

    it.effect("what the caller states of a line is sent, a quantity of 1 too", () =>
      Effect.gen(function* () {
        const { item, make, native, none, sale } = yield* taxedCompany
        const line = { item, unit_price: 33.3333, quantity: 1, total_amount: 33.33, tax_rate: none }
        const made = yield* make("invoice", { ...sale, line_items: [line] })
        assert.deepInclude(listOf((yield* native("invoice", made)).Line)[0]?.SalesItemLineDetail, {
          UnitPrice: 33.3333,
          Qty: 1
        })
      })
    )

    if (isUnitedStates) {
      it.effect("a tax rate is told to be another one only where the answer has another one", () =>
        Effect.gen(function* () {
          const { create, item, patch, rates, sale } = yield* taxedCompany
          const changed: Array<string> = []
          for (const rate of rates) {
            const line = { item, total_amount: 100, tax_rate: uuidOf(rate) }
            const answer = yield* create("invoice", { ...sale, line_items: [line] }, strictly)
            const [held] = listOf(recordOf(answer).line_items)
            const isHeld = held?.tax_rate === uuidOf(rate)
            assert.deepStrictEqual(said(answer), isHeld ? [] : ["line_items.0.tax_rate CHANGED"])
            if (!isHeld) changed.push(String(rate.name))
            // and nothing changes by being sent again
            assert.deepStrictEqual(said(yield* patch("invoice", recordOf(answer), { line_items: [held] })), [])
          }
          // the customer has no address in California
          assert.deepStrictEqual(changed, world === "US" ? [] : ["San Francisco, CA", "Oakland, CA"])
        })
      )
    } else {
      it.effect("prices that include tax are read and written with it", () =>
        Effect.gen(function* () {
          const { bank, cost, item, make, native, patch, percent, sale, usual, vendor } = yield* taxedCompany
          const gross = 100 + percent
          const lines = [
            { item, quantity: 1, unit_price: gross, tax_rate: usual },
            { item, quantity: 3, unit_price: 19.99, tax_rate: usual }
          ]
          const made = yield* make("invoice", { ...sale, inclusive_of_tax: true, line_items: lines })
          assert.deepStrictEqual(
            listOf(made.line_items).map((line) => [line.quantity, line.unit_price, line.total_amount]),
            [
              [1, gross, gross],
              [3, 19.99, 59.97]
            ]
          )
          assert.deepStrictEqual([made.total_amount, mismatches(made)], [sum([gross, 59.97]).toNumber(), []])
          const [first] = listOf((yield* native("invoice", made)).Line)
          assert.deepInclude(first, { Amount: 100 })
          assert.deepInclude(first?.SalesItemLineDetail, { UnitPrice: 100, Qty: 1, TaxInclusiveAmt: gross })

          const [one, two] = listOf(made.line_items)
          const dearer = recordOf(
            yield* patch("invoice", made, { line_items: [{ ...one, unit_price: 200, total_amount: 200 }, two] })
          )
          assert.deepStrictEqual([dearer.total_amount, mismatches(dearer)], [259.97, []])
          const less = recordOf(yield* patch("invoice", made, { total_discount: 25 }))
          assert.deepStrictEqual([less.total_discount, less.total_amount, mismatches(less)], [25, 234.97, []])

          const bill = yield* make("invoice", {
            type: "ACCOUNTS_PAYABLE",
            contact: vendor,
            inclusive_of_tax: true,
            line_items: [{ account: cost, total_amount: gross, tax_rate: usual }]
          })
          assert.deepStrictEqual([bill.total_amount, bill.total_tax_amount, mismatches(bill)], [gross, percent, []])
          const expense = yield* make("expense", {
            account: bank,
            transaction_date: "2026-11-10",
            inclusive_of_tax: true,
            lines: [{ account: cost, net_amount: gross, tax_rate: usual }]
          })
          assert.deepStrictEqual([expense.total_amount, expense.sub_total], [gross, 100])

          const excluded = recordOf(yield* patch("invoice", made, { inclusive_of_tax: false, line_items: lines }))
          assert.strictEqual(excluded.inclusive_of_tax, false)
          assert.deepStrictEqual(mismatches(excluded), [])
        })
      )

      it.effect("lines without a tax rate are named one by one", () =>
        Effect.gen(function* () {
          const { cost, create, item, make, patch, sale, usual, vendor } = yield* taxedCompany
          const [taxed, untaxed] = [
            { item, total_amount: 10, tax_rate: usual },
            { item, total_amount: 5 }
          ]
          const refused = yield* create("invoice", {
            ...sale,
            line_items: [taxed, untaxed, taxed, untaxed]
          })
          assert.strictEqual(refused.status, 422)
          assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["line_items.1.tax_rate", "line_items.3.tax_rate"])
          const bill = { type: "ACCOUNTS_PAYABLE", contact: vendor, line_items: [{ account: cost, total_amount: 5 }] }
          assert.deepStrictEqual(Object.keys(errorsOf(yield* create("invoice", bill))), ["line_items.0.tax_rate"])
          const made = yield* make("invoice", { ...sale, total_discount: 1, line_items: [taxed] })
          const more = yield* patch("invoice", made, { line_items: [...listOf(made.line_items), untaxed] })
          assert.deepStrictEqual(Object.keys(errorsOf(more)), ["line_items.1.tax_rate"])
        })
      )
    }
  })
}
