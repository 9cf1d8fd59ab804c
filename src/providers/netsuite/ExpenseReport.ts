import { Effect } from "effect"
import { ExpenseReport } from "../../canonical/accounting/ExpenseReport.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { boolean, date, decimal, number, text } from "../../mapping/Transform.ts"
import {
  company,
  currency,
  currencyAt,
  identity,
  toAccount,
  toEmployee,
  toPeriod,
  trackingCategories
} from "./Common.ts"
import { records } from "./Records.ts"
import type { Part } from "./RecordType.ts"
import { partyAt, taxAt } from "./References.ts"
import { expenseReportStates, ofStates, readState, statePart } from "./States.ts"
import type { Suite } from "./Suite.ts"
import { documentLines } from "./BulkLines.ts"
import { refersTo } from "./Conditions.ts"
import { partyOf, transactionFilters, transactions } from "./Heads.ts"
import * as Query from "./Select.ts"

/** Expense claims of employees. Many of their members are written in lower case. */

const status = computed({
  canonical: "status",
  native: ["status"],
  parts: ["state"],
  needsCurrent: true,
  decode: (bundle) => readState(expenseReportStates, bundle),
  encode: (value, { current, set }) => {
    if (value === null || (current !== undefined && value === readState(expenseReportStates, current))) return
    set("complete", value !== "DRAFT")
    set("supervisorapproval", value === "APPROVED")
    set("accountingapproval", value === "APPROVED")
    if (value === "REJECTED") set("approvalStatus", { id: "3" })
  }
})

const mapping = plainMapping(ExpenseReport, (of) => [
  of.variant({
    nativeType: "expenseReport",
    entries: [
      ...identity(of, "createdDate"),
      of.lasting("report_date", "tranDate", date),
      of.lasting("report_identifier", "tranId", text),
      of.lasting("employee", "entity.id", toEmployee),
      status(of),
      of.readField("total_amount", "total", number),
      currencyAt(of, "expensereportcurrency"),
      of.field("description", "memo", text),
      of.lasting("accounting_period", "postingPeriod.id", toPeriod),
      company(of),
      trackingCategories(of),
      of.lines("lines", {
        native: "lines",
        id: "key",
        forms: (of) => [
          {
            where: { sublist: "expense" },
            entries: [
              of.field("account", "expenseaccount.id", toAccount),
              of.field("description", "memo", text),
              of.field("expense_date", "expensedate", date),
              of.field("amount", "amount", number),
              currency(of),
              of.field("exchange_rate", "exchangerate", decimal),
              of.field("is_billable", "isbillable", boolean),
              of.field("non_reimbursable", "isnonreimbursable", boolean),
              of.field("quantity", "quantity", number),
              of.field("unit_price", "rate", number),
              taxAt(of, "tax_rate", "taxcode"),
              trackingCategories(of),
              ...partyAt(of, "customer", "contact", "project"),
              of.constant("inclusive_of_tax", false),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      })
    ],
    notHeld: {}
  })
])

const bulk = documentLines({ sign: 1, sublists: ["expense"] })

/** Members of its lines are written in lower case. */
const beside: Part<Native> = (own, connection, records) =>
  Effect.map(bulk(own, connection, records), (toldOf) => (record) => ({
    expense: {
      items: natives(getPath(toldOf(record), "expense.items")).map((line) => ({
        ...line,
        expenseaccount: line.account,
        isbillable: line.isBillable,
        taxcode: line.taxCode
      }))
    }
  }))

export const expenseReport = (own: Suite) =>
  records(
    own,
    mapping,
    [
      {
        name: "expenseReport",
        list: transactions(
          ["ExpRept"],
          { ...partyOf("entity", "employee"), expensereportcurrency: Query.ref("t.currency") },
          {
            ...transactionFilters("issued"),
            employee: refersTo("t.entity", "employee"),
            status: ofStates(expenseReportStates)
          },
          beside
        ),
        sublists: ["expense"],
        parts: statePart("expenseReport", expenseReportStates)
      }
    ],
    ["lines[].expense_date", "lines[].currency", "lines[].exchange_rate", "lines[].non_reimbursable"]
  )
