import { countryCodeOf } from "../../mapping/Country.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"

/**
 * Pipedrive keeps an address as one line (`value`) and finds its components on a map; both can be written.
 * https://pipedrive.readme.io/docs/pipedrive-api-v2-migration-guide
 */

const components = {
  street_2: "subpremise",
  city: "locality",
  state: "admin_area_level_1",
  postal_code: "postal_code",
  country: "country"
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null)

const joined = (values: ReadonlyArray<unknown>, separator: string) =>
  values.flatMap((one) => textOf(one) ?? []).join(separator)

const codeOf = (country: unknown) => {
  const text = textOf(country)
  return text === null ? null : countryCodeOf(text)
}

const decode = (native: unknown): Native | undefined => {
  if (!isNative(native)) return undefined
  const parts = Object.fromEntries(Object.entries(components).map(([name, key]) => [name, textOf(native[key])]))
  const street = textOf(joined([native.street_number, native.route], " "))
  // an address that no map knows has only its line
  const isKnown = street !== null || Object.values(parts).some((part) => part !== null)
  const country = codeOf(parts.country)
  const found = { street_1: isKnown ? street : textOf(native.value), ...parts, country, address_type: null }
  return Object.values(found).some((part) => part !== null) ? found : undefined
}

const saysSomething = (address: Native) =>
  ["street_1", ...Object.keys(components)].some((name) => textOf(address[name]) !== null)

/** Components that the fields of an address have no part in, and that a new line makes wrong. */
const others = { street_number: null, sublocality: null, admin_area_level_2: null }

const encode = (address: Native): Native => {
  const { city, country, postal_code, state, street_1, street_2 } = address
  return {
    value: joined([street_1, street_2, city, joined([state, postal_code], " "), country], ", "),
    route: textOf(street_1),
    ...Object.fromEntries(Object.entries(components).map(([name, key]) => [key, textOf(address[name])]))
  }
}

const withoutNulls = (native: Native): Native =>
  Object.fromEntries(Object.entries(native).filter(([, part]) => part !== null))

/** The one address of a record. */
export const address = (of: Entries<"addresses">, native: string) =>
  of.computed({
    canonical: "addresses",
    native: [native],
    needsCurrent: true,
    decode: ({ record }) => {
      const found = decode(getPath(record, native))
      return found === undefined ? [] : [found]
    },
    encode: (value, { current, prefix, set, warn }) => {
      const given = natives(value)
      const first = given.find(saysSomething)
      for (const [i, one] of given.entries()) {
        const path = `${prefix}addresses.${i}`
        if (one !== first) warn(path, "NOT_HELD", saysSomething(one) ? "pipedrive holds one address here" : "is empty")
        else if (textOf(one.address_type) !== null) {
          warn(`${path}.address_type`, "NOT_HELD", "is held without it: Pipedrive does not tell addresses apart")
        }
      }
      if (first === undefined) {
        if (current !== undefined) set(native, null)
        return
      }
      const before = decode(getPath(current?.record, native)) ?? { country: null }
      const isSame = ["street_1", ...Object.keys(components)].every((name) =>
        name === "country" ? codeOf(first[name]) === before[name] : textOf(first[name]) === textOf(before[name])
      )
      if (isSame) return
      // a country that the record has stays as its text is
      const held = getPath(current?.record, `${native}.country`)
      const isHeld = textOf(held) !== null && codeOf(held) === codeOf(first.country)
      const written = encode(isHeld ? { ...first, country: held } : first)
      set(native, current === undefined ? withoutNulls(written) : { ...written, ...others })
    }
  })
