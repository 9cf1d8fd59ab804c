import { Decimal } from "decimal.js"
import { computed, constant, type Entry, field, getPath, type Native, readField } from "../../mapping/Mapping.ts"
import { date, decimal, number, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import {
  amountOf,
  company,
  currency,
  identity,
  mappingOf,
  nativesOf,
  toCustomer,
  toPaymentTerm,
  toVendor,
  trackingCategories
} from "./Common.ts"
import { entities } from "./Entities.ts"
import { billLines, discountOf, invoiceLines, totalDiscount } from "./InvoiceLines.ts"
import { billPayments, billSettlements, invoiceSettlements, payments } from "./Settlements.ts"

/**
 * Invoices to customers and bills of vendors. Totals and balance are Intuit's; what they are not, such as paid, is derived.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/bill
 */

/** Units of home currency for one of the document's; a document in the home currency has none. */
const exchangeRate = computed({
  canonical: "exchange_rate",
  native: ["ExchangeRate"],
  decode: ({ record }, context) =>
    record.ExchangeRate === undefined ? "1.0" : decimal.decode(record.ExchangeRate, context),
  encode: (value, { get, set }) => {
    const isOne = typeof value === "string" && new Decimal(value).equals(1)
    if (get("ExchangeRate") !== undefined || (value !== null && !isOne)) {
      set("ExchangeRate", value === null ? null : Number(value))
    }
  }
})

/** TaxInclusive, or TaxExcluded and NotApplicable, which both are not; United States companies have none. */
const inclusiveOfTax = computed({
  canonical: "inclusive_of_tax",
  native: ["GlobalTaxCalculation"],
  decode: ({ record }) =>
    record.GlobalTaxCalculation === undefined ? null : record.GlobalTaxCalculation === "TaxInclusive",
  encode: (value, { get, set }) => {
    const held = get("GlobalTaxCalculation")
    if (value !== null && (held === undefined || (held === "TaxInclusive") !== value)) {
      set("GlobalTaxCalculation", value === true ? "TaxInclusive" : "TaxExcluded")
    }
  }
})

const subTotal = computed({
  canonical: "sub_total",
  native: ["TotalAmt", "TxnTaxDetail", "Line"],
  decode: ({ record }) =>
    amountOf(record.TotalAmt)
      ?.minus(amountOf(getPath(record, "TxnTaxDetail.TotalTax")) ?? 0)
      .plus(discountOf(record))
      .toNumber()
})

const totalTax = computed({
  canonical: "total_tax_amount",
  native: ["TxnTaxDetail"],
  decode: ({ record }) => getPath(record, "TxnTaxDetail.TotalTax") ?? 0
})

/** A voided invoice keeps its lines at nothing and says so in its note. */
const isVoid = (record: Native) =>
  record.TotalAmt === 0 &&
  record.Balance === 0 &&
  typeof record.PrivateNote === "string" &&
  record.PrivateNote.startsWith("Voided")

/** The note of a voided invoice is also what says that it is void, so the mark stays in front of what is written. */
const memo = computed({
  canonical: "memo",
  native: ["PrivateNote"],
  needsCurrent: true,
  decode: ({ record }, context) => text.decode(record.PrivateNote ?? null, context),
  encode: (value, { current, set }) => {
    const isMarked = typeof value === "string" && value.startsWith("Voided")
    const note = typeof value === "string" ? `Voided - ${value}` : "Voided"
    set("PrivateNote", current !== undefined && isVoid(current.record) && !isMarked ? note : value)
  }
})

const settlement = (record: Native) => {
  const [total, balance] = [amountOf(record.TotalAmt), amountOf(record.Balance)]
  if (total === undefined || balance === undefined) return null
  return balance.isZero() ? "PAID" : balance.lt(total) ? "PARTIALLY_PAID" : "OPEN"
}

/** VOID is the one state that can be written, on an invoice: a bill has no such state, the others follow from payments. */
const status = (canBeVoid: boolean) =>
  computed({
    canonical: "status",
    native: ["TotalAmt", "Balance", "PrivateNote"],
    needsCurrent: (value) => canBeVoid && value === "VOID",
    decode: ({ record }) => (canBeVoid && isVoid(record) ? "VOID" : settlement(record)),
    encode: (value, { current, step }) => {
      if (canBeVoid && value === "VOID" && (current === undefined || !isVoid(current.record))) step("void", true)
    }
  })

const purchaseOrders = computed({
  canonical: "purchase_orders",
  native: ["LinkedTxn"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    nativesOf(record.LinkedTxn).flatMap((link) =>
      link.TxnType === "PurchaseOrder" ? [context.reference("purchase_order", "PurchaseOrder", String(link.TxnId))] : []
    ),
  encode: (value, encoding) => {
    const held = nativesOf(encoding.get("LinkedTxn"))
    const wanted = (Array.isArray(value) ? value : []).flatMap((uuid, i) => {
      const path = `${encoding.prefix}purchase_orders.${i}`
      return remoteIdOf(uuid, "purchase_order", ["PurchaseOrder"], encoding, path) ?? []
    })
    const isOrder = (link: Native) => link.TxnType === "PurchaseOrder"
    const links = [
      ...held.filter((link) => !isOrder(link) || wanted.includes(String(link.TxnId))),
      ...wanted
        .filter((id) => !held.some((link) => isOrder(link) && link.TxnId === id))
        .map((TxnId) => ({ TxnId, TxnType: "PurchaseOrder" }))
    ]
    if (held.length > 0 || links.length > 0) encoding.set("LinkedTxn", links)
  }
})

const shared: ReadonlyArray<Entry> = [
  ...identity,
  field("number", "DocNumber", text),
  field("issue_date", "TxnDate", date),
  field("due_date", "DueDate", date),
  field("payment_term", "SalesTermRef.value", toPaymentTerm),
  company,
  currency({ isFixed: false }),
  exchangeRate,
  inclusiveOfTax,
  subTotal,
  totalTax,
  readField("total_amount", "TotalAmt", number),
  readField("balance", "Balance", number)
]

const mapping = mappingOf([
  {
    nativeType: "Invoice",
    when: { type: "ACCOUNTS_RECEIVABLE" },
    entries: [
      ...shared,
      constant("type", "ACCOUNTS_RECEIVABLE"),
      field("contact", "CustomerRef.value", toCustomer),
      memo,
      trackingCategories({ Class: "ClassRef", Department: "DepartmentRef" }),
      invoiceLines,
      totalDiscount,
      status(true),
      ...invoiceSettlements
    ]
  },
  {
    nativeType: "Bill",
    when: { type: "ACCOUNTS_PAYABLE" },
    entries: [
      ...shared,
      constant("type", "ACCOUNTS_PAYABLE"),
      field("contact", "VendorRef.value", toVendor),
      field("memo", "PrivateNote", text),
      trackingCategories({ Department: "DepartmentRef" }),
      billLines,
      constant("total_discount", 0),
      purchaseOrders,
      status(false),
      ...billSettlements
    ]
  }
])

export const invoice = (call: Caller) =>
  entities(call, mapping, [
    { name: "Invoice", removal: "delete", parts: { payments } },
    { name: "Bill", removal: "delete", parts: { billPayments } }
  ])
