import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { errorsOf, listOf, pageOf, recordOf, sandboxApplication } from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"
import { organisation, uuidOf } from "./organisation.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("lenient writes to Xero", (it) => {
  it.effect("an asset of no kind in particular is a current asset, not a credit card", () =>
    Effect.gen(function* () {
      const { create } = yield* organisation
      const asset = yield* create("account", { name: "Deposits paid", type: "ASSET", account_number: "655" })
      assert.deepInclude(recordOf(asset), { account_type: "OTHER_CURRENT_ASSET", remote_type: "CURRENT" })
      const other = yield* create("account", {
        name: "Fines",
        type: "OTHER_EXPENSE",
        account_type: "OTHER_EXPENSE",
        remote_type: "OthExpense",
        account_number: "656"
      })
      assert.deepStrictEqual(said(other), ["account_type NOT_HELD", "remote_type NOT_HELD", "type CHANGED"])
      assert.strictEqual(recordOf(other).type, "EXPENSE")
      const card = { name: "Card", type: "LIABILITY", account_type: "CREDIT_CARD", account_number: "657" }
      assert.deepStrictEqual(said(yield* create("account", card)), ["type CHANGED"])
      const wrong = yield* create("account", { ...card, account_type: "BANK", type: "EXPENSE" })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["type"])
    })
  )

  it.effect("who is customer and supplier follows from documents", () =>
    Effect.gen(function* () {
      const { create, patch } = yield* organisation
      const made = yield* create("contact", { name: "Looms", is_customer: true, is_supplier: false })
      assert.deepStrictEqual(said(made), ["is_customer NOT_HELD"])
      const refused = yield* patch("contact", recordOf(made), { is_customer: true })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["is_customer"])
    })
  )

  it.effect("a document that is meant void is not made, and a state that is not reached is said", () =>
    Effect.gen(function* () {
      const { call, contact, create, path, sales } = yield* organisation
      const invoice = {
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        line_items: [{ description: "Work", account: sales, total_amount: 10 }]
      }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("invoice", { ...invoice, status: "VOID" }))), [
        "status"
      ])
      const paid = yield* create("invoice", { ...invoice, status: "PAID" })
      assert.deepStrictEqual([recordOf(paid).status, said(paid)], ["OPEN", ["status STATUS_NOT_REACHED"]])
      const strict = yield* call("POST", path("invoice"), { body: { ...invoice, status: "PAID" }, headers: strictly })
      assert.deepStrictEqual(Object.keys(errorsOf(strict)), ["status"])
    })
  )

  it.effect("what cannot be cleared, and what a bill has no place for, is said", () =>
    Effect.gen(function* () {
      const { call, get, owed, path } = yield* organisation
      const bill = yield* owed("ACCOUNTS_PAYABLE", 50)
      const put = yield* call("PUT", path("invoice", bill.remote_id), {
        body: { type: "ACCOUNTS_PAYABLE", contact: bill.contact, line_items: bill.line_items, memo: "Order 7" }
      })
      assert.include(said(put), "due_date CHANGED")
      assert.include(said(put), "memo NOT_HELD")
      assert.strictEqual((yield* get("invoice", bill)).due_date, bill.due_date)
    })
  )

  it.effect("lines have the currency of their document, whose rate in the base currency is 1", () =>
    Effect.gen(function* () {
      const { create, owed, own } = yield* organisation
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10, { exchange_rate: "1.0" })
      assert.deepInclude(listOf(invoice.line_items)[0], { currency: own?.currency, exchange_rate: "1.0" })
      const body = { type: invoice.type, contact: invoice.contact, currency: own?.currency }
      const [line] = listOf(invoice.line_items)
      const rated = yield* create("invoice", { ...body, exchange_rate: "1.25", line_items: [line] })
      assert.deepStrictEqual(said(rated), ["exchange_rate CHANGED"])
      const foreign = yield* create("invoice", { ...body, line_items: [{ ...line, currency: "USD" }] })
      assert.deepStrictEqual(Object.keys(errorsOf(foreign)), ["line_items.0.currency"])
    })
  )

  it.effect("a payment is in the currency of its document", () =>
    Effect.gen(function* () {
      const { bank, contact, create, owed } = yield* organisation
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 40)
      const line = { related_object_type: "INVOICE", related_object_id: uuidOf(invoice), applied_amount: 40 }
      const body = {
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        account: bank,
        transaction_date: "2026-11-10",
        total_amount: 40,
        applied_to_lines: [{ ...line, applied_date: "2026-11-09" }]
      }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("payment", { ...body, currency: "USD" }))), [
        "currency"
      ])
      const made = yield* create("payment", { ...body, currency: invoice.currency })
      assert.deepStrictEqual(said(made), ["applied_to_lines.0.applied_date CHANGED"])
    })
  )

  it.effect("a tax is of one component where only its rate is given", () =>
    Effect.gen(function* () {
      const { create, patch } = yield* organisation
      const made = yield* create("tax_rate", { name: "Cider", code: "C", total_tax_rate: 7.5 })
      assert.deepStrictEqual(said(made), ["code NOT_HELD"])
      assert.deepInclude(listOf(recordOf(made).tax_components)[0], { name: "Cider", rate: 7.5 })
      const changed = recordOf(yield* patch("tax_rate", recordOf(made), { total_tax_rate: 8 }))
      assert.strictEqual(changed.total_tax_rate, 8)
      const wrong = yield* patch("tax_rate", changed, {
        total_tax_rate: 9,
        tax_components: [{ name: "State", rate: 5 }]
      })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["total_tax_rate"])
      assert.property(errorsOf(yield* create("tax_rate", { name: "Perry" })), "total_tax_rate")
    })
  )

  it.effect("reports go back to the first year", () =>
    Effect.gen(function* () {
      const { call, path } = yield* organisation
      for (const resource of ["balance_sheet", "income_statement"]) {
        const answer = yield* call("GET", `${path(resource)}&created_before=0001-01-01`)
        assert.strictEqual(answer.status, 200, `${resource}: ${JSON.stringify(answer.body)}`)
        assert.strictEqual(pageOf(answer).data.length, 1)
      }
    })
  )

  it.effect("an item is what its accounts make it", () =>
    Effect.gen(function* () {
      const { create } = yield* organisation
      const made = yield* create("item", { name: "Fitting", type: "SERVICE", status: "ARCHIVED" })
      assert.deepStrictEqual(said(made), ["status STATUS_NOT_REACHED", "type CHANGED"])
      assert.strictEqual(recordOf(made).type, "NON_INVENTORY")
    })
  )

  it.effect("created_at is not the day of a document, and never later than its last change", () =>
    Effect.gen(function* () {
      const { call, owed, path } = yield* organisation
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10, { issue_date: "2026-11-02" })
      assert.strictEqual(invoice.created_at, "2026-11-20T09:00:00.000Z")
      for (const resource of ["invoice", "contact", "item", "account", "expense", "journal_entry"]) {
        for (const { created_at, id, modified_at } of pageOf(yield* call("GET", path(resource))).data) {
          assert.isAtMost(Date.parse(String(created_at)), Date.parse(String(modified_at)), String(id))
        }
      }
    })
  )
})
