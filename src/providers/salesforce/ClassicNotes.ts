import { Effect } from "effect"
import type { Note } from "../../canonical/crm/Note.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Entry, isNative } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { CreateRequest, Written } from "../ProviderAdapter.ts"
import { Invalid, type ProviderError } from "../ProviderError.ts"
import { deleted, stamps } from "./Common.ts"
import { htmlOf, linkField } from "./ContentNotes.ts"
import { fits, type Kind, ofKind } from "./Kinds.ts"
import { asText } from "./Markup.ts"
import { failure, type Org } from "./Org.ts"
import { type SObject, sobject } from "./SObjects.ts"
import { isSame, quote, soql } from "./Soql.ts"

/**
 * The classic notes: plain text on one record, which never changes.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_note.htm
 */
export const classicNotes: SObject = { type: "Note", prefix: "002" }

const classicFields = ["Id", "CreatedDate", "LastModifiedDate", "IsDeleted", "Title", "Body", "OwnerId", "ParentId"]

const parent = <N extends string>(of: Entries<N>, canonical: N, kind: Kind): ComputedEntry =>
  of.computed({
    canonical,
    native: ["ParentId"],
    decode: ({ record }) => ofKind(kind, record.ParentId),
    needsCurrent: true,
    encode: (value, encoding) => {
      const { body, current, prefix, refuse } = encoding
      if (!fits(kind, value, prefix + canonical, encoding) || body[canonical] === undefined) return
      if (!isSame(value, ofKind(kind, current?.record.ParentId) ?? null)) {
        refuse(prefix + canonical, "cannot be changed: a classic note stays on its record")
      }
    }
  })

export const classicNoteEntries = (of: EntriesOf<typeof Note>): ReadonlyArray<Entry> => [
  ...stamps(of),
  deleted(of),
  of.field("content", "Body", text),
  of.field("title", "Title", text),
  of.field("owner", "OwnerId", text),
  parent(of, "contact", "Contact"),
  parent(of, "account", "Account"),
  parent(of, "opportunity", "Opportunity"),
  parent(of, "lead", "Lead")
]

/** What the encoded form of a Lightning note says of links. */
const parentsIn = (links: unknown) =>
  Object.entries(isNative(links) ? links : {}).map(([kind, change]) => ({
    kind,
    id: isNative(change) ? change.add : undefined
  }))

/** Makes a classic note of what was meant to be one of Lightning. */
export const createClassic = (org: Org, request: CreateRequest): Effect.Effect<Written, ProviderError> => {
  const { connection, encoded } = request
  const { Content, Title, ...record } = encoded.record
  const [parent, second] = parentsIn(encoded.steps.links)
  if (parent === undefined || second !== undefined) {
    const field = linkField(second?.kind ?? "Contact")
    return failure("Note.create", new Invalid({ fields: { [field]: "a classic note is on exactly one record" } }))
  }
  const written = {
    ...record,
    Title: String(Title).slice(0, 80),
    Body: asText(htmlOf(Content) ?? ""),
    ParentId: parent.id,
    ...(encoded.steps.owner === undefined ? {} : { OwnerId: encoded.steps.owner })
  }
  return Effect.gen(function* () {
    const create = sobject(org, classicNotes).create
    const { id } = yield* create({ ...request, encoded: { nativeType: classicNotes.type, record: written, steps: {} } })
    const query = soql(classicFields, classicNotes.type, [`Id = ${quote(id)}`], "LIMIT 1")
    const [found] = yield* org.query(connection, "Note.get", query)
    return found === undefined ? { id } : { id, record: { nativeType: classicNotes.type, record: found } }
  })
}
