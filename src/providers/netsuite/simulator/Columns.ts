import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { isHiddenType } from "./Editions.ts"
import { type Field, type Fields, idAt, nameOf, targetOf } from "./Fields.ts"
import { labelOf } from "./Labels.ts"
import { inLanguage } from "./Languages.ts"
import type { Posting } from "./Postings.ts"
import type { RecordType } from "./RecordType.ts"

// Columns of SuiteQL's tables.

/** A value of a query. Dates are instants; those without a time are midnight in UTC, the time zone of the account's user. */
export type Value = string | Decimal | Date | null

/** The record or posting behind a row. */
export interface Source {
  readonly doc: Doc
  readonly type?: RecordType
  readonly posting?: Posting
  /** The accounting book that the posting is in. */
  readonly book?: string
}

export interface Column {
  readonly value: (source: Source, account: Account) => Value
  /** The text that `BUILTIN.DF` shows for the value. */
  readonly label?: (source: Source, account: Account) => string | undefined
  readonly isDate?: boolean
  /** A time without a known zone. */
  readonly isUnzoned?: true
}

export interface Table {
  readonly columns: { readonly [name: string]: Column }
  readonly rows: (account: Account) => ReadonlyArray<Source>
  /** Rows by the value of a column, without a scan. */
  readonly keys?: { readonly [column: string]: (account: Account, value: string) => ReadonlyArray<Source> }
}

const scalar = (value: unknown): Value =>
  typeof value === "number"
    ? new Decimal(value)
    : typeof value === "boolean"
      ? value
        ? "T"
        : "F"
      : typeof value === "string" && value !== ""
        ? value
        : null

/** Ids as numbers, cached: queries need them often, and making one takes longer than finding it. */
const numbers = new Map<string, Decimal>()

const capacity = 20_000

const numberOf = (id: string): Decimal => {
  const known = numbers.get(id)
  if (known !== undefined) return known
  if (numbers.size >= capacity) numbers.clear()
  const made = new Decimal(id)
  numbers.set(id, made)
  return made
}

/** Ids are numbers where they look like one. */
const idValue = (id: unknown): Value => (typeof id === "string" && /^-?\d+$/.test(id) ? numberOf(id) : scalar(id))

const at = (value: unknown): Value => (typeof value === "string" ? new Date(value) : null)

export const column = (value: (doc: Doc, source: Source, account: Account) => unknown, isDate = false): Column => ({
  value: (source, account) =>
    isDate ? at(value(source.doc, source, account)) : scalar(value(source.doc, source, account)),
  isDate
})

export const id = (value: (doc: Doc, source: Source) => unknown, to: ReadonlyArray<string> = []): Column => ({
  value: (source) => idValue(value(source.doc, source)),
  label: (source, account) => {
    const found = targetOf(account, to, String(value(source.doc, source)))
    return found === undefined ? undefined : labelOf(account, found.type, found.doc)
  }
})

export const own = id((doc) => doc.id)

const columnOf = (name: string, field: Field): Column | undefined => {
  switch (field.kind) {
    case "ref":
      return id((doc) => idAt(doc, name), field.to)
    case "one":
    case "country":
      return {
        value: ({ doc }) => idValue(idAt(doc, name)),
        label: ({ doc }, account) => {
          const found = nameOf(field, idAt(doc, name) ?? "")
          return found === undefined ? undefined : inLanguage(account, found)
        }
      }
    case "flag":
      return column((doc) => doc[name] === true)
    case "date":
    case "instant":
      return column((doc) => doc[name], true)
    case "text":
    case "number":
      return column((doc) => doc[name])
    default:
      return undefined
  }
}

/** The body fields of records as columns, under their names in lower case. */
export const columnsOf = (fields: Fields, ...hidden: ReadonlyArray<string>): Table["columns"] => ({
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const made = hidden.includes(name) ? undefined : columnOf(name, field)
      return made === undefined ? [] : [[name.toLowerCase(), made]]
    })
  ),
  id: own
})

/** Some fields of a type as columns. */
export const someOf = (fields: Fields, names: ReadonlyArray<string>): Table["columns"] =>
  columnsOf(Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name))))

type Entries = ReturnType<Account["entries"]>

/** Caches a value made from all records of a type, until one of them changes. */
export const ofType = <A>(make: (type: RecordType, entries: Entries) => A) => {
  const made = new WeakMap<Entries, A>()
  return (account: Account, type: RecordType): A => {
    const entries = account.entries(type.name)
    const known = made.get(entries) ?? make(type, entries)
    made.set(entries, known)
    return known
  }
}

const sourcesOf = ofType((type, entries): ReadonlyArray<Source> => entries.map(([, doc]) => ({ type, doc })))

/** Records of several types, in the order of their ids; those of one type are in order. */
export const sources = (account: Account, types: ReadonlyArray<RecordType>): ReadonlyArray<Source> => {
  const visible = types.filter(({ name }) => !isHiddenType(account, name))
  const [one, ...more] = visible
  if (one !== undefined && more.length === 0) return sourcesOf(account, one)
  return visible.flatMap((type) => sourcesOf(account, type)).toSorted((a, b) => Number(a.doc.id) - Number(b.doc.id))
}

/** The record with an id, of any of the types. */
export const sourceOf = (account: Account, types: ReadonlyArray<RecordType>, id: string): ReadonlyArray<Source> => {
  for (const type of types) {
    const doc = account.get(type.name, id)
    if (doc !== undefined) return isHiddenType(account, type.name) ? [] : [{ type, doc }]
  }
  return []
}

export const table = (types: ReadonlyArray<RecordType>, columns: Table["columns"]): Table => ({
  columns,
  rows: (account) => sources(account, types),
  keys: { id: (account, value) => sourceOf(account, types, value) }
})
