import { literal, number, reference, required, resource, text } from "../Resource.ts"
import { begins, equals, oneOf, searches } from "../Filter.ts"

/** Product or service. */
export const Item = resource({
  category: "accounting",
  name: "item",
  class: "writable",
  description: "product or service",
  fields: {
    name: required(text("display name")),
    code: text("SKU / item code; derived from name when absent"),
    description: text("sales description"),
    status: literal("state of the record", "ACTIVE", "ARCHIVED"),
    type: literal("kind", "INVENTORY", "NON_INVENTORY", "SERVICE", "UNKNOWN"),
    unit_price: number("sales price"),
    purchase_price: number("cost price"),
    purchase_account: reference("cost account", "account"),
    sales_account: reference("income account", "account"),
    purchase_tax_rate: reference("default tax on purchases", "tax_rate"),
    sales_tax_rate: reference("default tax on sales", "tax_rate"),
    company: reference("legal entity the record belongs to", "company_info")
  },
  filters: { name: begins("name"), code: equals("code"), status: oneOf("status"), q: searches() }
})
