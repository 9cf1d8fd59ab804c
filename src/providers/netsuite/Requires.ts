import type { ResourceRequirement } from "../Requirement.ts"

const module = (name: string, ...native_types: ReadonlyArray<string>): ResourceRequirement => ({
  kind: "module",
  name,
  ...(native_types.length === 0 ? {} : { native_types })
})

/**
 * Features that an administrator switches on at Setup > Company > Enable Features.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/article_83090456314.html (projects)
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3674551.html (expense reports)
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3740408.html (accounting periods)
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3741163.html (classifications)
 */
export const requires = {
  project: [module("Projects")],
  expense_report: [module("Expense Reports")],
  accounting_period: [module("Accounting Periods")],
  purchase_order: [module("Purchase Orders")],
  sales_order: [module("Sales Orders")],
  tracking_category: [
    module("Classes", "classification"),
    module("Departments", "department"),
    module("Locations", "location")
  ]
} as const
