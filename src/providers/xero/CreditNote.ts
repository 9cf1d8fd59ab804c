import { CreditNote } from "../../canonical/accounting/CreditNote.ts"
import { CreditNoteLineItem } from "../../canonical/accounting/Nested.ts"
import { number as numeric, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { mappingOf, reasons, trackingOfLines } from "./Common.ts"
import { allocations, creditNotes } from "./Credits.ts"
import { approval, document, number, refunds, status } from "./Documents.ts"
import { documentLines } from "./Lines.ts"

const states = {
  DRAFT: "DRAFT",
  SUBMITTED: "SUBMITTED",
  AUTHORISED: "AUTHORIZED",
  PAID: "PAID",
  VOIDED: "VOID",
  DELETED: "VOID"
}

/** Credits given to customers: https://developer.xero.com/documentation/api/accounting/creditnotes */
const mapping = mappingOf(CreditNote, (of) => [
  of.variant({
    nativeType: "CreditNote",
    entries: [
      ...document(of, "CreditNoteID", "transaction_date", "contact"),
      status(of, "status", {
        read: states,
        write: { DRAFT: "DRAFT", SUBMITTED: "SUBMITTED", AUTHORIZED: "AUTHORISED", PAID: "AUTHORISED" },
        ways: approval,
        void: "VOID"
      }),
      number(of, "number", "CreditNoteNumber", () => true),
      of.field("reference", "Reference", text),
      of.lines("line_items", documentLines({ total: "total_line_amount", shape: CreditNoteLineItem })),
      trackingOfLines(of, "LineItems"),
      of.readField("total_amount", "Total", numeric),
      of.readField("remaining_credit", "RemainingCredit", numeric),
      ...refunds(of),
      allocations(of)
    ],
    notHeld: {
      remote_created_at: reasons.created,
      memo: reasons.noMemo,
      customer_note: reasons.noNote,
      accounting_period: reasons.period
    }
  })
])

export const creditNote = (call: Caller) =>
  creditNotes(call, mapping, "ACCRECCREDIT", { made: {}, ended: ["DELETED"], states })
