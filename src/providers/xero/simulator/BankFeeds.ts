import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money, partAt, partsAt, textAt } from "../../simulation/Docs.ts"
import type { Reply, Route } from "../../simulation/Simulator.ts"
import { notFound, type Outcome } from "./Answers.ts"
import { bodyOf, route } from "./Collections.ts"
import { type Fields, id, number, one, own, part, parts, read, text } from "./Fields.ts"
import { inOrder, paged } from "./Pages.ts"
import { statementsOf } from "./BankStatements.ts"

// https://developer.xero.com/documentation/api/bankfeeds/overview

const path = "/bankfeeds.xro/1.0"
const most = 1000

const connectionFields: Fields = {
  id,
  accountToken: text(50),
  accountNumber: text(40),
  accountName: text(30),
  accountId: id,
  accountType: one("BANK", "CREDITCARD"),
  currency: text(),
  country: text(),
  status: own(text())
}

const balance = part({ amount: number, creditDebitIndicator: one("CREDIT", "DEBIT") })

const statementFields: Fields = {
  feedConnectionId: id,
  startDate: { kind: "day" },
  endDate: { kind: "day" },
  startBalance: balance,
  endBalance: balance,
  statementLines: parts({
    postedDate: { kind: "day" },
    description: text(),
    amount: number,
    creditDebitIndicator: one("CREDIT", "DEBIT"),
    transactionId: text(),
    payeeName: text(),
    reference: text(),
    chequeNumber: text(),
    transactionType: text()
  })
}

const refuse = (status: number, type: string, title: string, detail: string) =>
  Either.left<Reply>({ status, body: { type, title, status, detail } })

/** The signed amount; credits are positive. */
const signed = (of: Doc): Decimal => amountAt(of, "amount").times(of.creditDebitIndicator === "DEBIT" ? -1 : 1)

const balanceView = (amount: unknown): Doc => {
  const value = new Decimal(Number(amount))
  return { amount: value.abs().toFixed(4), creditDebitIndicator: value.isNegative() ? "DEBIT" : "CREDIT" }
}

const statementView = (doc: Doc): Doc => ({
  id: doc.statementId,
  feedConnectionId: doc.feedConnectionId,
  status: "DELIVERED",
  startDate: doc.startDate,
  endDate: doc.endDate,
  startBalance: balanceView(doc.startBalance),
  endBalance: balanceView(doc.endBalance),
  statementLineCount: String(partsAt(doc, "lines").length)
})

/** Connects a bank account to a feed. */
export const connectFeed = (account: Account, bank: Doc, accountToken: string): Doc => {
  const doc = {
    id: crypto.randomUUID(),
    accountToken,
    accountType: bank.BankAccountType === "CREDITCARD" ? "CREDITCARD" : "BANK",
    accountNumber: bank.BankAccountNumber,
    accountName: bank.Name,
    accountId: bank.AccountID,
    currency: bank.CurrencyCode,
    country: "IE",
    ordinal: account.nextId()
  }
  account.put("FeedConnection", doc.id, doc)
  return doc
}

const connected = (account: Account, given: Doc): Doc => {
  const { accountId, accountNumber, accountToken } = given
  const banks = account.all("Account").filter(({ Type }) => Type === "BANK")
  const bank = banks.find((one) => one.AccountID === accountId || one.BankAccountNumber === accountNumber)
  const rejected = (type: string, title: string, detail: string): Doc => ({
    accountToken,
    status: "REJECTED",
    error: { type, title, status: 400, detail }
  })
  if (typeof accountToken !== "string")
    return rejected("invalid-request", "Invalid Request", "AccountToken is required.")
  if (bank === undefined) return rejected("invalid-request", "Invalid Request", "The bank account could not be found.")
  if (account.all("FeedConnection").some((one) => one.accountToken === accountToken)) {
    return rejected(
      "feed-already-connected-in-current-organisation",
      "Feed already connected in current organisation",
      "The AccountToken is connected to another bank account."
    )
  }
  return { id: connectFeed(account, bank, accountToken).id, accountToken, status: "PENDING" }
}

