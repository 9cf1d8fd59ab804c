import { date, dateTime, number, readOnly, reference, resource, text, tree } from "../Resource.ts"
import { ReportItem } from "./Nested.ts"

/** Cash movement over a period. */
export const CashFlowStatement = resource({
  category: "accounting",
  name: "cash_flow_statement",
  class: "read-only",
  description: "cash movement over a period",
  fields: {
    name: readOnly(text("display name")),
    currency: readOnly(text("ISO 4217 code")),
    company: readOnly(reference("legal entity the record belongs to", "company_info")),
    start_period: readOnly(date("first day")),
    end_period: readOnly(date("last day")),
    cash_at_beginning_of_period: readOnly(number("opening cash")),
    cash_at_end_of_period: readOnly(number("closing cash")),
    operating_activities: tree("operating rows", "sub_items", ReportItem),
    investing_activities: tree("investing rows", "sub_items", ReportItem),
    financing_activities: tree("financing rows", "sub_items", ReportItem),
    remote_generated_at: readOnly(dateTime("when the provider produced the report"))
  },
  filters: {}
})
