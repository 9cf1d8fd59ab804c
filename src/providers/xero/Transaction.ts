import { Effect } from "effect"
import { Transaction } from "../../canonical/accounting/Transaction.ts"
import { computed, type EntriesOf } from "../../mapping/Entries.ts"
import { type Bundle, getPath, natives, onlyRead } from "../../mapping/Mapping.ts"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { number, text } from "../../mapping/Transform.ts"
import { inOrder } from "../base/Paginator.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import {
  codedAccount,
  codedItem,
  company,
  identity,
  mappingOf,
  optionsIn,
  ownRate,
  rateOf,
  reasons,
  toAccount,
  toContact,
  toOption,
  toTaxRate,
  tracking,
  trackingOfLines,
  xeroDay,
  xeroTime
} from "./Common.ts"
import { byDay, documentKind, inclusiveOfTax } from "./Documents.ts"
import { beginning, link, none, refersTo } from "./Filters.ts"
import { endpoints, findsIn, type Kind, missing } from "./Objects.ts"

/**
 * Money that no other resource covers: receipts, transfers between bank accounts, and what was paid too much or ahead. Bank
 * transactions of transfers and of prepaid money are shown as these, not once more.
 * https://developer.xero.com/documentation/api/accounting/banktransactions
 * https://developer.xero.com/documentation/api/accounting/banktransfers
 * https://developer.xero.com/documentation/api/accounting/overpayments
 * https://developer.xero.com/documentation/api/accounting/prepayments
 */

type Of = EntriesOf<typeof Transaction>

const shared = (of: Of) => [
  of.readField("number", "Reference", text),
  of.readField("transaction_date", "Date", xeroDay),
  company(of)
]

const document = (of: Of, id: string) => [
  ...identity(of, id),
  ...shared(of),
  of.readField("transaction_type", "Type", text),
  of.readField("contact", "Contact.ContactID", toContact),
  of.readField("currency", "CurrencyCode", text),
  onlyRead(ownRate(of)),
  of.readField("total_amount", "Total", number),
  onlyRead(inclusiveOfTax(of)),
  trackingOfLines(of, "LineItems"),
  of.lines("line_items", {
    native: "LineItems",
    id: "LineItemID",
    forms: (of) => [
      {
        where: {},
        entries: [
          of.readField("memo", "Description", text),
          of.readField("unit_price", "UnitAmount", number),
          of.readField("quantity", "Quantity", number),
          onlyRead(codedItem(of, "item", "ItemCode", "Item.ItemID")),
          onlyRead(codedAccount(of, "account", "AccountCode", "AccountID")),
          onlyRead(tracking(of)),
          of.readField("total_line_amount", "LineAmount", number),
          of.readField("tax_rate", "TaxType", toTaxRate)
        ]
      }
    ]
  })
]

/** That of both bank accounts of a transfer, which are named only. */
const currencyOfTransfer = {
  native: ["FromBankAccount"],
  lookups: ["accounts", "organisation"],
  of: ({ lookups, record }: Bundle) => {
    const from = getPath(record, "FromBankAccount.AccountID")
    const account = natives(lookups?.accounts).find(({ id }) => id === from)
    return account?.CurrencyCode ?? getPath(lookups, "organisation.BaseCurrency")
  }
}

/** Options that a transfer has for either of its accounts. */
const trackingOfTransfer = computed({
  canonical: "tracking_categories",
  native: ["FromTracking", "ToTracking"],
  lookups: ["tracking"],
  decode: ({ lookups, record }, context) => [
    ...new Set(
      [record.FromTracking, record.ToTracking].flatMap((side) =>
        optionsIn(side, lookups, (id) => toOption.decode(id, context))
      )
    )
  ]
})

const neverHeld = { remote_created_at: reasons.created, accounting_period: reasons.period } as const

const paidAhead = ["Overpayment", "Prepayment"]

