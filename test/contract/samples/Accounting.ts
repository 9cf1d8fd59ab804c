import { Effect } from "effect"
import { type Call, type Doc, listOf, pageOf, recordOf } from "../../../src/testing/contract/Answers.ts"
import { idOf, type Sample, uuidOf } from "./Sample.ts"

/** Bodies that ledgers take alike: each about records of its own, with what it takes besides. */

export const isActive = (record: Doc) => record.status === "ACTIVE"

const path = (provider: string, resource: string, id = "") => `/accounting/${resource}${id}?provider=${provider}`

/** The first record of a list, however long, that a condition holds for. */
const first = (call: Call, provider: string, resource: string, holds: (record: Doc) => boolean) =>
  Effect.gen(function* () {
    let cursor: string | null = ""
    while (cursor !== null) {
      const next: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page = pageOf(yield* call("GET", `${path(provider, resource)}&limit=100${next}`))
      const found = page.data.find(holds)
      if (found !== undefined) return found
      cursor = page.pagination.cursor
    }
    throw new Error(`no sample of ${resource} at ${provider}`)
  })

/** Provider ids of records by what they are for: all accounts of the sandbox begin alike. */
const known = new Map<string, string>()

/** The UUID of a record that serves a purpose: sought in the first account, and got by its id in the others. */
export const serving =
  (provider: string) =>
  (call: Call, purpose: string, resource: string, holds: (record: Doc) => boolean): Effect.Effect<string> =>
    Effect.gen(function* () {
      const name = `${provider} ${purpose}`
      const id = known.get(name)
      const held =
        id === undefined ? undefined : yield* call("GET", path(provider, resource, `/${encodeURIComponent(id)}`))
      const one = held?.status === 200 ? recordOf(held) : undefined
      const record = one !== undefined && holds(one) ? one : yield* first(call, provider, resource, holds)
      known.set(name, idOf(record))
      return uuidOf(record)
    })

/** A sample with what a provider takes besides, and what a full body of its leaves. */
export const own = (base: Sample, kept: ReadonlyArray<string>, more: Doc = {}): Sample => ({
  ...base,
  full: { ...base.full, ...more },
  kept
})

/** Records that documents refer to, by UUID. */
export interface Parties {
  readonly currency: string
  readonly customer: string
  readonly vendor: string
  readonly service: string
  readonly cost: string
  readonly bank: string
}

// ---------------------------------------------------------------------------------------------------------------------
// lists

export const contact = (
  is: { readonly is_customer: boolean; readonly is_supplier: boolean },
  full: Doc,
  text: string
) =>
  ({
    full: {
      ...is,
      name: `Analytical Engines ${is.is_customer ? "C" : "S"}`,
      email_address: "office@engines.example",
      status: "ACTIVE",
      addresses: [
        {
          type: "BILLING",
          street_1: "1 Dorset Street",
          street_2: "Yard\nBack",
          city: "London",
          country_subdivision: "England",
          country: "GB",
          zip_code: "W1U 4EG"
        }
      ],
      ...full
    },
    least: { ...is, name: `Difference Engines ${is.is_customer ? "C" : "S"}` },
    change: {
      email_address: "accounts@engines.example",
      phone_numbers: [{ type: "MOBILE", number: "+44 7700 900301" }]
    },
    kept: ["status", "currency"],
    text
  }) satisfies Sample

export const account = (currency: string, parent_account: string) =>
  ({
    full: {
      name: "Brass and steel",
      description: "Raw material",
      classification: "EXPENSE",
      type: "EXPENSE",
      status: "ACTIVE",
      currency,
      account_number: "7070",
      parent_account
    },
    least: { name: "Brass", type: "EXPENSE" },
    change: { description: "Raw materials", account_number: "7071" },
    kept: [],
    text: "description"
  }) satisfies Sample

export const item = (sales_account: string, purchase_account: string, least: Doc) =>
  ({
    full: {
      name: "Cogwheel",
      code: "COG-1",
      description: "A cogwheel",
      status: "ACTIVE",
      type: "SERVICE",
      unit_price: 12.5,
      purchase_price: 4.25,
      sales_account,
      purchase_account
    },
    least,
    change: { unit_price: 13, description: "A good cogwheel" },
    kept: ["status"],
    text: "description",
    amount: {
      body: (amount: number) => ({ ...least, name: `Amount ${amount}`, unit_price: amount }),
      read: (record: Doc) => record.unit_price
    }
  }) satisfies Sample

