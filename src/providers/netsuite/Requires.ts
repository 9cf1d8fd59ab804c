import { NotPermitted } from "../ProviderError.ts"
import type { Requirement, ResourceRequirement } from "../Requirement.ts"

/**
 * Requirements of types of records, by the name that an administrator finds it under: a feature that is switched on at Setup >
 * Company > Enable Features, or a permission of the role at Setup > Users/Roles > Manage Roles.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/article_83090456314.html (projects)
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3674551.html (expense reports)
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3740408.html (accounting periods)
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3741163.html (classifications)
 */
const lists: { readonly [type: string]: string } = {
  job: "Projects",
  accountingPeriod: "Accounting Periods",
  classification: "Classes",
  department: "Departments",
  location: "Locations",
  customer: "Customers",
  vendor: "Vendors"
}

/** Types of transactions that no resource has for itself. */
const others: { readonly [type: string]: string } = {
  cashSale: "Cash Sale",
  customerDeposit: "Customer Deposit",
  deposit: "Make Deposits",
  inventoryAdjustment: "Adjust Inventory"
}

const transactions: { readonly [type: string]: string } = {
  invoice: "Invoice",
  vendorBill: "Bills",
  creditMemo: "Credit Memo",
  vendorCredit: "Enter Vendor Credits",
  customerPayment: "Customer Payment",
  vendorPayment: "Pay Bills",
  check: "Check",
  creditCardCharge: "Credit Card",
  expenseReport: "Expense Reports",
  journalEntry: "Make Journal Entry",
  purchaseOrder: "Purchase Orders",
  salesOrder: "Sales Orders",
  itemFulfillment: "Item Fulfillment",
  ...others
}

const modules = { ...lists, ...transactions }

export const requiredTypes = Object.keys(modules)
export const otherTypes = Object.keys(others)

/** Types of transactions that post. */
export const postingTypes = Object.keys(transactions).filter((type) => !type.endsWith("Order"))

/** The requirement of a type of records; undefined where every account and role has it. */
export const moduleOf = (type: string): (Requirement & { readonly kind: "module" }) | undefined => {
  const name = modules[type]
  return name === undefined ? undefined : { kind: "module", name }
}

/** The type of records that a requirement is about. */
export const typeOf = (requirement: Requirement): string | undefined =>
  requirement.kind === "module" ? Object.keys(modules).find((type) => modules[type] === requirement.name) : undefined

/** A permission that is about no type of records. */
const deletedRecords = { table: "deletedrecord", module: { kind: "module", name: "Deleted Records" } } as const

/** The requirement of what queries call by a name. */
export const moduleOfTable = (table: string) =>
  table.toLowerCase() === deletedRecords.table
    ? deletedRecords.module
    : moduleOf(Object.keys(lists).find((type) => type.toLowerCase() === table.toLowerCase()) ?? "")

/** Says that a module is lacking, where it is known which. */
export const without = (module: Requirement | undefined) =>
  new NotPermitted(module === undefined ? {} : { lacks: [module] })

/** The requirements of a resource over some types: without one of several, it has the others. */
export const requiring = (types: ReadonlyArray<string>): ReadonlyArray<ResourceRequirement> =>
  types.flatMap((type) => {
    const module = moduleOf(type)
    return module === undefined ? [] : [types.length === 1 ? module : { ...module, native_types: [type] }]
  })
