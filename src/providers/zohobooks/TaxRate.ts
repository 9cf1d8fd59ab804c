import { Decimal } from "decimal.js"
import { TaxRate } from "../../canonical/accounting/TaxRate.ts"
import { TaxComponent } from "../../canonical/accounting/Nested.ts"
import { template } from "../../mapping/Decode.ts"
import { computed } from "../../mapping/Entries.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { company, mappingOf, unstamped } from "./Common.ts"
import { type Kind, records } from "./Records.ts"

/**
 * Taxes; each is a rate of its own. A group of several is listed among them, and made where its parts are.
 * https://www.zoho.com/books/api/v3/taxes/
 */

const isCompound = ({ is_compound }: Native) => is_compound === true

const sumOf = (all: ReadonlyArray<Native>) =>
  all.reduce((sum, { rate }) => sum.plus(typeof rate === "number" ? rate : 0), new Decimal(0))

/** The components that count: those of sales, else those of purchases. */
const charging = (value: unknown): ReadonlyArray<Native> => {
  const all = natives(value)
  const sales = all.filter(({ component_type }) => component_type !== "PURCHASE")
  return sales.length > 0 ? sales : all
}

/** The percentage that all together add: those on top of the others are charged on their tax too. */
const effective = (all: ReadonlyArray<Native>) => {
  const plain = sumOf(all.filter((one) => !isCompound(one)))
  return plain.plus(sumOf(all.filter(isCompound)).times(plain.div(100).plus(1)))
}

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
  encode: (value, { body, current, get, prefix, refuse, set, warn }) => {
    const all = charging(value)
    const [first, ...more] = all
    if (first === undefined) return
    const path = `${prefix}tax_components`
    const plain = sumOf(all)
    if (typeof body.total_tax_rate === "number" && !plain.equals(body.total_tax_rate)) {
      refuse(`${prefix}total_tax_rate`, "is not the sum of tax_components")
    }
    const rate = more.length === 0 ? plain : effective(all)
    if (more.length > 0) warn(path, "CHANGED", `are held as one of ${String(rate)} percent`)
    else if (![get("tax_name"), current?.record.tax_name].includes(first.name)) {
      warn(`${path}.0.name`, "CHANGED", "is the name of the tax rate, which has one component")
    }
    if (!rate.equals(Number(get("tax_percentage")))) set("tax_percentage", rate.toNumber())
    const type = more.length === 0 && first.is_compound === true ? "compound_tax" : "tax"
    if (type !== get("tax_type")) set("tax_type", type)
  }
})

const mapping = mappingOf(TaxRate, (of) => [
  of.variant({
    nativeType: "tax",
    entries: [
      ...unstamped(of, "tax_id"),
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
    ],
    notHeld: {
      code: "Zoho Books taxes have no code.",
      description: "Zoho Books taxes have no description.",
      remote_created_at: "Zoho Books does not say when a tax was created.",
      remote_updated_at: "Zoho Books does not say when a tax was changed."
    }
  })
])

export const taxes: Kind = { nativeType: "tax", path: "settings/taxes", list: "taxes", id: "tax_id" }

export const taxRate = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, [taxes]),
  nullInLists: ["country"],
  rules: [{ rule: "oneOf", fields: ["total_tax_rate", "tax_components"] }]
})
