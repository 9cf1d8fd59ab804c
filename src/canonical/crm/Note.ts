import { providerId, required, resource, text } from "../Resource.ts"
import { refers, searches } from "../Filter.ts"
import { contentType } from "./Content.ts"

/** Free-text remark on other records. */
export const Note = resource({
  category: "crm",
  name: "note",
  class: "writable",
  description: "free-text remark on other records",
  fields: {
    content: required(text("the remark itself, as text or HTML; see `content_type`")),
    content_type: contentType,
    title: text("heading, where the provider has one"),
    owner: providerId("responsible user", "owner"),
    contact: providerId("person the record is linked to", "contact"),
    account: providerId("company the record is linked to", "company"),
    opportunity: providerId("deal the note is on (Merge naming)", "deal"),
    lead: providerId("lead the record is linked to", "lead")
  },
  filters: {
    account: refers("account"),
    contact: refers("contact"),
    opportunity: refers("opportunity"),
    owner: refers("owner"),
    q: searches()
  }
})
