import { Effect } from "effect"
import { Note } from "../../canonical/crm/Note.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, getPath } from "../../mapping/Mapping.ts"
import { negated, text, type Transform } from "../../mapping/Transform.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { NativeRecord, ResourceAdapter, Target, UpdateRequest, Written } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { kept, mappingOf, numericId, stamps } from "./Common.ts"
import { failure, isNumericId, madeBy, recordOf } from "./Objects.ts"
import { offsets } from "./Offsets.ts"

/**
 * What a note is on. It may be moved and be on more, but not be taken off: the description knows no null for these, and what
 * a body leaves out stays. https://developers.pipedrive.com/docs/api/v1/Notes#updateNote
 */
const on = <N extends string>(
  of: Entries<N>,
  canonical: N,
  native: string,
  transform: Transform = numericId
): ComputedEntry =>
  of.computed({
    canonical,
    native: [native],
    needsCurrent: (value) => value === null,
    decode: ({ record }, context) => {
      const value = record[native]
      return value === undefined || value === null ? null : transform.decode(value, context)
    },
    encode: (value, encoding) => {
      const { body, current, prefix, refuse, set } = encoding
      if (value !== null) set(native, transform.encode(value, encoding, prefix + canonical))
      else if (body[canonical] === null && (getPath(current?.record, native) ?? null) !== null) {
        refuse(
          prefix + canonical,
          "cannot be cleared: Pipedrive takes no note off what it is on; leave it out to keep it"
        )
      }
    }
  })

/** Content is HTML, kept as it is. https://developers.pipedrive.com/docs/api/v1/Notes */
const mapping = mappingOf(Note, "notes", "", (of) => [
  ...stamps(of),
  of.readField("remote_was_deleted", "active_flag", negated),
  kept(of, "content", "content", text),
  // only an administrator may write it
  kept(of, "owner", "user_id", numericId),
  on(of, "contact", "person_id"),
  on(of, "account", "org_id"),
  on(of, "opportunity", "deal_id"),
  on(of, "lead", "lead_id", text)
])

/** Deleted notes are inactive. */
const isLive = ({ record }: NativeRecord) => record.active_flag !== false

/** Ids count up: padded, they sort as they count. */
const keyOf = ({ record }: NativeRecord) => String(record.id).padStart(16, "0")

export const note = (call: Caller): ResourceAdapter => {
  const path = "/api/v1/notes/:id"

  /** The note that a call answers. */
  const single = (
    { connection, id }: Target,
    part: Pick<Call, "operation" | "method" | "json">
  ): Effect.Effect<NativeRecord, ProviderError> => {
    const request: Call = { ...part, path, params: { id } }
    const missing = failure(request.operation, new Missing())
    if (!isNumericId(id)) return missing
    return call(connection, request).pipe(
      Effect.flatMap((answer) => recordOf(request, answer)),
      Effect.map((record): NativeRecord => ({ nativeType: "notes", record })),
      Effect.filterOrElse(isLive, () => missing)
    )
  }

  const get = (target: Target) => single(target, { operation: "notes.get", method: "GET" })

  /** What a PUT leaves out stays as it is. */
  const update = ({ encoded, mode, ...target }: UpdateRequest): Effect.Effect<Written, ProviderError> =>
    Effect.map(
      Object.keys(encoded.record).length === 0
        ? get(target)
        : single(target, { operation: `notes.${mode}`, method: "PUT", json: encoded.record }),
      (record) => ({ id: target.id, record })
    )

  return {
    mapping,
    consistency: "exact",
    list: ({ connection, limit, position }) =>
      Effect.map(
        offsets(call, connection, "notes", { path: "/api/v1/notes", sort: "id ASC", keyOf })(position, limit),
        ({ next, records }) => ({ records: records.filter(isLive), next })
      ),
    get,
    create: ({ connection, encoded }) => {
      const json = encoded.record
      const request: Call = { operation: "notes.create", method: "POST", path: "/api/v1/notes", json }
      return Effect.map(madeBy(call, connection, request), (record) => ({
        id: String(record.id),
        record: { nativeType: "notes", record }
      }))
    },
    replace: update,
    patch: update,
    remove: ({ connection, id }) => {
      const operation = "notes.remove"
      return isNumericId(id)
        ? Effect.asVoid(call(connection, { operation, method: "DELETE", path, params: { id } }))
        : failure(operation, new Missing())
    }
  }
}
