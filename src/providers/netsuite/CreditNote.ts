import { CreditNoteLineItem } from "../../canonical/accounting/Nested.ts"
import { computed, constant, getPath, readField, lasting } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import { credits, invoices } from "./Applications.ts"
import { transaction } from "./Common.ts"
import { soldLines } from "./Lines.ts"
import { document } from "./Documents.ts"
import { partyOf } from "./Heads.ts"
import { applications } from "./Links.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import { contactAt } from "./References.ts"
import type { Suite } from "./Suite.ts"

/**
 * Credit memos of customers.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1544451574.html
 */

/** What is applied makes the states; none of them can be written. */
const status = computed({
  canonical: "status",
  native: ["status"],
  decode: ({ record }) => {
    const name = String(getPath(record, "status.refName"))
    if (/void/i.test(name)) return "VOID"
    return /fully applied|paid/i.test(name) ? "PAID" : /pending/i.test(name) ? "SUBMITTED" : "AUTHORIZED"
  },
  encode: () => {}
})

const mapping = plainMapping([
  {
    nativeType: "creditMemo",
    entries: [
      ...transaction("transaction_date"),
      lasting("number", "tranId", text),
      contactAt("entity", "customer"),
      status,
      readField("total_amount", "total", number),
      readField("remaining_credit", "unapplied", number),
      constant("inclusive_of_tax", false),
      soldLines({ list: "line_items", total: "total_line_amount", shape: CreditNoteLineItem }),
      credits(invoices)
    ]
  }
])

export const creditNote = (own: Suite) => ({
  ...records(own, mapping, [
    document({
      name: "creditMemo",
      codes: ["CustCred"],
      sign: 1,
      sublists: ["item"],
      columns: { ...partyOf("entity", "customer"), unapplied: Query.number("t.foreignpaymentamountunused") },
      beside: applications
    })
  ]),
  needs: ["line_items[].item"]
})
