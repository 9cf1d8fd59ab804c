import type { Transform } from "./Transform.ts"

/** Three-letter codes of the countries whose addresses occur most. */
const threeLetters =
  "ARE AE ARG AR AUS AU AUT AT BEL BE BGR BG BRA BR CAN CA CHE CH CHL CL CHN CN COL CO CYP CY CZE CZ DEU DE DNK DK " +
  "EGY EG ESP ES EST EE FIN FI FRA FR GBR GB GRC GR HKG HK HRV HR HUN HU IDN ID IND IN IRL IE ISL IS ISR IL ITA IT " +
  "JPN JP KEN KE KOR KR LTU LT LUX LU LVA LV MEX MX MLT MT MYS MY NGA NG NLD NL NOR NO NZL NZ PAK PK PER PE PHL PH " +
  "POL PL PRI PR PRT PT ROU RO SAU SA SGP SG SVK SK SVN SI SWE SE THA TH TUR TR TWN TW UKR UA URY UY USA US VNM VN ZAF ZA"

/** Common names that the runtime does not list. */
const alsoCalled: ReadonlyArray<readonly [string, string]> = [
  ["UK", "GB"],
  ["GREAT BRITAIN", "GB"],
  ["ENGLAND", "GB"],
  ["SCOTLAND", "GB"],
  ["WALES", "GB"],
  ["NORTHERN IRELAND", "GB"],
  ["UNITED KINGDOM OF GREAT BRITAIN AND NORTHERN IRELAND", "GB"],
  ["USA", "US"],
  ["US OF A", "US"],
  ["UNITED STATES OF AMERICA", "US"],
  ["TURKEY", "TR"],
  ["CZECH REPUBLIC", "CZ"],
  ["HOLLAND", "NL"],
  ["THE NETHERLANDS", "NL"],
  ["HONG KONG", "HK"],
  ["MACAU", "MO"],
  ["UAE", "AE"],
  ["REPUBLIC OF KOREA", "KR"],
  ["KOREA REPUBLIC OF", "KR"],
  ["RUSSIAN FEDERATION", "RU"],
  ["VIET NAM", "VN"],
  ["BURMA", "MM"],
  ["IVORY COAST", "CI"],
  ["REPUBLIC OF IRELAND", "IE"],
  ["EIRE", "IE"],
  ["PEOPLES REPUBLIC OF CHINA", "CN"],
  ["PRC", "CN"],
  ["ROC", "TW"],
  ["BRD", "DE"],
  ["FEDERAL REPUBLIC OF GERMANY", "DE"]
]

/** Languages in which country names are recognised. */
const languages = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "tr", "ja", "zh", "ko"]

/** Removes case, accents and punctuation, so that `U.S.A` equals `usa`. */
const keyOf = (name: string) =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[.'’,()]/g, "")
    .replace(/&/g, "AND")
    .replace(/\s+/g, " ")
    .trim()
    .toUpperCase()

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
  const codeOf = new Map<string, string>()
  const taken = new Set<string>()
  // Skip a name that means different countries in two languages.
  for (const language of languages.toReversed()) {
    const local = new Intl.DisplayNames([language], { type: "region", fallback: "none" })
    for (const code of nameOf.keys()) {
      const name = local.of(code)
      if (name === undefined) continue
      const key = keyOf(name)
      const other = codeOf.get(key)
      if (other !== undefined && other !== code && language !== "en") taken.add(key)
      codeOf.set(key, code)
    }
  }
  for (const key of taken) codeOf.delete(key)
  for (const [code, name] of nameOf) codeOf.set(keyOf(name), code)
  for (const [, long, short] of threeLetters.matchAll(/(\w{3}) (\w{2})/g)) codeOf.set(`${long}`, `${short}`)
  for (const [name, code] of alsoCalled) codeOf.set(name, code)
  for (const code of nameOf.keys()) codeOf.set(code, code)
  return { nameOf, codeOf }
}

let made: ReturnType<typeof makeTables> | undefined
const tables = () => (made ??= makeTables())

/** The code of a country; text that names none stays as it is. */
export const countryCodeOf = (native: unknown): string | null => {
  const text = String(native).trim()
  if (text === "") return null
  const { codeOf } = tables()
  return codeOf.get(text) ?? codeOf.get(keyOf(text)) ?? text
}

/**
 * A two-letter code here, free text there (QuickBooks Online, Xero). Text that is surely a country reads as its code, other
 * text as it is; a code is written as the country's English name.
 */
export const country: Transform = {
  name: "country",
  keepsHeld: true,
  decode: countryCodeOf,
  encode: (canonical) => tables().nameOf.get(String(canonical).toUpperCase()) ?? canonical
}

/** A two-letter code on both sides. Text that people entered at the provider reads as its code, or as it is. */
export const countryCode: Transform = {
  name: "countryCode",
  keepsHeld: true,
  decode: countryCodeOf,
  encode: (canonical) => canonical
}
