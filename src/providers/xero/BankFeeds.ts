import { Clock, Effect, Either, Schema } from "effect"
import { BankFeedAccount } from "../../canonical/accounting/BankFeedAccount.ts"
import { BankFeedTransaction } from "../../canonical/accounting/BankFeedTransaction.ts"
import { isRealDate } from "../../canonical/Resource.ts"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { enumeration, number, reference, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, xeroDay } from "./Common.ts"
import type { Kept } from "./Kept.ts"
import { malformed, missing } from "./Objects.ts"
import { numbered } from "./Pages.ts"
import { bankFeeds, bankStatements } from "./Scopes.ts"

/**
 * Bank feeds, which Xero opens to banks and other approved partners: feeds through the Bank Feeds API (scope `bankfeeds`), the
 * lines they brought through the Finance API (scope `finance.bankstatementsplus.read`). A connection without these is not
 * permitted to read them.
 * https://developer.xero.com/documentation/api/bankfeeds/feedconnections
 * https://developer.xero.com/documentation/api/finance/bankstatementsplus
 */

const noFeedTimes = "Xero states no timestamps for bank feed connections."
const noLineTimes = "Xero states no timestamps for bank statement lines."

const masked = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(-4).padStart(Math.max(value.length, 4), "*") : null

const feedMapping = mappingOf(BankFeedAccount, (of) => [
  of.variant({
    nativeType: "FeedConnection",
    entries: [
      of.readField("remote_id", "id", text),
      of.constant("remote_was_deleted", false),
      of.readField("source_account_id", "accountToken", text),
      of.readField("target_account_id", "accountId", text),
      of.readField("source_account_name", "accountName", text),
      of.computed({
        canonical: "source_account_number",
        native: ["accountNumber"],
        decode: ({ record }) => masked(record.accountNumber)
      }),
      of.computed({
        canonical: "target_account_name",
        native: ["accountId"],
        lookups: ["accounts"],
        decode: ({ lookups, record }) => natives(lookups?.accounts).find(({ id }) => id === record.accountId)?.Name
      }),
      of.readField("currency", "currency", text),
      // one that is not rejected, nor waits to be taken, runs
      of.computed({
        canonical: "feed_status",
        native: ["status"],
        decode: ({ record }) => (record.status === undefined || record.status === null ? "ACTIVE" : "INACTIVE")
      }),
      of.readField("account_type", "accountType", enumeration("feedType", { BANK: "BANK", CREDITCARD: "CREDIT_CARD" }))
    ],
    notHeld: {
      remote_created_at: noFeedTimes,
      remote_updated_at: noFeedTimes,
      feed_start_date: "Xero does not say from which day on a feed brings transactions.",
      source_account_balance: "Xero has balances with bank statements, not with the feed that brings them."
    }
  })
])

const feeds = "/bankfeeds.xro/1.0/FeedConnections"

/** https://developer.xero.com/documentation/api/bankfeeds/feedconnections (pageSize) */
const pageSize = 1000

const feedType = "FeedConnection"

const feedReader = (call: Caller) => {
  const page = (connection: ConnectionRef, query: { readonly page: string; readonly pageSize: string }) =>
    Effect.map(
      call(connection, { operation: "FeedConnections.list", method: "GET", path: feeds, query }),
      ({ body }) => ({
        records: natives(getPath(body, "items")).map((record): NativeRecord => ({ nativeType: feedType, record })),
        count: getPath(body, "pagination.itemCount")
      })
    )
  const one = (connection: ConnectionRef, id: string) =>
    Effect.flatMap(
      call(connection, { operation: "FeedConnections.get", method: "GET", path: `${feeds}/:id`, params: { id } }),
      ({ body, status }) =>
        isNative(body)
          ? Effect.succeed(body)
          : Effect.fail(malformed("FeedConnections.get", status, "no feed in the answer"))
    )
  return { page, one }
}

/** Feeds, which are never many. */
export const readFeeds = (call: Caller) => {
  const { page } = feedReader(call)
  return (connection: ConnectionRef) =>
    Effect.map(page(connection, { page: "1", pageSize: String(pageSize) }), ({ records }) =>
      records.map(({ record }) => record)
    )
}

export const bankFeedAccount = (call: Caller, { feeds: all }: Pick<Kept, "feeds">): ResourceAdapter => {
  const { one, page } = feedReader(call)
  return {
    mapping: feedMapping,
    consistency: "anchored",
    requires: [bankFeeds],
    list: ({ connection, limit, position }) =>
      numbered(
        pageSize,
        ({ record }) => String(record.id),
        (at) => page(connection, at)
      )(position, limit),
    get: ({ connection, id }) => Effect.map(one(connection, id), (record) => ({ nativeType: feedType, record })),
    getMany: ({ connection, ids }) =>
      Effect.map(all(connection), (found) =>
        found.filter(({ id }) => ids.includes(String(id))).map((record) => ({ nativeType: feedType, record }))
      )
  }
}

const unsigned = (value: unknown) => (typeof value === "number" ? Math.abs(value) : value)

/** The type of a line, where it is a direction and not a word of the bank's; else a negative amount is money spent. */
const directionOf = ({ amount, type }: Native): "CREDIT" | "DEBIT" | null => {
  const word = String(type).toUpperCase()
  if (word === "CREDIT" || word === "DEBIT") return word
  return typeof amount === "number" && amount < 0 ? "DEBIT" : null
}

