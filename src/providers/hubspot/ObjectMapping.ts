import { type Entry, type Mapping, readField } from "../../mapping/Mapping.ts"
import { boolean, booleanString, date, dateTime, integerString, numericString, text } from "../../mapping/Transform.ts"

/**
 * The mapping of a resource onto one type of CRM object. Every property is a string or null, and an empty string clears
 * it. https://developers.hubspot.com/docs/guides/api/crm/properties#update-or-clear-a-property-s-value
 */
export const objectMapping = (nativeType: string, entries: ReadonlyArray<Entry>): Mapping => ({
  blank: "",
  root: "properties",
  dialect: {
    raw: text,
    text,
    providerId: text,
    number: numericString,
    integer: integerString,
    boolean: booleanString,
    date,
    dateTime
  },
  variants: [
    {
      nativeType,
      entries: [
        readField("remote_id", "id", text),
        readField("remote_created_at", "createdAt", dateTime),
        readField("remote_updated_at", "updatedAt", dateTime),
        readField("remote_was_deleted", "archived", boolean),
        ...entries
      ]
    }
  ]
})
