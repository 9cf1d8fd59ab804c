import { Note } from "../../canonical/crm/Note.ts"
import type { EntriesOf } from "../../mapping/Entries.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { idOfModule, lookup, moduleMapping, stamps } from "./Common.ts"
import { records } from "./Records.ts"

/** A note is on one record, which is fixed when it is made. */
const modules = [
  ["contact", "Contacts"],
  ["account", "Accounts"],
  ["opportunity", "Deals"],
  ["lead", "Leads"]
] as const

const parents = (of: EntriesOf<typeof Note>) =>
  modules.map(([canonical, module]) =>
    of.computed({
      canonical,
      native: ["Parent_Id"],
      needsCurrent: true,
      decode: ({ record }) => idOfModule(record.Parent_Id, module),
      encode: (value, { body, current, get, prefix, refuse, set }) => {
        if (current !== undefined) {
          const isHeld = (value ?? null) === idOfModule(current.record.Parent_Id, module)
          if (body[canonical] !== undefined && !isHeld) refuse(prefix + canonical, "is fixed when the note is made")
        } else if (getPath(get("Parent_Id"), "id") !== undefined) {
          refuse(prefix + canonical, "is one record too many: a note is on one only")
        } else set("Parent_Id", { module: { api_name: module }, id: value })
      }
    })
  )

// https://www.zoho.com/crm/developer/docs/api/v8/create-notes.html
// https://www.zoho.com/crm/developer/docs/api/v8/update-notes.html
const mapping = moduleMapping(Note, "Notes", (of) => [
  ...stamps(of),
  of.field("content", "Note_Content", text),
  of.field("title", "Note_Title", text),
  // who wrote it
  of.readField("owner", "Owner", lookup),
  ...parents(of)
])

/** Queries are not said to know notes. */
export const note = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, { listed: true }),
  rules: [{ rule: "oneOf", fields: ["contact", "account", "opportunity", "lead"] }]
})
