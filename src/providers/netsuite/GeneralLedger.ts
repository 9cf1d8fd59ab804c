import { computed, type ComputedEntry, lines, natives, readField } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, decimal, enumeration, text } from "../../mapping/Transform.ts"
import { identity, toAccount, toItem, toPeriod } from "./Common.ts"
import { categories, categoriesOf, companyOf, currencyOf, parties, posted, symbolOf } from "./Posted.ts"
import { postingTypes } from "./Requires.ts"
import type { Suite } from "./Suite.ts"

/** What transactions put on accounts: each a record with its debits and credits. */

/** The currency of the subsidiary that a line belongs to; where there are none, of the company. */
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

/** A side of a line, 0 where it is on the other. */
const side = (canonical: string, native: string, sign: 1 | -1): ComputedEntry =>
  computed({
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

const mapping = plainMapping([
  {
    nativeType: "transaction",
    entries: [
      ...identity("createdDate"),
      readField("underlying_transaction_remote_id", "id", text),
      readField("underlying_transaction_type", "type", underlying),
      readField("accounting_period", "postingperiod", toPeriod),
      readField("posting_date", "trandate", date),
      companyOf((record) => natives(record.lines)[0]?.subsidiary, "lines"),
      computed({
        canonical: "tracking_categories",
        native: ["lines"],
        decode: ({ record }, context) => [
          ...new Set(natives(record.lines).flatMap((line) => categoriesOf(line, context)))
        ]
      }),
      lines({
        canonical: "general_ledger_transaction_lines",
        native: "lines",
        id: "transactionline",
        forms: [
          {
            where: {},
            entries: [
              readField("account", "account", toAccount),
              companyOf((line) => line.subsidiary, "subsidiary"),
              ...parties,
              readField("item", "item", toItem),
              baseCurrency,
              currencyOf("transaction_currency"),
              readField("exchange_rate", "exchangerate", decimal),
              readField("description", "memo", text),
              categories,
              side("debit_amount", "debit", 1),
              side("credit_amount", "credit", 1),
              side("foreign_debit_amount", "foreignamount", 1),
              side("foreign_credit_amount", "foreignamount", -1)
            ]
          }
        ]
      })
    ]
  }
])

export const generalLedgerTransaction = (own: Suite) => posted(own, mapping, postingTypes)
