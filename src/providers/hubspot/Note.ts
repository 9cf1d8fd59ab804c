import { Note } from "../../canonical/crm/Note.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { about, common, stamps } from "./Clauses.ts"
import { body, engagement } from "./Engagement.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"

// https://developers.hubspot.com/docs/guides/api/crm/engagements/notes

const mapping = objectMapping(Note, (of) => [
  of.variant({
    nativeType: "notes",
    entries: [...body(of, "hs_note_body"), ...engagement(of, "contact")],
    notHeld: {
      title: "HubSpot notes have no title.",
      lead: "HubSpot links notes to leads only in accounts with Sales Hub, so the link is not requested."
    }
  })
])

const filters = { notes: { ...stamps, ...common, ...about } }

/** A note has a time on the timeline, which no field of ours says: the time it was made. */
export const note = (call: Caller, typeOf: LinkTypes): ResourceAdapter =>
  objects(call, typeOf, mapping, { filters, initial: (_, now) => ({ hs_timestamp: now }) })
