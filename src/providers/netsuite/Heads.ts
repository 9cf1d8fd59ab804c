import { currency, currencyJoin, days, type Filters, stamps } from "./Conditions.ts"
import { type Columns, day, instant, number, ref, type Select, stateName, text, to, typed } from "./Select.ts"
import type { Listing } from "./RecordType.ts"

/**
 * Transactions as queries tell them. Subsidiary, department, class and location stand on a transaction's main line, on which
 * also its own account is; only what the primary book has counts.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158618434012.html
 */

/** Types of entities as queries call them. */
export const entityTypes = new Map([
  ["CustJob", "customer"],
  ["Customer", "customer"],
  ["Vendor", "vendor"],
  ["Employee", "employee"],
  ["Job", "job"]
])

/** Where `entity` does not say its type, it has an id for each kind. */
export const kindOfEntity = `CASE WHEN e.project IS NOT NULL THEN 'Job' WHEN e.vendor IS NOT NULL THEN 'Vendor' WHEN e.employee IS NOT NULL THEN 'Employee' WHEN e.customer IS NOT NULL THEN 'CustJob' END`

/** The type of an entity that is joined as `e`. */
export const entityType = typed(entityTypes, "e.type", kindOfEntity)

/** Types of transactions that others name, as queries call them. */
export const transactionTypes = new Map([
  ["CustInvc", "invoice"],
  ["VendBill", "vendorBill"],
  ["Journal", "journalEntry"],
  ["ExpRept", "expenseReport"],
  ["SalesOrd", "salesOrder"],
  ["PurchOrd", "purchaseOrder"]
])

/** Columns of every transaction. */
export const transactionColumns: Columns = {
  id: text("t.id"),
  tranId: text("t.tranid"),
  memo: text("t.memo"),
  otherRefNum: text("t.otherrefnum"),
  tranDate: day("t.trandate"),
  createdDate: instant("t.createddate"),
  lastModifiedDate: instant("t.lastmodifieddate"),
  currency: ref("t.currency"),
  exchangeRate: number("t.exchangerate"),
  postingPeriod: ref("t.postingperiod"),
  // signs differ between types; an account of one currency has no foreign amounts
  total: number("ABS(t.foreigntotal)", "ABS(t.total)"),
  "status.id": text("t.status"),
  "status.refName": stateName("t.status"),
  approvalStatus: ref("t.approvalstatus")
}

/** Columns of the main line. */
export const mainColumns: Columns = {
  subsidiary: ref("m.subsidiary"),
  class: ref("m.class"),
  department: ref("m.department"),
  location: ref("m.location")
}

export const dueColumns: Columns = { dueDate: day("t.duedate"), terms: ref("t.terms") }

/** Joins that heads of transactions may need. */
export const mainJoins = [
  {
    alias: "m",
    sql: "INNER JOIN transactionline m ON m.transaction = t.id AND m.mainline = 'T'",
    isNeeded: true
  },
  {
    alias: "a",
    sql: "LEFT JOIN transactionaccountingline a ON a.transaction = m.transaction AND a.transactionline = m.id AND a.accountingbook = :book"
  },
  { alias: "w", sql: "LEFT JOIN account w ON w.id = a.account" },
  { alias: "o", sql: "LEFT JOIN transaction o ON o.id = m.createdfrom" }
] as const

export const entityJoin = { alias: "e", sql: "LEFT JOIN entity e ON e.id = t.entity" }

/** The party of a transaction, which is of one type. */
export const partyOf = (member: string, type: string): Columns => ({ [member]: to(type, "t.entity") })

/** The party of a transaction, which may be of several types. */
export const anyParty: Columns = { "entity.id": text("t.entity"), "entity.recordType": entityType }

/** The document that a transaction was made of. */
export const sourceColumns: Columns = {
  "createdFrom.id": text("m.createdfrom"),
  "createdFrom.recordType": typed(transactionTypes, "o.type")
}

/** The account that money of customers went to; what is still undeposited is on none of theirs. */
export const depositColumn: Columns = {
  account: ref("CASE WHEN w.sspecacct IS NULL OR UPPER(w.sspecacct) <> 'UNDEPFUNDS' THEN a.account END", "a.account")
}

/** The account of the main line. */
export const accountColumn: Columns = { account: ref("a.account") }

export const heads = (columns: Columns): Select => ({
  from: "transaction t",
  joins: [...mainJoins, entityJoin, currencyJoin],
  columns: { ...transactionColumns, ...mainColumns, ...columns },
  order: "t.id"
})

/** How all transactions are cut down; their date goes by the name of its filters. */
export const transactionFilters = (day: string): Filters => ({
  ...stamps("t.createddate", "t.lastmodifieddate"),
  ...days("t.trandate", day),
  ...currency
})

/** A list of transactions of some types, by what queries call them. */
export const listed = (
  codes: ReadonlyArray<string>,
  select: Select,
  filters: Filters,
  beside?: Listing["beside"]
): Listing => ({
  select,
  filters,
  where: [`t.type IN (${codes.map((code) => `'${code}'`).join(", ")})`],
  ...(beside === undefined ? {} : { beside })
})

/** A list of transactions that have a main line. */
export const transactions = (
  codes: ReadonlyArray<string>,
  columns: Columns,
  filters: Filters,
  beside?: Listing["beside"]
): Listing => listed(codes, heads(columns), filters, beside)
