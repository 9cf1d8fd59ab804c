import { assert, layer } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { parties } from "../../contract/samples/NetSuiteLists.ts"
import {
  type Call,
  type Doc,
  errorsOf,
  listOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { said, strictly } from "../../support/Warnings.ts"

const of = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${encodeURIComponent(String(id))}`}?provider=netsuite`

const uuidOf = (record: Doc) => String(record.id).replace("urn:uuid:", "")

const found = (records: ReadonlyArray<Doc>, holds: (record: Doc) => boolean): Doc =>
  records.find(holds) ?? assert.fail("no such record")

const all = (call: Call, resource: string) => Effect.map(walk(call, of(resource)), ({ records }) => records)

const made = (call: Call, resource: string, body: Doc) =>
  Effect.map(call("POST", of(resource), { body }), (answer) => recordOf(answer))

const isDoc = (value: unknown): value is Doc => typeof value === "object" && value !== null && !Array.isArray(value)

/** The record as NetSuite holds it. */
const nativeOf = (call: Call, resource: string, id: unknown) =>
  Effect.map(call("GET", `${of(resource, id)}&include_remote_data=true`), (answer): Doc => {
    const native = recordOf(answer).remote_data
    return isDoc(native) ? native : assert.fail("no native record")
  })

const sum = (records: ReadonlyArray<Doc>, name: string) =>
  records.reduce((total, record) => total.plus(Number(record[name])), new Decimal(0)).toNumber()

layer(sandboxApplication(), { timeout: "60 seconds" })("NetSuite", (it) => {
  const caller = Effect.map(
    Effect.flatMap(SandboxApplication, (app) => app.caller(["netsuite"])),
    ({ call }) => call
  )

  it.effect("what is no id of NetSuite's never gets into a query or a path", () =>
    Effect.gen(function* () {
      const call = yield* caller
      for (const id of ["1 OR 1=1", "1) OR (1=1", "eid:x", "1/../2", "9".repeat(40), "1e3"]) {
        for (const resource of ["contact", "item", "expense", "general_ledger_transaction", "address"]) {
          const answer = yield* call("GET", of(resource, id))
          assert.deepStrictEqual(refusalOf(answer), [404, `${resource.toUpperCase()}_NOT_FOUND`], `${resource} ${id}`)
        }
      }
    })
  )

  it.effect("an invoice is paid by the payments and credits that are applied to it", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { bank, customer: contact, service: item } = yield* parties(call)
      const invoice = yield* made(call, "invoice", {
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        line_items: [{ item, quantity: 1, unit_price: 100 }]
      })
      assert.deepInclude(invoice, { status: "OPEN", balance: 100, paid_on_date: null, payments: [] })
      const credit = yield* made(call, "credit_note", {
        contact,
        line_items: [{ item, total_line_amount: 30 }],
        applied_to_lines: [{ invoice: uuidOf(invoice), applied_amount: 30 }]
      })
      const partly = recordOf(yield* call("GET", of("invoice", invoice.remote_id)))
      assert.deepInclude(partly, { status: "PARTIALLY_PAID", balance: 70, payments: [], applied_payments: [] })
      assert.deepInclude(listOf(partly.applied_credit_notes)[0], { credit_note: uuidOf(credit), applied_amount: 30 })
      const payment = yield* made(call, "payment", {
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        account: bank,
        transaction_date: "2026-11-19",
        total_amount: 70,
        applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: uuidOf(invoice), applied_amount: 70 }]
      })
      const paid = recordOf(yield* call("GET", of("invoice", invoice.remote_id)))
      assert.deepInclude(paid, { status: "PAID", balance: 0, payments: [uuidOf(payment)] })
      assert.deepInclude(listOf(paid.applied_payments)[0], {
        payment: uuidOf(payment),
        applied_amount: 70,
        applied_date: "2026-11-19"
      })
      assert.isString(paid.paid_on_date)
    })
  )

  it.effect("a payment to a vendor is what it pays of bills, from an account", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { bank, cost: account, vendor: contact } = yield* parties(call)
      const bill = yield* made(call, "invoice", {
        type: "ACCOUNTS_PAYABLE",
        contact,
        line_items: [{ account, total_amount: 90 }]
      })
      const body = {
        type: "ACCOUNTS_PAYABLE",
        contact,
        account: bank,
        transaction_date: "2026-11-19",
        total_amount: 50,
        applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: uuidOf(bill), applied_amount: 40 }]
      }
      assert.property(errorsOf(yield* call("POST", of("payment"), { body })), "total_amount")
      yield* made(call, "payment", { ...body, total_amount: 40 })
      const after = recordOf(yield* call("GET", of("invoice", bill.remote_id)))
      assert.deepInclude(after, { status: "PARTIALLY_PAID", balance: 50 })
    })
  )

  it.effect("lines keep what the model does not hold, also when another line goes", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { cost: account, service: item, vendor: contact } = yield* parties(call)
      const bill = yield* made(call, "invoice", {
        type: "ACCOUNTS_PAYABLE",
        contact,
        line_items: [
          { account, total_amount: 10, integration_params: { custcol_batch: "A1" } },
          { account, total_amount: 20 },
          { item, quantity: 2, unit_price: 5, integration_params: { custcol_batch: "B7" } }
        ]
      })
      const [first, , third] = listOf(bill.line_items)
      const one = of("invoice", bill.remote_id)
      const changed = recordOf(
        yield* call("PATCH", one, {
          body: { line_items: [{ remote_id: first?.remote_id }, { remote_id: third?.remote_id, quantity: 3 }] }
        })
      )
      assert.deepStrictEqual(
        listOf(changed.line_items).map((line) => [line.remote_id, line.quantity, line.total_amount]),
        [
          [first?.remote_id, 1, 10],
          [third?.remote_id, 3, 15]
        ]
      )
      assert.strictEqual(changed.total_amount, 25)
      const lines = listOf((yield* nativeOf(call, "invoice", bill.remote_id)).lines)
      assert.deepStrictEqual(
        lines.map(({ custcol_batch }) => custcol_batch),
        ["A1", "B7"]
      )
    })
  )

  it.effect("an item is for sale, for purchase or both by what is said of it", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { cost } = yield* parties(call)
      const kinds = [
        [{ type: "SERVICE", unit_price: 10 }, "serviceSaleItem"],
        [{ type: "SERVICE", purchase_account: cost }, "servicePurchaseItem"],
        [{ type: "NON_INVENTORY", unit_price: 10, purchase_account: cost }, "nonInventoryResaleItem"]
      ] as const
      for (const [body, recordType] of kinds) {
        const item = yield* made(call, "item", { name: `A ${recordType}`, description: "Words", ...body })
        assert.deepInclude(item, { type: body.type, description: "Words" })
        assert.strictEqual((yield* nativeOf(call, "item", item.remote_id)).recordType, recordType)
        const other = body.type === "SERVICE" ? "NON_INVENTORY" : "SERVICE"
        const refused = yield* call("PATCH", of("item", item.remote_id), { body: { type: other } })
        assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["type"])
      }
      const unknown = { body: { name: "?", type: "UNKNOWN" } }
      assert.property(errorsOf(yield* call("POST", of("item"), { ...unknown, headers: strictly })), "type")
      const other = yield* call("POST", of("item"), unknown)
      assert.deepStrictEqual([recordOf(other).type, said(other)], ["NON_INVENTORY", ["type CHANGED"]])
    })
  )

  it.effect("what others need is made inactive, not deleted", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { customer } = yield* parties(call)
      const contact = found(yield* all(call, "contact"), (one) => uuidOf(one) === customer)
      const used = found(yield* all(call, "invoice"), () => true)
      const busy = found(yield* all(call, "contact"), (one) => uuidOf(one) === used.contact)
      assert.strictEqual((yield* call("DELETE", of("contact", busy.remote_id))).status, 200)
      assert.strictEqual(recordOf(yield* call("GET", of("contact", busy.remote_id))).status, "ARCHIVED")
      assert.strictEqual(contact.status, "ACTIVE")
    })
  )

  it.effect("one address for both uses is one entry of the address book", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { company: own } = yield* parties(call)
      const place = { street_1: "1 Dorset Street", city: "London", country: "GB" }
      const contact = yield* made(call, "contact", {
        name: "Engines",
        is_customer: true,
        is_supplier: false,
        company: own,
        addresses: [
          { type: "BILLING", ...place },
          { type: "SHIPPING", ...place }
        ]
      })
      assert.strictEqual(listOf(contact.addresses).length, 2)
      const bookOf = Effect.map(nativeOf(call, "contact", contact.remote_id), ({ addressBook }) =>
        isDoc(addressBook) ? listOf(addressBook.items) : []
      )
      assert.deepStrictEqual(
        (yield* bookOf).map(({ defaultBilling, defaultShipping }) => [defaultBilling, defaultShipping]),
        [[true, true]]
      )
      const moved = recordOf(
        yield* call("PATCH", of("contact", contact.remote_id), {
          body: {
            addresses: [
              { type: "BILLING", ...place },
              { type: "SHIPPING", ...place, city: "Leeds" }
            ]
          }
        })
      )
      assert.deepStrictEqual(
        listOf(moved.addresses).map(({ city, type }) => [type, city]),
        [
          ["BILLING", "London"],
          ["SHIPPING", "Leeds"]
        ]
      )
      const listed = recordOf(yield* call("GET", of("address", `customer:${String(contact.remote_id)}:shipping`)))
      assert.deepInclude(listed, { city: "Leeds", type: "SHIPPING", contact: uuidOf(contact) })
    })
  )

  it.effect("a record has one class, one department and one location", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { customer: contact, service: item } = yield* parties(call)
      const categories = yield* all(call, "tracking_category")
      const classes = categories.filter(({ category_type }) => category_type === "CLASS").map(uuidOf)
      const department = uuidOf(found(categories, ({ category_type }) => category_type === "DEPARTMENT"))
      const body = { contact, type: "ACCOUNTS_RECEIVABLE", line_items: [{ item, quantity: 1, unit_price: 1 }] }
      const two = { body: { ...body, tracking_categories: classes.slice(0, 2) } }
      const refused = yield* call("POST", of("invoice"), { ...two, headers: strictly })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["tracking_categories.1"])
      const first = yield* call("POST", of("invoice"), two)
      assert.deepStrictEqual(said(first), ["tracking_categories.1 NOT_HELD"])
      assert.deepStrictEqual(recordOf(first).tracking_categories, classes.slice(0, 1))
      const chosen = [classes[0], department]
      const invoice = yield* made(call, "invoice", { ...body, tracking_categories: chosen })
      assert.deepStrictEqual(invoice.tracking_categories, chosen)
    })
  )

  it.effect("lists keep to the second between the times they are asked for", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const invoices = (yield* all(call, "invoice")).toSorted((a, b) =>
        String(a.created_at) < String(b.created_at) ? -1 : 1
      )
      const [from, to] = [String(invoices[10]?.created_at), String(invoices[20]?.created_at)]
      const within = invoices.filter(({ created_at }) => String(created_at) >= from && String(created_at) < to)
      const bounds = `created_after=${encodeURIComponent(from)}&created_before=${encodeURIComponent(to)}`
      const { records } = yield* walk(call, `${of("invoice")}&${bounds}`, 7)
      assert.isAbove(within.length, 0)
      assert.sameMembers(records.map(uuidOf), within.map(uuidOf))
    })
  )

  it.effect("the ledger balances: each transaction, and the balance sheet with the result of the year", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const page = pageOf(yield* call("GET", `${of("general_ledger_transaction")}&limit=60`))
      assert.strictEqual(page.data.length, 60)
      for (const transaction of page.data) {
        const lines = listOf(transaction.general_ledger_transaction_lines)
        assert.strictEqual(sum(lines, "debit_amount"), sum(lines, "credit_amount"), String(transaction.remote_id))
      }
      assert.isAbove(listOf(page.data[0]?.general_ledger_transaction_lines).length, 1)
      const [sheet] = pageOf(yield* call("GET", of("balance_sheet"))).data
      const [statement] = pageOf(yield* call("GET", of("income_statement"))).data
      const equity = listOf(sheet?.equity)
      assert.strictEqual(sheet?.net_assets, sum(equity, "value"))
      assert.strictEqual(found(equity, ({ name }) => name === "Net Income").value, statement?.net_income)
      assert.isAbove(listOf(statement?.income).length, 0)
    })
  )

  it.effect(
    "a cash flow goes from the opening to the closing cash, by what was earned and what accounts hold of it",
    () =>
      Effect.gen(function* () {
        const call = yield* caller
        const bounds = "created_after=2026-02-10&created_before=2026-08-20"
        const [flow] = pageOf(yield* call("GET", `${of("cash_flow_statement")}&${bounds}`)).data
        const [statement] = pageOf(yield* call("GET", `${of("income_statement")}&${bounds}`)).data
        assert.deepInclude(flow, {
          remote_id: "2026-02-10_2026-08-20",
          start_period: "2026-02-10",
          end_period: "2026-08-20",
          currency: statement?.currency,
          company: statement?.company
        })
        const operating = listOf(flow?.operating_activities)
        assert.strictEqual(found(operating, ({ name }) => name === "Net Income").value, statement?.net_income)
        assert.isAbove(operating.length, 2)
        const rows = [...operating, ...listOf(flow?.investing_activities), ...listOf(flow?.financing_activities)]
        const [opening, closing] = [flow?.cash_at_beginning_of_period, flow?.cash_at_end_of_period].map(Number)
        assert.notStrictEqual(opening, closing)
        assert.strictEqual(sum([{ value: opening }, ...rows], "value"), closing)

        // banks hold in the balance sheets what the cash flow says
        const banks = new Set(
          (yield* all(call, "account")).filter(({ account_type }) => account_type === "BANK").map(uuidOf)
        )
        for (const [day, cash] of [
          ["2026-02-09", opening],
          ["2026-08-20", closing]
        ] as const) {
          const [sheet] = pageOf(yield* call("GET", `${of("balance_sheet")}&created_before=${day}`)).data
          const held = listOf(sheet?.assets).filter(({ account }) => banks.has(String(account)))
          assert.strictEqual(sum(held, "value"), cash, day)
        }
        assert.deepInclude(recordOf(yield* call("GET", of("cash_flow_statement", flow?.remote_id))), {
          operating_activities: flow?.operating_activities,
          cash_at_end_of_period: closing
        })
      })
  )

  it.effect("an order ships to a copy of an address, which is a record of its own", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { cost: account, customer, service: item, vendor } = yield* parties(call)
      const addresses = yield* all(call, "address")
      const [first, second] = addresses.filter(({ city, contact }) => city !== null && contact !== customer)
      for (const [resource, name, body] of [
        ["purchase_order", "delivery_address", { vendor, line_items: [{ account, total_line_amount: 1 }] }],
        ["sales_order", "shipping_address", { customer, lines: [{ item, quantity: 1 }] }]
      ] as const) {
        const order = yield* made(call, resource, { ...body, [name]: first?.id })
        const copy = recordOf(yield* call("GET", of("address", `urn:uuid:${String(order[name])}`)))
        assert.deepInclude(copy, { type: "SHIPPING", contact: null, city: first?.city, street_1: first?.street_1 })
        const one = of(resource, order.remote_id)
        const same = recordOf(yield* call("PATCH", one, { body: { [name]: order[name] } }))
        assert.strictEqual(same.modified_at, order.modified_at)
        recordOf(yield* call("PATCH", one, { body: { [name]: second?.id } }))
        const moved = recordOf(yield* call("GET", of("address", copy.remote_id)))
        assert.deepInclude(moved, { id: copy.id, city: second?.city, zip_code: second?.zip_code })
        assert.isNull(recordOf(yield* call("PATCH", one, { body: { [name]: null } }))[name])
        assert.strictEqual((yield* call("GET", of("address", copy.remote_id))).status, 404)
        const refused = yield* call("PATCH", one, { body: { [name]: customer } })
        assert.deepStrictEqual(Object.keys(errorsOf(refused)), [name])
      }
      assert.deepStrictEqual((yield* all(call, "address")).length, addresses.length)
    })
  )

  it.effect("closing an order closes its lines, opening it again opens them", () =>
    Effect.gen(function* () {
      const call = yield* caller
      const { customer, service: item } = yield* parties(call)
      const order = yield* made(call, "sales_order", { customer, lines: [{ item, quantity: 2, unit_price: 5 }] })
      assert.strictEqual(order.status, "OPEN")
      for (const status of ["CLOSED", "OPEN", "PENDING_APPROVAL"]) {
        const answer = recordOf(yield* call("PATCH", of("sales_order", order.remote_id), { body: { status } }))
        assert.deepInclude(answer, { status, total: 10 })
      }
    })
  )
})
