import { boolean, literal, reference, required, resource, text } from "../Resource.ts"
import { begins, equals, oneOf } from "../Filter.ts"

/** Staff member. */
export const Employee = resource({
  category: "accounting",
  name: "employee",
  class: "writable",
  description: "staff member",
  fields: {
    first_name: text("given name"),
    last_name: required(text("family name")),
    is_contractor: boolean("not on payroll"),
    employee_number: text("staff number"),
    email_address: text("e-mail"),
    company: reference("legal entity the record belongs to", "company_info"),
    status: literal("state of the record", "ACTIVE", "INACTIVE")
  },
  filters: {
    name: begins("first_name last_name", "last_name"),
    number: equals("employee_number"),
    email_address: equals("email_address"),
    status: oneOf("status")
  }
})
