import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, textAt } from "../../simulation/Docs.ts"
import { systemAccount } from "./Accounts.ts"
import { type Checked, complain } from "./Answers.ts"
import { allocationsOf, isSales, paymentsOf } from "./Credits.ts"
import { documentFields, documentOf, documentView, nextNumber, type Statuses, statusOf } from "./Documents.ts"
import { day, type Fields, flag, id, number, one, own, parts, text } from "./Fields.ts"
import { idOf, keep, type Kind, names } from "./Kind.ts"
import { lineSides, post, unpost } from "./Ledger.ts"
import { plainAccount } from "./LineItems.ts"
import { balanced, settlementsOf } from "./Settlements.ts"
import { type Carrier, moveStock, restock, shortages } from "./Stock.ts"

// https://developer.xero.com/documentation/api/accounting/creditnotes

const fields: Fields = {
  ...documentFields,
  CreditNoteID: id,
  ID: own(id),
  Type: one("ACCRECCREDIT", "ACCPAYCREDIT"),
  CreditNoteNumber: text(255),
  DueDate: day,
  Status: one("DRAFT", "SUBMITTED", "AUTHORISED", "PAID", "VOIDED", "DELETED"),
  SentToContact: own(flag),
  CISDeduction: own(number),
  CISRate: own(number),
  RemainingCredit: own(number),
  AppliedAmount: own(number),
  Allocations: own(parts({})),
  Payments: own(parts({})),
  FullyPaidOnDate: own(day)
}

const open = ["DRAFT", "SUBMITTED", "AUTHORISED"]

const statuses: Statuses = {
  new: open,
  DRAFT: [...open, "DELETED"],
  SUBMITTED: [...open, "DELETED"],
  AUTHORISED: ["AUTHORISED", "VOIDED"]
}

const numbers = names("credit note number")

const complaints = (account: Account, draft: Doc, current: Doc | undefined): ReadonlyArray<string> => {
  const number = textAt(draft, "CreditNoteNumber")
  const owner = number === undefined || !isSales(draft) ? undefined : numbers.ownerOf(account, number)
  return [
    ...(draft.Type === undefined ? ["A Type must be specified."] : []),
    ...(current !== undefined && draft.Type !== current.Type ? ["The credit note type cannot be changed."] : []),
    ...(draft.Type === "ACCPAYCREDIT" && draft.Reference !== undefined
      ? ["Reference is supported on ACCRECCREDIT credit notes only."]
      : []),
    ...(owner !== undefined && owner !== draft.CreditNoteID ? ["Credit note # must be unique."] : [])
  ]
}

const carrier = (doc: Doc): Carrier => ({
  id: String(doc.CreditNoteID),
  doc,
  direction: isSales(doc) ? 1 : -1,
  isSale: isSales(doc)
})

const postCredit = (account: Account, doc: Doc): void => {
  const sign = isSales(doc) ? 1 : -1
  const source = {
    id: String(doc.CreditNoteID),
    type: String(doc.Type),
    date: String(doc.Date),
    reference: doc.Reference,
    rate: amountAt(doc, "CurrencyRate")
  }
  const control = systemAccount(account, isSales(doc) ? "DEBTORS" : "CREDITORS")
  post(account, source, [
    { account: control, amount: amountAt(doc, "Total").times(-sign) },
    ...lineSides(account, doc, isSales(doc) ? 1 : -1),
    ...moveStock(account, carrier(doc))
  ])
}

const end = (account: Account, current: Doc, Status: string): Doc => {
  const doc = keep(account, creditNotes, balanced("CreditNote", { ...current, Status }))
  numbers.move(account, String(doc.CreditNoteID), textAt(doc, "CreditNoteNumber"), undefined)
  unpost(account, String(doc.CreditNoteID))
  restock(account, String(doc.CreditNoteID))
  return doc
}

const kept = (account: Account, draft: Doc, current: Doc | undefined): Doc => {
  const isTaken = (one: string) => numbers.ownerOf(account, one) !== undefined
  const CreditNoteNumber = draft.CreditNoteNumber ?? (isSales(draft) ? nextNumber(account, "CN-", isTaken) : undefined)
  const named = { ...draft, ...(CreditNoteNumber === undefined ? {} : { CreditNoteNumber }) }
  const doc = keep(account, creditNotes, balanced("CreditNote", named))
  if (isSales(doc)) {
    const before = textAt(current ?? {}, "CreditNoteNumber")
    numbers.move(account, String(doc.CreditNoteID), before, textAt(doc, "CreditNoteNumber"))
  }
  if (doc.Status === "AUTHORISED" || doc.Status === "PAID") postCredit(account, doc)
  return doc
}

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> =>
  Either.gen(function* () {
    if (current !== undefined && settlementsOf(current).length > 0) {
      return yield* complain("This document cannot be edited as it has a payment or credit note allocated to it.")
    }
    const Status = yield* statusOf(statuses, given, current, "Credit note not of valid status for modification")
    if (current !== undefined && (Status === "VOIDED" || Status === "DELETED"))
      return () => end(account, current, Status)
    const write = yield* documentOf(account, {
      given,
      current,
      own: { Status, CreditNoteID: idOf(creditNotes, current) },
      rules: {
        side: (given.Type ?? current?.Type) === "ACCRECCREDIT" ? "SalesDetails" : "PurchaseDetails",
        discounts: false,
        isApproved: Status !== "DRAFT",
        fits: plainAccount
      },
      complaints: (draft) => complaints(account, draft, current),
      lineComplaints: (doc) => (Status === "AUTHORISED" ? shortages(account, carrier(doc)) : [])
    })
    return () => kept(account, write(), current)
  })

export const creditNotes: Kind = {
  name: "CreditNotes",
  entity: "CreditNote",
  id: "CreditNoteID",
  fields,
  pages: "asked",
  modifiedSince: true,
  view: (account, { settlements, ...doc }, depth) => ({
    ...documentView(account, doc, depth, doc.CreditNoteID),
    ID: doc.CreditNoteID,
    Payments: paymentsOf(account, { settlements }),
    Allocations: allocationsOf(account, { settlements }),
    HasErrors: false
  }),
  named: (account, key) => account.get("CreditNote", numbers.ownerOf(account, key) ?? ""),
  creates: true,
  updates: "both",
  matching: (account, given) =>
    given.Type === "ACCPAYCREDIT"
      ? undefined
      : account.get("CreditNote", numbers.ownerOf(account, textAt(given, "CreditNoteNumber") ?? "") ?? ""),
  save
}
