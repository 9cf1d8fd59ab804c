import { dateTime, literal, providerId, required, resource, text } from "../Resource.ts"
import { before, from, oneOf, refers } from "../Filter.ts"
import { contentType } from "./Content.ts"

/** Booked service slot. */
export const Appointment = resource({
  category: "crm",
  name: "appointment",
  class: "writable",
  description: "booked service slot",
  fields: {
    subject: required(text("title")),
    content: text("further information, as text or HTML; see `content_type`"),
    content_type: contentType,
    start_time: required(dateTime("start")),
    end_time: dateTime("end"),
    status: literal("state of the record", "SCHEDULED", "COMPLETED", "RESCHEDULED", "NO_SHOW", "CANCELLED"),
    location: text("place"),
    service: text("provider id of the booked service"),
    owner: providerId("member who performs it", "owner"),
    contact: providerId("person it is booked for", "contact"),
    account: providerId("company the record is linked to", "company")
  },
  filters: {
    account: refers("account"),
    contact: refers("contact"),
    owner: refers("owner"),
    status: oneOf("status"),
    start_after: from("start_time"),
    start_before: before("start_time")
  }
})