const lineMapping = mappingOf(BankFeedTransaction, (of) => [
  of.variant({
    nativeType: "StatementLine",
    entries: [
      of.readField("remote_id", "Id", text),
      of.constant("remote_was_deleted", false),
      of.readField("bank_feed_account", "Feed", reference("bank_feed_account", feedType)),
      of.readField("transaction_date", "transactionDate", xeroDay),
      of.readField("posted_date", "postedDate", xeroDay),
      of.readField("amount", "amount", {
        ...number,
        decode: (native, context) => unsigned(number.decode(native, context))
      }),
      of.computed({
        canonical: "description",
        native: ["notes", "reference"],
        decode: ({ record }) => [record.notes, record.reference].find((one) => typeof one === "string" && one !== "")
      }),
      of.readField("transaction_type", "type", text),
      of.readField("payee", "payee", text),
      of.computed({
        canonical: "credit_or_debit",
        native: ["type", "amount"],
        decode: ({ record }) => directionOf(record)
      }),
      of.readField("is_processed", "isReconciled", { ...text, name: "flag", decode: (native) => native === true })
    ],
    notHeld: {
      remote_created_at: noLineTimes,
      remote_updated_at: noLineTimes,
      source_transaction_id:
        "Banks may send their id of a transaction, but Xero does not return it with statement lines."
    }
  })
])

const Place = Schema.parseJson(Schema.Tuple(Schema.String, Schema.Int, Schema.NullOr(Schema.String)))
const readPlace = Schema.decodeUnknownEither(Place)
const writePlace = Schema.encodeSync(Place)

/** In the order of days, told apart by their ids. */
const keyOf = ({ record }: NativeRecord) =>
  `${String(record.postedDate).slice(0, 10)}:${String(record.statementLineId)}`

/**
 * The lines of each feed, year by year back from this one until an earlier one without any: Xero is asked for one account
 * and at most twelve months at a time.
 */
export const bankFeedTransaction = (call: Caller, { empty, feeds }: Pick<Kept, "empty" | "feeds">): ResourceAdapter => {
  const today = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString().slice(0, 10))

  const linesOf = (connection: ConnectionRef, feed: Native, FromDate: string, ToDate: string) =>
    Effect.map(
      call(connection, {
        operation: "BankStatementsPlus.list",
        method: "GET",
        path: "/finance.xro/1.0/BankStatementsPlus/statements",
        query: { BankAccountID: String(feed.accountId), FromDate, ToDate, SummaryOnly: "true" }
      }),
      ({ body }) =>
        natives(getPath(body, "statements"))
          .flatMap((statement) => natives(statement.statementLines))
          .filter(({ isDeleted, isDuplicate, postedDate }) => {
            const day = String(postedDate).slice(0, 10)
            return isDeleted !== true && isDuplicate !== true && day >= FromDate && day <= ToDate
          })
          .map((line): NativeRecord => {
            const record = { nativeType: "StatementLine", record: line }
            const more = { Id: `${String(feed.id)}:${keyOf(record)}`, Feed: feed.id }
            return { ...record, record: { ...line, ...more } }
          })
          .toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
    )

  return {
    mapping: lineMapping,
    consistency: "exact",
    requires: [bankFeeds, bankStatements],

    list: Effect.fnUntraced(function* ({ connection, limit, position }) {
      const day = yield* today
      const all = (yield* feeds(connection)).toSorted((left, right) => (String(left.id) < String(right.id) ? -1 : 1))
      const start = position === null ? undefined : Either.getOrUndefined(readPlace(position))
      const records: Array<NativeRecord> = []
      let [id, year, after] = start ?? ["", Number(day.slice(0, 4)), null]
      for (const feed of all.filter((feed) => String(feed.id) >= id)) {
        if (String(feed.id) !== id) [year, after] = [Number(day.slice(0, 4)), null]
        id = String(feed.id)
        for (;;) {
          const last = `${year}-12-31` < day ? `${year}-12-31` : day
          const isOver = last < day
          // years that are over stay as they are, mostly
          const lines =
            isOver && (yield* empty.has(connection, feed.id, year))
              ? []
              : yield* linesOf(connection, feed, `${year}-01-01`, last)
          const from = after
          const fresh = lines.filter((line) => from === null || keyOf(line) > from)
          const taken = fresh.slice(0, limit - records.length)
          records.push(...taken)
          const stand = taken.at(-1)
          if (stand !== undefined) after = keyOf(stand)
          if (records.length >= limit) return { records, next: writePlace([id, year, after]) }
          // this year may only just have begun
          if (lines.length === 0 && isOver) {
            yield* empty.add(connection, feed.id, year)
            break
          }
          year -= 1
          after = null
        }
      }
      return { records, next: null }
    }),

    get: Effect.fnUntraced(function* ({ connection, id }) {
      const [feedId = "", day = ""] = id.split(":")
      const feed = isRealDate(day) ? (yield* feeds(connection)).find(({ id }) => id === feedId) : undefined
      const lines = feed === undefined ? [] : yield* linesOf(connection, feed, day, day)
      return lines.find(({ record }) => record.Id === id) ?? (yield* missing("BankStatementsPlus.get"))
    })
  }
}
