import { dateTime, literal, providerId, readOnly, required, resource, text } from "../Resource.ts"
import { before, from, oneOf, refers, searches } from "../Filter.ts"
import { contentType } from "./Content.ts"

/** To-do. */
export const Task = resource({
  category: "crm",
  name: "task",
  class: "writable",
  description: "to-do",
  fields: {
    subject: required(text("title")),
    content: text("details, as text or HTML; see `content_type`"),
    content_type: contentType,
    status: literal("done or not", "OPEN", "CLOSED"),
    priority: literal("urgency", "LOW", "NORMAL", "HIGH"),
    due_date: dateTime("deadline; date-only providers keep the day"),
    completed_date: readOnly(dateTime("when it was closed")),
    owner: providerId("assignee", "owner"),
    account: providerId("company the record is linked to", "company"),
    opportunity: providerId("deal the record is linked to", "deal"),
    contact: providerId("person the record is linked to", "contact")
  },
  filters: {
    account: refers("account"),
    contact: refers("contact"),
    opportunity: refers("opportunity"),
    owner: refers("owner"),
    status: oneOf("status"),
    due_after: from("due_date"),
    due_before: before("due_date"),
    q: searches()
  }
})
