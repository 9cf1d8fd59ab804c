import { boolean, list, literal, reference, required, resource, text } from "../Resource.ts"
import { begins, equals, isTrue, oneOf, searches } from "../Filter.ts"
import { Address, PhoneNumber } from "./Nested.ts"

/** Customer and/or vendor. */
export const Contact = resource({
  category: "accounting",
  name: "contact",
  class: "writable",
  description: "customer and/or vendor",
  fields: {
    name: required(text("company name or full name")),
    is_supplier: boolean("payable party; one of the two flags decides the native object"),
    is_customer: boolean("receivable party"),
    email_address: text("primary e-mail"),
    tax_number: text("VAT, EIN, GSTIN ..."),
    status: literal("state of the record", "ACTIVE", "ARCHIVED"),
    currency: text("ISO 4217"),
    company: reference("legal entity the record belongs to", "company_info"),
    addresses: list("postal addresses, first is primary", Address),
    phone_numbers: list("phone numbers, first is primary", PhoneNumber)
  },
  filters: {
    name: begins("name"),
    email_address: equals("email_address"),
    tax_number: equals("tax_number"),
    is_customer: isTrue("is_customer"),
    is_supplier: isTrue("is_supplier"),
    status: oneOf("status"),
    q: searches()
  }
})
