import { Contact } from "../../canonical/crm/Contact.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { association } from "./Association.ts"
import { begins, common, email, linkedTo, phone, stamped } from "./Clauses.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"
import { person } from "./Person.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/contacts

const mapping = objectMapping(Contact, (of) => [
  of.variant({
    nativeType: "contacts",
    entries: [
      ...person(of, "properties"),
      association(of, "account", { to: "companies", type: "contact_to_company", primary: true }),
      of.field("owner", "properties.hubspot_owner_id", text),
      of.readField("last_activity_at", "properties.notes_last_updated", dateTime)
    ],
    notHeld: {}
  })
])

const filters = {
  contacts: {
    ...stamped("createdate", "lastmodifieddate"),
    ...common,
    email,
    phone,
    name: begins("firstname", "lastname"),
    account: linkedTo("company")
  }
}

/** One of these is required: https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/guide */
export const contact = (call: Caller, typeOf: LinkTypes): ResourceAdapter => ({
  ...objects(call, typeOf, mapping, { filters }),
  rules: [{ rule: "oneOf", fields: ["last_name", "first_name", "email_addresses"] }]
})
