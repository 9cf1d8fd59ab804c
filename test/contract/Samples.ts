import { Effect } from "effect"
import type { Call, Doc } from "../support/SandboxApplication.ts"
import { pageOf } from "../support/SandboxApplication.ts"
import type { Row } from "./Table.ts"

/** Bodies for one kind of record. */
export interface Sample {
  /** A create with every field the provider takes. */
  readonly full: Doc
  /** A create with what is needed, no more; as a PUT it clears the rest. */
  readonly least: Doc
  /** Other values for some fields of `full`. */
  readonly change: Doc
  /** Fields of `full` that a PUT without them leaves, because a record is never without them. */
  readonly kept: ReadonlyArray<string>
  /** A text field that holds anything. */
  readonly text: string
  /** A body whose amount is the given one, and how that amount is found in a record. */
  readonly amount?: {
    readonly body: (amount: number) => Doc
    readonly read: (record: Doc) => unknown
  }
}

/** A record of the sample data that a condition holds for. */
const some = (call: Call, path: string, holds: (record: Doc) => boolean = () => true) =>
  Effect.map(call("GET", `${path}&limit=100`), (answer) => {
    const found = pageOf(answer).data.find(holds)
    if (found === undefined) throw new Error(`no sample at ${path}`)
    return found
  })

const idOf = (record: Doc) => String(record.remote_id)
const uuidOf = (record: Doc) => String(record.id).replace("urn:uuid:", "")

const crmContact = (provider: string) => (call: Call) =>
  Effect.gen(function* () {
    const companies = pageOf(yield* call("GET", `/crm/company?provider=${provider}&limit=2`)).data
    const owners = pageOf(yield* call("GET", `/crm/owner?provider=${provider}&limit=2`)).data
    const [account = "", otherAccount = ""] = companies.map(idOf)
    const [owner = "", otherOwner = ""] = owners.map(idOf)
    return {
      full: {
        first_name: "Ada",
        last_name: "Lovelace",
        account,
        owner,
        title: "Analyst",
        addresses: [
          {
            street_1: "12 St James's Square",
            street_2: "Second floor",
            city: "London",
            state: "England",
            postal_code: "SW1Y 4JH",
            country: "United Kingdom"
          }
        ],
        email_addresses: [{ email_address: "ada@engine.example" }],
        phone_numbers: [
          { phone_number: "+44 20 7946 0101", phone_number_type: "WORK" },
          { phone_number: "+44 7700 900102", phone_number_type: "MOBILE" }
        ]
      },
      least: { last_name: "Byron" },
      change: {
        first_name: "Augusta Ada",
        account: otherAccount,
        owner: otherOwner,
        phone_numbers: [{ phone_number: "+44 20 7946 0999", phone_number_type: "WORK" }]
      },
      // a Salesforce record is always someone's
      kept: provider === "salesforce" ? ["owner"] : [],
      text: "title"
    } satisfies Sample
  })

const crmCompany = (provider: string) => (call: Call) =>
  Effect.gen(function* () {
    const owners = pageOf(yield* call("GET", `/crm/owner?provider=${provider}&limit=2`)).data
    const [owner = "", otherOwner = ""] = owners.map(idOf)
    const industry = provider === "hubspot" ? "COMPUTER_SOFTWARE" : "Technology"
    return {
      full: {
        name: "Analytical Engines",
        description: "Makes engines.",
        industry,
        website: "https://engines.example",
        number_of_employees: 12,
        owner,
        addresses: [
          {
            street_1: "1 Dorset Street",
            city: "London",
            postal_code: "W1U 4EG",
            country: "United Kingdom",
            ...(provider === "hubspot" ? {} : { address_type: "BILLING" })
          }
        ],
        phone_numbers: [{ phone_number: "+44 20 7946 0200", phone_number_type: "WORK" }]
      },
      least: { name: "Difference Engines" },
      change: { description: "Makes bigger engines.", number_of_employees: 0, owner: otherOwner },
      kept: provider === "salesforce" ? ["owner"] : [],
      text: "description"
    } satisfies Sample
  })

