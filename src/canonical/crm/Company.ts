import { dateTime, integer, list, providerId, readOnly, required, resource, text } from "../Resource.ts"
import { begins, host, refers, searches } from "../Filter.ts"
import { Address, PhoneNumber } from "./Nested.ts"

/** Organisation the CRM user deals with. */
export const Company = resource({
  category: "crm",
  name: "company",
  class: "writable",
  description: "organisation the CRM user deals with",
  fields: {
    name: required(text("organisation name")),
    description: text("free text"),
    industry: text("provider's industry value, passed as text"),
    website: text("URL or domain"),
    number_of_employees: integer("head count"),
    owner: providerId("responsible user", "owner"),
    addresses: list("first is primary (billing)", Address),
    phone_numbers: list("phone numbers, first is primary", PhoneNumber),
    last_activity_at: readOnly(dateTime("last interaction recorded"))
  },
  filters: { name: begins("name"), domain: host("website"), owner: refers("owner"), q: searches() }
})
