import { assert } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Effect, Layer, TestClock } from "effect"
import { type Doc, listOf, pageOf } from "./Answers.ts"
import { SandboxApplication } from "./SandboxApplication.ts"
import type { Suite } from "./Suite.ts"

/** Days on which something begins or ends, the last one first: a clock that goes back has nothing due on its way. */
const dates = [
  ["2028-02-29T23:58:00Z", "a day that most years lack"],
  ["2027-03-31T23:30:00Z", "the last day of a financial year, and in Dublin the first of the next"],
  ["2027-01-01T00:00:30Z", "a year has begun, though not yet in San Francisco"]
] as const

/** When an application starts that lives through them. */
export const lastDay = Date.parse(dates[0][0])

/** The sum of the rows with nothing below them. */
const total = (rows: unknown): Decimal =>
  listOf(rows).reduce(
    (sum: Decimal, { sub_items, value }) =>
      sum.plus(listOf(sub_items).length > 0 ? total(sub_items) : new Decimal(Number(value))),
    new Decimal(0)
  )

/** The row of a report, at whatever depth, that has one of these names. */
const named = (rows: unknown, names: ReadonlyArray<string>): Doc | undefined => {
  for (const row of listOf(rows)) {
    const found = names.includes(String(row.name)) ? row : named(row.sub_items, names)
    if (found !== undefined) return found
  }
  return undefined
}

/** The sample data is made for the day it is: whichever that is, there is some of everything, and the books balance. */
export const days: Suite = (it, { having, slug }) => {
  for (const [day, why] of dates) {
    it.layer(Layer.effectDiscard(TestClock.setTime(Date.parse(day))))(`${day}: ${why}`, (it) => {
      it.effect("every list has records", () =>
        Effect.gen(function* () {
          const { call } = yield* (yield* SandboxApplication).caller([slug])
          for (const { name, path } of having("list")) {
            const { data } = pageOf(yield* call("GET", `${path}?provider=${slug}&limit=3`))
            assert.isNotEmpty(data, name)
          }
        })
      )

      const isLedger = having("list").some(({ resource }) => resource.name === "balance_sheet")

      if (isLedger) {
        it.effect("the balance sheet balances, with what the year earned so far", () =>
          Effect.gen(function* () {
            const { call } = yield* (yield* SandboxApplication).caller([slug])
            const report = (resource: string) =>
              Effect.map(call("GET", `/accounting/${resource}?provider=${slug}`), (answer) => pageOf(answer).data[0])
            const sheet = yield* report("balance_sheet")
            assert.isAbove(total(sheet?.assets).toNumber(), 0)
            assert.strictEqual(
              total(sheet?.assets).minus(total(sheet?.liabilities)).toNumber(),
              total(sheet?.equity).toNumber()
            )
            const earned = named(sheet?.equity, ["Net Income", "Current Year Earnings"])?.value ?? 0
            assert.strictEqual((yield* report("income_statement"))?.net_income, earned)
          })
        )
      }
    })
  }
}
