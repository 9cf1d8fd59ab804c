import { countryCodeOf } from "../../mapping/Country.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import type { Together } from "../base/Changes.ts"

// An organisation may have its users choose countries and states from lists. Each then has a field for its code, next to the one
// for its name, which takes no other text than the list's. Salesforce keeps both in step.
// https://help.salesforce.com/s/articleView?id=xcloud.admin_state_country_picklists_field_syncing.htm

/** Values of a pick list that depend on another one: a bit for each value of that, the highest bit of a byte first. */
const isValidFor = (validFor: unknown, index: number) =>
  typeof validFor === "string" &&
  ((Buffer.from(validFor, "base64")[Math.floor(index / 8)] ?? 0) & (0x80 >> (index % 8))) !== 0

const choicesOf = (rows: ReadonlyArray<Native>, ending: string) => {
  const row = rows.find(({ name }) => typeof name === "string" && name.endsWith(ending))
  return natives(row?.picklistValues).filter(({ active }) => active !== false)
}

/** The countries and states that an organisation has in its lists; none where addresses are free text. */
export interface Places {
  readonly countries: ReadonlyArray<{ readonly code: string; readonly name: string }>
  /** `countries`: codes of the countries that have the state. */
  readonly states: ReadonlyArray<{
    readonly code: string
    readonly name: string
    readonly countries: ReadonlyArray<string>
  }>
}

/** Reads the lists from the description of an object. */
export const placesIn = (rows: ReadonlyArray<Native>): Places => {
  const countries = choicesOf(rows, "CountryCode").map(({ label, value }) => ({
    code: String(value),
    name: String(label)
  }))
  return {
    countries,
    states: choicesOf(rows, "StateCode").map(({ label, validFor, value }) => ({
      code: String(value),
      name: String(label),
      countries: countries.flatMap(({ code }, i) => (isValidFor(validFor, i) ? [code] : []))
    }))
  }
}

/** Fields of one address that are written together: a code of a state means another one in another country. */
export const codesTogether: Together = ["", "Mailing", "Other", "Billing", "Shipping"].map((prefix) => [
  `${prefix}CountryCode`,
  `${prefix}StateCode`
])

const lower = (value: unknown) => String(value).trim().toLowerCase()

const codeIn = (choices: Places["countries"], value: unknown) =>
  (choices.find(({ code }) => lower(code) === lower(value)) ?? choices.find(({ name }) => lower(name) === lower(value)))
    ?.code

/** The code of a country, or the text if it names none. */
export const isoOf = (value: unknown): unknown => (typeof value === "string" ? countryCodeOf(value) : value)

/**
 * The addresses of a write as the organisation takes them: with codes where it has lists, as text elsewhere. A country that is
 * held by another name of it stays. Text that is in no list is sent as it is: it may be what an administrator has the name
 * stand for, and Salesforce says so if it is not.
 */
export const settleAddresses = (
  { countries, readable, states }: Places & { readonly readable: ReadonlySet<string> },
  record: Native,
  held: Native = {}
): Native => {
  const settled: { [name: string]: unknown } = {}
  const listedCodeOf = (value: unknown) => codeIn(countries, value) ?? codeIn(countries, isoOf(value))
  for (const [name, value] of Object.entries(record)) {
    const [, prefix, part] = /^(\w*)(Country|State)$/.exec(name) ?? []
    if (prefix === undefined || part === undefined) settled[name] ??= value
    else if (!readable.has(`${name}Code`)) {
      const isSame = part === "Country" && held[name] !== undefined && isoOf(held[name]) === isoOf(value)
      settled[name] = isSame ? held[name] : value
    } else if (value === null) settled[`${name}Code`] = null
    else if (part === "Country") {
      const code = listedCodeOf(value)
      settled[code === undefined ? name : `${name}Code`] = code ?? value
    } else {
      const written = record[`${prefix}Country`]
      const within = written === undefined ? held[`${prefix}CountryCode`] : listedCodeOf(written)
      const code = codeIn(
        states.filter((state) => within === undefined || within === null || state.countries.includes(String(within))),
        value
      )
      settled[code === undefined ? name : `${name}Code`] = code ?? value
    }
  }
  return settled
}
