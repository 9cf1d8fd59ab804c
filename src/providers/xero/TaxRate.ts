import { Decimal } from "decimal.js"
import { TaxRate } from "../../canonical/accounting/TaxRate.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { boolean, number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { archiving, company, mappingOf, unstampedIdentity } from "./Common.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Tax rates are known by their tax type, which Xero gives to those that a company adds. Its own cannot be changed.
 * https://developer.xero.com/documentation/api/accounting/taxrates
 */

/** The sum of the components. Without components it is the rate of the only one. */
const total = computed({
  canonical: "total_tax_rate",
  native: ["DisplayTaxRate"],
  needsCurrent: true,
  decode: ({ record }, context) => number.decode(record.DisplayTaxRate, context),
  encode: (value, { body, current, prefix, refuse, set }) => {
    if (typeof value !== "number") return
    const given = natives(body.tax_components)
    const [held, ...more] = natives(current?.record.TaxComponents)
    const rates = given.length > 0 ? given.map(({ rate }) => rate) : [held, ...more].map((one) => one?.Rate)
    const sum = Decimal.sum(0, ...rates.map((rate) => Number(rate ?? 0)))
    if (given.length === 0 && more.length === 0) {
      set("TaxComponents", [{ Name: body.name ?? current?.record.Name, ...held, Rate: value }])
    } else if (!sum.eq(value) && !given.some((one) => one.is_compound === true)) {
      refuse(`${prefix}total_tax_rate`, `is ${sum.toString()}, what tax_components come to; give those`)
    }
  }
})

const noTimes = "Xero states no timestamps for tax rates."

const mapping = mappingOf(TaxRate, (of) => [
  of.variant({
    nativeType: "TaxRate",
    entries: [
      ...unstampedIdentity(of, "TaxType"),
      of.field("name", "Name", text),
      of.computed({
        canonical: "code",
        native: ["TaxType"],
        decode: ({ record }) => record.TaxType
      }),
      archiving(of, "Status", "ARCHIVED"),
      of.computed({
        canonical: "country",
        native: [],
        lookups: ["organisation"],
        decode: ({ lookups }) => getPath(lookups, "organisation.CountryCode")
      }),
      of.readField("effective_tax_rate", "EffectiveRate", number),
      of.lines("tax_components", {
        native: "TaxComponents",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.field("name", "Name", text),
              of.field("rate", "Rate", number),
              of.field("is_compound", "IsCompound", boolean),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      }),
      total(of),
      company(of)
    ],
    notHeld: {
      remote_created_at: noTimes,
      remote_updated_at: noTimes,
      description: "Xero tax rates have a name and no description."
    }
  })
])

const taxRates: Kind = {
  nativeType: "TaxRate",
  endpoint: "TaxRates",
  id: "TaxType",
  isNamed: true,
  always: ({ Name, TaxComponents }) => ({ Name, TaxComponents }),
  ending: () => ({ Status: "DELETED" })
}

export const taxRate = (call: Caller): ResourceAdapter => ({
  ...objects(call, mapping, taxRates),
  rules: [{ rule: "oneOf", fields: ["total_tax_rate", "tax_components"] }]
})
