import { type Clause, type Clauses, exact, wide } from "../Filtering.ts"
import { anything, type Condition, type Groups } from "./Search.ts"

/** Filters that several resources have, as a search takes them. */

const one = (propertyName: string, operator: Condition["operator"], value?: string): Groups => [
  [{ propertyName, operator, ...(value === undefined ? {} : { value }) }]
]

export const is = (propertyName: string, value: string): Groups => one(propertyName, "EQ", value)

export const isIn = (propertyName: string, values: ReadonlyArray<string>): Groups => [
  [{ propertyName, operator: "IN", values }]
]

const without = (propertyName: string): Groups => one(propertyName, "NOT_HAS_PROPERTY")

/** HubSpot does not document whether a property without a value is unlike another, so the search asks for it besides. */
export const isNot = (propertyName: string, value: string): Groups => [
  ...one(propertyName, "NEQ", value),
  ...without(propertyName)
]

export const isNotIn = (propertyName: string, values: ReadonlyArray<string>): Groups => [
  [{ propertyName, operator: "NOT_IN", values }],
  ...without(propertyName)
]

/** Stamps are compared in milliseconds. */
const bounds = (say: (operator: "GTE" | "LT", value: string) => Groups, filter: string): Clauses<Groups> => ({
  [`${filter}_after`]: exact(({ text }) => say("GTE", String(Date.parse(text)))),
  [`${filter}_before`]: exact(({ text }) => say("LT", String(Date.parse(text))))
})

/** Bounds of a date-time: that of the first of some properties which has one. */
export const moments = (filter: string, property: string, ...others: ReadonlyArray<string>): Clauses<Groups> =>
  bounds(
    (operator, value) =>
      [property, ...others].map((name, i) => [
        ...[property, ...others].slice(0, i).flatMap((before) => without(before).flat()),
        { propertyName: name, operator, value }
      ]),
    filter
  )

const isId = (text: string) => /^\d{1,20}$/.test(text)

/** The id of a record that a property holds. */
export const holdsId = (property: string): Clause<Groups> =>
  exact(({ text }) => (isId(text) ? is(property, text) : null))

/** A link to a record; a field shows one of several. */
export const linkedTo = (type: string): Clause<Groups> =>
  wide(({ text }) => (isId(text) ? is(`associations.${type}`, text) : null))

/** Characters of the longest name that HubSpot or a user gives to a pipeline or stage as its id. */
const nameLength = 100

/** The name of a pipeline or stage, which HubSpot compares with regard to case. */
export const holdsName = (property: string): Clause<Groups> =>
  exact(({ text }) => (text.length > nameLength ? null : is(property, text)))

/** Some values of a field, by those of the property behind it. */
export const among = (property: string, table: { readonly [native: string]: string }): Clause<Groups> =>
  exact(({ values }) => {
    const found = Object.entries(table).flatMap(([native, value]) => (values.includes(value) ? [native] : []))
    return found.length === 0 ? null : isIn(property, found)
  })

/** Matches records in some of the states; every record is in one of them. */
export const inState = (states: { readonly [canonical: string]: Groups }): Clause<Groups> =>
  exact(({ values }) => {
    const found = Object.entries(states).flatMap(([state, groups]) => (values.includes(state) ? [groups] : []))
    if (found.length === Object.keys(states).length) return anything
    return found.length === 0 ? null : found.flat()
  })

/**
 * The first letters of a text, which begin a word: an index may fold accents, and split a text at anything but plain letters
 * and digits. Undefined if the text begins with others.
 */
const start = (text: string) => /^[a-z0-9]{1,40}/i.exec(text)?.[0]

/** Matches names that begin with a text: finds words that begin so, wherever they are. */
export const begins = (...properties: ReadonlyArray<string>): Clause<Groups> =>
  wide(({ text }) => {
    const word = start(text)
    return word === undefined ? anything : properties.flatMap((name) => one(name, "CONTAINS_TOKEN", `${word}*`))
  })

/** The longest run of plain letters and digits in a host, wherever an index splits addresses. */
export const hosts = (property: string): Clause<Groups> =>
  wide(({ text }) => {
    const host = text
      .toLowerCase()
      .replace(/^[a-z]+:\/\//, "")
      .replace(/^www\./, "")
      .replace(/[/:?#].*$/, "")
    const [run] = (host.match(/[a-z0-9]{1,40}/g) ?? []).toSorted((a, b) => b.length - a.length)
    return run === undefined ? anything : one(property, "CONTAINS_TOKEN", `*${run}*`)
  })

/** An address of a contact. HubSpot keeps them in lower case. */
export const email = wide<Groups>(({ text }) => {
  const address = text.toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(address) || address.length > 320) return null
  return [...is("email", address), ...one("hs_additional_emails", "CONTAINS_TOKEN", address)]
})

/** Digits that two spellings of a number share at their ends. */
const shared = 6

/**
 * Matches a contact's number by its last digits: HubSpot also keeps the digits of a number without its country code, for two
 * of three properties. Finds numbers without such digits, and fax numbers, in any case.
 */
export const phone = wide<Groups>(({ text }) => {
  const digits = text.replace(/\D/g, "").replace(/^0+/, "").slice(-shared)
  const kept = (number: string, calculated: string): Groups => [
    ...one(calculated, "CONTAINS_TOKEN", `*${digits}`),
    [...one(number, "HAS_PROPERTY").flat(), ...without(calculated).flat()]
  ]
  return [
    ...kept("phone", "hs_searchable_calculated_phone_number"),
    ...kept("mobilephone", "hs_searchable_calculated_mobile_number"),
    ...one("fax", "HAS_PROPERTY")
  ]
})

/** When records of a type were made and changed. */
export const stamped = (created: string, modified: string): Clauses<Groups> => ({
  ...moments("created", created),
  ...moments("modified", modified)
})

/** Of all types but contacts, companies and deals. */
export const stamps = stamped("hs_createdate", "hs_lastmodifieddate")

/** Filter by the owner of a record. */
export const owner = holdsId("hubspot_owner_id")

/** The same, and a text that HubSpot looks for in properties of its choice, so it is no condition. */
export const common = { owner, q: exact(() => anything) }

/** Filters by the records that an activity is about. */
export const about: Clauses<Groups> = {
  account: linkedTo("company"),
  contact: linkedTo("contact"),
  opportunity: linkedTo("deal")
}
