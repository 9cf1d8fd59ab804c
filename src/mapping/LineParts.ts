import type {
  CreditNoteLineItem,
  ExpenseLine,
  InvoiceLineItem,
  PurchaseOrderLineItem,
  SalesOrderLine,
  VendorCreditLine
} from "../canonical/accounting/Nested.ts"
import type { Entries, NamesIn } from "./Entries.ts"

/** Lines of documents, which differ in what they hold of what a native line has. */
export type DocumentLine =
  | typeof CreditNoteLineItem
  | typeof ExpenseLine
  | typeof InvoiceLineItem
  | typeof PurchaseOrderLineItem
  | typeof SalesOrderLine
  | typeof VendorCreditLine

/** The entries of lines, whatever document they are of. */
export type LineEntries = Entries<NamesIn<DocumentLine>>

/** The lines of a resource, and what it calls their amount. */
export interface DocumentLines<S extends DocumentLine = DocumentLine> {
  readonly shape: S
  readonly total: NamesIn<S>
}
