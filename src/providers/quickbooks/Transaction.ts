import { TransactionLineItem } from "../../canonical/accounting/Nested.ts"
import { Transaction } from "../../canonical/accounting/Transaction.ts"
import { template } from "../../mapping/Decode.ts"
import { computed, type Entries, type EntriesOf } from "../../mapping/Entries.ts"
import { getPath, type LineForm, onlyRead } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, text, type Transform } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { toAccount, toCustomer, toItem, toTaxRate, trackingCategories } from "./Common.ts"
import { type Conditions, days, equal, never, refersTo } from "./Conditions.ts"
import { document, exchangeRate, inclusiveOfTax } from "./Documents.ts"
import { type Editions, plus } from "./Editions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import type { Entity } from "./Entity.ts"
import { postsByDate } from "./NotHeld.ts"

/**
 * Transactions that no other resource covers: sales receipts, refunds, deposits, transfers, inventory adjustments.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/salesreceipt
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/refundreceipt
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/deposit
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/transfer
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/inventoryadjustment
 */

type Of = EntriesOf<typeof Transaction>

const heading = (of: Of, type: string, account: string) => [
  ...[...document(of, "transaction_date"), exchangeRate(of)].map((entry) =>
    entry.kind === "computed" ? onlyRead(entry) : { ...entry, access: "read" as const }
  ),
  of.constant("transaction_type", type),
  of.readField("number", "DocNumber", text),
  of.readField("account", `${account}.value`, toAccount)
]

const tracking = (of: Entries<"tracking_categories">, places: { readonly [nativeType: string]: string }) =>
  onlyRead(trackingCategories(of, places))

const total = (of: Of) => of.readField("total_amount", "TotalAmt", number)

const read = <N extends string>(of: Entries<N>, canonical: N, native: string, transform: Transform) =>
  of.readField(canonical, `${native}.value`, transform)

type LineOf = Entries<keyof typeof TransactionLineItem.fields>

const linesOf = (of: Of, form: (of: LineOf) => LineForm) =>
  of.lines("line_items", { native: "Line", id: "Id", forms: (of) => [form(of)] })

const memo = (of: LineOf) => of.readField("memo", "Description", text)
const amount = (of: LineOf) => of.readField("total_line_amount", "Amount", number)

const sold = (of: LineOf) => ({
  where: { DetailType: "SalesItemLineDetail" },
  entries: [
    memo(of),
    amount(of),
    of.readField("unit_price", "SalesItemLineDetail.UnitPrice", number),
    of.readField("quantity", "SalesItemLineDetail.Qty", number),
    read(of, "item", "SalesItemLineDetail.ItemRef", toItem),
    read(of, "account", "SalesItemLineDetail.ItemAccountRef", toAccount),
    read(of, "tax_rate", "SalesItemLineDetail.TaxCodeRef", toTaxRate),
    tracking(of, { Class: "SalesItemLineDetail.ClassRef" })
  ]
})

const cashSale = (of: Of, type: string) => ({
  nativeType: type,
  entries: [
    ...heading(of, type, "DepositToAccountRef"),
    read(of, "contact", "CustomerRef", toCustomer),
    total(of),
    onlyRead(inclusiveOfTax(of)),
    tracking(of, { Class: "ClassRef", Department: "DepartmentRef" }),
    linesOf(of, sold)
  ],
  notHeld: { accounting_period: postsByDate }
})

/** The receiving account, as the one line of a transfer. */
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

/** The only kind that some editions lack. */
export const adjustment = "InventoryAdjustment"

const mapping = plainMapping(Transaction, (of) => [
  of.variant(cashSale(of, "SalesReceipt")),
  of.variant(cashSale(of, "RefundReceipt")),
  of.variant({
    nativeType: "Deposit",
    entries: [
      ...heading(of, "Deposit", "DepositToAccountRef"),
      total(of),
      onlyRead(inclusiveOfTax(of)),
      tracking(of, { Department: "DepartmentRef" }),
      linesOf(of, (of) => ({
        where: {},
        entries: [
          memo(of),
          amount(of),
          read(of, "account", "DepositLineDetail.AccountRef", toAccount),
          read(of, "tax_rate", "DepositLineDetail.TaxCodeRef", toTaxRate),
          tracking(of, { Class: "DepositLineDetail.ClassRef" })
        ]
      }))
    ],
    notHeld: {
      contact: "QuickBooks Online deposits name customers and vendors on their lines only.",
      accounting_period: postsByDate
    }
  }),
  of.variant({
    nativeType: "Transfer",
    entries: [
      ...heading(of, "Transfer", "FromAccountRef"),
      of.readField("total_amount", "Amount", number),
      tracking(of, { Class: "ClassRef", Department: "DepartmentRef" }),
      transferred(of)
    ],
    notHeld: {
      contact: "QuickBooks Online transfers name no customer and no vendor.",
      inclusive_of_tax: "QuickBooks Online transfers have no tax.",
      accounting_period: postsByDate
    }
  }),
  of.variant({
    nativeType: adjustment,
    entries: [
      ...heading(of, "InventoryAdjustment", "AdjustAccountRef"),
      read(of, "contact", "CustomerRef", toCustomer),
      tracking(of, { Department: "DepartmentRef" }),
      linesOf(of, (of) => ({
        where: { DetailType: "ItemAdjustmentLineDetail" },
        entries: [
          memo(of),
          of.readField("quantity", "ItemAdjustmentLineDetail.QtyDiff", number),
          read(of, "item", "ItemAdjustmentLineDetail.ItemRef", toItem),
          tracking(of, { Class: "ItemAdjustmentLineDetail.ClassRef" })
        ]
      }))
    ],
    notHeld: {
      inclusive_of_tax: "QuickBooks Online inventory adjustments have no tax.",
      total_amount: "QuickBooks Online inventory adjustments state quantities and no amount.",
      accounting_period: postsByDate
    }
  })
])

const dated = days("TxnDate", "transaction")

const cash = { ...dated, number: equal("DocNumber"), contact: refersTo("CustomerRef", "Customer") }

/**
 * It is not documented that the others can be queried by date or number; and the error for an unsupported condition on
 * adjustments would look as if the edition lacked them.
 */
const filters: { readonly [nativeType: string]: Conditions } = {
  SalesReceipt: cash,
  RefundReceipt: cash,
  Deposit: { ...dated, contact: never },
  Transfer: { contact: never }
}

export const transaction = (books: Books, editions: Editions): ResourceAdapter => {
  const all = mapping.variants.map(({ nativeType }): Entity => ({
    name: nativeType,
    removal: "delete",
    isShort: true,
    filters: filters[nativeType] ?? {},
    ...(nativeType === adjustment ? { editions } : {})
  }))
  const { create: _, patch: __, remove: ___, replace: ____, ...verbs } = entities(books, mapping, all)
  return { ...verbs, requires: [{ ...plus, native_types: [adjustment] }] }
}
