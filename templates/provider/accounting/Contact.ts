import {
  accounting,
  boolean,
  type Caller,
  enumeration,
  plainMapping,
  type ResourceAdapter,
  text
} from "tributary/provider"
import { records, stamps } from "../Records.ts"

/** https://developer.acme.example/contacts */
const mapping = plainMapping(accounting.contact, (of) => [
  of.partialVariant({
    nativeType: "contacts",
    entries: [
      ...stamps(of),
      // Acme has no contact without these
      of.lasting("name", "name", text),
      of.lasting("is_customer", "is_customer", boolean),
      of.lasting("is_supplier", "is_supplier", boolean),
      of.lasting("status", "status", enumeration("status", { active: "ACTIVE", archived: "ARCHIVED" })),
      of.field("email_address", "email", text),
      of.field("tax_number", "tax_number", text),
      of.labelled("phone_numbers", "type", "number", { WORK: "phone", MOBILE: "mobile" }, text)
    ],
    // why fields are not held: customers read it in `GET /providers`
    notHeld: {
      currency: "Acme contacts have no currency; each document has its own.",
      company: "An Acme account is of one company, so contacts do not name it.",
      addresses: "Acme contacts have no postal address."
    },
    rest: "Acme contacts have no such field."
  })
])

export const contact = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping),
  // Acme takes no contact that is neither
  rules: [{ rule: "oneOf", fields: ["is_customer", "is_supplier"] }]
})
