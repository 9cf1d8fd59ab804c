import { customField } from "./CustomFields.ts"
import { currency, date, type Fields, flag, number, one, part, parts, readOnly, ref, required, text } from "./Fields.ts"

// Parts. https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer and its siblings.

export const address = part("PhysicalAddress", {
  Id: readOnly(text()),
  Line1: text(500),
  Line2: text(500),
  Line3: text(500),
  Line4: text(500),
  Line5: text(500),
  City: text(255),
  Country: text(255),
  CountryCode: text(),
  CountrySubDivisionCode: text(255),
  PostalCode: text(30),
  Lat: text(),
  Long: text(),
  Note: text()
})
export const phone = part("TelephoneNumber", { FreeFormNumber: text(30) })
export const email = part("EmailAddress", { Address: text(100) })
export const web = part("WebSiteAddress", { URI: text(1000) })
const memo = part("MemoRef", { value: text(1000) })
export const linked = (...types: ReadonlyArray<string>) =>
  parts("LinkedTxn", { TxnId: required(text()), TxnType: required(one(...types)), TxnLineId: text() })
const links = readOnly(parts("LinkedTxn", { TxnId: text(), TxnType: text(), TxnLineId: text() }))
export const nameValues = parts("NameValue", { Name: text(), Value: text() })

const itemDetail: Fields = {
  ItemRef: ref("Item"),
  ClassRef: ref("Class"),
  UnitPrice: number,
  Qty: number,
  TaxCodeRef: ref("TaxCode"),
  ItemAccountRef: readOnly(ref("Account")),
  TaxInclusiveAmt: number,
  ServiceDate: date
}
const billable = one("Billable", "NotBillable", "HasBeenBilled")

const line = (details: Fields, types: ReadonlyArray<string>) =>
  parts("Line", {
    Id: text(),
    LineNum: number,
    Description: text(4000),
    Amount: number,
    DetailType: required(one(...types)),
    LinkedTxn: links,
    ProjectRef: ref("Customer"),
    ...details
  })

const salesLines = line(
  {
    SalesItemLineDetail: part("SalesItemLineDetail", itemDetail),
    GroupLineDetail: part("GroupLineDetail", {
      GroupItemRef: required(ref("Item")),
      Quantity: number,
      ServiceDate: date,
      Line: line({ SalesItemLineDetail: part("SalesItemLineDetail", itemDetail) }, ["SalesItemLineDetail"])
    }),
    DiscountLineDetail: part("DiscountLineDetail", {
      PercentBased: flag,
      DiscountPercent: number,
      DiscountAccountRef: ref("Account"),
      ClassRef: ref("Class"),
      TaxCodeRef: ref("TaxCode")
    }),
    DescriptionLineDetail: part("DescriptionLineDetail", { ServiceDate: date, TaxCodeRef: ref("TaxCode") }),
    SubTotalLineDetail: part("SubTotalLineDetail", { ItemRef: ref("Item") })
  },
  ["SalesItemLineDetail", "GroupLineDetail", "DiscountLineDetail", "DescriptionOnly", "SubTotalLineDetail"]
)

export const purchaseLines = line(
  {
    AccountBasedExpenseLineDetail: part("AccountBasedExpenseLineDetail", {
      AccountRef: required(ref("Account")),
      CustomerRef: ref("Customer"),
      ClassRef: ref("Class"),
      BillableStatus: billable,
      TaxCodeRef: ref("TaxCode"),
      TaxAmount: readOnly(number),
      TaxInclusiveAmt: number
    }),
    ItemBasedExpenseLineDetail: part("ItemBasedExpenseLineDetail", {
      ...itemDetail,
      ItemRef: required(ref("Item")),
      CustomerRef: ref("Customer"),
      BillableStatus: billable
    })
  },
  ["AccountBasedExpenseLineDetail", "ItemBasedExpenseLineDetail"]
)

export const paymentLines = (...types: ReadonlyArray<string>) =>
  parts("Line", { Amount: required(number), LinkedTxn: required(linked(...types)) })

export const journalLines = line(
  {
    JournalEntryLineDetail: part("JournalEntryLineDetail", {
      PostingType: required(one("Debit", "Credit")),
      AccountRef: required(ref("Account")),
      Entity: part("EntityTypeRef", {
        Type: required(one("Customer", "Vendor", "Employee")),
        EntityRef: required(ref("Customer", "Vendor", "Employee"))
      }),
      ClassRef: ref("Class"),
      DepartmentRef: ref("Department"),
      TaxCodeRef: ref("TaxCode"),
      BillableStatus: billable
    }),
    DescriptionLineDetail: part("DescriptionLineDetail", { ServiceDate: date })
  },
  ["JournalEntryLineDetail", "DescriptionOnly"]
)

