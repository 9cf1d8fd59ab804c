import type { NonEmptyReadonlyArray } from "effect/Array"

/** The tables of the sample company: a maker of bicycles in Dublin. */

/** Code, name, type, opening balance (debit is positive), and the purpose of a system account. */
export const accounts: ReadonlyArray<
  readonly [code: string, name: string, type: string, opening?: number, system?: string]
> = [
  ["200", "Bicycle Sales", "REVENUE"],
  ["210", "Repairs", "REVENUE"],
  ["220", "Parts & Accessories", "REVENUE"],
  ["260", "Other Revenue", "REVENUE"],
  ["270", "Interest Income", "OTHERINCOME"],
  ["310", "Cost of Goods Sold", "DIRECTCOSTS"],
  ["320", "Frame Building Subcontractors", "DIRECTCOSTS"],
  ["400", "Advertising", "OVERHEADS"],
  ["404", "Bank Fees", "OVERHEADS"],
  ["412", "Consulting & Accounting", "OVERHEADS"],
  ["416", "Depreciation", "DEPRECIATN"],
  ["420", "Entertainment", "OVERHEADS"],
  ["425", "Freight & Courier", "OVERHEADS"],
  ["429", "General Expenses", "OVERHEADS"],
  ["433", "Insurance", "OVERHEADS"],
  ["441", "Legal Expenses", "OVERHEADS"],
  ["445", "Light, Power, Heating", "OVERHEADS"],
  ["453", "Office Expenses", "OVERHEADS"],
  ["461", "Printing & Stationery", "OVERHEADS"],
  ["469", "Rent", "OVERHEADS"],
  ["473", "Repairs and Maintenance", "OVERHEADS"],
  ["477", "Wages and Salaries", "OVERHEADS"],
  ["485", "Subscriptions", "OVERHEADS"],
  ["489", "Telephone & Internet", "OVERHEADS"],
  ["493", "Travel", "OVERHEADS"],
  ["497", "Bank Revaluations", "EXPENSE", 0, "BANKCURRENCYGAIN"],
  ["498", "Unrealised Currency Gains", "EXPENSE", 0, "UNREALISEDCURRENCYGAIN"],
  ["499", "Realised Currency Gains", "EXPENSE", 0, "REALISEDCURRENCYGAIN"],
  ["505", "Income Tax Expense", "EXPENSE"],
  ["610", "Accounts Receivable", "CURRENT", 0, "DEBTORS"],
  ["620", "Prepayments", "CURRENT", 3600],
  ["630", "Inventory", "INVENTORY", 0],
  ["710", "Office Equipment", "FIXED", 8400],
  ["711", "Less Accumulated Depreciation on Office Equipment", "FIXED", -2100],
  ["720", "Workshop Machinery", "FIXED", 46_000],
  ["721", "Less Accumulated Depreciation on Workshop Machinery", "FIXED", -11_500],
  ["800", "Accounts Payable", "CURRLIAB", 0, "CREDITORS"],
  ["801", "Unpaid Expense Claims", "CURRLIAB", 0, "UNPAIDEXPCLM"],
  ["803", "Wages Payable", "CURRLIAB", -4150, "WAGEPAYABLES"],
  ["820", "VAT", "CURRLIAB", 0, "GST"],
  ["825", "Employee Tax Payable", "CURRLIAB", -2870],
  ["830", "Income Tax Payable", "CURRLIAB"],
  ["840", "Historical Adjustment", "CURRLIAB", 0, "HISTORICAL"],
  ["850", "Suspense", "CURRLIAB"],
  ["860", "Rounding", "CURRLIAB", 0, "ROUNDING"],
  ["877", "Tracking Transfers", "CURRLIAB", 0, "TRACKINGTRANSFERS"],
  ["900", "Loan", "TERMLIAB", -38_000],
  ["960", "Retained Earnings", "EQUITY", 0, "RETAINEDEARNINGS"],
  ["970", "Owner A Share Capital", "EQUITY", -50_000]
]

/** Code, name, number, kind, whether it is in the second currency, and opening balance of bank accounts. */
export const banks = [
  ["090", "Business Current Account", "IE29AIBK93115212345678", "BANK", false, 61_840.55],
  ["091", "Business Savings Account", "IE64IRCE92050112345678", "BANK", false, 25_000],
  ["092", "US Dollar Account", "IE12BOFI90001712345678", "BANK", true, 0],
  ["095", "Company Credit Card", "4111XXXXXXXX1142", "CREDITCARD", false, -912.4]
] as const

/** Code, name, price, account and tax of services. */
export const services = [
  ["SV-FULL", "Full service", 129, "210", "reduced"],
  ["SV-BASIC", "Basic service", 59, "210", "reduced"],
  ["SV-WHEEL", "Wheel truing", 24.5, "210", "reduced"],
  ["SV-BRAKE", "Brake bleed", 39, "210", "reduced"],
  ["SV-FIT", "Bike fitting session", 180, "210", "sales"],
  ["SV-HOUR", "Workshop hour", 68, "210", "reduced"],
  ["SV-DESIGN", "Custom frame design", 420, "260", "sales"],
  ["SV-COURSE", "Maintenance course, per person", 85, "260", "sales"]
] as const

/** Code, name, price and cost of goods. */
export const goods = [
  ["BK-CITY", "Liffey City", 1140, 612.5],
  ["BK-TOUR", "Liffey Tourer", 1680, 905],
  ["BK-CARGO", "Dockside Cargo", 3290, 1874.4],
  ["BK-KIDS", "Phoenix Junior", 389, 201.9],
  ["BK-EBIKE", "Howth E-Assist", 2790, 1610],
  ["FR-STEEL", "Steel frame, hand-built", 1290, 540],
  ["WH-700C", "Wheelset 700C", 349, 188.2],
  ["TY-32", "Tyre 32 mm", 36.9, 17.45],
  ["TU-28", "Inner tube", 6.5, 2.1],
  ["CH-11", "Chain, 11-speed", 34, 16.8],
  ["BR-DISC", "Disc brake set", 118, 61.25],
  ["SD-LTHR", "Leather saddle", 96, 48],
  ["LT-SET", "Light set", 44.95, 20.15],
  ["HL-URB", "Urban helmet", 64.5, 30.6],
  ["LK-U", "U-lock", 52, 24.9],
  ["RK-REAR", "Rear rack", 58, 26.3],
  ["BG-PAN", "Panniers, pair", 132, 71.5],
  ["FD-SET", "Mudguard set", 39.9, 18.7]
] as const

/** Accounts and purposes of bills for running costs. */
export const runningCosts: NonEmptyReadonlyArray<readonly [code: string, purpose: string]> = [
  ["469", "Workshop rent"],
  ["489", "Phones and internet"],
  ["445", "Electricity and gas"],
  ["433", "Liability insurance, monthly share"],
  ["453", "Till rolls and toner"],
  ["400", "Summer campaign"],
  ["485", "Design software"],
  ["412", "Bookkeeping"],
  ["473", "Service of the lathe"],
  ["425", "Pallet delivery"],
  ["320", "Brazing, outsourced"],
  ["493", "Trade fair, train and hotel"]
]

export const tracking = [
  ["Department", ["Shop", "Workshop", "Online", "Hire"]],
  ["Region", ["Dublin", "Munster", "Connacht", "Ulster", "Abroad"]]
] as const

/** Bicycles built to order, and fleets under maintenance. */
export const jobs = [
  "Courier fleet, ten cargo bikes",
  "Tandem for the coast road",
  "Hotel hire fleet, service contract",
  "Randonneur, custom geometry",
  "School safety workshop",
  "Track frame restoration"
] as const
