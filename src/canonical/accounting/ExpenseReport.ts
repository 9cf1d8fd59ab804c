import { computed, date, list, listOf, literal, number, reference, required, resource, text } from "../Resource.ts"
import { before, from, oneOf, refers } from "../Filter.ts"
import { ExpenseReportLine } from "./Nested.ts"

/** Employee expense claim. */
export const ExpenseReport = resource({
  category: "accounting",
  name: "expense_report",
  class: "writable",
  description: "employee expense claim",
  fields: {
    report_date: required(date("claim date")),
    report_identifier: text("claim number"),
    employee: required(reference("staff member", "employee")),
    status: literal("state of the report", "DRAFT", "SUBMITTED", "APPROVED", "REJECTED"),
    total_amount: computed(number("gross total; computed by the provider")),
    currency: text("ISO 4217 code"),
    description: text("free text"),
    lines: required(list("document lines", ExpenseReportLine)),
    accounting_period: reference("posting period", "accounting_period"),
    company: reference("legal entity the record belongs to", "company_info"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    )
  },
  amounts: [{ rule: "total", total: "total_amount", parts: [] }],
  filters: {
    employee: refers("employee"),
    status: oneOf("status"),
    issued_after: from("report_date"),
    issued_before: before("report_date"),
    currency: oneOf("currency")
  }
})
