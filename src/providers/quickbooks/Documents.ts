import type { Decimal } from "decimal.js"
import { Effect } from "effect"
import type { CommonFields } from "../../canonical/Resource.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { takesRate } from "../../mapping/HomeRate.ts"
import type { DocumentMoney } from "../../mapping/LineParts.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { bare, date, decimalText, identityOf, text, type Transform } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { amountOf, company, currency, homeCurrency, identity, isMulticurrency, takeCurrency } from "./Common.ts"
import type { Books } from "./Books.ts"

/** What the mappings of documents share. */

/** Units of home currency for one of the document's, which is known before it; one in the home currency has none. */
export const exchangeRate = computed({
  canonical: "exchange_rate",
  native: ["ExchangeRate"],
  needsCurrent: true,
  encodeLookups: ["preferences"],
  decode: ({ record }) => rateOf((native) => getPath(record, native)),
  encode: (value, encoding) => {
    const { get, lookups, prefix, set } = encoding
    const home = homeCurrency(lookups)
    const currency = get("CurrencyRef.value") ?? home
    const isHeld = get("ExchangeRate") !== undefined
    if (value === null) {
      if (isHeld) set("ExchangeRate", null)
    } else if (takesRate(value, { currency, home }, `${prefix}exchange_rate`, encoding)) {
      set("ExchangeRate", Number(value))
    }
  }
})

const rateOf = (get: (native: string) => unknown) => decimalText(get("ExchangeRate") ?? 1)

/** Fields that lines have from their document. */
export const money: DocumentMoney = {
  native: ["CurrencyRef", "ExchangeRate"],
  lookups: ["preferences"],
  currency: (get, lookups) => get("CurrencyRef.value") ?? homeCurrency(lookups),
  rate: rateOf
}

/** Companies of the United States: sales tax comes on top of what is sold, and none is kept of what is bought. */
export const isUntaxed = (lookups: Native | undefined): boolean => getPath(lookups, "company.Country") === "US"

/**
 * TaxInclusive, or TaxExcluded and NotApplicable, which both are not. Companies of the United States have none: sales tax
 * comes on top.
 * https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-non-us-locales
 */
export const inclusiveOfTax = computed({
  canonical: "inclusive_of_tax",
  native: ["GlobalTaxCalculation"],
  encodeLookups: ["company"],
  decode: ({ record }) => record.GlobalTaxCalculation === "TaxInclusive",
  encode: (value, { get, lookups, prefix, set, warn }) => {
    const held = get("GlobalTaxCalculation")
    if (isUntaxed(lookups)) {
      if (value === true) {
        warn(`${prefix}inclusive_of_tax`, "CHANGED", "is held as false: amounts stay as they are, and no tax is added")
      }
    } else if (value !== null && (held === undefined || (held === "TaxInclusive") !== value)) {
      set("GlobalTaxCalculation", value === true ? "TaxInclusive" : "TaxExcluded")
    }
  }
})

/**
 * The one code that the lines of a sale in the United States are taxed by, which the document has there. Lines come before it
 * and say themselves whether they are taxed.
 */
export const salesTaxCode = (of: Entries<"line_items">) =>
  of.computed({
    canonical: "line_items",
    native: [],
    encodeLookups: ["company"],
    decode: () => undefined,
    encode: (value, { body, lookups, prefix, refuse, resolve, set }) => {
      if (!isUntaxed(lookups) || body.inclusive_of_tax === true) return
      const codes = new Set(
        natives(value).flatMap(({ tax_rate }) => {
          const code = typeof tax_rate === "string" ? resolve(bare(tax_rate))?.remoteId : undefined
          return code === undefined || code === "TAX" || code === "NON" ? [] : [code]
        })
      )
      const [code, ...others] = codes
      if (others.length > 0)
        refuse(`${prefix}line_items`, "have several tax rates: a sale has one in the United States")
      else if (code !== undefined) {
        set("TxnTaxDetail.TxnTaxCodeRef.value", code)
        // what was reckoned by another one
        set("TxnTaxDetail.TotalTax", null)
        set("TxnTaxDetail.TaxLine", null)
      }
    }
  })

export const taxOf = (record: Native): unknown => getPath(record, "TxnTaxDetail.TotalTax") ?? 0

export const totalTax = computed({
  canonical: "total_tax_amount",
  native: ["TxnTaxDetail"],
  decode: ({ record }) => taxOf(record)
})

/** The total before tax. */
export const netOf = (record: Native): Decimal | undefined =>
  amountOf(record.TotalAmt)?.minus(amountOf(getPath(record, "TxnTaxDetail.TotalTax")) ?? 0)

/** A document made void keeps its lines at nothing and says so in its note. */
export const isVoid = (record: Native) =>
  record.TotalAmt === 0 &&
  record.Balance === 0 &&
  typeof record.PrivateNote === "string" &&
  record.PrivateNote.startsWith("Voided")

