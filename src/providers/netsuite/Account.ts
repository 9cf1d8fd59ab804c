import { Account } from "../../canonical/accounting/Account.ts"
import { type AccountKind, accountKind, accountKinds } from "../../mapping/AccountKinds.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import { activity, companies, currency, noCreationTime, toAccount, undated } from "./Common.ts"
import { active, equal, modified, nearly, oneOf } from "./Conditions.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import type { Suite } from "./Suite.ts"

/**
 * The chart of accounts. The type of an account stays what it was made with.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/article_161192604610.html
 */

/** By acctType. */
const kinds: ReadonlyArray<readonly [acctType: string, kind: AccountKind]> = [
  ["OthCurrAsset", accountKind("ASSET", "ASSET", "OTHER_CURRENT_ASSET")],
  ["Bank", accountKind("ASSET", "ASSET", "BANK")],
  ["AcctRec", accountKind("ASSET", "ASSET", "ACCOUNTS_RECEIVABLE")],
  ["UnbilledRec", accountKind("ASSET", "ASSET", "OTHER_CURRENT_ASSET")],
  ["FixedAsset", accountKind("ASSET", "ASSET", "FIXED_ASSET")],
  ["OthAsset", accountKind("ASSET", "ASSET", "OTHER_ASSET")],
  ["DeferExpense", accountKind("ASSET", "ASSET", "OTHER_CURRENT_ASSET")],
  ["OthCurrLiab", accountKind("LIABILITY", "LIABILITY", "OTHER_CURRENT_LIABILITY")],
  ["AcctPay", accountKind("LIABILITY", "LIABILITY", "ACCOUNTS_PAYABLE")],
  ["CredCard", accountKind("LIABILITY", "LIABILITY", "CREDIT_CARD")],
  ["DeferRevenue", accountKind("LIABILITY", "LIABILITY", "OTHER_CURRENT_LIABILITY")],
  ["LongTermLiab", accountKind("LIABILITY", "LIABILITY", "LONG_TERM_LIABILITY")],
  ["Equity", accountKind("EQUITY", "EQUITY", null)],
  ["Income", accountKind("REVENUE", "INCOME", null)],
  ["COGS", accountKind("EXPENSE", "COST_OF_GOODS_SOLD", "COST_OF_GOODS_SOLD")],
  ["Expense", accountKind("EXPENSE", "EXPENSE", null)],
  ["OthIncome", accountKind("REVENUE", "OTHER_INCOME", "OTHER_INCOME")],
  ["OthExpense", accountKind("EXPENSE", "OTHER_EXPENSE", "OTHER_EXPENSE")],
  ["NonPosting", accountKind(null, null, "NON_POSTING")],
  ["Stat", accountKind(null, null, "NON_POSTING")]
]

const views = accountKinds({
  kinds,
  native: ["acctType"],
  kindOf: (get) => kinds.find(([type]) => type === get("acctType.id"))?.[1],
  write: (type, set) => set("acctType.id", type),
  isFixed: true
})

const remoteTypeOf = (record: Native) => getPath(record, "sSpecAcct.id") ?? getPath(record, "acctType.id")

/** The account's part in the ledger where it has one of its own, else its type; only the type can be written. */
const remoteType = computed({
  canonical: "remote_type",
  native: ["acctType", "sSpecAcct"],
  needsCurrent: true,
  decode: ({ record }) => remoteTypeOf(record),
  encode: (value, { current, get, prefix, refuse, set, warn }) => {
    if (value === null || value === get("acctType.id")) return
    if (current !== undefined && value === remoteTypeOf(current.record)) return
    if (!kinds.some(([type]) => type === value)) {
      warn(`${prefix}remote_type`, "NOT_HELD", "is not held: it is not an account type of NetSuite")
    } else if (current === undefined) set("acctType.id", value)
    else refuse(`${prefix}remote_type`, `stays ${String(get("acctType.id"))}`)
  }
})

const mapping = plainMapping(Account, (of) => [
  of.variant({
    nativeType: "account",
    entries: [
      ...undated(of),
      of.field("name", "acctName", text),
      of.field("description", "description", text),
      ...views(of),
      remoteType(of),
      activity(of, "INACTIVE"),
      of.readField("current_balance", "balance", number),
      currency(of),
      of.field("account_number", "acctNumber", text),
      of.field("parent_account", "parent.id", toAccount),
      companies(of)
    ],
    notHeld: { remote_created_at: noCreationTime("accounts") }
  })
])

const select: Query.Select = {
  from: "account c",
  columns: {
    id: Query.text("c.id"),
    acctName: Query.text("c.accountsearchdisplaynamecopy", "c.acctname"),
    acctNumber: Query.text("c.acctnumber"),
    "acctType.id": Query.text("c.accttype"),
    "sSpecAcct.id": Query.text("c.sspecacct"),
    description: Query.text("c.description"),
    currency: Query.ref("c.currency"),
    parent: Query.ref("c.parent"),
    isInactive: Query.flag("c.isinactive"),
    subsidiary: Query.refs("c.subsidiary"),
    lastModifiedDate: Query.instant("c.lastmodifieddate")
  },
  order: "c.id"
}

const ofKind = (view: keyof AccountKind) =>
  oneOf("c.accttype", (value) => kinds.flatMap(([type, kind]) => (kind[view] === value ? [type] : [])))

const filters = {
  ...modified("c.lastmodifieddate"),
  name: nearly.beginning("c.accountsearchdisplaynamecopy"),
  account_number: equal("c.acctnumber"),
  type: ofKind("type"),
  classification: ofKind("classification"),
  status: active("c.isinactive", "INACTIVE")
}

/** No column has a balance: lists would have to add up all that was ever posted. */
export const account = (own: Suite) =>
  records(own, mapping, [{ name: "account", list: { select, filters }, retires: true }], ["current_balance"])
