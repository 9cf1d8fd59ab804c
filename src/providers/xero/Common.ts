import { Decimal } from "decimal.js"
import type { Fields, Shape } from "../../canonical/Resource.ts"
import { type CommonEntries, computed, type Entries, type MakeVariants, variantsOf } from "../../mapping/Entries.ts"
import { takesRate } from "../../mapping/HomeRate.ts"
import type { DocumentMoney } from "../../mapping/LineParts.ts"
import {
  type Bundle,
  type ComputedEntry,
  type Encoding,
  getPath,
  type Mapping,
  type Native,
  natives
} from "../../mapping/Mapping.ts"
import {
  boolean,
  dateTime,
  type DecodeContext,
  decimal,
  identityOf,
  integer,
  number,
  raw,
  reference,
  remoteIdOf,
  text,
  type Transform
} from "../../mapping/Transform.ts"

/** Entries and transforms shared by the mappings of all kinds of records. */

export const toAccount = reference("account", "Account")
export const toContact = reference("contact", "Contact")
export const toInvoice = reference("invoice", "Invoice")
export const toItem = reference("item", "Item")
export const toPayment = reference("payment", "Payment")
/** Lines name a tax rate by its tax type, which is its id. */
export const toTaxRate = reference("tax_rate", "TaxRate")

/** .NET's milliseconds are UTC whatever offset follows; ISO times without a zone are UTC too. */
const instantOf = (native: unknown): unknown => {
  const written = String(native)
  const milliseconds = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(written)?.[1]
  if (milliseconds !== undefined) return Number(milliseconds)
  return /T[\d:.]+$/.test(written) ? `${written}Z` : native
}

/** `/Date(1518685950940+0000)/`: https://developer.xero.com/documentation/api/accounting/requests-and-responses */
export const xeroTime: Transform = {
  name: "xeroTime",
  decode: (native, context) => dateTime.decode(instantOf(native), context),
  encode: (canonical) => canonical
}

/** A day: midnight UTC when it is read, `YYYY-MM-DD` when it is written. */
export const xeroDay: Transform = {
  name: "xeroDay",
  decode: (native, context) => {
    const time = xeroTime.decode(native, context)
    return typeof time === "string" ? time.slice(0, 10) : null
  },
  encode: (canonical) => canonical
}

/** The day of a moment; none where there is no moment. */
export const dayOf = (native: unknown): ReadonlyArray<string> => {
  const day = native === undefined ? null : xeroDay.decode(native, { reference: () => "" })
  return typeof day === "string" ? [day] : []
}

/** Decimals that Xero keeps of a rate. https://central.xero.com/s/article/Manage-currencies */
const rateDecimals = 6

const nativeRate = (rate: Decimal.Value): number => new Decimal(1).div(rate).toDecimalPlaces(rateDecimals).toNumber()

/** The shortest number whose reciprocal is Xero's rate, so that rates survive the round trip unchanged. */
const reciprocal = (native: number): number => {
  const exact = new Decimal(1).div(native)
  for (let digits = 1; digits < 15; digits += 1) {
    const found = exact.toSignificantDigits(digits)
    if (nativeRate(found) === native) return found.toNumber()
  }
  return exact.toNumber()
}

/**
 * Units of base currency for one of the record's currency. Xero's rate is the reverse: units of the record's currency for
 * one of the base currency. Its published examples show it: a New Zealand company's quote in AUD of 2019-10-24 has 0.937053,
 * and one in NZD of 2020-02-01, where the base is USD, 1.547150.
 * https://raw.githubusercontent.com/XeroAPI/Xero-OpenAPI/master/xero_accounting.yaml (/Quotes)
 */
export const exchangeRate: Transform = {
  name: "exchangeRate",
  decode: (native, context) => (Number(native) > 0 ? decimal.decode(reciprocal(Number(native)), context) : null),
  encode: (canonical, context, path) => {
    const native = Number(canonical) > 0 ? nativeRate(Number(canonical)) : 0
    if (native === 0) context.refuse(path, "must be above 0, and its reciprocal one that six decimals can hold")
    return native === 0 ? undefined : native
  }
}