export const depositLines = parts("Line", {
  Id: text(),
  LineNum: number,
  Description: text(4000),
  Amount: required(number),
  DetailType: one("DepositLineDetail"),
  LinkedTxn: linked("Payment", "SalesReceipt", "JournalEntry"),
  DepositLineDetail: part("DepositLineDetail", {
    AccountRef: ref("Account"),
    Entity: ref("Customer", "Vendor", "Employee"),
    ClassRef: ref("Class"),
    PaymentMethodRef: ref("PaymentMethod"),
    CheckNum: text(21),
    TaxCodeRef: ref("TaxCode")
  })
})

export const adjustmentLines = parts("Line", {
  Id: text(),
  LineNum: number,
  Description: text(4000),
  DetailType: required(one("ItemAdjustmentLineDetail")),
  ItemAdjustmentLineDetail: required(
    part("ItemAdjustmentLineDetail", {
      ItemRef: required(ref("Item")),
      QtyDiff: required(number),
      ClassRef: ref("Class")
    })
  )
})

export const taxDetail = part("TxnTaxDetail", {
  TxnTaxCodeRef: ref("TaxCode"),
  TotalTax: readOnly(number),
  TaxLine: readOnly(
    parts("Line", {
      Amount: number,
      DetailType: text(),
      TaxLineDetail: part("TaxLineDetail", {
        TaxRateRef: ref("TaxRate"),
        PercentBased: flag,
        TaxPercent: number,
        NetAmountTaxable: number
      })
    })
  )
})

// Families of members.

export const nameBase: Fields = {
  Title: text(16),
  GivenName: text(100),
  MiddleName: text(100),
  FamilyName: text(100),
  Suffix: text(16),
  DisplayName: text(500),
  PrintOnCheckName: text(110),
  Active: flag,
  PrimaryPhone: phone,
  Mobile: phone,
  PrimaryEmailAddr: email
}
export const business: Fields = {
  ...nameBase,
  CompanyName: text(100),
  AlternatePhone: phone,
  Fax: phone,
  WebAddr: web,
  BillAddr: address,
  CurrencyRef: currency,
  Notes: text(4000),
  AcctNum: text(100),
  Balance: readOnly(number)
}
export const transaction: Fields = {
  DocNumber: text(21),
  TxnDate: date,
  DepartmentRef: ref("Department"),
  CurrencyRef: currency,
  ExchangeRate: number,
  PrivateNote: text(4000),
  ProjectRef: ref("Customer"),
  LinkedTxn: links,
  TotalAmt: readOnly(number)
}
// US companies do not have it.
// https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-us-locales
export const globalTax = one("TaxInclusive", "TaxExcluded", "NotApplicable")
export const sale: Fields = {
  ...transaction,
  CustomerRef: required(ref("Customer")),
  CustomerMemo: memo,
  BillAddr: address,
  ShipAddr: address,
  BillEmail: email,
  BillEmailCc: email,
  BillEmailBcc: email,
  ClassRef: ref("Class"),
  SalesTermRef: ref("Term"),
  CustomField: customField,
  Line: required(salesLines),
  TxnTaxDetail: taxDetail,
  GlobalTaxCalculation: globalTax,
  ApplyTaxAfterDiscount: flag,
  PrintStatus: one("NotSet", "NeedToPrint", "PrintComplete"),
  EmailStatus: one("NotSet", "NeedToSend", "EmailSent"),
  Balance: readOnly(number),
  HomeBalance: readOnly(number),
  HomeTotalAmt: readOnly(number)
}
export const purchase: Fields = {
  ...transaction,
  VendorRef: required(ref("Vendor")),
  VendorAddr: address,
  APAccountRef: ref("Account"),
  Line: required(purchaseLines),
  TxnTaxDetail: readOnly(taxDetail),
  GlobalTaxCalculation: globalTax,
  Balance: readOnly(number)
}
export const sub = (kind: string, entity: string): Fields => ({
  Name: required(text(100)),
  [kind]: flag,
  ParentRef: ref(entity),
  FullyQualifiedName: readOnly(text()),
  Active: flag
})

export const names = ["DisplayName", "GivenName", "MiddleName", "FamilyName", "PrintOnCheckName", "Active"]
