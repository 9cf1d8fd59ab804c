/** Types of accounts: https://www.zoho.com/books/api/v3/chart-of-accounts/ */
const accountTypes = {
  asset: [
    "cash",
    "bank",
    "other_current_asset",
    "fixed_asset",
    "other_asset",
    "stock",
    "accounts_receivable",
    "intangible_asset",
    "payment_clearing"
  ],
  liability: [
    "other_current_liability",
    "credit_card",
    "long_term_liability",
    "other_liability",
    "accounts_payable",
    "output_tax"
  ],
  equity: ["equity"],
  income: ["income", "other_income"],
  expense: ["expense", "cost_of_goods_sold", "other_expense"]
} as const

export const allTypes = Object.values(accountTypes).flat()