const baseCurrencyOf = (lookups: Native | undefined) => getPath(lookups, "organisation.BaseCurrency")

/**
 * The rate of a record in a currency. In the base currency it is 1, which Xero states as 1, as 0 or not at all. In another
 * currency it is not known without a rate above 0.
 */
const rateIn = (currency: unknown, native: unknown, lookups: Native | undefined, context: DecodeContext): unknown =>
  currency !== undefined && currency === baseCurrencyOf(lookups)
    ? decimal.decode(1, context)
    : exchangeRate.decode(native, context)

/** The rate of a record whose currency stands elsewhere than in `CurrencyCode`; it is written as it is. */
export const rateOf = (
  of: Entries<"exchange_rate">,
  currency: Pick<ComputedEntry, "native" | "lookups"> & { readonly of: (bundle: Bundle) => unknown }
) =>
  of.computed({
    canonical: "exchange_rate",
    native: ["CurrencyRate", ...currency.native],
    lookups: ["organisation", ...(currency.lookups ?? [])],
    decode: (bundle, context) => rateIn(currency.of(bundle), bundle.record.CurrencyRate, bundle.lookups, context),
    encode: (value, encoding) => {
      const rate = value === null ? undefined : exchangeRate.encode(value, encoding, `${encoding.prefix}exchange_rate`)
      if (rate !== undefined) encoding.set("CurrencyRate", rate)
    }
  })

/** The rate of a document; one in the base currency has none. */
export const ownRate = computed({
  canonical: "exchange_rate",
  native: ["CurrencyRate", "CurrencyCode"],
  lookups: ["organisation"],
  needsCurrent: true,
  encodeLookups: ["organisation"],
  decode: ({ lookups, record }, context) => rateIn(record.CurrencyCode, record.CurrencyRate, lookups, context),
  encode: (value, encoding) => {
    const { body, get, lookups, prefix, set } = encoding
    if (value === null) return
    const home = baseCurrencyOf(lookups)
    const currency = body.currency ?? get("CurrencyCode") ?? home
    const path = `${prefix}exchange_rate`
    if (!takesRate(value, { currency, home }, path, encoding)) return
    const rate = exchangeRate.encode(value, encoding, path)
    if (rate !== undefined) set("CurrencyRate", rate)
  }
})

/** Fields that lines take from their document. */
export const money: DocumentMoney = {
  native: ["CurrencyCode", "CurrencyRate"],
  lookups: ["organisation"],
  currency: (get, lookups) => get("CurrencyCode") ?? baseCurrencyOf(lookups),
  rate: (get, lookups) =>
    rateIn(get("CurrencyCode") ?? baseCurrencyOf(lookups), get("CurrencyRate"), lookups, { reference: () => "" })
}

/** A day that a record may be without, but that Xero does not clear. */
export const optionalDay = <N extends string>(of: Entries<N>, canonical: N, native: string) => ({
  ...of.lasting(canonical, native, xeroDay),
  needsCurrent: true
})

/** Builds a mapping with the traits that all share: an empty text clears, null counts as absent. */
export const mappingOf = <F extends Fields>(resource: Shape<F>, make: MakeVariants<F>): Mapping => ({
  ...variantsOf(resource, make),
  blank: "",
  root: "",
  dialect: { text, date: xeroDay, dateTime: xeroTime, number, integer, boolean, decimal, raw }
})

/** Id of records without timestamps. Archived and void are statuses; only deletion ends a record. */
export const unstampedIdentity = (of: CommonEntries, id: string) => [
  of.readField("remote_id", id, text),
  of.computed({
    canonical: "remote_was_deleted",
    native: ["Status"],
    decode: ({ record }) => record.Status === "DELETED"
  })
]

/** Id and the time of the last change. */
export const identity = (of: CommonEntries, id: string) => [
  ...unstampedIdentity(of, id),
  of.readField("remote_updated_at", "UpdatedDateUTC", xeroTime)
]

