import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money, partsAt } from "../../simulation/Docs.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import { type Rule, worked } from "../../simulation/table/Kind.ts"
import { bodyOf } from "../../simulation/table/Routes.ts"
import * as V from "../../simulation/table/Value.ts"
import { failure, refuse, styleOf } from "./Answers.ts"
import {
  becomes,
  code,
  dated,
  head,
  nameOf,
  numbered,
  ofParty,
  openOf,
  positive,
  posting,
  reckoned,
  state,
  sumOf
} from "./Documents.ts"
import { day, has, needs, nextId, number, opens, own, stamps, text, to } from "./Fields.ts"
import { systemAccount } from "./Ledger.ts"
import type { Defined } from "./Lists.ts"

// Payments and credits, and the documents they settle: https://www.zoho.com/books/api/v3/customer-payments/

/** Refuses applied amounts beyond the payment, or beyond the open amount of a document. */
const applied =
  (list: "invoices" | "bills", member: "invoice_id" | "bill_id"): Rule =>
  ({ account, after, before }) => {
    const parts = partsAt(after, list).map((one) => ({ ...one, amount: amountAt(one, "amount_applied") }))
    if (sumOf(parts).gt(amountAt(after, "amount")))
      return refused("The amount applied is more than the payment amount.")
    for (const part of partsAt(after, list)) {
      const id = String(part[member])
      const document = account.get(list, id) ?? {}
      const party = list === "invoices" ? "customer_id" : "vendor_id"
      const mine = partsAt(before ?? {}, list).filter((one) => one[member] === id)
      const open = openOf(account, document, id).plus(
        sumOf(mine.map((one) => ({ amount: amountAt(one, "amount_applied") })))
      )
      if (document.state === "draft" || document.state === "void" || document[party] !== after[party])
        return refused(`Invalid value passed for ${member}`)
      if (amountAt(part, "amount_applied").gt(open)) return refused("The amount applied is more than the balance.")
    }
    return Either.right({
      ...after,
      ...(list === "bills"
        ? {
            bills: partsAt(after, "bills").map((one) => ({
              ...one,
              bill_payment_id: one.bill_payment_id === "" ? nextId(account) : one.bill_payment_id
            }))
          }
        : {})
    })
  }

/** Sets the default account that money goes to or comes from. */
const usually =
  (member: string, name: string): Rule =>
  ({ account, after }) =>
    Either.right(after[member] === "" ? { ...after, [member]: systemAccount(account, name) } : after)

export const received = V.object("object", { invoice_id: to("invoices"), amount_applied: positive }, [
  "invoice_id",
  "amount_applied"
])

export const paid = V.object(
  "object",
  { bill_payment_id: text(), bill_id: to("bills"), amount_applied: positive },
  ["bill_id", "amount_applied"],
  { bill_payment_id: "" }
)

const shared = [
  has("date", day),
  needs("amount", positive),
  has("exchange_rate", positive),
  opens("reference_number", text()),
  opens("description", text(5000)),
  own("currency_id"),
  code,
  own("created_time"),
  own("last_modified_time")
]

export const customerPayments: Defined = {
  kind: {
    name: "customerpayments",
    id: "payment_id",
    nextId,
    stamps,
    sorts: ["date", "customer_name", "amount"],
    fields: [
      own("payment_id"),
      needs("customer_id", to("contacts")),
      nameOf("customer_name", "customer_id"),
      has("payment_mode", text()),
      opens("account_id", to("chartofaccounts")),
      has("invoices", V.list("array", received), []),
      ...shared
    ],
    rules: [
      ofParty("customer_id"),
      ({ after }) =>
        after.payment_mode === "" ? refused("Please enter a value for payment_mode") : Either.right(after),
      dated,
      usually("account_id", "Undeposited Funds"),
      applied("invoices", "invoice_id")
    ]
  },
  module: {
    one: "payment",
    list: "customer_payments",
    noun: "Payment",
    listed: ["payment_id", "date", "payment_mode", "amount", "created_time", "last_modified_time"]
  },
  follow: posting("customerpayments", "payment_id")
}

export const vendorPayments: Defined = {
  kind: {
    name: "vendorpayments",
    id: "payment_id",
    nextId,
    stamps,
    sorts: ["date", "vendor_name", "reference_number", "amount", "balance"],
    fields: [
      own("payment_id"),
      needs("vendor_id", to("contacts")),
      nameOf("vendor_name", "vendor_id"),
      opens("payment_mode", text()),
      opens("paid_through_account_id", to("chartofaccounts")),
      has("bills", V.list("array", paid), []),
      worked("balance", "balance", number, (_, record) =>
        money(
          amountAt(record, "amount").minus(
            sumOf(partsAt(record, "bills").map((one) => ({ amount: amountAt(one, "amount_applied") })))
          )
        )
      ),
      ...shared
    ],
    rules: [ofParty("vendor_id"), dated, usually("paid_through_account_id", "Petty Cash"), applied("bills", "bill_id")]
  },
  module: {
    one: "vendorpayment",
    list: "vendorpayments",
    noun: "Payment",
    listed: [
      "payment_id",
      "vendor_id",
      "vendor_name",
      "payment_mode",
      "description",
      "date",
      "reference_number",
      "exchange_rate",
      "amount",
      "paid_through_account_id",
      "balance",
      "created_time",
      "last_modified_time"
    ]
  },
  follow: posting("vendorpayments", "payment_id")
}

