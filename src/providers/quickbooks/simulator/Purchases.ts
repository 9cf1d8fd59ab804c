import type { Account, Doc } from "../../simulation/Account.ts"
import {
  amountComplaints,
  dueDate,
  finish,
  head,
  inHome,
  itemComplaints,
  negative,
  numbered,
  partyComplaints,
  payableComplaints,
  projectComplaints,
  sum,
  taxCalculation,
  taxComplaints,
  throughComplaints,
  totals
} from "./Books.ts"
import { customFieldsOf } from "./CustomFields.ts"
import { business, type Complaint, invalidReference, missing, transactionNotFound } from "./Faults.ts"
import { amountAt, compact, currencyIn, moneyOf, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { controlAccount } from "./Postings.ts"
import type { Rule } from "./Lists.ts"
import { isUnitedStates, taxOfLines, withGross } from "./World.ts"

// Purchases: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/bill

const side = "PurchaseTaxRateList"

const purchaseLine = (
  account: Account,
  txn: Doc,
  line: Doc,
  currency: string
): readonly [ReadonlyArray<Complaint>, Doc] => {
  const type = textAt(line, "DetailType") ?? ""
  const detail = partAt(line, type)
  const isItem = type === "ItemBasedExpenseLineDetail"
  const isBillable = detail.BillableStatus === "Billable" && refAt(detail, "CustomerRef") === undefined
  return [
    [
      ...(line[type] === undefined ? [missing(type)] : []),
      ...amountComplaints(line, detail, currency),
      ...(isItem ? itemComplaints(account, detail, "Line.ItemBasedExpenseLineDetail.ItemRef") : []),
      ...taxComplaints(account, txn, line, side),
      ...projectComplaints(account, line, "Line.ProjectRef"),
      ...(isBillable ? [business("Select a customer for each billable split line.")] : [])
    ],
    compact({
      Id: line.Id,
      Description: line.Description,
      ProjectRef: line.ProjectRef,
      Amount: line.Amount,
      DetailType: type,
      [type]: {
        ...detail,
        BillableStatus: detail.BillableStatus ?? "NotBillable",
        TaxCodeRef: detail.TaxCodeRef ?? (isUnitedStates(account) ? { value: "NON" } : undefined)
      }
    })
  ]
}

const linesOf = (account: Account, draft: Doc, current: Doc | undefined) => {
  const txn = taxCalculation(account, draft)
  const read = partsAt(draft, "Line").map((line) => purchaseLine(account, txn, line, currencyIn(account, draft)))
  const isInclusive = txn.GlobalTaxCalculation === "TaxInclusive"
  const lines = read.map(([, line]) => (isInclusive ? withGross(account, txn, line, side) : line))
  const tax = isUnitedStates(account) ? undefined : taxOfLines(account, txn, lines, side)
  const complaints = [
    ...(draft.Line !== undefined && lines.length === 0 ? [missing("Line")] : []),
    ...read.flatMap(([wrong]) => wrong)
  ]
  return {
    total: sum(lines).plus(amountAt(tax ?? {}, "TotalTax")),
    complaints,
    Line: numbered(lines, current),
    taxed: {
      GlobalTaxCalculation: txn.GlobalTaxCalculation,
      ...(tax === undefined ? {} : { TxnTaxDetail: tax })
    }
  }
}

/** Links of a bill: orders as in the body, payments unchanged. */
const billLinks = (account: Account, draft: Doc, current: Doc | undefined) => {
  const isOrder = (link: Doc) => link.TxnType === "PurchaseOrder"
  const orders = partsAt(draft, "LinkedTxn").filter(isOrder)
  return {
    complaints: orders.flatMap(({ TxnId }) => {
      const order = account.get("PurchaseOrder", String(TxnId))
      if (order === undefined) return [transactionNotFound]
      return refAt(order, "VendorRef") === refAt(draft, "VendorRef")
        ? []
        : [business("The transaction that is linked belongs to another customer or vendor.")]
    }),
    LinkedTxn: [...orders, ...partsAt(current ?? {}, "LinkedTxn").filter((link) => !isOrder(link))]
  }
}

export const purchase =
  (entity: "Bill" | "VendorCredit"): Rule =>
  (account, draft, current) => {
    const vendor = account.get("Vendor", refAt(draft, "VendorRef") ?? "")
    const { complaints, currency, doc } = head(account, draft, vendor)
    const { complaints: wrongLines, Line, taxed, total } = linesOf(account, draft, current)
    const { complaints: wrongTotals, open } = totals(total, current)
    const links = entity === "Bill" ? billLinks(account, draft, current) : undefined
    return finish(
      [
        ...complaints,
        ...partyComplaints(draft, current, "VendorRef"),
        ...wrongLines,
        ...payableComplaints(account, draft, currency),
        ...wrongTotals,
        ...(links?.complaints ?? [])
      ],
      () => ({
        VendorAddr: vendor?.BillAddr,
        ...doc,
        APAccountRef: draft.APAccountRef ?? { value: controlAccount(account, "Accounts Payable", currency) },
        ...(links === undefined
          ? {}
          : {
              DueDate: textAt(draft, "DueDate") ?? dueDate(account, doc.TxnDate, refAt(draft, "SalesTermRef")),
              HomeBalance: inHome(open, doc),
              LinkedTxn: links.LinkedTxn
            }),
        Line,
        ...taxed,
        TotalAmt: moneyOf(doc, total),
        Balance: moneyOf(doc, open)
      })
    )
  }

// https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/purchaseorder
export const purchaseOrder: Rule = (account, draft, current) => {
  const vendor = account.get("Vendor", refAt(draft, "VendorRef") ?? "")
  const { complaints, currency, doc } = head(account, draft, vendor)
  const { complaints: wrongLines, Line, taxed, total } = linesOf(account, draft, current)
  const custom = customFieldsOf(account, "order", draft)
  return finish(
    [
      ...complaints,
      ...wrongLines,
      ...custom.complaints,
      ...payableComplaints(account, draft, currency),
      ...(total.isNegative() ? [negative] : [])
    ],
    () => ({
      VendorAddr: vendor?.BillAddr,
      ShipAddr: account.get("CompanyInfo", "1")?.CompanyAddr,
      ...doc,
      ...custom.doc,
      APAccountRef: draft.APAccountRef ?? { value: controlAccount(account, "Accounts Payable", currency) },
      Line,
      ...taxed,
      TotalAmt: moneyOf(doc, total)
    })
  )
}

/** Types of accounts that money can come from, by payment type. */
const sources: { readonly [type: string]: ReadonlyArray<string> } = {
  Cash: ["Bank", "Other Current Asset"],
  Check: ["Bank"],
  CreditCard: ["Credit Card"]
}

// https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/purchase
export const directPurchase: Rule = (account, draft, current) => {
  const payee = partAt(draft, "EntityRef")
  const { complaints, currency, doc } = head(account, draft, account.get(String(payee.type), String(payee.value)))
  const { complaints: wrongLines, Line, taxed, total } = linesOf(account, draft, current)
  const source = textAt(account.get("Account", refAt(draft, "AccountRef") ?? "") ?? {}, "AccountType") ?? ""
  return finish(
    [
      ...complaints,
      ...wrongLines,
      ...(sources[String(draft.PaymentType)]?.includes(source) === true ? [] : [invalidReference("AccountRef")]),
      ...throughComplaints(account, refAt(draft, "AccountRef"), currency),
      ...(draft.Credit === true && draft.PaymentType !== "CreditCard"
        ? [business("Only a credit card is given credit.")]
        : []),
      ...(total.isNegative() ? [negative] : [])
    ],
    () => ({ ...doc, Line, ...taxed, TotalAmt: moneyOf(doc, total) })
  )
}