const crmDeal = (provider: string) => (call: Call) =>
  Effect.gen(function* () {
    const account = idOf(yield* some(call, `/crm/company?provider=${provider}`))
    const contacts = pageOf(yield* call("GET", `/crm/contact?provider=${provider}&limit=2`)).data
    const [contact = "", otherContact = ""] = contacts.map(idOf)
    const owner = idOf(yield* some(call, `/crm/owner?provider=${provider}`))
    const pipeline = yield* some(call, `/crm/pipeline?provider=${provider}`, (one) => one.is_default === true)
    const stages = Array.isArray(pipeline.stages) ? pipeline.stages.map((stage: Doc) => String(stage.remote_id)) : []
    const [stage = "", nextStage = ""] = stages
    const needed = { stage, ...(provider === "salesforce" ? { close_date: "2027-01-31" } : {}) }
    return {
      full: {
        name: "An engine",
        description: "One engine, brass.",
        amount: 17_000.5,
        stage,
        pipeline: idOf(pipeline),
        close_date: "2027-03-31",
        owner,
        account,
        contact
      },
      least: { name: "Some engine", ...needed },
      change: { amount: 18_000, stage: nextStage, contact: otherContact, close_date: "2027-04-30" },
      kept: ["pipeline", ...(provider === "salesforce" ? ["owner"] : [])],
      text: "description",
      amount: {
        body: (amount) => ({ name: "Amount", ...needed, amount }),
        read: (record) => record.amount
      }
    } satisfies Sample
  })

const quickbooks = "provider=quickbooks"

const accountingContact =
  (is: { readonly is_customer: boolean; readonly is_supplier: boolean }, phones: ReadonlyArray<string>) => () =>
    Effect.succeed({
      full: {
        ...is,
        name: `Analytical Engines ${is.is_customer ? "C" : "S"}`,
        email_address: "office@engines.example",
        status: "ACTIVE",
        currency: "USD",
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
        phone_numbers: phones.map((type, i) => ({ type, number: `+44 20 7946 030${i}` }))
      },
      least: { ...is, name: `Difference Engines ${is.is_customer ? "C" : "S"}` },
      change: {
        email_address: "accounts@engines.example",
        phone_numbers: [{ type: "MOBILE", number: "+44 7700 900301" }]
      },
      kept: ["status", "currency"],
      text: "email_address"
    } satisfies Sample)

const accountingAccount = (call: Call) =>
  Effect.gen(function* () {
    const parent = yield* some(
      call,
      `/accounting/account?${quickbooks}`,
      (one) => one.type === "EXPENSE" && one.parent_account === null && one.status === "ACTIVE"
    )
    return {
      full: {
        name: "Brass and steel",
        description: "Raw material",
        classification: "EXPENSE",
        type: "EXPENSE",
        status: "ACTIVE",
        currency: "USD",
        account_number: "7070",
        parent_account: uuidOf(parent),
        remote_type: parent.remote_type
      },
      least: { name: "Brass", type: "EXPENSE" },
      change: { description: "Raw materials", account_number: "7071" },
      kept: ["classification", "status", "currency", "remote_type"],
      text: "description"
    } satisfies Sample
  })

const accountingItem = (call: Call) =>
  Effect.gen(function* () {
    const income = uuidOf(
      yield* some(call, `/accounting/account?${quickbooks}`, (one) => one.type === "INCOME" && one.status === "ACTIVE")
    )
    const cost = uuidOf(
      yield* some(call, `/accounting/account?${quickbooks}`, (one) => one.type === "COST_OF_GOODS_SOLD")
    )
    const least = { name: "Cogwheel, small", type: "SERVICE", sales_account: income }
    return {
      full: {
        name: "Cogwheel",
        code: "COG-1",
        description: "A cogwheel",
        status: "ACTIVE",
        type: "SERVICE",
        unit_price: 12.5,
        purchase_price: 4.25,
        sales_account: income,
        purchase_account: cost
      },
      least,
      change: { unit_price: 13, description: "A good cogwheel" },
      kept: ["status"],
      text: "description",
      amount: {
        body: (amount) => ({ ...least, name: `Amount ${amount}`, unit_price: amount }),
        read: (record) => record.unit_price
      }
    } satisfies Sample
  })

const firstLine = (record: Doc): unknown =>
  Array.isArray(record.line_items) ? (record.line_items[0] as Doc | undefined)?.total_amount : undefined

