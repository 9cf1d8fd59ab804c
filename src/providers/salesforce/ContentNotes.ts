import { Effect, Ref } from "effect"
import type { Note } from "../../canonical/crm/Note.ts"
import { contentEntries, type ContentHolding, contentIn } from "../../mapping/ContentEntries.ts"
import { computed, type Entries, type EntriesOf } from "../../mapping/Entries.ts"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { type Content, contentOfHtml, htmlOfContent, textOfContent } from "../../mapping/TextContent.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Invalid, ProviderError } from "../ProviderError.ts"
import { type Clause, wide } from "../Filtering.ts"
import { type Allowance, allowanceIn } from "./Allowance.ts"
import { deleted, stamps } from "./Common.ts"
import { moments, refers, type Said } from "./Conditions.ts"
import { fits, isOf, type Kind } from "./Kinds.ts"
import { api, type Org } from "./Org.ts"
import { change, insertion, type Part, removal } from "./Rows.ts"
import { searched } from "./Search.ts"
import type { Beside, SObject } from "./SObjects.ts"
import { isId, isSame, quote, soql } from "./Soql.ts"

// The notes of Lightning Experience: documents whose content is HTML, linked to any number of records.
// https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contentnote.htm

export const contentNote = "ContentNote"

/** When a note was last changed: its only stamp of this kind. */
const changed = "LastModifiedDate"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contentdocumentlink.htm */
const linkType = "ContentDocumentLink"
const links = "ContentDocumentLinks"

/** Content is in base64. */
export const htmlOf = (content: unknown) =>
  typeof content === "string" && content !== "" ? Buffer.from(content, "base64").toString("utf8") : null

/** The content of a note, from its base64. */
const decodeContent = (content: unknown) => contentOfHtml(htmlOf(content) ?? "")

/** A title is required; without one it is the beginning of the content. */
const titleOf = (content: Content) => {
  const words = textOfContent(content).replace(/\s+/g, " ").trim()
  return [...words].slice(0, 50).join("").trim() || "Untitled Note"
}

/** Quotes are escaped in notes, and a no-break space is not: Salesforce refuses references to most characters. */
const references: { readonly [found: string]: string } = { '"': "&quot;", "'": "&#39;", "&#160;": "\u00A0" }

/**
 * HTML as a note holds it. Salesforce takes line breaks out before it saves, which would join the words around them.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contentnote.htm
 */
