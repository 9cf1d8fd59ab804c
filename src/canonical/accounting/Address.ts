import { literal, readOnly, reference, resource, text } from "../Resource.ts"
import { refers } from "../Filter.ts"

/** Postal address lifted out of contacts and the company. */
export const Address = resource({
  category: "accounting",
  name: "address",
  class: "read-only",
  description: "postal address lifted out of contacts and the company",
  fields: {
    type: readOnly(literal("kind", "BILLING", "SHIPPING")),
    street_1: readOnly(text("first street line")),
    street_2: readOnly(text("further street lines")),
    city: readOnly(text("town")),
    country_subdivision: readOnly(text("state or province")),
    country: readOnly(text("country code")),
    zip_code: readOnly(text("postal code")),
    contact: readOnly(reference("owner, null for the company's own address", "contact")),
    company: readOnly(reference("legal entity the record belongs to", "company_info"))
  },
  filters: { contact: refers("contact") }
})
