import { Effect } from "effect"
import {
  computed,
  constant,
  field,
  getPath,
  lines,
  type Native,
  natives,
  readField,
  lasting
} from "../../mapping/Mapping.ts"
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
import type { Suite } from "./Suite.ts"
import { documentLines } from "./BulkLines.ts"
import { partyOf, transactions } from "./Heads.ts"
import * as Query from "./Select.ts"

/** Expense claims of employees. Many of their members are written in lower case. */

const states: ReadonlyArray<readonly [canonical: string, pattern: RegExp]> = [
  ["DRAFT", /in progress/i],
  ["SUBMITTED", /^pending/i],
  ["REJECTED", /rejected|void/i]
]

const stateOf = (record: unknown) => {
  const name = String(getPath(record, "status.refName"))
  return states.find(([, pattern]) => pattern.test(name))?.[0] ?? "APPROVED"
}

const status = computed({
  canonical: "status",
  native: ["status"],
  needsCurrent: true,
  decode: ({ record }) => stateOf(record),
  encode: (value, { current, set }) => {
    if (value === null || (current !== undefined && value === stateOf(current.record))) return
    set("complete", value !== "DRAFT")
    set("supervisorapproval", value === "APPROVED")
    set("accountingapproval", value === "APPROVED")
    if (value === "REJECTED") set("approvalStatus", { id: "3" })
  }
})

const mapping = plainMapping([
  {
    nativeType: "expenseReport",
    entries: [
      ...identity("createdDate"),
      lasting("report_date", "tranDate", date),
      lasting("report_identifier", "tranId", text),
      lasting("employee", "entity.id", toEmployee),
      status,
      readField("total_amount", "total", number),
      currencyAt("expensereportcurrency"),
      field("description", "memo", text),
      lasting("accounting_period", "postingPeriod.id", toPeriod),
      company,
      trackingCategories,
      lines({
        canonical: "lines",
        native: "lines",
        id: "key",
        forms: [
          {
            where: { sublist: "expense" },
            entries: [
              field("account", "expenseaccount.id", toAccount),
              field("description", "memo", text),
              field("expense_date", "expensedate", date),
              field("amount", "amount", number),
              currency,
              field("exchange_rate", "exchangerate", decimal),
              field("is_billable", "isbillable", boolean),
              field("non_reimbursable", "isnonreimbursable", boolean),
              field("quantity", "quantity", number),
              field("unit_price", "rate", number),
              taxAt("tax_rate", "taxcode"),
              trackingCategories,
              ...partyAt("customer", "contact", "project"),
              constant("inclusive_of_tax", false),
              constant("remote_was_deleted", false)
            ]
          }
        ]
      })
    ]
  }
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
          beside
        ),
        sublists: ["expense"]
      }
    ],
    ["lines[].expense_date", "lines[].currency", "lines[].exchange_rate", "lines[].non_reimbursable"]
  )
