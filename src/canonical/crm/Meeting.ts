import { dateTime, listOf, literal, providerId, required, resource, text } from "../Resource.ts"
import { before, from, oneOf, refers, searches } from "../Filter.ts"
import { contentType } from "./Content.ts"

/** Calendar meeting logged on CRM records. */
export const Meeting = resource({
  category: "crm",
  name: "meeting",
  class: "writable",
  description: "calendar meeting logged on CRM records",
  fields: {
    subject: required(text("title")),
    content: text("agenda or notes, as text or HTML; see `content_type`"),
    content_type: contentType,
    start_time: required(dateTime("start")),
    end_time: required(dateTime("end")),
    location: text("place"),
    meeting_url: text("video link"),
    status: literal(
      "outcome, where the provider records one",
      "SCHEDULED",
      "COMPLETED",
      "RESCHEDULED",
      "NO_SHOW",
      "CANCELLED"
    ),
    owner: providerId("host", "owner"),
    contacts: listOf("attendees that are contacts", providerId("attendees that are contacts", "contact")),
    account: providerId("company the record is linked to", "company"),
    opportunity: providerId("deal the record is linked to", "deal")
  },
  filters: {
    account: refers("account"),
    contact: refers("contacts[]"),
    opportunity: refers("opportunity"),
    owner: refers("owner"),
    status: oneOf("status"),
    start_after: from("start_time"),
    start_before: before("start_time"),
    q: searches()
  }
})
