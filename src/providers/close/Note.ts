import { Note } from "../../canonical/crm/Note.ts"
import { contentEntries, type ContentHolding } from "../../mapping/ContentEntries.ts"
import { contentOfHtml, htmlOfContent } from "../../mapping/TextContent.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { once, stamps } from "./Common.ts"
import { created, link } from "./Filters.ts"
import { closeMapping, objects } from "./Objects.ts"
import { lead, onLead } from "./OnLead.ts"

/** Rich text is a body element. https://developer.close.com/api/overview/rich-text */
const bodyElement = /^\s*<body[^<>]*>([^]*)<\/body>\s*$/i

/**
 * A note has a plain form and one in HTML. Writing one of them sets the other.
 * https://developer.close.com/api/resources/activities/notes
 */
const forms: ContentHolding = {
  native: ["note", "note_html"],
  read: ({ note, note_html }) => {
    const html = String(note_html ?? "")
    const content = contentOfHtml(bodyElement.exec(html)?.[1] ?? html)
    return content.content_type === "TEXT" && typeof note === "string" && note !== ""
      ? { content: note, content_type: "TEXT" }
      : content
  },
  write: (content, { current, set }) => {
    // If the note already has this plain form, only its HTML can lose the formatting.
    const isText = content?.content_type !== "HTML" && (content === null || content.content !== current?.record.note)
    if (isText) return set("note", content?.content ?? null)
    const html = htmlOfContent(content)
    set("note_html", bodyElement.test(html) ? html : `<body>${html}</body>`)
  }
}

const mapping = closeMapping(Note, (of) => [
  of.variant({
    nativeType: "activity/note",
    entries: [
      ...stamps(of),
      ...contentEntries(of, forms),
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