/** Accepts a statement; its lines await reconciliation. */
const delivered = (account: Account, given: Doc): Outcome<Doc> => {
  const feed = account.get("FeedConnection", textAt(given, "feedConnectionId") ?? "")
  const { endDate, startDate } = given
  const lines = partsAt(given, "statementLines")
  const [start, end] = [signed(partAt(given, "startBalance")), signed(partAt(given, "endBalance"))]
  if (feed === undefined) {
    return refuse(403, "invalid-feed-connection", "Invalid Feed Connection", "The feed connection could not be found.")
  }
  if (typeof startDate !== "string" || typeof endDate !== "string" || startDate > endDate) {
    return refuse(422, "invalid-start-and-end-date", "Invalid Start and End Date", "The start must be before the end.")
  }
  if (!lines.reduce((sum, line) => sum.plus(signed(line)), start).eq(end)) {
    return refuse(422, "invalid-end-balance", "Invalid End Balance", "The lines do not come to the end balance.")
  }
  const known = statementsOf(account, String(feed.accountId))
  if (known.some((one) => one.startDate === startDate && one.endDate === endDate)) {
    return refuse(409, "duplicate-statement", "Duplicate Statement Received", "The statement was received before.")
  }
  const statementId = crypto.randomUUID()
  account.put("Statement", statementId, {
    statementId,
    feedConnectionId: feed.id,
    accountId: feed.accountId,
    startDate,
    endDate,
    startBalance: money(start),
    endBalance: money(end),
    importedAt: account.now,
    ordinal: account.nextId(),
    lines: lines.map((line) => ({
      statementLineId: crypto.randomUUID(),
      postedDate: line.postedDate,
      payee: line.payeeName ?? "",
      reference: line.reference ?? "",
      notes: line.description ?? "",
      amount: signed(line).toNumber(),
      isReconciled: false
    }))
  })
  return Either.right({ id: statementId, feedConnectionId: feed.id, status: "PENDING" })
}

export const bankFeedRoutes: ReadonlyArray<Route> = [
  route("GET", `${path}/FeedConnections`, ["page", "pageSize"], ({ query }, account) =>
    Either.map(paged(inOrder(account.all("FeedConnection")), query, most), (body) => ({ status: 202, body }))
  ),
  route("GET", `${path}/FeedConnections/:key`, [], ({ params }, account) => {
    const [found] = inOrder(account.all("FeedConnection").filter((one) => one.id === params.key))
    return found === undefined ? Either.left(notFound) : Either.right({ status: 200, body: found })
  }),
  route("POST", `${path}/FeedConnections`, [], (request, account) =>
    Either.gen(function* () {
      const { doc } = yield* read({ items: parts(connectionFields) }, yield* bodyOf(request))
      const items = partsAt(doc, "items").map((one) => connected(account, one))
      return { status: items.every(({ status }) => status === "REJECTED") ? 400 : 202, body: { items } }
    })
  ),
  route("POST", `${path}/FeedConnections/DeleteRequests`, [], (request, account) =>
    Either.gen(function* () {
      const { doc } = yield* read({ items: parts(connectionFields) }, yield* bodyOf(request))
      const items = partsAt(doc, "items").map((one): Doc => {
        const found = account
          .all("FeedConnection")
          .find((held) => held.id === one.id || held.accountToken === one.accountToken)
        if (found !== undefined) account.remove("FeedConnection", String(found.id))
        return { ...one, status: found === undefined ? "REJECTED" : "PENDING" }
      })
      return { status: 202, body: { items } }
    })
  ),
  route("GET", `${path}/Statements`, ["page", "pageSize"], ({ query }, account) =>
    Either.map(paged(inOrder(account.all("Statement")).map(statementView), query, most), (body) => ({
      status: 200,
      body
    }))
  ),
  route("GET", `${path}/Statements/:key`, [], ({ params }, account) => {
    const found = account.get("Statement", params.key ?? "")
    return found === undefined ? Either.left(notFound) : Either.right({ status: 200, body: statementView(found) })
  }),
  route("POST", `${path}/Statements`, [], (request, account) =>
    Either.gen(function* () {
      const { doc } = yield* read({ items: parts(statementFields) }, yield* bodyOf(request))
      const items = yield* Either.all(partsAt(doc, "items").map((one) => delivered(account, one)))
      return { status: 202, body: { items } }
    })
  )
]
