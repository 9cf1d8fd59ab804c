import { Effect } from "effect"
import { Account } from "../../canonical/accounting/Account.ts"
import { type AccountKind, accountKind, accountKinds } from "../../mapping/AccountKinds.ts"
import type { Entries } from "../../mapping/Entries.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { activity, company, currency, currencyOf, homeCurrency, identity, mappingOf, toAccount } from "./Common.ts"
import { all, type Kind, records } from "./Records.ts"

/**
 * The chart of accounts.
 * https://www.zoho.com/books/api/v3/chart-of-accounts/
 */

const asset = (type: string | null) => accountKind("ASSET", "ASSET", type)
const liability = (type: string) => accountKind("LIABILITY", "LIABILITY", type)

/** By `account_type`; the first one of a kind is written. */
const kinds: ReadonlyArray<readonly [type: string, is: AccountKind]> = [
  ["other_current_asset", asset("OTHER_CURRENT_ASSET")],
  ["bank", asset("BANK")],
  ["cash", asset("BANK")],
  ["payment_clearing", asset("OTHER_CURRENT_ASSET")],
  ["stock", asset("OTHER_CURRENT_ASSET")],
  ["accounts_receivable", asset("ACCOUNTS_RECEIVABLE")],
  ["fixed_asset", asset("FIXED_ASSET")],
  ["intangible_asset", asset("OTHER_ASSET")],
  ["other_asset", asset("OTHER_ASSET")],
  ["other_current_liability", liability("OTHER_CURRENT_LIABILITY")],
  ["output_tax", liability("OTHER_CURRENT_LIABILITY")],
  ["accounts_payable", liability("ACCOUNTS_PAYABLE")],
  ["credit_card", liability("CREDIT_CARD")],
  ["long_term_liability", liability("LONG_TERM_LIABILITY")],
  ["other_liability", liability("OTHER_CURRENT_LIABILITY")],
  ["equity", accountKind("EQUITY", "EQUITY", null)],
  ["income", accountKind("REVENUE", "INCOME", null)],
  ["other_income", accountKind("REVENUE", "OTHER_INCOME", "OTHER_INCOME")],
  ["cost_of_goods_sold", accountKind("EXPENSE", "COST_OF_GOODS_SOLD", "COST_OF_GOODS_SOLD")],
  ["expense", accountKind("EXPENSE", "EXPENSE", null)],
  ["other_expense", accountKind("EXPENSE", "OTHER_EXPENSE", "OTHER_EXPENSE")]
]

const views = accountKinds({
  kinds,
  native: ["account_type"],
  kindOf: (get) => kinds.find(([type]) => type === get("account_type"))?.[1],
  write: (type, set) => set("account_type", type)
})

/** Types whose accounts are always in the currency of the organisation. */
const inHomeCurrency: ReadonlyArray<unknown> = [
  "income",
  "other_income",
  "cost_of_goods_sold",
  "expense",
  "other_expense",
  "equity",
  "stock",
  "fixed_asset"
]

/** A single account and a list say no currency: it follows from the type, or is not known. */
const currencyIn = (record: Native, lookups: Native | undefined) =>
  currencyOf((native) => record[native], lookups) ??
  (inHomeCurrency.includes(record.account_type) ? homeCurrency(lookups) : null)

const accountCurrency = (of: Entries<"currency">) => {
  const { encode, ...entry } = currency(of)
  return of.computed({
    ...entry,
    native: [...entry.native, "account_type"],
    decode: ({ lookups, record }) => currencyIn(record, lookups),
    encode: (value, encoding) => {
      const { current, lookups, prefix, warn } = encoding
      if (current === undefined) encode?.(value, encoding)
      else if (value !== null && value !== currencyIn(current.record, lookups))
        warn(`${prefix}currency`, "CHANGED", "stays what the account was made with")
    }
  })
}

const mapping = mappingOf(Account, (of) => [
  of.variant({
    nativeType: "chart_of_account",
    entries: [
      ...identity(of, "account_id"),
      of.field("name", "account_name", text),
      of.field("description", "description", text),
      ...views(of),
      of.readField("remote_type", "account_type", text),
      activity(of, "INACTIVE", ({ is_active }) => is_active !== false),
      of.computed({
        canonical: "current_balance",
        native: ["closing_balance"],
        decode: ({ record }, context) =>
          record.closing_balance === undefined ? null : number.decode(record.closing_balance, context)
      }),
      accountCurrency(of),
      of.field("account_number", "account_code", text),
      of.field("parent_account", "parent_account_id", toAccount),
      company(of)
    ],
    notHeld: {}
  })
])

export const accounts: Kind = {
  nativeType: "chart_of_account",
  path: "chartofaccounts",
  id: "account_id",
  isSince: true,
  // balances come with a read
  isReadBack: true
}

/** Only lists have the stamps of accounts. */
const stamps = ["created_time", "last_modified_time"]

export const account = (call: Caller): ResourceAdapter => {
  const adapter = records(call, mapping, [accounts])
  const chart = all(call, accounts)
  return {
    ...adapter,
    get: (target) =>
      Effect.map(
        Effect.all([adapter.get(target), chart(target.connection)], { concurrency: 2 }),
        ([found, listed]): NativeRecord => {
          const row = listed.find(({ account_id }) => account_id === target.id) ?? {}
          const stamped = Object.entries(row).filter(([name]) => stamps.includes(name))
          return { ...found, record: { ...found.record, ...Object.fromEntries(stamped) } }
        }
      ),
    nullInLists: ["current_balance"]
  }
}
