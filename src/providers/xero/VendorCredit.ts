import { VendorCredit } from "../../canonical/accounting/VendorCredit.ts"
import { VendorCreditLine } from "../../canonical/accounting/Nested.ts"
import { number as numeric, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { mappingOf, reasons, trackingOfLines } from "./Common.ts"
import { allocations, creditNotes } from "./Credits.ts"
import { document } from "./Documents.ts"
import { documentLines } from "./Lines.ts"

/**
 * Credits from suppliers, whose number is theirs. The resource knows no drafts: what is made is approved, and one made void
 * is gone.
 * https://developer.xero.com/documentation/api/accounting/creditnotes
 */
const mapping = mappingOf(VendorCredit, (of) => [
  of.variant({
    nativeType: "CreditNote",
    entries: [
      ...document(of, "CreditNoteID", "transaction_date", "vendor"),
      of.field("number", "CreditNoteNumber", text),
      of.lines("lines", documentLines({ total: "net_amount", shape: VendorCreditLine })),
      trackingOfLines(of, "LineItems"),
      of.readField("total_amount", "Total", numeric),
      allocations(of)
    ],
    notHeld: {
      remote_created_at: reasons.created,
      memo: "Xero has a reference only on credit notes to customers, not on those from suppliers.",
      accounting_period: reasons.period
    }
  })
])

export const vendorCredit = (call: Caller) =>
  creditNotes(call, mapping, "ACCPAYCREDIT", { made: { Status: "AUTHORISED" }, ended: ["DELETED", "VOIDED"] })
