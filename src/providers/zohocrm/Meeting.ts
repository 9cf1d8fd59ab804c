import { Meeting } from "../../canonical/crm/Meeting.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { eventClauses, eventEntries } from "./Activities.ts"
import { moduleMapping } from "./Common.ts"
import { records } from "./Records.ts"

const mapping = moduleMapping(Meeting, "Events", (of) => [...eventEntries(of), of.field("location", "Venue", text)])

export const meeting = (call: Caller) => records(call, mapping, { clauses: { Events: eventClauses } })