/** Members of every document, their date under the name the resource has for it. */
export const document = <Day extends "issue_date" | "transaction_date">(
  of: Entries<keyof CommonFields | "company" | "currency" | Day>,
  day: Day
) => [...identity(of), of.lasting(day, "TxnDate", date), company(of), currency(of, { isFixed: false })]

/** A number that was given to a document stays where a body does not say; null takes it away. */
export const documentNumber = <N extends "number" | "purchase_order_number" | "journal_number">(
  of: Entries<N>,
  canonical: N
) =>
  of.computed({
    canonical,
    native: ["DocNumber"],
    decode: ({ record }, context) => (record.DocNumber === undefined ? null : text.decode(record.DocNumber, context)),
    encode: (value, { body, set }) => {
      if (value !== null || body[canonical] === null) set("DocNumber", value)
    }
  })

/** Whom a document is to or from; a new one is in their currency, unless the body says another. */
export const party = <N extends "contact" | "vendor">(of: Entries<N>, canonical: N, native: string, to: Transform) =>
  of.computed({
    canonical,
    native: [`${native}.value`],
    encodeLookups: ["preferences"],
    decode: ({ record }, context) => {
      const id = getPath(record, `${native}.value`)
      return typeof id === "string" ? to.decode(id, context) : null
    },
    encode: (value, encoding) => {
      const id = value === null ? null : to.encode(value, encoding, encoding.prefix + canonical)
      if (id !== undefined) encoding.set(native, id === null ? null : { value: id })
      takeCurrency(getPath(encoding.lookups, "party.CurrencyRef.value"), encoding)
    }
  })

/** Reads whom a new document is to or from, where only they say its currency. */
export const withParty = (books: Books, canonical: "contact" | "vendor"): NonNullable<ResourceAdapter["related"]> => {
  const { read } = books
  return ({ body, connection, lookups, mode, resolve }) => {
    const isSaid = body.currency !== undefined && body.currency !== null
    const uuid = body[canonical]
    const found = typeof uuid === "string" ? resolve(uuid) : undefined
    const isName = found?.nativeType === "Customer" || found?.nativeType === "Vendor"
    if (mode !== "create" || isSaid || !isName || !isMulticurrency(lookups)) return Effect.succeed({})
    return read(connection, found.nativeType, found.remoteId).pipe(
      Effect.map((party) => ({ party })),
      // who is gone is refused with the document
      Effect.catchIf(
        ({ reason }) => reason._tag === "Missing",
        () => Effect.succeed({})
      )
    )
  }
}

export const note = (of: Entries<"memo">) => of.field("memo", "PrivateNote", text)

/** Where a name of one of several kinds stands, such as a vendor's or an employee's. */
interface NamePlace {
  readonly native: string
  /** Paths of the kind and of the id. */
  readonly kind: string
  readonly id: string
  readonly make: (kind: string, id: string) => Native
}

/** The name a document or line is about, where it is a contact or an employee: there is room for one. */
export const nameOf = (of: Entries<"contact" | "employee">, { id, kind, make, native }: NamePlace) =>
  [
    { canonical: "contact" as const, other: "employee", kinds: ["Vendor", "Customer"] },
    { canonical: "employee" as const, other: "contact", kinds: ["Employee"] }
  ].map(({ canonical, kinds, other }) => {
    const isOurs = (value: unknown): value is string => typeof value === "string" && kinds.includes(value)
    return of.computed({
      canonical,
      native: [native],
      decode: ({ record }, context) => {
        const found = getPath(record, kind)
        return isOurs(found) ? context.reference(canonical, found, String(getPath(record, id))) : null
      },
      encode: (value, encoding) => {
        const path = encoding.prefix + canonical
        if (value === null) {
          if (isOurs(encoding.get(kind))) encoding.set(native, null)
          return
        }
        if (typeof encoding.body[other] === "string") encoding.refuse(path, `stands where the ${other} does; give one`)
        const held = encoding.get(kind)
        if (
          encoding.mode === "patch" &&
          encoding.body[other] === undefined &&
          typeof held === "string" &&
          !isOurs(held)
        ) {
          encoding.warn(encoding.prefix + other, "CHANGED", `is cleared: the ${canonical} stands in its place`)
        }
        const named = identityOf(value, canonical, kinds, encoding, path)
        if (named === undefined) return
        if (named.nativeType !== encoding.get(kind) || named.remoteId !== encoding.get(id)) {
          encoding.set(native, make(named.nativeType, named.remoteId))
        }
      }
    })
  })

/** An account as the lookup of accounts has it. */
export const accountOf = (lookups: Native, id: string): Native | undefined =>
  natives(lookups.accounts).find((one) => one.Id === id)
