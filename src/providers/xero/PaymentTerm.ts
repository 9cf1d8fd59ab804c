import { Effect } from "effect"
import { PaymentTerm } from "../../canonical/accounting/PaymentTerm.ts"
import { getPath, isNative, type Native } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { everything, wholeById } from "../base/Paginator.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { company, mappingOf } from "./Common.ts"
import { contacts } from "./Contact.ts"
import type { Kept } from "./Kept.ts"
import { endpoints, missing } from "./Objects.ts"

/**
 * Due-date rules. They are no records in Xero: the organisation has one for bills and one for sales, and so may each
 * contact. Each rule that any of them states is one term; its id and its name are made of it.
 * https://developer.xero.com/documentation/api/accounting/types#payment-terms
 */

const nativeType = "PaymentTerm"

const names: { readonly [type: string]: (day: number) => string } = {
  DAYSAFTERBILLDATE: (day) => `${day} days after the bill date`,
  DAYSAFTERBILLMONTH: (day) => `${day} days after the end of the bill month`,
  OFCURRENTMONTH: (day) => `Day ${day} of the bill month`,
  OFFOLLOWINGMONTH: (day) => `Day ${day} of the month after the bill`
}

const noTimes = "Payment terms are settings of Xero's contacts and organisation, without timestamps of their own."

const mapping = mappingOf(PaymentTerm, (of) => [
  of.variant({
    nativeType,
    entries: [
      of.readField("remote_id", "Id", text),
      of.constant("remote_was_deleted", false),
      of.readField("name", "Name", text),
      of.constant("is_active", true),
      of.computed({
        canonical: "days_until_due",
        native: ["Type", "Day"],
        decode: ({ record }) => (record.Type === "DAYSAFTERBILLDATE" ? record.Day : null)
      }),
      company(of)
    ],
    notHeld: {
      remote_created_at: noTimes,
      remote_updated_at: noTimes,
      discount_days: "Xero has no discounts for early payment."
    }
  })
])

const termsIn = (record: Native): ReadonlyArray<NativeRecord> =>
  ["Bills", "Sales"].flatMap((side) => {
    const term = getPath(record, `PaymentTerms.${side}`)
    const { Day, Type } = isNative(term) ? term : {}
    const name = names[String(Type)]
    return name === undefined || typeof Day !== "number"
      ? []
      : [{ nativeType, record: { Id: `${String(Type)}:${Day}`, Name: name(Day), Type, Day } }]
  })

const idOf = ({ record }: NativeRecord) => String(record.Id)

/** Contacts of a page at most. */
const together = 1000

export const paymentTerm = (call: Caller, { organisation }: Pick<Kept, "organisation">): ResourceAdapter => {
  const { pages } = endpoints(call)

  const terms = Effect.fnUntraced(function* (connection: ConnectionRef) {
    const own = yield* organisation(connection)
    const fetch = pages({ connection, wanted: {} }, contacts)
    const all = yield* everything("xero", "Contacts.list", (position) => fetch(position, together))
    const found = [own, ...all.map(({ record }) => record)].flatMap(termsIn)
    return [...new Map(found.map((term) => [idOf(term), term])).values()]
  })

  return {
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) => wholeById(idOf, terms(connection))(position, limit),
    getMany: ({ connection, ids }) =>
      Effect.map(terms(connection), (all) => all.filter((term) => ids.includes(idOf(term)))),
    get: ({ connection, id }) =>
      Effect.flatMap(terms(connection), (all) => {
        const found = all.find((term) => idOf(term) === id)
        return found === undefined ? Effect.fail(missing("PaymentTerms.get")) : Effect.succeed(found)
      })
  }
}
