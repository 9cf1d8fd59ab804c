import { Company } from "../../canonical/crm/Company.ts"
import { countryCode } from "../../mapping/Country.ts"
import { closest } from "../../mapping/Closest.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { dateTime, integerString, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { begins, common, hosts, stamped } from "./Clauses.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"
import { optionsIn } from "./Properties.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/companies
// https://knowledge.hubspot.com/properties/hubspot-crm-default-company-properties

const mapping = objectMapping(Company, (of) => [
  of.variant({
    nativeType: "companies",
    entries: [
      of.field("name", "properties.name", text),
      of.field("description", "properties.description", text),
      of.computed({
        canonical: "industry",
        native: ["properties.industry"],
        encodeLookups: ["industries"],
        decode: ({ record }, context) => text.decode(getPath(record, "properties.industry") ?? "", context),
        encode: (value, { lookups, prefix, set, warn }) => {
          if (value === null) return set("properties.industry", "")
          const path = `${prefix}industry`
          const spellings = optionsIn(lookups.industries).flatMap(({ label, value }) => [
            { text: value, value },
            { text: label, value }
          ])
          const named = closest(value, spellings, ({ text }) => text)?.value
          if (named === undefined) return warn(path, "NOT_HELD", "is not one of the industries that the account has")
          if (named !== value) warn(path, "CHANGED", `is held as ${named}`)
          set("properties.industry", named)
        }
      }),
      of.field("website", "properties.website", text),
      of.field("number_of_employees", "properties.numberofemployees", integerString),
      of.field("owner", "properties.hubspot_owner_id", text),
      of.slots("addresses", "address_type", (of) => [
        {
          is: null,
          entries: [
            of.field("street_1", "properties.address", text),
            of.field("street_2", "properties.address2", text),
            of.field("city", "properties.city", text),
            of.field("state", "properties.state", text),
            of.field("postal_code", "properties.zip", text),
            of.field("country", "properties.country", countryCode)
          ]
        }
      ]),
      of.labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "properties.phone" }, text),
      of.readField("last_activity_at", "properties.notes_last_updated", dateTime)
    ],
    notHeld: {}
  })
])

const filters = {
  companies: {
    ...stamped("createdate", "hs_lastmodifieddate"),
    ...common,
    name: begins("name"),
    domain: hosts("website")
  }
}

export const company = (call: Caller, typeOf: LinkTypes): ResourceAdapter => objects(call, typeOf, mapping, { filters })
