import { CreditNote } from "../../canonical/accounting/CreditNote.ts"
import { CreditNoteLineItem } from "../../canonical/accounting/Nested.ts"
import { computed } from "../../mapping/Entries.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { leaveOut, number, text } from "../../mapping/Transform.ts"
import { credits, invoices } from "./Applications.ts"
import { printed, printedNullInLists, transaction } from "./Common.ts"
import { soldLines } from "./Lines.ts"
import { equal, refersTo } from "./Conditions.ts"
import { document } from "./Documents.ts"
import { partyOf, transactionFilters } from "./Heads.ts"
import { applications } from "./Links.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import { contactAt } from "./References.ts"
import { creditMemoStates, ofStates, readState, statePart } from "./States.ts"
import type { Suite } from "./Suite.ts"

/**
 * Credit memos of customers.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1544451574.html
 */

/** Follows from the applied amounts, so it cannot be written. */
const status = computed({
  canonical: "status",
  native: ["status"],
  parts: ["state"],
  needsCurrent: true,
  decode: (bundle) => readState(creditMemoStates, bundle),
  encode: (value, encoding) => {
    const { current, prefix } = encoding
    const state = current === undefined ? "AUTHORIZED" : readState(creditMemoStates, current)
    if (value !== null && value !== state) {
      leaveOut(
        encoding,
        `${prefix}status`,
        value,
        `is ${state ?? "not known"}: what a credit is applied to makes its status`
      )
    }
  }
})

const refundsElsewhere = "NetSuite refunds a credit memo with a customer refund, which is listed under transaction."

const mapping = plainMapping(CreditNote, (of) => [
  of.variant({
    nativeType: "creditMemo",
    entries: [
      ...transaction(of, "transaction_date"),
      of.lasting("number", "tranId", text),
      ...printed(of),
      contactAt(of, "contact", "entity", "customer"),
      status(of),
      of.readField("total_amount", "total", number),
      of.readField("remaining_credit", "unapplied", number),
      of.constant("inclusive_of_tax", false),
      of.lines("line_items", soldLines({ total: "total_line_amount", shape: CreditNoteLineItem })),
      credits(of, invoices)
    ],
    notHeld: { payments: refundsElsewhere, applied_payments: refundsElsewhere }
  })
])

export const creditNote = (own: Suite) => ({
  ...records(
    own,
    mapping,
    [
      document({
        name: "creditMemo",
        codes: ["CustCred"],
        sign: 1,
        sublists: ["item"],
        columns: { ...partyOf("entity", "customer"), unapplied: Query.number("t.foreignpaymentamountunused") },
        filters: {
          ...transactionFilters("issued"),
          number: equal("t.tranid"),
          contact: refersTo("t.entity", "customer"),
          status: ofStates(creditMemoStates)
        },
        beside: applications,
        parts: statePart("creditMemo", creditMemoStates)
      })
    ],
    printedNullInLists
  ),
  needs: ["line_items[].item"]
})
