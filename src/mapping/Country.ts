import type { Transform } from "./Transform.ts"

/** Three-letter codes of the countries whose addresses occur most. */
const threeLetters =
  "ARE AE ARG AR AUS AU AUT AT BEL BE BGR BG BRA BR CAN CA CHE CH CHL CL CHN CN COL CO CYP CY CZE CZ DEU DE DNK DK " +
  "EGY EG ESP ES EST EE FIN FI FRA FR GBR GB GRC GR HKG HK HRV HR HUN HU IDN ID IND IN IRL IE ISL IS ISR IL ITA IT " +
  "JPN JP KEN KE KOR KR LTU LT LUX LU LVA LV MEX MX MLT MT MYS MY NGA NG NLD NL NOR NO NZL NZ PAK PK PER PE PHL PH " +
  "POL PL PRI PR PRT PT ROU RO SAU SA SGP SG SVK SK SVN SI SWE SE THA TH TUR TR TWN TW UKR UA URY UY USA US VNM VN ZAF ZA"

const alsoCalled: ReadonlyArray<readonly [string, string]> = [
  ["UK", "GB"],
  ["GREAT BRITAIN", "GB"],
  ["ENGLAND", "GB"],
  ["SCOTLAND", "GB"],
  ["WALES", "GB"],
  ["U.S.A.", "US"],
  ["U.S.", "US"],
  ["UNITED STATES OF AMERICA", "US"],
  ["TURKEY", "TR"],
  ["CZECH REPUBLIC", "CZ"],
  ["HONG KONG", "HK"]
]

/** Codes that name no country. */
const noCountries = new Set(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"])

const makeTables = () => {
  const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
  const nameOf = new Map<string, string>()
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code)
    // codes given up (DD, SU) have a successor, which is their canonical form
    const [canonical] = Intl.getCanonicalLocales(`und-${code}`)
    if (name !== undefined && canonical === `und-${code}` && !noCountries.has(code)) nameOf.set(code, name)
  }
  const codeOf = new Map<string, string>(alsoCalled)
  for (const [code, name] of nameOf) codeOf.set(code, code).set(name.toUpperCase(), code)
  for (const [, long, short] of threeLetters.matchAll(/(\w{3}) (\w{2})/g)) codeOf.set(`${long}`, `${short}`)
  return { nameOf, codeOf }
}

let made: ReturnType<typeof makeTables> | undefined
const tables = () => (made ??= makeTables())

/**
 * A two-letter code here, free text there (QuickBooks Online, Xero). Text that is surely a country reads as its code, other
 * text as it is; a code is written as the country's English name.
 */
export const country: Transform = {
  name: "country",
  decode: (native) => {
    const text = String(native).trim()
    return text === "" ? null : (tables().codeOf.get(text.toUpperCase()) ?? text)
  },
  encode: (canonical) => tables().nameOf.get(String(canonical).toUpperCase()) ?? canonical
}
