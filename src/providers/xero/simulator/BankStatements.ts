import { Decimal } from "decimal.js"
import { Either } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, money, partsAt } from "../../simulation/Docs.ts"
import type { Reply, Route } from "../../simulation/Simulator.ts"
import { route } from "./Collections.ts"
import { today } from "./Organisation.ts"
import { inOrder } from "./Pages.ts"

// https://developer.xero.com/documentation/api/finance/bankstatementsplus

/** Lists the statements of a bank account, oldest first. */
export const statementsOf = (account: Account, bank: string): ReadonlyArray<Doc> =>
  inOrder(account.all("Statement").filter(({ accountId }) => accountId === bank))

const refused = (detail: string) =>
  Either.left<Reply>({ status: 400, body: { type: "invalid-request", title: "InvalidRequest", status: 400, detail } })

const contactView = (account: Account, contactId: unknown): Doc => ({
  contactId,
  contactName: account.get("Contact", String(contactId))?.Name
})

const linesView = (account: Account, doc: Doc): ReadonlyArray<Doc> =>
  partsAt(doc, "LineItems").map((line) => ({
    accountId: line.AccountID,
    lineAmount: line.LineAmount,
    accountType: account.get("Account", String(line.AccountID))?.Type
  }))

/** Fields of a document shown with the statement line that it was reconciled with. */
const documentView = (account: Account, entity: string, doc: Doc, isWhole: boolean): Doc => ({
  [`${entity.charAt(0).toLowerCase()}${entity.slice(1)}Id`]: doc[`${entity}ID`],
  contact: contactView(account, doc.ContactID),
  total: doc.Total,
  ...(isWhole ? { lineItems: linesView(account, doc) } : {})
})

const paymentView = (account: Account, payment: Doc, isWhole: boolean): Doc => {
  const entity = String(payment.entity)
  const paid = account.get(entity, String(payment.target)) ?? {}
  return {
    paymentId: payment.PaymentID,
    date: payment.Date,
    amount: payment.Amount,
    bankAmount: payment.BankAmount,
    currencyRate: payment.CurrencyRate,
    [`${entity.charAt(0).toLowerCase()}${entity.slice(1)}`]: documentView(account, entity, paid, isWhole)
  }
}

const transactionView = (account: Account, doc: Doc, isWhole: boolean): Doc => ({
  bankTransactionId: doc.BankTransactionID,
  ...(doc.ContactID === undefined ? {} : { contact: contactView(account, doc.ContactID) }),
  date: doc.Date,
  amount: doc.Total,
  ...(isWhole ? { lineItems: linesView(account, doc) } : {})
})

const lineView = (account: Account, { amount, source, ...line }: Doc, isWhole: boolean): Doc => {
  const [payment, transaction] = [
    account.get("Payment", String(source)),
    account.get("BankTransaction", String(source))
  ]
  return {
    ...line,
    transactionDate: line.postedDate,
    amount: Math.abs(Number(amount)),
    type: Number(amount) < 0 ? "Debit" : "Credit",
    isDuplicate: false,
    isDeleted: false,
    payments: payment === undefined ? [] : [paymentView(account, payment, isWhole)],
    bankTransactions: transaction === undefined ? [] : [transactionView(account, transaction, isWhole)]
  }
}

const statementView = (account: Account, doc: Doc, isWhole: boolean): Doc => ({
  statementId: doc.statementId,
  startDate: doc.startDate,
  endDate: doc.endDate,
  importedDateTimeUtc: new Date(Number(doc.importedAt)).toISOString().replace(/\.\d+Z$/, "Z"),
  importSource: "STMTIMPORTSRC/BANKFEED",
  startBalance: doc.startBalance,
  endBalance: doc.endBalance,
  indicativeStartBalance: doc.startBalance,
  indicativeEndBalance: doc.endBalance,
  statementLines: partsAt(doc, "lines").map((line) => lineView(account, line, isWhole))
})

