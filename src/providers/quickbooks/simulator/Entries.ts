import type { Account, Doc } from "../../simulation/Account.ts"
import { finish, head, inHome, negative, numbered, sum } from "./Books.ts"
import { business, type Complaint, invalidReference, missing, otherCurrency, transactionNotFound } from "./Faults.ts"
import { amountAt, compact, currencyIn, homeOf, moneyOf, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { isOnBalanceSheet, type Rule } from "./Lists.ts"
import { systemAccount } from "./Postings.ts"

// Transactions other than sales and purchases: journal entries, deposits, transfers, inventory adjustments.

const typeOf = (account: Account, id: string | undefined) =>
  textAt(account.get("Account", id ?? "") ?? {}, "AccountType")

/** Entity that a line on receivables or payables must name. */
const owners: { readonly [accountType: string]: readonly [entity: string, word: string] } = {
  "Accounts Receivable": ["Customer", "customer"],
  "Accounts Payable": ["Vendor", "vendor"]
}

const journalLine = (account: Account, line: Doc, currency: string): readonly [ReadonlyArray<Complaint>, Doc] => {
  if (line.DetailType === "DescriptionOnly") return [[], line]
  const detail = partAt(line, "JournalEntryLineDetail")
  const id = refAt(detail, "AccountRef")
  const type = typeOf(account, id) ?? ""
  const [entity, word] = owners[type] ?? []
  const named = partAt(detail, "Entity")
  const target = account.get(String(named.Type), refAt(named, "EntityRef") ?? "")
  const own = currencyIn(account, account.get("Account", id ?? "") ?? {})
  return [
    [
      ...(line.JournalEntryLineDetail === undefined ? [missing("JournalEntryLineDetail")] : []),
      ...(line.Amount === undefined ? [missing("Line.Amount")] : []),
      ...(amountAt(line, "Amount").isNegative() ? [negative] : []),
      ...(detail.Entity !== undefined && target === undefined
        ? [invalidReference("Line.JournalEntryLineDetail.Entity")]
        : []),
      ...(entity !== undefined && named.Type !== entity
        ? [business(`When you use ${type}, you must choose a ${word} in the Name field.`)]
        : []),
      ...(own !== homeOf(account) && own !== currency ? [otherCurrency] : [])
    ],
    compact({
      ...line,
      JournalEntryLineDetail: compact({
        ...detail,
        Entity:
          detail.Entity === undefined
            ? undefined
            : { Type: named.Type, EntityRef: { value: refAt(named, "EntityRef") } }
      })
    })
  ]
}

// https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/journalentry
export const journalEntry: Rule = (account, draft, current) => {
  const { currency, doc } = head(account, draft, undefined)
  const read = partsAt(draft, "Line").map((line) => journalLine(account, line, currency))
  const lines = read.map(([, line]) => line)
  const of = (side: string) => sum(lines.filter((line) => partAt(line, "JournalEntryLineDetail").PostingType === side))
  const debits = of("Debit")
  return finish(
    [
      ...(lines.length < 2 ? [business("A journal entry needs at least two lines.")] : []),
      ...read.flatMap(([wrong]) => wrong),
      ...(debits.equals(of("Credit")) ? [] : [business("Please balance debits and credits.")])
    ],
    () => ({
      ...doc,
      Line: numbered(lines, current),
      TotalAmt: moneyOf(doc, debits),
      HomeTotalAmt: inHome(debits, doc)
    })
  )
}

/** Complaints about the payment or receipt that a line deposits. */
const depositComplaints = (account: Account, line: Doc, self: unknown): ReadonlyArray<Complaint> => {
  const [link] = partsAt(line, "LinkedTxn")
  if (link === undefined)
    return refAt(partAt(line, "DepositLineDetail"), "AccountRef") === undefined
      ? [missing("Line.DepositLineDetail.AccountRef")]
      : []
  const target = account.get(String(link.TxnType), String(link.TxnId))
  if (target === undefined) return [transactionNotFound]
  const isElsewhere = partsAt(target, "LinkedTxn").some(({ TxnId, TxnType }) => TxnType === "Deposit" && TxnId !== self)
  const isInTill = refAt(target, "DepositToAccountRef") === systemAccount(account, "UndepositedFunds")
  return link.TxnType !== "JournalEntry" && (isElsewhere || !isInTill)
    ? [business("The transaction that is linked was deposited already.")]
    : []
}

// https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/deposit
export const deposit: Rule = (account, draft, current) => {
  const { doc } = head(account, draft, undefined)
  const lines = partsAt(draft, "Line")
  const total = sum(lines).minus(amountAt(partAt(draft, "CashBack"), "Amount"))
  const to = typeOf(account, refAt(draft, "DepositToAccountRef")) ?? ""
  return finish(
    [
      ...(lines.length === 0 ? [missing("Line")] : []),
      ...lines.flatMap((line) => depositComplaints(account, line, current?.Id)),
      ...(["Bank", "Other Current Asset"].includes(to) ? [] : [invalidReference("DepositToAccountRef")]),
      ...(total.isNegative() ? [negative] : [])
    ],
    () => ({ ...doc, Line: numbered(lines, current), TotalAmt: moneyOf(doc, total), HomeTotalAmt: inHome(total, doc) })
  )
}

// https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/transfer
export const transfer: Rule = (account, draft) => {
  const { doc } = head(account, draft, undefined)
  const ends = ["FromAccountRef", "ToAccountRef"] as const
  return finish(
    [
      ...ends.flatMap((end) =>
        isOnBalanceSheet(account.get("Account", refAt(draft, end) ?? "") ?? {}) ? [] : [invalidReference(end)]
      ),
      ...(refAt(draft, "FromAccountRef") === refAt(draft, "ToAccountRef")
        ? [business("You can't transfer funds between the same account.")]
        : []),
      ...(amountAt(draft, "Amount").isNegative() ? [negative] : [])
    ],
    () => doc
  )
}

// https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/inventoryadjustment
export const inventoryAdjustment: Rule = (account, draft, current) => {
  const { TxnDate } = head(account, draft, undefined).doc
  const lines = partsAt(draft, "Line")
  return finish(
    [
      ...(lines.length === 0 ? [missing("Line")] : []),
      ...lines.flatMap((line) => {
        const item = account.get("Item", refAt(partAt(line, "ItemAdjustmentLineDetail"), "ItemRef") ?? "")
        return item?.Type === "Inventory" ? [] : [invalidReference("Line.ItemAdjustmentLineDetail.ItemRef")]
      })
    ],
    () => ({ ...draft, TxnDate, Line: numbered(lines, current) })
  )
}
