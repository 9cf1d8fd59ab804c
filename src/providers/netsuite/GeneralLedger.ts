import { GeneralLedgerTransaction } from "../../canonical/accounting/GeneralLedgerTransaction.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, decimal, enumeration, text } from "../../mapping/Transform.ts"
import { identity, toAccount, toItem, toPeriod } from "./Common.ts"
import { transactionFilters } from "./Heads.ts"
import { categories, categoriesOf, companyOf, currencyOf, parties, posted, symbolOf } from "./Posted.ts"
import { postingTypes } from "./Requires.ts"
import type { Suite } from "./Suite.ts"

/** Postings of transactions to accounts: one record per transaction, with its debits and credits. */

/** The currency of a line's subsidiary, or of the company where there are no subsidiaries. */
const baseCurrency = computed({
  canonical: "base_currency",
  native: ["subsidiary"],
  lookups: ["currencies", "subsidiaries"],
  decode: ({ lookups, record }) =>
    symbolOf(
      lookups,
      natives(lookups?.subsidiaries).find((one) => one.id === record.subsidiary)?.currency ??
        natives(lookups?.currencies).find((one) => one.isbasecurrency === "T")?.id
    )
})

/** The debit or credit of a line; 0 where the amount is on the other side. */
const side = <N extends string>(of: Entries<N>, canonical: N, native: string, sign: 1 | -1) =>
  of.computed({
    canonical,
    native: [native],
    decode: ({ record }) => Math.max(0, Number(record[native] ?? 0) * sign)
  })

const underlying = enumeration(
  "underlyingType",
  {
    CustInvc: "INVOICE",
    VendBill: "INVOICE",
    CustCred: "CREDIT_NOTE",
    VendCred: "VENDOR_CREDIT",
    CustPymt: "PAYMENT",
    VendPymt: "PAYMENT",
    Check: "EXPENSE",
    CardChrg: "EXPENSE",
    ExpRept: "EXPENSE",
    Journal: "JOURNAL_ENTRY"
  },
  "TRANSACTION"
)

const mapping = plainMapping(GeneralLedgerTransaction, (of) => [
  of.variant({
    nativeType: "transaction",
    entries: [
      ...identity(of, "createdDate"),
      of.readField("underlying_transaction_remote_id", "id", text),
      of.readField("underlying_transaction_type", "type", underlying),
      of.readField("accounting_period", "postingperiod", toPeriod),
      of.readField("posting_date", "trandate", date),
      companyOf(of, (record) => natives(record.lines)[0]?.subsidiary, "lines"),
      of.computed({
        canonical: "tracking_categories",
        native: ["lines"],
        decode: ({ record }, context) => [
          ...new Set(natives(record.lines).flatMap((line) => categoriesOf(line, context)))
        ]
      }),
      of.lines("general_ledger_transaction_lines", {
        native: "lines",
        id: "transactionline",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.readField("account", "account", toAccount),
              companyOf(of, (line) => line.subsidiary, "subsidiary"),
              ...parties(of),
              of.readField("item", "item", toItem),
              baseCurrency(of),
              currencyOf(of, "transaction_currency"),
              of.readField("exchange_rate", "exchangerate", decimal),
              of.readField("description", "memo", text),
              categories(of),
              side(of, "debit_amount", "debit", 1),
              side(of, "credit_amount", "credit", 1),
              side(of, "foreign_debit_amount", "foreignamount", 1),
              side(of, "foreign_credit_amount", "foreignamount", -1)
            ]
          }
        ]
      })
    ],
    notHeld: {}
  })
])

export const generalLedgerTransaction = (own: Suite) =>
  posted(own, mapping, { filters: transactionFilters("posted"), names: postingTypes })
