import { integer, readOnly, reference, required, resource, text } from "../Resource.ts"
import { begins } from "../Filter.ts"

/** File attached to a record. */
export const Attachment = resource({
  category: "accounting",
  name: "attachment",
  class: "writable",
  description: "file attached to a record",
  fields: {
    file_name: required(text("with extension; the only field PATCH changes")),
    file_url: readOnly(text("short-lived download URL (own proxy or provider link)")),
    content_type: readOnly(text("MIME type")),
    file_size: readOnly(integer("bytes")),
    related_object_type: text("resource name of the record it hangs on (multipart field)"),
    related_object_id: text("UUID of that record (multipart field)"),
    company: reference("legal entity the record belongs to", "company_info")
  },
  filters: { name: begins("file_name") }
})
