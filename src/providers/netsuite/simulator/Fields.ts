import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { compact, partAt, partsAt, textAt } from "../../simulation/Docs.ts"
import { invalidContent, invalidValue, missingValue, type Outcome, refuse } from "./Answers.ts"
import { labelOf } from "./Labels.ts"
import { inLanguage } from "./Languages.ts"

// Fields of records. Stored form: references and enumerated values as `{id}`, sublists as lists.

type Kind =
  /** `isReference`: answers have the text as the id and the name of an object. */
  | { readonly kind: "text"; readonly max: number; readonly form?: RegExp; readonly isReference?: true }
  | { readonly kind: "number" | "flag" | "date" | "instant" }
  /** Enumerated: the names of the ids. `isNamed`: answers have the name in the place of the id too. */
  | { readonly kind: "one"; readonly of: { readonly [id: string]: string }; readonly isNamed?: true }
  | { readonly kind: "country" }
  /** To a record of one of these types. */
  | { readonly kind: "ref"; readonly to: ReadonlyArray<string> }
  /** References to several. */
  | { readonly kind: "refs"; readonly to: ReadonlyArray<string> }
  /** A subrecord. */
  | { readonly kind: "part"; readonly fields: Fields }
  /** A sublist; `key` tells its lines apart. */
  | { readonly kind: "list"; readonly fields: Fields; readonly key: string }

export type Field = Kind & {
  readonly required?: true
  /** Ignored in bodies. */
  readonly readOnly?: true
  /** Fixed once the record exists. */
  readonly fixed?: true
}

export interface Fields {
  readonly [name: string]: Field
}

export const text = (max = 300): Field => ({ kind: "text", max })
export const number: Field = { kind: "number" }
export const flag: Field = { kind: "flag" }
export const date: Field = { kind: "date" }
export const instant: Field = { kind: "instant", readOnly: true }
export const email: Field = { kind: "text", max: 254, form: /^[^\s@]+@[^\s@]+\.[^\s@.]+$/ }
/** At least seven digits. */
export const phone: Field = { kind: "text", max: 32, form: /(?:\d\D*){7}/ }
export const country: Field = { kind: "country" }
export const one = (of: { readonly [id: string]: string }): Field => ({ kind: "one", of })
export const ref = (...to: ReadonlyArray<string>): Field => ({ kind: "ref", to })
export const refs = (...to: ReadonlyArray<string>): Field => ({ kind: "refs", to })
export const part = (fields: Fields): Field => ({ kind: "part", fields })
export const list = (key: string, fields: Fields): Field => ({ kind: "list", key, fields })
export const required = (field: Field): Field => ({ ...field, required: true })
export const readOnly = (field: Field): Field => ({ ...field, readOnly: true })
export const fixed = (field: Field): Field => ({ ...field, fixed: true })

/** The id of a reference or an enumerated value. */
export const idAt = (doc: Doc, name: string): string | undefined => textAt(partAt(doc, name), "id")

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" })

/** The id that a body gives, as `{id}` or bare. */
const givenId = (value: unknown): string | undefined => {
  const id = Predicate.isRecord(value) ? value.id : value
  return typeof id === "string" ? id : typeof id === "number" ? String(id) : undefined
}

export const targetOf = (account: Account, to: ReadonlyArray<string>, id: string) =>
  to.flatMap((type) => {
    const doc = account.get(type, id)
    return doc === undefined ? [] : [{ type, doc }]
  })[0]

/** The record that a body refers to: by id or by external id. */
const referred = (account: Account, to: ReadonlyArray<string>, value: unknown): string | undefined => {
  const external = Predicate.isRecord(value) && value.id === undefined ? value.externalId : undefined
  if (external !== undefined) {
    return to
      .flatMap((type) => account.all(type).filter((doc) => doc.externalId === external))
      .map(({ id }) => id)[0]
      ?.toString()
  }
  const id = givenId(value)
  return id !== undefined && targetOf(account, to, id) !== undefined ? id : undefined
}

/** Key of a line within its sublist: the value of one field, or of several joined by `+`. */
const lineKey =
  (key: string) =>
  (line: Doc): string | undefined => {
    const ids = key.split("+").map((name) => givenId(line[name]))
    return ids.includes(undefined) ? undefined : ids.join("+")
  }

