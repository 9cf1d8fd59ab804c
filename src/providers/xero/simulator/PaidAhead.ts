import { allocationsOf, paymentsOf } from "./Credits.ts"
import { documentFields, documentView } from "./Documents.ts"
import { day, type Fields, id, number, own, parts, text } from "./Fields.ts"
import type { Kind } from "./Kind.ts"

// https://developer.xero.com/documentation/api/accounting/overpayments and .../prepayments

const fields: Fields = {
  ...documentFields,
  ID: own(id),
  Type: text(),
  Status: text(),
  InvoiceNumber: text(),
  RemainingCredit: own(number),
  AppliedAmount: own(number),
  Allocations: own(parts({})),
  Payments: own(parts({})),
  FullyPaidOnDate: own(day)
}

/** Money paid ahead: made by a bank transaction, read and allocated here. */
const ahead = (entity: "Overpayment" | "Prepayment"): Kind => ({
  name: `${entity}s`,
  entity,
  id: `${entity}ID`,
  fields: { ...fields, [`${entity}ID`]: id },
  pages: "asked",
  modifiedSince: true,
  view: (account, { settlements, ...doc }, depth) => ({
    ...documentView(account, doc, depth, doc[`${entity}ID`]),
    ID: doc[`${entity}ID`],
    Payments: paymentsOf(account, { settlements }),
    Allocations: allocationsOf(account, { settlements })
  })
})

export const overpayments = ahead("Overpayment")
export const prepayments = ahead("Prepayment")
