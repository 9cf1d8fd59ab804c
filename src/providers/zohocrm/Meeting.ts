import { Meeting } from "../../canonical/crm/Meeting.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { eventClauses, eventEntries } from "./Activities.ts"
import { mappingOf } from "./Common.ts"
import { records } from "./Records.ts"

const mapping = mappingOf(Meeting, (of) => [
  of.variant({
    nativeType: "Events",
    entries: [...eventEntries(of), of.field("location", "Venue", text)],
    notHeld: {
      meeting_url:
        "Zoho meetings have no field for a video link; details of an online meeting are in `$meeting_details`, which is not mapped.",
      status: "Zoho meetings have no status; `Check_In_Status` only says whether somebody checked in at the venue."
    }
  })
])

export const meeting = (call: Caller) => records(call, mapping, { clauses: { Events: eventClauses } })
