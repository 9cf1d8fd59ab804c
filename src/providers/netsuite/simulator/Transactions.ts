import { address } from "./Entities.ts"
import { date, fixed, flag, list, number, one, readOnly, ref, required, text } from "./Fields.ts"
import { itemTypes } from "./Items.ts"
import { titles } from "./Labels.ts"
import { movements } from "./Movements.ts"
import type { RecordType } from "./RecordType.ts"
import {
  apply,
  approval,
  expenseLine,
  foreign,
  head,
  line,
  orderLine,
  purchase,
  purchaseLine,
  sale,
  saleLine,
  status,
  taxCode,
  transaction
} from "./TransactionFields.ts"

const openOrPaid = { A: "Open", B: "Paid In Full" }
const purchaseOrderStates = {
  A: "Pending Supervisor Approval",
  B: "Pending Receipt",
  C: "Rejected by Supervisor",
  D: "Partially Received",
  E: "Pending Billing/Partially Received",
  F: "Pending Bill",
  G: "Fully Billed",
  H: "Closed"
}
const applied = { A: "Open", B: "Fully Applied", V: "Voided" }

export const transactions: ReadonlyArray<RecordType> = [
  transaction("invoice", "CustInvc", {
    ...sale,
    account: ref("account"),
    dueDate: date,
    shipDate: date,
    approvalStatus: approval,
    status: status({ ...openOrPaid, D: "Pending Approval", E: "Rejected", V: "Voided" }),
    amountPaid: readOnly(number),
    amountRemaining: readOnly(number)
  }),
  transaction("creditMemo", "CustCred", {
    ...sale,
    account: ref("account"),
    status: status(applied),
    applied: readOnly(number),
    unapplied: readOnly(number),
    amountRemaining: readOnly(number),
    apply: apply("invoice")
  }),
  transaction("customerPayment", "CustPymt", {
    ...head,
    ...foreign,
    customer: required(fixed(ref("customer", "job"))),
    arAcct: ref("account"),
    account: ref("account"),
    undepFunds: one({ false: "false", true: "true" }),
    payment: number,
    paymentOption: ref("paymentMethod"),
    checkNumber: text(45),
    autoApply: flag,
    applied: readOnly(number),
    unapplied: readOnly(number),
    pending: readOnly(number),
    balance: readOnly(number),
    total: readOnly(number),
    status: status({ B: "Not Deposited", C: "Deposited", V: "Voided" }),
    apply: apply("invoice")
  }),
  transaction("vendorBill", "VendBill", {
    ...purchase,
    account: ref("account"),
    dueDate: date,
    approvalStatus: approval,
    paymentHold: flag,
    received: flag,
    userTotal: number,
    status: status({ ...openOrPaid, C: "Cancelled", D: "Pending Approval", E: "Rejected", F: "Payment In-Transit" }),
    balance: readOnly(number)
  }),
  transaction("vendorCredit", "VendCred", {
    ...purchase,
    account: ref("account"),
    autoApply: flag,
    userTotal: number,
    applied: readOnly(number),
    unapplied: readOnly(number),
    status: status(applied),
    apply: apply("vendorBill")
  }),
  transaction("vendorPayment", "VendPymt", {
    ...head,
    ...foreign,
    entity: required(fixed(ref("vendor", "employee"))),
    account: required(ref("account")),
    apAcct: ref("account"),
    approvalStatus: approval,
    toBePrinted: flag,
    balance: readOnly(number),
    total: readOnly(number),
    unapplied: readOnly(number),
    status: status({ F: "Approved", D: "Pending Approval", V: "Voided" }),
    apply: apply("vendorBill", "expenseReport")
  }),
  transaction("purchaseOrder", "PurchOrd", {
    ...purchase,
    shippingAddress: address,
    employee: ref("employee"),
    shipTo: ref("customer"),
    shipAddress: text(999),
    shipDate: date,
    duedate: date,
    otherRefNum: text(45),
    message: text(4000),
    approvalStatus: approval,
    orderStatus: readOnly(one(purchaseOrderStates)),
    status: status(purchaseOrderStates),
    subtotal: readOnly(number),
    expense: list("line", { ...expenseLine, ...orderLine }),
    item: list("line", { ...purchaseLine, ...orderLine, expectedReceiptDate: date })
  }),
  transaction("salesOrder", "SalesOrd", {
    ...sale,
    shippingAddress: address,
    shipDate: date,
    shipComplete: flag,
    orderStatus: one({
      A: "Pending Approval",
      B: "Pending Fulfillment",
      C: "Cancelled",
      D: "Partially Fulfilled",
      E: "Pending Billing/Partially Fulfilled",
      F: "Pending Billing",
      G: "Billed",
      H: "Closed"
    }),
    status: status({
      A: "Pending Approval",
      B: "Pending Fulfillment",
      C: "Cancelled",
      D: "Partially Fulfilled",
      E: "Pending Billing/Partially Fulfilled",
      F: "Pending Billing",
      G: "Billed",
      H: "Closed"
    }),
    item: list("line", { ...saleLine, ...orderLine, quantityFulfilled: readOnly(number), expectedShipDate: date })
  }),
  transaction("journalEntry", "Journal", {
    ...head,
    ...foreign,
    subsidiary: required(fixed(ref("subsidiary"))),
    approvalStatus: approval,
    approved: readOnly(flag),
    reversalDate: date,
    reversalDefer: flag,
    isReversal: readOnly(flag),
    line: list("line", {
      ...line,
      account: required(ref("account")),
      debit: number,
      credit: number,
      memo: text(4000),
      entity: ref("customer", "vendor", "employee", "job"),
      taxCode,
      eliminate: flag
    })
  }),
  transaction("check", "Check", {
    ...purchase,
    entity: ref("vendor", "customer", "employee", "job"),
    account: required(ref("account")),
    payeeaddress_text: text(999),
    toBePrinted: flag,
    userTotal: number,
    status: status({ "?": "Undefined" })
  }),
  transaction("creditCardCharge", "CardChrg", {
    ...purchase,
    entity: required(ref("vendor", "customer", "employee")),
    account: required(ref("account")),
    userTotal: number,
    status: status({ "?": "Undefined" })
  }),
  transaction("expenseReport", "ExpRept", {
    ...head,
    subsidiary: ref("subsidiary"),
    entity: required(fixed(ref("employee"))),
    account: ref("account"),
    expensereportcurrency: ref("currency"),
    expensereportexchangerate: number,
    usemulticurrency: flag,
    duedate: date,
    approvalStatus: approval,
    complete: flag,
    supervisorapproval: flag,
    accountingapproval: flag,
    advance: number,
    amount: readOnly(number),
    total: readOnly(number),
    reimbursable: readOnly(number),
    nonreimbursable: readOnly(number),
    status: status({
      A: "In Progress",
      B: "Pending Supervisor Approval",
      C: "Pending Accounting Approval",
      D: "Rejected by Supervisor",
      E: "Rejected by Accounting",
      F: "Approved by Accounting",
      G: "Approved (Overridden) by Accounting",
      H: "Rejected (Overridden) by Accounting",
      I: "Paid In Full",
      J: "Payment In-Transit",
      V: "Voided"
    }),
    expense: list("line", {
      ...line,
      expensedate: date,
      category: ref("expenseCategory"),
      expenseaccount: ref("account"),
      memo: text(4000),
      quantity: number,
      rate: number,
      foreignamount: number,
      amount: number,
      currency: ref("currency"),
      exchangerate: number,
      taxcode: taxCode,
      customer: ref("customer", "job"),
      isbillable: flag,
      isnonreimbursable: flag,
      receipt: flag
    })
  }),
  transaction("itemFulfillment", "ItemShip", {
    ...head,
    subsidiary: readOnly(ref("subsidiary")),
    entity: readOnly(ref("customer", "job")),
    createdFrom: required(fixed(ref("salesOrder"))),
    shipStatus: one({ A: "Picked", B: "Packed", C: "Shipped" }),
    status: status({ A: "Picked", B: "Packed", C: "Shipped" }),
    shipAddress: text(999),
    shippedDate: date,
    packageCount: readOnly(number),
    item: list("orderLine", {
      ...line,
      orderLine: required(number),
      item: readOnly(ref(...itemTypes)),
      itemreceive: flag,
      description: readOnly(text()),
      quantity: number,
      quantityRemaining: readOnly(number)
    })
  }),
  ...movements
]

/** Titles of transactions, by code. */
export const titleOfCode: ReadonlyMap<string, string> = new Map(
  transactions.map(({ code, name }) => [code, titles[name] ?? name])
)
