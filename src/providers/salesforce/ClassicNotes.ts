import { Effect } from "effect"
import type { Note } from "../../canonical/crm/Note.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import type { EntriesOf } from "../../mapping/Entries.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { oneLink } from "../../mapping/OneLink.ts"
import { contentOfHtml, textOfContent } from "../../mapping/TextContent.ts"
import { text } from "../../mapping/Transform.ts"
import type { CreateRequest, Written } from "../ProviderAdapter.ts"
import { Invalid, type ProviderError } from "../ProviderError.ts"
import { deleted, stamps } from "./Common.ts"
import { composite, type Parts } from "./Composite.ts"
import { htmlOf, linkField } from "./ContentNotes.ts"
import { refers } from "./Conditions.ts"
import { fits, isOf } from "./Kinds.ts"
import { failure, type Org } from "./Org.ts"
import { insertion, query } from "./Rows.ts"
import { searched } from "./Search.ts"
import type { SObject } from "./SObjects.ts"
import { isSame, quote, soql } from "./Soql.ts"

/**
 * The classic notes: plain text on one record, which never changes.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_note.htm
 */
export const classicNote = "Note"

export const classicNotes = (org: Org): SObject => ({
  type: classicNote,
  prefix: "002",
  clauses: {
    account: refers("ParentId", "Account"),
    contact: refers("ParentId", "Contact"),
    opportunity: refers("ParentId", "Opportunity"),
    owner: refers("OwnerId"),
    q: searched(org, classicNote)
  }
})

const classicFields = ["Id", "CreatedDate", "SystemModstamp", "IsDeleted", "Title", "Body", "OwnerId", "ParentId"]

const kinds = { contact: "Contact", account: "Account", opportunity: "Opportunity", lead: "Lead" } as const

const parent = (of: EntriesOf<typeof Note>) =>
  oneLink(of, {
    fields: ["contact", "account", "opportunity", "lead"],
    noun: "a classic note",
    native: ["ParentId"],
    isFixed: true,
    idIn: ({ ParentId }, field) => (isOf(kinds[field], ParentId) ? String(ParentId) : null),
    accepts: (field, value, encoding) => fits(kinds[field], value, encoding.prefix + field, encoding),
    isSame,
    write: (link, { set }) => set("ParentId", link?.id ?? null)
  })

export const classicNoteEntries = (of: EntriesOf<typeof Note>) => [
  ...stamps(of),
  deleted(of),
  ...textContent(of, "Body", "a classic note"),
  of.field("title", "Title", text),
  of.field("owner", "OwnerId", text),
  ...parent(of)
]

/** The records that the encoded form of a Lightning note links, the more specific first. */
const parentsIn = (links: unknown) =>
  (["Opportunity", "Lead", "Contact", "Account"] as const).flatMap((kind) => {
    const id = getPath(links, `${kind}.add`)
    return typeof id === "string" ? [{ kind, id }] : []
  })

/** Makes a classic note of what was meant to be one of Lightning: on one record only. */
export const createClassic = (org: Org, request: CreateRequest): Effect.Effect<Written, ProviderError> => {
  const { connection, encoded, handling } = request
  const { Content, Title, ...record } = encoded.record
  const [parent, second] = parentsIn(encoded.steps.links)
  if (parent === undefined || (second !== undefined && handling === "strict")) {
    const field = linkField(second?.kind ?? "Contact")
    return failure("Note.create", new Invalid({ fields: { [field]: "a classic note is on exactly one record" } }))
  }
  const content = contentOfHtml(htmlOf(Content) ?? "")
  if (content.content_type === "HTML" && handling === "strict") {
    const reason = "the org has classic notes only, which hold no HTML; send text"
    return failure("Note.create", new Invalid({ fields: { Content: reason } }))
  }
  const written = {
    ...record,
    Title: String(Title).slice(0, 80),
    Body: textOfContent(content),
    ParentId: parent.id,
    ...(encoded.steps.owner === undefined ? {} : { OwnerId: encoded.steps.owner })
  }
  return Effect.gen(function* () {
    const parts: Parts = {
      record: () => insertion(classicNote, written),
      read: ({ made }) => query(soql(classicFields, classicNote, [`Id = ${quote(made("record"))}`], "LIMIT 1"))
    }
    const { read, record } = yield* composite(org, connection, "Note.create", parts)
    const [found] = natives(getPath(read, "records"))
    const id = String(getPath(record, "id"))
    return found === undefined ? { id } : { id, record: { nativeType: classicNote, record: found } }
  })
}
