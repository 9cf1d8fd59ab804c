import { Decimal } from "decimal.js"
import { Payment } from "../../canonical/accounting/Payment.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, reference, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { bills, invoices, settles } from "./Applications.ts"
import { toAccount, transaction } from "./Common.ts"
import { accountColumn, depositColumn, partyOf, transactionFilters, transactions } from "./Heads.ts"
import { always, refersTo } from "./Conditions.ts"
import { applications } from "./Links.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import { contactAt } from "./References.ts"
import type { Suite } from "./Suite.ts"

/**
 * Money from customers, and money to vendors, each with the documents it settles.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_159549850399.html
 */

/** Where money of customers goes: an account, or the undeposited funds until it is taken to one. */
const depositedTo = computed({
  canonical: "account",
  native: ["account"],
  decode: ({ record }, context) => {
    const id = getPath(record, "account.id")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const path = `${encoding.prefix}account`
    const id = value === null ? null : remoteIdOf(value, "account", ["account"], encoding, path)
    if (id === undefined) return
    encoding.set("account", { id })
    encoding.set("undepFunds", { id: String(id === null) })
  }
})

/** A payment to a vendor is what it pays of bills, no more. */
const paid = computed({
  canonical: "total_amount",
  native: ["total"],
  needsCurrent: true,
  decode: ({ record }) => record.total,
  encode: (value, { body, current, prefix, refuse }) => {
    const lines = body.applied_to_lines
    const total = Array.isArray(lines)
      ? natives(lines)
          .reduce((sum, { applied_amount }) => sum.plus(Number(applied_amount)), new Decimal(0))
          .toNumber()
      : current?.record.total
    if (value !== null && value !== total) {
      refuse(`${prefix}total_amount`, "is what applied_to_lines come to: NetSuite pays vendors for bills")
    }
  }
})

const mapping = plainMapping(Payment, (of) => [
  of.variant({
    nativeType: "customerPayment",
    when: { type: "ACCOUNTS_RECEIVABLE" },
    entries: [
      ...transaction(of, "transaction_date"),
      of.lasting("reference", "tranId", text),
      of.constant("type", "ACCOUNTS_RECEIVABLE"),
      contactAt(of, "contact", "customer", "customer"),
      depositedTo(of),
      of.field("payment_method", "paymentOption.id", reference("payment_method", "paymentMethod")),
      of.lasting("total_amount", "payment", number),
      settles(of, invoices)
    ],
    notHeld: {}
  }),
  of.variant({
    nativeType: "vendorPayment",
    when: { type: "ACCOUNTS_PAYABLE" },
    entries: [
      ...transaction(of, "transaction_date"),
      of.lasting("reference", "tranId", text),
      of.constant("type", "ACCOUNTS_PAYABLE"),
      contactAt(of, "contact", "entity", "vendor"),
      of.lasting("account", "account.id", toAccount),
      paid(of),
      settles(of, bills)
    ],
    notHeld: { payment_method: "A NetSuite vendor payment names the account that pays, and no payment method." }
  })
])

const filters = transactionFilters("transaction")

export const payment = (own: Suite): ResourceAdapter => ({
  ...records(own, mapping, [
    {
      name: "customerPayment",
      list: transactions(
        ["CustPymt"],
        {
          ...partyOf("customer", "customer"),
          ...depositColumn,
          payment: Query.number("ABS(t.foreigntotal)", "ABS(t.total)"),
          paymentOption: Query.ref("m.paymentmethod")
        },
        { ...filters, type: always("ACCOUNTS_RECEIVABLE"), contact: refersTo("t.entity", "customer") },
        applications
      )
    },
    {
      name: "vendorPayment",
      list: transactions(
        ["VendPymt"],
        { ...partyOf("entity", "vendor"), ...accountColumn },
        { ...filters, type: always("ACCOUNTS_PAYABLE"), contact: refersTo("t.entity", "vendor") },
        applications
      )
    }
  ]),
  // transactions are counted together
  hasUniqueIds: true,
  rules: [{ rule: "required", fields: ["account"], when: { type: "ACCOUNTS_PAYABLE" } }]
})
