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

/** All members must be there. What a map knew of the place is no longer so. */
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

/** The one address of a record. Countries are codes: a name is taken where it is surely that of a country. */
export const location = ({ computed }: Pick<Entries<"addresses">, "computed">): ComputedEntry =>
  computed({
    canonical: "addresses",
    native: [native],
    needsCurrent: true,
    decode: ({ record }) => natives(getPath(record, native)).map(decode),
    encode: (value, { current, prefix, refuse, set }) => {
      const [given, ...further] = natives(value)
      const path = `${prefix}addresses`
      if (further.length > 0) refuse(`${path}.1`, "attio holds at most 1 here")
      if (given === undefined) return set(native, [])
      if (typeof given.address_type === "string") {
        refuse(`${path}.0.address_type`, "must be left out: Attio does not tell addresses apart")
      }
      const named = given.country ?? null
      const code = named === null ? null : String(country.decode(named, { reference: () => "" }))
      if (code !== null && !/^[A-Z]{2}$/.test(code)) refuse(`${path}.0.country`, "must be an ISO 3166-1 alpha-2 code")
      const written = encode(given, code)
      const [held] = natives(getPath(current?.record, native))
      const isSame = held !== undefined && JSON.stringify(encode(decode(held), code)) === JSON.stringify(written)
      if (!isSame) set(native, [written])
    }
  })
