import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, partsAt, textAt } from "../../simulation/Docs.ts"
import { systemAccount } from "./Accounts.ts"
import { type Checked, complain } from "./Answers.ts"
import { isFound, listIn } from "./Collections.ts"
import { deals } from "./Contacts.ts"
import { creditsOf, paymentsOf } from "./Credits.ts"
import { documentFields, documentOf, documentView, nextNumber, type Statuses, statusOf } from "./Documents.ts"
import { day, type Fields, flag, id, number, one, own, parts, text } from "./Fields.ts"
import { idOf, isWhole, keep, type Kind, names } from "./Kind.ts"
import { lineSides, post, unpost } from "./Ledger.ts"
import { plainAccount } from "./LineItems.ts"
import { balanced, settlementsOf } from "./Settlements.ts"
import { type Carrier, moveStock, restock, shortages } from "./Stock.ts"

// https://developer.xero.com/documentation/api/accounting/invoices

const fields: Fields = {
  ...documentFields,
  InvoiceID: id,
  Type: one("ACCREC", "ACCPAY"),
  InvoiceNumber: text(255),
  DueDate: day,
  Status: one("DRAFT", "SUBMITTED", "AUTHORISED", "PAID", "VOIDED", "DELETED"),
  SentToContact: flag,
  ExpectedPaymentDate: day,
  PlannedPaymentDate: day,
  RepeatingInvoiceID: own(id),
  CISDeduction: own(number),
  CISRate: own(number),
  Payments: own(parts({})),
  Prepayments: own(parts({})),
  Overpayments: own(parts({})),
  CreditNotes: own(parts({})),
  AmountDue: own(number),
  AmountPaid: own(number),
  AmountCredited: own(number),
  FullyPaidOnDate: own(day)
}

const open = ["DRAFT", "SUBMITTED", "AUTHORISED"]

/** https://developer.xero.com/documentation/api/accounting/types#invoice-status-codes */
const statuses: Statuses = {
  new: open,
  DRAFT: [...open, "DELETED"],
  SUBMITTED: [...open, "DELETED"],
  AUTHORISED: ["AUTHORISED", "VOIDED"],
  PAID: ["PAID"]
}

const numbers = names("invoice number")

const wrongStatus = "Invoice not of valid status for modification"
const settled = "This document cannot be edited as it has a payment or credit note allocated to it."

/** The members that cannot change once a payment exists, as text to compare. */
const fixed = (doc: Doc): string =>
  JSON.stringify([
    doc.ContactID,
    doc.Date,
    doc.CurrencyCode,
    doc.CurrencyRate,
    doc.LineAmountTypes,
    partsAt(doc, "LineItems").map((line) => [
      line.Quantity,
      line.UnitAmount,
      line.LineAmount,
      line.TaxType,
      line.TaxAmount
    ])
  ])

const afterDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

const numberComplaints = (account: Account, draft: Doc): ReadonlyArray<string> => {
  const number = textAt(draft, "InvoiceNumber")
  const owner = number === undefined || draft.Type !== "ACCREC" ? undefined : numbers.ownerOf(account, number)
  return owner === undefined || owner === draft.InvoiceID ? [] : ["Invoice # must be unique."]
}

const complaints = (account: Account, draft: Doc, current: Doc | undefined): ReadonlyArray<string> => [
  ...(draft.Type === undefined ? ["A Type must be specified."] : []),
  ...(current !== undefined && draft.Type !== current.Type ? ["The invoice type cannot be changed."] : []),
  ...(draft.Type === "ACCPAY" && draft.Reference !== undefined
    ? ["Reference is supported on ACCREC invoices only."]
    : []),
  ...(draft.SentToContact === true && !["AUTHORISED", "PAID"].includes(String(draft.Status))
    ? ["Only AUTHORISED and PAID invoices may have SentToContact updated."]
    : []),
  ...numberComplaints(account, draft)
]

const carrier = (doc: Doc): Carrier => ({
  id: String(doc.InvoiceID),
  doc,
  direction: doc.Type === "ACCREC" ? -1 : 1,
  isSale: doc.Type === "ACCREC"
})

const postInvoice = (account: Account, doc: Doc): void => {
  const sign = doc.Type === "ACCREC" ? 1 : -1
  post(
    account,
    {
      id: String(doc.InvoiceID),
      type: String(doc.Type),
      date: String(doc.Date),
      reference: doc.Reference,
      rate: amountAt(doc, "CurrencyRate")
    },
    [
      {
        account: systemAccount(account, doc.Type === "ACCREC" ? "DEBTORS" : "CREDITORS"),
        amount: amountAt(doc, "Total").times(sign)
      },
      ...lineSides(account, doc, doc.Type === "ACCREC" ? -1 : 1),
      ...moveStock(account, carrier(doc))
    ]
  )
}

