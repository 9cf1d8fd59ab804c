import { assert, describe, it } from "@effect/vitest"
import { accounting } from "../../src/canonical/Catalogue.ts"
import { contradictions, dependsOnHeldAmounts, movedTotals, mustKeepTotals } from "../../src/records/AmountRules.ts"

const { credit_note: creditNote, expense, invoice, journal_entry: journalEntry, payment } = accounting

const line = (quantity: number, unit_price: number, total_amount: number) => ({ quantity, unit_price, total_amount })
const paths = (errors: object) => Object.keys(errors)

describe("amounts of one body", () => {
  it("subtracts credits that a payment uses, and lets a refund pay out a credit", () => {
    const applied = (total_amount: number, ...lines: ReadonlyArray<readonly [string, number]>) =>
      paths(
        contradictions(
          payment,
          {
            total_amount,
            applied_to_lines: lines.map(([related_object_type, applied_amount]) => ({
              related_object_type,
              applied_amount
            }))
          },
          undefined
        )
      )
    assert.deepStrictEqual(applied(40, ["INVOICE", 60], ["CREDIT_NOTE", 20]), [])
    assert.deepStrictEqual(applied(0, ["INVOICE", 60], ["JOURNAL_ENTRY", 60]), [])
    assert.deepStrictEqual(applied(-20, ["VENDOR_CREDIT", 20]), [])
    assert.deepStrictEqual(applied(40, ["INVOICE", 60]), ["applied_to_lines"])
    assert.deepStrictEqual(applied(-20, ["VENDOR_CREDIT", 30]), ["applied_to_lines"])
  })

  it("refuses a line amount other than quantity times price, naming both numbers", () => {
    const errors = contradictions(invoice, { line_items: [line(1, 10, 10), line(2, 50, 77)] }, undefined)
    assert.deepStrictEqual(paths(errors), ["line_items.1.total_amount"])
    assert.include(errors["line_items.1.total_amount"], "is 77")
    assert.include(errors["line_items.1.total_amount"], "is 100")
  })

  it("accepts a difference of one minor unit of the currency", () => {
    const of = (currency: string | undefined, one: object) =>
      paths(contradictions(invoice, { currency, line_items: [one] }, undefined))
    assert.deepStrictEqual(of("EUR", line(3, 33.33, 100)), [])
    assert.deepStrictEqual(of("EUR", line(3, 33.32, 100)), ["line_items.0.total_amount"])
    assert.deepStrictEqual(of("KWD", line(1, 1.234, 1.234)), [])
    assert.deepStrictEqual(of("KWD", line(1, 1.234, 1.23)), ["line_items.0.total_amount"])
    assert.deepStrictEqual(of("JPY", line(3, 33.4, 100)), [])
    assert.deepStrictEqual(of("JPY", line(3, 33.4, 102)), ["line_items.0.total_amount"])
    assert.deepStrictEqual(of(undefined, line(3, 33.33, 100)), [])
  })

  it("takes line amounts that are reduced by the discount of the document", () => {
    const lines = [line(1, 100, 90), line(2, 10, 20)]
    assert.deepStrictEqual(contradictions(invoice, { total_discount: 10, line_items: lines }, undefined), {})
    assert.deepStrictEqual(paths(contradictions(invoice, { total_discount: 5, line_items: lines }, undefined)), [
      "line_items.0.total_amount"
    ])
  })

  it("accepts the amounts that the record already holds", () => {
    const held = {
      line_items: [{ remote_id: "1", ...line(2, 50, 77) }],
      sub_total: 1,
      total_tax_amount: 1,
      total_amount: 5
    }
    assert.deepStrictEqual(contradictions(invoice, held, held), {})
    const changed = { line_items: [{ remote_id: "1", ...line(3, 50, 77) }] }
    assert.deepStrictEqual(paths(contradictions(invoice, changed, held)), ["line_items.0.total_amount"])
  })

  it("leaves out net amounts where prices contain tax", () => {
    const lines = [{ quantity: 1, unit_price: 115, net_amount: 100 }]
    assert.deepStrictEqual(contradictions(expense, { inclusive_of_tax: true, lines }, undefined), {})
    assert.deepStrictEqual(paths(contradictions(expense, { lines }, undefined)), ["lines.0.net_amount"])
  })

  it("compares the total with sub-total, tax and discount", () => {
    const of = (body: object) => paths(contradictions(invoice, { ...body }, undefined))
    const parts = { sub_total: 100, total_tax_amount: 20 }
    assert.deepStrictEqual(of({ ...parts, total_amount: 120 }), [])
    assert.deepStrictEqual(of({ ...parts, total_amount: 123 }), ["total_amount"])
    assert.deepStrictEqual(of({ ...parts, total_discount: 10, total_amount: 110 }), [])
    assert.deepStrictEqual(of({ total_amount: 123, sub_total: 100 }), [], "without tax nothing is known")
  })

  it("refuses to apply more than a payment or a credit", () => {
    const applied_to_lines = [{ applied_amount: 60 }, { applied_amount: 50 }]
    const errors = contradictions(payment, { total_amount: 100, applied_to_lines }, undefined)
    assert.deepStrictEqual(errors, {
      applied_to_lines: "applies 110, but total_amount is 100. Apply no more than that."
    })
    assert.deepStrictEqual(contradictions(payment, { total_amount: 110, applied_to_lines }, undefined), {})
    assert.deepStrictEqual(
      paths(contradictions(payment, { total_amount: 90 }, { total_amount: 110, applied_to_lines })),
      ["applied_to_lines"]
    )
    const settled = { total_amount: 0, applied_to_lines: [{ applied_amount: 60 }] }
    assert.deepStrictEqual(contradictions(payment, settled, settled), {}, "as the record has it")
    assert.deepStrictEqual(paths(contradictions(creditNote, { applied_to_lines }, { total_amount: 100 })), [
      "applied_to_lines"
    ])
  })

  it("refuses a line in another currency than the document", () => {
    const lines = [{ currency: "USD" }, { currency: "EUR" }]
    assert.deepStrictEqual(paths(contradictions(journalEntry, { currency: "USD", lines }, undefined)), [
      "lines.1.currency"
    ])
    assert.deepStrictEqual(paths(contradictions(journalEntry, { lines }, undefined)), ["lines.1.currency"])
    assert.deepStrictEqual(paths(contradictions(journalEntry, { lines }, { currency: "EUR" })), ["lines.0.currency"])
  })
})

