import { exact } from "../Filtering.ts"
import { stateOf, type States } from "./Documents.ts"
import { dayAt, nativesOf } from "./Filters.ts"
import { withLines } from "./Lines.ts"
import type { Kind } from "./Objects.ts"

export const orderStates: States = {
  read: {
    DRAFT: "DRAFT",
    SUBMITTED: "SUBMITTED",
    AUTHORISED: "AUTHORIZED",
    BILLED: "BILLED",
    DELETED: "DELETED"
  },
  write: {
    DRAFT: "DRAFT",
    SUBMITTED: "SUBMITTED",
    AUTHORIZED: "AUTHORISED",
    BILLED: "BILLED",
    DELETED: "DELETED"
  },
  ways: {
    new: ["DRAFT", "SUBMITTED", "AUTHORISED", "BILLED"],
    DRAFT: ["SUBMITTED", "AUTHORISED", "BILLED", "DELETED"],
    SUBMITTED: ["DRAFT", "AUTHORISED", "BILLED", "DELETED"],
    AUTHORISED: ["BILLED", "DELETED"],
    BILLED: ["AUTHORISED", "DELETED"]
  }
}

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

export const purchaseOrders: Kind = {
  nativeType: "PurchaseOrder",
  endpoint: "PurchaseOrders",
  id: "PurchaseOrderID",
  pages: true,
  // the description lists `unitdp` for other documents only, but orders keep four decimals with it
  // https://github.com/calcinai/xero-php/issues/852
  query: { unitdp: "4" },
  isUnconditional: true,
  filters: {
    // a list is of one state, or of all
    status: exact(({ values }) => {
      const [one, ...more] = nativesOf(orderStates.read, values)
      return {
        ...(one === undefined || more.length > 0 ? {} : { query: { Status: one } }),
        keeps: (record) => values.includes(stateOf(orderStates, record) ?? "")
      }
    }),
    // both of these days are within
    issued_after: exact(({ text }) => ({ query: { DateFrom: dayAt(text) } })),
    issued_before: exact(({ text }) => ({ query: { DateTo: dayBefore(dayAt(text)) } }))
  },
  ended: ["DELETED"],
  stamp: "UpdatedDateUTC",
  write: withLines,
  ending: () => ({ Status: "DELETED" })
}
