import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, partsAt } from "../../simulation/Docs.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import type { Rule } from "../../simulation/table/Kind.ts"
import * as V from "../../simulation/table/Value.ts"
import { digitsIn, flag, has, nextId, number, roundIn, text, to } from "./Fields.ts"
import { systemAccount, taxed } from "./Ledger.ts"

// Lines of documents: https://www.zoho.com/books/api/v3/invoices/

export const positive = V.number("number", { least: 0 })

const blank = {
  item_id: "",
  account_id: "",
  customer_id: "",
  name: "",
  description: "",
  tax_id: "",
  unit: "",
  is_billable: false
}

const tag = V.object("object", { tag_id: text(), tag_option_id: text() }, [], {})

export const line = V.object(
  "object",
  {
    line_item_id: text(),
    item_id: to("items"),
    account_id: to("chartofaccounts"),
    customer_id: to("contacts"),
    name: text(),
    description: text(2000),
    rate: number,
    quantity: number,
    unit: text(),
    tax_id: to("settings/taxes"),
    is_billable: flag,
    item_order: number,
    discount: number,
    tags: V.list("array", tag),
    header_name: text(),
    project_id: text(),
    location_id: text(),
    hsn_or_sac: text(),
    product_type: text(),
    tax_exemption_id: text(),
    tax_exemption_code: text(),
    tax_treatment_code: text(),
    salesorder_item_id: text(),
    purchaseorder_item_id: text(),
    expense_id: text()
  },
  [],
  {
    ...blank,
    line_item_id: "",
    rate: "",
    quantity: 1,
    item_order: 0,
    discount: 0,
    tags: [],
    project_id: ""
  }
)

export const lines = has("line_items", V.list("array", line), [])

/** Completes a line from its item, and computes its total. */
const completed = (account: Account, document: Doc, one: Doc, isBought: boolean): Doc => {
  const item = account.get("items", String(one.item_id))
  const own = isBought ? item?.purchase_account_id : item?.account_id
  const stocked = isBought && item?.item_type === "inventory" ? item.inventory_account_id : own
  const usual = systemAccount(account, isBought ? "Other Expenses" : "Sales")
  const rate = typeof one.rate === "number" ? one.rate : ((isBought ? item?.purchase_rate : item?.rate) ?? 0)
  const tax = account.get(
    "settings/taxes",
    String(one.tax_id === "" ? (isBought ? "" : (item?.tax_id ?? "")) : one.tax_id)
  )
  const account_id = [one.account_id, stocked].find((id) => typeof id === "string" && id !== "") ?? usual
  return {
    ...Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null)),
    line_item_id: one.line_item_id === "" ? nextId(account) : one.line_item_id,
    account_id,
    account_name: account.get("chartofaccounts", String(account_id))?.account_name,
    name: one.name === "" ? (item?.name ?? "") : one.name,
    rate: typeof rate === "number" ? rate : 0,
    tax_id: tax?.tax_id ?? "",
    tax_name: tax?.tax_name ?? "",
    tax_percentage: tax?.tax_percentage ?? 0,
    gross: roundIn(
      account,
      document,
      amountAt({ rate }, "rate").times(amountAt(one, "quantity")).minus(amountAt(one, "discount"))
    )
  }
}

/** States the total of a line, which is without tax where the price has it in it. */
const totalled = (
  { gross, ...line }: Doc,
  { digits, isInclusive }: { readonly isInclusive: boolean; readonly digits: number }
) => {
  const { net, tax } = taxed({ ...line, item_total: gross }, { isInclusive, digits })
  return {
    tax,
    line: {
      ...line,
      item_total: net.toNumber(),
      ...(isInclusive ? { item_total_inclusive_of_tax: gross } : {})
    }
  }
}

/** Lines of sales say what a discount comes to, and nothing of a customer to bill. */
const asSold = ({ customer_id: _, is_billable: __, ...line }: Doc): Doc => ({ ...line, discount_amount: line.discount })

/** Computes the totals of lines, and the sums of the document. */
export const reckoned =
  (isBought: boolean): Rule =>
  ({ account, after }) => {
    const given = partsAt(after, "line_items")
    if (given.length === 0) return refused("Please enter a value for line_items")
    const isInclusive = after.is_inclusive_tax === true
    const digits = digitsIn(account, after)
    const parts = given.map((one) => totalled(completed(account, after, one, isBought), { isInclusive, digits }))
    const sum = (amounts: ReadonlyArray<Decimal>) => amounts.reduce((all, one) => all.plus(one), new Decimal(0))
    const net = sum(parts.map(({ line }) => amountAt(line, "item_total")))
    const discount = amountAt(after, "discount")
    // a discount before tax is not taxed
    const share = after.is_discount_before_tax === true && net.gt(0) ? net.minus(discount).div(net) : new Decimal(1)
    const tax = sum(parts.map((part) => part.tax))
      .times(share)
      .toDecimalPlaces(digits, Decimal.ROUND_HALF_UP)
    const beside = ["shipping_charge", "adjustment"].flatMap((member) =>
      after[member] === undefined ? [] : [[member, roundIn(account, after, amountAt(after, member))] as const]
    )
    const charges = beside.reduce((all, [, amount]) => all.plus(amount), new Decimal(0))
    const total = net.plus(tax).minus(discount).plus(charges)
    return total.isNegative()
      ? refused("The total must not be negative.")
      : Either.right({
          ...after,
          ...Object.fromEntries(beside),
          line_items: parts.map(({ line }) => (isBought ? line : asSold(line))),
          sub_total: net.toNumber(),
          sub_total_inclusive_of_tax: isInclusive
            ? sum(parts.map(({ line }) => amountAt(line, "item_total_inclusive_of_tax"))).toNumber()
            : 0,
          discount_total: discount.toNumber(),
          tax_total: tax.toNumber(),
          total: total.toNumber()
        })
  }
