import type { NonEmptyReadonlyArray } from "effect/Array"
import { type Locale, locales, type Written } from "./SampleLocales.ts"

/** A person as any CRM or ledger might hold one. Every field is filled; a simulator leaves out what it likes. */
export interface SamplePerson {
  readonly first: string
  readonly last: string
  readonly title: string
  /** Lower-case ASCII; different for every person; at the company's domain. */
  readonly email: string
  /** International, with spaces or hyphens. */
  readonly phone: string
  readonly mobile: string
  readonly street: string
  readonly city: string
  /** State, county, prefecture…; empty where the address has none. */
  readonly region: string
  readonly postal: string
  /** English name. */
  readonly country: string
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string
  /** Index of the employer in `companies(among)`. */
  readonly company: number
}

export interface SampleCompany {
  readonly name: string
  /** Different for every company; under `.example`, which no one owns. */
  readonly domain: string
  /** An industry in English, such as `Food & Beverages`. */
  readonly industry: string
  readonly employees: number
  /** A year's revenue in whole US dollars. */
  readonly revenue: number
  readonly phone: string
  readonly street: string
  readonly city: string
  readonly region: string
  readonly postal: string
  readonly country: string
  readonly countryCode: string
}

/** A generator of numbers from 0 to below 1, the same for the same seed (mulberry32). */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** An element of a list, at random. */
export const pick = <A>(next: () => number, list: NonEmptyReadonlyArray<A>): A =>
  list[Math.floor(next() * list.length)] ?? list[0]

/** Industries of the sample companies. */
export const industries = [
  "Information Technology and Services",
  "Logistics and Supply Chain",
  "Machinery",
  "Food & Beverages",
  "Construction",
  "Hospital & Health Care",
  "Textiles",
  "Retail",
  "Renewables & Environment",
  "Financial Services",
  "Publishing",
  "Wine and Spirits"
] as const

/** Industries by patterns of company names. */
const trades: ReadonlyArray<readonly [RegExp, (typeof industries)[number]]> = [
  [/freight|logist|transport|naftil|marine|rope/, "Logistics and Supply Chain"],
  [/analytics|software|elekt|elektronik|grid/, "Information Technology and Services"],
  [/food|backer|piekarnia|mariscos|aceites|cafe|cremerie|spice|gida|livsmedel|seika|elaiones/, "Food & Beverages"],
  [/vignobles|shuzo/, "Wine and Spirits"],
  [/fasteners|maschinen|robotics|instruments|seiki|verktyg/, "Machinery"],
  [/constru|roofing|yapi|marmara|travaru/, "Construction"],
  [/health|dental|pharma|laborat/, "Hospital & Health Care"],
  [/textil|tekstil/, "Textiles"],
  [/energ/, "Renewables & Environment"],
  [/capital/, "Financial Services"],
  [/publishing|media|learning/, "Publishing"],
  [/interiors|meble|ceramic|keramiki|szkla|atelier|packaging|lumiere/, "Retail"]
]

const titles = [
  "Head of Operations",
  "Purchasing Manager",
  "Chief Financial Officer",
  "IT Manager",
  "Accounts Payable Specialist",
  "Founder & CEO",
  "Office Manager",
  "VP of Sales",
  "Procurement Lead",
  "Marketing Director"
] as const

const written = (name: Written): string => (typeof name === "string" ? name : name[0])

const unaccented: { readonly [letter: string]: string } = { ß: "ss", ø: "o", ł: "l", ı: "i", æ: "ae" }

/** A name in the letters that email addresses and host names allow. */
const slug = (name: Written): string =>
  (typeof name === "string" ? name : name[1])
    .normalize("NFD")
    .replace(/[\u0300-\u036F]/g, "")
    .toLowerCase()
    .replace(/[ßøłıæ]/g, (letter) => unaccented[letter] ?? letter)
    .replace(/&/g, " and ")
    .replace(/'/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

const digits = (next: () => number, pattern: string): string =>
  pattern.replace(/#/g, () => String(Math.floor(next() * 10)))

const address = (next: () => number, locale: Locale) => {
  const [city, region, postal] = pick(next, locale.cities)
  const street = pick(next, locale.streets).replace("#", String(1 + Math.floor(next() * 180)))
  return { street, city, region, postal, country: locale.country, countryCode: locale.countryCode }
}

const localeOf = (company: number): Locale => locales[company % locales.length] ?? locales[0]

/** The name of a company: one from its country's list, then pairs of family names. */
const nameOf = (company: number): Written => {
  const locale = localeOf(company)
  const places = locales.flatMap((one, index) => (one === locale ? [index] : []))
  const turn = Math.floor(company / locales.length) * places.length + places.indexOf(company % locales.length)
  const listed = locale.companies[turn]
  if (listed !== undefined) return listed
  const rest = turn - locale.companies.length
  const a = locale.lasts[rest % locale.lasts.length] ?? locale.lasts[0]
  const b = locale.lasts[Math.floor(rest / locale.lasts.length) % locale.lasts.length] ?? locale.lasts[0]
  return [`${written(a)} & ${written(b)} ${locale.form}`, `${slug(a)}-${slug(b)}`]
}

const companyAt = (index: number): SampleCompany => {
  const next = random(1000 + index)
  const name = nameOf(index)
  const employees = Math.round(4 * 10 ** (next() * 2.6))
  const anyIndustry = pick(next, industries)
  return {
    name: written(name),
    domain: `${slug(name)}.example`,
    industry: trades.find(([words]) => words.test(slug(name)))?.[1] ?? anyIndustry,
    employees,
    revenue: employees * (60 + Math.floor(next() * 180)) * 1000,
    phone: digits(next, localeOf(index).phone),
    ...address(next, localeOf(index))
  }
}

const personAt = (index: number, among: number) => {
  const next = random(500_000 + index)
  // everyone has an employer, and each company has someone
  const company = index < among ? index : Math.floor(next() * among)
  const home = localeOf(company)
  // most are from where the company is
  const origin = next() < 0.8 ? home : pick(next, locales)
  const first = pick(next, origin.firsts)
  const last = pick(next, origin.lasts)
  return {
    mailbox: `${slug(first)}.${slug(last)}`,
    person: {
      first: written(first),
      last: written(last),
      title: pick(next, [...titles, ...home.titles]),
      phone: digits(next, home.phone),
      mobile: digits(next, home.mobile),
      ...address(next, home),
      company
    }
  }
}

/** The first `n` companies of an endless list that is always the same. */
export const companies = (n: number): ReadonlyArray<SampleCompany> =>
  Array.from({ length: n }, (_, index) => companyAt(index))

/** The first `n` people who work at the first `among` companies; always the same for the same `among`. */
export const people = (n: number, among = 60): ReadonlyArray<SamplePerson> => {
  const taken = new Map<string, number>()
  return Array.from({ length: n }, (_, index) => {
    const { mailbox, person } = personAt(index, among)
    const mail = `${mailbox}@${companyAt(person.company).domain}`
    const namesakes = (taken.get(mail) ?? 0) + 1
    taken.set(mail, namesakes)
    return { ...person, email: namesakes === 1 ? mail : mail.replace("@", `${namesakes}@`) }
  })
}
