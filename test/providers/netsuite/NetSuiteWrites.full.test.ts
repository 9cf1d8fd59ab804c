import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Doc,
  errorsOf,
  listOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"

const of = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${encodeURIComponent(String(id))}`}?provider=netsuite`

const uuidOf = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")

layer(sandboxApplication(), { timeout: "60 seconds" })("lenient writes to NetSuite", (it) => {
  const account = Effect.gen(function* () {
    const { call } = yield* (yield* SandboxApplication).caller(["netsuite"])
    const all = (resource: string) => Effect.map(walk(call, of(resource)), ({ records }) => records)
    const create = (resource: string, body: Doc) => call("POST", of(resource), { body })
    const patch = (resource: string, record: Doc, body: Doc) => call("PATCH", of(resource, record.remote_id), { body })
    const contacts = yield* all("contact")
    const accounts = yield* all("account")
    const items = yield* all("item")
    return {
      all,
      call,
      create,
      patch,
      customer: uuidOf(contacts.find(({ is_customer }) => is_customer === true)),
      vendor: uuidOf(contacts.find(({ is_supplier }) => is_supplier === true)),
      employee: uuidOf((yield* all("employee"))[0]),
      item: uuidOf(items.find(({ type }) => type === "SERVICE")),
      cost: uuidOf(accounts.find(({ type }) => type === "EXPENSE")),
      bank: uuidOf(accounts.find(({ account_type }) => account_type === "BANK"))
    }
  })

  it.effect("what a body does not say is the root subsidiary, a customer, a class", () =>
    Effect.gen(function* () {
      const { call, create } = yield* account
      const neither = yield* create("contact", { name: "Neither" })
      assert.deepStrictEqual(said(neither), ["company CHANGED", "is_customer CHANGED"])
      assert.strictEqual(recordOf(neither).is_customer, true)
      assert.isString(recordOf(neither).company)
      const both = yield* create("contact", { name: "Both", is_customer: true, is_supplier: true })
      assert.deepStrictEqual(said(both), ["company CHANGED", "is_supplier CHANGED"])
      const staff = yield* create("employee", { first_name: "Ada", last_name: "King" })
      assert.deepStrictEqual(said(staff), ["company CHANGED"])
      const category = yield* create("tracking_category", { name: "Fairs" })
      assert.deepStrictEqual([recordOf(category).category_type, said(category)], ["CLASS", ["category_type CHANGED"]])
      const strict = yield* call("POST", of("contact"), { body: { name: "Strict" }, headers: strictly })
      assert.deepStrictEqual(Object.keys(errorsOf(strict)).toSorted(), ["company", "is_customer"])
    })
  )

  it.effect("a document that is meant void is not made", () =>
    Effect.gen(function* () {
      const { all, create, customer: contact, item } = yield* account
      const line_items = [{ item, quantity: 1, unit_price: 10 }]
      const invoice = { type: "ACCOUNTS_RECEIVABLE", contact, line_items }
      const before = (yield* all("invoice")).length
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("invoice", { ...invoice, status: "VOID" }))), [
        "status"
      ])
      assert.strictEqual((yield* all("invoice")).length, before)
      const credit = { contact, line_items, status: "VOID" }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* create("credit_note", credit))), ["status"])
      const paid = yield* create("invoice", { ...invoice, status: "PAID" })
      assert.deepStrictEqual([recordOf(paid).status, said(paid)], ["OPEN", ["status STATUS_NOT_REACHED"]])
    })
  )

  it.effect("who money is spent on is one: two are refused, and one that goes for another is said", () =>
    Effect.gen(function* () {
      const { bank, cost, create, employee, patch, vendor } = yield* account
      const body = {
        transaction_date: "2026-11-19",
        account: bank,
        lines: [{ account: cost, net_amount: 30 }]
      }
      const two = yield* create("expense", { ...body, contact: vendor, employee })
      assert.includeMembers(["contact", "employee"], Object.keys(errorsOf(two)))
      const made = recordOf(yield* create("expense", { ...body, contact: vendor }))
      const changed = yield* patch("expense", made, { employee })
      assert.deepStrictEqual(said(changed), ["contact CHANGED"])
      assert.deepInclude(recordOf(changed), { contact: null, employee })
    })
  )

  it.effect("a line posts to the account of its item, and has the currency of its document", () =>
    Effect.gen(function* () {
      const { cost, create, customer: contact, item } = yield* account
      const body = { type: "ACCOUNTS_RECEIVABLE", contact }
      const line = { item, quantity: 1, unit_price: 10 }
      const made = recordOf(yield* create("invoice", { ...body, line_items: [line] }))
      const [held] = listOf(made.line_items)
      assert.strictEqual(held?.currency, made.currency)
      const same = yield* create("invoice", { ...body, line_items: [{ ...line, account: held?.account }] })
      assert.deepStrictEqual(said(same), [])
      const other = yield* create("invoice", { ...body, line_items: [{ ...line, account: cost }] })
      assert.deepStrictEqual(said(other), ["line_items.0.account CHANGED"])
    })
  )

  it.effect("a cost without an item is one amount: what its units come to", () =>
    Effect.gen(function* () {
      const { cost, create, vendor: contact } = yield* account
      const line_items = [{ account: cost, quantity: 3, unit_price: 10 }]
      const made = yield* create("invoice", { type: "ACCOUNTS_PAYABLE", contact, line_items })
      assert.deepStrictEqual(said(made), ["line_items.0.quantity CHANGED", "line_items.0.unit_price CHANGED"])
      assert.strictEqual(listOf(recordOf(made).line_items)[0]?.total_amount, 30)
    })
  )

  it.effect("a tax is one rate: what its components come to", () =>
    Effect.gen(function* () {
      const { create } = yield* account
      const parts = (...rates: ReadonlyArray<number>) => rates.map((rate) => ({ name: `Part ${rate}`, rate }))
      const made = yield* create("tax_rate", { name: "Two", tax_components: parts(5, 2.5) })
      assert.deepInclude(recordOf(made), { total_tax_rate: 7.5 })
      assert.include(said(made).join(), "tax_components")
      const wrong = yield* create("tax_rate", { name: "Wrong", total_tax_rate: 9, tax_components: parts(5) })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["tax_components"])
      const compound = parts(5, 2).map((part) => ({ ...part, is_compound: true }))
      const on = yield* create("tax_rate", { name: "On one another", tax_components: compound })
      assert.deepStrictEqual(Object.keys(errorsOf(on)), ["tax_components"])
      const none = yield* create("tax_rate", { name: "None" })
      assert.deepStrictEqual(Object.keys(errorsOf(none)), ["total_tax_rate"])
    })
  )

  it.effect("an address without a place is not held, and a second one of a use is held without it", () =>
    Effect.gen(function* () {
      const { create } = yield* account
      const place = (type: string, city: string) => ({ type, street_1: "1 Main St", city, country: "US" })
      const addresses = [place("BILLING", "Reno"), { type: "SHIPPING" }, place("BILLING", "Elko")]
      const made = yield* create("contact", { name: "Places", is_customer: true, addresses })
      assert.deepStrictEqual(said(made), ["addresses.1 NOT_HELD", "addresses.2.type NOT_HELD", "company CHANGED"])
      assert.deepStrictEqual(
        listOf(recordOf(made).addresses).map(({ city, type }) => [city, type]),
        [
          ["Reno", "BILLING"],
          ["Elko", null]
        ]
      )
    })
  )

  it.effect("an order has a copy of the address that goods go to", () =>
    Effect.gen(function* () {
      const { all, call, create, patch, customer, item } = yield* account
      const held = (yield* all("address")).find(({ contact }) => contact === customer)
      const made = yield* create("sales_order", {
        customer,
        shipping_address: uuidOf(held),
        lines: [{ item, quantity: 1, unit_price: 10 }]
      })
      assert.deepStrictEqual(said(made), ["shipping_address CHANGED"])
      const copy = recordOf(yield* call("GET", of("address", `urn:uuid:${String(recordOf(made).shipping_address)}`)))
      assert.deepInclude(copy, { street_1: held?.street_1, city: held?.city })
      const cleared = yield* patch("sales_order", recordOf(made), { shipping_address: null })
      const { shipping_address } = recordOf(cleared)
      assert.strictEqual(said(cleared).length, shipping_address === null ? 0 : 1)
    })
  )

  it.effect("an expense is changed, and looked for again where it is not of the kind it was", () =>
    Effect.gen(function* () {
      const { bank, cost, create, patch } = yield* account
      const made = recordOf(
        yield* create("expense", {
          transaction_date: "2026-11-08",
          account: bank,
          lines: [{ account: cost, net_amount: 10 }]
        })
      )
      const notes = yield* NotedRequests
      const writes = (memo: string) =>
        Effect.map(
          notes.during(
            Effect.map(patch("expense", made, { memo }), (answer) =>
              assert.strictEqual(recordOf(answer).memo, memo, JSON.stringify(answer.body))
            )
          ),
          (requests) => requests.map(({ method, path }) => `${method} ${path.split("/").at(-2)}`)
        )
      const changed = ["GET check", "PATCH check", "GET check"]
      assert.deepStrictEqual(yield* writes("Petrol"), changed)
      yield* Effect.flatMap(Faults, (faults) =>
        faults.add({ provider: "netsuite", method: "PATCH", does: { kind: "status", status: 404 } })
      )
      assert.deepStrictEqual(yield* writes("Diesel"), [
        "GET check",
        "PATCH check",
        "POST v1",
        "PATCH check",
        "GET check"
      ])
    })
  )

  it.effect("what another provider calls a type of account says nothing here", () =>
    Effect.gen(function* () {
      const { create, patch } = yield* account
      const made = yield* create("account", {
        name: "Fines",
        type: "EXPENSE",
        account_number: "6999",
        remote_type: "OVERHEADS"
      })
      assert.deepStrictEqual(said(made), ["remote_type NOT_HELD"])
      const changed = yield* patch("account", recordOf(made), { type: "INCOME", description: "Words" })
      assert.deepStrictEqual(said(changed), ["type CHANGED"])
      assert.deepInclude(recordOf(changed), { type: "EXPENSE", description: "Words" })
    })
  )
})
