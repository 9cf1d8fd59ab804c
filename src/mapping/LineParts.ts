import type {
  CreditNoteLineItem,
  ExpenseLine,
  InvoiceLineItem,
  PurchaseOrderLineItem,
  SalesOrderLine,
  VendorCreditLine
} from "../canonical/accounting/Nested.ts"
import type { Shape } from "../canonical/Resource.ts"
import type { Entries, NamesIn } from "./Entries.ts"
import type { ComputedEntry, ConstantEntry, FieldEntry } from "./Mapping.ts"

/** How a resource calls its lines and their amount, and what else they have. */
export interface Called {
  readonly list: string
  readonly total: string
  readonly shape: Shape
}

export type LinePart = FieldEntry | ConstantEntry | ComputedEntry

/** Resources differ in what their lines hold of what a native line has. */
export const ofShape = ({ shape }: Called, entries: ReadonlyArray<LinePart>) =>
  entries.filter(({ canonical }) => canonical in shape.fields)

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
