import { Company } from "../../canonical/crm/Company.ts"
import { dateTime, integer, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { Metadata } from "./Columns.ts"
import { address, mappingOf, owner, stamps } from "./Common.ts"
import { begins, host, refers, word } from "./Criteria.ts"
import { records } from "./Records.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html
const mapping = mappingOf(Company, (of) => [
  of.variant({
    nativeType: "Accounts",
    entries: [
      ...stamps(of),
      of.field("name", "Account_Name", text),
      of.field("description", "Description", text),
      of.field("industry", "Industry", text),
      of.field("website", "Website", text),
      of.field("number_of_employees", "Employees", integer),
      owner(of),
      of.slots("addresses", "address_type", (of) => [
        address(of, "Billing_", "Code", "BILLING"),
        address(of, "Shipping_", "Code", "SHIPPING")
      ]),
      of.labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "Phone", FAX: "Fax" }, text),
      of.readField("last_activity_at", "Last_Activity_Time", dateTime)
    ],
    notHeld: {}
  })
])

const clauses = { name: begins("Account_Name"), domain: host("Website"), owner: refers("Owner"), q: word }

export const company = (call: Caller, metadata: Metadata) =>
  records(call, mapping, { metadata, clauses: { Accounts: clauses } })
