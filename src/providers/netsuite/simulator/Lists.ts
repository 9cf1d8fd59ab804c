import {
  country,
  date,
  email,
  fixed,
  flag,
  list,
  number,
  one,
  phone,
  readOnly,
  ref,
  refs,
  required,
  text
} from "./Fields.ts"
import { address } from "./Entities.ts"
import { recordType, type RecordType } from "./RecordType.ts"

// Field names: https://system.netsuite.com/help/helpcenter/en_US/APIs/REST_API_Browser/record/v1/2025.2/index.html

const accountTypes = {
  Bank: "Bank",
  AcctRec: "Accounts Receivable",
  UnbilledRec: "Unbilled Receivable",
  OthCurrAsset: "Other Current Asset",
  FixedAsset: "Fixed Asset",
  OthAsset: "Other Asset",
  DeferExpense: "Deferred Expense",
  AcctPay: "Accounts Payable",
  CredCard: "Credit Card",
  OthCurrLiab: "Other Current Liability",
  DeferRevenue: "Deferred Revenue",
  LongTermLiab: "Long Term Liability",
  Equity: "Equity",
  Income: "Income",
  COGS: "Cost of Goods Sold",
  Expense: "Expense",
  OthIncome: "Other Income",
  OthExpense: "Other Expense",
  NonPosting: "Non Posting",
  Stat: "Statistical"
}

/** Classes, departments and locations. */
const segment = (name: string, more = {}) =>
  recordType("list", name, {
    fields: {
      name: required(text(60)),
      fullName: readOnly(text()),
      parent: ref(name),
      includeChildren: flag,
      subsidiary: refs("subsidiary"),
      isInactive: flag,
      ...more
    },
    unique: ["name"]
  })

/** Types of payment methods, as in a new account; no customer reports describe them. */
export const methodTypes = {
  "1": "Cash",
  "2": "Check",
  "3": "Credit Card",
  "4": "Debit Card",
  "5": "ACH",
  "6": "Wire Transfer",
  "7": "PayPal",
  "8": "Other"
}