const left = (record: Doc) =>
  amountAt(record, "total").minus(
    sumOf(partsAt(record, "invoices").map((one) => ({ amount: amountAt(one, "amount") })))
  )

const isUsed = (record: Doc) => partsAt(record, "invoices").length > 0

export const creditNotes: Defined = {
  kind: {
    name: "creditnotes",
    id: "creditnote_id",
    nextId,
    stamps,
    sorts: ["customer_name", "creditnote_number", "balance", "total", "date", "created_time"],
    fields: [
      own("creditnote_id"),
      needs("customer_id", to("contacts")),
      nameOf("customer_name", "customer_id"),
      has("creditnote_number", text()),
      ...head,
      { ...own("invoices"), initial: [] },
      worked("balance", "balance", number, (_, record) => (record.state === "void" ? 0 : money(left(record)))),
      worked("status", "status", text(), (_, record) =>
        record.state === "open" && left(record).lte(0) ? "closed" : record.state
      ),
      state("open")
    ],
    rules: [
      ofParty("customer_id"),
      numbered("creditnotes", "creditnote_id", "creditnote_number", "CN-", "credit note"),
      dated,
      reckoned(false),
      ({ after }) =>
        left(after).isNegative() ? refused("The total is less than what was applied of it.") : Either.right(after)
    ]
  },
  module: {
    one: "creditnote",
    list: "creditnotes",
    noun: "Credit note",
    listed: [
      "creditnote_id",
      "creditnote_number",
      "status",
      "reference_number",
      "date",
      "total",
      "balance",
      "customer_id",
      "customer_name",
      "currency_id",
      "currency_code",
      "created_time",
      "last_modified_time"
    ]
  },
  actions: {
    "status/open": becomes("creditnote_id", "Credit note", "open"),
    "status/draft": (_, record) =>
      isUsed(record) ? "The credit note cannot be changed so." : { ...record, state: "draft" },
    "status/void": (_, record) =>
      isUsed(record) ? "The credit note cannot be changed so." : { ...record, state: "void" },
    submit: becomes("creditnote_id", "Credit note", "pending_approval")
  },
  stays: (_, record) => (isUsed(record) ? "Credit notes that are applied to invoices cannot be deleted." : undefined),
  follow: posting("creditnotes", "creditnote_id")
}

const style = styleOf(creditNotes.module)

const keep = (account: Account, record: Doc, invoices: ReadonlyArray<Doc>) =>
  account.put("creditnotes", String(record.creditnote_id), { ...record, invoices })

const done = (message: string) => Either.right({ status: 200, body: { code: 0, message } })

/** https://www.zoho.com/books/api/v3/credit-notes/#credit-to-an-invoice */
export const applicationRoutes: ReadonlyArray<Route> = [
  ...style.route("POST", "creditnotes/:id/invoices", "update", (request, account) =>
    Either.gen(function* () {
      const record = account.get("creditnotes", request.params["id"] ?? "")
      if (record === undefined) return yield* Either.left(style.missing("creditnotes"))
      const parts = partsAt(yield* bodyOf(style, request), "invoices")
      const held = partsAt(record, "invoices")
      const added = parts.map((one) => ({ amount: amountAt(one, "amount_applied"), id: String(one.invoice_id) }))
      for (const { amount, id } of added) {
        const invoice = account.get("invoices", id)
        const isOpen = invoice?.state === "sent" && invoice.customer_id === record.customer_id
        if (!isOpen || amount.lte(0) || openOf(account, invoice, id).lt(amount))
          return yield* Either.left(refuse([{ path: "invoices", complaint: { is: "absent" } }]))
      }
      if (sumOf(added).gt(left(record)))
        return yield* Either.left(failure(400, 1038, "The amount applied is more than the balance."))
      keep(account, record, [
        ...held,
        ...added.map(({ amount, id }) => ({
          creditnote_invoice_id: nextId(account),
          invoice_id: id,
          invoice_number: account.get("invoices", id)?.invoice_number,
          amount: amount.toNumber()
        }))
      ])
      return yield* done("Credits have been applied to the invoice(s).")
    })
  ),
  ...style.route("DELETE", "creditnotes/:id/invoices/:application", "update", ({ params }, account) => {
    const record = account.get("creditnotes", params["id"] ?? "")
    const held = partsAt(record ?? {}, "invoices")
    const rest = held.filter(({ creditnote_invoice_id }) => creditnote_invoice_id !== params["application"])
    if (record === undefined || rest.length === held.length) return Either.left(style.missing("creditnotes"))
    keep(account, record, rest)
    return done("Credits applied to an invoice have been deleted.")
  })
]
