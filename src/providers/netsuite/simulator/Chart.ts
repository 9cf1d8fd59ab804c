import type { NonEmptyReadonlyArray } from "effect/Array"

// The sample company: Halcyon Instruments makes and sells laboratory instruments.

/** Number, name, type, opening balance (debit positive), the special purpose, and the name of the account above. */
export const accounts: ReadonlyArray<
  readonly [number: string, name: string, type: string, opening?: number, purpose?: string | undefined, parent?: string]
> = [
  ["1000", "Cash and Bank", "Bank"],
  ["1010", "Operating Account", "Bank", 412_350.18, undefined, "Cash and Bank"],
  ["1020", "Payroll Account", "Bank", 38_200, undefined, "Cash and Bank"],
  ["1030", "Euro Account", "Bank", 51_477.25, undefined, "Cash and Bank"],
  ["1050", "Petty Cash", "Bank", 640.5],
  ["1090", "Undeposited Funds", "OthCurrAsset", 0, "UndepFunds"],
  ["1100", "Accounts Receivable", "AcctRec", 0, "AcctRec"],
  ["1150", "Unbilled Receivable", "UnbilledRec"],
  ["1200", "Inventory Asset", "OthCurrAsset", 218_900.4, "InvtAsset"],
  ["1210", "Inventory in Transit", "OthCurrAsset"],
  ["1300", "Prepaid Insurance", "OthCurrAsset", 9_600],
  ["1310", "Prepaid Rent", "OthCurrAsset", 12_500],
  ["1400", "Deferred Commission", "DeferExpense"],
  ["1500", "Machinery", "FixedAsset", 164_000],
  ["1510", "Accumulated Depreciation Machinery", "FixedAsset", -61_500, undefined, "Machinery"],
  ["1520", "Office Furniture", "FixedAsset", 22_480],
  ["1530", "Vehicles", "FixedAsset", 48_900],
  ["1800", "Security Deposits", "OthAsset", 15_000],
  ["2000", "Accounts Payable", "AcctPay", 0, "AcctPay"],
  ["2050", "Unapproved Expense Reports", "AcctPay", 0, "UnappvExpRept"],
  ["2100", "Corporate Card", "CredCard", -4_182.66],
  ["2110", "Travel Card", "CredCard"],
  ["2200", "Sales Taxes Payable", "OthCurrLiab", -6_240.11, "SalesTaxPay"],
  ["2210", "Payroll Liabilities", "OthCurrLiab", -18_730],
  ["2220", "Accrued Expenses", "OthCurrLiab", -7_450],
  ["2230", "Customer Deposits", "OthCurrLiab"],
  ["2300", "Deferred Service Revenue", "DeferRevenue", -32_000],
  ["2500", "Bank Loan", "LongTermLiab", -150_000],
  ["3000", "Opening Balance", "Equity", 0, "OpeningBalEquity"],
  ["3100", "Common Stock", "Equity", -250_000],
  ["3200", "Retained Earnings", "Equity", 0, "RetEarnings"],
  ["4000", "Sales", "Income"],
  ["4010", "Instrument Sales", "Income", 0, undefined, "Sales"],
  ["4020", "Accessory Sales", "Income", 0, undefined, "Sales"],
  ["4100", "Service Revenue", "Income"],
  ["4110", "Calibration Services", "Income", 0, undefined, "Service Revenue"],
  ["4120", "Training Services", "Income", 0, undefined, "Service Revenue"],
  ["4200", "Shipping Income", "Income"],
  ["4900", "Sales Discounts", "Income"],
  ["5000", "Cost of Goods Sold", "COGS", 0, "COGS"],
  ["5100", "Purchases", "COGS"],
  ["5200", "Freight In", "COGS"],
  ["5300", "Subcontracted Work", "COGS"],
  ["6000", "Advertising", "Expense"],
  ["6010", "Trade Fairs", "Expense", 0, undefined, "Advertising"],
  ["6100", "Bank Charges", "Expense"],
  ["6200", "Insurance", "Expense"],
  ["6300", "Legal and Accounting", "Expense"],
  ["6400", "Office Supplies", "Expense"],
  ["6500", "Rent", "Expense"],
  ["6600", "Repairs and Maintenance", "Expense"],
  ["6700", "Salaries and Wages", "Expense"],
  ["6710", "Payroll Taxes", "Expense"],
  ["6800", "Telephone and Internet", "Expense"],
  ["6900", "Travel", "Expense"],
  ["6910", "Meals and Entertainment", "Expense", 0, undefined, "Travel"],
  ["6920", "Lodging", "Expense", 0, undefined, "Travel"],
  ["6950", "Utilities", "Expense"],
  ["6990", "Depreciation", "Expense"],
  ["7000", "Interest Income", "OthIncome"],
  ["7100", "Exchange Gains", "OthIncome"],
  ["8000", "Interest Expense", "OthExpense"],
  ["8100", "Exchange Losses", "OthExpense"],
  ["9000", "Sales Orders", "NonPosting"],
  ["9010", "Purchase Orders", "NonPosting"],
  ["9900", "Headcount", "Stat"]
]

