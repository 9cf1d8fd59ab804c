import type { NonEmptyReadonlyArray } from "effect/Array"

/** The tables of the sample company: a maker and fitter of kitchens. */

/** Name, type, code, opening balance (debit is positive); what Zoho makes for itself is marked. */
export const accounts: ReadonlyArray<
  readonly [name: string, type: string, code: string, opening?: number, isSystem?: boolean]
> = [
  ["Checking", "bank", "1000", 86250.4],
  ["Savings", "bank", "1010", 40000],
  ["Petty Cash", "cash", "1020", 350, true],
  ["Undeposited Funds", "cash", "1030", 0, true],
  ["Accounts Receivable", "accounts_receivable", "1100", 0, true],
  ["Inventory Asset", "stock", "1200", 0, true],
  ["Prepaid Expenses", "other_current_asset", "1300", 2400, true],
  ["Furniture and Equipment", "fixed_asset", "1500", 64000, true],
  ["Delivery Vans", "fixed_asset", "1530", 38000],
  ["Security Deposits", "other_asset", "1800", 5200],
  ["Accounts Payable", "accounts_payable", "2000", 0, true],
  ["Mastercard", "credit_card", "2100", -1240.75],
  ["Tax Payable", "output_tax", "2200", 0, true],
  ["Payroll Liabilities", "other_current_liability", "2300", -3150],
  ["Equipment Loan", "long_term_liability", "2700", -41000],
  ["Opening Balance Offset", "equity", "3000", 0, true],
  ["Owner's Equity", "equity", "3100", -120000, true],
  ["Retained Earnings", "equity", "3900", 0, true],
  ["Sales", "income", "4000", 0, true],
  ["Design", "income", "4110"],
  ["Installation", "income", "4120"],
  ["Interest Income", "other_income", "7000", 0, true],
  ["Cost of Goods Sold", "cost_of_goods_sold", "5000", 0, true],
  ["Subcontractors", "cost_of_goods_sold", "5100"],
  ["Advertising And Marketing", "expense", "6000", 0, true],
  ["Bank Fees and Charges", "expense", "6050", 0, true],
  ["Insurance", "expense", "6150"],
  ["Office Supplies", "expense", "6300", 0, true],
  ["Rent Expense", "expense", "6400", 0, true],
  ["Repairs and Maintenance", "expense", "6450", 0, true],
  ["Meals and Entertainment", "expense", "6510", 0, true],
  ["Telephone Expense", "expense", "6610", 0, true],
  ["Other Expenses", "expense", "6900", 0, true],
  ["Penalties", "other_expense", "8000"],
  ["Show Kitchen", "expense", "6950"],
  ["Training", "expense", "6960"],
  ["Recruiting", "expense", "6970"],
  ["Discount", "income", "4900", 0, true]
]

/** Account and words of running costs. */
export const runningCosts: NonEmptyReadonlyArray<readonly [account: string, words: string]> = [
  ["Rent Expense", "Workshop rent"],
  ["Telephone Expense", "Phones and internet"],
  ["Insurance", "Liability insurance, monthly share"],
  ["Office Supplies", "Printer supplies"],
  ["Advertising And Marketing", "Spring campaign"],
  ["Repairs and Maintenance", "Service of the edge bander"],
  ["Subcontractors", "Fitting crew"],
  ["Meals and Entertainment", "Lunch with supplier"]
]

/** Name, price and account of what is done. */
export const services = [
  ["Site survey", 120, "Design"],
  ["Kitchen design", 95, "Design"],
  ["3D rendering", 240, "Design"],
  ["Lighting plan", 180, "Design"],
  ["Cabinet fitting", 68.5, "Installation"],
  ["Worktop fitting", 74, "Installation"],
  ["Plumbing", 92.25, "Installation"],
  ["Tiling", 57.8, "Installation"],
  ["Consulting hour", 135, "Sales"],
  ["Travel hour", 49.9, "Sales"]
] as const

/** Name, code, price and cost of what is bought for a job, and of what is kept in the warehouse. */
export const goods = [
  ["Dishwasher", "DW-01", 899, 640, false],
  ["Oven", "OV-01", 1249, 905, false],
  ["Extractor hood", "EH-01", 545, 372, false],
  ["Glass splashback", "GS-01", 310, 164, false],
  ["Custom panel", "CP-01", 175, 82.25, false],
  ["Base cabinet 60", "BC-060", 289, 141.2, true],
  ["Wall cabinet 60", "WC-060", 198, 94.6, true],
  ["Oak worktop 2.4 m", "WT-OAK-24", 620, 331.75, true],
  ["Soft-close hinge, pair", "HG-22", 11.95, 4.35, true],
  ["Handle, brass", "HD-15", 18.5, 7.9, true]
] as const

/** Code, name, symbol and what a unit is worth in US dollars. */
export const currencies = [
  ["USD", "US Dollar", "$", 1],
  ["EUR", "Euro", "€", 1.0842],
  ["GBP", "Pound Sterling", "£", 1.2715],
  ["CAD", "Canadian Dollar", "$", 0.7328],
  ["INR", "Indian Rupee", "₹", 0.012],
  ["KWD", "Kuwaiti Dinar", "KWD", 3.25],
  ["JPY", "Japanese Yen", "¥", 0.0067]
] as const
