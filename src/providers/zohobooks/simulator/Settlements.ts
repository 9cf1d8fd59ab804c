import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, partsAt } from "../../simulation/Docs.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import { type Rule, worked } from "../../simulation/table/Kind.ts"
import { bodyOf } from "../../simulation/table/Routes.ts"
import * as V from "../../simulation/table/Value.ts"
import { failure, refuse, styleOf } from "./Answers.ts"
import {
  appliedTo,
  becomes,
  code,
  dated,
  head,
  invoices,
  nameOf,
  numbered,
  ofParty,
  openOf,
  posting,
  state,
  sumOf,
  touch
} from "./Documents.ts"
import { day, has, needs, nextId, number, opens, own, stamp, stamps, text, to, today } from "./Fields.ts"
import { systemAccount } from "./Ledger.ts"
import { positive, reckoned } from "./Lines.ts"
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
    const given = list === "bills" ? "bill_payment_id" : "invoice_payment_id"
    return Either.right({
      ...after,
      [list]: partsAt(after, list).map((one) => {
        const same = partsAt(before ?? {}, list).find((other) => other[member] === one[member])
        const id = String(one[given] ?? "")
        return { ...one, [given]: id === "" ? (same?.[given] ?? nextId(account)) : id }
      })
    })
  }

/** Moves the stamps of the documents that a payment begins or ceases to settle, or settles by another amount. */
const settling =
  (kind: string, list: "invoices" | "bills", member: "invoice_id" | "bill_id"): NonNullable<Defined["follow"]> =>
  (account, record, before) => {
    posting(kind, "payment_id")(account, record, before)
    const amounts = (doc: Doc | undefined) =>
      new Map(partsAt(doc ?? {}, list).map((one) => [String(one[member]), one.amount_applied]))
    const [now, then] = [amounts(record), amounts(before)]
    for (const id of new Set([...now.keys(), ...then.keys()]))
      if (now.get(id) !== then.get(id)) touch(account, list, id)
  }

/** Sets the default account that money goes to or comes from. */
const usually =
  (member: string, name: string): Rule =>
  ({ account, after }) =>
    Either.right(after[member] === "" ? { ...after, [member]: systemAccount(account, name) } : after)

export const received = V.object(
  "object",
  { invoice_id: to("invoices"), amount_applied: positive, tax_amount_withheld: positive, discount_amount: positive },
  ["invoice_id", "amount_applied"],
  { tax_amount_withheld: 0, discount_amount: 0 }
)

export const paid = V.object(
  "object",
  { bill_payment_id: text(), bill_id: to("bills"), amount_applied: positive, tax_amount_withheld: positive },
  ["bill_id", "amount_applied"],
  { bill_payment_id: "", tax_amount_withheld: 0 }
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

/** What a payment has left. */
const unused = (member: string, list: string) =>
  worked(member, member, number, (_, record) =>
    amountAt(record, "amount")
      .minus(sumOf(partsAt(record, list).map((one) => ({ amount: amountAt(one, "amount_applied") }))))
      .toNumber()
  )

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
      unused("unused_amount", "invoices"),
      worked("invoice_numbers", "invoice_numbers", text(), (account, record) =>
        partsAt(record, "invoices")
          .map(({ invoice_id }) => account.get("invoices", String(invoice_id))?.invoice_number)
          .join(", ")
      ),
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
    list: "customerpayments",
    noun: "Payment",
    listed: [
      "payment_id",
      "invoice_numbers",
      "date",
      "payment_mode",
      "amount",
      "unused_amount",
      "account_id",
      "description",
      "reference_number",
      "customer_id",
      "customer_name",
      "created_time",
      "last_modified_time"
    ],
    // a single one has another name for the time of change
    envelope: ({ invoice_numbers: _, last_modified_time, ...record }) => ({
      payment: {
        ...record,
        updated_time: last_modified_time,
        invoices: partsAt(record, "invoices").map((one) => ({ ...one, apply_date: record.date }))
      }
    })
  },
  follow: settling("customerpayments", "invoices", "invoice_id")
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
      unused("balance", "bills"),
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
      "currency_id",
      "currency_code",
      "exchange_rate",
      "amount",
      "paid_through_account_id",
      "balance",
      "created_time",
      "last_modified_time"
    ]
  },
  follow: settling("vendorpayments", "bills", "bill_id")
}

