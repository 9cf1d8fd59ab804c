import { Decimal } from "decimal.js"
import { Clock, Effect } from "effect"
import { computed } from "../../mapping/Entries.ts"
import { getPath, isNative, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import { remoteIdOf } from "../../mapping/Transform.ts"
import { type Made, orTakeBack } from "../base/CompoundWrite.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { Invalid, ProviderError, Stale } from "../ProviderError.ts"
import { isKept, toInvoice, xeroDay } from "./Common.ts"
import { byDay, documentKind, livingIn } from "./Documents.ts"
import { beginning, link, wordOf } from "./Filters.ts"
import { withLines } from "./Lines.ts"
import { accounting, endpoints, type Kind, objects, repeatable, type Step } from "./Objects.ts"

/**
 * Credit notes, to customers (ACCRECCREDIT) and from suppliers (ACCPAYCREDIT), share one endpoint. Allocations set them
 * against invoices; each is created and removed by a call of its own.
 * https://developer.xero.com/documentation/api/accounting/creditnotes
 */

const path = `${accounting}/CreditNotes/:id/Allocations`

/** Leaving the field out changes nothing: allocations are records of their own. */
export const allocations = computed({
  canonical: "applied_to_lines",
  native: ["Allocations"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    livingIn(record.Allocations).map((one) => ({
      remote_id: one.AllocationID,
      invoice: toInvoice.decode(getPath(one, "Invoice.InvoiceID"), context),
      applied_date: one.Date === undefined ? null : xeroDay.decode(one.Date, context),
      applied_amount: one.Amount,
      remote_was_deleted: false
    })),
  encode: (value, encoding) => {
    if (value === null) return
    const { current, prefix, refuse, step } = encoding
    const held = new Set(livingIn(current?.record.Allocations))
    const lines = natives(value).flatMap((line, i) => {
      const path = `${prefix}applied_to_lines.${i}`
      isKept(line.applied_amount, "amount", `${path}.applied_amount`, encoding)
      const id = remoteIdOf(line.invoice, "invoice", ["Invoice"], encoding, `${path}.invoice`)
      return id === undefined ? [] : [{ id, day: line.applied_date ?? undefined, amount: line.applied_amount }]
    })
    const give = lines.filter(({ amount, day, id }) => {
      const same = [...held].find(
        (one) =>
          getPath(one, "Invoice.InvoiceID") === id && one.Amount === amount && (day === undefined || dayOf(one) === day)
      )
      if (same !== undefined) held.delete(same)
      return same === undefined
    })
    const whole = current?.record.Total
    if (typeof whole === "number" && Decimal.sum(0, ...lines.map(({ amount }) => Number(amount ?? 0))).gt(whole)) {
      refuse(`${prefix}applied_to_lines`, `comes to more than the ${whole} that the credit is of`)
    }
    const undo = [...held].map((one) => ({ id: one.AllocationID, ...givenOf(one) }))
    if (give.length > 0 || undo.length > 0) {
      step("allocate", {
        undo,
        give: give.map(({ amount, day, id }) => ({ Invoice: { InvoiceID: id }, Amount: amount, Date: day }))
      })
    }
  }
})

const dayOf = ({ Date: day }: Native): unknown => xeroDay.decode(day, { reference: () => "" })

/** Returns the body that creates an allocation like an existing one. */
const givenOf = (one: Native): Native => ({
  Invoice: { InvoiceID: getPath(one, "Invoice.InvoiceID") },
  Amount: one.Amount,
  Date: dayOf(one)
})

const today = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString().slice(0, 10))

const undone = (call: Caller) => (connection: ConnectionRef, id: string, allocation: string) =>
  call(connection, {
    operation: "Allocations.remove",
    method: "DELETE",
    path: `${path}/:allocation`,
    params: { id, allocation }
  })

/** Somebody else has removed it meanwhile. */
const isMissing = ({ reason }: ProviderError) => reason._tag === "Missing"

/** Reports an error in an allocation on the list of allocations. */
const ofAllocations = (error: ProviderError) =>
  error.reason._tag === "Invalid"
    ? new ProviderError({
        ...error,
        reason: new Invalid({ fields: error.detail === undefined ? {} : { Allocations: error.detail } })
      })
    : error

/** Removes allocations that are no longer wanted, then adds the new ones; undoes everything when Xero refuses one. */
const allocate =
  (call: Caller): Step =>
  ({ ask }, connection, id, value, key) => {
    const put = (one: Native, once: ReturnType<typeof repeatable> = {}) =>
      Effect.flatMap(today, (day) =>
        ask(connection, "Allocations", {
          operation: "Allocations.create",
          method: "PUT",
          path,
          params: { id },
          json: { Allocations: [{ ...one, Date: one.Date ?? day }] },
          ...once
        })
      )
    const { give, undo } = isNative(value) ? value : {}
    return Effect.gen(function* () {
      const back: Array<Made> = []
      for (const { id: allocation, ...before } of natives(undo)) {
        const gone = Effect.mapError(undone(call)(connection, id, String(allocation)), (error) =>
          isMissing(error) ? new ProviderError({ ...error, reason: new Stale() }) : error
        )
        yield* orTakeBack(gone, back)
        back.unshift({ name: "applied_to_lines", remove: put(before) })
      }
      for (const [i, one] of natives(give).entries()) {
        const once = repeatable(connection, `CreditNotes/${id}/Allocations/${i}`, key)
        const { records } = yield* orTakeBack(Effect.mapError(put(one, once), ofAllocations), back)
        for (const { AllocationID } of records) {
          back.unshift({ name: "applied_to_lines", remove: undone(call)(connection, id, String(AllocationID)) })
        }
      }
    })
  }

/** Credit notes of either type. */
export const credits = {
  ...documentKind,
  nativeType: "CreditNote",
  endpoint: "CreditNotes",
  id: "CreditNoteID",
  filters: { number: beginning("CreditNoteNumber"), contact: link("Contact.ContactID"), ...byDay("issued") }
} satisfies Kind

/** The verbs of a resource over one type of credit notes. */
export const creditNotes = (
  call: Caller,
  mapping: Mapping,
  type: "ACCRECCREDIT" | "ACCPAYCREDIT",
  {
    made,
    ended,
    states
  }: {
    /** Members added to the body of a new credit note. */
    readonly made: Native
    /** States that the resource has no word for; credit notes in them are not records of it. */
    readonly ended: ReadonlyArray<string>
    /** Words for the other states, where the resource has a state. */
    readonly states?: { readonly [native: string]: string }
  }
): ResourceAdapter => {
  const kind: Kind = {
    ...credits,
    where: [`Type=="${type}"`],
    filters: { ...credits.filters, ...(states === undefined ? {} : { status: wordOf("Status", states) }) },
    ended,
    isOne: ({ Type }) => Type === type,
    write: (record, current) => ({
      ...(current === undefined ? { ...made, Type: type } : {}),
      ...withLines(record, current)
    }),
    steps: { allocate: allocate(call) }
  }
  const { remove, ...verbs } = objects(call, mapping, kind)
  const { read } = endpoints(call)
  return {
    ...verbs,
    ...(remove === undefined
      ? {}
      : {
          /** Removes the allocations first: Xero does not void a credit note that has any. */
          remove: (target) =>
            Effect.gen(function* () {
              const current = target.current ?? (yield* read(target.connection, kind, target.id))
              for (const { AllocationID } of livingIn(current.record.Allocations)) {
                yield* Effect.catchIf(
                  undone(call)(target.connection, target.id, String(AllocationID)),
                  isMissing,
                  () => Effect.void
                )
              }
              yield* remove({ ...target, current })
            })
        })
  }
}