const receivable = (call: Call) =>
  Effect.gen(function* () {
    const isActive = (one: Doc) => one.status === "ACTIVE"
    const contact = yield* some(
      call,
      `/accounting/contact?${quickbooks}`,
      (one) => one.is_customer === true && isActive(one)
    )
    const item = yield* some(
      call,
      `/accounting/item?${quickbooks}`,
      (one) => isActive(one) && one.type === "SERVICE" && one.sales_account !== null
    )
    const account = yield* some(call, `/accounting/account?${quickbooks}`, (one) => uuidOf(one) === item.sales_account)
    const head = { type: "ACCOUNTS_RECEIVABLE", contact: uuidOf(contact) }
    const least = { ...head, line_items: [{ item: uuidOf(item), quantity: 1, unit_price: 10 }] }
    return {
      full: {
        ...head,
        number: "ENG-1",
        issue_date: "2026-11-02",
        due_date: "2026-12-02",
        memo: "Thank you",
        currency: "USD",
        total_discount: 5,
        line_items: [
          { item: uuidOf(item), description: "Cogs", quantity: 2, unit_price: 12.5, total_amount: 25 },
          { account: uuidOf(account), description: "Work", quantity: 1, unit_price: 100 }
        ]
      },
      least,
      change: { memo: "Thank you very much", due_date: "2026-12-12" },
      kept: ["currency", "issue_date", "due_date"],
      text: "memo",
      amount: {
        body: (amount) => ({ ...head, line_items: [{ item: uuidOf(item), quantity: 1, unit_price: amount }] }),
        read: firstLine
      }
    } satisfies Sample
  })

const payable = (call: Call) =>
  Effect.gen(function* () {
    const contact = yield* supplierOf(call)
    const account = yield* some(
      call,
      `/accounting/account?${quickbooks}`,
      (one) => one.type === "EXPENSE" && one.status === "ACTIVE"
    )
    const head = { type: "ACCOUNTS_PAYABLE", contact: uuidOf(contact) }
    return {
      full: {
        ...head,
        number: "BILL-1",
        issue_date: "2026-11-03",
        due_date: "2026-12-03",
        memo: "Brass",
        currency: "USD",
        line_items: [
          { account: uuidOf(account), description: "Brass", total_amount: 250.75 },
          { account: uuidOf(account), description: "Steel", unit_price: 100 }
        ]
      },
      least: { ...head, line_items: [{ account: uuidOf(account), total_amount: 10 }] },
      change: { memo: "Brass and steel", due_date: "2026-12-13" },
      kept: ["currency", "issue_date", "due_date"],
      text: "memo",
      amount: {
        body: (amount) => ({ ...head, line_items: [{ account: uuidOf(account), total_amount: amount }] }),
        read: firstLine
      }
    } satisfies Sample
  })

/** Suppliers come after the customers of a list. */
const supplierOf = (call: Call) =>
  Effect.gen(function* () {
    let cursor: string | null = ""
    while (cursor !== null) {
      const page = pageOf(
        yield* call(
          "GET",
          `/accounting/contact?${quickbooks}&limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
        )
      )
      const found = page.data.find((one) => one.is_supplier === true && one.status === "ACTIVE")
      if (found !== undefined) return found
      cursor = page.pagination.cursor
    }
    throw new Error("no supplier")
  })

/** By provider and resource, each with the kinds that behave differently. */
const all: {
  readonly [name: string]: { readonly [kind: string]: (call: Call) => Effect.Effect<Sample> }
} = {
  "hubspot crm/contact": { contact: crmContact("hubspot") },
  "hubspot crm/company": { company: crmCompany("hubspot") },
  "hubspot crm/deal": { deal: crmDeal("hubspot") },
  "salesforce crm/contact": { contact: crmContact("salesforce") },
  "salesforce crm/company": { company: crmCompany("salesforce") },
  "salesforce crm/deal": { deal: crmDeal("salesforce") },
  "quickbooks accounting/contact": {
    customer: accountingContact({ is_customer: true, is_supplier: false }, ["MAIN", "FAX"]),
    supplier: accountingContact({ is_customer: false, is_supplier: true }, ["MAIN", "OTHER"])
  },
  "quickbooks accounting/account": { account: accountingAccount },
  "quickbooks accounting/item": { item: accountingItem },
  "quickbooks accounting/invoice": { receivable, payable }
}

/** The kinds of a row, each with its name; a row that can be created must have one. */
export const samplesOf = (rows: ReadonlyArray<Row>) =>
  rows.flatMap((row) => {
    const kinds = all[row.name]
    if (kinds === undefined) throw new Error(`${row.name} can be created and has no sample`)
    return Object.entries(kinds).map(([kind, sample]) => [`${row.name} (${kind})`, row, sample] as const)
  })
