import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { accounting, crm } from "../../src/canonical/Catalogue.ts"
import type { Needs } from "../../src/providers/Needs.ts"
import { violations } from "../../src/records/Rules.ts"

const at = (slug: string, resourceAdapter: Needs = {}) => ({ slug, resourceAdapter })

describe("rules of a full body", () => {
  it("fields that one provider cannot do without", () => {
    const deal = { name: "x" }
    const hubspot = at("hubspot", { needs: ["stage"] })
    assert.deepStrictEqual(violations(crm.deal, hubspot, deal), { stage: "is required by hubspot" })
    assert.deepStrictEqual(
      Object.keys(violations(crm.deal, at("salesforce", { needs: ["stage", "close_date"] }), deal)),
      ["stage", "close_date"]
    )
    assert.deepStrictEqual(violations(crm.deal, at("pipedrive"), deal), {})
    assert.deepStrictEqual(violations(crm.deal, hubspot, { ...deal, stage: "" }), { stage: "is required by hubspot" })
    assert.deepStrictEqual(violations(crm.deal, hubspot, { ...deal, stage: "s" }), {})
  })

  it("a field that every line has to have, and one that depends on another", () => {
    const lines = at("quickbooks", { needs: ["line_items[].item"] })
    const body = { line_items: [{ item: "i" }, { description: "d" }] }
    assert.deepStrictEqual(violations(accounting.credit_note, lines, body), {
      "line_items.1.item": "is required by quickbooks"
    })
    const paid = at("netsuite", {
      rules: [{ rule: "required", fields: ["account"], when: { type: "ACCOUNTS_PAYABLE" } }]
    })
    assert.deepStrictEqual(violations(accounting.payment, paid, { type: "ACCOUNTS_RECEIVABLE" }), {})
    assert.deepStrictEqual(violations(accounting.payment, paid, { type: "ACCOUNTS_PAYABLE" }), {
      account: "is required by netsuite, where type is ACCOUNTS_PAYABLE"
    })
  })

  it("exactly one of two flags", () => {
    const quickbooks = at("quickbooks", { rules: [{ rule: "exactlyOneTrue", fields: ["is_customer", "is_supplier"] }] })
    const of = (is_customer?: boolean | null, is_supplier?: boolean) =>
      Object.keys(violations(accounting.contact, quickbooks, { name: "x", is_customer, is_supplier }))
    assert.deepStrictEqual(of(true), [])
    assert.deepStrictEqual(of(false, true), [])
    assert.deepStrictEqual(of(), ["is_customer"])
    assert.deepStrictEqual(of(true, true), ["is_customer"])
    assert.deepStrictEqual(of(null, false), ["is_customer"])
    assert.deepStrictEqual(violations(accounting.contact, at("xero"), { name: "x" }), {}, "only where it holds")
  })

  it("some values of a field that is given", () => {
    const rule = { rule: "subset", fields: ["status"], values: ["OPEN", "PAID"] } as const
    const of = (status: string | null | undefined) =>
      violations(accounting.invoice, at("xero", { rules: [rule] }), {
        type: "ACCOUNTS_RECEIVABLE",
        contact: "c",
        status
      })
    for (const status of ["OPEN", "PAID", "", null, undefined]) assert.notProperty(of(status), "status", String(status))
    assert.propertyVal(of("VOID"), "status", "must be one of OPEN, PAID")
  })

  it("one of several fields in every line, by the line's path", () => {
    const line_items = [{ item: "i" }, { description: "d" }, { account: "a" }, { item: null, account: "" }]
    const body = { type: "ACCOUNTS_RECEIVABLE", contact: "c", line_items }
    const quickbooks = at("quickbooks", {
      rules: [{ rule: "oneOf", fields: ["line_items[].item", "line_items[].account"] }]
    })
    assert.deepStrictEqual(Object.keys(violations(accounting.invoice, quickbooks, body)), [
      "line_items.1.item",
      "line_items.3.item"
    ])
  })

  it.prop(
    "a journal balances to the last digit, or is refused",
    [fc.array(fc.integer({ min: -1e9, max: 1e9 }))],
    ([cents]) => {
      const amounts = cents.map((amount) => amount / 100)
      const balance = cents.reduce((sum, amount) => sum + amount, 0)
      const entry = accounting.journal_entry
      const rule = entry.rules.find((one) => one.rule === "balanced")
      assert.isDefined(rule)
      const [list = "", name = ""] = (rule?.fields[0] ?? "").split("[].")
      const lines = (last: number) => [...amounts, last].map((amount) => ({ [name]: amount }))
      const told = (last: number) => violations(entry, at("xero"), { [list]: lines(last) })[list]
      assert.isUndefined(told(-balance / 100))
      assert.strictEqual(told(-balance / 100 + 0.01), "must sum to zero")
    }
  )
})
