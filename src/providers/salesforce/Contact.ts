import { Contact } from "../../canonical/crm/Contact.ts"
import { day, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { beginsName, digits, equals, refers } from "./Conditions.ts"
import { isPerson } from "./PersonAccounts.ts"
import { address, deleted, emailAddress, mappingOf, stamps } from "./Common.ts"
import type { Org } from "./Org.ts"
import { searched } from "./Search.ts"
import { sobject } from "./SObjects.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contact.htm */
const type = "Contact"

const mapping = mappingOf(Contact, (of) => [
  of.variant({
    nativeType: type,
    entries: [
      ...stamps(of),
      deleted(of),
      of.field("first_name", "FirstName", text),
      of.field("last_name", "LastName", text),
      of.field("account", "AccountId", text),
      of.field("owner", "OwnerId", text),
      of.field("title", "Title", text),
      of.slots("addresses", "address_type", (of) => [address(of, "Mailing", null), address(of, "Other", null)]),
      emailAddress(of),
      of.labelled(
        "phone_numbers",
        "phone_number_type",
        "phone_number",
        { WORK: "Phone", MOBILE: "MobilePhone", HOME: "HomePhone", OTHER: "OtherPhone", FAX: "Fax" },
        text
      ),
      of.readField("last_activity_at", "LastActivityDate", day)
    ],
    notHeld: {}
  })
])

export const contact = (org: Org): ResourceAdapter => ({
  mapping,
  needs: ["last_name"],
  consistency: "exact",
  duplicates: "allow",
  ...sobject(org, {
    type,
    companions: { AccountId: [isPerson] },
    fixed: ({ AccountId, [isPerson]: is }) =>
      is === true
        ? { AccountId: `is always ${String(AccountId)}: Salesforce holds this contact and that account as one person` }
        : {},
    clauses: {
      email: equals("Email"),
      phone: digits("Phone", "MobilePhone", "HomePhone", "OtherPhone", "Fax"),
      name: beginsName(),
      account: refers("AccountId"),
      owner: refers("OwnerId"),
      q: searched(org, type)
    }
  })
})
