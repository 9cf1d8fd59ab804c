import {
  date,
  type Field,
  type Fields,
  fixed,
  flag,
  list,
  number,
  one,
  readOnly,
  ref,
  required,
  text
} from "./Fields.ts"
import { itemTypes } from "./Items.ts"
import { recordType, type RecordType } from "./RecordType.ts"

const segments: Fields = { class: ref("classification"), department: ref("department"), location: ref("location") }
export const taxCode = ref("salesTaxItem", "taxGroup")

/** Fields of every transaction. */
export const head: Fields = {
  tranDate: date,
  tranId: text(45),
  transactionNumber: readOnly(text()),
  memo: text(999),
  postingPeriod: ref("accountingPeriod"),
  ...segments,
  custbody_project_code: text(40)
}

export const foreign: Fields = {
  subsidiary: ref("subsidiary"),
  currency: fixed(ref("currency")),
  exchangeRate: number
}

export const approval = one({ "1": "Pending Approval", "2": "Approved", "3": "Rejected" })

/** A state, which queries know by its letter and answers of records by its name. */
export const status = (of: { readonly [letter: string]: string }): Field => readOnly({ kind: "one", of, isNamed: true })

export const line: Fields = { line: readOnly(number), ...segments, custcol_batch: text(40) }

/** Item types, which answers have as id and name. */
const kind: Field = { kind: "text", max: 30, isReference: true }

const itemLine: Fields = {
  ...line,
  item: required(ref(...itemTypes)),
  itemType: readOnly(kind),
  description: text(4000),
  quantity: number,
  units: ref("unit"),
  rate: number,
  amount: number,
  taxCode,
  taxRate1: readOnly(number),
  tax1Amt: readOnly(number),
  grossAmt: readOnly(number),
  orderDoc: ref("purchaseOrder", "salesOrder"),
  orderLine: number
}

export const saleLine: Fields = {
  ...itemLine,
  price: ref("priceLevel"),
  account: readOnly(ref("account")),
  job: ref("job"),
  isTaxable: flag,
  costEstimate: readOnly(number)
}

export const purchaseLine: Fields = {
  ...itemLine,
  customer: ref("customer", "job"),
  isBillable: flag,
  vendorName: text(60)
}

export const expenseLine: Fields = {
  ...line,
  account: ref("account"),
  category: ref("expenseCategory"),
  memo: text(4000),
  amount: required(number),
  taxCode,
  taxRate1: readOnly(number),
  tax1Amt: readOnly(number),
  grossAmt: readOnly(number),
  customer: ref("customer", "job"),
  isBillable: flag,
  orderDoc: ref("purchaseOrder"),
  orderLine: number
}

export const orderLine: Fields = { isClosed: flag, isOpen: readOnly(flag), quantityBilled: readOnly(number) }

const totals: Fields = { taxTotal: readOnly(number), total: readOnly(number) }

export const sale: Fields = {
  ...head,
  ...foreign,
  entity: required(fixed(ref("customer", "job"))),
  job: ref("job"),
  terms: ref("term"),
  salesRep: ref("employee"),
  otherRefNum: text(45),
  email: text(254),
  message: text(4000),
  toBeEmailed: flag,
  toBePrinted: flag,
  billAddress: text(999),
  shipAddress: text(999),
  discountItem: ref("discountItem"),
  discountRate: number,
  discountTotal: readOnly(number),
  subtotal: readOnly(number),
  ...totals,
  createdFrom: ref("salesOrder", "invoice"),
  shippingCost: number,
  handlingCost: number,
  item: list("line", saleLine)
}

export const purchase: Fields = {
  ...head,
  ...foreign,
  entity: required(fixed(ref("vendor"))),
  terms: ref("term"),
  billAddress: text(999),
  ...totals,
  createdFrom: ref("purchaseOrder", "vendorBill"),
  expense: list("line", expenseLine),
  item: list("line", purchaseLine)
}

export const apply = (...to: ReadonlyArray<string>): Field =>
  list("doc", {
    doc: required(ref(...to)),
    line: readOnly(number),
    apply: flag,
    amount: number,
    applyDate: readOnly(date),
    due: readOnly(number),
    total: readOnly(number),
    type: readOnly(text()),
    refNum: readOnly(text()),
    currency: readOnly(text())
  })

export const transaction = (name: string, code: string, fields: Fields): RecordType =>
  recordType("transaction", name, { code, fields })
