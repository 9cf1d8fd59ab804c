import { customerPayment, vendorPayment } from "./Applications.ts"
import type { Rule } from "./Books.ts"
import { entities } from "./Entities.ts"
import { expenseReport, journalEntry } from "./Entries.ts"
import { items } from "./Items.ts"
import { listRules } from "./ListRules.ts"
import { lists } from "./Lists.ts"
import { customerDeposit, deposit, inventoryAdjustment, transfer } from "./Movements.ts"
import { itemFulfillment } from "./Orders.ts"
import type { RecordType } from "./RecordType.ts"
import {
  cashSale,
  creditMemo,
  invoice,
  paidAtOnce,
  purchaseOrder,
  salesOrder,
  vendorBill,
  vendorCredit
} from "./Trades.ts"
import { transactions } from "./Transactions.ts"

export const recordTypes: ReadonlyArray<RecordType> = [...entities, ...lists, ...items, ...transactions]

/** Record types by the lower case of their names, as addresses may write them in any. */
const byName = new Map(recordTypes.map((type) => [type.name.toLowerCase(), type]))

export const typeOf = (name: string): RecordType | undefined => byName.get(name.toLowerCase())

export const rules: { readonly [type: string]: Rule } = {
  ...listRules,
  invoice,
  creditMemo,
  customerPayment,
  vendorBill,
  vendorCredit,
  vendorPayment,
  salesOrder,
  purchaseOrder,
  journalEntry,
  expenseReport,
  itemFulfillment,
  cashSale,
  customerDeposit,
  deposit,
  transfer,
  inventoryAdjustment,
  check: paidAtOnce("Bank", "check", ""),
  creditCardCharge: paidAtOnce("CredCard", "creditCardCharge", "CC")
}