const credited = (record: Doc) => partsAt(record, "invoices_credited")

const left = (record: Doc) =>
  amountAt(record, "total").minus(sumOf(credited(record).map((one) => ({ amount: amountAt(one, "credited_amount") }))))

const isUsed = (record: Doc) => credited(record).length > 0

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
      has("shipping_charge", positive, 0),
      { ...own("invoices_credited"), initial: [] },
      worked("balance", "balance", number, (_, record) => left(record).toNumber()),
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
    envelope: ({ discount_total: _, ...record }) => ({ creditnote: record }),
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
      "exchange_rate",
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

const keep = (account: Account, record: Doc, invoices_credited: ReadonlyArray<Doc>) =>
  account.put("creditnotes", String(record.creditnote_id), {
    ...record,
    invoices_credited,
    last_modified_time: stamp(account.now)
  })

const done = (message: string) => Either.right({ status: 200, body: { code: 0, message } })

/** https://www.zoho.com/books/api/v3/credit-notes/#credit-to-an-invoice */
export const applicationRoutes: ReadonlyArray<Route> = [
  ...style.route("POST", "creditnotes/:id/invoices", "update", (request, account) =>
    Either.gen(function* () {
      const record = account.get("creditnotes", request.params["id"] ?? "")
      if (record === undefined) return yield* Either.left(style.missing("creditnotes"))
      const parts = partsAt(yield* bodyOf(style, request), "invoices")
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
        ...credited(record),
        ...added.map(({ amount, id }) => ({
          creditnote_invoice_id: nextId(account),
          creditnote_id: record.creditnote_id,
          invoice_id: id,
          invoice_number: account.get("invoices", id)?.invoice_number,
          credited_amount: amount.toNumber(),
          credited_date: today(account)
        }))
      ])
      for (const { id } of added) touch(account, "invoices", id)
      return yield* done("Credits have been applied to the invoice(s).")
    })
  ),
  ...style.route("DELETE", "creditnotes/:id/invoices/:application", "update", ({ params }, account) => {
    const record = account.get("creditnotes", params["id"] ?? "")
    const held = credited(record ?? {})
    const [gone] = held.filter(({ creditnote_invoice_id }) => creditnote_invoice_id === params["application"])
    if (record === undefined || gone === undefined) return Either.left(style.missing("creditnotes"))
    keep(
      account,
      record,
      held.filter((one) => one !== gone)
    )
    touch(account, "invoices", String(gone.invoice_id))
    return done("Credits applied to an invoice have been deleted.")
  })
]

const invoiceStyle = styleOf(invoices.module)

/** A list of what was applied to an invoice, which the invoice itself does not have. */
const appliedRoute = (
  path: string,
  member: string,
  show: (applied: ReturnType<typeof appliedTo>, id: string) => ReadonlyArray<Doc>
): ReadonlyArray<Route> =>
  invoiceStyle.route("GET", `invoices/:id/${path}`, "get", ({ params }, account) => {
    const id = params["id"] ?? ""
    return account.get("invoices", id) === undefined
      ? Either.left(invoiceStyle.missing("invoices"))
      : Either.right({ status: 200, body: { code: 0, message: "success", [member]: show(appliedTo(account, id), id) } })
  })

/** https://www.zoho.com/books/api/v3/invoices/#list-invoice-payments */
export const settlementRoutes: ReadonlyArray<Route> = [
  ...appliedRoute("payments", "payments", ({ payments }, invoice_id) =>
    payments.map(({ amount, one, source }) => ({
      payment_id: source.payment_id,
      payment_number: "",
      invoice_id,
      invoice_payment_id: one.invoice_payment_id,
      payment_mode: source.payment_mode,
      description: source.description,
      date: source.date,
      reference_number: source.reference_number,
      exchange_rate: source.exchange_rate,
      amount: amount.toNumber(),
      tax_amount_withheld: one.tax_amount_withheld,
      online_transaction_id: "",
      is_single_invoice_payment: partsAt(source, "invoices").length === 1
    }))
  ),
  ...appliedRoute("creditsapplied", "credits", ({ credits }) =>
    credits.map(({ amount, one, source }) => ({
      creditnote_id: source.creditnote_id,
      creditnotes_invoice_id: one.creditnote_invoice_id,
      creditnotes_number: source.creditnote_number,
      credited_date: one.credited_date,
      amount_applied: amount.toNumber()
    }))
  )
]
