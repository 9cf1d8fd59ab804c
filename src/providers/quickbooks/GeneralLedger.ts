import { Clock, Effect, Either, Schema } from "effect"
import { GeneralLedgerTransaction } from "../../canonical/accounting/GeneralLedgerTransaction.ts"
import { isRealDate } from "../../canonical/Resource.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { getPath, type Native, natives, onlyRead } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, dateTime, decimal, enumeration, number, reference, text } from "../../mapping/Transform.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { dayFrom } from "../Filtering.ts"
import type { ListRequest, NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, ProviderError } from "../ProviderError.ts"
import { company, toAccount, toItem, trackingCategories } from "./Common.ts"
import { columns, order, type Transaction, transactionsIn } from "./LedgerReport.ts"
import { postsByDate } from "./NotHeld.ts"
import { runReport } from "./Reports.ts"
import type { Books } from "./Books.ts"

/**
 * The general ledger, transaction by transaction. It is a report, read backwards from the newest day, some days at a time.
 * The id is the day and the transaction's own id, by which it is found again; a transaction that moves to another day gets
 * another id.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities/generalledger
 */

/** By the names Intuit shows in its several countries; everything else is TRANSACTION. */
const types = enumeration(
  "transactionType",
  {
    Invoice: "INVOICE",
    Bill: "INVOICE",
    Payment: "PAYMENT",
    "Bill Payment (Check)": "PAYMENT",
    "Bill Payment (Cheque)": "PAYMENT",
    "Bill Payment (Credit Card)": "PAYMENT",
    "Credit Memo": "CREDIT_NOTE",
    "Credit Note": "CREDIT_NOTE",
    "Vendor Credit": "VENDOR_CREDIT",
    "Supplier Credit": "VENDOR_CREDIT",
    "Journal Entry": "JOURNAL_ENTRY",
    Expense: "EXPENSE",
    "Cash Expense": "EXPENSE",
    Check: "EXPENSE",
    Cheque: "EXPENSE",
    "Cheque Expense": "EXPENSE",
    "Credit Card Expense": "EXPENSE",
    "Credit Card Credit": "EXPENSE"
  },
  "TRANSACTION"
)

const contact = computed({
  canonical: "contact",
  native: ["CustomerRef", "VendorRef"],
  decode: ({ record }, context) => {
    const [customer, vendor] = [getPath(record, "CustomerRef.value"), getPath(record, "VendorRef.value")]
    if (customer !== undefined) return context.reference("contact", "Customer", String(customer))
    return vendor === undefined ? null : context.reference("contact", "Vendor", String(vendor))
  }
})

const tracking = (of: Entries<"tracking_categories">) =>
  onlyRead(trackingCategories(of, { Class: "ClassRef", Department: "DepartmentRef" }))

/** Those of all lines. */
const allTracking = (of: Entries<"tracking_categories">) => {
  const { decode } = tracking(of)
  return of.computed({
    canonical: "tracking_categories",
    native: ["Lines"],
    decode: (bundle, context) => {
      const found = natives(bundle.record.Lines).map((record) => decode({ ...bundle, record }, context))
      return [...new Set(found.flat())]
    }
  })
}

/** Amounts in the transaction's currency are told only where that is the company's own. */
const foreign = <N extends string>(of: Entries<N>, canonical: N, native: string) =>
  of.computed({
    canonical,
    native: [native, "Currency", "HomeCurrency"],
    decode: ({ record }, context) =>
      record.Currency === record.HomeCurrency ? number.decode(record[native], context) : null
  })

const mapping = plainMapping(GeneralLedgerTransaction, (of) => [
  of.variant({
    nativeType: "GeneralLedger",
    entries: [
      of.readField("remote_id", "Id", text),
      of.readField("remote_created_at", "CreateTime", dateTime),
      of.readField("remote_updated_at", "LastUpdatedTime", dateTime),
      of.constant("remote_was_deleted", false),
      of.readField("underlying_transaction_remote_id", "TxnId", text),
      of.readField("underlying_transaction_type", "TxnType", types),
      of.readField("posting_date", "TxnDate", date),
      company(of),
      allTracking(of),
      of.lines("general_ledger_transaction_lines", {
        native: "Lines",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.readField("account", "AccountRef.value", toAccount),
              of.readField("employee", "EmployeeRef.value", reference("employee", "Employee")),
              of.readField("item", "ItemRef.value", toItem),
              of.readField("base_currency", "HomeCurrency", text),
              of.readField("transaction_currency", "Currency", text),
              of.readField("exchange_rate", "ExchangeRate", decimal),
              of.readField("description", "Memo", text),
              of.readField("debit_amount", "Debit", number),
              of.readField("credit_amount", "Credit", number),
              foreign(of, "foreign_debit_amount", "Debit"),
              foreign(of, "foreign_credit_amount", "Credit"),
              contact(of),
              tracking(of),
              company(of)
            ]
          }
        ]
      })
    ],
    notHeld: { accounting_period: postsByDate }
  })
])

