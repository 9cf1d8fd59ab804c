import type { Account } from "../../simulation/Account.ts"
import { isWithout } from "../../simulation/Features.ts"
import type { Feature } from "../../simulation/Simulator.ts"

// Features an account may lack, by the types of records that go with it. Setup > Company > Enable Features, and the permissions of
// a role: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/chapter_N285102.html

const module = (name: string) => ({ kind: "module", name }) as const

/** Without a feature, there is no such record. */
const features: { readonly [type: string]: string } = {
  job: "Projects",
  expenseReport: "Expense Reports",
  accountingPeriod: "Accounting Periods",
  purchaseOrder: "Purchase Orders",
  salesOrder: "Sales Orders",
  classification: "Classes",
  department: "Departments",
  location: "Locations"
}

/** Without a permission, the role may not see such records. */
const permissions: { readonly [type: string]: string } = {
  customer: "Customers",
  vendor: "Vendors",
  invoice: "Invoice",
  vendorBill: "Bills",
  creditMemo: "Credit Memo",
  vendorCredit: "Enter Vendor Credits",
  customerPayment: "Customer Payment",
  vendorPayment: "Pay Bills",
  check: "Check",
  creditCardCharge: "Credit Card",
  journalEntry: "Make Journal Entry",
  itemFulfillment: "Item Fulfillment",
  cashSale: "Cash Sale",
  customerDeposit: "Customer Deposit",
  deposit: "Make Deposits",
  inventoryAdjustment: "Adjust Inventory"
}

export const withoutFeature = (account: Account, type: string): boolean => {
  const name = features[type]
  return name !== undefined && isWithout(account, module(name))
}

export const withoutPermission = (account: Account, type: string): boolean => {
  const name = permissions[type]
  return name !== undefined && isWithout(account, module(name))
}

/** Columns of queries that come with a feature, by its type of records. */
const columns: { readonly [type: string]: ReadonlyArray<string> } = {
  accountingPeriod: ["transaction.postingperiod"],
  classification: ["transactionline.class"],
  department: ["transactionline.department"],
  location: ["transactionline.location"]
}

/** Tables and columns of queries that an account or its role is without; types of transactions have no tables. */
export const goneFrom = (account: Account): ReadonlyArray<string> => [
  ...Object.keys(features)
    .filter((type) => withoutFeature(account, type))
    .flatMap((type) => [type.toLowerCase(), ...(columns[type] ?? [])]),
  ...Object.keys(permissions)
    .filter((type) => withoutPermission(account, type))
    .map((type) => type.toLowerCase())
]

/** Features that an account can be made without: routes and queries look at the types of records that go with it. */
export const lackable: ReadonlyArray<Feature> = [...Object.values(features), ...Object.values(permissions)].map(module)
