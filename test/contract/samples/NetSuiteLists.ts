import { Effect } from "effect"
import { type Call, type Doc, pageOf, recordOf } from "../../../src/testing/contract/Answers.ts"
import { account, contact, isActive, item, own, paymentTerm, serving } from "./Accounting.ts"
import { type Sample, type Samples, uuidOf } from "./Sample.ts"

export const path = (resource: string) => `/accounting/${resource}?provider=netsuite`

const find = serving("netsuite")

/** The UUID of a record that serves a purpose. */
export const uuid = (call: Call, purpose: string, resource: string, holds: (record: Doc) => boolean = () => true) =>
  find(call, purpose, resource, holds)

/** Parties, items and accounts of the subsidiary most records belong to, which documents need. */
export const parties = (call: Call) =>
  Effect.gen(function* () {
    const [info] = pageOf(yield* call("GET", path("company_info"))).data
    const company = uuidOf(info ?? {})
    const currency = String(info?.currency)
    const isOurs = (record: Doc) => isActive(record) && record.company === company && record.currency === currency
    return {
      company,
      currency,
      customer: yield* uuid(call, "customer", "contact", (one) => one.is_customer === true && isOurs(one)),
      vendor: yield* uuid(call, "vendor", "contact", (one) => one.is_supplier === true && isOurs(one)),
      service: yield* uuid(call, "service", "item", (one) => one.type === "SERVICE" && isActive(one)),
      cost: yield* uuid(call, "cost", "account", (one) => one.type === "EXPENSE" && isActive(one)),
      bank: yield* uuid(call, "bank", "account", (one) => one.account_type === "BANK" && one.currency === currency)
    }
  })

const ourContact = (is: { readonly is_customer: boolean; readonly is_supplier: boolean }) => (call: Call) =>
  Effect.map(parties(call), ({ company, currency }) => {
    const base = contact(is, {}, "name")
    const shipping = { type: "SHIPPING", street_1: "2 Dorset Street", city: "London", country: "GB" }
    const full = {
      tax_number: "GB 123 4567 89",
      currency,
      company,
      addresses: [...base.full.addresses, shipping],
      phone_numbers: [
        { type: "MAIN", number: "+44 20 7946 0300" },
        { type: "FAX", number: "+44 20 7946 0301" }
      ]
    }
    return { ...own(base, base.kept, full), least: { ...base.least, company } }
  })

const ourAccount = (call: Call) =>
  Effect.map(parties(call), ({ company, cost, currency }) => {
    const kept = ["classification", "status", "currency", "company", "remote_type"]
    return own(account(currency, cost), kept, { company, remote_type: "Expense" })
  })

const ourItem = (call: Call) =>
  Effect.gen(function* () {
    const { company, cost } = yield* parties(call)
    const income = yield* uuid(call, "income", "account", (one) => one.type === "INCOME" && isActive(one))
    const kept = ["status", "company", "sales_account", "purchase_account"]
    return own(item(income, cost, { name: "Cogwheel, small", type: "SERVICE" }), kept, { company })
  })

const category = (category_type: string) => (call: Call) =>
  Effect.gen(function* () {
    const { company } = yield* parties(call)
    const parent = uuidOf(
      recordOf(
        yield* call("POST", path("tracking_category"), { body: { name: `Works ${category_type}`, category_type } })
      )
    )
    return {
      full: { name: "Mill", category_type, status: "ACTIVE", parent_category: parent, company },
      least: { name: "Mill 2", category_type },
      change: { name: "Mill and store", status: "ARCHIVED" },
      kept: ["status", "company"],
      text: "name"
    } satisfies Sample
  })

const method = () =>
  Effect.succeed({
    full: { name: "Cheque by post", method_type: "CHECK", is_active: true },
    least: { name: "By post" },
    change: { name: "Cheque", is_active: false },
    kept: ["is_active"],
    text: "name"
  } satisfies Sample)

const tax = (call: Call) =>
  Effect.gen(function* () {
    const { company } = yield* parties(call)
    return {
      full: {
        name: "Brass tax",
        code: "Brass",
        description: "On brass",
        status: "ACTIVE",
        country: "US",
        total_tax_rate: 7.25,
        company
      },
      least: { name: "Steel tax", total_tax_rate: 3 },
      change: { code: "Brass+", description: "On brass and bronze" },
      kept: ["status", "company"],
      text: "description"
    } satisfies Sample
  })

const period = () =>
  Effect.succeed({
    full: { name: "Jan 2041", status: "ACTIVE", start_date: "2041-01-01", end_date: "2041-01-31" },
    least: { name: "Feb 2041", start_date: "2041-02-01", end_date: "2041-02-28" },
    change: { name: "First month of 2041" },
    kept: ["status"],
    text: "name"
  } satisfies Sample)

const employee = (call: Call) =>
  Effect.gen(function* () {
    const { company } = yield* parties(call)
    return {
      full: {
        first_name: "Ada",
        last_name: "Lovelace",
        employee_number: "E-1815",
        email_address: "ada@engines.example",
        company,
        status: "ACTIVE"
      },
      least: { first_name: "Augusta", last_name: "King", company },
      change: { last_name: "Byron", email_address: "ada.byron@engines.example" },
      kept: ["status"],
      text: "last_name"
    } satisfies Sample
  })

const project = (call: Call) =>
  Effect.gen(function* () {
    const { company, customer } = yield* parties(call)
    return {
      full: { name: "Difference Engine 2", is_active: true, company, contact: customer },
      least: { name: "Difference Engine 3" },
      change: { name: "Difference Engine No. 2" },
      kept: ["is_active", "company"],
      text: "name"
    } satisfies Sample
  })

export const netSuiteLists: Samples = {
  contact: {
    customer: ourContact({ is_customer: true, is_supplier: false }),
    vendor: ourContact({ is_customer: false, is_supplier: true })
  },
  account: { account: ourAccount },
  item: { item: ourItem },
  tax_rate: { tax },
  tracking_category: {
    class: category("CLASS"),
    department: category("DEPARTMENT"),
    location: category("LOCATION")
  },
  accounting_period: { period },
  payment_method: { method },
  payment_term: { term: () => Effect.succeed(paymentTerm) },
  employee: { employee },
  project: { project }
}
