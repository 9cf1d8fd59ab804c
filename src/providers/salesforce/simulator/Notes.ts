import { Either } from "effect"
import type { Account as Org } from "../../simulation/Account.ts"
import {
  area,
  base64,
  computed,
  datetime,
  deletion,
  fixed,
  flag,
  nothing,
  number,
  onCreate,
  owner,
  picklist,
  reference,
  required,
  sObject,
  stamps,
  text,
  views
} from "./Fields.ts"

// Notes, the classic ones and those of Lightning, which are documents.

/** The classic note. */
export const note = sObject({
  name: "Note",
  fields: [
    deletion,
    onCreate(
      required(
        reference("ParentId", ["Account", "Contact", "Lead", "Opportunity"], { children: "Notes", cascade: true })
      )
    ),
    required(text("Title", 80)),
    flag("IsPrivate"),
    area("Body"),
    owner,
    ...stamps
  ]
})

const bytesOf = (content: unknown) => (typeof content === "string" ? Buffer.from(content, "base64") : Buffer.alloc(0))

const latest = (org: Org, document: unknown) =>
  org
    .all("ContentVersion")
    .filter(({ ContentDocumentId, IsLatest }) => ContentDocumentId === document && IsLatest === true)

const file = [fixed(text("FileType", 20, { initial: "SNOTE" })), fixed(text("FileExtension", 40, { initial: "snote" }))]

const documentFields = [
  ...file,
  computed(number("ContentSize", "int"), ({ Content }) => bytesOf(Content).length),
  computed(reference("LatestPublishedVersionId", ["ContentVersion"]), ({ Id }, org) => latest(org, Id)[0]?.Id),
  picklist("SharingPrivacy", ["N", "P"], { restricted: true, initial: "N" }),
  ...stamps,
  ...views,
  deletion
]

/** The note of Lightning; its content is HTML in base64, read under its own address. Only its document changes hands. */
export const contentNote = sObject({
  name: "ContentNote",
  plural: "Notes",
  twin: "ContentDocument",
  fields: [
    required(text("Title")),
    base64("Content"),
    computed(text("TextPreview"), ({ Content }) =>
      bytesOf(Content)
        .toString("utf8")
        .replace(/<[^>]*>/g, "")
        .slice(0, 255)
    ),
    fixed(owner),
    fixed(flag("IsReadOnly")),
    // https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contentnote.htm
    ...documentFields.filter(({ code }) => code !== "SystemModstamp")
  ],
  // "unsafe HTML characters or new lines" are taken out (Object Reference, ContentNote)
  checks: [
    ({ after }) =>
      Either.right(
        typeof after.Content === "string"
          ? {
              ...after,
              Content: Buffer.from(
                bytesOf(after.Content)
                  .toString("utf8")
                  .replace(/[\r\n]/g, "")
              ).toString("base64")
            }
          : after
      )
  ],
  follows: ({ before, doc, org }, make) => {
    if (before === undefined) {
      make("ContentDocumentLink", {
        ContentDocumentId: doc.Id,
        LinkedEntityId: doc.OwnerId,
        ShareType: "I",
        Visibility: "AllUsers"
      })
    }
    if (before !== undefined && before.Content === doc.Content && before.Title === doc.Title) return
    const [last] = latest(org, doc.Id)
    if (last !== undefined) org.put("ContentVersion", String(last.Id), { ...last, IsLatest: false })
    make("ContentVersion", {
      ContentDocumentId: doc.Id,
      IsLatest: true,
      VersionNumber: String(Number(last?.VersionNumber ?? 0) + 1),
      Title: doc.Title,
      PathOnClient: `${String(doc.Title)}.snote`,
      VersionData: doc.Content,
      OwnerId: doc.OwnerId
    })
  }
})

/** All documents of the organisation are notes. */
export const contentDocument = sObject({
  name: "ContentDocument",
  twin: "ContentNote",
  can: { create: false, update: true, delete: true },
  fields: [required(text("Title")), owner, ...documentFields],
  // the owner's own link goes to the new one
  follows: ({ before, doc, org }) => {
    for (const link of org.all("ContentDocumentLink")) {
      if (link.ContentDocumentId === doc.Id && link.LinkedEntityId === before?.OwnerId) {
        org.put("ContentDocumentLink", String(link.Id), { ...link, LinkedEntityId: doc.OwnerId })
      }
    }
  }
})

export const contentVersion = sObject({
  name: "ContentVersion",
  can: nothing,
  fields: [
    fixed(
      required(reference("ContentDocumentId", ["ContentDocument"], { children: "ContentVersions", cascade: true }))
    ),
    fixed(flag("IsLatest")),
    fixed(text("VersionNumber", 20)),
    fixed(required(text("Title"))),
    fixed(text("PathOnClient", 500)),
    ...file,
    fixed(base64("VersionData")),
    computed(number("ContentSize", "int"), ({ VersionData }) => bytesOf(VersionData).length),
    fixed(owner),
    ...stamps,
    deletion
  ]
})

export const contentDocumentLink = sObject({
  name: "ContentDocumentLink",
  fields: [
    onCreate(
      required(
        reference("LinkedEntityId", ["Account", "Contact", "Lead", "Opportunity", "User"], {
          children: "ContentDocumentLinks",
          cascade: true
        })
      )
    ),
    onCreate(
      required(reference("ContentDocumentId", ["ContentDocument"], { children: "ContentDocumentLinks", cascade: true }))
    ),
    deletion,
    fixed(required(datetime("SystemModstamp"))),
    picklist("ShareType", ["V", "C", "I"], { restricted: true, initial: "V" }),
    picklist("Visibility", ["AllUsers", "InternalUsers", "SharedUsers"], { restricted: true, initial: "AllUsers" })
  ],
  filteredBy: ["ContentDocumentId", "LinkedEntityId"]
})
