import { Effect } from "effect"
import { CompanyInfo } from "../../canonical/accounting/CompanyInfo.ts"
import { computed } from "../../mapping/Entries.ts"
import { onlyRead } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { addressAt } from "./Addresses.ts"
import { currency, noCreationTime, undated } from "./Common.ts"
import { modified } from "./Conditions.ts"
import { records } from "./Records.ts"
import { subsidiaries } from "./Subsidiaries.ts"
import type { Suite } from "./Suite.ts"

/**
 * Subsidiaries are the legal entities of a OneWorld account; other accounts have no record of their company.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_159854586493.html
 */

const urls = computed({
  canonical: "urls",
  native: ["url"],
  decode: ({ record: { url } }) => (typeof url === "string" && url !== "" ? [url] : []),
  encode: (value, { prefix, set, warn }) => {
    const given: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    const [first, ...more] = given
    for (const i of more.keys()) warn(`${prefix}urls.${i + 1}`, "NOT_HELD", "NetSuite holds one here")
    set("url", first ?? null)
  }
})

const noFiscalYear = "A NetSuite subsidiary does not state its fiscal year; the accounting periods do."

const mapping = plainMapping(CompanyInfo, (of) => [
  of.variant({
    nativeType: "subsidiary",
    entries: [
      ...undated(of),
      of.field("name", "name", text),
      of.field("legal_name", "legalName", text),
      of.field("tax_number", "federalIdNumber", text),
      onlyRead(currency(of)),
      urls(of),
      of.slots("addresses", "type", (of) => [
        { is: null, entries: addressAt(of, "mainAddress") },
        { is: "SHIPPING", entries: addressAt(of, "shippingAddress") }
      ])
    ],
    notHeld: {
      remote_created_at: noCreationTime("subsidiaries"),
      fiscal_year_end_month: noFiscalYear,
      fiscal_year_end_day: noFiscalYear,
      phone_numbers: "A NetSuite subsidiary holds a fax number alone, which is listed as a phone_number record."
    }
  })
])

export const companyInfo = (own: Suite): ResourceAdapter => {
  const all = records(own, mapping, [
    { name: "subsidiary", list: { select: subsidiaries, filters: modified("s.lastmodifieddate") } }
  ])
  const { create: _, list, remove: __, ...verbs } = all
  return {
    ...verbs,
    list: (request) =>
      Effect.flatMap(own.oneWorld(request.connection), (isOneWorld) =>
        isOneWorld ? list(request) : Effect.succeed({ records: [], next: null })
      )
  }
}
