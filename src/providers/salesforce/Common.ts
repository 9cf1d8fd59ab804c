import {
  type Entry,
  field,
  type Mapping,
  readField,
  slots,
  type SlotsEntry,
  streetLines,
  type Variant
} from "../../mapping/Mapping.ts"
import { boolean, date, dateTime, decimal, integer, number, raw, text } from "../../mapping/Transform.ts"

/** Fields that every type has. */
export const stamps = [
  readField("remote_id", "Id", text),
  readField("remote_created_at", "CreatedDate", dateTime),
  readField("remote_updated_at", "LastModifiedDate", dateTime)
]

/** On every type but those that are never deleted, such as users. */
export const deleted = readField("remote_was_deleted", "IsDeleted", boolean)

/**
 * One of the addresses of a type: `MailingStreet`, `MailingCity`, …; its street has several lines.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/compound_fields_address.htm
 */
export const address = (prefix: string, is: string | null): SlotsEntry["slots"][number] => ({
  is,
  entries: [
    streetLines(`${prefix}Street`),
    field("city", `${prefix}City`, text),
    field("state", `${prefix}State`, text),
    field("postal_code", `${prefix}PostalCode`, text),
    field("country", `${prefix}Country`, text)
  ]
})

/** The one e-mail address of a person. */
export const emailAddress: SlotsEntry = slots("email_addresses", "email_address_type", [
  { is: null, entries: [field("email_address", "Email", text)] }
])

/** The mapping of a resource over several native types. */
export const mappingOver = (variants: ReadonlyArray<Variant>): Mapping => ({
  variants,
  blank: null,
  root: "",
  dialect: { text, providerId: text, date, dateTime, number, integer, boolean, decimal, object: raw, list: raw, raw }
})

/** The mapping of a resource with one native type. */
export const mappingOf = (nativeType: string, entries: ReadonlyArray<Entry>): Mapping =>
  mappingOver([{ nativeType, entries }])
