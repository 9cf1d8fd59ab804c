import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { textAt } from "../../simulation/Docs.ts"
import { type Checked, dayString } from "./Answers.ts"
import { documentFields, documentOf, documentView, nextNumber, type Statuses, statusOf } from "./Documents.ts"
import { day, type Fields, flag, id, one, own, text } from "./Fields.ts"
import { idOf, isWhole, keep, type Kind, names } from "./Kind.ts"
import { plainAccount } from "./LineItems.ts"

// https://developer.xero.com/documentation/api/accounting/purchaseorders

const fields: Fields = {
  ...documentFields,
  PurchaseOrderID: id,
  PurchaseOrderNumber: text(255),
  Type: own(text()),
  Status: one("DRAFT", "SUBMITTED", "AUTHORISED", "BILLED", "DELETED"),
  DeliveryDate: day,
  DeliveryDateString: own(text()),
  ExpectedArrivalDate: day,
  ExpectedArrivalDateString: own(text()),
  SentToContact: flag,
  DeliveryAddress: text(),
  AttentionTo: text(255),
  Telephone: text(255),
  DeliveryInstructions: text(500)
}

const open = ["DRAFT", "SUBMITTED", "AUTHORISED"]

const statuses: Statuses = {
  new: [...open, "BILLED"],
  DRAFT: [...open, "BILLED", "DELETED"],
  SUBMITTED: [...open, "BILLED", "DELETED"],
  AUTHORISED: ["AUTHORISED", "BILLED", "DELETED"],
  BILLED: ["AUTHORISED", "BILLED", "DELETED"]
}

const numbers = names("purchase order number")

const isApproved = (status: unknown) => status === "AUTHORISED" || status === "BILLED"

const complaints = (account: Account, draft: Doc): ReadonlyArray<string> => {
  const owner = numbers.ownerOf(account, textAt(draft, "PurchaseOrderNumber") ?? "")
  return [
    ...(owner !== undefined && owner !== draft.PurchaseOrderID ? ["Order number must be unique"] : []),
    ...(draft.SentToContact === true && !isApproved(draft.Status)
      ? ["Only AUTHORISED and BILLED purchase orders may have SentToContact updated."]
      : [])
  ]
}

const kept = (account: Account, draft: Doc, current: Doc | undefined): Doc => {
  const before = textAt(current ?? {}, "PurchaseOrderNumber")
  const isTaken = (one: string) => numbers.ownerOf(account, one) !== undefined
  const PurchaseOrderNumber = textAt(draft, "PurchaseOrderNumber") ?? nextNumber(account, "PO-", isTaken)
  const gone = draft.Status === "DELETED"
  numbers.move(account, String(draft.PurchaseOrderID), before, gone ? undefined : PurchaseOrderNumber)
  return keep(account, purchaseOrders, { SentToContact: false, ...draft, PurchaseOrderNumber })
}

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> =>
  Either.gen(function* () {
    const Status = yield* statusOf(statuses, given, current, "Purchase order not of valid status for modification")
    if (current !== undefined && Status === "DELETED") return () => kept(account, { ...current, Status }, current)
    const write = yield* documentOf(account, {
      given,
      current,
      own: { Status, PurchaseOrderID: idOf(purchaseOrders, current) },
      rules: { side: "PurchaseDetails", discounts: true, isApproved: false, fits: plainAccount },
      complaints: (draft) => complaints(account, draft)
    })
    return () => kept(account, write(), current)
  })

export const purchaseOrders: Kind = {
  name: "PurchaseOrders",
  entity: "PurchaseOrder",
  id: "PurchaseOrderID",
  fields,
  pages: "always",
  modifiedSince: true,
  where: false,
  parameters: ["status", "dateFrom", "dateTo"],
  listed: (doc, query) =>
    (query.get("status") ?? doc.Status) === doc.Status &&
    (query.get("dateFrom") ?? "") <= String(doc.Date) &&
    (query.get("dateTo") ?? "9999") >= String(doc.Date),
  view: (account, { SentToContact, ...doc }, depth) => ({
    ...documentView(account, doc, depth, doc.PurchaseOrderID, { isOfOrder: true }),
    ...(isWhole(depth) ? { SentToContact } : {}),
    Type: "PURCHASEORDER",
    DeliveryDateString: dayString(doc.DeliveryDate),
    ExpectedArrivalDateString: dayString(doc.ExpectedArrivalDate),
    HasErrors: false
  }),
  named: (account, key) => account.get("PurchaseOrder", numbers.ownerOf(account, key) ?? ""),
  creates: true,
  updates: "both",
  matching: (account, given) =>
    account.get("PurchaseOrder", numbers.ownerOf(account, textAt(given, "PurchaseOrderNumber") ?? "") ?? ""),
  save
}
