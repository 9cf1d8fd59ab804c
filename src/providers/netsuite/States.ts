import { Effect } from "effect"
import { type Bundle, getPath, type Native } from "../../mapping/Mapping.ts"
import * as Metrics from "../../platform/Metrics.ts"
import { wide } from "../Filtering.ts"
import { isOneOf } from "./Conditions.ts"
import type { Part } from "./RecordType.ts"
import { type Select, text } from "./Select.ts"

/**
 * States of transactions. Queries tell the letter of a state, which is the same in every language. Records have its name in
 * the user's language instead, so their letter is looked up with a query.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html
 */

/** What the letters of a type of transactions mean, with the English name of each. */
export interface States {
  readonly [letter: string]: readonly [canonical: string, english: string]
}

export const invoiceStates: States = {
  A: ["OPEN", "Open"],
  B: ["PAID", "Paid In Full"],
  D: ["SUBMITTED", "Pending Approval"],
  E: ["DRAFT", "Rejected"],
  V: ["VOID", "Voided"]
}

export const billStates: States = {
  A: ["OPEN", "Open"],
  B: ["PAID", "Paid In Full"],
  C: ["VOID", "Cancelled"],
  D: ["SUBMITTED", "Pending Approval"],
  E: ["DRAFT", "Rejected"],
  F: ["OPEN", "Payment In-Transit"],
  V: ["VOID", "Voided"]
}

export const creditMemoStates: States = {
  A: ["AUTHORIZED", "Open"],
  B: ["PAID", "Fully Applied"],
  D: ["SUBMITTED", "Pending Approval"],
  V: ["VOID", "Voided"]
}

export const salesOrderStates: States = {
  A: ["PENDING_APPROVAL", "Pending Approval"],
  B: ["OPEN", "Pending Fulfillment"],
  C: ["CLOSED", "Cancelled"],
  D: ["PARTIALLY_COMPLETED", "Partially Fulfilled"],
  E: ["PARTIALLY_COMPLETED", "Pending Billing/Partially Fulfilled"],
  F: ["PARTIALLY_COMPLETED", "Pending Billing"],
  G: ["COMPLETED", "Billed"],
  H: ["CLOSED", "Closed"]
}

export const purchaseOrderStates: States = {
  P: ["DRAFT", "Planned"],
  A: ["SUBMITTED", "Pending Supervisor Approval"],
  B: ["AUTHORIZED", "Pending Receipt"],
  C: ["DELETED", "Rejected by Supervisor"],
  D: ["AUTHORIZED", "Partially Received"],
  E: ["AUTHORIZED", "Pending Billing/Partially Received"],
  F: ["AUTHORIZED", "Pending Bill"],
  G: ["BILLED", "Fully Billed"],
  H: ["BILLED", "Closed"]
}

export const expenseReportStates: States = {
  A: ["DRAFT", "In Progress"],
  B: ["SUBMITTED", "Pending Supervisor Approval"],
  C: ["SUBMITTED", "Pending Accounting Approval"],
  D: ["REJECTED", "Rejected by Supervisor"],
  E: ["REJECTED", "Rejected by Accounting"],
  F: ["APPROVED", "Approved by Accounting"],
  G: ["APPROVED", "Approved (Overridden) by Accounting"],
  H: ["REJECTED", "Rejected (Overridden) by Accounting"],
  I: ["APPROVED", "Paid In Full"],
  J: ["APPROVED", "Payment In-Transit"],
  V: ["REJECTED", "Voided"]
}

/** The letter that a record itself has; orders say theirs beside the name of their status. */
const letterIn = (record: Native): string | undefined =>
  ["status.id", "orderStatus.id"]
    .map((path) => getPath(record, path))
    .find((id): id is string => typeof id === "string" && /^[A-Z]$/.test(id))

/** The letter of an English name. */
const letterNamed = (states: States, record: Native): string | undefined => {
  const name = String(getPath(record, "status.refName") ?? getPath(record, "status.id")).toLowerCase()
  return Object.entries(states).find(([, [, english]]) => english.toLowerCase() === name)?.[0]
}

const select: Select = {
  from: "transaction t",
  columns: { id: text("t.id"), letter: text("t.status") },
  order: "t.id"
}

/** The part of a transaction with the letter of its state; names are used only where the role may not query. */
export const stateLetters =
  (recordType: string, states: States): Part<string | undefined> =>
  (own, connection, records) =>
    Effect.gen(function* () {
      const nameless = records.filter((record) => letterIn(record) === undefined).map(({ id }) => id)
      const rows =
        nameless.length === 0
          ? []
          : yield* Effect.catchIf(
              own.allOf(connection, select, "t.id", nameless),
              ({ reason }) => reason._tag === "NotPermitted" || reason._tag === "Missing",
              () => Effect.succeed([])
            )
      const queried = new Map(rows.map(({ id, letter }) => [id, letter]))
      const letters = new Map<unknown, string>()
      for (const record of records) {
        const coded = letterIn(record) ?? queried.get(record.id)
        const letter = typeof coded === "string" ? coded : letterNamed(states, record)
        if (letter !== undefined && typeof coded !== "string")
          yield* Metrics.nativeState("netsuite", recordType, "words")
        if (letter === undefined || states[letter] === undefined) {
          yield* Metrics.nativeState("netsuite", recordType, "unknown")
        } else letters.set(record.id, letter)
      }
      return ({ id }) => letters.get(id)
    })

/** The parts of a type of transactions whose state is read. */
export const statePart = (recordType: string, states: States) => ({ state: stateLetters(recordType, states) })

/** The letter of a record's state; undefined if the table of its type does not have it. */
export const letterOf = ({ parts }: Pick<Bundle, "parts">): string | undefined => {
  const letter = parts?.state
  return typeof letter === "string" ? letter : undefined
}

/** The canonical state; null if it is not known, which is no state at all. */
export const readState = (states: States, bundle: Pick<Bundle, "parts">): string | null =>
  states[letterOf(bundle) ?? ""]?.[0] ?? null

/** The letters that mean one of some canonical states. */
export const lettersOf = (states: States, wanted: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(states).flatMap(([letter, [state]]) => (wanted.includes(state) ? [letter] : []))

/** Finds records whose state is one of the wanted ones. */
export const ofStates = (states: States) =>
  wide<ReadonlyArray<string>>(({ values }) => {
    const letters = lettersOf(states, values)
    return letters.length === 0 ? null : [isOneOf("t.status", letters)]
  })