export const paymentTerm: Sample = {
  full: { name: "2 in 10, net 45", days_until_due: 45, discount_days: 10, is_active: true },
  least: { name: "Net 45", days_until_due: 45 },
  change: { days_until_due: 44, discount_days: 9 },
  kept: ["is_active"],
  text: "name"
}

// ---------------------------------------------------------------------------------------------------------------------
// documents

const firstLine = (record: Doc) => listOf(record.line_items)[0]?.total_amount

/** `work` is what its second line is booked by. */
export const receivable = ({ currency, customer, service }: Parties, work: Doc): Sample => {
  const head = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
  return {
    full: {
      ...head,
      number: "ENG-1",
      issue_date: "2026-11-02",
      due_date: "2026-12-02",
      memo: "Thank you",
      currency,
      line_items: [
        { item: service, description: "Cogs", quantity: 2, unit_price: 12.5, total_amount: 25 },
        { ...work, description: "Work", quantity: 1, unit_price: 100 }
      ]
    },
    least: { ...head, line_items: [{ item: service, quantity: 1, unit_price: 10 }] },
    change: { memo: "Thank you very much", due_date: "2026-12-12" },
    kept: [],
    text: "memo",
    amount: {
      body: (amount) => ({ ...head, line_items: [{ item: service, quantity: 1, unit_price: amount }] }),
      read: firstLine
    }
  }
}

export const payable = ({ cost, currency, vendor }: Parties, ...lines: ReadonlyArray<Doc>): Sample => {
  const head = { type: "ACCOUNTS_PAYABLE", contact: vendor }
  return {
    full: {
      ...head,
      number: "BILL-1",
      issue_date: "2026-11-03",
      due_date: "2026-12-03",
      memo: "Brass",
      currency,
      line_items: [
        { account: cost, description: "Brass", total_amount: 250.75 },
        { account: cost, description: "Steel", unit_price: 100 },
        ...lines
      ]
    },
    least: { ...head, line_items: [{ account: cost, total_amount: 10 }] },
    change: { memo: "Brass and steel", due_date: "2026-12-13" },
    kept: [],
    text: "memo",
    amount: {
      body: (amount) => ({ ...head, line_items: [{ account: cost, total_amount: amount }] }),
      read: firstLine
    }
  }
}

/** An invoice or a bill of 1000, to be paid. */
const owed = (call: Call, provider: string, type: string, contact: string, line: Doc) =>
  Effect.map(
    call("POST", path(provider, "invoice"), {
      body: { type, contact, line_items: [{ ...line, total_amount: 1000 }] }
    }),
    (answer) => uuidOf(recordOf(answer))
  )

const invoiceOf = (call: Call, provider: string, { customer, service }: Parties) =>
  owed(call, provider, "ACCOUNTS_RECEIVABLE", customer, { item: service })

const billOf = (call: Call, provider: string, { cost, vendor }: Parties) =>
  owed(call, provider, "ACCOUNTS_PAYABLE", vendor, { account: cost })

export const received = (call: Call, provider: string, parties: Parties, payment_method: string) =>
  Effect.map(invoiceOf(call, provider, parties), (invoice): Sample => {
    const least = {
      type: "ACCOUNTS_RECEIVABLE",
      contact: parties.customer,
      transaction_date: "2026-11-04",
      total_amount: 60
    }
    return {
      full: {
        ...least,
        account: parties.bank,
        payment_method,
        memo: "On account",
        currency: parties.currency,
        applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: invoice, applied_amount: 40 }]
      },
      least,
      change: { memo: "On account, thank you", total_amount: 75.5 },
      kept: [],
      text: "memo"
    }
  })

