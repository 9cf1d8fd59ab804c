import { CreditNote } from "../../canonical/accounting/CreditNote.ts"
import { CreditNoteLineItem } from "../../canonical/accounting/Nested.ts"
import { computed } from "../../mapping/Entries.ts"
import { natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { leaveOut, number, reference } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { applications, applying } from "./Applications.ts"
import { toCustomer, trackingCategories } from "./Common.ts"
import { days, equal, refersTo } from "./Conditions.ts"
import {
  customerNote,
  document,
  documentNumber,
  exchangeRate,
  inclusiveOfTax,
  isVoid,
  noReference,
  note,
  party,
  salesTaxCode,
  withParty
} from "./Documents.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { soldLines } from "./Lines.ts"
import { postsByDate } from "./NotHeld.ts"
import { creditPayments, ofInvoices } from "./Settlements.ts"

/**
 * Credit memos to customers.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/creditmemo
 */

/**
 * It follows from what is left of the credit, so none is written: there are no drafts, and the API makes no credit memo void
 * (https://github.com/intuit/QuickBooks-V3-PHP-SDK/issues/133).
 */
const status = computed({
  canonical: "status",
  native: ["RemainingCredit", "Balance", "TotalAmt", "PrivateNote", "Line"],
  decode: ({ record }) =>
    isVoid(record) ? "VOID" : (record.RemainingCredit ?? record.Balance) === 0 ? "PAID" : "AUTHORIZED",
  needsCurrent: (value) => value === "VOID",
  encode: (value, encoding) => {
    if (value !== "VOID" || (encoding.current !== undefined && isVoid(encoding.current.record))) return
    leaveOut(encoding, `${encoding.prefix}status`, value, "credit memos cannot be made void here: delete it")
  }
})

const toPayment = reference("payment", "Payment")

const mapping = plainMapping(CreditNote, (of) => [
  of.variant({
    nativeType: "CreditMemo",
    entries: [
      ...document(of, "transaction_date"),
      documentNumber(of, "number"),
      party(of, "contact", "CustomerRef", toCustomer),
      exchangeRate(of),
      note(of),
      customerNote(of),
      status(of),
      inclusiveOfTax(of),
      of.lines(
        "line_items",
        soldLines({ total: "total_line_amount", shape: CreditNoteLineItem }, { showsDiscount: true })
      ),
      salesTaxCode(of),
      trackingCategories(of, { Class: "ClassRef", Department: "DepartmentRef" }),
      of.readField("total_amount", "TotalAmt", number),
      of.computed({
        canonical: "remaining_credit",
        native: ["RemainingCredit", "Balance"],
        decode: ({ record }) => record.RemainingCredit ?? record.Balance
      }),
      of.computed({
        canonical: "payments",
        native: ["Id"],
        parts: ["payments"],
        decode: ({ parts }, context) => natives(parts?.payments).map(({ Id }) => toPayment.decode(Id, context))
      }),
      applications(of, ofInvoices, "payments")
    ],
    notHeld: {
      reference: noReference,
      applied_payments: "QuickBooks Online payments apply a credit memo to invoices and never pay it out.",
      accounting_period: postsByDate
    }
  })
])

export const creditNote = (books: Books): ResourceAdapter => ({
  ...entities(books, mapping, [
    {
      name: "CreditMemo",
      removal: "delete",
      parts: { payments: creditPayments },
      filters: {
        number: equal("DocNumber"),
        contact: refersTo("CustomerRef", "Customer"),
        ...days("TxnDate", "issued")
      },
      steps: { apply: applying(ofInvoices, "payments") }
    }
  ]),
  rules: [{ rule: "oneOf", fields: ["line_items[].item", "line_items[].account"] }],
  related: withParty(books, "contact")
})
