import type { Effect } from "effect"
import { Deal } from "../../canonical/crm/Deal.ts"
import { placed } from "../../mapping/Stages.ts"
import { date, dateTime, number, percent, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Metadata } from "./Columns.ts"
import { lookup, mappingOf, owner, stamps } from "./Common.ts"
import { begins, refers, word } from "./Criteria.ts"
import { currency } from "./Currency.ts"
import { records } from "./Records.ts"
import { placeClauses, placing } from "./Stages.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html
const mapping = mappingOf(Deal, (of) => [
  of.variant({
    nativeType: "Deals",
    entries: [
      ...stamps(of),
      of.field("name", "Deal_Name", text),
      of.field("description", "Description", text),
      of.field("amount", "Amount", number),
      currency(of),
      ...placed(of, placing),
      of.field("close_date", "Closing_Date", date),
      // follows from the stage, unless it is given
      of.lasting("probability", "Probability", percent),
      owner(of),
      of.field("account", "Account_Name", lookup),
      of.field("contact", "Contact_Name", lookup),
      of.readField("last_activity_at", "Last_Activity_Time", dateTime)
    ],
    notHeld: {}
  })
])

/** `pipelines` are those of an account. */
export const deal = (
  call: Caller,
  pipelines: (connection: ConnectionRef) => Effect.Effect<unknown, ProviderError>,
  metadata: Metadata
) =>
  records(call, mapping, {
    metadata,
    clauses: {
      Deals: {
        ...placeClauses(pipelines),
        name: begins("Deal_Name"),
        account: refers("Account_Name"),
        contact: refers("Contact_Name"),
        owner: refers("Owner"),
        q: word
      }
    }
  })
