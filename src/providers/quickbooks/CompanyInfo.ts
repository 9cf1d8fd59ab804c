import { Effect } from "effect"
import { CompanyInfo } from "../../canonical/accounting/CompanyInfo.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Calendar } from "../base/Report.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Target } from "../ProviderAdapter.ts"
import { Missing, ProviderError } from "../ProviderError.ts"
import { addressAt, homeCurrency, identity } from "./Common.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"

/**
 * The company file: one record, read by the company's realm id. The preferences hold its currency.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/companyinfo
 */

const months = "January February March April May June July August September October November December".split(" ")

/** First month of the fiscal year; 0 is January. */
const firstMonth = (record: unknown) => Math.max(0, months.indexOf(String(getPath(record, "FiscalYearStartMonth"))))

const yearEnd = <N extends string>(of: Entries<N>, canonical: N, read: (lastDay: Date) => number) =>
  of.computed({
    canonical,
    native: ["FiscalYearStartMonth"],
    // the day before the first of the month; in 2001 February has 28
    decode: ({ record }) => read(new Date(Date.UTC(2001, firstMonth(record), 0)))
  })

const urls = computed({
  canonical: "urls",
  native: ["WebAddr"],
  decode: ({ record }) => {
    const uri = getPath(record, "WebAddr.URI")
    return typeof uri === "string" && uri !== "" ? [uri] : []
  },
  encode: (value, { prefix, set, warn }) => {
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    const [first, ...more] = all
    for (const i of more.keys()) warn(`${prefix}urls.${i + 1}`, "NOT_HELD", "QuickBooks Online holds one here")
    set("WebAddr.URI", first ?? null)
  }
})

const mapping = plainMapping(CompanyInfo, (of) => [
  of.variant({
    nativeType: "CompanyInfo",
    entries: [
      ...identity(of),
      of.field("name", "CompanyName", text),
      of.field("legal_name", "LegalName", text),
      of.field("tax_number", "EmployerId", text),
      yearEnd(of, "fiscal_year_end_month", (day) => day.getUTCMonth() + 1),
      yearEnd(of, "fiscal_year_end_day", (day) => day.getUTCDate()),
      of.computed({
        canonical: "currency",
        native: [],
        lookups: ["preferences"],
        decode: ({ lookups }) => homeCurrency(lookups)
      }),
      urls(of),
      of.slots("addresses", "type", (of) => [
        { is: "BILLING", entries: addressAt(of, "CompanyAddr") },
        { is: "BILLING", entries: addressAt(of, "CustomerCommunicationAddr") },
        { is: null, entries: addressAt(of, "LegalAddr") }
      ]),
      of.labelled("phone_numbers", "type", "number", { MAIN: "PrimaryPhone.FreeFormNumber" }, text)
    ],
    notHeld: {}
  })
])

/** The start of a company's fiscal year, and its time zone. */
export const calendarOf = (company: Native): Calendar => {
  const zone = company.DefaultTimeZone
  return {
    yearStart: `${String(firstMonth(company) + 1).padStart(2, "0")}-01`,
    zone: typeof zone === "string" ? zone : undefined
  }
}

/** Reads the calendar, for reports that do not state their period. */
export const calendar =
  ({ recent }: Books) =>
  (connection: ConnectionRef): Effect.Effect<Calendar, ProviderError> =>
    Effect.map(recent.company(connection), calendarOf)

export const companyInfo = (books: Books) => {
  // not a name list, so never inactive; and there is only one company
  const {
    create: _,
    getMany: __,
    remove: ___,
    ...verbs
  } = entities(books, mapping, [{ name: "CompanyInfo", removal: "delete", isForgotten: true }])
  return {
    ...verbs,
    get: ({ connection, id, variant }: Target) =>
      Effect.flatMap(books.company(connection), (record) =>
        String(record.Id) === id
          ? Effect.succeed({ nativeType: variant.nativeType, record })
          : Effect.fail(
              new ProviderError({ provider: "quickbooks", operation: "CompanyInfo.get", reason: new Missing() })
            )
      )
  }
}
