import {
  type Caller,
  constant,
  dateTime,
  field,
  labelled,
  lasting,
  plainMapping,
  readField,
  type ResourceAdapter,
  text
} from "tributary/provider"
import { records } from "../Records.ts"

/** https://developer.acme.example/contacts */
const mapping = plainMapping([
  {
    nativeType: "contacts",
    entries: [
      readField("remote_id", "id", text),
      readField("remote_created_at", "created_at", dateTime),
      readField("remote_updated_at", "updated_at", dateTime),
      constant("remote_was_deleted", false),
      field("first_name", "first_name", text),
      // Acme has no contact without it
      lasting("last_name", "last_name", text),
      field("title", "job_title", text),
      labelled("email_addresses", "email_address_type", "email_address", { WORK: "email" }, text),
      labelled("phone_numbers", "phone_number_type", "phone_number", { WORK: "phone", MOBILE: "mobile" }, text)
    ]
  }
])

export const contact = (call: Caller): ResourceAdapter => records(call, mapping)
