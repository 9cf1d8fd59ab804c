import { field, labelled, readField, slots, streetLines } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { association } from "./Association.ts"
import { emailAddresses } from "./EmailAddresses.ts"
import { objectMapping } from "./ObjectMapping.ts"
import { objects } from "./Objects.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/contacts
// https://knowledge.hubspot.com/properties/hubspots-default-contact-properties

const mapping = objectMapping("contacts", [
  field("first_name", "properties.firstname", text),
  field("last_name", "properties.lastname", text),
  association("account", { to: "companies", type: "contact_to_company", typeId: 1 }),
  field("owner", "properties.hubspot_owner_id", text),
  field("title", "properties.jobtitle", text),
  slots("addresses", "address_type", [
    {
      is: null,
      entries: [
        streetLines("properties.address"),
        field("city", "properties.city", text),
        field("state", "properties.state", text),
        field("postal_code", "properties.zip", text),
        field("country", "properties.country", text)
      ]
    }
  ]),
  emailAddresses,
  labelled(
    "phone_numbers",
    "phone_number_type",
    "phone_number",
    { WORK: "properties.phone", MOBILE: "properties.mobilephone", FAX: "properties.fax" },
    text
  ),
  readField("last_activity_at", "properties.notes_last_updated", dateTime)
])

export const contact = (call: Caller): ResourceAdapter => objects(call, mapping)
