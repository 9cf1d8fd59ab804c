import { date, dateTime, number, readOnly, reference, resource, text, tree } from "../Resource.ts"
import { ReportItem } from "./Nested.ts"

/** Position at a date; created_before = as-of date. */
export const BalanceSheet = resource({
  category: "accounting",
  name: "balance_sheet",
  class: "read-only",
  description: "position at a date; created_before = as-of date",
  fields: {
    name: readOnly(text("display name")),
    currency: readOnly(text("ISO 4217 code")),
    company: readOnly(reference("legal entity the record belongs to", "company_info")),
    date: readOnly(date("as-of date")),
    net_assets: readOnly(number("assets minus liabilities")),
    assets: tree("asset rows", "sub_items", ReportItem),
    liabilities: tree("liability rows", "sub_items", ReportItem),
    equity: tree("equity rows", "sub_items", ReportItem),
    remote_generated_at: readOnly(dateTime("when the provider produced the report"))
  },
  filters: {}
})
