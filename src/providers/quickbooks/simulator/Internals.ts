import type { Doc } from "../../simulation/Account.ts"
import { partAt, partsAt } from "./Fields.ts"

// Members that answers have for Intuit's own use, as recorded from real companies; a body that repeats them is refused.

/** An extension as Intuit's own classes write it. */
const extension = (Name: string, Value: string): Doc => ({
  any: [
    {
      name: "{http://schema.intuit.com/finance/v3}NameValue",
      declaredType: "com.intuit.schema.finance.v3.NameValue",
      scope: "javax.xml.bind.JAXBElement$GlobalScope",
      value: { Name, Value },
      nil: false,
      globalScope: true,
      typeSubstituted: false
    }
  ]
})

/** Entities whose lines have a list for extensions. */
const extended = new Set(["Invoice", "CreditMemo", "Bill", "VendorCredit", "PurchaseOrder", "Purchase", "SalesReceipt"])

/** Lines that Intuit works out have neither an id nor extensions. */
const withExtensions = (line: Doc): Doc => (line.Id === undefined ? line : { ...line, CustomExtensions: [] })

const withLineEx = (line: Doc): Doc => ({ ...line, LineEx: extension("txnOpenBalance", String(line.Amount)) })

/** An answer with the members that a real one has for Intuit's own use. */
export const withInternals = (entity: string, doc: Doc): Doc => ({
  ...doc,
  ...(extended.has(entity) ? { Line: partsAt(doc, "Line").map(withExtensions) } : {}),
  ...(entity === "Payment" ? { Line: partsAt(doc, "Line").map(withLineEx) } : {}),
  ...(entity === "Purchase" ? { PurchaseEx: extension("TxnType", "54") } : {}),
  ...(entity === "Customer" ? { V4IDPseudonym: `00209${String(doc.Id).padStart(12, "0")}` } : {}),
  ...(entity === "Invoice" || entity === "PurchaseOrder"
    ? { MetaData: { ...partAt(doc, "MetaData"), LastModifiedByRef: { value: "9130350041682716" } } }
    : {})
})

/** A credit memo does not name the payments that apply it, whatever the books know. */
export const withoutLinks = (entity: string, { LinkedTxn, ...doc }: Doc): Doc =>
  entity === "CreditMemo" || LinkedTxn === undefined ? doc : { ...doc, LinkedTxn }
