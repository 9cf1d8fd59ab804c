import { Effect } from "effect"
import { type Fetch, keyset } from "../axes/Paginator.ts"
import type { ListRequest } from "../ProviderAdapter.ts"
import { Malformed } from "../ProviderError.ts"
import { aroundDays, isOneOf } from "./Conditions.ts"
import { failure } from "./ReadError.ts"
import { type Select, text } from "./Select.ts"
import { isId, pageSize, type Suite } from "./Suite.ts"

/**
 * What was deleted: its id, its type by the name that users know, and when, in a time zone that is not told. So a bound finds
 * what was deleted up to a day beside it, and no record says when it was. The role needs the permission Deleted Records.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N3497592.html
 */

/** By types of records. */
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

/** Whether deletions are told of all of some types. */
export const areTold = (types: ReadonlyArray<string>): boolean => types.every((type) => names[type] !== undefined)

const select: Select = { from: "deletedrecord d", columns: { id: text("d.recordid") }, order: "d.recordid" }

/** Deleted records of some types that are one native type, in the order of their ids. */
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