/** Transactions may be dated ahead; nothing is before Intuit's first day. */
const [firstDay, lastDay] = ["1970-01-01", "2099-12-31"]

const daysBefore = (day: string, days: number): string => {
  const found = new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10)
  return found < firstDay ? firstDay : found
}

/** Reports that are run for one page. */
const searched = 4

const Place = Schema.parseJson(
  Schema.Struct({
    /** The last day to look at. */
    end: Schema.String,
    /** Days to look at together. */
    days: Schema.Int,
    /** The transaction of that day that came last. */
    after: Schema.NullOr(Schema.String)
  })
)
const readPlace = Schema.decodeUnknownEither(Place)
const writePlace = Schema.encodeSync(Place)

const nativeType = "GeneralLedger"

/** The days that are wanted, the last one first. */
const spanOf = ({ posted_after, posted_before }: ListRequest["wanted"]) => {
  const from = posted_after === undefined ? firstDay : dayFrom(posted_after.text)
  const to = posted_before === undefined ? lastDay : daysBefore(dayFrom(posted_before.text), 1)
  return { first: from > firstDay ? from : firstDay, last: to < lastDay ? to : lastDay }
}

const stampOf = (stamp: unknown) =>
  stamp === undefined ? undefined : String(dateTime.decode(stamp, { reference: () => "" }))

/**
 * Whether a transaction's stamps may be what is wanted. What the books put there themselves has none, and the service says
 * when it was first seen.
 */
const mayBe =
  (wanted: ListRequest["wanted"]) =>
  ({ CreateTime, LastUpdatedTime }: Transaction) =>
    [
      [stampOf(CreateTime), wanted.created_after, wanted.created_before] as const,
      [stampOf(LastUpdatedTime), wanted.modified_after, wanted.modified_before] as const
    ].every(
      ([stamp, after, before]) =>
        stamp === undefined ||
        ((after === undefined || stamp >= after.text) && (before === undefined || stamp < before.text))
    )

const recordOf = (record: Native): NativeRecord => ({ nativeType, record })

export const generalLedgerTransaction = (books: Books): ResourceAdapter => {
  const report = runReport(books)

  const between = (connection: ConnectionRef, start: string, end: string) =>
    Effect.map(
      report(connection, "GeneralLedger", {
        start_date: start,
        end_date: end,
        accounting_method: "Accrual",
        columns: columns.join(",")
      }),
      transactionsIn
    )

  return {
    mapping,
    consistency: "exact",
    finds: ["posted_after", "posted_before"],

    list: Effect.fnUntraced(function* ({ connection, limit, position, wanted }) {
      const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
      const { first, last: lastWanted } = spanOf(wanted)
      const records: Array<NativeRecord> = []
      const held = position === null ? undefined : Either.getOrUndefined(readPlace(position))
      let { after, days, end } = held ?? { end: lastWanted, days: 31, after: null }
      if (end < first) return { records, next: null }
      for (let i = 0; i < searched && records.length < limit; i += 1) {
        const back = daysBefore(end > today ? today : end, days)
        const start = back > first ? back : first
        const last = after === null ? undefined : { TxnDate: end, TxnId: after }
        const found = (yield* between(connection, start, end)).filter(
          (one) => last === undefined || order(one, last) > 0
        )
        // where there is little, more days are looked at together, and fewer where there is much
        if (found.length < limit) days *= 2
        else if (found.length > 4 * limit) days = Math.ceil(days / 2)
        const meant = found.filter(mayBe(wanted))
        const taken = meant.slice(0, limit - records.length)
        records.push(...taken.map(recordOf))
        const stand = taken.at(-1)
        if (meant.length > taken.length && stand !== undefined) {
          return { records, next: writePlace({ end: stand.TxnDate, days, after: stand.TxnId }) }
        }
        if (start === first) return { records, next: null }
        end = daysBefore(start, 1)
        after = null
      }
      return { records, next: writePlace({ end, days, after }) }
    }),

    get: Effect.fnUntraced(function* ({ connection, id }) {
      const [day = "", txn] = id.split(":")
      const all = isRealDate(day) && txn !== undefined ? yield* between(connection, day, day) : []
      const found = all.find((one) => one.Id === id)
      if (found === undefined) {
        return yield* new ProviderError({
          provider: "quickbooks",
          operation: "GeneralLedger.get",
          reason: new Missing()
        })
      }
      return recordOf(found)
    })
  }
}
