import { begins, digits, equals, refers, searches } from "../Filter.ts"
import { dateTime, list, providerId, readOnly, resource, text } from "../Resource.ts"
import { Address, EmailAddress, PhoneNumber } from "./Nested.ts"

/** Person known to the CRM. */
export const Contact = resource({
  category: "crm",
  name: "contact",
  class: "writable",
  description: "person known to the CRM",
  fields: {
    first_name: text("given name"),
    last_name: text("family name"),
    account: providerId("provider id of the company the person belongs to", "company"),
    owner: providerId("provider id of the responsible user", "owner"),
    title: text("job title"),
    addresses: list("first is primary; most providers keep only that one", Address),
    email_addresses: list("first is primary", EmailAddress),
    phone_numbers: list("first is primary", PhoneNumber),
    last_activity_at: readOnly(dateTime("last interaction the provider recorded"))
  },
  filters: {
    email: equals("email_addresses[].email_address"),
    phone: digits("phone_numbers[].phone_number"),
    name: begins("first_name last_name", "last_name"),
    account: refers("account"),
    owner: refers("owner"),
    q: searches()
  }
})
