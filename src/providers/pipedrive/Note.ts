import { Effect } from "effect"
import { Note } from "../../canonical/crm/Note.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { htmlContent } from "../../mapping/ContentEntries.ts"
import { type ComputedEntry, getPath } from "../../mapping/Mapping.ts"
import { negated, text, type Transform } from "../../mapping/Transform.ts"
import { byOffset, type Query } from "../base/Paging.ts"
import { rest } from "../base/Rest.ts"
import type { Caller } from "../base/Upstream.ts"
import { type Clauses, exact, wide } from "../Filtering.ts"
import type { ResourceAdapter, UpdateRequest } from "../ProviderAdapter.ts"
import { mappingOf, numericId, offsets, stamps } from "./Common.ts"
import { isId, secondFrom } from "./Filters.ts"
import { changes, envelope, idForm } from "./Objects.ts"

/**
 * A record that a note is on. A note may be moved and be on more, but not be taken off: the description has no null for
 * these fields, and those that a body leaves out stay. https://developers.pipedrive.com/docs/api/v1/Notes#updateNote
 */
const on = <N extends string>(
  of: Entries<N>,
  canonical: N,
  native: string,
  transform: Transform = numericId
): ComputedEntry<N> =>
  of.computed({
    canonical,
    native: [native],
    needsCurrent: (value) => value === null,
    decode: ({ record }, context) => {
      const value = record[native]
      return value === undefined || value === null ? null : transform.decode(value, context)
    },
    encode: (value, encoding) => {
      const { body, current, prefix, set, warn } = encoding
      if (value !== null) set(native, transform.encode(value, encoding, prefix + canonical))
      else if (body[canonical] === null && (getPath(current?.record, native) ?? null) !== null) {
        warn(prefix + canonical, "CHANGED", "cannot be cleared: Pipedrive takes no note off what it is on")
      }
    }
  })

/** Content is HTML. https://developers.pipedrive.com/docs/api/v1/Notes */
const mapping = mappingOf(Note, "", (of) => [
  of.variant({
    nativeType: "notes",
    entries: [
      ...stamps(of),
      of.readField("remote_was_deleted", "active_flag", negated),
      ...htmlContent(of, "content", { isLasting: true }),
      // only an administrator may write it
      of.lasting("owner", "user_id", numericId),
      on(of, "contact", "person_id"),
      on(of, "account", "org_id"),
      on(of, "opportunity", "deal_id"),
      on(of, "lead", "lead_id", text)
    ],
    notHeld: {
      title: "Pipedrive notes have no title."
    }
  })
])

const link = (parameter: string) => exact<Query>(({ text }) => (isId(text) ? { [parameter]: text } : null))

/** The day some days after that of an instant. */
const dayAround = (instant: string, days: number) =>
  new Date(Date.parse(instant) + days * 86_400_000).toISOString().slice(0, 10)

/** https://developers.pipedrive.com/docs/api/v1/Notes#getNotes */
const filters: Clauses<Query> = {
  // whole days, in an undocumented time zone
  created_after: wide(({ text }) => ({ start_date: dayAround(text, -1) })),
  created_before: wide(({ text }) => ({ end_date: dayAround(text, 1) })),
  modified_after: exact(({ text }) => ({ updated_since: secondFrom(text) })),
  contact: link("person_id"),
  account: link("org_id"),
  opportunity: link("deal_id"),
  owner: link("user_id")
}

/** A longer body may be a note as it was read. */
const fewFields = 2

export const note = (call: Caller): ResourceAdapter => {
  const plain = rest(call, {
    // deleted notes are inactive
    envelope: { ...envelope, isGone: ({ active_flag }) => active_flag === false },
    mapping,
    path: (type) => `/api/v1/${type}`,
    paging: byOffset({
      ...offsets,
      order: { sort: "id ASC" },
      // ids count up: padded, they sort as they count
      key: ({ record }) => String(record.id).padStart(16, "0")
    }),
    id: idForm,
    filters,
    // fields that it leaves out stay as they are
    method: "PUT"
  })
  /** Writes what differs from the note. An edit of a few fields is written without reading it first. */
  const update = Effect.fnUntraced(function* (request: UpdateRequest) {
    if (request.current === undefined && Object.keys(request.encoded.record).length <= fewFields) {
      return yield* plain.patch(request)
    }
    const held = request.current ?? (yield* plain.get(request))
    const encoded = { ...request.encoded, record: changes(request.encoded.record, held.record) }
    return yield* plain.patch({ ...request, current: held, encoded })
  })
  return {
    ...plain,
    replace: update,
    patch: update,
    rules: [{ rule: "oneOf", fields: ["contact", "account", "opportunity", "lead"] }]
  }
}
