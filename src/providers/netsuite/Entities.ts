import { type Filters, stamps } from "./Conditions.ts"
import { type Columns, flag, instant, ref, type Select, text, to } from "./Select.ts"
import type { Listing } from "./RecordType.ts"

/**
 * Customers, vendors, employees and projects as queries tell them, one alias for all. An entity may belong to several
 * subsidiaries, of which one is its own.
 */

/** Columns of customers, vendors, employees and projects alike. */
const common: Columns = {
  id: text("c.id"),
  entityId: text("c.entityid"),
  isInactive: flag("c.isinactive"),
  dateCreated: instant("c.datecreated"),
  lastModifiedDate: instant("c.lastmodifieddate")
}

export const partyColumns: Columns = {
  isPerson: flag("c.isperson"),
  companyName: text("c.companyname"),
  firstName: text("c.firstname"),
  lastName: text("c.lastname"),
  email: text("c.email"),
  phone: text("c.phone"),
  altPhone: text("c.altphone"),
  mobilePhone: text("c.mobilephone"),
  homePhone: text("c.homephone"),
  fax: text("c.fax"),
  currency: ref("c.currency"),
  defaultBillingAddress: text("c.defaultbillingaddress"),
  defaultShippingAddress: text("c.defaultshippingaddress")
}

/** The subsidiary: on the entity in some accounts, in a table of its own in others. */
export const ownSubsidiary: Columns = { subsidiary: to("subsidiary", "c.subsidiary", "r.subsidiary") }

const relation = (table: string) => ({
  alias: "r",
  sql: `LEFT JOIN ${table}subsidiaryrelationship r ON r.entity = c.id AND r.isprimarysub = 'T'`
})

export const entitySelect = (table: string, columns: Columns): Select => ({
  from: `${table} c`,
  joins: [relation(table)],
  columns: { ...common, ...columns },
  order: "c.id"
})

export const entities = (table: string, columns: Columns, filters: Filters): Listing => ({
  select: entitySelect(table, columns),
  filters: { ...stamps("c.datecreated", "c.lastmodifieddate"), ...filters }
})
