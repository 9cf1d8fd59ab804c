import { dateTime, listOf, literal, providerId, required, resource, text } from "../Resource.ts"
import { before, from, refers, searches } from "../Filter.ts"
import { contentType } from "./Content.ts"

/** Interaction on the timeline: call, e-mail, meeting or other. */
export const Activity = resource({
  category: "crm",
  name: "activity",
  class: "writable",
  description: "interaction on the timeline: call, e-mail, meeting or other",
  fields: {
    activity_type: required(
      literal("kind (Merge has CALL, EMAIL, MEETING; OTHER added)", "CALL", "EMAIL", "MEETING", "OTHER")
    ),
    subject: text("title"),
    content: text("body or notes, as text or HTML; see `content_type`"),
    content_type: contentType,
    direction: literal("inbound or outbound", "INBOUND", "OUTBOUND"),
    start_time: required(dateTime("start")),
    end_time: dateTime("end"),
    owner: providerId("responsible user", "owner"),
    account: providerId("company the record is linked to", "company"),
    opportunity: providerId("deal the record is linked to", "deal"),
    contacts: listOf("people involved", providerId("people involved", "contact"))
  },
  filters: {
    account: refers("account"),
    contact: refers("contacts[]"),
    opportunity: refers("opportunity"),
    owner: refers("owner"),
    start_after: from("start_time"),
    start_before: before("start_time"),
    q: searches()
  }
})
