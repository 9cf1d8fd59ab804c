import { Effect } from "effect"
import type { Call } from "../../../src/testing/contract/Answers.ts"
import { account, contact, isActive, item, own, paymentTerm, serving } from "./Accounting.ts"
import { type Sample, type Samples, some, uuidOf } from "./Sample.ts"

const quickbooks = "provider=quickbooks"

const uuid = serving("quickbooks")

const ourContact =
  (is: { readonly is_customer: boolean; readonly is_supplier: boolean }, phones: ReadonlyArray<string>) => () => {
    const base = contact(is, {}, "email_address")
    const phone_numbers = phones.map((type, i) => ({ type, number: `+44 20 7946 030${i}` }))
    return Effect.succeed(own(base, base.kept, { currency: "USD", phone_numbers }))
  }

const ourAccount = (call: Call) =>
  Effect.map(
    some(
      call,
      `/accounting/account?${quickbooks}`,
      (one) => one.type === "EXPENSE" && one.parent_account === null && isActive(one)
    ),
    (parent) => {
      const kept = ["classification", "status", "currency", "remote_type"]
      return own(account("USD", uuidOf(parent)), kept, { remote_type: parent.remote_type })
    }
  )

const ourItem = (call: Call) =>
  Effect.gen(function* () {
    const income = yield* uuid(call, "income", "account", (one) => one.type === "INCOME" && isActive(one))
    const cost = yield* uuid(call, "cost of sales", "account", (one) => one.type === "COST_OF_GOODS_SOLD")
    return item(income, cost, { name: "Cogwheel, small", type: "SERVICE", sales_account: income })
  })

const taxRate = () =>
  Effect.succeed({
    full: {
      name: "Brass tax",
      code: "Brass tax",
      tax_components: [
        { name: "State brass", rate: 6.5, component_type: "SALES" },
        { name: "City brass", rate: 1.125, component_type: "SALES" },
        { name: "Imported brass", rate: 4, component_type: "PURCHASE" }
      ]
    },
    least: { name: "Steel tax", tax_components: [{ name: "State steel", rate: 5 }] },
    change: {},
    kept: [],
    text: "name"
  } satisfies Sample)

const trackingCategory =
  (category_type: "CLASS" | "LOCATION", ...names: readonly [string, string]) =>
  (call: Call) =>
    Effect.gen(function* () {
      const parent = yield* some(
        call,
        `/accounting/tracking_category?${quickbooks}`,
        (one) => one.category_type === category_type && one.status === "ACTIVE"
      )
      return {
        full: { name: names[0], category_type, status: "ACTIVE", parent_category: uuidOf(parent) },
        least: { name: names[1], category_type },
        change: { name: `${names[0]} of old` },
        kept: ["status"],
        text: "name"
      } satisfies Sample
    })

const paymentMethod = () =>
  Effect.succeed({
    full: { name: "Cheque, house bank", method_type: "CHECK", is_active: true },
    least: { name: "Cash desk" },
    change: { name: "Cheque, other bank" },
    kept: ["method_type", "is_active"],
    text: "name"
  } satisfies Sample)

const employee = () =>
  Effect.succeed({
    full: {
      first_name: "Ada",
      last_name: "Lovelace",
      employee_number: "E-1815",
      email_address: "ada@engines.example",
      is_contractor: false,
      status: "ACTIVE"
    },
    least: { last_name: "Babbage" },
    change: { first_name: "Augusta", employee_number: "E-1816" },
    kept: ["is_contractor", "status"],
    text: "employee_number"
  } satisfies Sample)

export const quickBooksLists: Samples = {
  contact: {
    customer: ourContact({ is_customer: true, is_supplier: false }, ["MAIN", "FAX"]),
    supplier: ourContact({ is_customer: false, is_supplier: true }, ["MAIN", "OTHER"])
  },
  account: { account: ourAccount },
  item: { item: ourItem },
  tax_rate: { code: taxRate },
  tracking_category: {
    class: trackingCategory("CLASS", "Engines", "Looms"),
    location: trackingCategory("LOCATION", "Marylebone", "Lambeth")
  },
  payment_method: { method: paymentMethod },
  payment_term: { term: () => Effect.succeed(paymentTerm) },
  employee: { employee }
}
