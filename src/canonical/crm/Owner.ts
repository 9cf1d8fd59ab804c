import { boolean, readOnly, resource, text } from "../Resource.ts"
import { begins, equals } from "../Filter.ts"

/** CRM user who can own records. */
export const Owner = resource({
  category: "crm",
  name: "owner",
  class: "read-only",
  description: "CRM user who can own records",
  fields: {
    name: readOnly(text("full name")),
    first_name: readOnly(text("given name")),
    last_name: readOnly(text("family name")),
    email: readOnly(text("e-mail")),
    is_active: readOnly(boolean("usable for new records"))
  },
  filters: { name: begins("name", "last_name"), email: equals("email") }
})
