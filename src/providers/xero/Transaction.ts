import { TransactionLineItem } from "../../canonical/accounting/Nested.ts"
import {
  computed,
  constant,
  type Entry,
  getPath,
  lines,
  natives,
  onlyRead,
  readField,
  type Variant
} from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import { inOrder } from "../axes/Paginator.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import {
  codedAccount,
  codedItem,
  company,
  exchangeRate,
  identity,
  mappingOf,
  toAccount,
  toContact,
  toTaxRate,
  tracking,
  trackingOfLines,
  xeroDay,
  xeroTime
} from "./Common.ts"
import { documentKind, inclusiveOfTax } from "./Documents.ts"
import { endpoints, type Kind, missing } from "./Objects.ts"

/**
 * Money that no other resource covers: receipts, transfers between bank accounts, and what was paid too much or ahead. Bank
 * transactions of transfers and of prepaid money are shown as these, not once more.
 * https://developer.xero.com/documentation/api/accounting/banktransactions
 * https://developer.xero.com/documentation/api/accounting/banktransfers
 * https://developer.xero.com/documentation/api/accounting/overpayments
 * https://developer.xero.com/documentation/api/accounting/prepayments
 */

const shared: ReadonlyArray<Entry> = [
  readField("number", "Reference", text),
  readField("transaction_date", "Date", xeroDay),
  readField("exchange_rate", "CurrencyRate", exchangeRate),
  company
]

const lineEntries = [
  readField("memo", "Description", text),
  readField("unit_price", "UnitAmount", number),
  readField("quantity", "Quantity", number),
  onlyRead(codedItem("item", "ItemCode", "Item.ItemID")),
  onlyRead(codedAccount("account", "AccountCode", "AccountID")),
  onlyRead(tracking()),
  readField("total_line_amount", "LineAmount", number),
  readField("tax_rate", "TaxType", toTaxRate)
].filter(({ canonical }) => canonical in TransactionLineItem.fields)

const document: ReadonlyArray<Entry> = [
  ...shared,
  readField("transaction_type", "Type", text),
  readField("contact", "Contact.ContactID", toContact),
  readField("currency", "CurrencyCode", text),
  readField("total_amount", "Total", number),
  onlyRead(inclusiveOfTax),
  trackingOfLines("LineItems"),
  lines({
    canonical: "line_items",
    native: "LineItems",
    id: "LineItemID",
    forms: [{ where: {}, entries: lineEntries }]
  })
]

export const bankTransfers: Kind = {
  nativeType: "BankTransfer",
  endpoint: "BankTransfers",
  id: "BankTransferID",
  stamp: "CreatedDateUTC"
}

const variants: ReadonlyArray<Variant & { readonly kind: Omit<Kind, "nativeType"> }> = [
  {
    nativeType: "BankTransaction",
    kind: {
      ...documentKind,
      endpoint: "BankTransactions",
      id: "BankTransactionID",
      where: ['Type=="RECEIVE"', 'Status=="AUTHORISED"'],
      isOne: ({ Status, Type }) => Type === "RECEIVE" && Status === "AUTHORISED"
    },
    entries: [...identity("BankTransactionID"), ...document, readField("account", "BankAccount.AccountID", toAccount)]
  },
  {
    nativeType: "BankTransfer",
    kind: bankTransfers,
    entries: [
      readField("remote_id", "BankTransferID", text),
      readField("remote_created_at", "CreatedDateUTC", xeroTime),
      constant("remote_updated_at", null),
      constant("remote_was_deleted", false),
      ...shared,
      constant("transaction_type", "TRANSFER"),
      // that of both bank accounts, which are named only
      computed({
        canonical: "currency",
        native: ["FromBankAccount"],
        lookups: ["accounts", "organisation"],
        decode: ({ lookups, record }) => {
          const from = getPath(record, "FromBankAccount.AccountID")
          const account = natives(lookups?.accounts).find(({ id }) => id === from)
          return account?.CurrencyCode ?? getPath(lookups, "organisation.BaseCurrency")
        }
      }),
      readField("account", "FromBankAccount.AccountID", toAccount),
      readField("total_amount", "Amount", number)
    ]
  },
  ...["Overpayment", "Prepayment"].map((nativeType) => ({
    nativeType,
    kind: {
      ...documentKind,
      query: {},
      endpoint: `${nativeType}s`,
      id: `${nativeType}ID`,
      where: ['Status!="VOIDED"'],
      isOne: ({ Status }) => Status !== "VOIDED"
    } satisfies Omit<Kind, "nativeType">,
    entries: [...identity(`${nativeType}ID`), ...document]
  }))
]

const kinds: ReadonlyArray<Kind> = variants.map(({ kind, nativeType }) => ({ ...kind, nativeType }))

export const transaction = (call: Caller): ResourceAdapter => {
  const { pages, read } = endpoints(call)
  return {
    mapping: mappingOf(variants),
    consistency: "anchored",
    list: (request) =>
      inOrder(
        "xero",
        kinds.map((kind) => pages(request, kind))
      )(request.position, request.limit),
    get: ({ connection, id, variant }) => {
      const kind = kinds.find(({ nativeType }) => nativeType === variant.nativeType)
      return kind === undefined ? missing("transaction.get") : read(connection, kind, id)
    }
  }
}
