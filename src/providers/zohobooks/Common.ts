import type { Fields, Shape } from "../../canonical/Resource.ts"
import { country } from "../../mapping/Country.ts"
import { type CommonEntries, computed, type Entries, type MakeVariants, variantsOf } from "../../mapping/Entries.ts"
import { takesRate } from "../../mapping/HomeRate.ts"
import type { DocumentMoney } from "../../mapping/LineParts.ts"
import { type Encoding, getPath, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import {
  boolean,
  date,
  dateTime,
  decimal,
  decimalText,
  integer,
  leaveOut,
  number,
  raw,
  reference,
  remoteIdOf,
  text
} from "../../mapping/Transform.ts"

/** Entries that the mappings of all modules share. */

export const toAccount = reference("account", "chart_of_account")
export const toContact = reference("contact", "contact")
export const toItem = reference("item", "item")
export const toTaxRate = reference("tax_rate", "tax")

/** A mapping with Zoho's conventions: an empty text clears. */
export const mappingOf = <F extends Fields>(resource: Shape<F>, make: MakeVariants<F>): Mapping => ({
  ...variantsOf(resource, make),
  blank: "",
  root: "",
  dialect: { text, date, dateTime, number, integer, boolean, decimal, raw }
})

/** Reason of documents that have no `accounting_period`. */
export const noPeriods = "Zoho Books has no accounting periods."

/** Reason of documents that have no `tracking_categories`. */
export const tagsAreNoCategories =
  "Zoho Books has reporting tags, but tracking categories are not offered for Zoho Books."

/** Id, for records without times. Deleted records are gone. */
export const unstamped = (of: CommonEntries, id: string) => [
  of.readField("remote_id", id, text),
  of.constant("remote_was_deleted", false)
]

/** Id and time of change. Deleted records are gone. */
export const changeStamp = (of: CommonEntries, id: string) => [
  of.readField("remote_id", id, text),
  // a single payment of a customer has another name for it
  of.computed({
    canonical: "remote_updated_at",
    native: ["last_modified_time", "updated_time"],
    decode: ({ record }, context) => {
      const time = record.last_modified_time ?? record.updated_time
      return time === undefined ? null : dateTime.decode(time, context)
    }
  }),
  of.constant("remote_was_deleted", false)
]

/** Id and times. */
export const identity = (of: CommonEntries, id: string) => [
  ...changeStamp(of, id),
  of.readField("remote_created_at", "created_time", dateTime)
]

const toCompany = reference("company_info", "organization")

/** The connection's one organisation. */
export const company = computed({
  canonical: "company",
  native: [],
  lookups: ["organization"],
  decode: ({ lookups }, context) => {
    const id = getPath(lookups, "organization.organization_id")
    return typeof id === "string" ? toCompany.decode(id, context) : null
  },
  encode: (value, encoding) => {
    if (value !== null) remoteIdOf(value, "company_info", ["organization"], encoding, `${encoding.prefix}company`)
  }
})

const codeOf = (lookups: Native | undefined, id: unknown): unknown =>
  natives(lookups?.currencies).find(({ currency_id }) => currency_id === id)?.currency_code

/** A record's currency, else the organisation's own. Every record has one, so leaving it out changes nothing. */
export const currency = computed({
  canonical: "currency",
  native: ["currency_code", "currency_id"],
  lookups: ["currencies"],
  encodeLookups: ["currencies"],
  needsCurrent: true,
  decode: ({ lookups, record }) => currencyOf((native) => record[native], lookups),
  encode: (value, { current, lookups, prefix, refuse, set }) => {
    if (value === null) return
    const held = current?.record
    if (held !== undefined && value === currencyOf((native) => held[native], lookups)) return
    const found = natives(lookups.currencies).find(({ currency_code }) => currency_code === value)
    if (found === undefined) refuse(`${prefix}currency`, "is not a currency of this organisation")
    else set("currency_id", found.currency_id)
  }
})

/** The code of the organisation's own currency. */
export const homeCurrency = (lookups: Native | undefined): unknown =>
  natives(lookups?.currencies).find(({ is_base_currency }) => is_base_currency === true)?.currency_code

export const currencyOf = (get: (native: string) => unknown, lookups: Native | undefined): unknown =>
  get("currency_code") ?? codeOf(lookups, get("currency_id"))

/** Fields that lines inherit from their document. */
export const money: DocumentMoney = {
  native: ["currency_code", "currency_id", "exchange_rate"],
  lookups: ["currencies"],
  currency: currencyOf,
  rate: (get) => decimalText(get("exchange_rate"))
}

export const exchangeRate = computed({
  canonical: "exchange_rate",
  native: ["exchange_rate"],
  encodeLookups: ["currencies"],
  needsCurrent: true,
  decode: ({ record }) => decimalText(record.exchange_rate),
  encode: (value, encoding) => {
    const { body, get, lookups, prefix, set } = encoding
    if (value === null) return
    const currency = body.currency ?? currencyOf(get, lookups)
    if (takesRate(value, { currency, home: homeCurrency(lookups) }, `${prefix}exchange_rate`, encoding)) {
      set("exchange_rate", Number(value))
    }
  }
})

/** Canonical status by native status, and the path below the record that sets it. */
interface States {
  readonly read: { readonly [native: string]: string }
  /** Absent: it cannot be written. */
  readonly write: { readonly [canonical: string]: string }
  /** Status of a new record. */
  readonly made: string
  /** Statuses that a record in one of these cannot take before it is opened again. */
  readonly closed?: { readonly [canonical: string]: ReadonlyArray<string> }
}

/** A status that separate calls change. A record always has one, so leaving it out changes nothing. */
export const status = (of: Entries<"status">, { closed = {}, made, read, write }: States) =>
  of.computed({
    canonical: "status",
    native: ["status"],
    needsCurrent: true,
    decode: ({ record }) => read[String(record.status)] ?? null,
    encode: (value, encoding) => {
      const { current, prefix, step } = encoding
      if (value === null) return
      const native = current === undefined ? made : String(current.record.status)
      const wanted = write[String(value)]
      const is = read[native] ?? ""
      if (is === value || (wanted !== undefined && write[is] === wanted)) return
      if (closed[is]?.includes(String(value)) === true)
        leaveOut(encoding, `${prefix}status`, value, `stays ${is}: the record has to be opened again first`)
      else if (wanted === undefined)
        leaveOut(encoding, `${prefix}status`, value, `stays ${is}: it becomes no ${String(value)} here`)
      else step("status", wanted)
    }
  })

/** ACTIVE, or the given status where the record is inactive; changed by a separate call. */
export const activity = (
  of: Entries<"status">,
  inactive: "ARCHIVED" | "INACTIVE",
  isActive: (record: Native) => boolean
) =>
  of.computed({
    canonical: "status",
    native: ["status", "is_active"],
    needsCurrent: true,
    decode: ({ record }) => (isActive(record) ? "ACTIVE" : inactive),
    encode: (value, { current, step }) => {
      if (value === null) return
      const wanted = value === inactive ? "inactive" : "active"
      const held = current === undefined || isActive(current.record) ? "active" : "inactive"
      if (wanted !== held) step("activity", wanted)
    }
  })

export const addressAt = (
  { field }: Entries<"street_1" | "street_2" | "city" | "country_subdivision" | "country" | "zip_code">,
  native: string,
  [street, further]: readonly [string, string] = ["address", "street2"]
) => [
  field("street_1", `${native}.${street}`, text),
  field("street_2", `${native}.${further}`, text),
  field("city", `${native}.city`, text),
  field("country_subdivision", `${native}.state`, text),
  field("country", `${native}.country`, country),
  field("zip_code", `${native}.zip`, text)
]

/** Whether a value that is fixed at creation may be set; warns where it differs from the held one. */
export const lasts = (canonical: string, native: unknown, held: unknown, { prefix, warn }: Encoding): boolean => {
  if (held === undefined || native === held) return true
  warn(prefix + canonical, "CHANGED", "stays what it was made with")
  return false
}
