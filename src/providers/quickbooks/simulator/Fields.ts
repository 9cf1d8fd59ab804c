import { Decimal } from "decimal.js"
import { Predicate } from "effect"
import { digitsOf } from "../../../platform/Currency.ts"
import type { Account, Doc } from "../../simulation/Account.ts"
import { compact, partAt, partsAt, textAt } from "../../simulation/Docs.ts"
import {
  type Complaint,
  inactiveReference,
  invalidEnumeration,
  invalidReference,
  missing,
  tooLong,
  unknownProperty,
  wrongValue
} from "./Faults.ts"

export { amountAt, compact, money, partAt, partsAt, textAt } from "../../simulation/Docs.ts"

/** A member of a record or of a part of it. */
export type Field = Kind & {
  readonly required?: true
  /** Intuit accepts such members in bodies, since reads return them, but ignores them. */
  readonly readOnly?: true
}

type Kind =
  | { readonly kind: "text"; readonly max?: number }
  | { readonly kind: "number" | "flag" | "date" | "any" }
  | { readonly kind: "one"; readonly of: ReadonlyArray<string> }
  /** `{value, name}`, naming a record of one of these entities. */
  | { readonly kind: "ref"; readonly to: ReadonlyArray<string> }
  | { readonly kind: "currency" }
  | { readonly kind: "part" | "parts"; readonly type: string; readonly fields: Fields }

export interface Fields {
  readonly [name: string]: Field
}

export const text = (max?: number): Field => ({ kind: "text", ...(max === undefined ? {} : { max }) })
export const number: Field = { kind: "number" }
export const flag: Field = { kind: "flag" }
export const date: Field = { kind: "date" }
export const currency: Field = { kind: "currency" }
export const one = (...of: ReadonlyArray<string>): Field => ({ kind: "one", of })
export const ref = (...to: ReadonlyArray<string>): Field => ({ kind: "ref", to })
export const part = (type: string, fields: Fields): Field => ({ kind: "part", type, fields })
export const parts = (type: string, fields: Fields): Field => ({ kind: "parts", type, fields })
export const required = (field: Field): Field => ({ ...field, required: true })
export const readOnly = (field: Field): Field => ({ ...field, readOnly: true })

/** Fields of every record. */
export const common: Fields = {
  Id: text(),
  SyncToken: text(),
  sparse: flag,
  domain: readOnly(text()),
  MetaData: readOnly({ kind: "any" })
}

/** The id in a `{value, name}` member. */
export const refAt = (doc: Doc, name: string): string | undefined => textAt(partAt(doc, name), "value")

/** Home currency of a company without a country. */
const usualCurrency = "USD"

/** The home currency of a company, which its world states. */
export const homeOf = (account: Account): string => textAt(account.get("world", "1") ?? {}, "currency") ?? usualCurrency

/** The currency of a stored name, account or transaction. */
export const currencyOf = (doc: Doc): string => refAt(doc, "CurrencyRef") ?? usualCurrency

/** The currency of a transaction that may not state one yet. */
export const currencyIn = (account: Account, doc: Doc): string => refAt(doc, "CurrencyRef") ?? homeOf(account)

/** Rounds an amount to the smallest unit of the currency of a name, account or transaction. */
export const moneyOf = (doc: Doc, amount: Decimal): number =>
  amount.toDecimalPlaces(digitsOf(currencyOf(doc)), Decimal.ROUND_HALF_UP).toNumber()

// Bodies. Null counts as absent; an empty text clears.

/** The member that references show as the name, by entity. */
export const labels: { readonly [entity: string]: string } = {
  Customer: "DisplayName",
  Vendor: "DisplayName",
  Employee: "DisplayName",
  Account: "FullyQualifiedName",
  Class: "FullyQualifiedName",
  Department: "FullyQualifiedName"
}

export const currencies: { readonly [code: string]: string } = {
  USD: "United States Dollar",
  EUR: "Euro",
  GBP: "British Pound Sterling",
  AUD: "Australian Dollar",
  CAD: "Canadian Dollar",
  JPY: "Japanese Yen",
  KWD: "Kuwaiti Dinar"
}

const isUsed = (account: Account, code: string): boolean =>
  code === homeOf(account) || account.all("CompanyCurrency").some((one) => one.Code === code && one.Active === true)

/** https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice (Line, shipping) */
export const shippingItem = "SHIPPING_ITEM_ID"

