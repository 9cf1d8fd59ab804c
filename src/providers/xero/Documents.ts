import type { CommonFields } from "../../canonical/Resource.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { type DecodeContext, leaveOut, text } from "../../mapping/Transform.ts"
import { company, identity, ownRate, toContact, toPayment, xeroDay } from "./Common.ts"
import { withLines } from "./Lines.ts"
import { day } from "./Filters.ts"
import type { Kind } from "./Objects.ts"

/** Entries shared by the mappings of documents: invoices, credit notes, purchase orders, bank transactions. */

/** True for Inclusive; false for Exclusive and NoTax. */
export const inclusiveOfTax = computed({
  canonical: "inclusive_of_tax",
  native: ["LineAmountTypes"],
  decode: ({ record }) => (record.LineAmountTypes === undefined ? null : isInclusive(record.LineAmountTypes)),
  encode: (value, { get, set }) => {
    const held = get("LineAmountTypes")
    if (value !== null && (held === undefined || isInclusive(held) !== value)) {
      set("LineAmountTypes", value === true ? "Inclusive" : "Exclusive")
    }
  }
})

const isInclusive = (types: unknown) => String(types).toUpperCase() === "INCLUSIVE"

/** Fields of every document, with the date under the resource's name for it. */
export const document = <Day extends "issue_date" | "transaction_date", Party extends "contact" | "vendor">(
  of: Entries<keyof CommonFields | "company" | "currency" | "exchange_rate" | "inclusive_of_tax" | Day | Party>,
  id: string,
  day: Day,
  party: Party
) => [
  ...identity(of, id),
  of.lasting(day, "Date", xeroDay),
  of.field(party, "Contact.ContactID", toContact),
  company(of),
  of.lasting("currency", "CurrencyCode", text),
  ownRate(of),
  inclusiveOfTax(of)
]

/** Xero numbers sales that come without a number; bills and vendor credits may have none. */
export const number = <N extends string>(
  of: Entries<N>,
  canonical: N,
  native: string,
  isNumbered: (record: Native) => boolean
) =>
  of.computed({
    canonical,
    native: [native],
    needsCurrent: true,
    decode: ({ record }) => (record[native] === "" ? null : record[native]),
    encode: (value, { current, set }) => {
      if (value !== null || (current !== undefined && !isNumbered(current.record))) set(native, value ?? "")
    }
  })

/** Words for the states of a document, and the states that may be written. */
export interface States {
  /** Native state -> canonical state. */
  readonly read: { readonly [native: string]: string }
  /** Canonical state -> nearest native state. */
  readonly write: { readonly [state: string]: string }
  /** Native state -> states that can follow it; `new`: states that a document can be created in, the first by default. */
  readonly ways: { readonly [from: string]: ReadonlyArray<string> }
  /** Derives a state that depends on other fields too. */
  readonly derive?: (record: Native) => string | undefined
  /** Native fields that `derive` reads. */
  readonly native?: ReadonlyArray<string>
  /** The word for a void document; voiding one that is not approved deletes it. */
  readonly void?: string
}

/** https://developer.xero.com/documentation/api/accounting/types#invoice-status-codes */
export const approval: States["ways"] = {
  new: ["DRAFT", "SUBMITTED", "AUTHORISED"],
  DRAFT: ["SUBMITTED", "AUTHORISED", "DELETED"],
  SUBMITTED: ["DRAFT", "AUTHORISED", "DELETED"],
  AUTHORISED: ["VOIDED"],
  PAID: ["VOIDED"]
}

/** The state of a document, in the resource's words. */
export const stateOf = ({ derive, read }: Pick<States, "derive" | "read">, record: Native): string | null =>
  derive?.(record) ?? read[String(record.Status)] ?? null

/**
 * Writes a state as far as it can be reached: PAID approves a document but pays nothing, and an approved document stays
 * approved when a draft is asked for.
 */
export const status = <N extends string>(of: Entries<N>, canonical: N, states: States) => {
  const { native = [], read, void: gone, ways, write } = states
  const wordOf = (record: Native) => stateOf(states, record)
  return of.computed({
    canonical,
    native: ["Status", ...native],
    needsCurrent: true,
    decode: ({ record }) => wordOf(record),
    encode: (value, encoding) => {
      const { current, prefix, set } = encoding
      if (value === null || (current !== undefined && wordOf(current.record) === value)) return
      const near = current === undefined ? ways.new : ways[String(current.record.Status)]
      const wanted = value === gone && current !== undefined ? endOf(current.record) : write[String(value)]
      const isReached = wanted !== undefined && near?.includes(wanted) === true
      const held = isReached ? read[wanted] : current === undefined ? read[ways.new?.[0] ?? ""] : wordOf(current.record)
      if (held !== value && canonical === "status") {
        leaveOut(encoding, `${prefix}status`, value, `cannot be written; the state is ${String(held)}`)
      } else if (held !== value) encoding.warn(prefix + canonical, "CHANGED", `stays ${String(held)}`)
      if (isReached) set("Status", wanted)
      else if (current === undefined) set("Status", ways.new?.[0])
    }
  })
}

const drafts: ReadonlyArray<unknown> = ["DRAFT", "SUBMITTED"]

/** The state that ends a document: Xero deletes drafts and voids documents that are on the books. */
export const endOf = ({ Status }: Native) => (drafts.includes(Status) ? "DELETED" : "VOIDED")

/** Filters by the date that every kind of document has. */
export const byDay = <Name extends "issued" | "transaction">(name: Name) => {
  const { after, before } = day("Date")
  return { [`${name}_after`]: after, [`${name}_before`]: before }
}

/** How documents are listed, written and ended. */
export const documentKind = {
  pages: true,
  query: { unitdp: "4" },
  ended: ["DELETED"],
  stamp: "UpdatedDateUTC",
  write: withLines,
  ending: (record) => ({ Status: endOf(record) })
} satisfies Partial<Kind>

/** Allocations or payments that have not been deleted. */
export const livingIn = (value: unknown): ReadonlyArray<Native> =>
  natives(value).filter(({ IsDeleted, Status }) => IsDeleted !== true && Status !== "DELETED")

export const dateOf = ({ Date: day }: Native, context: DecodeContext) =>
  day === undefined ? null : xeroDay.decode(day, context)

export const paymentIds = computed({
  canonical: "payments",
  native: ["Payments"],
  decode: ({ record }, context) => livingIn(record.Payments).map((one) => toPayment.decode(one.PaymentID, context))
})

export const applied = ({ Payments }: Native, context: DecodeContext) =>
  livingIn(Payments).map((one) => ({
    remote_id: one.PaymentID,
    payment: toPayment.decode(one.PaymentID, context),
    applied_amount: one.Amount,
    applied_date: dateOf(one, context)
  }))

/** Refunds of a credit. */
export const refunds = (of: Entries<"applied_payments" | "payments">) => [
  paymentIds(of),
  of.computed({
    canonical: "applied_payments",
    native: ["Payments"],
    decode: ({ record }, context) => applied(record, context)
  })
]
