import { Meeting } from "../../canonical/crm/Meeting.ts"
import { computed } from "../../mapping/Entries.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { activityEntries, mappingOf } from "./Common.ts"
import { done, onActivities, startTimes } from "./Filters.ts"
import { objects } from "./Objects.ts"
import { people } from "./Participants.ts"
import { end, start } from "./Schedule.ts"

/** Done or not is all there is: a meeting that did not take place is over too. */
const outcome: Transform = {
  name: "outcome",
  decode: (done) => (done === true ? "COMPLETED" : "SCHEDULED"),
  encode: (status) => status !== "SCHEDULED" && status !== "RESCHEDULED"
}

/** An address; what a map added to it stays while its line stays. */
const location = computed({
  canonical: "location",
  native: ["location"],
  needsCurrent: true,
  decode: ({ record }) => getPath(record, "location.value") || null,
  encode: (value, { current, set }) => {
    if (value === null) set("location", null)
    else if (value !== getPath(current?.record, "location.value")) set("location", { value })
  }
})

const mapping = mappingOf(Meeting, "", (of) => [
  of.variant({
    nativeType: "activities",
    entries: [
      ...activityEntries(of),
      start(of, "start_time", { dayAtMidnight: false }),
      end(of),
      location(of),
      of.readField("meeting_url", "conference_meeting_url", text),
      of.lasting("status", "done", outcome),
      people(of)
    ],
    notHeld: {}
  })
])

export const meeting = (call: Caller): ResourceAdapter =>
  objects(call, mapping, {
    shows: ({ type }) => type === "meeting",
    isMade: { type: "meeting" },
    // a parameter for people looks at the primary one alone
    filters: { ...onActivities, ...startTimes, status: done("COMPLETED", "SCHEDULED") }
  })
