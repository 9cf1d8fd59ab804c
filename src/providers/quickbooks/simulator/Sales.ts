import { Decimal } from "decimal.js"
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
  projectComplaints,
  sum,
  taxComplaints,
  throughComplaints,
  totals,
  voidNote
} from "./Books.ts"
import { customFieldsOf } from "./CustomFields.ts"
import { business, type Complaint, missing, noDiscount } from "./Faults.ts"
import { amountAt, compact, moneyOf, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import type { Rule } from "./Lists.ts"
import { controlAccount, systemAccount } from "./Postings.ts"

// Sales: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice

const salesLine = (
  account: Account,
  line: Doc,
  currency: string
): readonly [ReadonlyArray<Complaint>, ReadonlyArray<Doc>] => {
  const type = textAt(line, "DetailType")
  const head = { Id: line.Id, Description: line.Description, ProjectRef: line.ProjectRef }
  if (type === "SubTotalLineDetail") return [[], []]
  if (type === "DiscountLineDetail") return [[], [line]]
  const detail = partAt(line, "SalesItemLineDetail")
  if (type === "SalesItemLineDetail" && line.SalesItemLineDetail === undefined)
    return [[missing("SalesItemLineDetail")], []]
  const item = account.get("Item", refAt(detail, "ItemRef") ?? "")
  // "when a line lacks an ItemRef it is treated as documentation and the Line.Amount attribute is ignored"
  if (item === undefined)
    return [
      [],
      [compact({ ...head, DetailType: "DescriptionOnly", DescriptionLineDetail: line.DescriptionLineDetail ?? {} })]
    ]
  return [
    [
      ...itemComplaints(account, detail, "Line.SalesItemLineDetail.ItemRef"),
      ...amountComplaints(line, detail, currency),
      ...taxComplaints(detail),
      ...projectComplaints(account, line, "Line.ProjectRef")
    ],
    [
      compact({
        ...head,
        Amount: line.Amount,
        DetailType: type,
        SalesItemLineDetail: {
          ...detail,
          ItemAccountRef: item.IncomeAccountRef,
          TaxCodeRef: detail.TaxCodeRef ?? { value: "NON" }
        }
      })
    ]
  ]
}

/** Works out the discount of a transaction, as a line and an amount. */
const discountOf = (account: Account, txn: Doc, lines: ReadonlyArray<Doc>, subtotal: Decimal) => {
  const [line, ...more] = lines
  if (line === undefined) return { amount: new Decimal(0), lines: [], complaints: [] }
  const detail = partAt(line, "DiscountLineDetail")
  const percent = detail.PercentBased === true ? detail.DiscountPercent : undefined
  const complaints = [
    ...(percent === undefined && line.Amount === undefined ? [noDiscount] : []),
    ...(more.length > 0 ? [business("A transaction can have one discount only.")] : [])
  ]
  const amount = new Decimal(
    moneyOf(
      txn,
      percent === undefined
        ? amountAt(line, "Amount")
        : subtotal.times(amountAt(detail, "DiscountPercent")).dividedBy(100)
    )
  )
  const given = systemAccount(account, "DiscountsRefundsGiven")
  const discount = compact({
    Description: line.Description,
    Amount: amount.toNumber(),
    DetailType: "DiscountLineDetail",
    DiscountLineDetail: {
      PercentBased: false,
      DiscountAccountRef: { value: given },
      ...detail
    }
  })
  return { amount, lines: [discount], complaints }
}

/** Tax of a tax code on an amount, rate by rate. */
const taxOf = (account: Account, txn: Doc, code: string | undefined, base: Decimal): Doc => {
  const found = code === undefined ? undefined : account.get("TaxCode", code)
  if (found === undefined || code === undefined || base.isZero()) return { TotalTax: 0 }
  const TaxLine = partsAt(partAt(found, "SalesTaxRateList"), "TaxRateDetail").flatMap((member) => {
    const id = refAt(member, "TaxRateRef") ?? ""
    const rate = amountAt(account.get("TaxRate", id) ?? {}, "RateValue")
    return {
      Amount: moneyOf(txn, base.times(rate).dividedBy(100)),
      DetailType: "TaxLineDetail",
      TaxLineDetail: {
        TaxRateRef: { value: id },
        PercentBased: true,
        TaxPercent: rate.toNumber(),
        NetAmountTaxable: moneyOf(txn, base)
      }
    }
  })
  return { TxnTaxCodeRef: { value: code }, TotalTax: moneyOf(txn, sum(TaxLine)), TaxLine }
}

/** The number after the highest one of a sale. */
const nextNumber = (account: Account): string => String(amountAt(account.get("counter", "sales") ?? {}, "last").plus(1))

const noteNumber = (account: Account, number: string | undefined) => {
  const value = Number(number)
  const last = amountAt(account.get("counter", "sales") ?? {}, "last").toNumber()
  if (Number.isSafeInteger(value) && value > last) account.put("counter", "sales", { last: value })
}

/** Further fields of one kind of sale. */
const kindly = (account: Account, entity: string, doc: Doc & { readonly TxnDate: string }, open: Decimal): Doc => {
  switch (entity) {
    case "Invoice":
      return { DueDate: textAt(doc, "DueDate") ?? dueDate(account, doc.TxnDate, refAt(doc, "SalesTermRef")) }
    case "CreditMemo":
      return { RemainingCredit: moneyOf(doc, open) }
    default:
      return { DepositToAccountRef: doc.DepositToAccountRef ?? { value: systemAccount(account, "UndepositedFunds") } }
  }
}

export const sale =
  (entity: "Invoice" | "CreditMemo" | "SalesReceipt" | "RefundReceipt"): Rule =>
  (account, draft, current) => {
    const customer = account.get("Customer", refAt(draft, "CustomerRef") ?? "")
    const { complaints, currency, doc } = head(account, draft, customer)
    const read = partsAt(draft, "Line").map((line) => salesLine(account, line, currency))
    const all = read.flatMap(([, lines]) => lines)
    const lines = all.filter((line) => line.DetailType !== "DiscountLineDetail")
    const subtotal = sum(lines)
    const discount = discountOf(
      account,
      doc,
      all.filter((line) => !lines.includes(line)),
      subtotal
    )

    const taxable = sum(lines.filter((line) => refAt(partAt(line, "SalesItemLineDetail"), "TaxCodeRef") === "TAX"))
    const share =
      draft.ApplyTaxAfterDiscount === true && !subtotal.isZero()
        ? subtotal.minus(discount.amount).dividedBy(subtotal)
        : new Decimal(1)
    const companyCode = partAt(account.get("Preferences", "1") ?? {}, "TaxPrefs")
    const code =
      refAt(partAt(draft, "TxnTaxDetail"), "TxnTaxCodeRef") ??
      refAt(customer ?? {}, "DefaultTaxCodeRef") ??
      refAt(companyCode, "TaxGroupCodeRef")
    const tax = taxOf(account, doc, code, taxable.times(share))

    const total = subtotal.minus(discount.amount).plus(amountAt(tax, "TotalTax"))
    // sales paid at once are never open
    const isOpen = entity === "Invoice" || entity === "CreditMemo"
    const { complaints: wrongTotals, open } = isOpen
      ? totals(total, current)
      : { complaints: total.isNegative() ? [negative] : [], open: new Decimal(0) }
    const custom = customFieldsOf(account, "sale", draft)
    return finish(
      [
        ...complaints,
        ...partyComplaints(draft, current, "CustomerRef"),
        ...(draft.Line !== undefined && all.length === 0 ? [missing("Line")] : []),
        ...read.flatMap(([wrong]) => wrong),
        ...discount.complaints,
        ...throughComplaints(account, refAt(draft, "DepositToAccountRef"), currency),
        ...custom.complaints,
        ...wrongTotals
      ],
      () => {
        const number = textAt(draft, "DocNumber") ?? (current === undefined ? nextNumber(account) : undefined)
        noteNumber(account, number)
        if (isOpen) controlAccount(account, "Accounts Receivable", currency)
        return {
          BillAddr: customer?.BillAddr,
          ShipAddr: customer?.ShipAddr,
          ...doc,
          ...custom.doc,
          DocNumber: number,
          ...kindly(account, entity, doc, open),
          Line: [
            ...numbered(lines, current),
            {
              Amount: moneyOf(doc, subtotal),
              DetailType: "SubTotalLineDetail",
              SubTotalLineDetail: {}
            },
            ...discount.lines
          ],
          TxnTaxDetail: tax,
          TotalAmt: moneyOf(doc, total),
          HomeTotalAmt: inHome(total, doc),
          Balance: moneyOf(doc, open),
          HomeBalance: inHome(open, doc)
        }
      }
    )
  }

/** Voids a sale: it stays, with amount 0. */
export const voidSale = (sale: Doc): Doc => {
  const zero = (line: Doc): Doc => {
    const detail = partAt(line, "SalesItemLineDetail")
    return {
      ...line,
      ...(line.Amount === undefined ? {} : { Amount: 0 }),
      ...(line.SalesItemLineDetail === undefined
        ? {}
        : { SalesItemLineDetail: { ...detail, ...(detail.UnitPrice === undefined ? {} : { UnitPrice: 0 }), Qty: 0 } })
    }
  }
  return {
    ...sale,
    PrivateNote: voidNote(sale),
    Line: partsAt(sale, "Line").map(zero),
    LinkedTxn: [],
    TxnTaxDetail: { TotalTax: 0 },
    TotalAmt: 0,
    HomeTotalAmt: 0,
    Balance: 0,
    HomeBalance: 0
  }
}
