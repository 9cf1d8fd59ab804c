import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Doc,
  errorsOf,
  failureOf,
  listOf,
  recordOf,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"
import { amounts, applied, company, share, uuidOf } from "./Company.ts"

/** What real books have besides plain documents. */

const untidy = Effect.gen(function* () {
  const all = yield* company
  const { records } = yield* walk(all.call, all.path("invoice"))
  const invoices = records.filter(({ type }) => type === "ACCOUNTS_RECEIVABLE")
  const find = (holds: (line: Doc) => boolean) => {
    const found = invoices.find((one) => listOf(one.line_items).some(holds))
    if (found === undefined) throw new Error("the sample has no such invoice")
    return found
  }
  const lines = (record: Doc) =>
    Effect.map(all.native("invoice", record), ({ Line }) => listOf(Line).map(({ DetailType }) => DetailType))
  return { ...all, invoices, find, lines }
})

/** An invoice with a bundle of two lines, a line beside it and a discount of 10 percent. */
const bundled = Effect.gen(function* () {
  const all = yield* untidy
  for (const one of all.invoices.slice(-10)) {
    if ((yield* all.lines(one)).includes("GroupLineDetail")) return { ...all, bundle: one }
  }
  return yield* Effect.dieMessage("the sample has no bundle")
})

