import type { Contact } from "../../canonical/crm/Contact.ts"
import type { Lead } from "../../canonical/crm/Lead.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { address } from "./Address.ts"

/**
 * The fields of a person, which contacts have themselves and leads through their person.
 * https://developers.pipedrive.com/docs/api/v1/Persons
 */

/** Email addresses or phone numbers, the primary one first. Labels are free text; the app's own are `work`, `home` … */
const contactPoints = <N extends string>(of: Entries<N>, canonical: N, native: string, value: string) =>
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
        natives(items)
          .filter((item) => isText(item[value]))
          .map((item, i) => {
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

const isText = (value: unknown) => typeof value === "string" && value !== ""

/** Of a name in one word Pipedrive makes a first name; here it is the last one. */
const partsOf = (last: unknown, first: unknown) => (isText(last) ? [last, first || null] : [first || null, null])

/** The parts are written together: `withName`. */
const names = (of: Entries<"first_name" | "last_name">, place: string) =>
  (["last_name", "first_name"] as const).map((canonical, i) => {
    const partsIn = (record: Native | undefined) =>
      partsOf(getPath(record, `${place}last_name`), getPath(record, `${place}first_name`))
    return of.computed({
      canonical,
      native: (i === 0 ? [canonical, "name"] : [canonical]).map((name) => place + name),
      needsCurrent: true,
      decode: ({ record }) => partsIn(record)[i],
      encode: (value, { body, current, prefix, set, warn }) => {
        set(place + canonical, value)
        const last = body.last_name === undefined ? partsIn(current?.record)[0] : body.last_name
        if (canonical === "first_name" && isText(value) && !isText(last)) {
          warn(prefix + canonical, "CHANGED", "is held as last_name: of a name in one word it is the last one here")
        }
      }
    })
  })

/** Entries of a person that stands at a place of the native record: `person.`, or "" for the record itself. */
export const personEntries = (of: EntriesOf<typeof Contact | typeof Lead>, prefix: string) => [
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

/**
 * A person as the API takes it: the parts of the name come together, the one that is not given as it is now, since a name
 * in one would be split at its last space. The name in one comes with them: Pipedrive's own client knows no other.
 * https://github.com/pipedrive/client-nodejs/blob/master/src/versions/v2/models/add-person-request.ts
 */
export const withName = ({ first_name, last_name, ...rest }: Native, before: Native = {}): Native => {
  if (first_name === undefined && last_name === undefined) return rest
  const held = shown(before)
  const [first, last] = [
    first_name === undefined ? held.first_name : first_name,
    last_name === undefined ? held.last_name : last_name
  ].map((part) => part || null)
  if (first === held.first_name && last === held.last_name) return rest
  // a person without a name is refused for its name, not for one part of it
  return first === null && last === null
    ? { ...rest, name: "" }
    : { ...rest, name: nameOf({ first_name: first, last_name: last }), first_name: first ?? "", last_name: last ?? "" }
}

/** The name in one. */
export const nameOf = ({ first_name, last_name }: Native): string => [first_name, last_name].filter(isText).join(" ")
