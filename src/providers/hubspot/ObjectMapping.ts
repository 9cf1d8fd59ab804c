import type { CommonFields, Fields, Shape } from "../../canonical/Resource.ts"
import {
  type CommonEntries,
  type Entries,
  type MakeVariants,
  type MappedBy,
  staysAsItIs,
  variantsOf
} from "../../mapping/Entries.ts"
import { type ComputedEntry, getPath, type Mapping } from "../../mapping/Mapping.ts"
import {
  boolean,
  booleanString,
  date,
  dateTime,
  integerString,
  leaveOut,
  numericString,
  text
} from "../../mapping/Transform.ts"

const stamps = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "createdAt", dateTime),
  of.readField("remote_updated_at", "updatedAt", dateTime),
  of.readField("remote_was_deleted", "archived", boolean)
]

type Stamps = MappedBy<ReturnType<typeof stamps>>

/**
 * The mapping of a resource onto types of CRM objects. Every property is a string or null, and an empty string clears
 * it. https://developers.hubspot.com/docs/guides/api/crm/properties#update-or-clear-a-property-s-value
 */
export const objectMapping = <F extends Fields>(
  resource: Shape<F & CommonFields>,
  make: MakeVariants<F & CommonFields, Stamps>
): Mapping => ({
  blank: "",
  root: "properties",
  nativePath: (named) => (/^(contact\.)?properties\./.test(named) ? named : `properties.${named}`),
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
  ...variantsOf(resource, make, stamps)
})

/**
 * A field that is never empty and has fewer values than the property behind it. Values that the table lacks read as
 * `otherwise`; a value that already reads as the wanted one stays as it is, else the first that does is written.
 */
export const lasting = <N extends string>(
  of: Pick<Entries<N>, "computed">,
  canonical: N,
  native: string,
  table: { readonly [native: string]: string },
  otherwise: string
): ComputedEntry<N> => {
  const read = (record: unknown) => table[String(getPath(record, native))] ?? otherwise
  return of.computed({
    canonical,
    native: [native],
    needsCurrent: true,
    decode: ({ record }) => read(record),
    encode: (value, encoding) => {
      const { body, current, prefix, set, warn } = encoding
      const path = prefix + canonical
      if (value === null) {
        if (body[canonical] === null) warn(path, "CHANGED", staysAsItIs)
      } else if (current === undefined || read(current.record) !== value) {
        const written = Object.keys(table).find((name) => table[name] === value)
        if (written === undefined)
          leaveOut(encoding, path, value, `must be one of ${Object.values(table).join(", ")} here`)
        else set(native, written)
      }
    }
  })
}
