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
const mapping = plainMapping(accounting.contact, ({ field, labelled, lasting }) => [
  {
    nativeType: "contacts",
    entries: [
      ...stamps,
      // Acme has no contact without these
      lasting("name", "name", text),
      lasting("is_customer", "is_customer", boolean),
      lasting("is_supplier", "is_supplier", boolean),
      lasting("status", "status", enumeration("status", { active: "ACTIVE", archived: "ARCHIVED" })),
      field("email_address", "email", text),
      field("tax_number", "tax_number", text),
      labelled("phone_numbers", "type", "number", { WORK: "phone", MOBILE: "mobile" }, text)
    ]
  }
])

export const contact = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping),
  // Acme takes no contact that is neither
  rules: [{ rule: "oneOf", fields: ["is_customer", "is_supplier"] }]
})
