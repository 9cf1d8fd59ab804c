import { CreditNoteLineItem } from "../../canonical/accounting/Nested.ts"
import { field, readField } from "../../mapping/Mapping.ts"
import { number as numeric, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { mappingOf, trackingOfLines } from "./Common.ts"
import { allocations, creditNotes } from "./Credits.ts"
import { approval, document, number, payments, status } from "./Documents.ts"
import { documentLines } from "./Lines.ts"

/** Credits given to customers: https://developer.xero.com/documentation/api/accounting/creditnotes */
const mapping = mappingOf([
  {
    nativeType: "CreditNote",
    entries: [
      ...document("CreditNoteID", "transaction_date"),
      status("status", {
        read: {
          DRAFT: "DRAFT",
          SUBMITTED: "SUBMITTED",
          AUTHORISED: "AUTHORIZED",
          PAID: "PAID",
          VOIDED: "VOID",
          DELETED: "VOID"
        },
        write: { DRAFT: "DRAFT", SUBMITTED: "SUBMITTED", AUTHORIZED: "AUTHORISED", PAID: "AUTHORISED" },
        ways: approval,
        void: "VOID"
      }),
      number("number", "CreditNoteNumber", () => true),
      field("memo", "Reference", text),
      documentLines("line_items", "total_line_amount", CreditNoteLineItem),
      trackingOfLines("LineItems"),
      readField("total_amount", "Total", numeric),
      readField("remaining_credit", "RemainingCredit", numeric),
      ...payments,
      allocations
    ]
  }
])

export const creditNote = (call: Caller) => creditNotes(call, mapping, "ACCRECCREDIT", { made: {}, gone: ["DELETED"] })
