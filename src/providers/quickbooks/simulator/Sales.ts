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
  taxCalculation,
  taxComplaints,
  throughComplaints,
  totals,
  voidNote
} from "./Books.ts"
import { customFieldsOf } from "./CustomFields.ts"
import { business, type Complaint, invalidReference, missing, noDiscount } from "./Faults.ts"
import { amountAt, compact, moneyOf, partAt, partsAt, refAt, shippingItem, textAt } from "./Fields.ts"
import type { Rule } from "./Lists.ts"
import { controlAccount, soldLines, systemAccount } from "./Postings.ts"
import { automatedCode, isUnitedStates, taxLines, taxOfLines, withGross, worldOf } from "./World.ts"

// Sales: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice

const side = "SalesTaxRateList"

type ReadLine = readonly [ReadonlyArray<Complaint>, ReadonlyArray<Doc>]

/** The members of a bundle: those of the body, or else those that its item lists. */
const bundleLine = (account: Account, txn: Doc, line: Doc, currency: string): ReadLine => {
  const detail = partAt(line, "GroupLineDetail")
  const item = account.get("Item", refAt(detail, "GroupItemRef") ?? "")
  if (line.GroupLineDetail === undefined || item?.Type !== "Group")
    return [[invalidReference("Line.GroupLineDetail.GroupItemRef")], []]
  const count = detail.Quantity === undefined ? new Decimal(1) : amountAt(detail, "Quantity")
  const listed = partsAt(partAt(item, "ItemGroupDetail"), "ItemGroupLine").map((member): Doc => {
    const one = account.get("Item", refAt(member, "ItemRef") ?? "") ?? {}
    const [UnitPrice, Qty] = [amountAt(one, "UnitPrice"), amountAt(member, "Qty").times(count)]
    return {
      Description: one.Description,
      Amount: moneyOf(txn, UnitPrice.times(Qty)),
      DetailType: "SalesItemLineDetail",
      SalesItemLineDetail: {
        ItemRef: member.ItemRef,
        UnitPrice: UnitPrice.toNumber(),
        Qty: Qty.toNumber(),
        TaxCodeRef: one.SalesTaxCodeRef
      }
    }
  })
  const given = partsAt(detail, "Line")
  const read = (given.length === 0 ? listed : given).map((member) => salesLine(account, txn, member, currency))
  const members = read.flatMap(([, lines]) => lines)
  return [
    read.flatMap(([wrong]) => wrong),
    [
      compact({
        Id: line.Id,
        Description: line.Description ?? item.Description,
        Amount: moneyOf(txn, sum(members)),
        DetailType: "GroupLineDetail",
        GroupLineDetail: { GroupItemRef: detail.GroupItemRef, Quantity: count.toNumber(), Line: members }
      })
    ]
  ]
}

/** Shipping is billed without quantity and price. */
const incomeOf = (account: Account, id: string | undefined) =>
  id === shippingItem
    ? { value: systemAccount(account, "OtherPrimaryIncome") }
    : account.get("Item", id ?? "")?.IncomeAccountRef

const salesLine = (account: Account, txn: Doc, line: Doc, currency: string): ReadLine => {
  const type = textAt(line, "DetailType")
  const head = { Id: line.Id, Description: line.Description, ProjectRef: line.ProjectRef }
  if (type === "SubTotalLineDetail") return [[], []]
  if (type === "DiscountLineDetail") return [[], [line]]
  if (type === "GroupLineDetail") return bundleLine(account, txn, line, currency)
  const detail = partAt(line, "SalesItemLineDetail")
  if (type === "SalesItemLineDetail" && line.SalesItemLineDetail === undefined)
    return [[missing("SalesItemLineDetail")], []]
  const id = refAt(detail, "ItemRef")
  // "when a line lacks an ItemRef it is treated as documentation and the Line.Amount attribute is ignored"
  if (id === undefined || (id !== shippingItem && account.get("Item", id) === undefined))
    return [
      [],
      [compact({ ...head, DetailType: "DescriptionOnly", DescriptionLineDetail: line.DescriptionLineDetail ?? {} })]
    ]
  return [
    [
      ...itemComplaints(account, detail, "Line.SalesItemLineDetail.ItemRef"),
      ...amountComplaints(line, detail, currency),
      ...taxComplaints(account, txn, line, side),
      ...projectComplaints(account, line, "Line.ProjectRef")
    ],
    [
      compact({
        ...head,
        Amount: line.Amount,
        DetailType: type,
        SalesItemLineDetail: {
          ...detail,
          ItemAccountRef: incomeOf(account, id),
          TaxCodeRef: detail.TaxCodeRef ?? (isUnitedStates(account) ? { value: "NON" } : undefined)
        }
      })
    ]
  ]
}

/** The lines that bill, with the members of bundles. */
const billed = (lines: ReadonlyArray<Doc>): ReadonlyArray<Doc> => soldLines({ Line: lines })

const isShipping = (line: Doc) => refAt(partAt(line, "SalesItemLineDetail"), "ItemRef") === shippingItem

