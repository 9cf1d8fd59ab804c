import { Meeting } from "../../canonical/crm/Meeting.ts"
import { text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf } from "./Common.ts"
import { eventEntries, events } from "./Events.ts"
import type { Org } from "./Org.ts"
import { sobject } from "./SObjects.ts"

const mapping = mappingOf(Meeting, (of) => [
  of.variant({
    nativeType: "Event",
    entries: [...eventEntries(of), of.field("location", "Location", text)],
    notHeld: {
      meeting_url: "A Salesforce event has no field for a video link.",
      status: "A Salesforce event has no status and no outcome."
    }
  })
])

export const meeting = (org: Org): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  ...sobject(org, events(org))
})