export interface Reading {
  readonly account: Account
  /** Whether unknown members are refused rather than ignored. */
  readonly isStrict: boolean
  /** Sublists that the body gives in full. */
  readonly replaced: ReadonlySet<string>
  readonly isNew: boolean
}

const readLines = (
  reading: Reading,
  { fields, key }: Extract<Kind, { readonly kind: "list" }>,
  name: string,
  value: unknown,
  held: ReadonlyArray<Doc>
): Outcome<ReadonlyArray<Doc>> =>
  Either.gen(function* () {
    const given = Predicate.isRecord(value) ? value.items : undefined
    if (!Array.isArray(given)) return yield* refuse(invalidContent("A sublist is an object with items.", name))
    const keyOf = lineKey(key)
    const isReplaced = reading.replaced.has(name)
    let lines: ReadonlyArray<Doc> = isReplaced ? [] : held
    for (const [index, line] of given.entries()) {
      const at = `${name}.items[${index}]`
      if (!Predicate.isRecord(line)) return yield* refuse(invalidValue(line, at))
      const own = keyOf(line)
      const before = own === undefined ? undefined : held.find((one) => keyOf(one) === own)
      const kept = isReplaced ? { [key]: before?.[key] } : before
      const doc = yield* read(reading, fields, line, kept ?? {}, at)
      const isHeld = lines.some((one) => one === before)
      lines = isHeld ? lines.map((one) => (one === before ? doc : one)) : [...lines, doc]
    }
    return lines
  })

const readValue = (
  reading: Reading,
  field: Field,
  name: string,
  value: unknown,
  held: Doc,
  path: string
): Outcome<unknown> => {
  switch (field.kind) {
    case "text":
      if (typeof value !== "string") return refuse(invalidValue(value, path))
      if (value.length > field.max) {
        return refuse(
          invalidContent(
            `The field ${name} contained more than the maximum number ( ${field.max} ) of characters allowed.`,
            path
          )
        )
      }
      return field.form?.test(value) === false ? refuse(invalidValue(value, path)) : Either.right(value)
    case "number":
      return typeof value === "number" ? Either.right(value) : refuse(invalidValue(value, path))
    case "flag":
      return typeof value === "boolean" ? Either.right(value) : refuse(invalidValue(value, path))
    case "date":
      return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
        ? Either.right(value)
        : refuse(invalidValue(value, path))
    case "country":
    case "one": {
      const id = givenId(value)
      const isKnown =
        id !== undefined &&
        (field.kind === "one" ? id in field.of : /^[A-Z]{2}$/.test(id) && regions.of(id) !== undefined)
      return isKnown ? Either.right({ id }) : refuse(invalidValue(id ?? value, path))
    }
    case "ref": {
      const id = referred(reading.account, field.to, value)
      return id === undefined ? refuse(invalidValue(givenId(value) ?? value, path)) : Either.right({ id })
    }
    case "refs": {
      const given: unknown = Predicate.isRecord(value) ? value.items : undefined
      const ids = Array.isArray(given) ? given.map((one) => referred(reading.account, field.to, one)) : [undefined]
      const known = ids.filter((id) => id !== undefined)
      return known.length < ids.length
        ? refuse(invalidValue(value, path))
        : Either.right([...new Set(known)].map((id) => ({ id })))
    }
    case "part":
      return Predicate.isRecord(value)
        ? read(reading, field.fields, value, partAt(held, name), path)
        : refuse(invalidValue(value, path))
    case "list":
      return readLines(reading, field, name, value, partsAt(held, name))
    default:
      return refuse(invalidValue(value, path))
  }
}

/** Members of responses that mean nothing in bodies. */
const aside = new Set(["id", "links", "refName", "totalResults", "count", "hasMore", "offset"])

/** Applies a body to the held record: members that it does not name stay; null and empty text clear. */
export const read = (reading: Reading, fields: Fields, body: Doc, held: Doc, at = ""): Outcome<Doc> =>
  Either.gen(function* () {
    const doc: { [name: string]: unknown } = { ...held }
    for (const [name, value] of Object.entries(body)) {
      const field = fields[name]
      const path = at === "" ? name : `${at}.${name}`
      if (field === undefined) {
        if (reading.isStrict && !aside.has(name)) {
          return yield* refuse(invalidContent(`Unknown reference or field '${name}'.`, path))
        }
      } else if (field.readOnly === true) continue
      else if (value === null || value === "") delete doc[name]
      else doc[name] = yield* readValue(reading, field, name, value, held, path)
      if (field?.fixed === true && !reading.isNew && JSON.stringify(doc[name]) !== JSON.stringify(held[name])) {
        return yield* refuse(invalidContent(`The field ${name} cannot be changed.`, path))
      }
    }
    return doc
  })

