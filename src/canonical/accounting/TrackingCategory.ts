import { literal, reference, required, resource, text } from "../Resource.ts"
import { begins, oneOf } from "../Filter.ts"

/** Class, department, location or tracking option. */
export const TrackingCategory = resource({
  category: "accounting",
  name: "tracking_category",
  class: "writable",
  description: "class, department, location or tracking option",
  fields: {
    name: required(text("display name")),
    status: literal("ARCHIVED fixed by the specification, ACTIVE from the naming family", "ACTIVE", "ARCHIVED"),
    category_type: literal("kind, where the provider has several", "CLASS", "DEPARTMENT", "LOCATION"),
    parent_category: reference("category above it", "tracking_category"),
    company: reference("legal entity the record belongs to", "company_info")
  },
  filters: { name: begins("name"), status: oneOf("status") }
})
