import { date, dateTime, number, readOnly, reference, resource, text, tree } from "../Resource.ts"
import { ReportItem } from "./Nested.ts"

/** Profit and loss over a period (created_after..created_before). */
export const IncomeStatement = resource({
  category: "accounting",
  name: "income_statement",
  class: "read-only",
  description: "profit and loss over a period (created_after..created_before)",
  fields: {
    name: readOnly(text("display name")),
    currency: readOnly(text("ISO 4217 code")),
    company: readOnly(reference("legal entity the record belongs to", "company_info")),
    start_period: readOnly(date("first day")),
    end_period: readOnly(date("last day")),
    income: tree("revenue rows", "sub_items", ReportItem),
    cost_of_sales: tree("direct cost rows", "sub_items", ReportItem),
    gross_profit: readOnly(number("income minus cost of sales")),
    operating_expenses: tree("expense rows", "sub_items", ReportItem),
    net_operating_income: readOnly(number("gross profit minus operating expenses")),
    non_operating_expenses: tree("other income and other expense; income rows negative", "sub_items", ReportItem),
    net_income: readOnly(number("bottom line")),
    remote_generated_at: readOnly(dateTime("when the provider produced the report"))
  },
  filters: {}
})
