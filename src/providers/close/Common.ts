import type { CommonEntries, Entries } from "../../mapping/Entries.ts"
import type { ComputedEntry } from "../../mapping/Mapping.ts"
import { dateTime, text, type Transform } from "../../mapping/Transform.ts"

export const stamps = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "date_created", dateTime),
  of.readField("remote_updated_at", "date_updated", dateTime),
  of.constant("remote_was_deleted", false)
]

/** A field that no record is ever without: a body that leaves it out keeps it. */
export const kept = <N extends string>(
  { lasting }: Pick<Entries<N>, "lasting">,
  canonical: N,
  native: string,
  transform: Transform
): ComputedEntry => {
  const entry = lasting(canonical, native, transform)
  return {
    ...entry,
    encode: (value, encoding) => {
      const { body, prefix, refuse } = encoding
      if (body[canonical] === null) {
        refuse(prefix + canonical, "cannot be cleared: a Close record always has one; leave it out to keep it")
      } else entry.encode?.(value, encoding)
    }
  }
}

/** A field that only a new record is given: Close has no call that changes it. */
export const once = <N extends string>(
  { computed }: Pick<Entries<N>, "computed">,
  canonical: N,
  native: string
): ComputedEntry =>
  computed({
    canonical,
    native: [native],
    needsCurrent: (value) => value !== undefined,
    decode: ({ record }) => record[native] ?? null,
    encode: (value, { body, current, prefix, refuse, set }) => {
      if (current === undefined) {
        if (value !== null) set(native, value)
      } else if (body[canonical] !== undefined && body[canonical] !== current.record[native]) {
        refuse(prefix + canonical, "cannot be changed: Close has no call that does; leave it out to keep it")
      }
    }
  })
