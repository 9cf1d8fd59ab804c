import type { Contact } from "../../canonical/crm/Contact.ts"
import type { Lead } from "../../canonical/crm/Lead.ts"
import { countryCode } from "../../mapping/Country.ts"
import type { EntriesOf } from "../../mapping/Entries.ts"
import { streetLines } from "../../mapping/StreetLines.ts"
import { text } from "../../mapping/Transform.ts"
import { emailAddresses } from "./EmailAddresses.ts"

/**
 * Entries of the person behind a contact; `properties` is the native path of its properties.
 * https://knowledge.hubspot.com/properties/hubspots-default-contact-properties
 */
export const person = (of: EntriesOf<typeof Contact | typeof Lead>, properties: string) => [
  of.field("first_name", `${properties}.firstname`, text),
  of.field("last_name", `${properties}.lastname`, text),
  of.field("title", `${properties}.jobtitle`, text),
  of.slots("addresses", "address_type", (of) => [
    {
      is: null,
      entries: [
        streetLines(of, `${properties}.address`),
        of.field("city", `${properties}.city`, text),
        of.field("state", `${properties}.state`, text),
        of.field("postal_code", `${properties}.zip`, text),
        of.field("country", `${properties}.country`, countryCode)
      ]
    }
  ]),
  emailAddresses(of, properties),
  of.labelled(
    "phone_numbers",
    "phone_number_type",
    "phone_number",
    { WORK: `${properties}.phone`, MOBILE: `${properties}.mobilephone`, FAX: `${properties}.fax` },
    text
  )
]
