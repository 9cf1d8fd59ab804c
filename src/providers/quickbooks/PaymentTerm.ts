import { PaymentTerm } from "../../canonical/accounting/PaymentTerm.ts"
import { computed } from "../../mapping/Entries.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { integer, text } from "../../mapping/Transform.ts"
import { company, identity, isActive } from "./Common.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"

/**
 * Terms: so many days, or a day of the month (`DayOfMonthDue`, which comes with `integration_params`); Intuit wants one of
 * the two.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/term
 */

const monthly = ["DayOfMonthDue", "DueNextMonthDays", "DiscountDayOfMonth"]

/** Days make a term of the other kind one of days; leaving them out keeps a day of the month. */
const daysUntilDue = computed({
  canonical: "days_until_due",
  native: ["DueDays"],
  needsCurrent: true,
  decode: ({ record }, context) => (record.DueDays === undefined ? null : integer.decode(record.DueDays, context)),
  encode: (value, { get, set }) => {
    if (value === null && get("DayOfMonthDue") !== undefined) return
    set("DueDays", value)
    for (const member of monthly) if (get(member) !== undefined) set(member, null)
  }
})

const mapping = plainMapping(PaymentTerm, (of) => [
  of.variant({
    nativeType: "Term",
    entries: [
      ...identity(of),
      of.field("name", "Name", text),
      isActive(of),
      daysUntilDue(of),
      of.field("discount_days", "DiscountDays", integer),
      company(of)
    ],
    notHeld: {}
  })
])

export const paymentTerm = (books: Books) => entities(books, mapping, [{ name: "Term", removal: "deactivate" }])
