import type { NonEmptyReadonlyArray } from "effect/Array"

/** The tables of the sample company: a maker and fitter of kitchens in California. */

/** Name, type, detail type, number, opening balance (debit is positive), and parent account. */
export const accounts: ReadonlyArray<
  readonly [name: string, type: string, subType: string, number: string, opening?: number, parent?: string]
> = [
  ["Checking", "Bank", "Checking", "1000", 86250.4],
  ["Savings", "Bank", "Savings", "1010", 40000],
  ["Petty Cash", "Bank", "CashOnHand", "1020", 350],
  ["Accounts Receivable (A/R)", "Accounts Receivable", "AccountsReceivable", "1100"],
  ["Inventory Asset", "Other Current Asset", "Inventory", "1200"],
  ["Undeposited Funds", "Other Current Asset", "UndepositedFunds", "1250"],
  ["Prepaid Expenses", "Other Current Asset", "PrepaidExpenses", "1300", 2400],
  ["Machinery", "Fixed Asset", "MachineryAndEquipment", "1500"],
  ["Original Cost", "Fixed Asset", "MachineryAndEquipment", "1510", 64000, "Machinery"],
  ["Depreciation", "Fixed Asset", "AccumulatedDepreciation", "1520", -18500, "Machinery"],
  ["Delivery Vans", "Fixed Asset", "Vehicles", "1530", 38000],
  ["Security Deposits", "Other Asset", "SecurityDeposits", "1800", 5200],
  ["Accounts Payable (A/P)", "Accounts Payable", "AccountsPayable", "2000"],
  ["Mastercard", "Credit Card", "CreditCard", "2100", -1240.75],
  ["Visa", "Credit Card", "CreditCard", "2110"],
  ["Sales Tax Payable", "Other Current Liability", "SalesTaxPayable", "2200"],
  ["Payroll Liabilities", "Other Current Liability", "PayrollTaxPayable", "2300", -3150],
  ["Line of Credit", "Other Current Liability", "LineOfCredit", "2400"],
  ["Equipment Loan", "Long Term Liability", "NotesPayable", "2700", -41000],
  ["Opening Balance Equity", "Equity", "OpeningBalanceEquity", "3000"],
  ["Owner's Equity", "Equity", "OwnersEquity", "3100", -120000],
  ["Retained Earnings", "Equity", "RetainedEarnings", "3900"],
  ["Sales of Product Income", "Income", "SalesOfProductIncome", "4000"],
  ["Services", "Income", "ServiceFeeIncome", "4100"],
  ["Design", "Income", "ServiceFeeIncome", "4110", 0, "Services"],
  ["Installation", "Income", "ServiceFeeIncome", "4120", 0, "Services"],
  ["Maintenance", "Income", "ServiceFeeIncome", "4130", 0, "Services"],
  ["Discounts given", "Income", "DiscountsRefundsGiven", "4800"],
  ["Cost of Goods Sold", "Cost of Goods Sold", "SuppliesMaterialsCogs", "5000"],
  ["Subcontractors", "Cost of Goods Sold", "CostOfLaborCos", "5100"],
  ["Freight & Delivery", "Cost of Goods Sold", "ShippingFreightDeliveryCos", "5200"],
  ["Advertising", "Expense", "AdvertisingPromotional", "6000"],
  ["Bank Charges", "Expense", "BankCharges", "6050"],
  ["Dues & Subscriptions", "Expense", "DuesSubscriptions", "6100"],
  ["Insurance", "Expense", "Insurance", "6150"],
  ["Legal & Professional Fees", "Expense", "LegalProfessionalFees", "6200"],
  ["Accounting", "Expense", "LegalProfessionalFees", "6210", 0, "Legal & Professional Fees"],
  ["Lawyer", "Expense", "LegalProfessionalFees", "6220", 0, "Legal & Professional Fees"],
  ["Office Expenses", "Expense", "OfficeGeneralAdministrativeExpenses", "6300"],
  ["Rent or Lease", "Expense", "RentOrLeaseOfBuildings", "6400"],
  ["Repairs & Maintenance", "Expense", "RepairMaintenance", "6450"],
  ["Travel", "Expense", "Travel", "6500"],
  ["Meals", "Expense", "TravelMeals", "6510", 0, "Travel"],
  ["Utilities", "Expense", "Utilities", "6600"],
  ["Telephone", "Expense", "Utilities", "6610", 0, "Utilities"],
  ["Gas and Electric", "Expense", "Utilities", "6620", 0, "Utilities"],
  ["Interest Earned", "Other Income", "InterestEarned", "7000"],
  ["Penalties & Settlements", "Other Expense", "PenaltiesSettlements", "8000"]
]

