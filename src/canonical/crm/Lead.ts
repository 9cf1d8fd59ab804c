import { begins, digits, equals, oneOf, refers, searches } from "../Filter.ts"
import { dateTime, list, literal, providerId, readOnly, resource, text } from "../Resource.ts"
import { Address, EmailAddress, PhoneNumber } from "./Nested.ts"

/** Unqualified prospect. */
export const Lead = resource({
  category: "crm",
  name: "lead",
  class: "writable",
  description: "unqualified prospect",
  fields: {
    name: text("title of the lead record; built from person and company name when absent"),
    first_name: text("given name"),
    last_name: text("family name"),
    company: text("organisation name as text"),
    title: text("job title"),
    lead_source: text("where the lead came from"),
    status: literal("normalised working state", "OPEN", "CLOSED", "UNQUALIFIED", "QUALIFIED"),
    owner: providerId("responsible user", "owner"),
    contact: providerId("existing person the lead hangs on, where leads are of persons", "contact"),
    account: providerId("existing company the lead hangs on", "company"),
    addresses: list("postal addresses", Address),
    email_addresses: list("e-mail addresses, first is primary", EmailAddress),
    phone_numbers: list("phone numbers, first is primary", PhoneNumber),
    converted_date: readOnly(dateTime("when it was converted")),
    converted_contact: readOnly(providerId("contact made on conversion", "contact")),
    converted_account: readOnly(providerId("company made on conversion", "company"))
  },
  filters: {
    email: equals("email_addresses[].email_address"),
    phone: digits("phone_numbers[].phone_number"),
    name: begins("name", "first_name last_name", "last_name"),
    account: refers("account"),
    owner: refers("owner"),
    status: oneOf("status"),
    q: searches()
  }
})