export const lists: ReadonlyArray<RecordType> = [
  recordType("list", "account", {
    fields: {
      acctName: required(text(60)),
      acctNumber: text(60),
      acctType: required(fixed(one(accountTypes))),
      sSpecAcct: readOnly(
        one({
          AcctRec: "Accounts Receivable",
          AcctPay: "Accounts Payable",
          UndepFunds: "Undeposited Funds",
          RetEarnings: "Retained Earnings",
          OpeningBalEquity: "Opening Balance",
          SalesTaxPay: "Sales Taxes Payable",
          InvtAsset: "Inventory Asset",
          COGS: "Cost of Goods Sold",
          UnappvExpRept: "Unapproved Expense Reports"
        })
      ),
      description: text(255),
      fullName: readOnly(text()),
      displayNameWithHierarchy: readOnly(text()),
      parent: ref("account"),
      currency: fixed(ref("currency")),
      subsidiary: refs("subsidiary"),
      includeChildren: flag,
      isSummary: flag,
      eliminate: flag,
      inventory: flag,
      generalRate: one({ CURRENT: "Current", AVERAGE: "Average", HISTORICAL: "Historical" }),
      cashFlowRate: one({ CURRENT: "Current", AVERAGE: "Average", HISTORICAL: "Historical" }),
      balance: readOnly(number),
      isInactive: flag,
      class: ref("classification"),
      department: ref("department"),
      location: ref("location")
    },
    defaults: { isSummary: false, eliminate: false, inventory: false, includeChildren: false },
    unique: ["acctNumber"]
  }),
  recordType("list", "subsidiary", {
    can: ["update"],
    fields: {
      name: required(text(83)),
      fullName: readOnly(text()),
      legalName: text(83),
      parent: readOnly(ref("subsidiary")),
      currency: readOnly(ref("currency")),
      country: readOnly(country),
      state: text(30),
      federalIdNumber: text(20),
      email,
      fax: phone,
      url: text(100),
      isElimination: readOnly(flag),
      isInactive: flag,
      mainAddress: address,
      shippingAddress: address,
      returnAddress: address
    }
  }),
  recordType("list", "currency", {
    fields: {
      name: required(text(31)),
      symbol: required(text(3)),
      displaySymbol: text(5),
      exchangeRate: required(number),
      currencyPrecision: number,
      isBaseCurrency: readOnly(flag),
      isInactive: flag
    },
    defaults: { currencyPrecision: 2, isBaseCurrency: false },
    unique: ["name", "symbol"]
  }),
  recordType("list", "term", {
    fields: {
      name: required(text(31)),
      dateDriven: flag,
      daysUntilNetDue: number,
      discountPercent: number,
      daysUntilExpiry: number,
      dayOfMonthNetDue: number,
      dueNextMonthIfWithinDays: number,
      discountPercentDateDriven: number,
      dayDiscountExpires: number,
      preferred: flag,
      isInactive: flag
    },
    defaults: { dateDriven: false, preferred: false },
    unique: ["name"]
  }),
  recordType("list", "paymentMethod", {
    fields: {
      name: required(text(40)),
      methodType: one(methodTypes),
      creditCard: flag,
      isDebitCard: flag,
      isOnline: flag,
      undepFunds: flag,
      account: ref("account"),
      isInactive: flag
    },
    defaults: { creditCard: false, isDebitCard: false, isOnline: false, undepFunds: true },
    unique: ["name"]
  }),
  segment("classification"),
  segment("department"),
  segment("location", { mainAddress: address, timezone: text(60), tranPrefix: text(8) }),
  recordType("list", "accountingPeriod", {
    fields: {
      periodName: required(text(40)),
      startDate: required(date),
      endDate: required(date),
      parent: ref("accountingPeriod"),
      isYear: flag,
      isQuarter: flag,
      isPosting: readOnly(flag),
      isAdjust: flag,
      closed: flag,
      closedOnDate: readOnly(date),
      allLocked: flag,
      arLocked: flag,
      apLocked: flag,
      allowNonGLChanges: flag,
      isInactive: flag
    },
    defaults: {
      isYear: false,
      isQuarter: false,
      isAdjust: false,
      closed: false,
      allLocked: false,
      arLocked: false,
      apLocked: false
    },
    unique: ["periodName"]
  }),
  recordType("list", "salesTaxItem", {
    fields: {
      itemId: required(text(60)),
      displayName: text(60),
      description: text(1000),
      rate: required(number),
      taxAgency: ref("vendor"),
      taxAccount: ref("account"),
      purchaseAccount: ref("account"),
      saleAccount: ref("account"),
      available: one({ BOTH: "Both", PURCHASE: "Purchase Transactions", SALE: "Sales Transactions" }),
      nexusCountry: country,
      state: text(30),
      county: text(60),
      city: text(60),
      zip: text(36),
      effectiveFrom: date,
      validUntil: date,
      subsidiary: refs("subsidiary"),
      isInactive: flag
    },
    defaults: { available: { id: "BOTH" } },
    unique: ["itemId"]
  }),
  recordType("list", "taxGroup", {
    fields: {
      itemId: required(text(60)),
      displayName: text(60),
      description: text(1000),
      rate: readOnly(number),
      piggyback: flag,
      nexusCountry: country,
      state: text(30),
      county: text(60),
      city: text(60),
      zip: text(36),
      taxItem: list("taxName", { taxName: required(ref("salesTaxItem")), rate: readOnly(number), basis: number }),
      subsidiary: refs("subsidiary"),
      isInactive: flag
    },
    defaults: { piggyback: false },
    unique: ["itemId"]
  }),
  recordType("list", "priceLevel", {
    fields: { name: required(text(60)), discountPct: number, isOnline: flag, isInactive: flag },
    unique: ["name"]
  }),
  recordType("list", "expenseCategory", {
    fields: {
      name: required(text(60)),
      description: text(999),
      expenseAcct: required(ref("account")),
      subsidiary: refs("subsidiary"),
      isInactive: flag
    },
    unique: ["name"]
  })
]
