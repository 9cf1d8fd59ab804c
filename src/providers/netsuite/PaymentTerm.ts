import { PaymentTerm } from "../../canonical/accounting/PaymentTerm.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { integer, text } from "../../mapping/Transform.ts"
import { isActive, noCreationTime, undated } from "./Common.ts"
import { beginning } from "./Conditions.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import type { Suite } from "./Suite.ts"

/** Due-date rules. Those of a day of the month have no number of days, the others always one. */

const mapping = plainMapping(PaymentTerm, (of) => [
  of.variant({
    nativeType: "term",
    entries: [
      ...undated(of),
      of.field("name", "name", text),
      isActive(of),
      of.lasting("days_until_due", "daysUntilNetDue", integer),
      of.field("discount_days", "daysUntilExpiry", integer)
    ],
    notHeld: {
      remote_created_at: noCreationTime("terms"),
      company: "NetSuite terms belong to no subsidiary: all of them use the same ones."
    }
  })
])

export const paymentTerm = (own: Suite) => ({
  ...records(
    own,
    mapping,
    [
      {
        name: "term",
        list: {
          select: {
            from: "term t",
            columns: {
              id: Query.text("t.id"),
              name: Query.text("t.name"),
              daysUntilNetDue: Query.number("t.daysuntilnetdue"),
              daysUntilExpiry: Query.number("t.daysuntilexpiry"),
              isInactive: Query.flag("t.isinactive"),
              lastModifiedDate: Query.instant("t.lastmodifieddate")
            },
            order: "t.id"
          },
          filters: { name: beginning("t.name") }
        },
        retires: true
      }
    ],
    ["is_active", "discount_days", "remote_updated_at"]
  ),
  // whether days may be null depends on the term
  readsBeforeUpdate: true
})
