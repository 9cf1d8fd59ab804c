import { Meeting } from "../../canonical/crm/Meeting.ts"
import type { Activity } from "../../canonical/crm/Activity.ts"
import type { EntriesOf } from "../../mapping/Entries.ts"
import { enumeration, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { about, among, common, moments, stamps } from "./Clauses.ts"
import { body, engagement } from "./Engagement.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"
import { span } from "./Span.ts"

// https://developers.hubspot.com/docs/guides/api/crm/engagements/meetings

/** States of meetings and appointments; HubSpot spells one of them differently. */
const outcomes = {
  SCHEDULED: "SCHEDULED",
  COMPLETED: "COMPLETED",
  RESCHEDULED: "RESCHEDULED",
  NO_SHOW: "NO_SHOW",
  CANCELED: "CANCELLED"
}

export const outcome = enumeration("meetingOutcome", outcomes)

/** Entries of a meeting that it has as an activity, too. */
export const meetingActivity = (of: EntriesOf<typeof Activity | typeof Meeting>) => [
  of.field("subject", "properties.hs_meeting_title", text),
  ...body(of, "hs_meeting_body"),
  // the place on the timeline follows the start
  ...span(of, ["properties.hs_meeting_start_time", "properties.hs_timestamp"], "properties.hs_meeting_end_time"),
  ...engagement(of, "contacts")
]

const mapping = objectMapping(Meeting, (of) => [
  of.variant({
    nativeType: "meetings",
    entries: [
      ...meetingActivity(of),
      of.field("location", "properties.hs_meeting_location", text),
      of.field("meeting_url", "properties.hs_meeting_external_url", text),
      of.field("status", "properties.hs_meeting_outcome", outcome)
    ],
    notHeld: {}
  })
])

/** Filters of a meeting that it has as an activity, too. */
export const meetingFilters = {
  ...stamps,
  ...common,
  ...about,
  ...moments("start", "hs_meeting_start_time", "hs_timestamp")
}

const filters = { meetings: { ...meetingFilters, status: among("hs_meeting_outcome", outcomes) } }

export const meeting = (call: Caller, typeOf: LinkTypes): ResourceAdapter => objects(call, typeOf, mapping, { filters })
