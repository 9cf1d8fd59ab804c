import { field, labelled, readField, slots } from "../../mapping/Mapping.ts"
import { day, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { address, deleted, emailAddress, mappingOf, stamps } from "./Common.ts"
import type { Org } from "./Org.ts"
import { sobject } from "./SObjects.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contact.htm */
const type = "Contact"

const mapping = mappingOf(type, [
  ...stamps,
  deleted,
  field("first_name", "FirstName", text),
  field("last_name", "LastName", text),
  field("account", "AccountId", text),
  field("owner", "OwnerId", text),
  field("title", "Title", text),
  slots("addresses", "address_type", [address("Mailing", null), address("Other", null)]),
  emailAddress,
  labelled(
    "phone_numbers",
    "phone_number_type",
    "phone_number",
    { WORK: "Phone", MOBILE: "MobilePhone", HOME: "HomePhone", OTHER: "OtherPhone", FAX: "Fax" },
    text
  ),
  readField("last_activity_at", "LastActivityDate", day)
])

export const contact = (org: Org): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  ...sobject(org, { type })
})
