import { field, lasting } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { integer, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { identity, isActive } from "./Common.ts"
import { records } from "./Records.ts"

/** Due-date rules. Those of a day of the month have no number of days, the others always one. */

const mapping = plainMapping([
  {
    nativeType: "term",
    entries: [
      ...identity(null),
      field("name", "name", text),
      isActive,
      lasting("days_until_due", "daysUntilNetDue", integer),
      field("discount_days", "daysUntilExpiry", integer)
    ]
  }
])

export const paymentTerm = (call: Caller) => records(call, mapping, [{ name: "term", table: "term", retires: true }])
