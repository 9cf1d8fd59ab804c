import { Invoice } from "../../canonical/accounting/Invoice.ts"
import { InvoiceLineItem } from "../../canonical/accounting/Nested.ts"
import { computed, type Entries, type EntriesOf } from "../../mapping/Entries.ts"
import type { DocumentLines } from "../../mapping/LineParts.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { noDiscount } from "../../mapping/NoDiscount.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, leaveOut, number, remoteIdOf, text } from "../../mapping/Transform.ts"
import { wide } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { amountOf, toCustomer, toPaymentTerm, toVendor, trackingCategories } from "./Common.ts"
import { always, days, equal, refersTo } from "./Conditions.ts"
import { discountOf, totalDiscount } from "./Discount.ts"
import {
  customerNote,
  document,
  documentNumber,
  exchangeRate,
  inclusiveOfTax,
  isMarkedVoid,
  isVoid,
  netOf,
  noReference,
  note,
  party,
  salesTaxCode,
  totalTax,
  withParty
} from "./Documents.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { boughtLines, soldLines } from "./Lines.ts"
import { noSalesOrders, postsByDate } from "./NotHeld.ts"
import { billPayments, billSettlements, invoiceSettlements, payments } from "./Settlements.ts"

/**
 * Invoices to customers and bills from vendors. Totals and balance come from Intuit; other values, such as paid, are
 * derived.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/bill
 */

const subTotal = computed({
  canonical: "sub_total",
  native: ["TotalAmt", "TxnTaxDetail", "Line", "GlobalTaxCalculation"],
  decode: ({ record }) => netOf(record)?.plus(discountOf(record)).toNumber()
})

/** The mark that voiding puts in front of a note. */
const mark = /^Voided(?: - |$)/

/**
 * The note of a voided invoice also marks it as void, so a new note keeps the mark in front. Voiding adds the mark, so a note
 * that already has it is sent without.
 */
const memo = computed({
  canonical: "memo",
  native: ["PrivateNote"],
  needsCurrent: true,
  decode: ({ record }, context) => text.decode(record.PrivateNote ?? null, context),
  encode: (value, { body, current, set }) => {
    const isHeldVoid = current !== undefined && isVoid(current.record)
    if (isHeldVoid && !isMarkedVoid(value))
      set("PrivateNote", typeof value === "string" ? `Voided - ${value}` : "Voided")
    else if (!isHeldVoid && body.status === "VOID" && typeof value === "string")
      set("PrivateNote", value.replace(mark, "") || null)
    else set("PrivateNote", value)
  }
})

const settlement = (record: Native) => {
  const [total, balance] = [amountOf(record.TotalAmt), amountOf(record.Balance)]
  if (total === undefined || balance === undefined) return null
  return balance.isZero() ? "PAID" : balance.lt(total) ? "PARTIALLY_PAID" : "OPEN"
}

/** VOID is the only state that can be written, and only on invoices: bills lack it, and the others follow from payments. */
const status = (of: Entries<"status">, canBeVoid: boolean) =>
  of.computed({
    canonical: "status",
    native: ["TotalAmt", "Balance", "PrivateNote", "Line"],
    needsCurrent: (value) => canBeVoid && value === "VOID",
    decode: ({ record }) => (canBeVoid && isVoid(record) ? "VOID" : settlement(record)),
    encode: (value, encoding) => {
      const { current, prefix, step } = encoding
      if (value !== "VOID") return
      if (!canBeVoid) leaveOut(encoding, `${prefix}status`, value, "bills cannot be void here: delete it")
      else if (current === undefined || !isVoid(current.record)) step("void", true)
    }
  })