layer(sandboxApplication(), { timeout: "60 seconds" })("untidy books of QuickBooks Online", (it) => {
  it.effect("members of a bundle are lines, and stay in it", () =>
    Effect.gen(function* () {
      const { bundle, call, item, lines, native, patch, path } = yield* bundled
      const [one, two, beside] = listOf(bundle.line_items)
      assert.strictEqual(listOf(bundle.line_items).length, 3)
      const amount = (line: Doc | undefined) => Number(line?.total_amount)
      assert.strictEqual(bundle.sub_total, amount(one) + amount(two) + amount(beside))
      assert.strictEqual(bundle.total_discount, Number(bundle.sub_total) / 10)

      // a changed line beside it leaves the bundle, and the discount follows
      const changed = recordOf(
        yield* patch("invoice", bundle, { line_items: [one, two, { ...beside, quantity: 1, total_amount: null }] })
      )
      assert.deepStrictEqual(listOf(changed.line_items).slice(0, 2), [one, two])
      assert.isBelow(Number(changed.sub_total), Number(bundle.sub_total))
      assert.strictEqual(changed.total_discount, Number(changed.sub_total) / 10)

      // its own lines are only read
      const dearer = yield* patch("invoice", bundle, {
        line_items: [{ ...one, quantity: 5, total_amount: null }, two, beside]
      })
      assert.include(said(dearer), "line_items.0.quantity CHANGED")
      assert.deepStrictEqual(listOf(recordOf(dearer).line_items)[0], one)

      // a part of it cannot go
      const less = { line_items: [one, beside] }
      const refused = yield* call("PATCH", path("invoice", bundle.remote_id), { body: less, headers: strictly })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["line_items"])
      const kept = yield* patch("invoice", bundle, less)
      assert.deepStrictEqual(said(kept), ["line_items CHANGED"])
      assert.strictEqual(listOf(recordOf(kept).line_items).length, 3)

      // lines in its place replace it
      const replaced = yield* patch("invoice", bundle, { line_items: [{ item, quantity: 1, unit_price: 80 }] })
      assert.deepStrictEqual(said(replaced), [])
      assert.deepInclude(recordOf(replaced), { sub_total: 80, total_discount: 8, total_amount: 72 })
      assert.notInclude(yield* lines(bundle), "GroupLineDetail")
      assert.isUndefined((yield* native("invoice", bundle)).GroupLineDetail)
    })
  )

  it.effect("shipping is a line that can be left out, and a deposit is a payment without a record", () =>
    Effect.gen(function* () {
      const { find, invoices, patch } = yield* untidy
      const shipped = find(({ account, item }) => item === null && account !== null)
      const [goods, shipping] = listOf(shipped.line_items)
      assert.deepInclude(shipping, { item: null, total_amount: 18.5, quantity: 1 })
      assert.strictEqual(shipped.sub_total, Number(goods?.total_amount) + 18.5)
      const cheaper = yield* patch("invoice", shipped, { line_items: [goods, { ...shipping, total_amount: 5 }] })
      assert.deepStrictEqual(said(cheaper), ["line_items.1.total_amount CHANGED"])
      const without = yield* patch("invoice", shipped, { line_items: [goods] })
      assert.deepStrictEqual([said(without), recordOf(without).sub_total], [[], goods?.total_amount])

      const paid = invoices.find(({ applied_payments }) =>
        listOf(applied_payments).some(({ payment }) => payment === null)
      )
      assert.deepStrictEqual(
        listOf(paid?.applied_payments).map(({ applied_amount, payment }) => [applied_amount, payment]),
        [[50, null]]
      )
      assert.deepInclude(paid, { status: "PARTIALLY_PAID", balance: Number(paid?.total_amount) - 50, payments: [] })
    })
  )

  it.effect("a payment of nothing takes from a journal entry, which is the credit", () =>
    Effect.gen(function* () {
      const { call, invoices, path } = yield* untidy
      const set = invoices.find(({ applied_credit_notes }) =>
        listOf(applied_credit_notes).some(({ credit_note }) => credit_note === null)
      )
      assert.deepInclude(set, { status: "PAID", balance: 0, applied_payments: [] })
      assert.deepStrictEqual(amounts(set?.applied_credit_notes), [set?.total_amount])
      const [payment] = Array.isArray(set?.payments) ? set.payments.map(String) : []
      const shown = recordOf(yield* call("GET", path("payment", `urn:uuid:${String(payment)}`)))
      assert.deepStrictEqual(
        listOf(shown.applied_to_lines).map(({ related_object_type: type }) => type),
        ["INVOICE", "JOURNAL_ENTRY"]
      )
    })
  )

  it.effect(
    "the note alone makes nothing void; voiding sets amounts and quantities to 0, and marks the note once",
    () =>
      Effect.gen(function* () {
        const { customer, invoices, item, make, native, patch } = yield* untidy
        const free = invoices.find(({ memo }) => String(memo).startsWith("Voided cheque"))
        assert.deepInclude(free, { status: "PAID", total_amount: 0 })
        const noted = recordOf(yield* patch("invoice", free ?? {}, { memo: "Done for free" }))
        assert.strictEqual(noted.memo, "Done for free")
        const gone = recordOf(yield* patch("invoice", free ?? {}, { status: "VOID" }))
        assert.deepInclude(gone, { status: "VOID", memo: "Voided - Done for free" })
        const [line] = listOf((yield* native("invoice", gone)).Line)
        assert.deepInclude(line, { Amount: 0 })
        assert.deepInclude(line?.SalesItemLineDetail, { Qty: 0 })
        // nothing more happens to it
        assert.deepStrictEqual(said(yield* patch("invoice", gone, { status: "VOID", memo: gone.memo })), [])
        assert.strictEqual(recordOf(yield* patch("invoice", gone, { memo: "Other" })).memo, "Voided - Other")

        const line_items = [{ item, quantity: 2, unit_price: 30 }]
        const sale = { type: "ACCOUNTS_RECEIVABLE", contact: customer, line_items }
        const made = yield* make("invoice", { ...sale, status: "VOID", memo: "Voided - Wrong customer" })
        assert.deepInclude(made, { status: "VOID", memo: "Voided - Wrong customer", total_amount: 0 })
        assert.deepInclude(listOf(made.line_items)[0], { quantity: 0, total_amount: 0 })
      })
  )

  it.effect("sub-customers are contacts, and only projects are projects", () =>
    Effect.gen(function* () {
      const { call, invoices, native, path } = yield* untidy
      const { records: contacts } = yield* walk(call, path("contact"))
      const { records: projects } = yield* walk(call, path("project"))
      const { records: phones } = yield* walk(call, path("address"))
      const natives: Array<Doc> = []
      for (const one of [...contacts.slice(-6), ...projects]) {
        if (one.is_supplier !== true) natives.push(yield* native("contact", one))
      }
      assert.isNotEmpty(phones)
      const jobs = natives.filter(({ Job }) => Job === true)
      const listed = new Set(contacts.map(({ remote_id }) => remote_id))
      for (const { Id, IsProject } of jobs) assert.strictEqual(listed.has(Id), IsProject !== true, String(Id))
      assert.isNotEmpty(projects)
      for (const { remote_id } of projects) assert.isFalse(listed.has(remote_id))
      const sub = contacts.find(({ name }) => name === "Beach house")
      assert.deepInclude(sub, { is_customer: true })
      assert.isTrue(invoices.some(({ contact }) => contact === uuidOf(sub)))
      assert.strictEqual((yield* call("GET", path("project", sub?.remote_id))).status, 404)
    })
  )

  it.effect("a deleted contact says so, and is not deleted twice", () =>
    Effect.gen(function* () {
      const { call, customer, get, path } = yield* untidy
      const at = path("contact", `urn:uuid:${customer}`)
      assert.strictEqual((yield* call("DELETE", at)).status, 200)
      assert.deepInclude(recordOf(yield* call("GET", at)), { status: "ARCHIVED", remote_was_deleted: true })
      assert.strictEqual(failureOf(yield* call("DELETE", at)).statusCode, 404)
      const back = recordOf(yield* call("PATCH", at, { body: { status: "ACTIVE" } }))
      assert.deepInclude(yield* get("contact", back), { status: "ACTIVE", remote_was_deleted: false })
    })
  )

  it.effect("what answers have for Intuit's own use is not sent back", () =>
    Effect.gen(function* () {
      const { bank, call, cost, customer, invoice, make, native, patch, path } = yield* untidy
      const expense = yield* make("expense", {
        account: bank,
        transaction_date: "2026-11-10",
        lines: [{ account: cost, net_amount: 12 }]
      })
      assert.property(yield* native("expense", expense), "PurchaseEx")
      assert.deepStrictEqual(said(yield* patch("expense", expense, { memo: "Lunch" })), [])
      assert.strictEqual((yield* call("PUT", path("expense", expense.remote_id), { body: expense })).status, 200)
      const payment = yield* make("payment", {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer,
        transaction_date: "2026-11-10",
        total_amount: 40,
        applied_to_lines: [applied("INVOICE", yield* invoice(40), 40)]
      })
      assert.property(listOf((yield* native("payment", payment)).Line)[0], "LineEx")
      assert.strictEqual(recordOf(yield* patch("payment", payment, { memo: "By hand" })).memo, "By hand")
    })
  )

  it.effect("a credit note finds its payments, which it does not name", () =>
    Effect.gen(function* () {
      const { customer, get, invoice, item, make, native, patch } = yield* untidy
      const [one, two] = [yield* invoice(50), yield* invoice(60)]
      const credit = yield* make("credit_note", {
        contact: customer,
        line_items: [{ item, total_line_amount: 70 }],
        applied_to_lines: [share(one, 20), share(two, 30)]
      })
      assert.notProperty(yield* native("credit_note", credit), "LinkedTxn")
      const read = yield* get("credit_note", credit)
      assert.deepStrictEqual([amounts(read.applied_to_lines), read.remaining_credit], [[20, 30], 20])
      assert.strictEqual(Array.isArray(read.payments) ? read.payments.length : 0, 2)
      const less = recordOf(yield* patch("credit_note", credit, { applied_to_lines: [share(two, 35)] }))
      assert.deepStrictEqual([amounts(less.applied_to_lines), less.remaining_credit], [[35], 35])
    })
  )

  it.effect("the kind of an account follows from account_type; a kind that cannot be made is said to be one", () =>
    Effect.gen(function* () {
      const { create } = yield* untidy
      const bank = yield* create("account", { name: "Reserve", account_type: "BANK" })
      assert.deepInclude(recordOf(bank), { type: "ASSET", account_type: "BANK", classification: "ASSET" })
      const posting = yield* create("account", { name: "Estimates", account_type: "NON_POSTING" })
      assert.deepStrictEqual(Object.keys(errorsOf(posting)), ["account_type"])
      const held = yield* create("account", { name: "Estimates", type: "INCOME", account_type: "NON_POSTING" })
      assert.deepStrictEqual(said(held), ["account_type NOT_HELD"])
      assert.deepInclude(recordOf(held), { type: "INCOME", account_type: null })
      const none = yield* create("account", { name: "Neither" })
      assert.deepStrictEqual(Object.keys(errorsOf(none)), ["type"])
    })
  )

  it.effect("a payment method that gets another name keeps its type, or says that it is lost", () =>
    Effect.gen(function* () {
      const { make, patch } = yield* untidy
      const card = yield* make("payment_method", { name: "Visa Infinite", method_type: "CREDIT_CARD" })
      const renamed = yield* patch("payment_method", card, { name: "Company plastic" })
      assert.deepStrictEqual([said(renamed), recordOf(renamed).method_type], [[], "CREDIT_CARD"])
      const ach = yield* make("payment_method", { name: "ACH transfer", method_type: "ACH" })
      const other = yield* patch("payment_method", ach, { name: "Wire" })
      assert.deepStrictEqual([said(other), recordOf(other).method_type], [["method_type NOT_HELD"], null])
    })
  )
})