/** What lines come to with tax. */
const sumGross = (lines: ReadonlyArray<Doc>): Decimal =>
  lines.reduce((total, line) => {
    const { TaxInclusiveAmt } = partAt(line, "SalesItemLineDetail")
    return total.plus(typeof TaxInclusiveAmt === "number" ? TaxInclusiveAmt : amountAt(line, "Amount"))
  }, new Decimal(0))

const grossLine = (account: Account, txn: Doc, line: Doc): Doc => {
  if (line.DetailType !== "GroupLineDetail") return withGross(account, txn, line, side)
  const detail = partAt(line, "GroupLineDetail")
  const Line = partsAt(detail, "Line").map((member) => withGross(account, txn, member, side))
  return { ...line, GroupLineDetail: { ...detail, Line } }
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

/** Tax of a sale in the United States, of the one code that the document has. */
const taxOf = (account: Account, txn: Doc, code: string | undefined, base: Decimal): Doc => {
  if (code === undefined || account.get("TaxCode", code) === undefined || base.isZero()) return { TotalTax: 0 }
  const TaxLine = taxLines(account, txn, code, base, side)
  return { TxnTaxCodeRef: { value: code }, TotalTax: moneyOf(txn, sum(TaxLine)), TaxLine }
}

/** The code of a sale in the United States: the one that was sent, unless Intuit chooses it by where the sale goes. */
const codeOf = (account: Account, draft: Doc, customer: Doc): string | undefined => {
  if (worldOf(account).isAutomated === true) {
    const places = [draft.ShipAddr, draft.BillAddr, customer.ShipAddr, customer.BillAddr]
    return automatedCode(account, partAt({ place: places.find((place) => place !== undefined) }, "place"))
  }
  return (
    refAt(partAt(draft, "TxnTaxDetail"), "TxnTaxCodeRef") ??
    refAt(customer, "DefaultTaxCodeRef") ??
    refAt(partAt(account.get("Preferences", "1") ?? {}, "TaxPrefs"), "TaxGroupCodeRef")
  )
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
    const taxed = taxCalculation(account, draft)
    const { complaints, currency, doc } = head(account, taxed, customer)
    const read = partsAt(draft, "Line").map((line) => salesLine(account, doc, line, currency))
    const all = read.flatMap(([, lines]) => lines)
    const isInclusive = taxed.GlobalTaxCalculation === "TaxInclusive"
    const lines = all
      .filter((line) => line.DetailType !== "DiscountLineDetail")
      .map((line) => (isInclusive ? grossLine(account, doc, line) : line))
    const members = billed(lines)
    const goods = members.filter((line) => !isShipping(line))
    const [subtotal, billable] = [sum(goods), isInclusive ? sumGross(goods) : sum(goods)]
    const discount = discountOf(
      account,
      doc,
      all.filter((line) => line.DetailType === "DiscountLineDetail"),
      billable
    )

    const isTaxed = (line: Doc) => refAt(partAt(line, "SalesItemLineDetail"), "TaxCodeRef") === "TAX"
    const left =
      isUnitedStates(account) && draft.ApplyTaxAfterDiscount !== true
        ? new Decimal(1)
        : billable.isZero()
          ? new Decimal(1)
          : billable.minus(discount.amount).dividedBy(billable)
    const tax = isUnitedStates(account)
      ? taxOf(account, doc, codeOf(account, draft, customer ?? {}), sum(members.filter(isTaxed)).times(left))
      : taxOfLines(account, doc, members, side, left)

    const total = (isInclusive ? sumGross(members) : sum(members).plus(amountAt(tax, "TotalTax"))).minus(
      discount.amount
    )
    // sales paid at once are never open
    const isOpen = entity === "Invoice" || entity === "CreditMemo"
    const { complaints: wrongTotals, open } = isOpen
      ? totals(total, current, amountAt(draft, "Deposit"))
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

/** A line of a void sale: its amount and quantity are 0, and its price is gone. */
const zeroLine = (line: Doc): Doc => {
  const { UnitPrice: _price, TaxInclusiveAmt: _gross, ...detail } = partAt(line, "SalesItemLineDetail")
  const group = partAt(line, "GroupLineDetail")
  return {
    ...line,
    ...(line.Amount === undefined ? {} : { Amount: 0 }),
    ...(line.SalesItemLineDetail === undefined ? {} : { SalesItemLineDetail: { ...detail, Qty: 0 } }),
    ...(line.GroupLineDetail === undefined
      ? {}
      : { GroupLineDetail: { ...group, Line: partsAt(group, "Line").map(zeroLine) } })
  }
}

/** Voids a sale: it stays, with amount 0. */
export const voidSale = ({ Deposit: _deposit, ...sale }: Doc): Doc => ({
  ...sale,
  PrivateNote: voidNote(sale),
  Line: partsAt(sale, "Line").map(zeroLine),
  LinkedTxn: [],
  TxnTaxDetail: { TotalTax: 0 },
  TotalAmt: 0,
  HomeTotalAmt: 0,
  Balance: 0,
  HomeBalance: 0
})