const savedHtmlOf = (content: Content) =>
  content.content_type === "HTML"
    ? content.content.replace(/\r\n?|\n/g, " ")
    : htmlOfContent(content).replace(/["']|&#160;/g, (found) => references[found] ?? found)

const holding: ContentHolding = {
  native: ["Content"],
  read: ({ Content }) => decodeContent(Content),
  write: (content, { body, current, set }) => {
    const written = content === null ? null : savedHtmlOf(content)
    // each writing makes a version
    if (current === undefined || written !== htmlOf(current.record.Content)) {
      set("Content", written === null ? null : Buffer.from(written).toString("base64"))
    }
    if (current === undefined && content !== null && (body.title ?? "") === "") set("Title", titleOf(content))
  }
}

const title = computed({
  canonical: "title",
  native: ["Title"],
  decode: ({ record }) => record.Title,
  needsCurrent: true,
  encode: (value, { body, current, set }) => {
    if (value !== null && value !== "") set("Title", value)
    else set("Title", titleOf(contentIn(body) ?? decodeContent(current?.record.Content)))
  }
})

/** Only the document behind a note can be given to another user. */
const owner = computed({
  canonical: "owner",
  native: ["OwnerId"],
  decode: ({ record }) => record.OwnerId,
  needsCurrent: true,
  encode: (value, { body, current, prefix, step, warn }) => {
    if (body.owner === null) warn(`${prefix}owner`, "CHANGED", "cannot be cleared: a note is always someone's")
    if (value !== null && !isSame(value, current?.record.OwnerId)) step("owner", value)
  }
})

const give: Beside = (user) => ({ given: (id) => change("ContentDocument", id, { OwnerId: user }) })

/** Name under which a note has its links to records of a kind. */
export const linkField = (kind: string) => `${links}.${kind}`

const linksTo = (kind: Kind, record: Native): ReadonlyArray<Native> => {
  const held = getPath(record, linkField(kind))
  return natives(held)
}

/** The record of a kind that a note is linked to; a write replaces the link that the field shows, and leaves others. */
const linked = <N extends string>(of: Entries<N>, canonical: N, kind: Kind) =>
  of.computed({
    canonical,
    native: [linkField(kind)],
    decode: ({ record }) => linksTo(kind, record)[0]?.LinkedEntityId,
    needsCurrent: true,
    encode: (value, encoding) => {
      if (!fits(kind, value, encoding.prefix + canonical, encoding)) return
      const [held] = encoding.current === undefined ? [] : linksTo(kind, encoding.current.record)
      if (isSame(held?.LinkedEntityId ?? null, value)) return
      encoding.step("links", { [kind]: { add: value, remove: held?.Id ?? null } })
    }
  })

/** Reports a refused link under the field that it is for. */
const ofField =
  (kind: string) =>
  ({ detail, operation, provider, reason, status }: ProviderError) =>
    new ProviderError({
      provider,
      operation,
      status,
      detail,
      reason: reason._tag === "Invalid" ? new Invalid({ fields: { [linkField(kind)]: detail ?? "" } }) : reason
    })

/** The new link comes first, so that a failure leaves one too many. */
const relink: Beside = (changes) =>
  Object.fromEntries(
    Object.entries(isNative(changes) ? changes : {}).flatMap(([kind, said]) => {
      const { add, remove } = isNative(said) ? said : {}
      const made = (id: string): Part => ({
        ...insertion(linkType, { ContentDocumentId: id, LinkedEntityId: add, ShareType: "V" }),
        blame: ofField(kind)
      })
      const removed = (): Part => ({ ...removal(linkType, String(remove)), blame: ofField(kind) })
      return [
        ...(typeof add === "string" ? [[`made_${kind}`, made] as const] : []),
        ...(typeof remove === "string" ? [[`removed_${kind}`, removed] as const] : [])
      ]
    })
  )

const kinds: ReadonlyArray<Kind> = ["Contact", "Account", "Opportunity", "Lead"]

/** Query of the links of notes, where the variant reads any. */
const besides: NonNullable<SObject["besides"]> = ({ reads }) =>
  reads.some((path) => path.startsWith(`${links}.`))
    ? {
        links: (ids) =>
          soql(
            ["Id", "ContentDocumentId", "LinkedEntityId"],
            linkType,
            [`ContentDocumentId IN (${ids})`],
            "ORDER BY Id"
          )
      }
    : {}

/** The links of a note, by kind. */
const linksOf = (note: Native, rows: ReadonlyArray<Native>) => {
  const own = rows.filter(({ ContentDocumentId }) => isSame(ContentDocumentId, note.Id))
  return Object.fromEntries(kinds.map((kind) => [kind, own.filter((row) => isOf(kind, row.LinkedEntityId))]))
}

/** Share of an org's daily calls that is left to others, as contents are not worth them. */
const reserve = 0.1

const isScarce = ({ allowed, used }: Allowance) => allowed - used < allowed * reserve

/** Contents that are fetched at a time. */
const concurrency = 20

/** The size of a content, and its beginning without markup. */
const [beginning, size] = ["TextPreview", "ContentSize"] as const

/** The content in base64, if its plain-text beginning has all of its bytes, and so no markup is missing. */
const wholeIn = (record: Native) => {
  const text = record[beginning]
  const bytes = typeof text === "string" ? Buffer.from(text) : undefined
  return bytes?.length === record[size] ? bytes?.toString("base64") : undefined
}

/** The content in base64, as it is written; undefined if the note is gone meanwhile. */
const contentOf = (org: Org, connection: ConnectionRef, { Id }: Native, scarce: Ref.Ref<boolean>) =>
  org
    .call(connection, {
      operation: `${contentNote}.content`,
      method: "GET",
      path: `${api}/sobjects/:type/:id/Content`,
      params: { type: contentNote, id: String(Id) },
      text: true
    })
    .pipe(
      Effect.tap(({ headers }) => {
        const said = allowanceIn(headers)
        return said === undefined ? Effect.void : Ref.set(scarce, isScarce(said))
      }),
      Effect.map(({ body }) => Buffer.from(String(body)).toString("base64")),
      Effect.catchIf(
        ({ reason }) => reason._tag === "Missing",
        () => Effect.succeed(undefined)
      )
    )

/**
 * Fetches contents one by one: their resource takes no part in composite requests. Skips those that nobody reads or that a
 * query tells in full, and the rest of a page once an answer says that the org has few calls of its day left: such content
 * is null, and is there when the note is read alone.
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_sobjects_collections_retrieve_post.htm
 */
const complete = (org: Org): NonNullable<SObject["complete"]> =>
  Effect.fnUntraced(function* (connection, _, records, rows) {
    const scarce = yield* Ref.make(false)
    const contents = yield* Effect.forEach(
      records,
      (record) => {
        // a query gives the content's address, if asked for it, also where the content is gone
        if (typeof record.Content !== "string" || record.IsDeleted === true) return Effect.succeed(null)
        const told = wholeIn(record)
        return told === undefined
          ? Effect.if(scarce, {
              onTrue: () => Effect.succeed(null),
              onFalse: () => contentOf(org, connection, record, scarce)
            })
          : Effect.succeed(told)
      },
      { concurrency }
    )
    return records.flatMap(({ [beginning]: _, [size]: __, ...record }, i) =>
      contents[i] === undefined ? [] : [{ ...record, Content: contents[i], [links]: linksOf(record, rows.links ?? []) }]
    )
  })

export const contentNoteEntries = (of: EntriesOf<typeof Note>) => [
  ...stamps(of, changed),
  deleted(of),
  ...contentEntries(of, holding),
  title(of),
  linked(of, "contact", "Contact"),
  linked(of, "account", "Account"),
  linked(of, "opportunity", "Opportunity"),
  linked(of, "lead", "Lead"),
  // last: a user who has given a note away may no longer link it
  owner(of)
]

/**
 * Finds notes on a record by their links, which no query takes as a join. A note shows only the first link of each kind.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contentdocumentlink.htm
 */
const on = (org: Org, kind: Kind): Clause<Said> =>
  wide(({ text }) => {
    if (!isOf(kind, text) || !isId(text)) return null
    const conditions = [`LinkedEntityId = ${quote(text)}`, "ContentDocument.FileType = 'SNOTE'"]
    return (connection) =>
      Effect.map(
        org.query(connection, `${linkType}.list`, soql(["ContentDocumentId"], linkType, conditions, "ORDER BY Id")),
        (rows) => rows.map(({ ContentDocumentId }) => String(ContentDocumentId))
      )
  })

export const contentNotes = (org: Org): SObject => ({
  type: contentNote,
  prefix: "069",
  clauses: {
    account: on(org, "Account"),
    contact: on(org, "Contact"),
    opportunity: on(org, "Opportunity"),
    owner: refers("OwnerId"),
    ...moments("modified", changed),
    q: searched(org, contentNote)
  },
  companions: { Content: [beginning, size] },
  besides,
  complete: complete(org),
  parts: { owner: give, links: relink }
})
