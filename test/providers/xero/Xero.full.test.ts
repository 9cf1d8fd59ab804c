import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Doc,
  errorsOf,
  listOf,
  pageOf,
  recordOf,
  refusalOf,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"
import { organisation, uuidOf } from "./organisation.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("Xero", (it) => {
  it.effect("an invoice goes its way: draft, open, partly paid, paid, and back", () =>
    Effect.gen(function* () {
      const { bank, call, contact, get, make, owed, patch, path } = yield* organisation
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 100, { status: "DRAFT" })
      assert.strictEqual(invoice.status, "DRAFT")
      const open = recordOf(yield* patch("invoice", invoice, { status: "OPEN" }))
      assert.deepStrictEqual([open.status, open.balance, open.total_amount], ["OPEN", 100, 100])
      const pay = (total_amount: number) =>
        make("payment", {
          type: "ACCOUNTS_RECEIVABLE",
          contact,
          account: bank,
          transaction_date: "2026-11-10",
          total_amount,
          applied_to_lines: [
            { related_object_type: "INVOICE", related_object_id: uuidOf(invoice), applied_amount: total_amount }
          ]
        })
      const first = yield* pay(40)
      const partly = yield* get("invoice", invoice)
      assert.deepStrictEqual([partly.status, partly.balance, partly.payments], ["PARTIALLY_PAID", 60, [uuidOf(first)]])
      const rest = yield* pay(60)
      const paid = yield* get("invoice", invoice)
      assert.deepStrictEqual([paid.status, paid.balance, paid.paid_on_date], ["PAID", 0, "2026-11-10"])
      // what only payments bring about stays as they left it
      for (const status of ["PARTIALLY_PAID", "OPEN", "DRAFT"]) {
        assert.deepStrictEqual(Object.keys(errorsOf(yield* patch("invoice", paid, { status }))), ["status"])
        const kept = yield* patch("invoice", paid, { status, reference: status })
        assert.deepStrictEqual(said(kept), ["status STATUS_NOT_REACHED"])
        assert.deepInclude(recordOf(kept), { status: "PAID", reference: status })
      }
      assert.strictEqual(recordOf(yield* patch("invoice", paid, { status: "PAID" })).status, "PAID")
      for (const payment of [first, rest]) yield* call("DELETE", path("payment", payment.remote_id))
      assert.strictEqual((yield* get("invoice", invoice)).status, "OPEN")
      const gone = recordOf(yield* patch("invoice", invoice, { status: "VOID" }))
      assert.deepStrictEqual([gone.status, gone.remote_was_deleted], ["VOID", false])
    })
  )

  it.effect("what contradicts the document that a payment settles is refused, and nothing is paid", () =>
    Effect.gen(function* () {
      const { bank, contact, create, get, make, owed } = yield* organisation
      const invoice = yield* owed("ACCOUNTS_PAYABLE", 50)
      const body = (more: Doc) => ({
        type: "ACCOUNTS_PAYABLE",
        contact,
        account: bank,
        transaction_date: "2026-11-10",
        total_amount: 50,
        applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: uuidOf(invoice), applied_amount: 50 }],
        ...more
      })
      const other = uuidOf(yield* make("contact", { name: "Difference Engines" }))
      const refused = (more: Doc) =>
        Effect.map(create("payment", body(more)), (answer) => Object.keys(errorsOf(answer)))
      assert.deepStrictEqual(yield* refused({ type: "ACCOUNTS_RECEIVABLE" }), ["type"])
      assert.deepStrictEqual(yield* refused({ contact: other }), ["contact"])
      assert.deepStrictEqual(yield* refused({ total_amount: 49 }), ["applied_to_lines"])
      assert.strictEqual((yield* get("invoice", invoice)).balance, 50)
    })
  )

  it.effect("a changed line is reckoned again; the others, and their ids, stay", () =>
    Effect.gen(function* () {
      const { cost, get, make, contact, patch } = yield* organisation
      const bill = yield* make("invoice", {
        type: "ACCOUNTS_PAYABLE",
        contact,
        line_items: [
          { description: "Brass", account: cost, quantity: 2, unit_price: 10 },
          { description: "Steel", account: cost, total_amount: 7 }
        ]
      })
      const [brass, steel] = listOf(bill.line_items)
      assert.deepStrictEqual([brass?.total_amount, steel?.quantity, steel?.unit_price], [20, 1, 7])
      yield* patch("invoice", bill, { line_items: [{ remote_id: brass?.remote_id, quantity: 3 }, steel] })
      const [more, same] = listOf((yield* get("invoice", bill)).line_items)
      assert.deepStrictEqual([more?.remote_id, more?.total_amount, more?.unit_price], [brass?.remote_id, 30, 10])
      assert.deepStrictEqual(same, steel)
      yield* patch("invoice", bill, { line_items: [{ remote_id: brass?.remote_id, total_amount: 36 }] })
      const [only, ...none] = listOf((yield* get("invoice", bill)).line_items)
      assert.deepStrictEqual([only?.quantity, only?.unit_price, only?.total_amount, none], [3, 12, 36, []])
    })
  )

  it.effect("credits are set against documents, freed and made void", () =>
    Effect.gen(function* () {
      const { call, contact, cost, get, make, owed, patch, path, sales } = yield* organisation
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 100)
      const note = yield* make("credit_note", {
        contact,
        status: "AUTHORIZED",
        inclusive_of_tax: true,
        line_items: [{ description: "Cogs", account: sales, total_line_amount: 30 }],
        applied_to_lines: [{ invoice: uuidOf(invoice), applied_amount: 20, applied_date: "2026-11-12" }]
      })
      assert.strictEqual(note.remaining_credit, 10)
      const [applied] = listOf((yield* get("invoice", invoice)).applied_credit_notes)
      assert.deepStrictEqual([applied?.credit_note, applied?.applied_amount], [uuidOf(note), 20])
      const less = recordOf(
        yield* patch("credit_note", note, { applied_to_lines: [{ invoice: uuidOf(invoice), applied_amount: 5 }] })
      )
      assert.deepStrictEqual(
        listOf(less.applied_to_lines).map((one) => [one.invoice, one.applied_amount, one.applied_date]),
        [[uuidOf(invoice), 5, "2026-11-20"]]
      )
      assert.strictEqual((yield* call("DELETE", path("credit_note", note.remote_id))).status, 200)
      assert.strictEqual((yield* get("credit_note", note)).status, "VOID")
      assert.strictEqual((yield* get("invoice", invoice)).balance, 100)

      const bill = yield* owed("ACCOUNTS_PAYABLE", 100)
      const credit = yield* make("vendor_credit", {
        vendor: contact,
        transaction_date: "2026-11-12",
        inclusive_of_tax: true,
        lines: [{ description: "Brass", account: cost, net_amount: 15 }],
        applied_to_lines: [{ invoice: uuidOf(bill), applied_amount: 15 }]
      })
      const [back] = listOf((yield* get("invoice", bill)).applied_vendor_credits)
      assert.deepStrictEqual([back?.vendor_credit, back?.applied_amount], [uuidOf(credit), 15])
      yield* call("DELETE", path("vendor_credit", credit.remote_id))
      const gone = yield* call("GET", path("vendor_credit", credit.remote_id))
      assert.deepStrictEqual(refusalOf(gone), [404, "VENDOR_CREDIT_NOT_FOUND"])
    })
  )

  it.effect("an account is archived once it was used, and its state is written apart", () =>
    Effect.gen(function* () {
      const { call, get, make, owed, patch, path } = yield* organisation
      const account = yield* make("account", { name: "Looms", type: "INCOME", account_number: "9001" })
      const line = { description: "Work", account: uuidOf(account), total_amount: 10 }
      yield* owed("ACCOUNTS_RECEIVABLE", 10, { line_items: [line] })
      const both = recordOf(yield* patch("account", account, { name: "Old looms", status: "INACTIVE" }))
      assert.deepStrictEqual([both.name, both.status], ["Old looms", "INACTIVE"])
      yield* patch("account", account, { status: "ACTIVE" })
      assert.strictEqual((yield* call("DELETE", path("account", account.remote_id))).status, 200)
      assert.strictEqual((yield* get("account", account)).status, "INACTIVE")
      const unused = yield* make("account", { name: "Shuttles", type: "INCOME", account_number: "9002" })
      yield* call("DELETE", path("account", unused.remote_id))
      const gone = yield* call("GET", path("account", unused.remote_id))
      assert.deepStrictEqual(refusalOf(gone), [404, "ACCOUNT_NOT_FOUND"])
    })
  )

  it.effect("a category without a parent is a tracking category, one with it an option of it", () =>
    Effect.gen(function* () {
      const { call, create, make, patch, path } = yield* organisation
      const { records } = yield* walk(call, path("tracking_category"))
      const parent = records.find((one) => one.parent_category === null)
      const option = yield* make("tracking_category", { name: "Lambeth", parent_category: uuidOf(parent) })
      assert.strictEqual(option.parent_category, uuidOf(parent))
      const moved = yield* patch("tracking_category", option, { parent_category: uuidOf(option) })
      assert.deepStrictEqual(Object.keys(errorsOf(moved)), ["parent_category"])
      // two are active already
      const third = yield* create("tracking_category", { name: "A third", parent_category: null })
      assert.strictEqual(third.status, 422)
      assert.match(JSON.stringify(third.body), /maximum number of active tracking categories/)
    })
  )

  it.effect("the balance sheet balances, and the year's profit is in both reports", () =>
    Effect.gen(function* () {
      const { call, path } = yield* organisation
      const [sheet] = pageOf(yield* call("GET", `${path("balance_sheet")}&created_before=2026-10-31`)).data
      const sum = (rows: unknown) =>
        listOf(rows).reduce((total, { value }) => total + Math.round(Number(value) * 100), 0)
      assert.isAbove(sum(sheet?.assets), 0)
      assert.strictEqual(sum(sheet?.assets) - sum(sheet?.liabilities), sum(sheet?.equity))
      assert.strictEqual(Math.round(Number(sheet?.net_assets) * 100), sum(sheet?.equity))
      // what an account holds today is what it stands in the balance sheet with
      const [today] = pageOf(yield* call("GET", `${path("balance_sheet")}&created_before=2026-11-20`)).data
      const { records: accounts } = yield* walk(call, path("account"))
      const held = new Map(accounts.map((one) => [one.remote_id, one.current_balance]))
      const rows = [today?.assets, today?.liabilities, today?.equity]
        .flatMap(listOf)
        .flatMap((section) => listOf(section.sub_items))
        .filter(({ remote_id }) => typeof held.get(remote_id) === "number")
      assert.isAbove(rows.length, 10)
      for (const row of rows) assert.strictEqual(held.get(row.remote_id), row.value, String(row.name))
      const foreign = accounts.filter((one) => one.current_balance === null)
      assert.deepStrictEqual(
        foreign.map((one) => one.currency),
        ["USD"]
      )
      const bounds = "created_after=2026-06-01&created_before=2026-06-30"
      const [income] = pageOf(yield* call("GET", `${path("income_statement")}&${bounds}`)).data
      assert.strictEqual(income?.remote_id, "2026-06-01_2026-06-30")
      const cents = (value: unknown) => Math.round(Number(value) * 100)
      assert.isAbove(sum(income?.income), 0)
      assert.strictEqual(cents(income?.gross_profit), sum(income?.income) - sum(income?.cost_of_sales))
      assert.strictEqual(
        cents(income?.net_income),
        cents(income?.gross_profit) - sum(income?.operating_expenses) - sum(income?.non_operating_expenses)
      )
    })
  )

  it.effect("who reads on from where he stopped misses nothing and gets nothing twice", () =>
    Effect.gen(function* () {
      const { call, owed, patch, path } = yield* organisation
      // entered today, for a day to come, and for one long past
      const late = yield* owed("ACCOUNTS_RECEIVABLE", 10, { issue_date: "2027-03-01", due_date: "2027-04-01" })
      const early = yield* owed("ACCOUNTS_PAYABLE", 10, { issue_date: "2025-12-15" })
      const contact = pageOf(yield* call("GET", `${path("contact")}&limit=1`)).data[0] ?? {}
      yield* patch("contact", contact, { email_address: "new@engines.example" })
      const ends = ["2026-03-01", "2026-09-15T12:00:00Z", "2026-11-20"]
      for (const by of ["created", "modified"]) {
        for (const resource of ["invoice", "contact", "purchase_order", "transaction", "account"]) {
          const within = (bounds: string) =>
            Effect.map(walk(call, path(resource) + bounds), ({ records }) =>
              records.map((one) => String(one.remote_id))
            )
          const windows = yield* Effect.forEach([...ends.keys(), ends.length], (i) =>
            within(
              (i === 0 ? "" : `&${by}_after=${ends[i - 1]}`) + (i === ends.length ? "" : `&${by}_before=${ends[i]}`)
            )
          )
          assert.sameMembers(windows.flat(), yield* within(""), `${resource} ${by}`)
          const last = windows.at(-1) ?? []
          if (resource === "invoice")
            assert.includeMembers(last, by === "modified" ? [late.remote_id, early.remote_id] : [late.remote_id])
          if (resource === "contact" && by === "modified") assert.includeMembers(last, [contact.remote_id])
          // the accounts are as old as the organisation
          if (resource !== "account") assert.isAbove(windows.filter((one) => one.length > 0).length, 1, resource)
        }
      }
    })
  )

  it.effect("does what the catalogue says that Xero can do, and no more", () =>
    Effect.gen(function* () {
      const { call } = yield* organisation
      const { resources } = recordOf(yield* call("GET", "/providers/xero"))
      const operations = Object.fromEntries(
        listOf(resources).map((one) => [String(one.resource), Array.isArray(one.operations) ? one.operations : []])
      )
      const read = ["list", "get"]
      const every = [...read, "create", "replace", "patch", "remove"]
      const all = (names: ReadonlyArray<string>, each: ReadonlyArray<string>) =>
        Object.fromEntries(names.map((name) => [name, each]))
      const written = ["account", "contact", "credit_note", "expense", "invoice", "item", "journal_entry"]
      const reports = ["balance_sheet", "cash_flow_statement", "income_statement"]
      const lists = [
        "accounting_period",
        "payment_term",
        "address",
        "company_info",
        "general_ledger_transaction",
        "phone_number",
        "transaction"
      ]
      assert.deepStrictEqual(operations, {
        ...all([...written, "purchase_order", "tax_rate", "tracking_category", "vendor_credit"], every),
        ...all([...reports, ...lists, "bank_feed_account", "bank_feed_transaction"], read),
        attachment: [...every, "download"],
        payment: [...read, "create", "remove"],
        project: [...read, "create", "replace", "patch"]
      })
    })
  )

  it.effect("every journal balances", () =>
    Effect.gen(function* () {
      const { call, path } = yield* organisation
      const { data } = pageOf(yield* call("GET", `${path("general_ledger_transaction")}&limit=100`))
      assert.strictEqual(data.length, 100)
      for (const journal of data) {
        const lines = listOf(journal.general_ledger_transaction_lines)
        const sum = (name: string) => lines.reduce((total, line) => total + Math.round(Number(line[name]) * 100), 0)
        assert.strictEqual(sum("debit_amount"), sum("credit_amount"))
      }
    })
  )
})
