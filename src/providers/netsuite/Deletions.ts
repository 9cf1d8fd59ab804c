import { Effect } from "effect"
import { type Fetch, keyset } from "../base/Paginator.ts"
import type { ListRequest } from "../ProviderAdapter.ts"
import { Malformed } from "../ProviderError.ts"
import { aroundDays, isOneOf } from "./Conditions.ts"
import { failure } from "./ReadError.ts"
import { type Select, text } from "./Select.ts"
import { isId, pageSize, type Suite } from "./Suite.ts"

/**
 * Deleted records: id, type as users name it, and time of deletion in a time zone that NetSuite does not state. So a bound
 * finds deletions up to a day beside it, and no record gives its time. The role needs the permission Deleted Records.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3497592.html
 */

/** Names of types in `deletedrecord`, by type of record. */
const names: { readonly [type: string]: ReadonlyArray<string> } = {
  account: ["account"],
  check: ["check"],
  classification: ["class", "classification"],
  creditCardCharge: ["credit card", "credit card charge"],
  creditMemo: ["credit memo"],
  customer: ["customer"],
  customerPayment: ["payment", "customer payment"],
  department: ["department"],
  employee: ["employee"],
  expenseReport: ["expense report"],
  invoice: ["invoice"],
  itemFulfillment: ["item fulfillment"],
  job: ["project", "job"],
  journalEntry: ["journal", "journal entry"],
  location: ["location"],
  purchaseOrder: ["purchase order"],
  salesOrder: ["sales order"],
  vendor: ["vendor"],
  vendorBill: ["bill", "vendor bill"],
  vendorCredit: ["bill credit", "vendor credit"],
  vendorPayment: ["bill payment", "vendor payment"]
}

/** Whether the deletions of all these types can be listed. */
export const areTold = (types: ReadonlyArray<string>): boolean => types.every((type) => names[type] !== undefined)

const select: Select = { from: "deletedrecord d", columns: { id: text("d.recordid") }, order: "d.recordid" }

/** Lists deleted records of some types that share one native type, in the order of their ids. */
export const deletions = (
  own: Suite,
  { connection, wanted }: ListRequest,
  nativeType: string,
  types: ReadonlyArray<string>
): Fetch => {
  const labels = types.flatMap((type) => names[type] ?? []).flatMap((name) => [name, name.replaceAll(" ", "")])
  const needed = [isOneOf("LOWER(d.type)", [...new Set(labels)]), ...aroundDays("d.deleteddate", wanted, "modified")]
  return keyset(
    pageSize,
    ({ record }) => String(record.id),
    (after, size) => {
      if (after !== undefined && !isId(after)) return Effect.fail(failure("deletedrecord.list", new Malformed()))
      return Effect.map(
        own.first(connection, select, [], size, [...needed, ...(after === undefined ? [] : [`d.recordid > ${after}`])]),
        (rows) => rows.map((record) => ({ nativeType, record, deletedAt: null, isBare: true as const }))
      )
    }
  )
}
