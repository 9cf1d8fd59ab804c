import { Effect } from "effect"
import { Unprocessable } from "../platform/Errors.ts"
import { isUuid } from "../platform/Uuid.ts"
import type { ResourceAccess } from "./Access.ts"
import { Identities } from "./Identities.ts"

const urn = /^urn:uuid:/

/** An id without what may be written otherwise. Case matters in all but UUIDs. */
const plain = (id: string): string => {
  const uuid = id.replace(urn, "")
  return isUuid(uuid) ? uuid.toLowerCase() : id
}

/**
 * Refuses a batch that names a record twice, by whichever of its ids: its service id, and its id at the provider. Two service ids
 * are two records, which may have one id at the provider. `sent`: the id of each; undefined where that could not be read.
 */
export const refuseDuplicates = Effect.map(Identities, ({ resolve }) =>
  Effect.fnUntraced(function* (
    { connection, mapping: { resource } }: ResourceAccess,
    sent: ReadonlyArray<string | undefined>
  ) {
    const ids = sent.map((id) => (id === undefined ? undefined : plain(id)))
    const resolved = yield* resolve(
      connection,
      ids.flatMap((id) => (id !== undefined && isUuid(id) ? [id] : []))
    )
    const named = new Map<string, number>()
    const meant = new Map<string, number>()
    const errors = ids.flatMap((id, i): ReadonlyArray<readonly [string, string]> => {
      if (id === undefined) return []
      const known = resolved(id)
      const remoteId = known?.resource === resource.name ? plain(known.remoteId) : undefined
      const before = named.get(id) ?? (remoteId === undefined ? meant.get(id) : named.get(remoteId))
      if (before !== undefined) {
        return [[`records.${i}.id`, `is the one of records.${before}; name each record once`]]
      }
      named.set(id, i)
      if (remoteId !== undefined) meant.set(remoteId, i)
      return []
    })
    if (errors.length > 0) return yield* new Unprocessable({ errors: Object.fromEntries(errors) })
  })
)
