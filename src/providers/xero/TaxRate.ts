import { TaxRate } from "../../canonical/accounting/TaxRate.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { boolean, number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { archiving, company, identity, mappingOf } from "./Common.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Tax rates are known by their tax type, which Xero gives to those that a company adds. Its own cannot be changed.
 * https://developer.xero.com/documentation/api/accounting/taxrates
 */

const mapping = mappingOf(TaxRate, (of) => [
  {
    nativeType: "TaxRate",
    entries: [
      ...identity(of, "TaxType"),
      of.field("name", "Name", text),
      of.computed({
        canonical: "code",
        native: ["TaxType"],
        needsCurrent: true,
        decode: ({ record }) => record.TaxType,
        encode: (value, { get, prefix, refuse }) => {
          if (value !== null && value !== get("TaxType")) refuse(`${prefix}code`, "is given by Xero; leave it out")
        }
      }),
      archiving(of, "Status", "ARCHIVED"),
      of.computed({
        canonical: "country",
        native: [],
        lookups: ["organisation"],
        decode: ({ lookups }) => getPath(lookups, "organisation.CountryCode")
      }),
      of.readField("total_tax_rate", "DisplayTaxRate", number),
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
      company(of)
    ]
  }
])

const taxRates: Kind = {
  nativeType: "TaxRate",
  endpoint: "TaxRates",
  id: "TaxType",
  isNamed: true,
  always: ({ Name, TaxComponents }) => ({ Name, TaxComponents }),
  ending: () => ({ Status: "DELETED" })
}

export const taxRate = (call: Caller) => ({ ...objects(call, mapping, taxRates), needs: ["tax_components"] })
