import type { CommonEntries, Entries } from "../../mapping/Entries.ts"
import type { ComputedEntry } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"

export const stamps = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "date_created", dateTime),
  of.readField("remote_updated_at", "date_updated", dateTime),
  of.constant("remote_was_deleted", false)
]

/** Reason for `last_activity_at`. */
export const noLastActivity = "The Close API does not return the time of the last activity."

/** A field that only a new record is given: Close has no call that changes it. */
export const once = <N extends string>(
  { computed }: Pick<Entries<N>, "computed">,
  canonical: N,
  native: string
): ComputedEntry<N> =>
  computed({
    canonical,
    native: [native],
    needsCurrent: (value) => value !== undefined,
    decode: ({ record }) => record[native] ?? null,
    encode: (value, { body, current, prefix, set, warn }) => {
      if (current === undefined) {
        if (value !== null) set(native, value)
      } else if (body[canonical] !== undefined && body[canonical] !== current.record[native]) {
        warn(prefix + canonical, "CHANGED", "cannot be changed: Close has no call that does; leave it out to keep it")
      }
    }
  })
