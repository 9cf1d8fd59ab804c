import type { Account, Doc } from "../../simulation/Account.ts"
import {
  amountComplaints,
  dueDate,
  finish,
  head,
  inHome,
  itemComplaints,
  numbered,
  partyComplaints,
  payableComplaints,
  sum,
  taxComplaints,
  totals
} from "./Books.ts"
import { business, type Complaint, missing } from "./Faults.ts"
import { compact, money, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { controlAccount } from "./Ledger.ts"
import type { Rule } from "./Lists.ts"

// Purchases: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/bill

const purchaseLine = (account: Account, line: Doc): readonly [ReadonlyArray<Complaint>, Doc] => {
  const type = textAt(line, "DetailType") ?? ""
  const detail = partAt(line, type)
  const isItem = type === "ItemBasedExpenseLineDetail"
  const isBillable = detail.BillableStatus === "Billable" && refAt(detail, "CustomerRef") === undefined
  return [
    [
      ...(line[type] === undefined ? [missing(type)] : []),
      ...amountComplaints(line, detail),
      ...(isItem ? itemComplaints(account, detail, "Line.ItemBasedExpenseLineDetail.ItemRef") : []),
      ...taxComplaints(detail),
      ...(isBillable ? [business("Select a customer for each billable split line.")] : [])
    ],
    compact({
      Id: line.Id,
      Description: line.Description,
      Amount: line.Amount,
      DetailType: type,
      [type]: {
        ...detail,
        BillableStatus: detail.BillableStatus ?? "NotBillable",
        TaxCodeRef: detail.TaxCodeRef ?? { value: "NON" }
      }
    })
  ]
}

export const purchase =
  (entity: "Bill" | "VendorCredit"): Rule =>
  (account, draft, current) => {
    const vendor = account.get("Vendor", refAt(draft, "VendorRef") ?? "")
    const { complaints, currency, doc } = head(account, draft, vendor)
    const read = partsAt(draft, "Line").map((line) => purchaseLine(account, line))
    const lines = read.map(([, line]) => line)
    const total = sum(lines)
    const { complaints: wrongTotals, open } = totals(total, current)
    return finish(
      [
        ...complaints,
        ...partyComplaints(draft, current, "VendorRef"),
        ...(draft.Line !== undefined && lines.length === 0 ? [missing("Line")] : []),
        ...read.flatMap(([wrong]) => wrong),
        ...payableComplaints(account, draft, currency),
        ...wrongTotals
      ],
      () => ({
        VendorAddr: vendor?.BillAddr,
        ...doc,
        APAccountRef: draft.APAccountRef ?? { value: controlAccount(account, "Accounts Payable", currency) },
        ...(entity === "Bill"
          ? {
              DueDate: textAt(draft, "DueDate") ?? dueDate(account, doc.TxnDate, refAt(draft, "SalesTermRef")),
              HomeBalance: inHome(open, doc)
            }
          : {}),
        Line: numbered(lines, current),
        TotalAmt: money(total),
        Balance: money(open)
      })
    )
  }
