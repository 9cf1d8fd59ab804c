import type { Contact } from "../../canonical/crm/Contact.ts"
import type { Fields, Shape } from "../../canonical/Resource.ts"
import { countryCode } from "../../mapping/Country.ts"
import {
  type CommonEntries,
  type Entries,
  type EntriesOf,
  type MakeVariants,
  staysAsItIs,
  variantsOf
} from "../../mapping/Entries.ts"
import {
  type ComputedEntry,
  type Encoding,
  getPath,
  isNative,
  type Mapping,
  type Native,
  type SlotsEntry
} from "../../mapping/Mapping.ts"
import { streetLines } from "../../mapping/StreetLines.ts"
import {
  boolean,
  date,
  dateTime,
  decimal,
  integer,
  number,
  raw,
  text,
  type Transform
} from "../../mapping/Transform.ts"

/**
 * A record of another module, or a user: `{id, name}`, written with the id alone.
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html
 */
export const lookup: Transform = {
  name: "lookup",
  fit: { canonical: ["providerId"], native: ["object"] },
  decode: (native) => (isNative(native) && typeof native.id === "string" ? native.id : null),
  encode: (canonical) => ({ id: canonical })
}

/** `2026-11-21T10:00:00+00:00`: to the second, and with an offset in digits. */
export const moment: Transform = {
  ...dateTime,
  name: "moment",
  encode: (canonical) => `${new Date(String(canonical)).toISOString().slice(0, 19)}+00:00`
}

const dialect = {
  text,
  providerId: lookup,
  date,
  dateTime: moment,
  number,
  integer,
  boolean,
  decimal,
  object: raw,
  list: raw,
  raw
}

/** The native type of a variant is the name of its module. */
export const mappingOf = <F extends Fields>(resource: Shape<F>, make: MakeVariants<F>): Mapping => ({
  ...variantsOf(resource, make),
  blank: null,
  root: "",
  dialect
})

/**
 * A state with several native values. A write sets the first native field to the value for the state; a record that is in
 * the state already stays as it is.
 */
export const state = <const N extends string>(
  of: Entries<N>,
  options: {
    readonly canonical: N
    readonly native: readonly [written: string, ...read: ReadonlyArray<string>]
    readonly stateOf: (record: Native) => string | null
    readonly values: { readonly [state: string]: string }
    /** The value to write in place of one that the record cannot have at its time. */
    readonly instead?: (value: string | undefined, encoding: Encoding) => string | undefined
    /** No record is ever without it. */
    readonly always?: boolean
  }
): ComputedEntry<N> =>
  of.computed({
    canonical: options.canonical,
    native: options.native,
    needsCurrent: true,
    decode: ({ record }) => options.stateOf(record),
    encode: (value, encoding) => {
      const { body, current, prefix, set, warn } = encoding
      const { instead = (one) => one } = options
      const [native] = options.native
      const path = prefix + options.canonical
      const held = current === undefined ? null : options.stateOf(current.record)
      if (held === value) return
      if (typeof value !== "string" && options.always === true) {
        if (body[options.canonical] === null) warn(path, "CHANGED", staysAsItIs)
        return
      }
      const written = typeof value === "string" ? instead(options.values[value], encoding) : null
      const next = options.stateOf({ ...current?.record, [native]: written })
      if (next !== value && body[options.canonical] !== undefined) {
        const isStatus = options.canonical === "status" && value !== null
        warn(path, isStatus ? "STATUS_NOT_REACHED" : "CHANGED", `is held as ${String(next)} (${String(written)})`)
      }
      set(native, written)
    }
  })

/** The owner of a record: never empty, and the connected user when a create names none. */
export const owner = (of: Entries<"owner">) => of.lasting("owner", "Owner", lookup)

/** Entries of every record. */
export const stamps = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "Created_Time", dateTime),
  of.readField("remote_updated_at", "Modified_Time", dateTime),
  of.computed({
    canonical: "remote_was_deleted",
    native: ["Record_Status__s"],
    decode: ({ record }) => record.Record_Status__s === "Trash"
  })
]

/** One of the addresses of a module: `Mailing_Street`, `Mailing_City`, …; the names of its postal code differ. */
export const address = (
  of: Entries<"city" | "country" | "postal_code" | "state" | "street_1" | "street_2">,
  prefix: string,
  postalCode: string,
  is: string | null
): SlotsEntry["slots"][number] => ({
  is,
  entries: [
    streetLines(of, `${prefix}Street`),
    of.field("city", `${prefix}City`, text),
    of.field("state", `${prefix}State`, text),
    of.field("postal_code", `${prefix}${postalCode}`, text),
    of.field("country", `${prefix}Country`, countryCode)
  ]
})

export const emailAddresses = (of: EntriesOf<typeof Contact, "email_addresses">) =>
  of.slots("email_addresses", "email_address_type", (of) => [
    { is: null, entries: [of.field("email_address", "Email", text)] },
    { is: null, entries: [of.field("email_address", "Secondary_Email", text)] }
  ])

/** The id of a reference to one of several modules, if it leads to this one. */
export const idOfModule = (reference: unknown, module: string): string | null => {
  const id = getPath(reference, "id")
  return getPath(reference, "module.api_name") === module && typeof id === "string" ? id : null
}
