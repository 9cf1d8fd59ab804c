import { field, labelled, readField, slots } from "../../mapping/Mapping.ts"
import { dateTime, integer, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { address, moduleMapping, owner, stamps } from "./Common.ts"
import { records } from "./Records.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html
const mapping = moduleMapping("Accounts", [
  ...stamps,
  field("name", "Account_Name", text),
  field("description", "Description", text),
  field("industry", "Industry", text),
  field("website", "Website", text),
  field("number_of_employees", "Employees", integer),
  owner,
  slots("addresses", "address_type", [
    address("Billing_", "Code", "BILLING"),
    address("Shipping_", "Code", "SHIPPING")
  ]),
  labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "Phone", FAX: "Fax" }, text),
  readField("last_activity_at", "Last_Activity_Time", dateTime)
])

export const company = (call: Caller) => records(call, mapping)
