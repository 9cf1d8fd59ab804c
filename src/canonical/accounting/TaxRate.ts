import { list, literal, number, readOnly, reference, required, resource, text } from "../Resource.ts"
import { begins, equals, oneOf } from "../Filter.ts"
import { TaxComponent } from "./Nested.ts"

/** Sales/purchase tax code. */
export const TaxRate = resource({
  category: "accounting",
  name: "tax_rate",
  class: "writable",
  description: "sales/purchase tax code",
  fields: {
    name: required(text("display name")),
    code: text("provider's short code"),
    description: text("free text"),
    status: literal("ARCHIVED fixed by the specification, ACTIVE from the naming family", "ACTIVE", "ARCHIVED"),
    country: text("country code"),
    total_tax_rate: number("percent points, plain sum of components"),
    effective_tax_rate: readOnly(number("percent points after compounding")),
    tax_components: list("parts of the rate", TaxComponent),
    company: reference("legal entity the record belongs to", "company_info")
  },
  filters: { name: begins("name"), code: equals("code"), status: oneOf("status") }
})
