import { TaxRate } from "../../canonical/accounting/TaxRate.ts"
import { TaxComponent } from "../../canonical/accounting/Nested.ts"
import { template } from "../../mapping/Decode.ts"
import { computed } from "../../mapping/Entries.ts"
import { natives } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { company, identity, mappingOf } from "./Common.ts"
import { type Kind, records } from "./Records.ts"

/**
 * Taxes; each is a rate of its own. A group of several is listed among them, and made where its parts are.
 * https://www.zoho.com/books/api/v3/taxes/
 */

/** The one part that a tax has. */
const components = computed({
  canonical: "tax_components",
  native: ["tax_id", "tax_name", "tax_percentage", "tax_type"],
  needsCurrent: true,
  decode: ({ record: { tax_id, tax_name, tax_percentage, tax_type } }) =>
    tax_type === "tax_group"
      ? []
      : [
          {
            ...template(TaxComponent.fields),
            remote_id: tax_id,
            name: tax_name,
            rate: tax_percentage,
            is_compound: tax_type === "compound_tax",
            remote_was_deleted: false
          }
        ],
  encode: (value, { body, current, get, prefix, refuse, set }) => {
    const [one, ...more] = natives(value)
    if (one === undefined) return
    if (more.length > 0) refuse(`${prefix}tax_components.1`, "Zoho Books has a tax of its own for each rate")
    if (![get("tax_name"), current?.record.tax_name].includes(one.name)) {
      refuse(`${prefix}tax_components.0.name`, "is the name of the tax rate, which has one component")
    }
    if (typeof body.total_tax_rate === "number" && body.total_tax_rate !== one.rate) {
      refuse(`${prefix}total_tax_rate`, "is the rate of its one component")
    }
    if (one.rate !== get("tax_percentage")) set("tax_percentage", one.rate)
    const type = one.is_compound === true ? "compound_tax" : "tax"
    if (type !== get("tax_type")) set("tax_type", type)
  }
})

const mapping = mappingOf(TaxRate, (of) => [
  {
    nativeType: "tax",
    entries: [
      ...identity(of, "tax_id"),
      of.field("name", "tax_name", text),
      of.constant("status", "ACTIVE"),
      of.field("country", "country_code", text),
      of.computed({
        canonical: "total_tax_rate",
        native: ["tax_percentage"],
        decode: ({ record }, context) => number.decode(record.tax_percentage, context),
        encode: (value, { set }) => {
          if (value !== null) set("tax_percentage", value)
        }
      }),
      of.readField("effective_tax_rate", "tax_percentage", number),
      components(of),
      company(of)
    ]
  }
])

export const taxes: Kind = { nativeType: "tax", path: "settings/taxes", list: "taxes", id: "tax_id" }

export const taxRate = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, [taxes]),
  nullInLists: ["country"],
  rules: [{ rule: "oneOf", fields: ["total_tax_rate", "tax_components"] }]
})
