import type { Fields, Resource } from "../canonical/Resource.ts"
import type { Body } from "../mapping/Encode.ts"
import { isNative } from "../mapping/Mapping.ts"
import type { FieldErrors } from "../platform/Errors.ts"

/**
 * A record in a list has null for a field whose value only a single read returns. Sent back, such a null would clear the
 * field by mistake, so it is refused if the record has a value. An object with its `id` was read; without one, null clears
 * as everywhere.
 */

const isNothing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)

const isWritten = (fields: Fields, name: string) => fields[name]?.access === "rw"

const entriesOf = (record: Body | undefined, name: string) => {
  const value = record?.[name]
  return Array.isArray(value) ? value.map((entry: unknown) => (isNative(entry) ? entry : {})) : []
}

/** A field's path in a body, and the record's value there. */
interface UnreadNull {
  readonly path: string
  readonly held: unknown
}

/** The nulls in a body that may come from a list. */
const unreadNullsIn = (
  { fields }: Resource,
  nullInLists: ReadonlyArray<string>,
  body: Body,
  current: Body | undefined
): ReadonlyArray<UnreadNull> =>
  nullInLists.flatMap((path): ReadonlyArray<UnreadNull> => {
    const [name = "", inside] = path.split("[].")
    if (inside === undefined) {
      const isLeft = typeof body.id === "string" && isNothing(body[name]) && isWritten(fields, name)
      return isLeft ? [{ path: name, held: current?.[name] }] : []
    }
    const shape = fields[name]?.item
    if (shape === undefined || !("fields" in shape) || !isWritten(shape.fields, inside)) return []
    const held = entriesOf(current, name)
    return entriesOf(body, name).flatMap((entry, i) =>
      typeof entry.id === "string" && isNothing(entry[inside])
        ? [
            {
              path: `${name}.${i}.${inside}`,
              held: held.find(({ remote_id }) => remote_id === entry.remote_id)?.[inside]
            }
          ]
        : []
    )
  })

/** Whether writing a body depends on the current record. */
export const mayHaveUnreadNulls = (resource: Resource, nullInLists: ReadonlyArray<string> = [], body: Body) =>
  unreadNullsIn(resource, nullInLists, body, undefined).length > 0

/** Errors for nulls that would clear values that the sender may never have seen, by path. */
export const unreadNulls = (
  resource: Resource,
  nullInLists: ReadonlyArray<string> = [],
  body: Body,
  current: Body | undefined
): FieldErrors =>
  Object.fromEntries(
    unreadNullsIn(resource, nullInLists, body, current)
      .filter(({ held }) => held !== undefined && !isNothing(held))
      .map(({ path }) => [
        path,
        "has a value, which lists do not tell; get the record before you send it back, or send null without its id to clear it"
      ])
  )
