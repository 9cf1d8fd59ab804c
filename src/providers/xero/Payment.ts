import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { Payment } from "../../canonical/accounting/Payment.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { identityOf, reference, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { Invalid, ProviderError } from "../ProviderError.ts"
import {
  company,
  identity,
  isKept,
  mappingOf,
  rateOf,
  reasons,
  toAccount,
  toContact,
  toInvoice,
  xeroDay
} from "./Common.ts"
import { credits } from "./Credits.ts"
import { byDay } from "./Documents.ts"
import { invoices } from "./Invoice.ts"
import { endpoints, type Kind, objects } from "./Objects.ts"

/**
 * A payment settles one invoice or bill, or refunds one credit note, prepayment or overpayment; it is not changed afterwards,
 * only deleted.
 * https://developer.xero.com/documentation/api/accounting/payments
 */

const documents = ["Invoice", "CreditNote", "Prepayment", "Overpayment"]

const documentOf = (record: Native) => documents.map((name) => record[name]).find((one) => one !== undefined)

const currencies = documents.map((name) => `${name}.CurrencyCode`)

/** Money that goes back: a refund of a credit, to a customer or from a supplier. */
const isRefund = ({ PaymentType }: Native) => !/^ACC(?:REC|PAY)PAYMENT$/.test(String(PaymentType))

/** https://developer.xero.com/documentation/api/accounting/types#payments */
const paymentTypes = [
  "ACCRECPAYMENT",
  "ACCPAYPAYMENT",
  "ARCREDITPAYMENT",
  "APCREDITPAYMENT",
  "AROVERPAYMENTPAYMENT",
  "APOVERPAYMENTPAYMENT",
  "ARPREPAYMENTPAYMENT",
  "APPREPAYMENTPAYMENT"
]

const payable = /^(?:ACCPAY|AP)/

const typeOf = (native: unknown) => (payable.test(String(native)) ? "ACCOUNTS_PAYABLE" : "ACCOUNTS_RECEIVABLE")

const creditOf = (type: unknown) => (payable.test(String(type)) ? "vendor_credit" : "credit_note")

const settled = computed({
  canonical: "applied_to_lines",
  native: ["PaymentID", "PaymentType", "Invoice", "CreditNote", "Amount", "Date"],
  decode: ({ record }, context) => {
    const [invoice, credit] = [getPath(record, "Invoice.InvoiceID"), getPath(record, "CreditNote.CreditNoteID")]
    const line = {
      remote_id: record.PaymentID,
      applied_amount: record.Amount,
      applied_date: record.Date === undefined ? null : xeroDay.decode(record.Date, context)
    }
    if (typeof invoice === "string") {
      const related_object_id = toInvoice.decode(invoice, context)
      return [{ ...line, related_object_id, related_object_type: "INVOICE" }]
    }
    if (typeof credit !== "string") return []
    const resource = creditOf(record.PaymentType)
    const related_object_id = reference(resource, "CreditNote").decode(credit, context)
    return [{ ...line, related_object_id, related_object_type: resource.toUpperCase() }]
  },
  encode: (value, encoding) => {
    const { body, prefix, refuse, set, warn } = encoding
    const path = `${prefix}applied_to_lines`
    const [line, ...others] = natives(value)
    if (line === undefined) return
    if (others.length > 0) refuse(`${path}.1`, "is a second one: a payment of Xero settles one document")
    const isWhole = typeof body.total_amount !== "number" || Math.abs(body.total_amount) === line.applied_amount
    if (!isWhole) refuse(`${path}.0.applied_amount`, "is the total_amount: a payment of Xero settles one document")
    if (typeof line.applied_date === "string" && line.applied_date !== body.transaction_date) {
      warn(`${path}.0.applied_date`, "CHANGED", "is held as the transaction_date")
    }
    const at = `${path}.0.related_object_id`
    const id = line.related_object_id
    if (line.related_object_type === "INVOICE") {
      set("Invoice", { InvoiceID: remoteIdOf(id, "invoice", ["Invoice"], encoding, at) })
    } else if (line.related_object_type === "JOURNAL_ENTRY") {
      refuse(`${path}.0.related_object_type`, "must be one of INVOICE, CREDIT_NOTE, VENDOR_CREDIT here")
    } else {
      const resource = String(line.related_object_type).toLowerCase()
      set("CreditNote", { CreditNoteID: identityOf(id, resource, ["CreditNote"], encoding, at)?.remoteId })
    }
  }
})

