import { type Caller, crm, plainMapping, type ResourceAdapter, text } from "tributary/provider"
import { records, stamps } from "../Records.ts"

/** https://developer.acme.example/contacts */
const mapping = plainMapping(crm.contact, ({ field, labelled, lasting }) => [
  {
    nativeType: "contacts",
    entries: [
      ...stamps,
      field("first_name", "first_name", text),
      // Acme has no contact without it
      lasting("last_name", "last_name", text),
      field("title", "job_title", text),
      labelled("email_addresses", "email_address_type", "email_address", { WORK: "email" }, text),
      labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "phone", MOBILE: "mobile" }, text)
    ]
  }
])

export const contact = (call: Caller): ResourceAdapter => records(call, mapping)
