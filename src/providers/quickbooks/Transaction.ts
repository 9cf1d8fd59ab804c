import { TransactionLineItem } from "../../canonical/accounting/Nested.ts"
import { template } from "../../mapping/Decode.ts"
import {
  computed,
  constant,
  type Entry,
  getPath,
  type LineForm,
  lines,
  onlyRead,
  readField
} from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { toAccount, toCustomer, toItem, toTaxRate, trackingCategories } from "./Common.ts"
import { document, exchangeRate, inclusiveOfTax } from "./Documents.ts"
import { type Editions, plus } from "./Editions.ts"
import { entities, type Entity } from "./Entities.ts"

/**
 * What no other resource covers: sales and refunds at the till, deposits, transfers, adjustments of stock.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/salesreceipt
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/refundreceipt
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/deposit
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/transfer
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/inventoryadjustment
 */

const heading = (type: string, account: string): ReadonlyArray<Entry> => [
  ...[...document("transaction_date"), exchangeRate].map((entry) =>
    entry.kind === "computed" ? onlyRead(entry) : entry.kind === "field" ? { ...entry, access: "read" as const } : entry
  ),
  constant("transaction_type", type),
  readField("number", "DocNumber", text),
  readField("account", `${account}.value`, toAccount)
]

const tracking = (places: { readonly [nativeType: string]: string }) => onlyRead(trackingCategories(places))

const total = readField("total_amount", "TotalAmt", number)

const read = (canonical: string, native: string, transform: Transform) =>
  readField(canonical, `${native}.value`, transform)

const linesOf = (form: LineForm) => lines({ canonical: "line_items", native: "Line", id: "Id", forms: [form] })

const memo = readField("memo", "Description", text)
const amount = readField("total_line_amount", "Amount", number)

const sold = linesOf({
  where: { DetailType: "SalesItemLineDetail" },
  entries: [
    memo,
    amount,
    readField("unit_price", "SalesItemLineDetail.UnitPrice", number),
    readField("quantity", "SalesItemLineDetail.Qty", number),
    read("item", "SalesItemLineDetail.ItemRef", toItem),
    read("account", "SalesItemLineDetail.ItemAccountRef", toAccount),
    read("tax_rate", "SalesItemLineDetail.TaxCodeRef", toTaxRate),
    tracking({ Class: "SalesItemLineDetail.ClassRef" })
  ]
})

const cashSale = (type: string) => ({
  nativeType: type,
  entries: [
    ...heading(type, "DepositToAccountRef"),
    read("contact", "CustomerRef", toCustomer),
    total,
    onlyRead(inclusiveOfTax),
    tracking({ Class: "ClassRef", Department: "DepartmentRef" }),
    sold
  ]
})

/** The account it goes to, as the one line of a transfer. */
const transferred = computed({
  canonical: "line_items",
  native: ["ToAccountRef", "Amount"],
  decode: ({ record }, context) => [
    {
      ...template(TransactionLineItem.fields),
      account: toAccount.decode(getPath(record, "ToAccountRef.value"), context),
      total_line_amount: record.Amount
    }
  ]
})

/** The kind that not every edition has. */
export const adjustment = "InventoryAdjustment"

const mapping = plainMapping([
  cashSale("SalesReceipt"),
  cashSale("RefundReceipt"),
  {
    nativeType: "Deposit",
    entries: [
      ...heading("Deposit", "DepositToAccountRef"),
      total,
      onlyRead(inclusiveOfTax),
      tracking({ Department: "DepartmentRef" }),
      linesOf({
        where: {},
        entries: [
          memo,
          amount,
          read("account", "DepositLineDetail.AccountRef", toAccount),
          read("tax_rate", "DepositLineDetail.TaxCodeRef", toTaxRate),
          tracking({ Class: "DepositLineDetail.ClassRef" })
        ]
      })
    ]
  },
  {
    nativeType: "Transfer",
    entries: [...heading("Transfer", "FromAccountRef"), readField("total_amount", "Amount", number), transferred]
  },
  {
    nativeType: adjustment,
    entries: [
      ...heading("InventoryAdjustment", "AdjustAccountRef"),
      read("contact", "CustomerRef", toCustomer),
      tracking({ Department: "DepartmentRef" }),
      linesOf({
        where: { DetailType: "ItemAdjustmentLineDetail" },
        entries: [
          memo,
          readField("quantity", "ItemAdjustmentLineDetail.QtyDiff", number),
          read("item", "ItemAdjustmentLineDetail.ItemRef", toItem),
          tracking({ Class: "ItemAdjustmentLineDetail.ClassRef" })
        ]
      })
    ]
  }
])

export const transaction = (call: Caller, editions: Editions): ResourceAdapter => {
  const all = mapping.variants.map(({ nativeType }): Entity => ({
    name: nativeType,
    removal: "delete",
    ...(nativeType === adjustment ? { editions } : {})
  }))
  const { get, list } = entities(call, mapping, all)
  const requires = [{ ...plus, native_types: [adjustment] }]
  return { mapping, consistency: "exact", requires, ...(get === undefined || list === undefined ? {} : { get, list }) }
}