const end = (account: Account, current: Doc, Status: string): Doc => {
  const doc = keep(account, invoices, balanced("Invoice", { ...current, Status }))
  numbers.move(account, String(doc.InvoiceID), textAt(doc, "InvoiceNumber"), undefined)
  unpost(account, String(doc.InvoiceID))
  restock(account, String(doc.InvoiceID))
  return doc
}

const kept = (account: Account, draft: Doc, current: Doc | undefined): Doc => {
  const owner = String(draft.InvoiceID)
  const isSale = draft.Type === "ACCREC"
  const InvoiceNumber =
    draft.InvoiceNumber ??
    (isSale ? nextNumber(account, "INV-", (one) => numbers.ownerOf(account, one) !== undefined) : undefined)
  const isApproved = draft.Status === "AUTHORISED" || draft.Status === "PAID"
  const doc = keep(
    account,
    invoices,
    balanced("Invoice", {
      SentToContact: false,
      ...draft,
      ...(InvoiceNumber === undefined ? {} : { InvoiceNumber }),
      ...(isApproved ? { DueDate: draft.DueDate ?? afterDays(String(draft.Date), 30) } : {})
    })
  )
  if (isSale) numbers.move(account, owner, textAt(current ?? {}, "InvoiceNumber"), textAt(doc, "InvoiceNumber"))
  deals(account, doc.ContactID, isSale ? "IsCustomer" : "IsSupplier")
  if (isApproved) postInvoice(account, doc)
  return doc
}

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> =>
  Either.gen(function* () {
    const type = given.Type ?? current?.Type
    const isSettled = current !== undefined && settlementsOf(current).length > 0
    if (isSettled && given.Status === "VOIDED") return yield* complain(settled)
    const Status = yield* statusOf(statuses, given, current, wrongStatus)
    if (current !== undefined && (Status === "VOIDED" || Status === "DELETED"))
      return () => end(account, current, Status)
    const write = yield* documentOf(account, {
      given,
      current,
      own: { Status, InvoiceID: idOf(invoices, current) },
      rules: {
        side: type === "ACCREC" ? "SalesDetails" : "PurchaseDetails",
        discounts: type === "ACCREC",
        isApproved: Status !== "DRAFT",
        fits: plainAccount
      },
      complaints: (draft) => complaints(account, draft, current),
      lineComplaints: (doc) => (Status === "AUTHORISED" ? shortages(account, carrier(doc)) : [])
    })
    if (!isSettled) return () => kept(account, write(), current)
    const doc = write()
    return fixed(doc) === fixed(current) ? () => kept(account, doc, current) : yield* complain(settled)
  })

export const invoices: Kind = {
  name: "Invoices",
  entity: "Invoice",
  id: "InvoiceID",
  fields,
  pages: "asked",
  modifiedSince: true,
  parameters: ["IDs", "InvoiceNumbers", "ContactIDs", "Statuses", "includeArchived", "searchTerm"],
  listed: (doc, query) =>
    listIn(query, "IDs")?.includes(String(doc.InvoiceID)) !== false &&
    listIn(query, "InvoiceNumbers")?.includes(String(doc.InvoiceNumber)) !== false &&
    listIn(query, "ContactIDs")?.includes(String(doc.ContactID)) !== false &&
    listIn(query, "Statuses")?.includes(String(doc.Status)) !== false &&
    isFound(doc, ["InvoiceNumber", "Reference"], query),
  view: (account, { AmountCredited, settlements, ...doc }, depth) => {
    const [Payments, CreditNotes] = [
      paymentsOf(account, { settlements }),
      creditsOf(account, { settlements }, "CreditNote")
    ]
    // A single read leaves empty members out.
    const says = (there: boolean) => !isWhole(depth) || there
    return {
      ...documentView(account, doc, depth, doc.InvoiceID),
      ...(says(Payments.length > 0) ? { Payments } : {}),
      ...(says(CreditNotes.length > 0) ? { CreditNotes } : {}),
      ...(says(AmountCredited !== 0) ? { AmountCredited } : {}),
      Prepayments: creditsOf(account, { settlements }, "Prepayment"),
      Overpayments: creditsOf(account, { settlements }, "Overpayment"),
      HasErrors: false
    }
  },
  named: (account, key) => account.get("Invoice", numbers.ownerOf(account, key) ?? ""),
  creates: true,
  updates: "both",
  matching: (account, given) =>
    given.Type === "ACCPAY"
      ? undefined
      : account.get("Invoice", numbers.ownerOf(account, textAt(given, "InvoiceNumber") ?? "") ?? ""),
  save
}
