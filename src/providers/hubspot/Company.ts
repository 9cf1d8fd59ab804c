import { field, labelled, readField, slots } from "../../mapping/Mapping.ts"
import { dateTime, integerString, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/companies
// https://knowledge.hubspot.com/properties/hubspot-crm-default-company-properties

const mapping = objectMapping({
  nativeType: "companies",
  entries: [
    field("name", "properties.name", text),
    field("description", "properties.description", text),
    field("industry", "properties.industry", text),
    field("website", "properties.website", text),
    field("number_of_employees", "properties.numberofemployees", integerString),
    field("owner", "properties.hubspot_owner_id", text),
    slots("addresses", "address_type", [
      {
        is: null,
        entries: [
          field("street_1", "properties.address", text),
          field("street_2", "properties.address2", text),
          field("city", "properties.city", text),
          field("state", "properties.state", text),
          field("postal_code", "properties.zip", text),
          field("country", "properties.country", text)
        ]
      }
    ]),
    labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "properties.phone" }, text),
    readField("last_activity_at", "properties.notes_last_updated", dateTime)
  ]
})

export const company = (call: Caller, typeOf: LinkTypes): ResourceAdapter => objects(call, typeOf, mapping)
