import { boolean, literal, required, resource, text } from "../Resource.ts"
import { begins } from "../Filter.ts"

/** Way of paying. */
export const PaymentMethod = resource({
  category: "accounting",
  name: "payment_method",
  class: "writable",
  description: "way of paying",
  fields: {
    name: required(text("display name")),
    method_type: literal("kind of payment", "CREDIT_CARD", "DEBIT_CARD", "ACH", "CASH", "CHECK"),
    is_active: boolean("usable for new records")
  },
  filters: { name: begins("name") }
})
