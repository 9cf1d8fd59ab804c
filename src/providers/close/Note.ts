import { Note } from "../../canonical/crm/Note.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { once, stamps } from "./Common.ts"
import { created, link } from "./Filters.ts"
import { closeMapping, objects } from "./Objects.ts"
import { lead, onLead } from "./OnLead.ts"

/** The text of a note without its form: writing it would take the form away, so HTML stays HTML until then. */
const mapping = closeMapping(Note, (of) => [
  of.variant({
    nativeType: "activity/note",
    entries: [
      ...stamps(of),
      of.field("content", "note", text),
      of.field("title", "title", text),
      once(of, "owner", "user_id"),
      of.field("contact", "contact_id", text),
      lead(of)
    ],
    notHeld: {
      opportunity: "A Close note is on a lead and a contact, and names no opportunity.",
      lead: "What Close calls a lead is a company, which is `account` here."
    }
  })
])

/** https://developer.close.com/api/resources/activities/notes */
export const note = (call: Caller) => ({
  // the description names no `_fields` here
  ...objects(call, mapping, {
    fields: () => ({}),
    filters: {
      ...created,
      account: link("lead", "lead_id"),
      contact: link("cont", "contact_id"),
      owner: link("user", "user_id")
    }
  }),
  ...onLead(call)
})
