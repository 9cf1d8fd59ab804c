import { Decimal } from "decimal.js"
import type {
  CreditNoteLineItem,
  ExpenseLine,
  InvoiceLineItem,
  PurchaseOrderLineItem,
  SalesOrderLine,
  VendorCreditLine
} from "../canonical/accounting/Nested.ts"
import type { Entries, NamesIn } from "./Entries.ts"
import { type ComputedEntry, getPath } from "./Mapping.ts"

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

type Get = (native: string) => unknown
type Lookups = { readonly [name: string]: unknown } | undefined

/** How a document says its currency and its rate to the company's own. */
export interface DocumentMoney {
  readonly native: ReadonlyArray<string>
  readonly lookups: ReadonlyArray<string>
  /** Undefined where it is not known yet. */
  readonly currency: (get: Get, lookups: Lookups) => unknown
  /** A decimal as text. */
  readonly rate: (get: Get, lookups: Lookups) => unknown
}

const isSet = (value: unknown) => value !== undefined && value !== null

/** The currency and rate of a line, which are those of its document. */
export const ofDocument = (
  of: Pick<Entries<"currency" | "exchange_rate">, "computed">,
  { currency, lookups, native, rate }: DocumentMoney
): ReadonlyArray<ComputedEntry> => [
  of.computed({
    canonical: "currency",
    native: [],
    ofParent: native,
    lookups,
    encodeLookups: lookups,
    decode: ({ lookups, parent }) => currency((path) => getPath(parent, path), lookups),
    encode: (value, { lookups, parent, prefix, refuse }) => {
      if (value === null || parent === undefined) return
      const own = parent.body.currency ?? currency(parent.get, lookups)
      if (isSet(own) && value !== own) refuse(`${prefix}currency`, `is that of its document, which is ${String(own)}`)
    }
  }),
  of.computed({
    canonical: "exchange_rate",
    native: [],
    ofParent: native,
    lookups,
    encodeLookups: lookups,
    decode: ({ lookups, parent }) => rate((path) => getPath(parent, path), lookups),
    encode: (value, { lookups, parent, prefix, warn }) => {
      if (value === null || parent === undefined) return
      const own = parent.body.exchange_rate ?? rate(parent.get, lookups)
      if (isSet(own) && !new Decimal(String(own)).equals(String(value))) {
        warn(`${prefix}exchange_rate`, "CHANGED", `is that of its document, which is ${String(own)}`)
      }
    }
  })
]
