import { Meeting } from "../../canonical/crm/Meeting.ts"
import { text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf } from "./Common.ts"
import { eventEntries, events } from "./Events.ts"
import type { Org } from "./Org.ts"
import { sobject } from "./SObjects.ts"

const mapping = mappingOf(Meeting, "Event", (of) => [...eventEntries(of), of.field("location", "Location", text)])

export const meeting = (org: Org): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  ...sobject(org, events(org))
})
