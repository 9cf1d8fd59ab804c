import { computed } from "../../mapping/Entries.ts"
import { isNative, type Native } from "../../mapping/Mapping.ts"
import { numericId } from "./Common.ts"

/**
 * The people of an activity; one is the primary one. `person_id` is the id of that one, and cannot be written.
 * https://pipedrive.readme.io/docs/pipedrive-api-v2-migration-guide
 */

const peopleOf = (record: Native | undefined): ReadonlyArray<Native> =>
  Array.isArray(record?.participants)
    ? record.participants.filter(isNative).toSorted((a, b) => Number(b.primary === true) - Number(a.primary === true))
    : []

/** All the people, the primary one first. */
export const people = computed({
  canonical: "contacts",
  native: ["participants"],
  decode: ({ record }) => peopleOf(record).map(({ person_id }) => String(person_id)),
  encode: (value, encoding) => {
    const given: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    const ids = given.map((id, i) => numericId.encode(id, encoding, `${encoding.prefix}contacts.${i}`))
    encoding.set(
      "participants",
      [...new Set(ids)].map((person_id, i) => ({ person_id, primary: i === 0 }))
    )
  }
})

/** The primary one; writing it leaves the others. */
export const primary = computed({
  canonical: "contact",
  native: ["participants"],
  needsCurrent: true,
  decode: ({ record }) => {
    const person = peopleOf(record).find((one) => one.primary === true)
    return person === undefined ? null : String(person.person_id)
  },
  encode: (value, encoding) => {
    const id = value === null ? undefined : numericId.encode(value, encoding, `${encoding.prefix}contact`)
    const others = peopleOf(encoding.current?.record)
      .filter((one) => one.primary !== true && one.person_id !== id)
      .map(({ person_id }) => ({ person_id, primary: false }))
    encoding.set("participants", id === undefined ? others : [{ person_id: id, primary: true }, ...others])
  }
})