/** Accounts and purposes of bills for running costs. */
export const runningCosts: NonEmptyReadonlyArray<readonly [account: string, purpose: string]> = [
  ["Rent", "Workshop and laboratory, monthly rent"],
  ["Telephone and Internet", "Lines and data"],
  ["Utilities", "Electricity and water"],
  ["Insurance", "Product liability, monthly share"],
  ["Office Supplies", "Paper, toner, labels"],
  ["Trade Fairs", "Stand and badges"],
  ["Legal and Accounting", "Bookkeeping and review"],
  ["Repairs and Maintenance", "Service of the milling machine"],
  ["Freight In", "Pallet from port"],
  ["Subcontracted Work", "Anodising of housings"],
  ["Advertising", "Journal advertisement"],
  ["Bank Charges", "Account fees"]
]

/** Name, code of the item, price, cost and units in stock. */
export const stock = [
  ["Precision Balance 220 g", "PB-220", 2_480, 1_310.5, 24],
  ["Precision Balance 620 g", "PB-620", 2_190, 1_172, 18],
  ["Analytical Balance", "AB-120", 4_950, 2_760.25, 9],
  ["pH Meter, bench", "PH-B1", 865, 402.4, 40],
  ["pH Meter, hand-held", "PH-H2", 289, 121.9, 85],
  ["Conductivity Meter", "CD-10", 745, 356.75, 33],
  ["Magnetic Stirrer", "MS-7", 312.5, 140.2, 60],
  ["Hotplate Stirrer", "HS-9", 498, 233.8, 45],
  ["Centrifuge 12-place", "CF-12", 3_280, 1_845, 12],
  ["Water Bath 20 L", "WB-20", 1_120, 588.6, 16],
  ["Drying Oven 53 L", "DO-53", 1_870, 1_024.3, 11],
  ["Refractometer", "RF-95", 1_340, 655, 20],
  ["Electrode, glass", "EL-G1", 124.9, 48.35, 210],
  ["Buffer Solution pH 4", "BF-4", 18.75, 6.2, 540],
  ["Buffer Solution pH 7", "BF-7", 18.75, 6.2, 610],
  ["Pipette Set", "PP-S3", 546, 270.1, 37]
] as const

/** Name, price and cost of goods bought for an order. */
export const goods = [
  ["Laboratory Bench", 1_650, 1_020],
  ["Fume Hood", 6_400, 4_180],
  ["Safety Cabinet", 2_150, 1_390],
  ["Glassware Kit", 238, 131.4],
  ["Laboratory Chair", 342, 198.5],
  ["Anti-vibration Table", 1_980, 1_215],
  ["Nitrile Gloves, box", 14.9, 7.25],
  ["Replacement Rotor", 689, 372]
] as const

/** Name, price and account of services. */
export const services = [
  ["Calibration, on site", 185, "Calibration Services"],
  ["Calibration, workshop", 129.5, "Calibration Services"],
  ["Installation", 240, "Service Revenue"],
  ["Operator Training", 420, "Training Services"],
  ["Preventive Maintenance", 310, "Service Revenue"],
  ["Repair Hour", 98, "Service Revenue"],
  ["Travel Hour", 62.5, "Service Revenue"],
  ["Extended Warranty", 275, "Service Revenue"]
] as const

/** Name, cost and expense account of items that are only bought. */
export const supplies = [
  ["Packaging Material", 4.8, "Office Supplies"],
  ["Machine Oil", 22.3, "Repairs and Maintenance"],
  ["Courier Service", 19, "Freight In"]
] as const

export const classes = ["Academic", "Pharma", "Food and Beverage", "Industrial", "Public Sector"] as const
export const departments = ["Sales", "Service", "Production", "Administration"] as const
export const locations = ["Portland Works", "Austin Depot", "Reading Office"] as const

/** Name and detail. */
export const terms = [
  ["Due on receipt", { daysUntilNetDue: 0 }],
  ["Net 15", { daysUntilNetDue: 15 }],
  ["Net 30", { daysUntilNetDue: 30, preferred: true }],
  ["Net 60", { daysUntilNetDue: 60 }],
  ["1% 10 Net 30", { daysUntilNetDue: 30, discountPercent: 1, daysUntilExpiry: 10 }],
  ["10th of following month", { dateDriven: true, dayOfMonthNetDue: 10, dueNextMonthIfWithinDays: 20 }]
] as const

/** Name, id of the type. */
export const paymentMethods = [
  ["Cash", "1"],
  ["Check", "2"],
  ["VISA", "3"],
  ["Master Card", "3"],
  ["American Express", "3"],
  ["Debit Card", "4"],
  ["ACH", "5"],
  ["Wire Transfer", "6"]
] as const

/** Name, state and percent. */
export const taxes = [
  ["TX State", "TX", 6.25],
  ["Austin City", "TX", 2],
  ["WA State", "WA", 6.5],
  ["Seattle City", "WA", 3.75],
  ["Not Taxable", "", 0]
] as const

/** Name and taxes of a group. */
export const taxGroups = [
  ["Austin TX", ["TX State", "Austin City"]],
  ["Seattle WA", ["WA State", "Seattle City"]]
] as const

/** Name and account. */
export const expenseCategories = [
  ["Airfare", "Travel"],
  ["Hotel", "Lodging"],
  ["Meals", "Meals and Entertainment"],
  ["Office Material", "Office Supplies"],
  ["Mileage", "Travel"]
] as const

export const projects = [
  "University teaching laboratory",
  "Brewery quality control",
  "Water works retrofit",
  "Clinic sample room",
  "Pilot plant instrumentation"
] as const
