import { integer, list, listOf, readOnly, resource, text } from "../Resource.ts"
import { Address, PhoneNumber } from "./Nested.ts"

/** The company file or legal entity. */
export const CompanyInfo = resource({
  category: "accounting",
  name: "company_info",
  class: "update-only",
  description: "the company file or legal entity",
  fields: {
    name: text("display name"),
    legal_name: text("registered name"),
    tax_number: text("tax registration number"),
    fiscal_year_end_month: readOnly(integer("1 to 12")),
    fiscal_year_end_day: readOnly(integer("1 to 31")),
    currency: readOnly(text("base currency")),
    urls: listOf("web sites", text("web sites")),
    addresses: list("postal addresses, first is primary", Address),
    phone_numbers: list("phone numbers, first is primary", PhoneNumber)
  },
  filters: {}
})
