import { type Entry, field } from "../../mapping/Mapping.ts"
import { enumeration, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { engagement } from "./Engagement.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"
import { span } from "./Span.ts"

// https://developers.hubspot.com/docs/guides/api/crm/engagements/meetings

/** States of meetings and appointments; HubSpot spells one of them otherwise. */
export const outcome = enumeration("meetingOutcome", {
  SCHEDULED: "SCHEDULED",
  COMPLETED: "COMPLETED",
  RESCHEDULED: "RESCHEDULED",
  NO_SHOW: "NO_SHOW",
  CANCELED: "CANCELLED"
})

/** What a meeting says as an activity, too. */
export const meetingActivity: ReadonlyArray<Entry> = [
  field("subject", "properties.hs_meeting_title", text),
  field("content", "properties.hs_meeting_body", text),
  // the place on the timeline follows the start
  ...span(["properties.hs_meeting_start_time", "properties.hs_timestamp"], "properties.hs_meeting_end_time"),
  ...engagement("contacts")
]

const mapping = objectMapping({
  nativeType: "meetings",
  entries: [
    ...meetingActivity,
    field("location", "properties.hs_meeting_location", text),
    field("meeting_url", "properties.hs_meeting_external_url", text),
    field("status", "properties.hs_meeting_outcome", outcome)
  ]
})

export const meeting = (call: Caller, typeOf: LinkTypes): ResourceAdapter => objects(call, typeOf, mapping)
