import { type AccountKind, accountKind, accountKinds } from "../../mapping/AccountKinds.ts"
import { Account } from "../../canonical/accounting/Account.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number as plainNumber, remoteIdOf, text } from "../../mapping/Transform.ts"
import { exact } from "../Filtering.ts"
import { isDetailOf } from "./AccountDetails.ts"
import { activity, company, currency, identity, toAccount } from "./Common.ts"
import { active, beginning, oneOf } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"

/**
 * The chart of accounts. Names hold no `"` and no `:`. Intuit derives the classification from the account type.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/account
 */

/** By AccountType. */
const kinds: ReadonlyArray<readonly [type: string, is: AccountKind]> = [
  ["Other Current Asset", accountKind("ASSET", "ASSET", "OTHER_CURRENT_ASSET")],
  ["Bank", accountKind("ASSET", "ASSET", "BANK")],
  ["Accounts Receivable", accountKind("ASSET", "ASSET", "ACCOUNTS_RECEIVABLE")],
  ["Fixed Asset", accountKind("ASSET", "ASSET", "FIXED_ASSET")],
  ["Other Asset", accountKind("ASSET", "ASSET", "OTHER_ASSET")],
  ["Other Current Liability", accountKind("LIABILITY", "LIABILITY", "OTHER_CURRENT_LIABILITY")],
  ["Accounts Payable", accountKind("LIABILITY", "LIABILITY", "ACCOUNTS_PAYABLE")],
  ["Credit Card", accountKind("LIABILITY", "LIABILITY", "CREDIT_CARD")],
  ["Long Term Liability", accountKind("LIABILITY", "LIABILITY", "LONG_TERM_LIABILITY")],
  ["Equity", accountKind("EQUITY", "EQUITY", null)],
  ["Income", accountKind("REVENUE", "INCOME", null)],
  ["Expense", accountKind("EXPENSE", "EXPENSE", null)],
  ["Cost of Goods Sold", accountKind("EXPENSE", "COST_OF_GOODS_SOLD", "COST_OF_GOODS_SOLD")],
  ["Other Income", accountKind("REVENUE", "OTHER_INCOME", "OTHER_INCOME")],
  ["Other Expense", accountKind("EXPENSE", "OTHER_EXPENSE", "OTHER_EXPENSE")]
]

/** Some companies have such accounts; the API makes none. */
const nonPosting: (typeof kinds)[number] = ["Non-Posting", accountKind(null, null, "NON_POSTING")]

const views = accountKinds({
  kinds,
  native: ["AccountType"],
  kindOf: (get) => [...kinds, nonPosting].find(([type]) => type === get("AccountType"))?.[1],
  write: (type, set) => {
    set("AccountType", type)
    // a subtype belongs to its type; without one Intuit takes the type's usual
    set("AccountSubType", null)
  }
})

/** An account always has a detail type: the usual one of its type, where none is given that belongs to it. */
const detail = computed({
  canonical: "remote_type",
  native: ["AccountSubType"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    record.AccountSubType === undefined ? null : text.decode(record.AccountSubType, context),
  encode: (value, { current, get, prefix, set, warn }) => {
    if (typeof value !== "string") return
    const type = get("AccountType")
    const isHeld = value === current?.record.AccountSubType && type === current.record.AccountType
    if (isHeld || isDetailOf(type, value)) set("AccountSubType", value)
    else
      warn(
        `${prefix}remote_type`,
        "CHANGED",
        `is held as another one: it is not a detail type of ${String(type ?? "an account")}`
      )
  }
})

/** Characters of an account number, by the company's country. */
const longest = (lookups: Native) => (["AU", "CA"].includes(String(getPath(lookups, "company.Country"))) ? 20 : 7)

const number = computed({
  canonical: "account_number",
  native: ["AcctNum"],
  encodeLookups: ["company"],
  decode: ({ record }, context) => (record.AcctNum === undefined ? null : text.decode(record.AcctNum, context)),
  encode: (value, { lookups, prefix, set, warn }) => {
    const most = longest(lookups)
    if (typeof value === "string" && value.length > most) {
      warn(`${prefix}account_number`, "NOT_HELD", `has more than the ${most} characters that account numbers have here`)
    } else set("AcctNum", value)
  }
})

const parent = computed({
  canonical: "parent_account",
  native: ["ParentRef"],
  decode: ({ record }, context) => {
    const id = getPath(record, "ParentRef.value")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const id =
      value === null
        ? undefined
        : remoteIdOf(value, "account", ["Account"], encoding, `${encoding.prefix}parent_account`)
    encoding.set("ParentRef", id === undefined ? null : { value: id })
    encoding.set("SubAccount", id !== undefined)
  }
})

const mapping = plainMapping(Account, (of) => [
  of.variant({
    nativeType: "Account",
    entries: [
      ...identity(of),
      of.field("name", "Name", text),
      of.field("description", "Description", text),
      ...views(of),
      detail(of),
      activity(of, "INACTIVE"),
      of.readField("current_balance", "CurrentBalance", plainNumber),
      currency(of, { isFixed: false }),
      number(of),
      parent(of),
      company(of)
    ],
    notHeld: {}
  })
])

/** By the types that are of one of some kinds. */
const ofKind = (view: keyof AccountKind) =>
  exact(({ values }) => {
    const types = kinds.flatMap(([type, is]) => (values.some((value) => value === is[view]) ? [type] : []))
    return types.length === 0 ? null : [oneOf("AccountType", types)]
  })

export const account = (books: Books) =>
  entities(books, mapping, [
    {
      name: "Account",
      removal: "deactivate",
      filters: {
        name: beginning("Name"),
        type: ofKind("type"),
        classification: ofKind("classification"),
        status: active("INACTIVE")
      }
    }
  ])