/** A field's label: `companyName` is Company Name. */
export const titleOf = (name: string): string =>
  name.replace(/([A-Z])/g, " $1").replace(/^./, (letter) => letter.toUpperCase())

/** Refuses a record that lacks required fields, also in its lines. */
export const complete = (fields: Fields, doc: Doc): Outcome<Doc> =>
  Either.gen(function* () {
    const absent = Object.entries(fields).filter(([name, field]) => field.required === true && doc[name] === undefined)
    if (absent.length > 0) return yield* refuse(missingValue(absent.map(([name]) => titleOf(name))))
    for (const [name, field] of Object.entries(fields)) {
      if (field.kind !== "list") continue
      for (const line of partsAt(doc, name)) {
        // the last line of a group is NetSuite's own and has no item
        if (line.itemType !== "EndGroup") yield* complete(field.fields, line)
      }
    }
    return doc
  })

/** Options of a read. */
export interface View {
  readonly account: Account
  readonly isExpanded: boolean
  /** Enumerated values as their ids alone. */
  readonly isSimple: boolean
}

const self = (href: string) => [{ rel: "self", href }]

export const recordsUrl = (account: Account): string =>
  `https://${accountId(account.name)}.suitetalk.api.netsuite.com/services/rest/record/v1`

/** The id of a NetSuite account, with which its hosts begin: digits, derived from the account's name. */
export const accountId = (name: string): string =>
  String(Number.parseInt(name.replace(/[^0-9a-f]/g, "").slice(0, 8) || "7", 16))

const shownRef = (account: Account, to: ReadonlyArray<string>, id: string): Doc => {
  const target = targetOf(account, to, id)
  if (target === undefined) return { id }
  return {
    links: self(`${recordsUrl(account)}/${target.type}/${id}`),
    id,
    refName: labelOf(account, target.type, target.doc)
  }
}

const collection = (href: string, items: ReadonlyArray<Doc>): Doc => ({
  links: self(href),
  items,
  count: items.length,
  hasMore: false,
  offset: 0,
  totalResults: items.length
})

/** The name of an enumerated value. */
export const nameOf = (field: Field, id: string): string | undefined =>
  field.kind === "one" ? field.of[id] : field.kind === "country" ? regions.of(id) : undefined

const shownValue = (view: View, field: Field, value: unknown, doc: Doc, name: string, href: string): unknown => {
  const { account, isExpanded } = view
  switch (field.kind) {
    case "one":
    case "country": {
      const id = idAt(doc, name) ?? ""
      const refName = inLanguage(account, nameOf(field, id) ?? id)
      const shown = field.kind === "one" && field.isNamed === true ? refName : id
      return view.isSimple ? shown : { id: shown, refName }
    }
    case "ref":
      return shownRef(account, field.to, idAt(doc, name) ?? "")
    case "refs":
      return isExpanded
        ? collection(
            href,
            partsAt(doc, name).map((one) => shownRef(account, field.to, String(one.id)))
          )
        : { links: self(href) }
    case "part":
      return isExpanded ? shown(view, field.fields, partAt(doc, name), href) : { links: self(href) }
    case "list":
      return isExpanded
        ? collection(
            href,
            partsAt(doc, name).map((line) =>
              shown(view, field.fields, line, `${href}/${lineKey(field.key)(line) ?? ""}`)
            )
          )
        : { links: self(href) }
    case "text":
      return field.isReference === true ? { id: value, refName: value } : value
    default:
      return value
  }
}

/** A record, subrecord or line as a response shows it, without members that have no value. */
export const shown = (view: View, fields: Fields, doc: Doc, href: string): Doc => ({
  links: self(href),
  ...compact(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const value = doc[name]
        const isSublist = field.kind === "list" || field.kind === "refs"
        return [
          name,
          value === undefined && !isSublist ? undefined : shownValue(view, field, value, doc, name, `${href}/${name}`)
        ]
      })
    )
  )
})
