import { Note } from "../../canonical/crm/Note.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, isNative } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { byOffset } from "../axes/Paging.ts"
import { rest } from "../axes/Rest.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { endpoint, offsets } from "./Records.ts"
import { stamps } from "./Values.ts"

/** A note is on one record. */
const on = <N extends string>(
  { computed }: Pick<Entries<N>, "computed">,
  canonical: N,
  object: string
): ComputedEntry =>
  computed({
    canonical,
    native: ["parent_object", "parent_record_id"],
    decode: ({ record }) => (record.parent_object === object ? record.parent_record_id : null),
    encode: (id, { get, prefix, refuse, set }) => {
      if (get("parent_object") !== undefined) {
        return refuse(prefix + canonical, "must be left out: an Attio note is on one record")
      }
      set("parent_object", object)
      set("parent_record_id", id)
    }
  })

/** Notes are made and deleted, not changed. https://docs.attio.com/rest-api/endpoint-reference/notes */
const mapping = plainMapping(Note, (of) => [
  {
    nativeType: "notes",
    entries: [
      ...stamps(of, "note_id"),
      of.computed({
        canonical: "content",
        native: ["content_plaintext"],
        decode: ({ record }) => record.content_plaintext,
        encode: (content, { set }) => set("content", content)
      }),
      of.field("title", "title", text),
      of.computed({
        canonical: "owner",
        native: ["created_by_actor"],
        decode: ({ record: { created_by_actor: actor } }) =>
          isNative(actor) && actor.type === "workspace-member" ? actor.id : null
      }),
      on(of, "contact", "people"),
      on(of, "account", "companies"),
      on(of, "opportunity", "deals")
    ]
  }
])

export const note = (call: Caller): ResourceAdapter => ({
  ...rest(call, {
    ...endpoint("note_id"),
    mapping,
    verbs: ["list", "get", "create", "remove"],
    consistency: "anchored",
    path: (type) => `/v2/${type}`,
    // in an order that the description does not tell
    paging: byOffset({ ...offsets, most: 50 }),
    body: (data) => ({ data: { title: "", format: "plaintext", ...data } })
  }),
  rules: [{ rule: "oneOf", fields: ["contact", "account", "opportunity"] }]
})
