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
  {
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
    ]
  }
])

export const contact = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping),
  // Acme takes no contact that is neither
  rules: [{ rule: "oneOf", fields: ["is_customer", "is_supplier"] }]
})
