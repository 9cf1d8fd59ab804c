import { assert, layer } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { digitsOf } from "../../../src/platform/Currency.ts"
import { type WorldName, worlds } from "../../../src/providers/zohobooks/simulator/World.ts"
import { simulatorIn } from "../../../src/providers/zohobooks/simulator/ZohoBooksSimulator.ts"
import { simulators } from "../../../src/Simulators.ts"
import {
  type Doc,
  listOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"

/** What differs between organisations of several countries: currency, tax, fiscal year and the spelling of the country. */

const names: ReadonlyArray<WorldName> = ["US", "IN", "GB", "DE", "KW", "JP"]

const path = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=zoho_books`

const uuidOf = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")

const sumOf = (amounts: ReadonlyArray<unknown>) =>
  amounts.reduce<Decimal>((sum, amount) => sum.plus(typeof amount === "number" ? amount : Number.NaN), new Decimal(0))

/** Holds an invoice that was read alone to the sums of its lines, and of what was applied to it. */
const assertAddsUp = (record: Doc) => {
  const { balance, inclusive_of_tax, sub_total, total_amount, total_discount, total_tax_amount } = record
  const about = `invoice ${String(record.remote_id)}`
  const tax = sumOf([total_tax_amount])
  const net = sumOf([sub_total])
  const lines = sumOf(listOf(record.line_items).map((line) => line.total_amount))
  assert.strictEqual(lines.toNumber(), (inclusive_of_tax === true ? net.plus(tax) : net).toNumber(), `${about}: lines`)
  assert.strictEqual(
    net
      .plus(tax)
      .minus(sumOf([total_discount]))
      .toNumber(),
    total_amount,
    `${about}: total`
  )
  const applied = ["applied_payments", "applied_credit_notes", "applied_vendor_credits"].flatMap((name) =>
    listOf(record[name]).map((one) => one.applied_amount)
  )
  const open = record.status === "VOID" ? 0 : sumOf([total_amount]).minus(sumOf(applied)).toNumber()
  assert.strictEqual(open, balance, `${about}: balance`)
  const isPaid = record.status === "PAID"
  assert.strictEqual(typeof record.paid_on_date === "string", isPaid, `${about}: paid_on_date`)
}

for (const name of names) {
  const world = worlds[name]
  const sources = simulators.map((source) =>
    source.slug === "zoho_books" ? { ...source, load: Effect.succeed(simulatorIn(name)) } : source
  )

  layer(sandboxApplication({}, undefined, sources), { timeout: "120 seconds" })(
    `an organisation in ${world.countryName}`,
    (it) => {
      const connected = Effect.flatMap(SandboxApplication, (application) => application.caller(["zoho_books"]))

      it.effect("has its currency, country and fiscal year", () =>
        Effect.gen(function* () {
          const { call } = yield* connected
          const [company = {}] = (yield* walk(call, path("company_info"))).records
          const first = Number(world.fiscalYearStart)
          assert.deepInclude(company, {
            currency: world.currency,
            fiscal_year_end_month: first === 1 ? 12 : first - 1,
            fiscal_year_end_day: new Date(Date.UTC(2001, first - 1, 0)).getUTCDate(),
            tax_number: world.taxNumber === "" ? null : world.taxNumber
          })
          assert.strictEqual(listOf(company.addresses)[0]?.country, name)
        })
      )

      it.effect("has invoices and bills that add up", () =>
        Effect.gen(function* () {
          const { call } = yield* connected
          const { records } = yield* walk(call, path("invoice"))
          const some = records.filter((_, index) => index % 3 === 0)
          assert.isAbove(some.length, 50)
          for (const { remote_id } of some) assertAddsUp(recordOf(yield* call("GET", path("invoice", remote_id))))
        })
      )

      it.effect("takes lines and payments in its currency, whatever digits that has", () =>
        Effect.gen(function* () {
          const { call } = yield* connected
          const make = (resource: string, body: Doc) => call("POST", path(resource), { body })
          const contact = uuidOf(
            recordOf(yield* make("contact", { name: `Lovelace ${name}`, is_customer: true, currency: world.currency }))
          )
          const taxes = (yield* walk(call, path("tax_rate"))).records
          const tax_rate = uuidOf(taxes[0])
          const digits = digitsOf(world.currency)
          const unit_price = new Decimal(12.345).toDecimalPlaces(digits).toNumber()
          const total_amount = new Decimal(unit_price)
            .times(1.5)
            .toDecimalPlaces(digits, Decimal.ROUND_HALF_UP)
            .toNumber()
          for (const inclusive_of_tax of [false, true]) {
            const line = { description: "Advice", quantity: 1.5, unit_price, total_amount, tax_rate }
            const made = yield* make("invoice", {
              type: "ACCOUNTS_RECEIVABLE",
              contact,
              status: "OPEN",
              currency: world.currency,
              inclusive_of_tax,
              line_items: [line]
            })
            assert.deepStrictEqual(said(made), [])
            const invoice = recordOf(made)
            assert.strictEqual(listOf(invoice.line_items)[0]?.total_amount, total_amount)
            assertAddsUp(invoice)
            const paid = yield* make("payment", {
              type: "ACCOUNTS_RECEIVABLE",
              contact,
              transaction_date: "2026-11-20",
              total_amount: invoice.total_amount,
              applied_to_lines: [
                {
                  related_object_id: uuidOf(invoice),
                  related_object_type: "INVOICE",
                  applied_amount: invoice.total_amount
                }
              ]
            })
            assert.isBelow(paid.status, 300)
            const after = recordOf(yield* call("GET", path("invoice", invoice.remote_id)))
            assert.deepInclude(after, { status: "PAID", balance: 0, payments: [uuidOf(recordOf(paid))] })
            assert.isTrue(String(after.modified_at) >= String(invoice.modified_at))
            assertAddsUp(after)
          }
        })
      )
    }
  )
}
