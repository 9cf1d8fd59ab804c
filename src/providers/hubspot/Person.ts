import { type Entry, field, labelled, slots, streetLines } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { emailAddresses } from "./EmailAddresses.ts"

/**
 * What a contact says of a person; `properties` is the native path that its properties are under.
 * https://knowledge.hubspot.com/properties/hubspots-default-contact-properties
 */
export const person = (properties: string): ReadonlyArray<Entry> => [
  field("first_name", `${properties}.firstname`, text),
  field("last_name", `${properties}.lastname`, text),
  field("title", `${properties}.jobtitle`, text),
  slots("addresses", "address_type", [
    {
      is: null,
      entries: [
        streetLines(`${properties}.address`),
        field("city", `${properties}.city`, text),
        field("state", `${properties}.state`, text),
        field("postal_code", `${properties}.zip`, text),
        field("country", `${properties}.country`, text)
      ]
    }
  ]),
  emailAddresses(properties),
  labelled(
    "phone_numbers",
    "phone_number_type",
    "phone_number",
    { WORK: `${properties}.phone`, MOBILE: `${properties}.mobilephone`, FAX: `${properties}.fax` },
    text
  )
]