describe("totals after a write that names no amounts", () => {
  it("are compared only where the body names no amounts", () => {
    assert.isTrue(mustKeepTotals(invoice, { memo: "x", due_date: "2026-01-31", contact: "c" }))
    for (const body of [{ line_items: [] }, { total_discount: 1 }, { status: "VOID" }, { currency: "EUR" }])
      assert.isFalse(mustKeepTotals(invoice, body), JSON.stringify(body))
    assert.isFalse(mustKeepTotals(accounting.contact, { name: "x" }), "a record without totals")
  })

  it("need the record, as does a payment of which only one side changes", () => {
    assert.isFalse(dependsOnHeldAmounts(invoice, { memo: "x" }))
    assert.isTrue(dependsOnHeldAmounts(payment, { total_amount: 1 }))
    assert.isFalse(dependsOnHeldAmounts(payment, { total_amount: 1, applied_to_lines: [] }))
    assert.isFalse(dependsOnHeldAmounts(payment, { memo: "x" }))
  })

  it("are named in a warning with both values if they moved", () => {
    const before = { sub_total: 100, total_tax_amount: 20, total_amount: 120 }
    const moved = movedTotals(invoice, "xero", before, { ...before, total_tax_amount: 23, total_amount: 123 })
    assert.deepStrictEqual(
      moved.map(({ code, field }) => `${field} ${code}`),
      ["total_amount CHANGED", "total_tax_amount CHANGED"]
    )
    assert.include(moved[0]?.message, "was 120 and is now 123")
    assert.deepStrictEqual(movedTotals(invoice, "xero", before, { ...before, total_amount: null }), [])
  })
})