/** Reads a value for its field; adds errors to `complaints`. */
const taken = (account: Account, field: Field, value: unknown, path: string, complaints: Array<Complaint>): unknown => {
  const wrong = (complaint: Complaint) => {
    complaints.push(complaint)
    return undefined
  }
  switch (field.kind) {
    case "any":
      return value
    case "text": {
      if (typeof value !== "string" && typeof value !== "number") return wrong(wrongValue(path, "String"))
      const written = String(value)
      if (field.max !== undefined && written.length > field.max) return wrong(tooLong(path, field.max, written.length))
      return written
    }
    case "number": {
      const written = typeof value === "string" && value.trim() !== "" ? Number(value) : value
      return typeof written === "number" && Number.isFinite(written) ? written : wrong(wrongValue(path, "BigDecimal"))
    }
    case "flag":
      if (value === "true" || value === true) return true
      return value === "false" || value === false ? false : wrong(wrongValue(path, "Boolean"))
    case "date": {
      const day = typeof value === "string" ? /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0] : undefined
      return day === undefined || Number.isNaN(Date.parse(day)) ? wrong(wrongValue(path, "Date")) : day
    }
    case "one":
      return typeof value === "string" && field.of.includes(value) ? value : wrong(invalidEnumeration(String(value)))
    case "ref":
    case "currency": {
      if (!Predicate.isRecord(value)) return wrong(wrongValue(path, "ReferenceType"))
      const strange = Object.keys(value).find((name) => !["value", "name", "type"].includes(name))
      if (strange !== undefined) return wrong(unknownProperty(strange, "ReferenceType", ["value", "name", "type"]))
      const id = typeof value.value === "number" ? String(value.value) : value.value
      if (id === "" || id === undefined || id === null) return undefined
      if (typeof id !== "string") return wrong(wrongValue(path, "String"))
      if (field.kind === "currency") return isUsed(account, id) ? { value: id } : wrong(invalidReference(path))
      // Shipping lines name a reserved item that no list contains.
      const isShipping = id === shippingItem && field.to.includes("Item")
      const target = isShipping ? "Item" : field.to.find((entity) => account.get(entity, id) !== undefined)
      if (target === undefined) return wrong(invalidReference(path))
      // a reference that can name several entities says which
      return field.to.length === 1 ? { value: id } : { value: id, type: target }
    }
    case "part":
      if (!Predicate.isRecord(value)) return wrong(wrongValue(path, field.type))
      return takenAll(account, field.type, field.fields, value, `${path}.`, complaints)
    case "parts":
      if (!Array.isArray(value)) return wrong(wrongValue(path, `List of ${field.type}`))
      return value.map((member) =>
        Predicate.isRecord(member)
          ? takenAll(account, field.type, field.fields, member, `${path}.`, complaints)
          : wrong(wrongValue(path, field.type))
      )
  }
}

const takenAll = (
  account: Account,
  type: string,
  fields: Fields,
  body: Doc,
  prefix: string,
  complaints: Array<Complaint>
): Doc => {
  const found: { [name: string]: unknown } = {}
  // an empty text clears only at the top level: parts are replaced whole
  const cleared = prefix === "" ? "" : undefined
  for (const [name, value] of Object.entries(body)) {
    const field = fields[name]
    if (field === undefined) complaints.push(unknownProperty(name, type, Object.keys(fields)))
    else if (field.readOnly !== true && value !== null)
      found[name] = value === "" ? cleared : taken(account, field, value, prefix + name, complaints)
  }
  if (prefix !== "") for (const name of missingIn(fields, found)) complaints.push(missing(prefix + name))
  return compact(found)
}

const missingIn = (fields: Fields, doc: Doc): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.required === true && (doc[name] === undefined || doc[name] === "") ? [name] : []
  )

/** Reads a body, with complaints. Top-level members may be missing: see `absent`. */
export const read = (account: Account, type: string, fields: Fields, body: Doc) => {
  const complaints: Array<Complaint> = []
  const doc = takenAll(account, type, fields, body, "", complaints)
  return { doc, complaints }
}

/** Complaints about required members that a whole record lacks. */
export const absent = (fields: Fields, doc: Doc): ReadonlyArray<Complaint> => missingIn(fields, doc).map(missing)

/** Complaints about new references to inactive records. */
export const inactiveIn = (account: Account, fields: Fields, doc: Doc, before: Doc): ReadonlyArray<Complaint> =>
  Object.entries(fields).flatMap(([name, field]): ReadonlyArray<Complaint> => {
    if (field.kind === "part") return inactiveIn(account, field.fields, partAt(doc, name), partAt(before, name))
    if (field.kind === "parts")
      return partsAt(doc, name).flatMap((member) => {
        const same = partsAt(before, name).find((old) => old.Id !== undefined && old.Id === member.Id)
        return inactiveIn(account, field.fields, member, same ?? {})
      })
    const id = refAt(doc, name)
    if (field.kind !== "ref" || id === undefined || id === refAt(before, name)) return []
    return field.to.some((entity) => account.get(entity, id)?.Active === false) ? [inactiveReference] : []
  })

/** A record as responses show it, with current names in references. */
export const shown = (account: Account, fields: Fields, doc: Doc): Doc =>
  Object.fromEntries(
    Object.entries(doc).map(([name, value]) => {
      const field = fields[name]
      if (field === undefined) return [name, value]
      if (field.kind === "part") return [name, shown(account, field.fields, partAt(doc, name))]
      if (field.kind === "parts")
        return [name, partsAt(doc, name).map((member) => shown(account, field.fields, member))]
      const id = refAt(doc, name)
      if (id === undefined) return [name, value]
      if (field.kind === "currency") return [name, { value: id, name: currencies[id] ?? id }]
      if (field.kind !== "ref") return [name, value]
      const { type } = partAt(doc, name)
      const label = field.to.flatMap((entity) => {
        const target = account.get(entity, id)
        return target === undefined ? [] : (textAt(target, labels[entity] ?? "Name") ?? [])
      })[0]
      return [name, compact({ value: id, name: label === id ? undefined : label, type })]
    })
  )
