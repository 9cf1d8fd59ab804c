import { Note } from "../../canonical/crm/Note.ts"
import type { EntriesOf } from "../../mapping/Entries.ts"
import { oneLink } from "../../mapping/OneLink.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { idOfModule, lookup, moduleMapping, stamps } from "./Common.ts"
import { records } from "./Records.ts"

const modules = { contact: "Contacts", account: "Accounts", opportunity: "Deals", lead: "Leads" } as const

/** A note is on one record, which is fixed when it is made. */
const parent = (of: EntriesOf<typeof Note>) =>
  oneLink(of, {
    fields: ["contact", "account", "opportunity", "lead"],
    noun: "a note",
    native: ["Parent_Id"],
    isFixed: true,
    idIn: (record, field) => idOfModule(record.Parent_Id, modules[field]),
    write: (link, { set }) => {
      if (link !== null) set("Parent_Id", { module: { api_name: modules[link.field] }, id: link.id })
    }
  })

// https://www.zoho.com/crm/developer/docs/api/v8/create-notes.html
// https://www.zoho.com/crm/developer/docs/api/v8/update-notes.html
const mapping = moduleMapping(Note, "Notes", (of) => [
  ...stamps(of),
  of.field("content", "Note_Content", text),
  of.field("title", "Note_Title", text),
  // who wrote it
  of.readField("owner", "Owner", lookup),
  ...parent(of)
])

/** Queries are not said to know notes. */
export const note = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, { listed: true }),
  rules: [{ rule: "oneOf", fields: ["contact", "account", "opportunity", "lead"] }]
})
