import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { GeneralLedgerTransaction } from "../../canonical/accounting/GeneralLedgerTransaction.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { getPath, type Native, onlyRead } from "../../mapping/Mapping.ts"
import { enumeration, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { company, mappingOf, reasons, toAccount, tracking, trackingOfLines, xeroDay, xeroTime } from "./Common.ts"
import { changedSince } from "./Filters.ts"
import { accounting, endpoints } from "./Objects.ts"
import { advanced, journals } from "./Scopes.ts"

/**
 * Journals: the postings of every document, in the base currency and in the order they were posted. Xero reverses and
 * reposts a document that changes, so a journal never changes.
 * https://developer.xero.com/documentation/api/accounting/journals
 */

/** https://developer.xero.com/documentation/api/accounting/types#journals (SourceType) */
const sources = enumeration(
  "journalSource",
  {
    ACCREC: "INVOICE",
    ACCPAY: "INVOICE",
    ACCRECCREDIT: "CREDIT_NOTE",
    ACCPAYCREDIT: "VENDOR_CREDIT",
    ACCRECPAYMENT: "PAYMENT",
    ACCPAYPAYMENT: "PAYMENT",
    ARCREDITPAYMENT: "PAYMENT",
    APCREDITPAYMENT: "PAYMENT",
    CASHPAID: "EXPENSE",
    MANJOURNAL: "JOURNAL_ENTRY"
  },
  "TRANSACTION"
)

/** The amount on one side of a line: debits are positive. */
const side = <N extends string>(of: Entries<N>, canonical: N, sign: 1 | -1) =>
  of.computed({
    canonical,
    native: ["NetAmount"],
    decode: ({ record }) => Decimal.max(new Decimal(Number(record.NetAmount ?? 0)).times(sign), 0).toNumber()
  })

const mapping = mappingOf(GeneralLedgerTransaction, (of) => [
  of.variant({
    nativeType: "Journal",
    entries: [
      of.readField("remote_id", "JournalID", text),
      of.readField("remote_created_at", "CreatedDateUTC", xeroTime),
      of.readField("remote_updated_at", "CreatedDateUTC", xeroTime),
      of.constant("remote_was_deleted", false),
      of.readField("underlying_transaction_remote_id", "SourceID", text),
      of.readField("underlying_transaction_type", "SourceType", sources),
      company(of),
      of.readField("posting_date", "JournalDate", xeroDay),
      trackingOfLines(of, "JournalLines", "TrackingCategories"),
      of.lines("general_ledger_transaction_lines", {
        native: "JournalLines",
        id: "JournalLineID",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.readField("account", "AccountID", toAccount),
              of.readField("description", "Description", text),
              of.computed({
                canonical: "base_currency",
                native: [],
                lookups: ["organisation"],
                decode: ({ lookups }) => getPath(lookups, "organisation.BaseCurrency")
              }),
              company(of),
              onlyRead(tracking(of, "TrackingCategories")),
              side(of, "debit_amount", 1),
              side(of, "credit_amount", -1)
            ]
          }
        ]
      })
    ],
    notHeld: { accounting_period: reasons.period }
  })
])

/** Journals that a response holds at most. */
const batch = 100

export const generalLedgerTransaction = (call: Caller): ResourceAdapter => {
  const { ask, askOne } = endpoints(call)
  const nativeType = "Journal"
  const createdOf = (journal: Native) => String(xeroTime.decode(journal.CreatedDateUTC, { reference: () => "" }))
  return {
    mapping,
    consistency: "exact",
    // a journal never changes, so it was last changed when it was created
    finds: ["created_after", "created_before", "modified_after", "modified_before"],
    requires: [journals, advanced],

    list: Effect.fnUntraced(function* ({ connection, limit, position, wanted }) {
      const bounds = (side: "after" | "before") =>
        [wanted[`created_${side}`], wanted[`modified_${side}`]].flatMap((sought) => sought?.text ?? []).toSorted()
      const [after, before] = [bounds("after").at(-1), bounds("before")[0]]
      const { since } = after === undefined ? {} : changedSince(after)
      const { records: found } = yield* ask(connection, "Journals", {
        operation: "Journals.list",
        method: "GET",
        path: `${accounting}/Journals`,
        query: { offset: position ?? "0" },
        ...(since === undefined ? {} : { headers: { "if-modified-since": since.slice(0, 19) } })
      })
      const isOver = (one: Native) => before !== undefined && createdOf(one) >= before
      const taken = found.slice(0, limit)
      const last = taken.at(-1)
      const isEnd = taken.some(isOver) || (found.length < batch && taken.length === found.length)
      return {
        records: taken
          .filter((one) => !isOver(one) && createdOf(one) >= (after ?? ""))
          .map((record) => ({ nativeType, record })),
        next: isEnd || last === undefined ? null : String(last.JournalNumber)
      }
    }),

    get: ({ connection, id }) =>
      Effect.map(
        askOne(connection, "Journals", {
          operation: "Journals.get",
          method: "GET",
          path: `${accounting}/Journals/:id`,
          params: { id }
        }),
        (record) => ({ nativeType, record })
      )
  }
}
