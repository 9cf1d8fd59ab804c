import { date, literal, required, resource, text } from "../Resource.ts"
import { begins, oneOf } from "../Filter.ts"

/** Posting period. */
export const AccountingPeriod = resource({
  category: "accounting",
  name: "accounting_period",
  class: "writable",
  description: "posting period",
  fields: {
    name: required(text("display name")),
    status: literal("INACTIVE (fixed by the specification) = closed or disabled", "ACTIVE", "INACTIVE"),
    start_date: required(date("first day")),
    end_date: required(date("last day"))
  },
  filters: { name: begins("name"), status: oneOf("status") }
})
