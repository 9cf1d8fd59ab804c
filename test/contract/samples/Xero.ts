import { Effect } from "effect"
import { type Call, type Doc, recordOf } from "../../../src/testing/contract/Answers.ts"
import { type Sample, type Samples, some, uuidOf } from "./Sample.ts"

const xero = "provider=xero"

const isActive = (one: Doc) => one.status === "ACTIVE"

const accountOf = (call: Call, holds: (one: Doc) => boolean) =>
  Effect.map(
    some(call, `/accounting/account?${xero}`, (one) => isActive(one) && holds(one)),
    uuidOf
  )

const contact = () =>
  Effect.succeed({
    full: {
      name: "Analytical Engines",
      email_address: "office@engines.example",
      tax_number: "GB 123 4567 89",
      status: "ACTIVE",
      currency: "GBP",
      addresses: [
        {
          type: "BILLING",
          street_1: "1 Dorset Street",
          street_2: "Yard\nBack",
          city: "London",
          country_subdivision: "England",
          country: "GB",
          zip_code: "W1U 4EG"
        },
        { type: "SHIPPING", street_1: "2 Dorset Street", city: "London" }
      ],
      phone_numbers: [
        { type: "MAIN", number: "+44 20 7946 0301" },
        { type: "FAX", number: "+44 20 7946 0302" }
      ]
    },
    least: { name: "Difference Engines" },
    change: {
      email_address: "accounts@engines.example",
      phone_numbers: [{ type: "MOBILE", number: "+44 7700 900301" }]
    },
    kept: ["status"],
    text: "tax_number"
  } satisfies Sample)

const account = () =>
  Effect.succeed({
    full: {
      name: "Brass and steel",
      description: "Raw material",
      classification: "EXPENSE",
      type: "EXPENSE",
      status: "ACTIVE",
      account_number: "7070",
      remote_type: "OVERHEADS"
    },
    least: { name: "Brass", type: "EXPENSE", account_number: "7071" },
    change: { description: "Raw materials", account_number: "7072" },
    kept: ["classification", "status", "remote_type"],
    text: "description"
  } satisfies Sample)

const item = (call: Call) =>
  Effect.gen(function* () {
    const sales_account = yield* accountOf(call, (one) => one.type === "INCOME")
    const purchase_account = yield* accountOf(call, (one) => one.type === "COST_OF_GOODS_SOLD")
    const least = { name: "Cogwheel, small" }
    return {
      full: {
        name: "Cogwheel",
        code: "COG-1",
        description: "A cogwheel",
        status: "ACTIVE",
        type: "NON_INVENTORY",
        unit_price: 12.5,
        purchase_price: 4.25,
        sales_account,
        purchase_account
      },
      least,
      change: { unit_price: 13.1234, description: "A good cogwheel" },
      kept: ["code", "status", "type"],
      text: "description",
      amount: {
        body: (amount) => ({ name: `Amount ${amount}`, unit_price: amount }),
        read: (record) => record.unit_price
      }
    } satisfies Sample
  })

const taxRate = () =>
  Effect.succeed({
    full: {
      name: "Brass tax",
      status: "ACTIVE",
      tax_components: [
        { name: "State brass", rate: 6.5, is_compound: false },
        { name: "City brass", rate: 1.125, is_compound: true }
      ]
    },
    least: { name: "Steel tax", tax_components: [{ name: "State steel", rate: 5 }] },
    change: { name: "Brass tax of old" },
    kept: ["status"],
    text: "name"
  } satisfies Sample)

const option = (call: Call) =>
  Effect.gen(function* () {
    const parent_category = uuidOf(
      yield* some(
        call,
        `/accounting/tracking_category?${xero}`,
        (one) => one.parent_category === null && one.status === "ACTIVE"
      )
    )
    return {
      full: { name: "Engines", status: "ACTIVE", parent_category },
      least: { name: "Looms", parent_category },
      change: { name: "Engines of old" },
      kept: ["status"],
      text: "name"
    } satisfies Sample
  })

const firstLine = (record: Doc): unknown =>
  Array.isArray(record.line_items) ? (record.line_items[0] as Doc | undefined)?.total_amount : undefined

const optionsOf = (call: Call) =>
  Effect.map(
    some(call, `/accounting/tracking_category?${xero}`, (one) => one.parent_category !== null && isActive(one)),
    uuidOf
  )

const contactOf = (call: Call) => Effect.map(some(call, `/accounting/contact?${xero}`, isActive), uuidOf)

