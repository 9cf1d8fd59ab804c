import { type Caller, crm, plainMapping, type ResourceAdapter, text } from "tributary/provider"
import { records, stamps } from "../Records.ts"

/** https://developer.acme.example/contacts */
const mapping = plainMapping(crm.contact, (of) => [
  of.partialVariant({
    nativeType: "contacts",
    entries: [
      ...stamps(of),
      of.field("first_name", "first_name", text),
      // Acme has no contact without it
      of.lasting("last_name", "last_name", text),
      of.field("title", "job_title", text),
      of.labelled("email_addresses", "email_address_type", "email_address", { WORK: "email" }, text),
      of.labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "phone", MOBILE: "mobile" }, text)
    ],
    // why fields are not held: customers read it in `GET /providers`
    notHeld: {
      account: "Acme has the company of a contact, but this version does not map it.",
      owner: "Acme contacts have no responsible user.",
      addresses: "Acme has one postal address, but this version does not map it.",
      last_activity_at: "Acme does not say when somebody last dealt with a contact."
    },
    rest: "Acme contacts have no such field."
  })
])

export const contact = (call: Caller): ResourceAdapter => ({ ...records(call, mapping), needs: ["last_name"] })
