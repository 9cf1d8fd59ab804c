import type { Entity, Row } from "./Entity.ts"
import { entity } from "./Entity.ts"
import { customField } from "./CustomFields.ts"
import { currency, date, type Fields, flag, number, one, part, readOnly, ref, required, text } from "./Fields.ts"
import {
  address,
  adjustmentLines,
  depositLines,
  email,
  globalTax,
  journalLines,
  linked,
  paymentLines,
  purchase,
  purchaseLines,
  sale,
  taxDetail,
  transaction
} from "./Members.ts"

const transactionEntity = (name: string, fields: Fields, filters: ReadonlyArray<string>, more: Partial<Row> = {}) =>
  entity(name, {
    kind: "transaction",
    can: ["create", "update", "delete"],
    filters: ["TxnDate", ...filters],
    defaults: {},
    fields,
    ...more
  })

const cashSale: Fields = {
  ...sale,
  CustomerRef: ref("Customer"),
  PaymentMethodRef: ref("PaymentMethod"),
  PaymentRefNum: text(21)
}

const cashFilters = ["DocNumber", "CustomerRef", "TotalAmt"]

/** An order is owed nothing yet. */
const { Balance: _, ...orderFields } = purchase

/** The documents. */
export const transactions: ReadonlyArray<Entity> = [
  transactionEntity(
    "Invoice",
    {
      ...sale,
      DueDate: date,
      ShipDate: date,
      TrackingNum: text(31),
      Deposit: number,
      DepositToAccountRef: ref("Account")
    },
    ["DocNumber", "DueDate", "CustomerRef", "SalesTermRef", "ProjectRef", "Balance", "TotalAmt"],
    {
      can: ["create", "update", "delete", "void"],
      defaults: { EmailStatus: "NotSet", PrintStatus: "NeedToPrint", ApplyTaxAfterDiscount: false }
    }
  ),
  transactionEntity("CreditMemo", { ...sale, RemainingCredit: readOnly(number) }, ["DocNumber", "CustomerRef"], {
    defaults: { EmailStatus: "NotSet", PrintStatus: "NeedToPrint", ApplyTaxAfterDiscount: false }
  }),
  transactionEntity(
    "Bill",
    {
      ...purchase,
      SalesTermRef: ref("Term"),
      DueDate: date,
      HomeBalance: readOnly(number),
      // links to payments come back with what was read, and are Intuit's
      LinkedTxn: linked("PurchaseOrder", "BillPaymentCheck", "BillPaymentCreditCard")
    },
    ["DocNumber", "DueDate", "VendorRef", "SalesTermRef", "APAccountRef", "Balance", "TotalAmt"]
  ),
  transactionEntity("VendorCredit", purchase, ["DocNumber", "VendorRef", "APAccountRef"]),
  transactionEntity(
    "Payment",
    {
      ...transaction,
      CustomerRef: required(ref("Customer")),
      ARAccountRef: ref("Account"),
      DepositToAccountRef: ref("Account"),
      PaymentMethodRef: ref("PaymentMethod"),
      PaymentRefNum: text(21),
      TotalAmt: required(number),
      UnappliedAmt: readOnly(number),
      ProcessPayment: flag,
      Line: paymentLines("Invoice", "CreditMemo", "JournalEntry")
    },
    ["CustomerRef", "TotalAmt"],
    { can: ["create", "update", "delete", "void update"], defaults: { ProcessPayment: false } }
  ),
  transactionEntity(
    "BillPayment",
    {
      ...transaction,
      VendorRef: required(ref("Vendor")),
      APAccountRef: ref("Account"),
      PayType: required(one("Check", "CreditCard")),
      CheckPayment: part("BillPaymentCheck", {
        BankAccountRef: required(ref("Account")),
        PrintStatus: one("NotSet", "NeedToPrint", "PrintComplete")
      }),
      CreditCardPayment: part("BillPaymentCreditCard", { CCAccountRef: required(ref("Account")) }),
      TotalAmt: required(number),
      Line: required(paymentLines("Bill", "VendorCredit", "JournalEntry"))
    },
    ["DocNumber", "VendorRef", "APAccountRef"],
    { can: ["create", "update", "delete", "void update"] }
  ),
  transactionEntity(
    "JournalEntry",
    {
      ...transaction,
      Adjustment: flag,
      HomeTotalAmt: readOnly(number),
      Line: required(journalLines),
      TxnTaxDetail: readOnly(taxDetail),
      GlobalTaxCalculation: globalTax
    },
    ["DocNumber", "TotalAmt"],
    { defaults: { Adjustment: false } }
  ),
  transactionEntity(
    "Purchase",
    {
      ...transaction,
      AccountRef: required(ref("Account")),
      PaymentType: required(one("Cash", "Check", "CreditCard")),
      EntityRef: ref("Vendor", "Customer", "Employee"),
      PaymentMethodRef: ref("PaymentMethod"),
      PaymentRefNum: text(21),
      Credit: flag,
      RemitToAddr: address,
      PrintStatus: one("NotSet", "NeedToPrint", "PrintComplete"),
      Line: required(purchaseLines),
      TxnTaxDetail: readOnly(taxDetail),
      GlobalTaxCalculation: globalTax
    },
    ["DocNumber", "PaymentType", "TotalAmt"],
    { defaults: { Credit: false } }
  ),
  transactionEntity(
    "PurchaseOrder",
    {
      ...orderFields,
      CustomField: customField,
      SalesTermRef: ref("Term"),
      DueDate: date,
      ExpectedDate: date,
      ShipTo: ref("Customer"),
      ShipAddr: address,
      ClassRef: ref("Class"),
      Memo: text(4000),
      POEmail: email,
      EmailStatus: one("NotSet", "NeedToSend", "EmailSent"),
      POStatus: one("Open", "Closed")
    },
    ["DocNumber", "DueDate"],
    { defaults: { EmailStatus: "NotSet", POStatus: "Open" } }
  ),
  transactionEntity("SalesReceipt", { ...cashSale, DepositToAccountRef: ref("Account") }, cashFilters, {
    can: ["create", "update", "delete", "void update"],
    defaults: { EmailStatus: "NotSet", PrintStatus: "NeedToPrint", ApplyTaxAfterDiscount: false }
  }),
  transactionEntity("RefundReceipt", { ...cashSale, DepositToAccountRef: required(ref("Account")) }, cashFilters, {
    defaults: { PrintStatus: "NeedToPrint", ApplyTaxAfterDiscount: false }
  }),
  transactionEntity(
    "Deposit",
    {
      ...transaction,
      DepositToAccountRef: required(ref("Account")),
      CashBack: part("CashBackInfo", {
        AccountRef: required(ref("Account")),
        Amount: required(number),
        Memo: text(4000)
      }),
      Line: required(depositLines),
      HomeTotalAmt: readOnly(number),
      GlobalTaxCalculation: globalTax
    },
    ["TotalAmt"]
  ),
  entity("Transfer", {
    kind: "transaction",
    can: ["create", "update", "delete"],
    fields: {
      TxnDate: date,
      CurrencyRef: currency,
      ExchangeRate: number,
      PrivateNote: text(4000),
      FromAccountRef: required(ref("Account")),
      ToAccountRef: required(ref("Account")),
      Amount: required(number)
    },
    filters: ["TxnDate"],
    defaults: {}
  }),
  entity("InventoryAdjustment", {
    kind: "transaction",
    can: ["create", "update", "delete"],
    fields: {
      DocNumber: text(21),
      TxnDate: date,
      DepartmentRef: ref("Department"),
      PrivateNote: text(4000),
      AdjustAccountRef: required(ref("Account")),
      Line: required(adjustmentLines)
    },
    filters: ["TxnDate"],
    defaults: {}
  })
]
