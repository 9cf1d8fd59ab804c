import { assert, layer } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Array, Effect } from "effect"
import { type Doc, listOf, pageOf, SandboxApplication, sandboxApplicationAt } from "../support/SandboxApplication.ts"
import { having } from "./Table.ts"

// The sample data is made for the day it is: whichever that is, there is some of everything, and the books balance.

const lists = Object.entries(Array.groupBy(having("list"), ({ provider }) => provider))
const ledgers = having("list").flatMap(({ provider, resource }) =>
  resource.name === "balance_sheet" ? [provider] : []
)

/** What the rows with nothing below them come to. */
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

for (const [day, why] of [
  ["2027-01-01T00:00:30Z", "a year has begun, though not yet in San Francisco"],
  ["2027-03-31T23:30:00Z", "the last day of a financial year, and in Dublin the first of the next"],
  ["2028-02-29T23:58:00Z", "a day that most years lack"]
] as const) {
  layer(sandboxApplicationAt(Date.parse(day))(), { timeout: "60 seconds" })(`${day}: ${why}`, (it) => {
    it.effect.each(lists)("%s: every list has records", ([provider, rows]) =>
      Effect.gen(function* () {
        const { call } = yield* (yield* SandboxApplication).caller([provider])
        for (const { name, path } of rows) {
          const { data } = pageOf(yield* call("GET", `${path}?provider=${provider}&limit=3`))
          assert.isNotEmpty(data, name)
        }
      })
    )

    it.effect.each(ledgers)("%s: the balance sheet balances, with what the year earned so far", (provider) =>
      Effect.gen(function* () {
        const { call } = yield* (yield* SandboxApplication).caller([provider])
        const report = (resource: string) =>
          Effect.map(call("GET", `/accounting/${resource}?provider=${provider}`), (answer) => pageOf(answer).data[0])
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
  })
}
