import type { Contact } from "../../canonical/crm/Contact.ts"
import type { Lead } from "../../canonical/crm/Lead.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Entry, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { address } from "./Address.ts"

/**
 * The fields of a person, which contacts have themselves and leads through their person.
 * https://developers.pipedrive.com/docs/api/v1/Persons
 */

/** Email addresses or phone numbers, the primary one first. Labels are free text; the app's own are `work`, `home` … */
const contactPoints = <N extends string>(of: Entries<N>, canonical: N, native: string, value: string): ComputedEntry =>
  of.computed({
    canonical,
    native: [native],
    decode: ({ record }) =>
      natives(getPath(record, native))
        .filter((one) => typeof one.value === "string" && one.value !== "")
        .toSorted((a, b) => Number(b.primary === true) - Number(a.primary === true))
        .map((one) => ({
          [value]: one.value,
          [`${value}_type`]: typeof one.label === "string" && one.label !== "" ? one.label.toUpperCase() : null
        })),
    encode: (items, { set }) => {
      set(
        native,
        natives(items).map((item, i) => {
          const label = item[`${value}_type`]
          return {
            value: item[value],
            primary: i === 0,
            ...(typeof label === "string" && label !== "" ? { label: label.toLowerCase() } : {})
          }
        })
      )
    }
  })

/** Of a name in one word Pipedrive makes a first name; here it is the last one, which everybody has. */
const partsOf = (last: unknown, first: unknown) =>
  typeof last === "string" && last !== "" ? [last, first || null] : [first || null, null]

const names = (of: Entries<"first_name" | "last_name">, prefix: string): ReadonlyArray<ComputedEntry> =>
  (["last_name", "first_name"] as const).map((canonical, i) =>
    of.computed({
      canonical,
      // the name in one is what is written: `withName`
      native: (i === 0 ? [canonical, "name"] : [canonical]).map((name) => prefix + name),
      needsCurrent: true,
      decode: ({ record }) => partsOf(getPath(record, `${prefix}last_name`), getPath(record, `${prefix}first_name`))[i],
      encode: (value, { set }) => set(prefix + canonical, value)
    })
  )

/** Entries of a person that stands at a place of the native record: `person.`, or "" for the record itself. */
export const personEntries = (of: EntriesOf<typeof Contact | typeof Lead>, prefix: string): ReadonlyArray<Entry> => [
  ...names(of, prefix),
  of.field("title", `${prefix}job_title`, text),
  address(of, `${prefix}postal_address`),
  contactPoints(of, "email_addresses", `${prefix}emails`, "email_address"),
  contactPoints(of, "phone_numbers", `${prefix}phones`, "phone_number")
]

/** A person with the parts of its name as they are shown. */
export const shown = (person: Native): Native => {
  const [last_name, first_name] = partsOf(person.last_name, person.first_name)
  return { ...person, last_name, first_name }
}

/** A person as the API takes it: the name in one, with the part that is not given as it is now. */
export const withName = ({ first_name, last_name, ...rest }: Native, before: Native = {}): Native => {
  if (first_name === undefined && last_name === undefined) return rest
  const held = shown(before)
  const parts = [
    first_name === undefined ? held.first_name : first_name,
    last_name === undefined ? held.last_name : last_name
  ]
  return { ...rest, name: parts.filter((part) => typeof part === "string" && part !== "").join(" ") }
}