/** Accounts and purposes of bills for running costs. */
export const runningCosts: NonEmptyReadonlyArray<readonly [account: string, purpose: string]> = [
  ["Rent or Lease", "Workshop rent"],
  ["Telephone", "Phones and internet"],
  ["Gas and Electric", "Electricity and gas"],
  ["Insurance", "Liability insurance, monthly share"],
  ["Office Expenses", "Printer supplies"],
  ["Advertising", "Spring campaign"],
  ["Dues & Subscriptions", "Design software"],
  ["Accounting", "Bookkeeping"],
  ["Repairs & Maintenance", "Service of the edge bander"],
  ["Freight & Delivery", "Pallet delivery"],
  ["Subcontractors", "Fitting crew"],
  ["Meals", "Lunch with supplier"]
]

/** Name, price and account of services. */
export const services = [
  ["Site survey", 120, "Services:Design"],
  ["Kitchen design", 95, "Services:Design"],
  ["3D rendering", 240, "Services:Design"],
  ["Lighting plan", 180, "Services:Design"],
  ["Cabinet fitting", 68.5, "Services:Installation"],
  ["Worktop fitting", 74, "Services:Installation"],
  ["Appliance connection", 110, "Services:Installation"],
  ["Plumbing", 92.25, "Services:Installation"],
  ["Tiling", 57.8, "Services:Installation"],
  ["Removal of old kitchen", 430, "Services:Installation"],
  ["Hinge adjustment", 45, "Services:Maintenance"],
  ["Oiling of worktops", 160, "Services:Maintenance"],
  ["Annual care", 299, "Services:Maintenance"],
  ["Consulting hour", 135, "Services"],
  ["Travel hour", 49.9, "Services"]
] as const

/** Name, stock code, price, cost and opening stock of inventory items. */
export const stock = [
  ["Base cabinet 60", "BC-060", 289, 141.2, 60],
  ["Base cabinet 90", "BC-090", 354, 176.4, 45],
  ["Wall cabinet 60", "WC-060", 198, 94.6, 70],
  ["Tall cabinet 60", "TC-060", 512, 268.9, 24],
  ["Drawer set", "DR-003", 149.5, 71.1, 90],
  ["Oak worktop 2.4 m", "WT-OAK-24", 620, 331.75, 30],
  ["Quartz worktop 2.4 m", "WT-QTZ-24", 1180, 702.5, 16],
  ["Steel sink", "SK-01", 219, 108.4, 40],
  ["Mixer tap", "TP-07", 129.9, 58.2, 55],
  ["Soft-close hinge, pair", "HG-22", 11.95, 4.35, 800],
  ["Handle, brass", "HD-15", 18.5, 7.9, 600],
  ["Under-cabinet light", "LT-40", 64, 27.75, 120]
] as const

/** Name, price and cost of goods bought for a job. */
export const goods = [
  ["Dishwasher", 899, 640],
  ["Oven", 1249, 905],
  ["Induction hob", 979, 701.5],
  ["Extractor hood", 545, 372],
  ["Refrigerator", 1590, 1185],
  ["Glass splashback", 310, 164],
  ["Custom panel", 175, 82.25],
  ["Plinth, per metre", 24.5, 9.8],
  ["Silicone", 8.9, 3.4],
  ["Wall tiles, per m2", 46, 22.6],
  ["Waste system", 138, 74.1],
  ["Cutlery insert", 59.95, 26.3],
  ["Delivery", 85, 60]
] as const

export const classes = ["Residential", "Commercial", "Showroom", "Online", "Warranty"] as const
export const departments = ["San Francisco", "Oakland", "San Jose"] as const

/** Name and detail of terms. */
export const terms = [
  ["Due on receipt", { DueDays: 0 }],
  ["Net 30", { DueDays: 30 }],
  ["10th of month", { DayOfMonthDue: 10, DueNextMonthDays: 5 }]
] as const

export const paymentMethods = [
  ["Cash", "NON_CREDIT_CARD"],
  ["Check", "NON_CREDIT_CARD"],
  ["ACH", "NON_CREDIT_CARD"],
  ["Visa", "CREDIT_CARD"],
  ["MasterCard", "CREDIT_CARD"]
] as const

/** Name, description and rate of taxes, and the taxes in each code. */
/** Kitchens in progress. */
export const jobs = ["Loft kitchen, Valencia Street", "Show kitchen, Oakland", "Beach house", "Office pantry"] as const

/** Parent entity, name and type of files. */
export const files = [
  ["Invoice", "plan-#.pdf", "application/pdf"],
  ["Bill", "delivery-note-#.jpg", "image/jpeg"]
] as const
