import { Decimal } from "decimal.js"
import { Effect } from "effect"
import type { CommonFields } from "../../canonical/Resource.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { date, decimal, identityOf, text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { amountOf, company, currency, homeCurrency, identity, isMulticurrency, takeCurrency } from "./Common.ts"
import { books } from "./Entities.ts"

/** What the mappings of documents share. */

/** Units of home currency for one of the document's, which is known before it; one in the home currency has none. */
export const exchangeRate = computed({
  canonical: "exchange_rate",
  native: ["ExchangeRate"],
  needsCurrent: true,
  encodeLookups: ["preferences"],
  decode: ({ record }, context) =>
    record.ExchangeRate === undefined ? "1.0" : decimal.decode(record.ExchangeRate, context),
  encode: (value, { get, lookups, prefix, refuse, set }) => {
    const isOne = typeof value === "string" && new Decimal(value).equals(1)
    const home = homeCurrency(lookups)
    if (value !== null && !isOne && (get("CurrencyRef.value") ?? home) === home) {
      refuse(`${prefix}exchange_rate`, `is 1.0 in ${String(home)}, which is the company's own currency`)
    }
    if (get("ExchangeRate") !== undefined || (value !== null && !isOne)) {
      set("ExchangeRate", value === null ? null : Number(value))
    }
  }
})

/**
 * TaxInclusive, or TaxExcluded and NotApplicable, which both are not. Companies of the United States have none: sales tax
 * comes on top.
 * https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-non-us-locales
 */
export const inclusiveOfTax = computed({
  canonical: "inclusive_of_tax",
  native: ["GlobalTaxCalculation"],
  encodeLookups: ["company"],
  decode: ({ record }) =>
    record.GlobalTaxCalculation === undefined ? null : record.GlobalTaxCalculation === "TaxInclusive",
  encode: (value, { get, lookups, prefix, refuse, set }) => {
    const held = get("GlobalTaxCalculation")
    if (value === true && getPath(lookups, "company.Country") === "US") {
      refuse(`${prefix}inclusive_of_tax`, "is no way that companies of the United States reckon tax")
    }
    if (value !== null && (held === undefined || (held === "TaxInclusive") !== value)) {
      set("GlobalTaxCalculation", value === true ? "TaxInclusive" : "TaxExcluded")
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
) => [...identity(of), of.field(day, "TxnDate", date), company(of), currency(of, { isFixed: false })]

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
export const withParty = (call: Caller, canonical: "contact" | "vendor"): NonNullable<ResourceAdapter["related"]> => {
  const { read } = books(call)
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
