import { computed, field, getPath, readField } from "../../mapping/Mapping.ts"
import { number, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { activity, company, currency, identity, mappingOf, toAccount } from "./Common.ts"
import { entities } from "./Entities.ts"

/**
 * The chart of accounts. Names hold no `"` and no `:`. Intuit derives the classification from the account type.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/account
 */

interface Kind {
  readonly classification: string | null
  readonly type: string | null
  readonly account_type: string | null
}

const kind = (
  classification: Kind["classification"],
  type: Kind["type"],
  account_type: Kind["account_type"]
): Kind => ({
  classification,
  type,
  account_type
})

/** By AccountType. Where only `type` is given, the first one of that type is written: the least particular. */
const kinds: ReadonlyMap<unknown, Kind> = new Map([
  ["Other Current Asset", kind("ASSET", "ASSET", "OTHER_CURRENT_ASSET")],
  ["Bank", kind("ASSET", "ASSET", "BANK")],
  ["Accounts Receivable", kind("ASSET", "ASSET", "ACCOUNTS_RECEIVABLE")],
  ["Fixed Asset", kind("ASSET", "ASSET", "FIXED_ASSET")],
  ["Other Asset", kind("ASSET", "ASSET", "OTHER_ASSET")],
  ["Other Current Liability", kind("LIABILITY", "LIABILITY", "OTHER_CURRENT_LIABILITY")],
  ["Accounts Payable", kind("LIABILITY", "LIABILITY", "ACCOUNTS_PAYABLE")],
  ["Credit Card", kind("LIABILITY", "LIABILITY", "CREDIT_CARD")],
  ["Long Term Liability", kind("LIABILITY", "LIABILITY", "LONG_TERM_LIABILITY")],
  ["Equity", kind("EQUITY", "EQUITY", null)],
  ["Income", kind("REVENUE", "INCOME", null)],
  ["Expense", kind("EXPENSE", "EXPENSE", null)],
  ["Cost of Goods Sold", kind("EXPENSE", "COST_OF_GOODS_SOLD", "COST_OF_GOODS_SOLD")],
  ["Other Income", kind("REVENUE", "OTHER_INCOME", "OTHER_INCOME")],
  ["Other Expense", kind("EXPENSE", "OTHER_EXPENSE", "OTHER_EXPENSE")],
  ["Non-Posting", kind(null, null, "NON_POSTING")]
])

/**
 * One view of the account type. What is given picks the type, unless the account already is of that kind; one that
 * contradicts what was picked is refused. An account is always of some kind, so leaving it out changes nothing.
 */
const view = (canonical: keyof Kind) =>
  computed({
    canonical,
    native: ["AccountType"],
    needsCurrent: true,
    decode: ({ record }) => kinds.get(record.AccountType)?.[canonical] ?? null,
    encode: (value, { body, get, prefix, refuse, set }) => {
      if (value === null) return
      const present = kinds.get(get("AccountType"))
      if (present?.[canonical] === value) return
      const isDecided = canonical !== "account_type" && typeof body.account_type === "string"
      const [picked] = [...kinds].find(([, one]) => one[canonical] === value) ?? []
      if (canonical === "classification" || isDecided) {
        if (present !== undefined && present[canonical] !== null) {
          refuse(prefix + canonical, `is ${present[canonical]} for this account type`)
        }
      } else {
        set("AccountType", picked)
        // a subtype belongs to its type; without one Intuit takes the type's usual
        set("AccountSubType", null)
      }
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

const mapping = mappingOf([
  {
    nativeType: "Account",
    entries: [
      ...identity,
      field("name", "Name", text),
      field("description", "Description", text),
      view("account_type"),
      view("type"),
      view("classification"),
      field("remote_type", "AccountSubType", text),
      activity("INACTIVE"),
      readField("current_balance", "CurrentBalance", number),
      currency({ isFixed: false }),
      field("account_number", "AcctNum", text),
      parent,
      company
    ]
  }
])

export const account = (call: Caller) => entities(call, mapping, [{ name: "Account", removal: "deactivate" }])
