import { Activity } from "../../canonical/crm/Activity.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { eventClauses, eventEntries, links } from "./Activities.ts"
import { callEntries } from "./Calls.ts"
import { mappingOf } from "./Common.ts"
import { moments, refers, word } from "./Criteria.ts"
import { records } from "./Records.ts"

/** E-mails are no records of a module: https://www.zoho.com/crm/developer/docs/api/v8/get-email-rel-list.html */
const mapping = mappingOf(Activity, (of) => [
  of.variant({
    nativeType: "Events",
    when: { activity_type: "MEETING" },
    entries: [of.constant("activity_type", "MEETING"), ...eventEntries(of)],
    notHeld: { direction: "Zoho meetings have no direction; only calls are inbound or outbound." }
  }),
  // other activities are calls, which nobody is invited to
  of.variant({ nativeType: "Calls", entries: [of.constant("activity_type", "CALL"), ...callEntries(of)], notHeld: {} })
])

const callClauses = { ...links, contact: refers("Who_Id"), ...moments("start", "Call_Start_Time"), q: word }

export const activity = (call: Caller): ResourceAdapter =>
  records(call, mapping, { clauses: { Events: eventClauses, Calls: callClauses } })