export const bankStatementRoutes: ReadonlyArray<Route> = [
  route(
    "GET",
    "/finance.xro/1.0/BankStatementsPlus/statements",
    ["BankAccountID", "FromDate", "ToDate", "SummaryOnly"],
    ({ query }, account) => {
      const bank = account.get("Account", (query.get("BankAccountID") ?? "").toLowerCase())
      const [from, to] = [query.get("FromDate") ?? "", query.get("ToDate") ?? ""]
      if (!query.has("BankAccountID")) return refused("AccountId was not supplied")
      if (bank?.Type !== "BANK") return refused("The bank account could not be found.")
      if (!isDay(from) || !isDay(to) || from > to) return refused("FromDate and ToDate must be given, in order.")
      if (Date.parse(to) - Date.parse(from) > 366 * 86_400_000) return refused("The period must not exceed 12 months.")
      if (to > today(account)) return refused("ToDate must not be in the future.")
      const isWhole = query.get("SummaryOnly") === "false"
      const statements = statementsOf(account, String(bank.AccountID))
        .filter((one) => String(one.endDate) >= from && String(one.startDate) <= to)
        .map((one) => statementView(account, one, isWhole))
      return Either.right({
        status: 200,
        body: {
          bankAccountId: bank.AccountID,
          bankAccountName: bank.Name,
          bankAccountCurrencyCode: bank.CurrencyCode,
          statements
        }
      })
    }
  )
]

const endOfMonth = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10)

const earlier = (one: string, other: string): string => (one < other ? one : other)

/** A movement of a bank account in the books. */
interface Move {
  readonly journal: Doc
  readonly amount: Decimal
  readonly day: string
}

const sumOf = (moves: ReadonlyArray<Move>): Decimal =>
  moves.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))

/** Builds the line for a movement; a reconciled line names its source. */
const lineOf = (account: Account, { amount, day, journal }: Move, isReconciled: boolean): Doc => {
  const { Reference, SourceID } = journal
  const doc = account.get("Payment", String(SourceID)) ?? account.get("BankTransaction", String(SourceID)) ?? {}
  const party = account.get(String(doc.entity), String(doc.target)) ?? doc
  return compact({
    statementLineId: crypto.randomUUID(),
    postedDate: day,
    payee: account.get("Contact", String(party.ContactID))?.Name ?? "",
    reference: Reference ?? "",
    notes: "",
    amount: money(amount),
    isReconciled,
    source: isReconciled ? SourceID : undefined
  })
}

/** For sample data: adds monthly bank statements that match the books; the newest `waiting` lines are not reconciled. */
export const addStatements = (account: Account, bank: Doc, feedConnectionId: unknown, waiting: number): void => {
  const [opening, ...moves] = account.all("Journal").flatMap((journal) =>
    partsAt(journal, "JournalLines")
      .filter((line) => line.AccountID === bank.AccountID)
      .map((line) => ({ journal, amount: amountAt(line, "NetAmount"), day: String(journal.JournalDate) }))
  )
  const sorted = moves.toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
  const waits = new Set(sorted.slice(-waiting))
  let balance = opening?.amount ?? new Decimal(0)
  for (const month of new Set(sorted.map(({ day }) => day.slice(0, 7)))) {
    const own = sorted.filter(({ day }) => day.startsWith(month))
    const endBalance = balance.plus(sumOf(own))
    const statementId = crypto.randomUUID()
    account.put("Statement", statementId, {
      statementId,
      feedConnectionId,
      accountId: bank.AccountID,
      startDate: `${month}-01`,
      endDate: earlier(endOfMonth(month), today(account)),
      startBalance: money(balance),
      endBalance: money(endBalance),
      importedAt: account.now,
      ordinal: account.nextId(),
      lines: own.map((move) => lineOf(account, move, !waits.has(move)))
    })
    balance = endBalance
  }
}