const receivable = (call: Call) =>
  Effect.gen(function* () {
    const option = yield* optionsOf(call)
    const account = yield* accountOf(call, (one) => one.type === "INCOME")
    const item = uuidOf(yield* some(call, `/accounting/item?${xero}`, (one) => one.sales_account !== null))
    const head = { type: "ACCOUNTS_RECEIVABLE", contact: yield* contactOf(call) }
    const least = { ...head, line_items: [{ description: "Cogs", account, quantity: 1, unit_price: 10 }] }
    return {
      full: {
        ...head,
        number: "ENG-1",
        issue_date: "2026-11-02",
        due_date: "2026-12-02",
        reference: "Thank you",
        status: "SUBMITTED",
        inclusive_of_tax: true,
        line_items: [
          {
            item,
            account,
            description: "Cogs",
            quantity: 2,
            unit_price: 12.5125,
            total_amount: 25.03,
            tracking_categories: [option]
          },
          { account, description: "Work", total_amount: 100 }
        ]
      },
      least,
      change: { reference: "Thank you very much", due_date: "2026-12-12" },
      kept: ["number", "issue_date", "due_date", "status", "inclusive_of_tax"],
      text: "reference",
      amount: {
        body: (amount) => ({
          ...head,
          line_items: [{ description: "Cogs", account, quantity: 1, unit_price: amount }]
        }),
        read: firstLine
      }
    } satisfies Sample
  })

const payable = (call: Call) =>
  Effect.gen(function* () {
    const account = yield* accountOf(call, (one) => one.type === "EXPENSE")
    const head = { type: "ACCOUNTS_PAYABLE", contact: yield* contactOf(call) }
    return {
      full: {
        ...head,
        number: "BILL-1",
        issue_date: "2026-11-03",
        due_date: "2026-12-03",
        status: "DRAFT",
        line_items: [
          { account, description: "Brass", total_amount: 250.75 },
          { account, description: "Steel", unit_price: 100 }
        ]
      },
      least: { ...head, line_items: [{ account, description: "Brass", total_amount: 10 }] },
      change: { number: "BILL-1a", due_date: "2026-12-13" },
      kept: ["issue_date", "due_date", "status"],
      text: "number",
      amount: {
        body: (amount) => ({ ...head, line_items: [{ account, description: "Brass", total_amount: amount }] }),
        read: firstLine
      }
    } satisfies Sample
  })

/** An approved invoice, or a bill, of 1000. */
const owed = (call: Call, type: "ACCOUNTS_RECEIVABLE" | "ACCOUNTS_PAYABLE", contact: string) =>
  Effect.gen(function* () {
    const account = yield* accountOf(call, (one) => one.type === (type === "ACCOUNTS_PAYABLE" ? "EXPENSE" : "INCOME"))
    const body = {
      type,
      contact,
      status: "OPEN",
      issue_date: "2026-11-02",
      due_date: "2026-12-02",
      line_items: [{ description: "Work", account, total_amount: 1000 }]
    }
    return uuidOf(recordOf(yield* call("POST", `/accounting/invoice?${xero}`, { body })))
  })

const isBank = (one: Doc) => one.account_type === "BANK"

const paid = (type: "ACCOUNTS_RECEIVABLE" | "ACCOUNTS_PAYABLE") => (call: Call) =>
  Effect.gen(function* () {
    const contact = yield* contactOf(call)
    const { currency } = yield* some(call, `/accounting/company_info?${xero}`)
    const account = yield* accountOf(call, (one) => isBank(one) && one.currency === currency)
    const invoice = yield* owed(call, type, contact)
    const least = {
      type,
      contact,
      account,
      transaction_date: "2026-11-05",
      total_amount: 40,
      applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: invoice, applied_amount: 40 }]
    }
    return { full: { ...least, reference: "By wire" }, least, change: {}, kept: [], text: "reference" } satisfies Sample
  })

const credit = (call: Call) =>
  Effect.gen(function* () {
    const account = yield* accountOf(call, (one) => one.type === "INCOME")
    const least = {
      contact: yield* contactOf(call),
      line_items: [{ description: "Cogs", account, total_line_amount: 30 }]
    }
    return {
      full: {
        ...least,
        transaction_date: "2026-11-11",
        status: "DRAFT",
        number: "CN-901",
        reference: "Scratched",
        inclusive_of_tax: false,
        line_items: [{ description: "Cogs", account, quantity: 3, unit_price: 12.5, total_line_amount: 37.5 }]
      },
      least,
      change: { reference: "Scratched badly", number: "CN-902" },
      kept: ["transaction_date", "status", "number", "inclusive_of_tax"],
      text: "reference"
    } satisfies Sample
  })

