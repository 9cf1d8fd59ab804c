import { Effect, Record } from "effect"
import { Note } from "../../canonical/crm/Note.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { isNative } from "../../mapping/Mapping.ts"
import { oneLink } from "../../mapping/OneLink.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { byOffset, type Query } from "../base/Paging.ts"
import { rest } from "../base/Rest.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { uuid } from "./Filters.ts"
import { endpoint, offsets } from "./Records.ts"
import { notDated, stamps } from "./Values.ts"

const objects = { opportunity: "deals", contact: "people", account: "companies" } as const

/** Notes are made and deleted, not changed. https://docs.attio.com/rest-api/endpoint-reference/notes */
const mapping = plainMapping(Note, (of) => [
  of.variant({
    nativeType: "notes",
    entries: [
      ...stamps(of, "note_id"),
      // the plain form; Attio's other form is Markdown
      ...textContent(of, "content_plaintext", "an Attio note", "content"),
      of.field("title", "title", text),
      of.computed({
        canonical: "owner",
        native: ["created_by_actor"],
        decode: ({ record: { created_by_actor: actor } }) =>
          isNative(actor) && actor.type === "workspace-member" ? actor.id : null
      }),
      ...oneLink(of, {
        fields: ["opportunity", "contact", "account"],
        noun: "an Attio note",
        native: ["parent_object", "parent_record_id"],
        idIn: ({ parent_object, parent_record_id }, field) =>
          parent_object === objects[field] && typeof parent_record_id === "string" ? parent_record_id : null,
        write: (link, { set }) => {
          if (link === null) return
          set("parent_object", objects[link.field])
          set("parent_record_id", link.id)
        },
        isFixed: true
      })
    ],
    notHeld: { ...notDated, lead: "Attio has no leads." }
  })
])

/** A note is on one record. https://docs.attio.com/rest-api/endpoint-reference/notes/list-notes */
const on = (parent_object: string) =>
  exact<Query>(({ text }) => (uuid.test(text) ? { parent_object, parent_record_id: text } : null))

const filters = Record.map(objects, on)

export const note = (call: Caller): ResourceAdapter => {
  const plain = rest(call, {
    ...endpoint("note_id"),
    mapping,
    verbs: ["list", "get", "create", "remove"],
    consistency: "anchored",
    path: (type) => `/v2/${type}`,
    // in an order that the description does not tell
    paging: byOffset({ ...offsets, most: 50 }),
    filters,
    body: (data) => ({ data: { title: "", format: "plaintext", ...data } })
  })
  return {
    ...plain,
    list: (request) =>
      Object.keys(filters).filter((name) => name in request.wanted).length > 1
        ? Effect.succeed({ records: [], next: null })
        : plain.list(request),
    rules: [{ rule: "oneOf", fields: ["contact", "account", "opportunity"] }]
  }
}
