import { type Entry, field } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { association, associations } from "./Association.ts"

/** Whose an activity is, and which records it is about; people stand in `contacts`, or one of them in `contact`. */
export const engagement = (people: "contact" | "contacts"): ReadonlyArray<Entry> => [
  field("owner", "properties.hubspot_owner_id", text),
  people === "contact" ? association(people, { to: "contacts" }) : associations(people, { to: "contacts" }),
  association("account", { to: "companies" }),
  association("opportunity", { to: "deals" })
]
