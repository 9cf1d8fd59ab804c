import { Decimal } from "decimal.js"
import { Deal } from "../../canonical/crm/Deal.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { placed } from "../../mapping/Stages.ts"
import { date, percent, text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact } from "../Filtering.ts"
import { noLastActivity, stamps } from "./Common.ts"
import { link, stamped } from "./Filters.ts"
import { byCreation, closeMapping, objects } from "./Objects.ts"
import { lead, leadOfOther } from "./OnLead.ts"
import { placing, statuses } from "./Pipeline.ts"

/** Money in whole cents. */
const cents: Transform = {
  name: "cents",
  fit: { canonical: ["number"], native: ["integer"] },
  decode: (native) => (typeof native === "number" ? new Decimal(native).div(100).toNumber() : null),
  encode: (canonical, { refuse }, path) => {
    if (typeof canonical !== "number") return canonical
    const whole = new Decimal(canonical).times(100)
    if (whole.isInteger()) return whole.toNumber()
    refuse(path, "must be a whole number of cents")
    return undefined
  }
}

/**
 * An opportunity has no name: its note says what it is about. The status is that of the pipeline's stage, and `date_won` is
 * the day on which it is expected to be won until then. https://developer.close.com/api/resources/opportunities
 */
const mapping = closeMapping(Deal, (of) => [
  of.variant({
    nativeType: "opportunity",
    entries: [
      ...stamps(of),
      of.field("name", "note", text),
      of.field("amount", "value", cents),
      of.computed({
        canonical: "currency",
        native: ["value_currency"],
        encodeLookups: ["organization"],
        decode: ({ record }) => record.value_currency ?? null,
        encode: (value, { lookups, prefix, refuse }) => {
          const own = getPath(lookups.organization, "currency")
          if (value !== null && typeof own === "string" && value !== own) {
            refuse(`${prefix}currency`, `must be ${own}: the organization has all opportunities in it`)
          }
        }
      }),
      ...placed(of, placing),
      of.field("close_date", "date_won", date),
      of.lasting("probability", "confidence", percent),
      of.lasting("owner", "user_id", text),
      lead(of, false),
      of.field("contact", "contact_id", text)
    ],
    notHeld: {
      description: "A Close opportunity has one text, its note, which is `name` here.",
      last_activity_at: noLastActivity
    }
  })
])

export const deal = (call: Caller) => ({
  ...objects(call, mapping, {
    paging: byCreation,
    consistency: "exact",
    filters: {
      ...stamped,
      account: link("lead", "lead_id"),
      owner: link("user", "user_id"),
      stage: link("stat", "status_id"),
      status: exact(({ values }) => {
        const types = Object.keys(statuses).filter((type) => values.some((value) => value === statuses[type]))
        return types.length === 0 ? null : { status_type__in: types.join(",") }
      })
    }
  }),
  related: leadOfOther(call)
})
