import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, money, partsAt } from "../../simulation/Docs.ts"
import { accountIn, systemAccount } from "./Accounts.ts"
import { type Checked, complain } from "./Answers.ts"
import { type Statuses, statusOf } from "./Documents.ts"
import { common, day, type Fields, flag, id, number, one, own, parts, text } from "./Fields.ts"
import { cleared, idOf, keep, type Kind } from "./Kind.ts"
import { post, unpost } from "./Ledger.ts"
import { plainAccount, taxOf, trackingFields } from "./LineItems.ts"
import { regionOf, today } from "./Organisation.ts"
import { trackingOf, trackingView } from "./Tracking.ts"

// https://developer.xero.com/documentation/api/accounting/manualjournals

const fields: Fields = {
  ...common,
  ManualJournalID: id,
  Narration: text(4000),
  JournalLines: parts({
    LineAmount: number,
    AccountCode: text(),
    AccountID: id,
    Description: text(4000),
    TaxType: text(),
    Tracking: parts(trackingFields),
    TaxAmount: own(number),
    IsBlank: own(flag),
    ValidationErrors: own(parts({}))
  }),
  Date: day,
  LineAmountTypes: one("Exclusive", "Inclusive", "NoTax"),
  Status: one("DRAFT", "POSTED", "DELETED", "VOIDED", "ARCHIVED"),
  Url: text(),
  ShowOnCashBasisReports: flag
}

const statuses: Statuses = {
  new: ["DRAFT", "POSTED"],
  DRAFT: ["DRAFT", "POSTED", "DELETED"],
  POSTED: ["POSTED", "VOIDED"]
}

const lineOf = (account: Account, line: Doc, lineAmountTypes: string): Checked<Doc> =>
  Either.gen(function* () {
    const named = accountIn(account, line)
    const code = String(line.AccountCode ?? line.AccountID)
    if (named === undefined || named.Status !== "ACTIVE")
      return yield* complain(`Account code '${code}' is not a valid code`)
    if (!plainAccount(named)) return yield* complain(`Account code '${code}' is not a valid code for this document.`)
    if (typeof line.LineAmount !== "number") return yield* complain("A journal line must have a LineAmount.")
    const TaxType = lineAmountTypes === "NoTax" ? regionOf(account).usual.none : (line.TaxType ?? named.TaxType)
    if (account.get("TaxRate", String(TaxType))?.Status !== "ACTIVE") {
      return yield* complain(`The TaxType code '${String(TaxType)}' does not exist or cannot be used here.`)
    }
    const amount = amountAt(line, "LineAmount")
    return compact({
      Description: line.Description === "" ? undefined : line.Description,
      AccountID: named.AccountID,
      LineAmount: money(amount),
      TaxType,
      TaxAmount: taxOf(account, String(TaxType), amount, lineAmountTypes === "Inclusive"),
      Tracking: yield* trackingOf(account, partsAt(line, "Tracking")),
      IsBlank: false
    })
  })

/** The amount of a line with its tax. */
const gross = (line: Doc, lineAmountTypes: unknown): Decimal =>
  lineAmountTypes === "Exclusive"
    ? amountAt(line, "LineAmount").plus(amountAt(line, "TaxAmount"))
    : amountAt(line, "LineAmount")

const balanceComplaints = (lines: ReadonlyArray<Doc>, lineAmountTypes: unknown): ReadonlyArray<string> => {
  const all = lines.map((line) => gross(line, lineAmountTypes))
  const sum = (list: ReadonlyArray<Decimal>) => list.reduce((total, one) => total.plus(one), new Decimal(0))
  const debits = sum(all.filter((one) => one.isPositive()))
  const credits = sum(all.filter((one) => one.isNegative()))
  return debits.plus(credits).isZero()
    ? []
    : [`The total debits (${debits.toFixed(2)}) must equal total credits (${credits.toFixed(2)})`]
}

const postJournal = (account: Account, doc: Doc): void => {
  const lines = partsAt(doc, "JournalLines")
  const tax = lines.reduce((sum, line) => sum.plus(amountAt(line, "TaxAmount")), new Decimal(0))
  const source = {
    id: String(doc.ManualJournalID),
    type: "MANJOURNAL",
    date: String(doc.Date),
    reference: doc.Narration,
    rate: new Decimal(1)
  }
  post(account, source, [
    ...lines.map((line) => ({
      account: String(line.AccountID),
      amount: gross(line, doc.LineAmountTypes).minus(amountAt(line, "TaxAmount")),
      tax: amountAt(line, "TaxAmount"),
      line
    })),
    { account: systemAccount(account, "GST"), amount: tax }
  ])
}

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> =>
  Either.gen(function* () {
    const Status = yield* statusOf(statuses, given, current, "Manual journal not of valid status for modification")
    if (current !== undefined && (Status === "DELETED" || Status === "VOIDED")) {
      return () => {
        unpost(account, String(current.ManualJournalID))
        return keep(account, manualJournals, { ...current, Status })
      }
    }
    const draft: Doc = cleared({
      Date: today(account),
      LineAmountTypes: "NoTax",
      ShowOnCashBasisReports: true,
      ...current,
      ...given,
      Status,
      ManualJournalID: idOf(manualJournals, current)
    })
    if (draft.Narration === undefined) return yield* complain("Narration must be specified.")
    const lineAmountTypes = String(draft.LineAmountTypes)
    const JournalLines = yield* Either.all(
      partsAt(draft, "JournalLines").map((line) => lineOf(account, line, lineAmountTypes))
    )
    if (JournalLines.length < 2) return yield* complain("A manual journal must have at least two journal lines.")
    const messages = balanceComplaints(JournalLines, lineAmountTypes)
    if (messages.length > 0) return yield* complain(...messages)
    return () => {
      const doc = keep(account, manualJournals, { ...draft, JournalLines })
      if (Status === "POSTED") postJournal(account, doc)
      return doc
    }
  })

export const manualJournals: Kind = {
  name: "ManualJournals",
  entity: "ManualJournal",
  id: "ManualJournalID",
  fields,
  pages: "asked",
  modifiedSince: true,
  view: (account, { JournalLines, ...doc }, depth) => ({
    ...doc,
    JournalLines:
      depth === "list"
        ? []
        : partsAt({ JournalLines }, "JournalLines").map((line) => ({
            ...line,
            AccountCode: account.get("Account", String(line.AccountID))?.Code,
            Tracking: trackingView(account, partsAt(line, "Tracking"), depth)
          })),
    HasAttachments: account.get("attached", String(doc.ManualJournalID)) !== undefined
  }),
  creates: true,
  updates: "both",
  save
}
