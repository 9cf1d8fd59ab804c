import { computed, constant, field, getPath, lines, readField } from "../../mapping/Mapping.ts"
import { boolean, number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { archiving, company, identity, mappingOf } from "./Common.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Tax rates are known by their tax type, which Xero gives to those that a company adds. Its own cannot be changed.
 * https://developer.xero.com/documentation/api/accounting/taxrates
 */

const mapping = mappingOf([
  {
    nativeType: "TaxRate",
    entries: [
      ...identity("TaxType"),
      field("name", "Name", text),
      computed({
        canonical: "code",
        native: ["TaxType"],
        needsCurrent: true,
        decode: ({ record }) => record.TaxType,
        encode: (value, { get, prefix, refuse }) => {
          if (value !== null && value !== get("TaxType")) refuse(`${prefix}code`, "is given by Xero; leave it out")
        }
      }),
      archiving("Status", "ARCHIVED"),
      computed({
        canonical: "country",
        native: [],
        lookups: ["organisation"],
        decode: ({ lookups }) => getPath(lookups, "organisation.CountryCode")
      }),
      readField("total_tax_rate", "DisplayTaxRate", number),
      readField("effective_tax_rate", "EffectiveRate", number),
      lines({
        canonical: "tax_components",
        native: "TaxComponents",
        forms: [
          {
            where: {},
            entries: [
              field("name", "Name", text),
              field("rate", "Rate", number),
              field("is_compound", "IsCompound", boolean),
              constant("remote_was_deleted", false)
            ]
          }
        ]
      }),
      company
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
