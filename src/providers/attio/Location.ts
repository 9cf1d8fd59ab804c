import { country } from "../../mapping/Country.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, getPath, type Native, natives } from "../../mapping/Mapping.ts"

/** https://docs.attio.com/docs/attribute-types/attribute-types-location */
const decode = (value: Native) => {
  const { country_code, line_1, line_2, line_3, line_4, locality, postcode, region } = value
  const further = [line_2, line_3, line_4].filter((line) => typeof line === "string" && line !== "")
  return {
    street_1: line_1 ?? null,
    street_2: further.length === 0 ? null : further.join("\n"),
    city: locality ?? null,
    state: region ?? null,
    postal_code: postcode ?? null,
    country: country_code ?? null,
    address_type: null
  }
}

/** All members must be there. The coordinates from a map are cleared, as they no longer fit. */
const encode = ({ city, postal_code, state, street_1, street_2 }: Native, code: string | null): Native => {
  const [line_2 = null, line_3 = null, ...rest] = typeof street_2 === "string" ? street_2.split(/\r?\n/) : []
  return {
    line_1: street_1 ?? null,
    line_2,
    line_3,
    line_4: rest.length === 0 ? null : rest.join(", "),
    locality: city ?? null,
    region: state ?? null,
    postcode: postal_code ?? null,
    country_code: code,
    latitude: null,
    longitude: null
  }
}

const native = "values.primary_location"

const hasContent = ({ address_type: _, ...address }: Native) =>
  Object.values(address).some((value) => typeof value === "string" && value !== "")

const emptyAddress = "names no place. Send an empty list to clear the addresses."

/** The code of a country, or of none; undefined where the name is not surely that of one. */
const codeOf = (named: unknown): string | null | undefined => {
  if (typeof named !== "string" || named === "") return null
  const code = String(country.decode(named, { reference: () => "" }))
  return /^[A-Z]{2}$/.test(code) ? code : undefined
}

/** The one address of a record. Countries are codes: a name is taken where it is surely that of a country. */
export const location = ({ computed }: Pick<Entries<"addresses">, "computed">): ComputedEntry<"addresses"> =>
  computed({
    canonical: "addresses",
    native: [native],
    needsCurrent: true,
    decode: ({ record }) => natives(getPath(record, native)).map(decode),
    encode: (value, { current, mode, prefix, refuse, set, warn }) => {
      const given = natives(value)
      const [first, ...further] = given.flatMap((address, i) =>
        hasContent(address) ? [{ address, path: `${prefix}addresses.${i}` }] : []
      )
      for (const { path } of further) warn(path, "NOT_HELD", "is not held: Attio has one address here")
      if (first === undefined) {
        if (mode !== "create" && given.length > 0) return refuse(`${prefix}addresses.0`, emptyAddress)
        return set(native, [])
      }
      const { address, path } = first
      if (typeof address.address_type === "string") {
        warn(`${path}.address_type`, "NOT_HELD", "is held without it: Attio does not tell addresses apart")
      }
      const code = codeOf(address.country)
      if (code === undefined) warn(`${path}.country`, "NOT_HELD", "is not held: Attio takes ISO 3166-1 alpha-2 codes")
      const written = encode(address, code ?? null)
      const [held] = natives(getPath(current?.record, native))
      const isSame =
        held !== undefined && JSON.stringify(encode(decode(held), code ?? null)) === JSON.stringify(written)
      if (!isSame) set(native, [written])
    }
  })