const creditOfVendor = (call: Call) =>
  Effect.gen(function* () {
    const vendor = yield* contactOf(call)
    const account = yield* accountOf(call, (one) => one.type === "EXPENSE")
    const least = {
      transaction_date: "2026-11-12",
      vendor,
      lines: [{ description: "Brass", account, net_amount: 30 }]
    }
    return {
      full: {
        ...least,
        number: "VC-1",
        lines: [{ description: "Brass, returned", account, quantity: 2, unit_price: 22.75, net_amount: 45.5 }]
      },
      least: { ...least, transaction_date: "2026-11-13" },
      change: { number: "VC-2" },
      kept: [],
      text: "number"
    } satisfies Sample
  })

const order = (call: Call) =>
  Effect.gen(function* () {
    const account = yield* accountOf(call, (one) => one.type === "EXPENSE")
    const item = uuidOf(yield* some(call, `/accounting/item?${xero}`, (one) => one.purchase_account !== null))
    const vendor = yield* contactOf(call)
    const least = { vendor, line_items: [{ description: "Brass", account, total_line_amount: 80 }] }
    return {
      full: {
        ...least,
        status: "SUBMITTED",
        issue_date: "2026-11-10",
        purchase_order_number: "PO-901",
        delivery_date: "2026-11-30",
        reference: "As agreed",
        line_items: [
          { item, description: "Turning", account, quantity: 2, unit_price: 45.25 },
          { description: "Brass", account, total_line_amount: 80 }
        ]
      },
      least,
      change: { reference: "As agreed by phone", status: "AUTHORIZED" },
      kept: ["status", "issue_date", "purchase_order_number", "delivery_date"],
      text: "reference"
    } satisfies Sample
  })

const entry = (call: Call) =>
  Effect.gen(function* () {
    const option = yield* optionsOf(call)
    const debit = yield* accountOf(call, (one) => one.type === "EXPENSE")
    const credit = yield* accountOf(call, (one) => one.account_type === "OTHER_CURRENT_LIABILITY")
    const least = {
      transaction_date: "2026-11-07",
      memo: "Correction",
      lines: [
        { account: debit, net_amount: 12.5 },
        { account: credit, net_amount: -12.5 }
      ]
    }
    return {
      full: {
        ...least,
        posting_status: "POSTED",
        lines: [
          { account: debit, net_amount: 20, description: "Brass", tracking_categories: [option] },
          { account: debit, net_amount: 0.1 },
          { account: credit, net_amount: -20.1, description: "Owed" }
        ]
      },
      least,
      change: { memo: "Corrected", transaction_date: "2026-11-08" },
      kept: ["posting_status"],
      text: "memo"
    } satisfies Sample
  })

const directExpense = (call: Call) =>
  Effect.gen(function* () {
    const contact = yield* contactOf(call)
    const cost = yield* accountOf(call, (one) => one.type === "EXPENSE")
    const account = yield* accountOf(call, isBank)
    const least = {
      transaction_date: "2026-11-08",
      account,
      contact,
      lines: [{ description: "Lunch", account: cost, net_amount: 9.99 }]
    }
    return {
      full: {
        ...least,
        reference: "Lunch",
        lines: [
          { account: cost, net_amount: 31.4, description: "Lunch" },
          { account: cost, net_amount: 2.5, description: "Water" }
        ]
      },
      least,
      change: { reference: "Lunch with Babbage", transaction_date: "2026-11-09" },
      kept: [],
      text: "reference"
    } satisfies Sample
  })

const project = (call: Call) =>
  Effect.gen(function* () {
    const contact = yield* contactOf(call)
    return {
      full: { name: "Engine no. 2", contact, is_active: true },
      least: { name: "Engine no. 3", contact },
      change: { name: "Engine no. 2, improved" },
      kept: ["is_active"],
      text: "name"
    } satisfies Sample
  })

export const xeroSamples: Samples = {
  contact: { contact },
  account: { account },
  item: { item },
  invoice: { receivable, payable },
  payment: { received: paid("ACCOUNTS_RECEIVABLE"), paid: paid("ACCOUNTS_PAYABLE") },
  credit_note: { credit },
  vendor_credit: { credit: creditOfVendor },
  purchase_order: { order },
  journal_entry: { entry },
  expense: { expense: directExpense },
  project: { project },
  tax_rate: { rate: taxRate },
  tracking_category: { option }
}
