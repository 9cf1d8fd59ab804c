import type { Account, Doc } from "../../simulation/Account.ts"
import { partAt, textAt } from "../../simulation/Docs.ts"
import { inLanguage } from "./Languages.ts"

/** A record's name after the names of its parents. */
export const fullName = (account: Account, type: string, member: string, doc: Doc): string => {
  const name = textAt(doc, member) ?? ""
  const parent = textAt(partAt(doc, "parent"), "id")
  const above = parent === undefined ? undefined : account.get(type, parent)
  return above === undefined ? name : `${fullName(account, type, member, above)} : ${name}`
}

/** Name of a person or company. */
export const entityName = (doc: Doc): string =>
  textAt(doc, "companyName") ?? [doc.firstName, doc.lastName].filter((name) => name !== undefined).join(" ")

const entity = (_: Account, doc: Doc) => `${textAt(doc, "entityId") ?? ""} ${entityName(doc)}`.trim()

const nested = (type: string, member: string) => (account: Account, doc: Doc) => fullName(account, type, member, doc)

const labels: { readonly [type: string]: (account: Account, doc: Doc) => string } = {
  customer: entity,
  vendor: entity,
  job: entity,
  employee: (_, doc) => entityName(doc),
  account: (account, doc) =>
    `${textAt(doc, "acctNumber") ?? ""} ${fullName(account, "account", "acctName", doc)}`.trim(),
  subsidiary: nested("subsidiary", "name"),
  classification: nested("classification", "name"),
  department: nested("department", "name"),
  location: nested("location", "name"),
  accountingPeriod: (_, doc) => textAt(doc, "periodName") ?? ""
}

/** The text that references to a record show (`refName`). */
export const labelOf = (account: Account, type: string, doc: Doc): string =>
  labels[type]?.(account, doc) ??
  textAt(doc, "itemId") ??
  textAt(doc, "name") ??
  (doc.tranId === undefined
    ? `#${String(doc.id)}`
    : `${inLanguage(account, titles[type] ?? type)} #${String(doc.tranId)}`)

/** Title of a type of records. */
export const titleOf = (type: string): string =>
  titles[type] ?? type.replace(/^./, (first) => first.toUpperCase()).replace(/(?<=[a-z])(?=[A-Z])/g, " ")

/** Titles of types of transactions. */
export const titles: { readonly [type: string]: string } = {
  invoice: "Invoice",
  creditMemo: "Credit Memo",
  customerPayment: "Payment",
  vendorBill: "Bill",
  vendorCredit: "Bill Credit",
  vendorPayment: "Bill Payment",
  purchaseOrder: "Purchase Order",
  salesOrder: "Sales Order",
  journalEntry: "Journal",
  check: "Check",
  creditCardCharge: "Credit Card",
  expenseReport: "Expense Report",
  itemFulfillment: "Item Fulfillment",
  cashSale: "Cash Sale",
  customerDeposit: "Customer Deposit",
  deposit: "Deposit",
  transfer: "Transfer",
  inventoryAdjustment: "Inventory Adjustment"
}