const mapping = mappingOf(Payment, (of) => [
  of.variant({
    nativeType: "Payment",
    entries: [
      ...identity(of, "PaymentID"),
      of.lasting("transaction_date", "Date", xeroDay),
      of.computed({
        canonical: "type",
        native: ["PaymentType"],
        decode: ({ record }) => typeOf(record.PaymentType),
        encode: (value, { step }) => step("expect", { type: value })
      }),
      of.computed({
        canonical: "contact",
        native: documents.map((name) => `${name}.Contact`),
        decode: ({ record }, context) => {
          const id = getPath(documentOf(record), "Contact.ContactID")
          return typeof id === "string" ? toContact.decode(id, context) : null
        },
        encode: (value, encoding) => {
          const contact = remoteIdOf(value, "contact", ["Contact"], encoding, `${encoding.prefix}contact`)
          encoding.step("expect", { contact })
        }
      }),
      of.field("account", "Account.AccountID", toAccount),
      of.computed({
        canonical: "currency",
        native: currencies,
        decode: ({ record }) => getPath(documentOf(record), "CurrencyCode"),
        encode: (value, { step }) => {
          if (value !== null) step("expect", { currency: value })
        }
      }),
      rateOf(of, { native: currencies, of: ({ record }) => getPath(documentOf(record), "CurrencyCode") }),
      of.computed({
        canonical: "total_amount",
        native: ["Amount", "PaymentType"],
        decode: ({ record }) =>
          typeof record.Amount === "number" && isRefund(record)
            ? new Decimal(record.Amount).negated().toNumber()
            : record.Amount,
        encode: (value, encoding) => {
          if (!isKept(value, "amount", `${encoding.prefix}total_amount`, encoding)) return
          encoding.set("Amount", typeof value === "number" ? Math.abs(value) : value)
        }
      }),
      of.field("reference", "Reference", text),
      settled(of),
      company(of)
    ],
    notHeld: {
      remote_created_at: reasons.created,
      memo: reasons.noMemo,
      payment_method: reasons.noMethod,
      tracking_categories: "Xero has tracking on the lines of documents, not on the payments that settle them.",
      accounting_period: reasons.period
    }
  })
])

const payments: Kind = {
  nativeType: "Payment",
  endpoint: "Payments",
  id: "PaymentID",
  pages: true,
  filters: {
    // an index is of no use where conditions are joined by OR
    type: exact(({ values }) => {
      const others = paymentTypes.filter((type) => !values.includes(typeOf(type)))
      return others.length === 0
        ? {}
        : {
            where: others.map((type) => `PaymentType!="${type}"`).join(" AND "),
            keeps: ({ PaymentType }) => values.includes(typeOf(PaymentType))
          }
    }),
    ...byDay("transaction")
  },
  ended: ["DELETED"],
  stamp: "UpdatedDateUTC",
  isBare: true,
  ending: () => ({ Status: "DELETED" })
}

/** Where a record of this service says otherwise than the document that is to be paid. */
const contradictions = (document: Native, expect: unknown): Invalid["fields"] => {
  const [type, contact] = [getPath(expect, "type"), getPath(expect, "contact")]
  const currency = getPath(expect, "currency") ?? document.CurrencyCode
  return {
    ...(currency === document.CurrencyCode
      ? {}
      : { "Invoice.CurrencyCode": `is ${String(document.CurrencyCode)} for this document` }),
    ...(type === typeOf(document.Type) ? {} : { PaymentType: `is ${typeOf(document.Type)} for this document` }),
    ...(contact === getPath(document, "Contact.ContactID") ? {} : { "Invoice.Contact": "is not the document's" })
  }
}

const refused = (fields: Invalid["fields"]) =>
  new ProviderError({ provider: "xero", operation: "Payments.create", reason: new Invalid({ fields }) })

export const payment = (call: Caller): ResourceAdapter => {
  const { create, patch: _, replace: __, ...verbs } = objects(call, mapping, payments)
  const { read } = endpoints(call)
  return {
    ...verbs,
    needs: ["account", "applied_to_lines"],
    ...(create === undefined
      ? {}
      : {
          /** Xero goes by the document alone; what was said about it besides has to be so. */
          create: Effect.fnUntraced(function* (request) {
            const { connection, encoded } = request
            const [invoice, credit] = [encoded.record.Invoice, encoded.record.CreditNote]
            const { record: document } = yield* (
              invoice === undefined
                ? read(connection, credits, String(getPath(credit, "CreditNoteID")))
                : read(connection, invoices, String(getPath(invoice, "InvoiceID")))
            ).pipe(
              Effect.catchIf(
                ({ reason }) => reason._tag === "Missing",
                () => refused({ Invoice: "names a document that Xero no longer has" })
              )
            )
            const fields = contradictions(document, encoded.steps.expect)
            if (Object.keys(fields).length > 0) return yield* refused(fields)
            return yield* create({ ...request, encoded: { ...encoded, steps: {} } })
          })
        })
  }
}
