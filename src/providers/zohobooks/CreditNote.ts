import { CreditNote } from "../../canonical/accounting/CreditNote.ts"
import { Effect } from "effect"
import { CreditNoteLineItem } from "../../canonical/accounting/Nested.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath, isNative, natives } from "../../mapping/Mapping.ts"
import { number, reference, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, noPeriods, status, tagsAreNoCategories } from "./Common.ts"
import { document, inclusiveOfTax, noMemo, numbered, party, printed, total } from "./Documents.ts"
import { beginning, day, link, oneOf, search } from "./Filters.ts"
import { documentLines, withLines } from "./Lines.ts"
import { booksOf, type Kind, records, type Step } from "./Records.ts"

/**
 * Credit notes of customers: open at once, and applied to invoices by separate calls.
 * https://www.zoho.com/books/api/v3/credit-notes/
 */

const toInvoice = reference("invoice", "invoice")

/** Amounts applied to invoices, by the invoices' ids. */
const applications = computed({
  canonical: "applied_to_lines",
  native: ["invoices"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    natives(record.invoices).map((one) => ({
      remote_id: one.creditnote_invoice_id,
      invoice: toInvoice.decode(one.invoice_id, context),
      applied_date: null,
      applied_amount: one.amount,
      remote_was_deleted: false
    })),
  encode: (value, encoding) => {
    // a body without the field changes nothing
    if (!Array.isArray(value)) return
    const held = natives(encoding.current?.record.invoices)
    const wanted = natives(value).flatMap((one, i) => {
      const path = `${encoding.prefix}applied_to_lines.${i}`
      if (typeof one.applied_date === "string")
        encoding.warn(`${path}.applied_date`, "NOT_HELD", "is not kept by Zoho Books")
      const id = remoteIdOf(one.invoice, "invoice", ["invoice"], encoding, `${path}.invoice`)
      return id === undefined ? [] : [{ invoice_id: id, amount_applied: one.applied_amount }]
    })
    const isSame = (one: { readonly invoice_id: unknown; readonly amount_applied: unknown }) =>
      held.some(({ amount, invoice_id }) => invoice_id === one.invoice_id && amount === one.amount_applied)
    const invoices = wanted.filter((one) => !isSame(one))
    const gone = held.filter(({ amount, invoice_id }) =>
      wanted.every((one) => one.invoice_id !== invoice_id || one.amount_applied !== amount)
    )
    if (invoices.length + gone.length > 0) {
      encoding.step("apply", { gone: gone.map(({ creditnote_invoice_id }) => creditnote_invoice_id), invoices })
    }
  }
})

/** Removes applications that are no longer wanted, then applies the rest to its invoices. */
const apply: Step = (call, connection, id, value) =>
  Effect.gen(function* () {
    const gone: unknown = getPath(value, "gone")
    const invoices = isNative(value) ? natives(value.invoices) : []
    const at = (method: "POST" | "DELETE") => ({ operation: "creditnote.apply", method })
    for (const application of Array.isArray(gone) ? gone : []) {
      const params = { id, application: String(application) }
      yield* call(connection, { ...at("DELETE"), path: "creditnotes/:id/invoices/:application", params })
    }
    if (invoices.length > 0) {
      yield* call(connection, { ...at("POST"), path: "creditnotes/:id/invoices", params: { id }, json: { invoices } })
    }
  })

const refundsAreApart = "Zoho Books records refunds of a credit note apart from payments."

const mapping = mappingOf(CreditNote, (of) => [
  of.variant({
    nativeType: "creditnote",
    entries: [
      ...document(of, "creditnote_id", "transaction_date"),
      party(of, "contact", "customer_id"),
      of.lasting("number", "creditnote_number", text),
      status(of, {
        read: {
          draft: "DRAFT",
          pending_approval: "SUBMITTED",
          approved: "SUBMITTED",
          open: "AUTHORIZED",
          closed: "PAID",
          void: "VOID"
        },
        write: {
          DRAFT: "status/draft",
          SUBMITTED: "submit",
          AUTHORIZED: "status/open",
          PAID: "status/open",
          VOID: "status/void"
        },
        made: "open"
      }),
      ...printed(of),
      inclusiveOfTax(of),
      of.lines("line_items", documentLines({ total: "total_line_amount", shape: CreditNoteLineItem }, true)),
      total(of),
      of.readField("remaining_credit", "balance", number),
      applications(of)
    ],
    notHeld: {
      memo: noMemo,
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories,
      payments: refundsAreApart,
      applied_payments: refundsAreApart
    }
  })
])

const issueDay = day("date")

const creditNotes: Kind = {
  nativeType: "creditnote",
  path: "creditnotes",
  id: "creditnote_id",
  sort: "created_time",
  filters: {
    number: beginning("creditnote_number"),
    contact: link("customer_id"),
    status: oneOf("status", { DRAFT: "draft", AUTHORIZED: "open", PAID: "closed", VOID: "void" }),
    issued_after: issueDay.after,
    issued_before: issueDay.before,
    q: search
  },
  write: withLines,
  writeQuery: numbered("creditnote_number"),
  steps: { apply }
}

/** An applied credit note cannot be deleted, so its applications are removed first. */
export const creditNote = (client: Caller): ResourceAdapter => {
  const adapter = records(client, mapping, [creditNotes])
  return {
    ...adapter,
    remove: Effect.fnUntraced(function* (target) {
      const { record } = yield* adapter.get(target)
      const gone = natives(record.invoices).map(({ creditnote_invoice_id }) => creditnote_invoice_id)
      yield* apply(booksOf(client), target.connection, target.id, { gone })
      yield* adapter.remove(target)
    }),
    nullInLists: ["line_items", "customer_note", "inclusive_of_tax", "exchange_rate", "applied_to_lines"]
  }
}
