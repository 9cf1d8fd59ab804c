import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { textAt } from "../../simulation/Docs.ts"
import type { Reply, Route } from "../../simulation/Simulator.ts"
import { invalidData, notFound, type Outcome } from "./Answers.ts"
import { canBeCalled, filesOn, keepFile, parentsOf, removeFile } from "./Attachments.ts"
import { bodyOf, route, whole } from "./Collections.ts"
import { type Fields, id, number, part, read, text } from "./Fields.ts"
import { tenantOf } from "./Organisation.ts"

// https://developer.xero.com/documentation/api/files/files and .../associations

const path = "/files.xro/1.0"

/** The groups of records that associations can name; transfers and orders are in none. */
const groups: { readonly [entity: string]: (doc: Doc) => string } = {
  Account: () => "Account",
  BankTransaction: ({ Type }) => (String(Type).startsWith("SPEND") ? "CashPaid" : "CashRec"),
  Contact: () => "Business",
  CreditNote: ({ Type }) => (Type === "ACCPAYCREDIT" ? "AccPayCredit" : "AccRecCredit"),
  Invoice: ({ Type }) => (Type === "ACCPAY" ? "Accpay" : "AccRec"),
  ManualJournal: () => "ManJournal"
}

const refused = (type: string, title: string, detail: string): Reply => ({
  status: 400,
  body: [{ type, title, detail }]
})

/** The record as the library of files names it; undefined for one that it does not know. */
const objectOf = (account: Account, ObjectId: string): Doc | undefined =>
  Object.entries(groups).flatMap(([ObjectGroup, typeOf]) => {
    const doc = account.get(ObjectGroup, ObjectId)
    return doc === undefined ? [] : [{ ObjectId, ObjectType: typeOf(doc), ObjectGroup }]
  })[0]

const associationsOf = (account: Account, file: Doc): ReadonlyArray<Doc> =>
  parentsOf(file).flatMap((parent) => {
    const about = objectOf(account, parent)
    return about === undefined ? [] : [{ FileId: file.AttachmentID, ...about }]
  })

/** Times without a zone, to a ten-millionth of a second. */
const time = (at: unknown) => new Date(typeof at === "number" ? at : 0).toISOString().replace("Z", "0000")

const view = (account: Account, file: Doc): Doc => ({
  Name: file.FileName,
  MimeType: file.MimeType,
  Size: file.ContentLength,
  CreatedDateUtc: time(file.CreatedDateUtc),
  UpdatedDateUtc: time(file.UpdatedDateUtc),
  User: { Id: tenantOf(`user ${account.name}`), Name: "owner@liffey-cycles.example" },
  FolderId: tenantOf(`inbox ${account.name}`),
  Id: file.AttachmentID
})

const find = (account: Account, key: string | undefined): Outcome<Doc> =>
  Either.fromNullable(account.get("Attachment", (key ?? "").toLowerCase()), () => notFound)

const fields: Fields = {
  Id: id,
  Name: text(),
  FolderId: id,
  MimeType: text(),
  Size: number,
  CreatedDateUtc: text(),
  UpdatedDateUtc: text(),
  User: part({ Id: id, Name: text(), FirstName: text(), LastName: text(), FullName: text() })
}

const association: Fields = { FileId: id, ObjectId: id, ObjectGroup: text(), ObjectType: text() }

const sorts: { readonly [name: string]: (file: Doc) => unknown } = {
  Name: ({ FileName }) => FileName,
  Size: ({ ContentLength }) => ContentLength,
  CreatedDateUtc: ({ CreatedDateUtc }) => CreatedDateUtc,
  AssociationDateUtc: ({ CreatedDateUtc }) => CreatedDateUtc
}

const compare = (left: unknown, right: unknown) =>
  typeof left === "number" && typeof right === "number" ? left - right : String(left) < String(right) ? -1 : 1