const purchaseOrders = computed({
  canonical: "purchase_orders",
  native: ["LinkedTxn"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    natives(record.LinkedTxn).flatMap((link) =>
      link.TxnType === "PurchaseOrder" ? [context.reference("purchase_order", "PurchaseOrder", String(link.TxnId))] : []
    ),
  encode: (value, encoding) => {
    const held = natives(encoding.get("LinkedTxn"))
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

const shared = (of: EntriesOf<typeof Invoice>) => [
  ...document(of, "issue_date"),
  documentNumber(of, "number"),
  of.field("due_date", "DueDate", date),
  of.field("payment_term", "SalesTermRef.value", toPaymentTerm),
  inclusiveOfTax(of),
  subTotal(of),
  totalTax(of),
  of.readField("total_amount", "TotalAmt", number),
  of.readField("balance", "Balance", number)
]

const called: DocumentLines<typeof InvoiceLineItem> = { total: "total_amount", shape: InvoiceLineItem }

const mapping = plainMapping(Invoice, (of) => [
  of.variant({
    nativeType: "Invoice",
    when: { type: "ACCOUNTS_RECEIVABLE" },
    entries: [
      ...shared(of),
      of.constant("type", "ACCOUNTS_RECEIVABLE"),
      party(of, "contact", "CustomerRef", toCustomer),
      exchangeRate(of),
      memo(of),
      customerNote(of),
      trackingCategories(of, { Class: "ClassRef", Department: "DepartmentRef" }),
      of.lines("line_items", soldLines(called)),
      salesTaxCode(of),
      totalDiscount(of),
      status(of, true),
      ...invoiceSettlements(of)
    ],
    notHeld: {
      reference: noReference,
      employee: "QuickBooks Online invoices name no sales person.",
      accounting_period: postsByDate,
      purchase_orders: "QuickBooks Online links purchase orders to bills, never to invoices.",
      sales_orders: noSalesOrders,
      applied_vendor_credits: "QuickBooks Online applies vendor credits to bills, never to invoices."
    }
  }),
  of.variant({
    nativeType: "Bill",
    when: { type: "ACCOUNTS_PAYABLE" },
    entries: [
      ...shared(of),
      of.constant("type", "ACCOUNTS_PAYABLE"),
      party(of, "contact", "VendorRef", toVendor),
      exchangeRate(of),
      note(of),
      trackingCategories(of, { Department: "DepartmentRef" }),
      of.lines("line_items", boughtLines(called)),
      noDiscount(of),
      purchaseOrders(of),
      status(of, false),
      ...billSettlements(of)
    ],
    notHeld: {
      reference: noReference,
      customer_note: "QuickBooks Online bills are a vendor's documents and print no note.",
      employee: "QuickBooks Online bills name no employee.",
      accounting_period: postsByDate,
      sales_orders: noSalesOrders,
      applied_credit_notes: "QuickBooks Online applies credit memos to invoices, never to bills."
    }
  })
])

const filters = { number: equal("DocNumber"), ...days("TxnDate", "issued"), ...days("DueDate", "due") }

/** Selects by balance: settled documents have none, open ones have some. */
const ofStatus = (...settled: ReadonlyArray<string>) =>
  wide(({ values }) => {
    const isDone = values.some((value) => settled.includes(value))
    const isDue = values.includes("OPEN") || values.includes("PARTIALLY_PAID")
    if (isDone && isDue) return []
    if (isDone) return ["Balance = '0'"]
    return isDue ? ["Balance > '0'"] : null
  })

export const invoice = (books: Books): ResourceAdapter => ({
  ...entities(books, mapping, [
    {
      name: "Invoice",
      removal: "delete",
      parts: { payments },
      filters: {
        ...filters,
        type: always("ACCOUNTS_RECEIVABLE"),
        contact: refersTo("CustomerRef", "Customer"),
        status: ofStatus("PAID", "VOID")
      }
    },
    {
      name: "Bill",
      removal: "delete",
      parts: { billPayments },
      filters: {
        ...filters,
        type: always("ACCOUNTS_PAYABLE"),
        contact: refersTo("VendorRef", "Vendor"),
        status: ofStatus("PAID")
      }
    }
  ]),
  rules: [{ rule: "oneOf", fields: ["line_items[].item", "line_items[].account"] }],
  related: withParty(books, "contact")
})
