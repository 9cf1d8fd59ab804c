import { Contact } from "../../canonical/crm/Contact.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { Metadata } from "./Columns.ts"
import { address, emailAddresses, lookup, mappingOf, owner, stamps } from "./Common.ts"
import { equals, refers, word } from "./Criteria.ts"
import { beginsName } from "./Name.ts"
import { records } from "./Records.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html
const mapping = mappingOf(Contact, (of) => [
  of.variant({
    nativeType: "Contacts",
    entries: [
      ...stamps(of),
      of.field("first_name", "First_Name", text),
      of.field("last_name", "Last_Name", text),
      of.field("account", "Account_Name", lookup),
      owner(of),
      of.field("title", "Title", text),
      of.slots("addresses", "address_type", (of) => [
        address(of, "Mailing_", "Zip", null),
        address(of, "Other_", "Zip", null)
      ]),
      emailAddresses(of),
      of.labelled(
        "phone_numbers",
        "phone_number_type",
        "phone_number",
        { WORK: "Phone", MOBILE: "Mobile", HOME: "Home_Phone", OTHER: "Other_Phone", FAX: "Fax" },
        text
      ),
      of.readField("last_activity_at", "Last_Activity_Time", dateTime)
    ],
    notHeld: {}
  })
])

const clauses = {
  email: equals("Email", "Secondary_Email"),
  name: beginsName,
  account: refers("Account_Name"),
  owner: refers("Owner"),
  q: word
}

export const contact = (call: Caller, metadata: Metadata) => ({
  ...records(call, mapping, { metadata, clauses: { Contacts: clauses } }),
  needs: ["last_name"]
})