export const paid = (call: Call, provider: string, parties: Parties) =>
  Effect.map(billOf(call, provider, parties), (bill): Sample => {
    const least = {
      type: "ACCOUNTS_PAYABLE",
      contact: parties.vendor,
      account: parties.bank,
      transaction_date: "2026-11-05",
      total_amount: 40,
      applied_to_lines: [{ related_object_type: "INVOICE", related_object_id: bill, applied_amount: 40 }]
    }
    return {
      full: { ...least, memo: "By check", currency: parties.currency },
      least,
      change: { memo: "By check 7" },
      kept: [],
      text: "memo"
    }
  })

/** `needed` is what every entry of the provider has, `party` what one line names. */
export const journalEntry = ({ bank, cost, currency, customer }: Parties, needed: Doc, party: Doc): Sample => {
  const least = {
    ...needed,
    transaction_date: "2026-11-07",
    lines: [
      { account: cost, net_amount: 12.5 },
      { account: bank, net_amount: -12.5 }
    ]
  }
  return {
    full: {
      ...least,
      memo: "Correction",
      journal_number: "J-1",
      posting_status: "POSTED",
      currency,
      lines: [
        { account: cost, net_amount: 20, description: "Brass", contact: customer },
        { account: cost, net_amount: 0.1, ...party },
        { account: bank, net_amount: -20.1, description: "Bank" }
      ]
    },
    least,
    change: { memo: "Corrected", journal_number: "J-2" },
    kept: [],
    text: "memo"
  }
}

/** Paid from an account; `line` is its second line. */
export const expense = ({ cost, currency, vendor }: Parties, account: string, line: Doc): Sample => {
  const least = {
    transaction_date: "2026-11-08",
    account,
    contact: vendor,
    lines: [{ account: cost, net_amount: 9.99 }]
  }
  return {
    full: {
      ...least,
      memo: "Lunch",
      currency,
      lines: [{ account: cost, net_amount: 31.4, description: "Lunch" }, line]
    },
    least,
    change: { memo: "Lunch with Babbage", transaction_date: "2026-11-09" },
    kept: [],
    text: "memo"
  }
}

export const purchaseOrder = ({ cost, currency, customer, service, vendor }: Parties, payment_term: string): Sample => {
  const least = { vendor, line_items: [{ account: cost, total_line_amount: 80 }] }
  return {
    full: {
      ...least,
      status: "AUTHORIZED",
      issue_date: "2026-11-10",
      purchase_order_number: "PO-9",
      delivery_date: "2026-11-30",
      customer,
      payment_term,
      memo: "As agreed",
      currency,
      line_items: [
        { account: cost, total_line_amount: 80 },
        { item: service, description: "Turning", quantity: 2, unit_price: 45.25 }
      ]
    },
    least,
    change: { memo: "As agreed by phone", status: "BILLED" },
    kept: [],
    text: "memo"
  }
}

export const creditNote = (call: Call, provider: string, parties: Parties) =>
  Effect.map(invoiceOf(call, provider, parties), (invoice): Sample => {
    const { currency, customer, service } = parties
    const least = { contact: customer, line_items: [{ item: service, total_line_amount: 30 }] }
    return {
      full: {
        ...least,
        transaction_date: "2026-11-11",
        status: "AUTHORIZED",
        number: "CN-1",
        memo: "Scratched",
        currency,
        line_items: [{ item: service, description: "Cogs", quantity: 3, unit_price: 12.5, total_line_amount: 37.5 }],
        applied_to_lines: [{ invoice, applied_amount: 20 }]
      },
      least,
      change: { memo: "Scratched badly", number: "CN-2" },
      kept: [],
      text: "memo"
    }
  })

export const vendorCredit = (call: Call, provider: string, parties: Parties) =>
  Effect.map(billOf(call, provider, parties), (bill): Sample => {
    const { cost, currency, vendor } = parties
    const least = { transaction_date: "2026-11-12", vendor, lines: [{ account: cost, net_amount: 30 }] }
    return {
      full: {
        ...least,
        number: "VC-1",
        memo: "Returned",
        currency,
        lines: [{ account: cost, net_amount: 45.5, description: "Brass, returned" }],
        applied_to_lines: [{ invoice: bill, applied_amount: 15 }]
      },
      least,
      change: { memo: "Returned on Monday", number: "VC-2" },
      kept: [],
      text: "memo"
    }
  })
