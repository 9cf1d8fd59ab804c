import { Decimal } from "decimal.js"
import type { CommonFields } from "../../canonical/Resource.ts"
import { type CommonEntries, computed, type Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, getPath, natives } from "../../mapping/Mapping.ts"
import type { DocumentMoney } from "../../mapping/LineParts.ts"
import {
  date,
  dateTime,
  decimal,
  decimalText,
  identityOf,
  reference,
  remoteIdOf,
  text
} from "../../mapping/Transform.ts"

/**
 * Entries that the mappings of all records share. Native types are those in paths (`customer`). Where one sequence of ids
 * covers several types and a reference does not say which, the native type is the name of the sequence (`item`).
 */

export const toAccount = reference("account", "account")
export const toCompany = reference("company_info", "subsidiary")
export const toEmployee = reference("employee", "employee")
export const toItem = reference("item", "item")
export const toPaymentTerm = reference("payment_term", "term")
export const toPeriod = reference("accounting_period", "accountingPeriod")
export const toProject = reference("project", "job")
export const toSalesOrder = reference("sales_order", "salesOrder")

/** Id and time of the last change. A deleted record is gone, so no record that NetSuite returns is deleted. */
export const undated = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_updated_at", "lastModifiedDate", dateTime),
  of.constant("remote_was_deleted", false)
]

/** `undated` with the time of creation; `created` is the member that has it. */
export const identity = (of: CommonEntries, created: "createdDate" | "dateCreated") => [
  ...undated(of),
  of.readField("remote_created_at", created, dateTime)
]

/** Why records that are read with `undated` have no `remote_created_at`. */
export const noCreationTime = (records: string) => `NetSuite states no creation time of ${records}.`

/** The subsidiary; accounts without OneWorld have none. */
export const company = (of: Entries<"company">) => of.lasting("company", "subsidiary.id", toCompany)

/** The subsidiary of a record that always has one: the root subsidiary where the body names none. */
export const ownCompany = computed({
  canonical: "company",
  native: ["subsidiary.id"],
  encodeLookups: ["subsidiaries"],
  fills: true,
  needsCurrent: true,
  decode: ({ record }, context) => {
    const id = getPath(record, "subsidiary.id")
    return typeof id === "string" ? toCompany.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const { current, lookups, prefix, set, warn } = encoding
    const path = `${prefix}company`
    if (value !== null) {
      const id = toCompany.encode(value, encoding, path)
      if (id !== undefined) set("subsidiary.id", id)
      return
    }
    const root = natives(lookups.subsidiaries).find(({ parent }) => (parent ?? null) === null)
    if (current !== undefined || root === undefined) return
    set("subsidiary.id", root.id)
    warn(path, "CHANGED", `is required; it is held as ${String(root.name)}, the root subsidiary`)
  }
})

const firstSubsidiary = (record: unknown) => {
  const id = getPath(natives(getPath(record, "subsidiary.items"))[0], "id")
  return typeof id === "string" ? id : undefined
}

/** The first subsidiary of a record that may have several. */
export const companies = computed({
  canonical: "company",
  native: ["subsidiary"],
  needsCurrent: true,
  decode: ({ record }, context) => {
    const id = firstSubsidiary(record)
    return id === undefined ? null : toCompany.decode(id, context)
  },
  encode: (value, encoding) => {
    if (value === null) return
    const id = remoteIdOf(value, "company_info", ["subsidiary"], encoding, `${encoding.prefix}company`)
    if (id !== undefined && id !== firstSubsidiary(encoding.current?.record)) {
      encoding.set("subsidiary", { items: [{ id }] })
    }
  }
})

/** `used` for active records, `unused` for inactive ones. */
const inUse = <N extends string>(of: Entries<N>, canonical: N, used: unknown, unused: unknown): ComputedEntry<N> =>
  of.computed({
    canonical,
    native: ["isInactive"],
    // an account's query may lack the column
    decode: ({ record }) => (typeof record.isInactive === "boolean" ? (record.isInactive ? unused : used) : null),
    encode: (value, { set }) => {
      if (value !== null) set("isInactive", value === unused)
    }
  })

/** ACTIVE, or the given status where the record is inactive. */
export const activity = (of: Entries<"status">, inactive: "ARCHIVED" | "INACTIVE") =>
  inUse(of, "status", "ACTIVE", inactive)

