import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { All } from "../../../src/All.ts"
import { booksAt, tenantOf } from "../../../src/providers/xero/simulator/Organisation.ts"
import { regions } from "../../../src/providers/xero/simulator/Regions.ts"
import { simulator } from "../../../src/providers/xero/simulator/XeroSimulator.ts"
import { once } from "../../../src/testing/contract/Once.ts"
import { type Doc, listOf, recordOf, sandboxApplication, walk } from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"
import { organisation, uuidOf } from "./organisation.ts"

/** Organisations of every region of Xero: their taxes, currencies and documents without a rate. */

const cents = (value: unknown) => Math.round(Number(value) * 100)
const sumOf = (entries: ReadonlyArray<Doc>, name: string) => entries.reduce((sum, one) => sum + cents(one[name]), 0)

/** How many records of a resource are also read alone, and how many of them are sent back. */
const some = 12
const few = 4

/** Documents with the names of their lines, the amount of a line, and their own amounts. */
const documents = [
  { resource: "invoice", lines: "line_items", amount: "total_amount" },
  { resource: "expense", lines: "lines", amount: "net_amount" },
  { resource: "credit_note", lines: "line_items", amount: "total_line_amount" },
  { resource: "vendor_credit", lines: "lines", amount: "net_amount" },
  { resource: "purchase_order", lines: "line_items", amount: "total_line_amount" },
  { resource: "transaction", lines: "line_items", amount: "total_line_amount" }
] as const

const writable = ["contact", "account", "item", "tracking_category", "tax_rate", "journal_entry"] as const