/** Reasons why a field is not held that several resources share. */
export const reasons = {
  created: "Xero states when a record was created only in its history, which takes a call for each record.",
  period: "Xero links no record to an accounting period; its date decides which one it falls in.",
  noMethod: "Xero does not record the way of paying; people write it into the reference.",
  noEmployee: "Xero has no sales person or other employee on its documents.",
  noMemo: "Xero has no private note on its documents: their reference is what the counterparty sees.",
  noNote: "Xero has no note for the counterparty on its documents, only their reference and the words of its template."
} as const

const toCompany = reference("company_info", "Organisation")

/** A connection has one organisation. */
export const company = computed({
  canonical: "company",
  native: [],
  lookups: ["organisation"],
  decode: ({ lookups }, context) => {
    const id = getPath(lookups, "organisation.OrganisationID")
    return typeof id === "string" ? toCompany.decode(id, context) : null
  },
  encode: (value, encoding) => {
    if (value !== null) {
      remoteIdOf(value, "company_info", ["Organisation"], encoding, `${encoding.prefix}company`)
    }
  }
})

/**
 * Decimals that Xero keeps, whatever the currency. It would round finer numbers, so they are refused.
 * https://developer.xero.com/documentation/guides/how-to-guides/rounding-in-xero/
 */
export const digits = { amount: 2, price: 4, quantity: 4 } as const

/** Whether Xero keeps a number unrounded; refuses it otherwise. */
export const isKept = (
  value: unknown,
  kind: keyof typeof digits,
  path: string,
  { refuse }: Pick<Encoding, "refuse">
): boolean => {
  const isFine = typeof value === "number" && new Decimal(value).decimalPlaces() > digits[kind]
  if (isFine) refuse(path, `has more than the ${digits[kind]} digits after the point that Xero keeps`)
  return !isFine
}

/** An amount that cannot be cleared, only set to 0. */
export const amount = <N extends string>(
  of: Entries<N>,
  canonical: N,
  native: string,
  kind: keyof typeof digits = "amount"
) =>
  of.computed({
    canonical,
    native: [native],
    decode: ({ record }) => getPath(record, native),
    encode: (value, encoding) => {
      const { get, prefix, set } = encoding
      if (!isKept(value, kind, prefix + canonical, encoding)) return
      if (value !== null || get(native) !== undefined) set(native, value ?? 0)
    }
  })

/**
 * Status of records that are archived, not deleted. A pending record counts as active.
 */
export const archiving = (of: Entries<"status">, native: string, archived: "ARCHIVED" | "INACTIVE") => {
  const wordOf = (state: unknown) => (state === "ACTIVE" || state === "PENDING" ? "ACTIVE" : archived)
  return of.computed({
    canonical: "status",
    native: [native],
    decode: ({ record }) => wordOf(record[native] ?? "ACTIVE"),
    encode: (value, { get, set }) => {
      if (value === null) return
      const held = get(native)
      const word = value === archived ? archived : "ACTIVE"
      if (held === undefined || word !== wordOf(held)) set(native, word === "ACTIVE" ? "ACTIVE" : "ARCHIVED")
    }
  })
}

/** A reference that Xero names by code; a lookup translates between code and id. */
interface Coded<N> {
  readonly canonical: N
  readonly resource: "account" | "item"
  readonly transform: Transform
  readonly nativeType: "Account" | "Item"
  /** Native fields: the code, which is written, and the id where responses have it too. */
  readonly code: string
  readonly id?: string
}

