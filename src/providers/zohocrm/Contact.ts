import { field, labelled, readField, slots } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { address, emailAddresses, lookup, moduleMapping, owner, stamps } from "./Common.ts"
import { records } from "./Records.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html
const mapping = moduleMapping("Contacts", [
  ...stamps,
  field("first_name", "First_Name", text),
  field("last_name", "Last_Name", text),
  field("account", "Account_Name", lookup),
  owner,
  field("title", "Title", text),
  slots("addresses", "address_type", [address("Mailing_", "Zip", null), address("Other_", "Zip", null)]),
  emailAddresses,
  labelled(
    "phone_numbers",
    "phone_number_type",
    "phone_number",
    { WORK: "Phone", MOBILE: "Mobile", HOME: "Home_Phone", OTHER: "Other_Phone", FAX: "Fax" },
    text
  ),
  readField("last_activity_at", "Last_Activity_Time", dateTime)
])

export const contact = (call: Caller) => records(call, mapping)
