import type { Decimal } from "decimal.js"
import { Effect } from "effect"
import type { CommonFields } from "../../canonical/Resource.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { takesRate } from "../../mapping/HomeRate.ts"
import type { DocumentMoney } from "../../mapping/LineParts.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { bare, date, decimalText, identityOf, text, type Transform } from "../../mapping/Transform.ts"
import type { BodyRequest, ResourceAdapter } from "../ProviderAdapter.ts"
import { amountOf, company, currency, homeCurrency, identity, isMulticurrency, takeCurrency } from "./Common.ts"
import type { Books } from "./Books.ts"
import { withTaxCodes } from "./LinesView.ts"

/** Entries shared by the mappings of documents. */

/** Units of home currency for one of the document's, which is encoded first; documents in the home currency have none. */
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

/** Fields that lines take from their document. */
export const money: DocumentMoney = {
  native: ["CurrencyRef", "ExchangeRate"],
  lookups: ["preferences"],
  currency: (get, lookups) => get("CurrencyRef.value") ?? homeCurrency(lookups),
  rate: rateOf
}

/** Whether a company is in the United States: sales tax is added on top of sales, and purchases carry none. */
export const isUntaxed = (lookups: Native | undefined): boolean => getPath(lookups, "company.Country") === "US"

/**
 * True for TaxInclusive; false for TaxExcluded and NotApplicable. Companies in the United States lack the field: sales tax
 * is added on top.
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
 * The tax code of a sale in the United States, which the document holds for all its lines. Lines are encoded first and say
 * themselves whether they are taxed.
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
        // calculated from the previous code
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

/** Whether a note begins with the mark that voiding puts in front. */
export const isMarkedVoid = (note: unknown) => typeof note === "string" && /^Voided\b/.test(note)

const isZero = (line: Native) => {
  const members = natives(getPath(line, "GroupLineDetail.Line"))
  return members.length > 0 ? members.every(isZeroItem) : isZeroItem(line)
}

const isZeroItem = (line: Native) =>
  (line.Amount ?? 0) === 0 &&
  (line.DetailType !== "SalesItemLineDetail" || getPath(line, "SalesItemLineDetail.Qty") === 0)

/**
 * Voiding keeps a sale with its lines, sets all amounts and quantities to 0, and marks the note. A sale of 0 that somebody
 * noted so has quantities.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice#void-an-invoice
 */
export const isVoid = (record: Native) =>
  record.TotalAmt === 0 &&
  record.Balance === 0 &&
  isMarkedVoid(record.PrivateNote) &&
  natives(record.Line).every(isZero)

/** Fields of every document, with the date under the resource's name for it. */
export const document = <Day extends "issue_date" | "transaction_date">(
  of: Entries<keyof CommonFields | "company" | "currency" | Day>,
  day: Day
) => [...identity(of), of.lasting(day, "TxnDate", date), company(of), currency(of, { isFixed: false })]

/** A document keeps its number when the body leaves it out; null clears it. */
export const documentNumber = <N extends "number" | "purchase_order_number" | "journal_number" | "reference">(
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

/** The customer or vendor of a document; a new document takes their currency unless the body gives one. */
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

/** Reads what a new document takes from other records: the currency of its party, and rates of tax that prices include. */
export const withParty = (books: Books, canonical: "contact" | "vendor"): NonNullable<ResourceAdapter["related"]> => {
  const [party, taxCodes] = [readParty(books, canonical), withTaxCodes(books)]
  return (request) =>
    Effect.map(Effect.all([party(request), taxCodes(request)], { concurrency: 2 }), ([a, b]) => ({ ...a, ...b }))
}

const readParty = (books: Books, canonical: "contact" | "vendor") => {
  const { read } = books
  return ({ body, connection, lookups, mode, resolve }: BodyRequest) => {
    const isSaid = body.currency !== undefined && body.currency !== null
    const uuid = body[canonical]
    const found = typeof uuid === "string" ? resolve(uuid) : undefined
    const isName = found?.nativeType === "Customer" || found?.nativeType === "Vendor"
    if (mode !== "create" || isSaid || !isName || !isMulticurrency(lookups)) return Effect.succeed({})
    return read(connection, found.nativeType, found.remoteId).pipe(
      Effect.map((party) => ({ party })),
      // the write itself refuses a party that is gone
      Effect.catchIf(
        ({ reason }) => reason._tag === "Missing",
        () => Effect.succeed({})
      )
    )
  }
}

export const note = (of: Entries<"memo">) => of.field("memo", "PrivateNote", text)

/** The message that a customer reads on a sale. */
export const customerNote = (of: Entries<"customer_note">) => of.field("customer_note", "CustomerMemo.value", text)

/** Reason of documents that have no `reference`. */
export const noReference = "QuickBooks Online documents have a number, and no reference beside it."

/** Place of a name that can be of several kinds, such as a vendor's or an employee's. */
interface NamePlace {
  readonly native: string
  /** Paths of the kind and of the id. */
  readonly kind: string
  readonly id: string
  readonly make: (kind: string, id: string) => Native
}

/** The contact or employee that a document or line names; it can name only one. */
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

/** Finds an account in the lookup of accounts. */
export const accountOf = (lookups: Native, id: string): Native | undefined =>
  natives(lookups.accounts).find((one) => one.Id === id)
