import { Decimal } from "decimal.js"
import type { Address } from "../../canonical/accounting/Nested.ts"
import { country } from "../../mapping/Country.ts"
import { type CommonEntries, computed, type Entries } from "../../mapping/Entries.ts"
import { type Encoding, getPath, type Native } from "../../mapping/Mapping.ts"
import { spreadLines } from "../../mapping/StreetLines.ts"
import { dateTime, identityOf, reference, remoteIdOf, text } from "../../mapping/Transform.ts"

/** Entries and references shared by the mappings of all entities. */

export const toAccount = reference("account", "Account")
export const toCustomer = reference("contact", "Customer")
export const toItem = reference("item", "Item")
export const toPaymentTerm = reference("payment_term", "Term")
/** A project is a sub-customer, and goes by the customer's id. */
export const toProject = reference("project", "Customer")
/** Lines name tax codes; a code is made up of rates. */
export const toTaxRate = reference("tax_rate", "TaxCode")
export const toVendor = reference("contact", "Vendor")

/**
 * Id and timestamps. The response to a deletion says that a record is deleted; records of name lists are never deleted, and
 * inactive instead.
 */
export const identity = (of: CommonEntries) => [
  of.readField("remote_id", "Id", text),
  of.readField("remote_created_at", "MetaData.CreateTime", dateTime),
  of.readField("remote_updated_at", "MetaData.LastUpdatedTime", dateTime),
  of.computed({
    canonical: "remote_was_deleted",
    native: ["status", "Active"],
    decode: ({ record }) => record.status === "Deleted" || record.Active === false
  })
]

/** A company file is one legal entity, whose CompanyInfo has the id 1. */
export const company = computed({
  canonical: "company",
  native: [],
  decode: (_, context) => context.reference("company_info", "CompanyInfo", "1"),
  encode: (value, encoding) => {
    if (value !== null) {
      remoteIdOf(value, "company_info", ["CompanyInfo"], encoding, `${encoding.prefix}company`)
    }
  }
})

/** The record's currency, or else the company's. Every record has one, so leaving the field out changes nothing. */
export const currency = (of: Entries<"currency">, options: { readonly isFixed: boolean }) =>
  of.computed({
    canonical: "currency",
    native: ["CurrencyRef"],
    lookups: ["preferences"],
    encodeLookups: ["preferences"],
    needsCurrent: true,
    decode: ({ lookups, record }) => getPath(record, "CurrencyRef.value") ?? homeCurrency(lookups),
    encode: (value, { current, get, lookups, prefix, refuse, set }) => {
      if (value === null) return
      const held = get("CurrencyRef.value") ?? homeCurrency(lookups)
      if (current === undefined) {
        // a company without multicurrency accepts no other currency, nor its own if named
        if (value !== homeCurrency(lookups) || isMulticurrency(lookups)) set("CurrencyRef", { value })
      } else if (value !== held) {
        if (options.isFixed) refuse(`${prefix}currency`, `is ${String(held)} since the record was made, for good`)
        else {
          set("CurrencyRef", { value })
          // the rate belongs to the previous currency
          if (get("ExchangeRate") !== undefined) set("ExchangeRate", null)
        }
      }
    }
  })

/** The company's own currency. */
export const homeCurrency = (lookups: Native | undefined): unknown =>
  getPath(lookups, "preferences.CurrencyPrefs.HomeCurrency.value")

export const isMulticurrency = (lookups: Native | undefined): boolean =>
  getPath(lookups, "preferences.CurrencyPrefs.MultiCurrencyEnabled") === true

/** Gives a new record without a currency that of its party or account, where the company uses several currencies. */
export const takeCurrency = (of: unknown, { body, current, lookups, set }: Encoding): void => {
  const isSaid = body.currency !== undefined && body.currency !== null
  if (current === undefined && !isSaid && isMulticurrency(lookups) && of !== undefined) {
    set("CurrencyRef", { value: of })
  }
}

/** ACTIVE, or the word for inactive. Every record is one of the two, so leaving the field out changes nothing. */
export const activity = (of: Entries<"status">, inactive: "ARCHIVED" | "INACTIVE") =>
  of.computed({
    canonical: "status",
    native: ["Active"],
    decode: ({ record }) => (record.Active === false ? inactive : "ACTIVE"),
    encode: (value, { set }) => {
      if (value !== null) set("Active", value !== inactive)
    }
  })

/** Usable or not. Every record is one of the two, so leaving the field out changes nothing. */
export const isActive = computed({
  canonical: "is_active",
  native: ["Active"],
  decode: ({ record }) => record.Active !== false,
  encode: (value, { set }) => {
    if (value !== null) set("Active", value)
  }
})

export type AddressEntries = Entries<keyof typeof Address.fields>

/** An address under a native member. */
export const addressAt = (of: AddressEntries, native: string) => [
  of.field("street_1", `${native}.Line1`, text),
  spreadLines(
    of,
    "street_2",
    [2, 3, 4, 5].map((line) => `${native}.Line${line}`)
  ),
  of.field("city", `${native}.City`, text),
  of.field("country_subdivision", `${native}.CountrySubDivisionCode`, text),
  of.field("country", `${native}.Country`, country),
  of.field("zip_code", `${native}.PostalCode`, text)
]

/** Classes and locations: at most one of each, in the member for its native type. */
export const trackingCategories = (
  of: Entries<"tracking_categories">,
  places: { readonly [nativeType: string]: string }
) => {
  const nativeTypes = Object.keys(places)
  return of.computed({
    canonical: "tracking_categories",
    native: Object.values(places),
    decode: ({ record }, context) =>
      Object.entries(places).flatMap(([nativeType, place]) => {
        const id = getPath(record, `${place}.value`)
        return id === undefined || id === null ? [] : [context.reference("tracking_category", nativeType, String(id))]
      }),
    encode: (value, encoding) => {
      const chosen = new Map<string, string>()
      for (const [i, uuid] of (Array.isArray(value) ? value : []).entries()) {
        const path = `${encoding.prefix}tracking_categories.${i}`
        const found = identityOf(uuid, "tracking_category", ["Class", "Department"], encoding, path)
        if (found === undefined) continue
        if (!nativeTypes.includes(found.nativeType)) {
          encoding.warn(path, "NOT_HELD", `is a ${found.nativeType}, which has no place here`)
        } else if (chosen.has(found.nativeType)) {
          encoding.warn(path, "NOT_HELD", `is a second ${found.nativeType}; QuickBooks Online holds one here`)
        } else chosen.set(found.nativeType, found.remoteId)
      }
      for (const [nativeType, place] of Object.entries(places)) {
        const id = chosen.get(nativeType)
        const held = encoding.get(`${place}.value`)
        if (id === undefined && held !== undefined) encoding.set(place, null)
        else if (id !== held) encoding.set(place, { value: id })
      }
    }
  })
}

/** Parses an amount; undefined when there is none. */
export const amountOf = (value: unknown): Decimal | undefined =>
  typeof value === "number" && Number.isFinite(value) ? new Decimal(value) : undefined
