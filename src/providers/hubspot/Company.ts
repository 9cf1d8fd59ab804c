import { Company } from "../../canonical/crm/Company.ts"
import { dateTime, integerString, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/companies
// https://knowledge.hubspot.com/properties/hubspot-crm-default-company-properties

const mapping = objectMapping(Company, (of) => [
  {
    nativeType: "companies",
    entries: [
      of.field("name", "properties.name", text),
      of.field("description", "properties.description", text),
      of.field("industry", "properties.industry", text),
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
            of.field("country", "properties.country", text)
          ]
        }
      ]),
      of.labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "properties.phone" }, text),
      of.readField("last_activity_at", "properties.notes_last_updated", dateTime)
    ]
  }
])

export const company = (call: Caller, typeOf: LinkTypes): ResourceAdapter => objects(call, typeOf, mapping)