for (const [place, region] of regions.entries()) {
  const there = { ...simulator, values: (account: string) => ({ tenantId: tenantOf(booksAt(account, place)) }) }
  const source = { slug: "xero", load: Effect.succeed(there) }

  layer(sandboxApplication({ STRICT_RESPONSES: "1" }, All, [source]), { timeout: "120 seconds" })(
    `a Xero organisation of the version ${region.version}`,
    (it) => {
      // the books of a further organisation take long to make
      const books = once(
        Effect.gen(function* () {
          const own = yield* organisation
          const listed = (resource: string) =>
            Effect.map(walk(own.call, own.path(resource), 100), ({ records }) => records)
          return { ...own, listed }
        })
      )

      it.effect("states its currency, country and taxes", () =>
        Effect.gen(function* () {
          const { listed, own } = yield* books
          assert.deepInclude(own, { currency: region.baseCurrency, name: region.name })
          const rates = yield* listed("tax_rate")
          assert.deepStrictEqual(
            new Set(rates.map(({ remote_id }) => remote_id)),
            new Set<unknown>(region.taxes.map(([type]) => type))
          )
          for (const { country } of rates) assert.strictEqual(country, region.countryCode)
        })
      )

      for (const { amount, lines, resource } of documents) {
        it.effect(`${resource}: amounts add up, listed and read alone`, () =>
          Effect.gen(function* () {
            const { get, listed } = yield* books
            const all = yield* listed(resource)
            const taxes = new Set((yield* listed("tax_rate")).map(uuidOf))
            assert.isAbove(all.length, 0)
            const alone = yield* Effect.forEach(all.slice(0, some), (one) => get(resource, one))
            assert.deepStrictEqual(alone, all.slice(0, some), "a record read alone differs from the list")
            for (const one of all) {
              const about = `${resource} ${String(one.remote_id)}`
              assert.strictEqual(one.exchange_rate === "1.0", one.currency === region.baseCurrency, about)
              assert.isNotNull(one.exchange_rate, about)
              const entries = listOf(one[lines])
              for (const { tax_rate } of entries) {
                if (tax_rate !== null) assert.isTrue(taxes.has(String(tax_rate)), `${about}: ${String(tax_rate)}`)
              }
              if (one.sub_total === undefined) continue
              const tax = one.inclusive_of_tax === true ? cents(one.total_tax_amount) : 0
              assert.strictEqual(sumOf(entries, amount), cents(one.sub_total) + tax, `${about}: lines and sub_total`)
              const off = cents(one.total_discount ?? 0)
              const total = cents(one.sub_total) - off + cents(one.total_tax_amount)
              assert.strictEqual(total, cents(one.total_amount), `${about}: total_amount`)
            }
          })
        )
      }

      it.effect("invoice: payments and credits come to what is not open, and stand on both documents", () =>
        Effect.gen(function* () {
          const { get, listed } = yield* books
          const all = yield* listed("invoice")
          const byId = (list: ReadonlyArray<Doc>) => new Map(list.map((one) => [uuidOf(one), one]))
          const [payments, credits] = [byId(yield* listed("payment")), byId(yield* listed("credit_note"))]
          const transactions = new Map((yield* listed("transaction")).map((one) => [one.remote_id, one]))
          let ahead = 0
          for (const one of all) {
            const about = `invoice ${String(one.remote_id)}`
            const [paid, credited] = [listOf(one.applied_payments), listOf(one.applied_credit_notes)]
            const applied = [...paid, ...credited, ...listOf(one.applied_vendor_credits)]
            if (one.status !== "VOID") {
              const open = cents(one.total_amount) - sumOf(applied, "applied_amount")
              assert.strictEqual(open, cents(one.balance), `${about}: balance`)
            }
            for (const { applied_amount, payment, remote_id } of paid) {
              if (payment === null) {
                const from = transactions.get(remote_id)
                assert.match(String(from?.transaction_type), /PAYMENT$/, about)
                assert.isAtLeast(Number(from?.total_amount), Number(applied_amount))
                ahead += 1
                continue
              }
              const [line] = listOf(payments.get(String(payment))?.applied_to_lines)
              assert.deepInclude(line, { related_object_id: uuidOf(one), applied_amount }, about)
            }
            for (const { applied_amount, applied_date, credit_note } of credited) {
              const other = listOf(credits.get(String(credit_note))?.applied_to_lines)
              assert.isTrue(
                other.some(
                  (line) =>
                    line.invoice === uuidOf(one) &&
                    line.applied_amount === applied_amount &&
                    line.applied_date === applied_date
                ),
                about
              )
            }
          }
          assert.isAtLeast(ahead, 2)
          const settled = all.find(
            ({ applied_payments, status }) =>
              status === "PAID" && listOf(applied_payments).some(({ payment }) => payment === null)
          )
          assert.isDefined(settled)
          assert.deepStrictEqual(yield* get("invoice", settled ?? {}), settled)
        })
      )

      it.effect("PUT of what GET answered changes nothing and warns of nothing", () =>
        Effect.gen(function* () {
          const { call, get, listed, path } = yield* books
          const resources = [...documents.map(({ resource }) => resource), ...writable].filter(
            (one) => one !== "transaction"
          )
          for (const resource of resources) {
            for (const one of (yield* listed(resource)).slice(0, few)) {
              const read = yield* get(resource, one)
              const answer = yield* call("PUT", path(resource, one.remote_id), { body: read })
              const about = `${resource} ${String(one.remote_id)} ${JSON.stringify(answer.body)}`
              assert.strictEqual(answer.status, 200, about)
              assert.deepStrictEqual(said(answer), [], about)
              assert.deepStrictEqual(recordOf(answer), read, about)
            }
          }
        })
      )

      it.effect("invoice: takes a tax of the region, and keeps the quantity 1 that was sent", () =>
        Effect.gen(function* () {
          const { contact, get, listed, make, sales } = yield* books
          const rate = (yield* listed("tax_rate")).find(({ remote_id }) => remote_id === region.usual.sales)
          const line = { description: "Work", account: sales, tax_rate: uuidOf(rate) }
          const made = yield* make("invoice", {
            type: "ACCOUNTS_RECEIVABLE",
            contact,
            status: "OPEN",
            due_date: "2026-12-20",
            line_items: [
              { ...line, quantity: 1, unit_price: 33.3333, total_amount: 33.33 },
              { ...line, quantity: 1, unit_price: 0.1648, total_amount: 0.16 },
              { ...line, quantity: 1, unit_price: 100, integration_params: { DiscountRate: 10 } }
            ]
          })
          const lines = listOf(made.line_items)
          assert.deepStrictEqual(
            lines.map(({ quantity }) => quantity),
            [1, 1, 1]
          )
          assert.deepInclude(made, {
            currency: region.baseCurrency,
            exchange_rate: "1.0",
            total_discount: 10,
            sub_total: 133.49
          })
          assert.strictEqual(
            cents(made.total_tax_amount),
            lines.length === 0 ? 0 : cents(Number(made.total_amount) - 123.49)
          )
          assert.deepStrictEqual(yield* get("invoice", made), made)
        })
      )
    }
  )
}
