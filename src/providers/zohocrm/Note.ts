import { Note } from "../../canonical/crm/Note.ts"
import type { EntriesOf } from "../../mapping/Entries.ts"
import { oneLink } from "../../mapping/OneLink.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { type Clause, exact, wide } from "../Filtering.ts"
import { idOfModule, lookup, mappingOf, stamps } from "./Common.ts"
import { refers, type Saying } from "./Criteria.ts"
import { records } from "./Records.ts"
import { idForm } from "./Rows.ts"

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
const mapping = mappingOf(Note, (of) => [
  of.variant({
    nativeType: "Notes",
    entries: [
      ...stamps(of),
      ...textContent(of, "Note_Content", "a Zoho CRM note"),
      of.field("title", "Note_Title", text),
      // the author
      of.readField("owner", "Owner", lookup),
      ...parent(of)
    ],
    notHeld: {}
  })
])

/** https://www.zoho.com/crm/developer/docs/api/v8/get-related-records.html */
const on = (module: string): Clause<Saying> =>
  exact(({ text }) => (idForm.test(text) ? { within: { module, id: text } } : null))

const clauses = {
  account: on(modules.account),
  contact: on(modules.contact),
  opportunity: on(modules.opportunity),
  owner: wide(refers("Owner").say)
}

/** Queries are not said to know notes. */
export const note = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, { listed: true, clauses: { Notes: clauses } }),
  rules: [{ rule: "oneOf", fields: ["contact", "account", "opportunity", "lead"] }]
})
