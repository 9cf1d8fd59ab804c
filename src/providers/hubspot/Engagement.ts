import { type Entry, field } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { association, associations } from "./Association.ts"

/**
 * Kinds of link from activities to the records that they are about, by id.
 * https://developers.hubspot.com/docs/guides/api/crm/associations/associations-v4#association-type-id-values
 */
const typeIds = {
  notes: { contacts: 202, companies: 190, deals: 214 },
  tasks: { contacts: 204, companies: 192, deals: 216 },
  meetings: { contacts: 200, companies: 188, deals: 212 },
  calls: { contacts: 194, companies: 182, deals: 206 },
  emails: { contacts: 198, companies: 186, deals: 210 },
  communications: { contacts: 81, companies: 87, deals: 85 }
} as const

/** Whose an activity is, and which records it is about; people stand in `contacts`, or one of them in `contact`. */
export const engagement = (nativeType: keyof typeof typeIds, people: "contact" | "contacts"): ReadonlyArray<Entry> => {
  const { companies, contacts, deals } = typeIds[nativeType]
  const person = { to: "contacts", typeId: contacts }
  return [
    field("owner", "properties.hubspot_owner_id", text),
    people === "contact" ? association(people, person) : associations(people, person),
    association("account", { to: "companies", typeId: companies }),
    association("opportunity", { to: "deals", typeId: deals })
  ]
}
