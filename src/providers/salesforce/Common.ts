import type { Contact } from "../../canonical/crm/Contact.ts"
import type { Fields, Shape } from "../../canonical/Resource.ts"
import { countryCode } from "../../mapping/Country.ts"
import {
  type CommonEntries,
  type Entries,
  type EntriesOf,
  type MakeVariants,
  variantsOf
} from "../../mapping/Entries.ts"
import type { Mapping, SlotsEntry } from "../../mapping/Mapping.ts"
import { streetLines } from "../../mapping/StreetLines.ts"
import { boolean, date, dateTime, decimal, integer, number, raw, text } from "../../mapping/Transform.ts"

/**
 * Fields that every type has. A change by the system, such as to a link to a deleted record, moves `SystemModstamp` alone,
 * which all types but Lightning's notes have.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/system_fields.htm
 */
export const stamps = (of: CommonEntries, changed = "SystemModstamp") => [
  of.readField("remote_id", "Id", text),
  of.readField("remote_created_at", "CreatedDate", dateTime),
  of.readField("remote_updated_at", changed, dateTime)
]

/** On every type but those that are never deleted, such as users. */
export const deleted = (of: Entries<"remote_was_deleted">) => of.readField("remote_was_deleted", "IsDeleted", boolean)

/**
 * One of the addresses of a type: `MailingStreet`, `MailingCity`, …; its street has several lines.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/compound_fields_address.htm
 */
export const address = (
  of: Entries<"city" | "country" | "postal_code" | "state" | "street_1" | "street_2">,
  prefix: string,
  is: string | null
): SlotsEntry["slots"][number] => ({
  is,
  entries: [
    streetLines(of, `${prefix}Street`),
    of.field("city", `${prefix}City`, text),
    of.field("state", `${prefix}State`, text),
    of.field("postal_code", `${prefix}PostalCode`, text),
    of.field("country", `${prefix}Country`, countryCode)
  ]
})

/** The one e-mail address of a person. */
export const emailAddress = (of: EntriesOf<typeof Contact, "email_addresses">) =>
  of.slots("email_addresses", "email_address_type", (of) => [
    { is: null, entries: [of.field("email_address", "Email", text)] }
  ])

/** The mapping of a resource onto types of records. */
export const mappingOf = <F extends Fields>(resource: Shape<F>, make: MakeVariants<F>): Mapping => ({
  ...variantsOf(resource, make),
  blank: null,
  root: "",
  dialect: { text, providerId: text, date, dateTime, number, integer, boolean, decimal, object: raw, list: raw, raw }
})
