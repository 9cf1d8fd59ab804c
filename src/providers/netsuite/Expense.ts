import { Expense } from "../../canonical/accounting/Expense.ts"
import { ExpenseLine } from "../../canonical/accounting/Nested.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, remoteIdOf, text } from "../../mapping/Transform.ts"
import { subTotal, toAccount, transaction } from "./Common.ts"
import { boughtLines, boughtSublists } from "./Lines.ts"
import { document } from "./Documents.ts"
import { refersTo } from "./Conditions.ts"
import { accountColumn, anyParty, heads, transactionFilters } from "./Heads.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import { partyAt } from "./References.ts"
import type { Suite } from "./Suite.ts"

/**
 * Direct expenses: checks, and charges of a credit card. The account that is paid from makes the difference, so the native
 * type covers both.
 */

const types = new Map([
  ["Check", "check"],
  ["CardChrg", "creditCardCharge"]
])

const paidFrom = computed({
  canonical: "account",
  native: ["account"],
  needsCurrent: true,
  encodeLookups: ["accounts"],
  decode: ({ record }, context) => {
    const id = getPath(record, "account.id")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const { current, lookups, prefix, refuse, set, step } = encoding
    const path = `${prefix}account`
    const id = value === null ? undefined : remoteIdOf(value, "account", ["account"], encoding, path)
    if (id === undefined) return
    const account = natives(lookups.accounts).find((one) => one.id === id)
    const type = account?.accttype === "CredCard" ? "creditCardCharge" : "check"
    if (current === undefined) step("kind", type)
    else if (type !== current.record.recordType) refuse(path, "is of another kind than the account this was paid from")
    set("account", { id })
  }
})

const mapping = plainMapping(Expense, (of) => [
  of.variant({
    nativeType: "expense",
    entries: [
      ...transaction(of, "transaction_date"),
      of.lasting("reference", "tranId", text),
      paidFrom(of),
      ...partyAt(of, "entity", "contact", "employee"),
      of.readField("total_amount", "total", number),
      of.readField("total_tax_amount", "taxTotal", number),
      subTotal(of),
      of.constant("inclusive_of_tax", false),
      of.lines("lines", boughtLines({ total: "net_amount", shape: ExpenseLine }))
    ],
    notHeld: {
      payment_method: "A NetSuite check or credit card charge names the account that paid it, and no payment method."
    }
  })
])

const recordType: Query.Columns = { recordType: Query.typed(types, "t.type") }

export const expense = (own: Suite) =>
  records(own, mapping, [
    document({
      name: "expense",
      codes: [...types.keys()],
      sign: 1,
      sublists: boughtSublists,
      columns: { ...anyParty, ...accountColumn, ...recordType },
      filters: {
        ...transactionFilters("transaction"),
        contact: refersTo("t.entity", "customer", "vendor"),
        employee: refersTo("t.entity", "employee"),
        account: refersTo("a.account", "account")
      },
      kinds: {
        select: { ...heads({}), columns: recordType },
        typeOf: ({ recordType }) => (typeof recordType === "string" ? recordType : undefined),
        types: [...types.values()]
      }
    })
  ])
