import { Account } from "../../canonical/accounting/Account.ts"
import { type AccountKind, accountKind, accountKinds } from "../../mapping/AccountKinds.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { activity, company, currency, identity, mappingOf, toAccount } from "./Common.ts"
import { type Kind, records } from "./Records.ts"

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
      currency(of),
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

export const account = (call: Caller) => ({
  ...records(call, mapping, [accounts]),
  nullInLists: ["description", "current_balance", "currency"]
})
