import { boolean, reference, required, resource, text } from "../Resource.ts"
import { begins, refers } from "../Filter.ts"

/** Job or project costs are tracked on. */
export const Project = resource({
  category: "accounting",
  name: "project",
  class: "writable",
  description: "job or project costs are tracked on",
  fields: {
    name: required(text("display name")),
    is_active: boolean("usable for new records"),
    company: reference("legal entity the record belongs to", "company_info"),
    contact: reference("customer", "contact")
  },
  filters: { name: begins("name"), contact: refers("contact") }
})
