import { Transaction } from "../../canonical/accounting/Transaction.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, decimal, number, text } from "../../mapping/Transform.ts"
import { identity, toAccount, toItem, toPeriod } from "./Common.ts"
import { equal, refersTo } from "./Conditions.ts"
import { transactionFilters } from "./Heads.ts"
import { categories, categoriesOf, companyOf, currencyOf, party, posted } from "./Posted.ts"
import { otherTypes } from "./Requires.ts"
import type { Suite } from "./Suite.ts"

/**
 * Transactions that no other resource covers: cash sales, deposits, transfers, stock adjustments and many more. Their
 * records differ and the record service lacks some, so queries read them: a main line, and the lines against it.
 */

/** Types that other resources cover. */
const elsewhere = [
  ...["CustInvc", "VendBill", "CustCred", "VendCred", "CustPymt", "VendPymt"],
  ...["Check", "CardChrg", "ExpRept", "Journal", "PurchOrd", "SalesOrd", "ItemShip"]
]

const mainOf = (record: unknown) => natives(getPath(record, "lines")).find(({ mainline }) => mainline === "T")

/** Stock lines give the change of stock. Other lines are above 0 on the opposite side from the main line. */
const signOf = (parent: Native | undefined): number =>
  String(parent?.type).startsWith("Inv") || Number(mainOf(parent)?.foreignamount) < 0 ? 1 : -1

const against = <N extends string>(of: Entries<N>, canonical: N, native: string) =>
  of.computed({
    canonical,
    native: [native],
    ofParent: ["type"],
    decode: ({ parent, record }) => {
      const value = number.decode(record[native], { reference: () => "" })
      return typeof value === "number" && value !== 0 ? value * signOf(parent) : value
    }
  })

const mapping = plainMapping(Transaction, (of) => [
  of.variant({
    nativeType: "transaction",
    entries: [
      ...identity(of, "createdDate"),
      of.readField("transaction_type", "type", text),
      of.readField("number", "tranid", text),
      of.readField("transaction_date", "trandate", date),
      of.computed({
        canonical: "account",
        native: ["lines"],
        decode: ({ record }, context) => {
          const account = mainOf(record)?.account
          return typeof account === "string" ? toAccount.decode(account, context) : null
        }
      }),
      party(of, "contact"),
      of.constant("inclusive_of_tax", false),
      of.computed({
        canonical: "total_amount",
        native: ["foreigntotal", "lines"],
        decode: ({ record }) => {
          const total = Number(record.foreigntotal ?? mainOf(record)?.foreignamount)
          return Number.isFinite(total) ? Math.abs(total) : null
        }
      }),
      currencyOf(of, "currency"),
      of.readField("exchange_rate", "exchangerate", decimal),
      companyOf(of, (record) => natives(record.lines)[0]?.subsidiary, "lines"),
      of.computed({
        canonical: "tracking_categories",
        native: ["lines"],
        decode: ({ record }, context) => categoriesOf(mainOf(record) ?? {}, context)
      }),
      of.readField("accounting_period", "postingperiod", toPeriod),
      of.lines("line_items", {
        native: "lines",
        id: "transactionline",
        forms: (of) => [
          {
            where: { mainline: "F", taxline: "F", iscogs: "F" },
            entries: [
              of.readField("memo", "memo", text),
              of.readField("unit_price", "rate", number),
              against(of, "quantity", "quantity"),
              of.readField("item", "item", toItem),
              of.readField("account", "account", toAccount),
              categories(of),
              against(of, "total_line_amount", "foreignamount"),
              currencyOf(of, "currency"),
              of.readField("exchange_rate", "exchangerate", decimal),
              companyOf(of, (line) => line.subsidiary, "subsidiary")
            ]
          }
        ]
      })
    ],
    notHeld: {}
  })
])

export const transaction = (own: Suite) =>
  posted(own, mapping, {
    names: otherTypes,
    types: `NOT IN (${elsewhere.map((type) => `'${type}'`).join(", ")})`,
    filters: {
      ...transactionFilters("transaction"),
      number: equal("t.tranid"),
      contact: refersTo("t.entity", "customer", "vendor")
    }
  })
