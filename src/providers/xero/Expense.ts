import { ExpenseLine } from "../../canonical/accounting/Nested.ts"
import { field, getPath, natives, readField } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { mappingOf, toAccount, trackingOfLines } from "./Common.ts"
import { document, documentKind } from "./Documents.ts"
import { documentLines, withLines } from "./Lines.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Money spent from a bank account. Xero is told what is spent, not how. A change says type, bank account and lines again,
 * which the description requires of every body; lines that it names by their ids stay as they are.
 * https://developer.xero.com/documentation/api/accounting/banktransactions
 */
const mapping = mappingOf([
  {
    nativeType: "BankTransaction",
    entries: [
      ...document("BankTransactionID", "transaction_date"),
      field("account", "BankAccount.AccountID", toAccount),
      field("memo", "Reference", text),
      documentLines("lines", "net_amount", ExpenseLine),
      trackingOfLines("LineItems"),
      readField("total_amount", "Total", number),
      readField("sub_total", "SubTotal", number),
      readField("total_tax_amount", "TotalTax", number)
    ]
  }
])

const spent: Kind = {
  ...documentKind,
  nativeType: "BankTransaction",
  endpoint: "BankTransactions",
  id: "BankTransactionID",
  where: ['Type=="SPEND"', 'Status=="AUTHORISED"'],
  isOne: ({ Status, Type }) => Type === "SPEND" && Status === "AUTHORISED",
  write: (record, current) => ({ ...(current === undefined ? { Type: "SPEND" } : {}), ...withLines(record, current) }),
  always: ({ BankAccount, LineItems, Type }) => ({
    Type,
    BankAccount: { AccountID: getPath(BankAccount, "AccountID") },
    LineItems: natives(LineItems).map(({ LineItemID }) => ({ LineItemID }))
  }),
  ending: () => ({ Status: "DELETED" })
}

export const expense = (call: Caller) => ({ ...objects(call, mapping, spent), needs: ["contact"] })
