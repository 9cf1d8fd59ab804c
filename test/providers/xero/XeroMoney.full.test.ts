import { assert, layer } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { exchangeRate } from "../../../src/providers/xero/Common.ts"
import { type Doc, errorsOf, listOf, pageOf, recordOf, sandboxApplication } from "../../support/SandboxApplication.ts"
import { organisation, uuidOf } from "./organisation.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("Xero's money", (it) => {
  const native = (record: Doc) => {
    const { remote_data } = record
    return typeof remote_data === "object" && remote_data !== null ? { ...remote_data } : {}
  }

  const books = Effect.gen(function* () {
    const own = yield* organisation
    const { account, call, contact, create, path } = own
    const taxed = pageOf(yield* own.call("GET", `${path("tax_rate")}&limit=100`)).data
    const taxOf = (rate: number) => uuidOf(taxed.find((one) => one.total_tax_rate === rate))
    const sale = (more: Doc) => create("invoice", { type: "ACCOUNTS_RECEIVABLE", contact, status: "OPEN", ...more })
    const withNative = (record: Doc) =>
      Effect.map(call("GET", `${path("invoice", record.remote_id)}&include_remote_data=true`), recordOf)
    /** An account's current balance, in the base currency. */
    const balanceOf = (uuid: string) =>
      Effect.map(call("GET", path("account", `urn:uuid:${uuid}`)), (answer) => recordOf(answer).current_balance)
    return { ...own, account, sale, taxOf, withNative, balanceOf }
  })

  it.effect("tax on top and tax within come to the cent", () =>
    Effect.gen(function* () {
      const { sale, sales, taxOf } = yield* books
      const totals = (inclusive_of_tax: boolean, total_amount: number, tax: number) =>
        Effect.map(
          sale({
            inclusive_of_tax,
            line_items: [{ description: "Work", account: sales, total_amount, tax_rate: taxOf(tax) }]
          }),
          (answer) => {
            const { sub_total, total_amount: total, total_tax_amount } = recordOf(answer)
            return [sub_total, total_tax_amount, total]
          }
        )
      assert.deepStrictEqual(yield* totals(false, 100, 23), [100, 23, 123])
      assert.deepStrictEqual(yield* totals(true, 123, 23), [100, 23, 123])
      assert.deepStrictEqual(yield* totals(true, 99.99, 13.5), [88.1, 11.89, 99.99])
      assert.deepStrictEqual(yield* totals(false, 0.05, 13.5), [0.05, 0.01, 0.06])
    })
  )

  it.effect("amounts are exact in every currency, and finer ones than Xero keeps are refused", () =>
    Effect.gen(function* () {
      const { bank, contact, create, sale, sales } = yield* books
      const line = { description: "Work", account: sales }
      const of = (currency: string, total_amount: number) =>
        sale({ currency, inclusive_of_tax: true, line_items: [{ ...line, total_amount }] })
      for (const [currency, amount] of [
        ["JPY", 1_234_567],
        ["KWD", 1.23],
        ["GBP", 0.1],
        ["EUR", 99_999_999.99]
      ] as const) {
        const record = recordOf(yield* of(currency, amount))
        assert.deepInclude(record, { currency, total_amount: amount, balance: amount })
      }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* of("KWD", 1.234))), ["line_items.0.total_amount"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* of("CHF", 1))), ["currency"])
      const fine = yield* sale({ line_items: [{ ...line, quantity: 1.00001, unit_price: 0.12345 }] })
      assert.sameMembers(Object.keys(errorsOf(fine)), ["line_items.0.quantity", "line_items.0.unit_price"])
      const kept = recordOf(yield* sale({ line_items: [{ ...line, quantity: 1000.0001, unit_price: 0.1234 }] }))
      assert.deepInclude(listOf(kept.line_items)[0], { quantity: 1000.0001, unit_price: 0.1234, total_amount: 123.4 })
      const payment = yield* create("payment", {
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        account: bank,
        transaction_date: "2026-11-10",
        total_amount: 0.005,
        applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: uuidOf(kept), applied_amount: 0.005 }]
      })
      assert.include(Object.keys(errorsOf(payment)), "total_amount")
    })
  )

  it.effect("a line that takes away is taken away; a document never comes to less than nothing", () =>
    Effect.gen(function* () {
      const { sale, sales } = yield* books
      const lines = (...amounts: ReadonlyArray<number>) => ({
        inclusive_of_tax: true,
        line_items: amounts.map((total_amount) => ({ description: "Work", account: sales, total_amount }))
      })
      assert.strictEqual(recordOf(yield* sale(lines(100, -30.5))).total_amount, 69.5)
      assert.strictEqual(recordOf(yield* sale(lines(30, -30))).total_amount, 0)
      assert.strictEqual((yield* sale(lines(30, -30.01))).status, 422)
    })
  )

  it.effect("discounts given in Xero stay what they are while other things change", () =>
    Effect.gen(function* () {
      const { patch, sale, sales, withNative } = yield* books
      const made = recordOf(
        yield* sale({
          status: "DRAFT",
          inclusive_of_tax: true,
          line_items: [{ description: "Frame", account: sales, quantity: 3, unit_price: 33.33 }],
          integration_params: {
            LineItems: [
              { Description: "Frame", Quantity: 3, UnitAmount: 33.33, AccountCode: "200", DiscountRate: 12.34 },
              { Description: "Wheel", Quantity: 7, UnitAmount: 9.99, AccountCode: "200", DiscountAmount: 5.55 },
              { Description: "Bell", Quantity: 1, UnitAmount: 4, AccountCode: "200" }
            ]
          }
        })
      )
      const before = listOf(made.line_items)
      assert.deepStrictEqual(
        before.map((line) => line.total_amount),
        [99.99, 69.93, 4]
      )
      assert.deepStrictEqual([made.total_discount, made.sub_total, made.total_amount], [17.89, 144.74, 156.03])
      const [frame, wheel, bell] = before
      const after = recordOf(
        yield* patch("invoice", made, {
          line_items: [frame, { ...wheel, description: "Wheels" }, { remote_id: bell?.remote_id, quantity: 2 }]
        })
      )
      assert.deepStrictEqual(
        listOf(after.line_items).map((line) => [line.remote_id, line.description, line.quantity, line.total_amount]),
        [
          [frame?.remote_id, "Frame", 3, 99.99],
          [wheel?.remote_id, "Wheels", 7, 69.93],
          [bell?.remote_id, "Bell", 2, 8]
        ]
      )
      const held = JSON.stringify(native(yield* withNative(made)))
      assert.include(held, '"DiscountRate":12.34')
      assert.include(held, '"DiscountAmount":5.55')
    })
  )

  it.prop(
    "an exchange rate that was read is written back as the one that it was",
    { micros: fc.integer({ min: 1, max: 10 ** 12 }) },
    ({ micros }) => {
      const native = micros / 10 ** 6
      const context = {
        reference: () => "",
        resolve: () => undefined,
        refuse: () => assert.fail("refused"),
        warn: () => assert.fail("warned")
      }
      const read = exchangeRate.decode(native, context)
      assert.match(String(read), /^\d+\.\d+$/)
      assert.strictEqual(exchangeRate.encode(read, context, "exchange_rate"), native)
    }
  )

  it.prop(
    "an exchange rate that was written is read as it was",
    { rate: fc.integer({ min: 1, max: 99_999 }).map((digits) => digits / 10_000) },
    ({ rate }) => {
      const context = {
        reference: () => "",
        resolve: () => undefined,
        refuse: () => assert.fail("refused"),
        warn: () => assert.fail("warned")
      }
      const native = exchangeRate.encode(String(rate), context, "exchange_rate")
      assert.strictEqual(Number(exchangeRate.decode(native, context)), rate)
    }
  )

  it.effect("an expense keeps what a change does not name, and a lock date is told by the date", () =>
    Effect.gen(function* () {
      const { bank, call, contact, cost, create, make, patch, path, sale, sales } = yield* books
      const body = {
        contact,
        account: bank,
        transaction_date: "2026-11-12",
        lines: [
          { description: "Fuel", account: cost, net_amount: 40 },
          { description: "Tolls", account: cost, net_amount: 2.5 }
        ]
      }
      const made = yield* make("expense", body)
      const changed = recordOf(yield* patch("expense", made, { reference: "To Cork" }))
      const { reference: _, remote_updated_at: __, ...kept } = made
      assert.deepInclude(changed, { ...kept, reference: "To Cork" })

      const locked = { transaction_date: "2016-03-31" }
      for (const refused of [yield* create("expense", { ...body, ...locked }), yield* patch("expense", made, locked)]) {
        assert.strictEqual(refused.status, 422)
        assert.match(
          String(errorsOf(refused)["transaction_date"]),
          /end of year lock date, currently set at 31-Mar-2016/
        )
      }
      const late = yield* sale({
        issue_date: "2009-05-05",
        line_items: [{ description: "Work", account: sales, total_amount: 5 }]
      })
      assert.deepStrictEqual([late.status, Object.keys(errorsOf(late))], [422, ["issue_date"]])
      assert.strictEqual((yield* call("DELETE", path("expense", made.remote_id))).status, 200)
    })
  )

  it.effect("exchange rates say what one unit is in the base currency, in documents and on the ledger", () =>
    Effect.gen(function* () {
      const { account, balanceOf, bank, contact, make, own, sale, sales, taxOf, withNative } = yield* books
      assert.strictEqual(own?.currency, "EUR")
      const gained = account((one) => String(one.name).startsWith("Realised"))
      const [revenue, gains] = [Number(yield* balanceOf(sales)), Number(yield* balanceOf(gained))]
      const lines = [{ description: "Work", account: sales, total_amount: 100, tax_rate: taxOf(0) }]
      const record = recordOf(yield* sale({ currency: "GBP", exchange_rate: "1.25", line_items: lines }))
      assert.deepInclude(record, { currency: "GBP", exchange_rate: "1.25", total_amount: 100 })
      assert.deepInclude(native(yield* withNative(record)), { CurrencyRate: 0.8 })
      assert.strictEqual(Number(yield* balanceOf(sales)) - revenue, 125)
      // paid when a pound is 1.2 euro: 5 euro are lost
      const payment = yield* make("payment", {
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        account: bank,
        transaction_date: "2026-11-10",
        exchange_rate: "1.2",
        total_amount: 100,
        applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: uuidOf(record), applied_amount: 100 }]
      })
      assert.deepInclude(payment, { currency: "GBP", exchange_rate: "1.2" })
      assert.strictEqual(Math.round((Number(yield* balanceOf(gained)) - gains) * 100), 500)
      // without a rate it is the day's; the base currency is worth itself
      const plain = recordOf(yield* sale({ currency: "JPY", line_items: lines }))
      assert.deepInclude(native(yield* withNative(plain)), { CurrencyRate: 162.35 })
      assert.closeTo(Number(plain.exchange_rate), 1 / 162.35, 1e-10)
      assert.strictEqual(recordOf(yield* sale({ line_items: lines })).exchange_rate, "1.0")
      for (const exchange_rate of ["0", "-1.5", "99999999"]) {
        const refused = yield* sale({ currency: "GBP", exchange_rate, line_items: lines })
        assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["exchange_rate"], exchange_rate)
      }
    })
  )
})
