import { Company } from "../../canonical/crm/Company.ts"
import { day, integer, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { begins, host, refers } from "./Conditions.ts"
import { isPerson, personContact } from "./PersonAccounts.ts"
import { address, deleted, mappingOf, stamps } from "./Common.ts"
import type { Org } from "./Org.ts"
import { searched } from "./Search.ts"
import { sobject } from "./SObjects.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_account.htm */
const type = "Account"

const mapping = mappingOf(Company, (of) => [
  of.variant({
    nativeType: type,
    entries: [
      ...stamps(of),
      deleted(of),
      of.field("name", "Name", text),
      of.field("description", "Description", text),
      of.field("industry", "Industry", text),
      of.field("website", "Website", text),
      of.field("number_of_employees", "NumberOfEmployees", integer),
      of.field("owner", "OwnerId", text),
      of.slots("addresses", "address_type", (of) => [
        address(of, "Billing", "BILLING"),
        address(of, "Shipping", "SHIPPING")
      ]),
      of.labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "Phone", FAX: "Fax" }, text),
      of.readField("last_activity_at", "LastActivityDate", day)
    ],
    notHeld: {}
  })
])

export const company = (org: Org): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  duplicates: "allow",
  ...sobject(org, {
    type,
    companions: { Name: [isPerson, personContact] },
    listed: ({ readable }) => (readable.has(isPerson) ? `${isPerson} = false` : undefined),
    fixed: ({ [isPerson]: is, [personContact]: contact }) =>
      is === true
        ? { Name: `is the name of a person: change first_name and last_name of contact ${String(contact)} instead` }
        : {},
    clauses: {
      name: begins("Name"),
      domain: host("Website"),
      owner: refers("OwnerId"),
      q: searched(org, type)
    }
  })
})
