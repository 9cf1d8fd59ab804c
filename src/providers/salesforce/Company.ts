import { field, labelled, readField, slots } from "../../mapping/Mapping.ts"
import { day, integer, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { address, deleted, mappingOf, stamps } from "./Common.ts"
import type { Org } from "./Org.ts"
import { sobject } from "./SObjects.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_account.htm */
const type = "Account"

const mapping = mappingOf(type, [
  ...stamps,
  deleted,
  field("name", "Name", text),
  field("description", "Description", text),
  field("industry", "Industry", text),
  field("website", "Website", text),
  field("number_of_employees", "NumberOfEmployees", integer),
  field("owner", "OwnerId", text),
  slots("addresses", "address_type", [address("Billing", "BILLING"), address("Shipping", "SHIPPING")]),
  labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "Phone", FAX: "Fax" }, text),
  readField("last_activity_at", "LastActivityDate", day)
])

export const company = (org: Org): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  ...sobject(org, { type })
})