export const isActive = (of: Entries<"is_active">) => inUse(of, "is_active", true, false)

/** The currency's ISO code, from a lookup: NetSuite keeps currencies as records. */
export const currencyAt = (of: Entries<"currency">, native: string) =>
  of.computed({
    canonical: "currency",
    native: [native],
    lookups: ["currencies"],
    encodeLookups: ["currencies"],
    decode: ({ lookups, record }) => {
      const id = getPath(record, `${native}.id`)
      return natives(lookups?.currencies).find((one) => one.id === id)?.symbol ?? null
    },
    encode: (value, { lookups, prefix, refuse, set }) => {
      if (value === null) return
      const found = natives(lookups.currencies).find((one) => one.symbol === value)
      if (found === undefined) refuse(`${prefix}currency`, "is not a currency of this account")
      else set(native, { id: found.id })
    }
  })

export const currency = (of: Entries<"currency">) => currencyAt(of, "currency")

/** Fields that lines inherit from their transaction. */
export const money: DocumentMoney = {
  native: ["currency", "exchangeRate"],
  lookups: ["currencies"],
  currency: (get, lookups) =>
    natives(lookups?.currencies).find((one) => one.id !== undefined && one.id === get("currency.id"))?.symbol ?? null,
  rate: (get) => decimalText(get("exchangeRate"))
}

/** The column of each tracking category, by native type; a record has one of each. */
const columns = { classification: "class", department: "department", location: "location" }

const columnOf = new Map(Object.entries(columns))

export const trackingCategories = computed({
  canonical: "tracking_categories",
  native: Object.values(columns),
  decode: ({ record }, context) =>
    [...columnOf].flatMap(([nativeType, column]) => {
      const id = getPath(record, `${column}.id`)
      return typeof id === "string" ? [context.reference("tracking_category", nativeType, id)] : []
    }),
  encode: (value, encoding) => {
    const chosen = new Map<string, string>()
    for (const [i, uuid] of (Array.isArray(value) ? value : []).entries()) {
      const path = `${encoding.prefix}tracking_categories.${i}`
      const found = identityOf(uuid, "tracking_category", [...columnOf.keys()], encoding, path)
      if (found === undefined) continue
      if (chosen.has(found.nativeType)) {
        encoding.warn(path, "NOT_HELD", `is a second ${found.nativeType}; NetSuite holds one here`)
      } else chosen.set(found.nativeType, found.remoteId)
    }
    for (const [nativeType, column] of columnOf) {
      const id = chosen.get(nativeType)
      encoding.set(column, id === undefined ? null : { id })
    }
  }
})

type Heading = keyof CommonFields | "memo" | "company" | "currency" | "exchange_rate" | "tracking_categories"

/** Entries that every transaction has; `day` is the resource's name for its date. */
export const heading = <D extends "issue_date" | "transaction_date">(
  of: Entries<Heading | D>,
  day: D,
  companyOf: (of: Entries<"company">) => ComputedEntry<"company"> = company
) => [
  ...identity(of, "createdDate"),
  of.lasting(day, "tranDate", date),
  of.field("memo", "memo", text),
  companyOf(of),
  currency(of),
  of.lasting("exchange_rate", "exchangeRate", decimal),
  trackingCategories(of)
]

/** `heading` with the period that the transaction is posted to. */
export const transaction = <D extends "issue_date" | "transaction_date">(
  of: Entries<Heading | D | "accounting_period">,
  day: D,
  companyOf: (of: Entries<"company">) => ComputedEntry<"company"> = company
) => [...heading(of, day, companyOf), of.lasting("accounting_period", "postingPeriod.id", toPeriod)]

/** Subtracts the taxes from the total; null where either is unknown. */
export const subTotal = computed({
  canonical: "sub_total",
  native: ["total", "taxTotal"],
  decode: ({ record: { taxTotal, total } }) =>
    typeof total === "number" && typeof taxTotal === "number" ? new Decimal(total).minus(taxTotal).toNumber() : null
})

/** What the counterparty reads on a document besides its lines. */
export const printed = (of: Entries<"reference" | "customer_note">) => [
  of.field("reference", "otherRefNum", text),
  of.field("customer_note", "message", text)
]

/** Lists are queries, whose transactions have no column for the message. */
export const printedNullInLists = ["customer_note"]
