import { Expense } from "../../canonical/accounting/Expense.ts"
import { ExpenseLine } from "../../canonical/accounting/Nested.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { mappingOf, reasons, toAccount, trackingOfLines } from "./Common.ts"
import { byDay, document, documentKind } from "./Documents.ts"
import { link } from "./Filters.ts"
import { documentLines, withLines } from "./Lines.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Money spent from a bank account. Xero is told what is spent, not how. A change says type, bank account and lines again,
 * which the description requires of every body; lines that it names by their ids stay as they are.
 * https://developer.xero.com/documentation/api/accounting/banktransactions
 */
const mapping = mappingOf(Expense, (of) => [
  of.variant({
    nativeType: "BankTransaction",
    entries: [
      ...document(of, "BankTransactionID", "transaction_date", "contact"),
      of.field("account", "BankAccount.AccountID", toAccount),
      of.field("reference", "Reference", text),
      of.lines("lines", documentLines({ total: "net_amount", shape: ExpenseLine })),
      trackingOfLines(of, "LineItems"),
      of.readField("total_amount", "Total", number),
      of.readField("sub_total", "SubTotal", number),
      of.readField("total_tax_amount", "TotalTax", number)
    ],
    notHeld: {
      remote_created_at: reasons.created,
      memo: reasons.noMemo,
      employee: reasons.noEmployee,
      payment_method: reasons.noMethod,
      accounting_period: reasons.period
    }
  })
])

const spent: Kind = {
  ...documentKind,
  nativeType: "BankTransaction",
  endpoint: "BankTransactions",
  id: "BankTransactionID",
  where: ['Type=="SPEND"'],
  filters: {
    contact: link("Contact.ContactID"),
    account: link("BankAccount.AccountID"),
    ...byDay("transaction")
  },
  isOne: ({ Type }) => Type === "SPEND",
  ended: ["DELETED", "VOIDED"],
  write: (record, current) => ({ ...(current === undefined ? { Type: "SPEND" } : {}), ...withLines(record, current) }),
  always: ({ BankAccount, LineItems, Type }) => ({
    Type,
    BankAccount: { AccountID: getPath(BankAccount, "AccountID") },
    LineItems: natives(LineItems).map(({ LineItemID }) => ({ LineItemID }))
  }),
  ending: () => ({ Status: "DELETED" })
}

export const expense = (call: Caller) => ({ ...objects(call, mapping, spent), needs: ["contact"] })
