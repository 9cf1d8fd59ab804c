import { readOnly, reference, resource, text } from "../Resource.ts"
import { refers } from "../Filter.ts"

/** Phone number lifted out of contacts and the company. */
export const PhoneNumber = resource({
  category: "accounting",
  name: "phone_number",
  class: "read-only",
  description: "phone number lifted out of contacts and the company",
  fields: {
    number: readOnly(text("document number")),
    type: readOnly(text("kind")),
    contact: readOnly(reference("other party", "contact")),
    company: readOnly(reference("legal entity the record belongs to", "company_info"))
  },
  filters: { contact: refers("contact") }
})
