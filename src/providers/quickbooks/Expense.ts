import { Decimal } from "decimal.js"
import { Expense } from "../../canonical/accounting/Expense.ts"
import { ExpenseLine } from "../../canonical/accounting/Nested.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { reference, remoteIdOf } from "../../mapping/Transform.ts"
import { amountOf, takeCurrency, toAccount, trackingCategories } from "./Common.ts"
import { days } from "./Conditions.ts"
import {
  accountOf,
  document,
  documentNumber,
  exchangeRate,
  inclusiveOfTax,
  nameOf,
  netOf,
  note,
  taxOf,
  withParty
} from "./Documents.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { boughtLines } from "./Lines.ts"
import { signed } from "./Money.ts"
import { postsByDate } from "./NotHeld.ts"

/**
 * Purchases paid at once, by cash, check or credit card. A credit card refund is an expense with a negative amount.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/purchase
 */

/** The account sets the payment type: credit card, or else cash; a check stays one while it is from a bank account. */
const paidFrom = computed({
  canonical: "account",
  native: ["AccountRef"],
  needsCurrent: true,
  encodeLookups: ["accounts", "preferences"],
  decode: ({ record }, context) => {
    const id = getPath(record, "AccountRef.value")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const { get, lookups, prefix, refuse, set } = encoding
    const id = value === null ? null : remoteIdOf(value, "account", ["Account"], encoding, `${prefix}account`)
    if (id === undefined || id === get("AccountRef.value")) return
    set("AccountRef", id === null ? null : { value: id })
    if (id === null) return
    const account = accountOf(lookups, id)
    const type = account?.AccountType
    takeCurrency(getPath(lookups, "party.CurrencyRef.value") ?? account?.Currency, encoding)
    if (get("Credit") === true && type !== "Credit Card" && encoding.body.lines === undefined) {
      refuse(`${prefix}account`, "must be a credit card: this is money that came back on one")
    }
    const isCheck = get("PaymentType") === "Check" && type === "Bank"
    if (type === undefined) refuse(`${prefix}account`, "is not an active account")
    else set("PaymentType", type === "Credit Card" ? "CreditCard" : isCheck ? "Check" : "Cash")
  }
})

/** A negative total is a refund, which only credit card accounts take. */
const credit = computed({
  canonical: "lines",
  native: ["Credit"],
  needsCurrent: true,
  decode: () => undefined,
  encode: (value, { get, prefix, refuse, set }) => {
    const total = natives(value).reduce((sum, line) => sum.plus(amountOf(line.net_amount) ?? 0), new Decimal(0))
    if (total.isZero()) return
    if (total.isNegative() !== (get("Credit") === true)) set("Credit", total.isNegative())
    if (total.isNegative() && get("PaymentType") !== "CreditCard") {
      refuse(`${prefix}lines`, "come to less than nothing; money comes back on an account that is a credit card only")
    }
  }
})

const mapping = plainMapping(Expense, (of) => [
  of.variant({
    nativeType: "Purchase",
    entries: [
      ...document(of, "transaction_date"),
      paidFrom(of),
      exchangeRate(of),
      ...nameOf(of, {
        native: "EntityRef",
        kind: "EntityRef.type",
        id: "EntityRef.value",
        make: (type, value) => ({ value, type })
      }),
      of.field("payment_method", "PaymentMethodRef.value", reference("payment_method", "PaymentMethod")),
      note(of),
      documentNumber(of, "reference"),
      inclusiveOfTax(of),
      credit(of),
      of.lines("lines", boughtLines({ total: "net_amount", shape: ExpenseLine })),
      trackingCategories(of, { Department: "DepartmentRef" }),
      of.computed({
        canonical: "total_amount",
        native: ["TotalAmt", "Credit"],
        decode: ({ record }) => signed(record.TotalAmt, record.Credit)
      }),
      of.computed({
        canonical: "sub_total",
        native: ["TotalAmt", "TxnTaxDetail", "Credit"],
        decode: ({ record }) => signed(netOf(record)?.toNumber(), record.Credit)
      }),
      of.computed({
        canonical: "total_tax_amount",
        native: ["TxnTaxDetail", "Credit"],
        decode: ({ record }) => signed(taxOf(record), record.Credit)
      })
    ],
    notHeld: { accounting_period: postsByDate }
  })
])

export const expense = (books: Books) => ({
  ...entities(books, mapping, [{ name: "Purchase", removal: "delete", filters: days("TxnDate", "transaction") }]),
  related: withParty(books, "contact")
})