const coded = <N extends string>(
  of: Entries<N>,
  { canonical, code, id, nativeType, resource, transform }: Coded<N>
) => {
  const lookup = `${resource}s`
  const allOf = (lookups: Native | undefined) => natives(lookups?.[lookup])
  return of.computed({
    canonical,
    native: id === undefined ? [code] : [code, id],
    lookups: [lookup],
    encodeLookups: [lookup],
    decode: ({ lookups, record }, context) => {
      const named = getPath(record, code)
      const found =
        (id === undefined ? undefined : getPath(record, id)) ??
        (named === undefined ? undefined : allOf(lookups).find((one) => one.Code === named)?.id)
      return typeof found === "string" ? transform.decode(found, context) : null
    },
    encode: (value, encoding) => {
      const { get, lookups, prefix, refuse, set } = encoding
      const path = prefix + canonical
      const remoteId = value === null ? null : remoteIdOf(value, resource, [nativeType], encoding, path)
      if (remoteId === undefined || (id !== undefined && remoteId !== null && remoteId === get(id))) return
      const named = remoteId === null ? "" : allOf(lookups).find((one) => one.id === remoteId)?.Code
      if (typeof named !== "string") refuse(path, "has no code, by which Xero names it here")
      else if (named !== (get(code) ?? "")) {
        set(code, named)
        // it still holds the id of the previous reference
        if (id !== undefined) set(id.replace(/\..*/, ""), undefined)
      }
    }
  })
}

export const codedAccount = <N extends string>(of: Entries<N>, canonical: N, code: string, id?: string) =>
  coded(of, {
    canonical,
    code,
    resource: "account",
    nativeType: "Account",
    transform: toAccount,
    ...(id === undefined ? {} : { id })
  })

export const codedItem = <N extends string>(of: Entries<N>, canonical: N, code: string, id: string) =>
  coded(of, { canonical, code, id, resource: "item", nativeType: "Item", transform: toItem })

// tracking: https://developer.xero.com/documentation/api/accounting/trackingcategories

export const toOption = reference("tracking_category", "TrackingOption")

/** The options that native tracking elements name. */
export const optionsIn = (
  tracking: unknown,
  lookups: Native | undefined,
  decode: (id: string) => unknown
): ReadonlyArray<unknown> =>
  natives(tracking).flatMap(({ Name, Option, TrackingOptionID }) => {
    const found =
      TrackingOptionID ??
      natives(lookups?.tracking).find((one) => one.Name === Name && one.Option === Option)?.TrackingOptionID
    return typeof found === "string" ? [decode(found)] : []
  })

/** Options on a line, one of each category. */
export const tracking = (of: Entries<"tracking_categories">, native = "Tracking") =>
  of.computed({
    canonical: "tracking_categories",
    native: [native],
    lookups: ["tracking"],
    encodeLookups: ["tracking"],
    decode: ({ lookups, record }, context) => optionsIn(record[native], lookups, (id) => toOption.decode(id, context)),
    encode: (value, encoding) => {
      const { get, lookups, prefix, refuse, set, warn } = encoding
      const held = natives(get(native))
      const chosen: Array<Native> = []
      for (const [i, uuid] of (Array.isArray(value) ? value : []).entries()) {
        const path = `${prefix}tracking_categories.${i}`
        const id = identityOf(uuid, "tracking_category", ["TrackingOption"], encoding, path)?.remoteId
        if (id === undefined) continue
        const option = natives(lookups.tracking).find(({ TrackingOptionID }) => TrackingOptionID === id)
        if (option === undefined) refuse(path, "is not an option of an active tracking category")
        else if (chosen.some(({ TrackingCategoryID }) => TrackingCategoryID === option.TrackingCategoryID)) {
          warn(path, "NOT_HELD", "is a second option of one category; Xero holds one")
        } else chosen.push(option)
      }
      const isSame =
        chosen.length === held.length &&
        chosen.every((option) => held.some((one) => one.Name === option.Name && one.Option === option.Option))
      if (!isSame) set(native, chosen)
    }
  })

/** All options on a record's lines. */
export const trackingOfLines = (of: Entries<"tracking_categories">, list: string, member = "Tracking") =>
  of.computed({
    canonical: "tracking_categories",
    native: [list],
    lookups: ["tracking"],
    decode: ({ lookups, record }, context) => [
      ...new Set(
        natives(record[list]).flatMap((line) => optionsIn(line[member], lookups, (id) => toOption.decode(id, context)))
      )
    ]
  })
