import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Doc,
  errorsOf,
  failureOf,
  listOf,
  recordOf,
  refusalOf,
  sandboxApplication
} from "../../support/SandboxApplication.ts"
import { organisation, uuidOf } from "./organisation.ts"

// Attempts by an accountant who trusts nobody.

layer(sandboxApplication(), { timeout: "60 seconds" })("Xero, hostile use", (it) => {
  const books = Effect.gen(function* () {
    const own = yield* organisation
    const { bank, call, contact, create, patch, path, sales } = own
    const pay = (document: Doc, amount: number, more: Doc = {}) =>
      create("payment", {
        type: document.type,
        contact,
        account: bank,
        transaction_date: "2026-11-10",
        total_amount: amount,
        applied_to_lines: [
          { related_object_type: "INVOICE", related_object_id: uuidOf(document), applied_amount: amount }
        ],
        ...more
      })
    const remove = (resource: string, record: Doc) => call("DELETE", path(resource, record.remote_id))
    const credit = (amount: number, more: Doc = {}) =>
      create("credit_note", {
        contact,
        status: "AUTHORIZED",
        inclusive_of_tax: true,
        line_items: [{ description: "Cogs", account: sales, total_line_amount: amount }],
        ...more
      })
    const applied = (...lines: ReadonlyArray<readonly [invoice: Doc, amount: number]>) => ({
      applied_to_lines: lines.map(([invoice, applied_amount]) => ({ invoice: uuidOf(invoice), applied_amount }))
    })
    const apply = (note: Doc, ...lines: ReadonlyArray<readonly [invoice: Doc, amount: number]>) =>
      patch("credit_note", note, applied(...lines))
    return { ...own, pay, remove, credit, applied, apply }
  })

  it.effect("more than is owed is not paid, however often and at once it is tried", () =>
    Effect.gen(function* () {
      const { bank, get, owed, pay, remove, sales } = yield* books
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 100)
      for (const amount of [100.01, 0, 1e15]) {
        assert.deepStrictEqual(Object.keys(errorsOf(yield* pay(invoice, amount))), ["total_amount"], String(amount))
      }
      const tries = yield* Effect.all(
        Array.from({ length: 5 }, () => pay(invoice, 60)),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(
        tries.map(({ status }) => status),
        [201, 422, 422, 422, 422]
      )
      assert.strictEqual((yield* get("invoice", invoice)).balance, 40)
      assert.deepStrictEqual(Object.keys(errorsOf(yield* pay(invoice, 1, { account: sales }))), ["account"])
      const draft = yield* owed("ACCOUNTS_RECEIVABLE", 100, { status: "DRAFT" })
      assert.deepStrictEqual(Object.keys(errorsOf(yield* pay(draft, 1))), ["applied_to_lines"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* pay(draft, 1, { account: bank, type: "ACCOUNTS_PAYABLE" }))), [
        "type"
      ])
      yield* remove("invoice", draft)
      assert.deepStrictEqual(Object.keys(errorsOf(yield* pay(draft, 1))), ["applied_to_lines"])
      const [payment] = tries.flatMap((one) => (one.status === 201 ? [recordOf(one)] : []))
      assert.strictEqual((yield* remove("payment", payment ?? {})).status, 200)
      assert.deepStrictEqual(refusalOf(yield* remove("payment", payment ?? {})), [404, "PAYMENT_NOT_FOUND"])
      assert.strictEqual((yield* get("invoice", invoice)).balance, 100)
    })
  )

  it.effect("what is paid is neither made void, nor deleted, nor changed in its amounts; its notes are", () =>
    Effect.gen(function* () {
      const { get, owed, patch, pay, remove, sales } = yield* books
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 100)
      recordOf(yield* pay(invoice, 100))
      const paid = yield* get("invoice", invoice)
      const lines = [{ description: "Work", account: sales, total_amount: 5 }]
      for (const refused of [
        yield* patch("invoice", invoice, { status: "VOID" }),
        yield* remove("invoice", invoice),
        yield* patch("invoice", invoice, { line_items: lines })
      ]) {
        assert.strictEqual(refused.status, 422)
        assert.match(failureOf(refused).provider?.message ?? "", /has a payment or credit note allocated/)
      }
      const noted = recordOf(yield* patch("invoice", invoice, { reference: "Paid in cash" }))
      assert.deepStrictEqual(noted, { ...paid, reference: "Paid in cash" })
    })
  )

  it.effect("a credit is applied once, whoever applies it at the same time", () =>
    Effect.gen(function* () {
      const { apply, credit, get, owed } = yield* books
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 100)
      const note = recordOf(yield* credit(30))
      const tries = yield* Effect.all(
        Array.from({ length: 4 }, () => apply(note, [invoice, 20])),
        { concurrency: "unbounded" }
      )
      assert.isTrue(tries.some(({ status }) => status === 200))
      assert.isTrue(tries.every(({ status }) => [200, 409, 422].includes(status)))
      const after = yield* get("credit_note", note)
      assert.deepStrictEqual(
        listOf(after.applied_to_lines).map((one) => one.applied_amount),
        [20]
      )
      assert.deepStrictEqual([after.remaining_credit, (yield* get("invoice", invoice)).balance], [10, 80])
    })
  )

  it.effect("an application that is refused leaves those that were there", () =>
    Effect.gen(function* () {
      const { applied, apply, credit, get, make, owed } = yield* books
      const [first, second] = [yield* owed("ACCOUNTS_RECEIVABLE", 100), yield* owed("ACCOUNTS_RECEIVABLE", 8)]
      const bill = yield* owed("ACCOUNTS_PAYABLE", 100)
      const note = recordOf(yield* credit(30, applied([first, 20])))
      const held = (record: Doc) =>
        listOf(record.applied_to_lines).map((one) => [one.invoice, one.applied_amount, one.applied_date])
      const before = held(note)
      const refused: ReadonlyArray<ReadonlyArray<readonly [invoice: Doc, amount: number]>> = [
        [[first, 30.01]],
        [
          [first, 5],
          [second, 9]
        ],
        [
          [second, 8],
          [bill, 5]
        ]
      ]
      for (const lines of refused) {
        const answer = yield* apply(note, ...lines)
        assert.deepStrictEqual(Object.keys(errorsOf(answer)), ["applied_to_lines"])
        assert.notProperty(failureOf(answer).provider ?? {}, "done")
        assert.deepStrictEqual(held(yield* get("credit_note", note)), before)
      }
      assert.deepStrictEqual([(yield* get("invoice", first)).balance, (yield* get("invoice", second)).balance], [80, 8])
      const more = recordOf(yield* apply(note, [first, 22], [second, 8]))
      assert.deepStrictEqual([more.remaining_credit, more.status], [0, "PAID"])
      // a new credit stays where what it was for is refused, and the answer says so
      const other = uuidOf(yield* make("contact", { name: "Difference Engines" }))
      const lost = yield* credit(5, { contact: other, ...applied([first, 5]) })
      assert.deepStrictEqual(Object.keys(errorsOf(lost)), ["applied_to_lines"])
      assert.deepStrictEqual(failureOf(lost).provider?.done, ["record"])
    })
  )

  it.effect("what is archived is out of use, and what uses it stays", () =>
    Effect.gen(function* () {
      const { call, create, get, make, owed, path, remove, sales } = yield* books
      const contact = yield* make("contact", { name: "Difference Engines" })
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 10, { contact: uuidOf(contact) })
      yield* remove("contact", contact)
      assert.strictEqual((yield* get("contact", contact)).status, "ARCHIVED")
      assert.strictEqual((yield* get("invoice", invoice)).contact, uuidOf(contact))
      const lines = (account: string) => [{ description: "Work", account, total_amount: 5 }]
      const sale = (contact: string, account: string) =>
        create("invoice", { type: "ACCOUNTS_RECEIVABLE", contact, line_items: lines(account) })
      assert.deepStrictEqual(Object.keys(errorsOf(yield* sale(uuidOf(contact), sales))), ["contact"])
      assert.strictEqual((yield* create("contact", { name: "Difference Engines" })).status, 201)
      const again = yield* create("contact", { name: "Difference Engines" })
      assert.deepStrictEqual(refusalOf(again), [409, "CONFLICT"])

      const account = yield* make("account", { name: "Looms", type: "INCOME", account_number: "9001" })
      const other = uuidOf(yield* make("contact", { name: "Tide tables" }))
      recordOf(yield* sale(other, uuidOf(account)))
      const used = recordOf(
        yield* create("invoice", {
          type: "ACCOUNTS_RECEIVABLE",
          contact: other,
          status: "OPEN",
          line_items: lines(uuidOf(account))
        })
      )
      assert.strictEqual((yield* remove("account", account)).status, 200)
      assert.strictEqual((yield* get("account", account)).status, "INACTIVE")
      assert.deepStrictEqual(Object.keys(errorsOf(yield* sale(other, uuidOf(account)))), ["line_items"])
      assert.strictEqual(listOf((yield* get("invoice", used)).line_items)[0]?.account, uuidOf(account))
      const system = yield* call("GET", `${path("account")}&limit=100`)
      assert.strictEqual(system.status, 200)
    })
  )

  it.effect("what Xero says of lines is said of the lines", () =>
    Effect.gen(function* () {
      const { bank, contact, create, owed, patch, sales } = yield* books
      const refused = (line: Doc, more: Doc = {}) =>
        Effect.map(
          create("invoice", {
            type: "ACCOUNTS_RECEIVABLE",
            contact,
            line_items: [{ description: "Work", ...line }],
            ...more
          }),
          (answer) => Object.keys(errorsOf(answer))
        )
      assert.deepStrictEqual(yield* refused({ account: bank, total_amount: 5 }, { status: "OPEN" }), ["line_items"])
      assert.deepStrictEqual(yield* refused({ total_amount: 5 }, { status: "PAID" }), ["line_items"])
      const wrong = { account: sales, quantity: 2, unit_price: 3, total_amount: 7 }
      assert.deepStrictEqual(yield* refused(wrong), ["line_items.0.total_amount"])
      assert.deepStrictEqual(yield* refused({ account: sales, total_amount: -5 }), ["line_items"])
      const made = yield* owed("ACCOUNTS_RECEIVABLE", 10, { status: "DRAFT" })
      const [held] = listOf(made.line_items)
      // the price it has, beside an amount that it does not come to
      const apart = [{ remote_id: held?.remote_id, unit_price: 10, total_amount: 30 }]
      assert.deepStrictEqual(Object.keys(errorsOf(yield* patch("invoice", made, { line_items: apart }))), [
        "line_items"
      ])
      assert.deepStrictEqual(yield* refused({ account: sales, total_amount: 5 }, { reference: "x".repeat(300) }), [
        "reference"
      ])
    })
  )

  it.effect("changes made at the same time to different fields are all kept", () =>
    Effect.gen(function* () {
      const { get, owed, patch } = yield* books
      const invoice = yield* owed("ACCOUNTS_RECEIVABLE", 100, { status: "DRAFT" })
      const [line] = listOf(invoice.line_items)
      yield* Effect.all(
        [
          patch("invoice", invoice, { line_items: [{ remote_id: line?.remote_id, description: "Weaving" }] }),
          patch("invoice", invoice, { reference: "Order 7" }),
          patch("invoice", invoice, { due_date: "2026-12-24" })
        ],
        { concurrency: "unbounded" }
      )
      const after = yield* get("invoice", invoice)
      assert.deepInclude(after, { reference: "Order 7", due_date: "2026-12-24", total_amount: 100 })
      assert.strictEqual(listOf(after.line_items)[0]?.description, "Weaving")
    })
  )
})