const mapping = mappingOf(Transaction, (of) => [
  of.variant({
    nativeType: "BankTransaction",
    entries: [...document(of, "BankTransactionID"), of.readField("account", "BankAccount.AccountID", toAccount)],
    notHeld: neverHeld
  }),
  of.variant({
    nativeType: "BankTransfer",
    entries: [
      of.readField("remote_id", "BankTransferID", text),
      of.readField("remote_created_at", "CreatedDateUTC", xeroTime),
      of.computed({
        canonical: "remote_was_deleted",
        native: ["Status"],
        decode: ({ record }) => record.Status === "DELETED"
      }),
      ...shared(of),
      of.constant("transaction_type", "TRANSFER"),
      of.computed({
        canonical: "currency",
        native: currencyOfTransfer.native,
        lookups: currencyOfTransfer.lookups,
        decode: currencyOfTransfer.of
      }),
      onlyRead(rateOf(of, currencyOfTransfer)),
      of.readField("account", "FromBankAccount.AccountID", toAccount),
      of.readField("total_amount", "Amount", number),
      trackingOfTransfer(of)
    ],
    notHeld: {
      remote_updated_at: "Xero does not say when a bank transfer was last changed.",
      contact: "Xero bank transfers are between two bank accounts of the organisation and have no contact.",
      inclusive_of_tax: "Xero bank transfers carry no tax.",
      line_items: "Xero bank transfers have no lines.",
      accounting_period: reasons.period
    }
  }),
  ...paidAhead.map((nativeType) =>
    of.variant({
      nativeType,
      entries: document(of, `${nativeType}ID`),
      notHeld: {
        ...neverHeld,
        account:
          "Xero names the bank account on the bank transaction that brought the money, not on what was paid ahead."
      }
    })
  )
])

export const bankTransfers: Kind = {
  nativeType: "BankTransfer",
  endpoint: "BankTransfers",
  id: "BankTransferID",
  stamp: "CreatedDateUTC",
  filters: {
    contact: none,
    account: refersTo((id) => ({ keeps: (record) => getPath(record, "FromBankAccount.AccountID") === id })),
    ...byDay("transaction")
  },
  ended: ["DELETED"],
  endedQuery: { includeDeleted: "true" }
}

const kinds: ReadonlyArray<Kind> = [
  {
    ...documentKind,
    nativeType: "BankTransaction",
    endpoint: "BankTransactions",
    id: "BankTransactionID",
    where: ['Type=="RECEIVE"'],
    filters: {
      number: beginning("Reference"),
      contact: link("Contact.ContactID"),
      account: link("BankAccount.AccountID"),
      ...byDay("transaction")
    },
    isOne: ({ Type }) => Type === "RECEIVE",
    ended: ["DELETED", "VOIDED"]
  },
  bankTransfers,
  ...paidAhead.map((nativeType): Kind => ({
    ...documentKind,
    nativeType,
    query: {},
    endpoint: `${nativeType}s`,
    id: `${nativeType}ID`,
    filters: {
      number: beginning("Reference"),
      contact: link("Contact.ContactID"),
      account: none,
      ...byDay("transaction")
    },
    ended: ["VOIDED"]
  }))
]

export const transaction = (call: Caller): ResourceAdapter => {
  const { many, pages, read } = endpoints(call)
  const kindOf = (variant: CompiledVariant) => kinds.find(({ nativeType }) => nativeType === variant.nativeType)
  return {
    mapping,
    consistency: "anchored",
    finds: findsIn(...kinds),
    list: (request) =>
      inOrder(
        "xero",
        kinds.map((kind) => pages(request, kind))
      )(request.position, request.limit),
    get: ({ connection, id, variant }) => {
      const kind = kindOf(variant)
      return kind === undefined ? missing("transaction.get") : read(connection, kind, id)
    },
    getMany: ({ connection, ids, variant }) => {
      const kind = kindOf(variant)
      return kind === undefined ? Effect.succeed([]) : many(connection, kind, ids)
    }
  }
}
