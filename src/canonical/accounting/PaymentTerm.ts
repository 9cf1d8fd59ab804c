import { boolean, integer, reference, required, resource, text } from "../Resource.ts"
import { begins } from "../Filter.ts"

/** Due-date rule. */
export const PaymentTerm = resource({
  category: "accounting",
  name: "payment_term",
  class: "writable",
  description: "due-date rule",
  fields: {
    name: required(text("display name")),
    is_active: boolean("usable for new records"),
    company: reference("legal entity the record belongs to", "company_info"),
    days_until_due: integer("null for day-of-month terms"),
    discount_days: integer("days in which an early-payment discount holds")
  },
  filters: { name: begins("name") }
})
