import { Decimal } from "decimal.js"
import { Deal } from "../../canonical/crm/Deal.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, enumeration, percent, text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { kept, once, stamps } from "./Common.ts"
import { byCreation, objects } from "./Objects.ts"

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
const mapping = plainMapping(Deal, (of) => [
  {
    nativeType: "opportunity",
    entries: [
      ...stamps(of),
      of.field("name", "note", text),
      of.field("amount", "value", cents),
      of.readField("currency", "value_currency", text),
      once(of, "pipeline", "pipeline_id"),
      kept(of, "stage", "status_id", text),
      of.readField("status", "status_type", enumeration("status", { active: "OPEN", won: "WON", lost: "LOST" })),
      of.field("close_date", "date_won", date),
      kept(of, "probability", "confidence", percent),
      kept(of, "owner", "user_id", text),
      once(of, "account", "lead_id"),
      of.field("contact", "contact_id", text)
    ]
  }
])

export const deal = (call: Caller) => objects(call, mapping, { paging: byCreation, consistency: "exact" })