export const fileRoutes: ReadonlyArray<Route> = [
  route("GET", `${path}/Files/:key`, [], ({ params }, account) =>
    Either.map(find(account, params.key), (file) => ({ status: 200, body: view(account, file) }))
  ),
  route("PUT", `${path}/Files/:key`, [], (request, account) =>
    Either.gen(function* () {
      const file = yield* find(account, request.params.key)
      const { doc } = yield* read(fields, yield* bodyOf(request))
      const name = textAt(doc, "Name") ?? String(file.FileName)
      if (!canBeCalled(name)) {
        const detail = `Unable to rename ${String(file.AttachmentID)} to ${name}`
        return yield* Either.left(refused("Rename", "Rename failed", detail))
      }
      return { status: 200, body: view(account, keepFile(account, { ...file, FileName: name })) }
    })
  ),
  // a file can be deleted once it has no associations: https://github.com/XeroAPI/Xero-Java/issues/408
  route("DELETE", `${path}/Files/:key`, [], ({ params }, account) =>
    Either.gen(function* () {
      const file = yield* find(account, params.key)
      if (parentsOf(file).length > 0) {
        return yield* Either.left(refused("Validation", "Validation failure", "The file is associated with an object."))
      }
      removeFile(account, String(file.AttachmentID))
      return { status: 204 }
    })
  ),
  route("GET", `${path}/Files/:key/Associations`, [], ({ params }, account) =>
    Either.map(find(account, params.key), (file) => ({ status: 200, body: associationsOf(account, file) }))
  ),
  route("POST", `${path}/Files/:key/Associations`, [], (request, account) =>
    Either.gen(function* () {
      const file = yield* find(account, request.params.key)
      const { doc } = yield* read(association, yield* bodyOf(request))
      const about = objectOf(account, textAt(doc, "ObjectId") ?? "")
      if (about === undefined || about.ObjectGroup !== doc.ObjectGroup) {
        const detail = `Object is not a ${String(doc.ObjectGroup)}`
        return yield* Either.left(refused("Validation", "Validation failure", detail))
      }
      const parents = new Set([...parentsOf(file), String(about.ObjectId)])
      keepFile(account, { ...file, ParentIDs: [...parents] })
      return { status: 201, body: { FileId: file.AttachmentID, ...about } }
    })
  ),
  route("DELETE", `${path}/Files/:key/Associations/:object`, [], ({ params }, account) =>
    Either.gen(function* () {
      const file = yield* find(account, params.key)
      const held = parentsOf(file)
      const left = held.filter((one) => one !== (params.object ?? "").toLowerCase())
      if (left.length === held.length) return yield* Either.left(notFound)
      keepFile(account, { ...file, ParentIDs: left }, held)
      return { status: 204 }
    })
  ),
  route("GET", `${path}/Associations/:key`, ["pagesize", "page", "sort", "direction"], ({ params, query }, account) =>
    Either.gen(function* () {
      const size = yield* whole(query.get("pagesize"), 50, 100, "pagesize")
      const page = yield* whole(query.get("page"), 1, Number.MAX_SAFE_INTEGER, "page")
      const of = sorts[query.get("sort") ?? "CreatedDateUtc"]
      const direction = query.get("direction") ?? "ASC"
      if (of === undefined) return yield* Either.left(invalidData("The parameter 'sort' is not supported."))
      if (direction !== "ASC" && direction !== "DESC") {
        return yield* Either.left(invalidData("The parameter 'direction' is not supported."))
      }
      const about = objectOf(account, (params.key ?? "").toLowerCase())
      const files = about === undefined ? [] : filesOn(account, String(about.ObjectId))
      const body = files
        .toSorted((a, b) => (direction === "ASC" ? 1 : -1) * compare(of(a), of(b)))
        .slice((page - 1) * size, page * size)
        .map((file) => ({
          SendWithObject: false,
          Name: file.FileName,
          Size: file.ContentLength,
          CreatedDateUtc: time(file.CreatedDateUtc),
          AssociationDateUtc: time(file.CreatedDateUtc),
          FileId: file.AttachmentID,
          ...about
        }))
      return { status: 200, body }
    })
  )
]
