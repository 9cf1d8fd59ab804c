import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import { answer, invalid, messagesOf, notFound, type Outcome } from "./Answers.ts"
import { accounting, type Handle, find, route } from "./Collections.ts"
import type { Kind } from "./Kind.ts"

// https://developer.xero.com/documentation/api/accounting/attachments

const most = 10
const largest = 10 * 1024 * 1024

/** https://central.xero.com/s/article/Supported-files-formats */
const extensions =
  /\.(?:7z|bmp|csv|docx?|eml|gif|jpe?g|keynote|msg|numbers|od[fst]|pages|pdf|png|pptx?|rar|rtf|tiff?|txt|xlsx?|zip)$/i

const unfit = /[<>:"/\\|?*]/

export const canBeCalled = (name: string): boolean => extensions.test(name) && !unfit.test(name)

/** The records that a file is attached to; stored files from before there could be several name one. */
export const parentsOf = ({ ParentID, ParentIDs }: Doc): ReadonlyArray<string> =>
  (Array.isArray(ParentIDs) ? ParentIDs : [ParentID]).map(String)

/** Lists the files of a record. */
export const filesOn = (account: Account, parent: string): ReadonlyArray<Doc> =>
  account.all("Attachment").filter((one) => parentsOf(one).includes(parent))

const view = (kind: Kind, parent: string, { AttachmentID, ContentLength, FileName, MimeType }: Doc): Doc => ({
  AttachmentID,
  FileName,
  MimeType,
  ContentLength,
  Url: `https://api.xero.com${accounting}/${kind.name}/${parent}/Attachments/${encodeURIComponent(String(FileName))}`
})

/** Table of file contents, by file id. */
const contents = "file"

/** Stores a file with the time of its change, and notes on its present and former records whether they have files. */
export const keepFile = (account: Account, doc: Doc, before: ReadonlyArray<string> = []): Doc => {
  const kept = { CreatedDateUtc: account.now, ...doc, UpdatedDateUtc: account.now }
  account.put("Attachment", String(doc.AttachmentID), kept)
  for (const parent of before) if (filesOn(account, parent).length === 0) account.remove("attached", parent)
  for (const parent of parentsOf(doc)) account.put("attached", parent, {})
  return kept
}

export const removeFile = (account: Account, id: string): void => {
  account.remove("Attachment", id)
  account.remove(contents, id)
}

const sameName = (doc: Doc, name: string) => String(doc.FileName).toLowerCase() === name.toLowerCase()

/** Attaches a file to a record, replacing a file of the same name. */
export const attach = (account: Account, parent: string, FileName: string, MimeType: string, content: Buffer): Doc => {
  const before = filesOn(account, parent).find((one) => sameName(one, FileName))
  const AttachmentID = String(before?.AttachmentID ?? crypto.randomUUID())
  account.put(contents, AttachmentID, { base64: content.toString("base64") })
  const file = { AttachmentID, FileName, MimeType, ContentLength: content.length }
  return keepFile(account, { ParentIDs: [parent], ...before, ...file })
}

const parentIn = (account: Account, kind: Kind, request: SimulatedRequest): Outcome<string> =>
  Either.map(find(account, kind, request.params.key ?? ""), (doc) => String(doc[kind.id]))

const upload =
  (kind: Kind): Handle =>
  (request, account) =>
    Either.gen(function* () {
      const parent = yield* parentIn(account, kind, request)
      const { file = "" } = request.params
      const content = Buffer.from(request.bytes)
      const isNew = filesOn(account, parent).every((one) => !sameName(one, file))
      const complaint =
        isNew && filesOn(account, parent).length >= most
          ? `A record can have at most ${most} attachments.`
          : !extensions.test(file)
            ? "The file type is not supported."
            : unfit.test(file)
              ? "The file name holds characters that are not allowed."
              : content.length === 0
                ? "The attachment is empty."
                : content.length > largest
                  ? "The attachment is larger than 10 MB."
                  : undefined
      if (complaint !== undefined) {
        return yield* Either.left(invalid([{ FileName: file, ValidationErrors: messagesOf([complaint]) }]))
      }
      const type = request.headers["content-type"] ?? "application/octet-stream"
      return answer(account, { Attachments: [view(kind, parent, attach(account, parent, file, type, content))] })
    })

/** Routes for the files of a kind of record: their metadata and contents. */
export const attachmentRoutes = (kind: Kind): ReadonlyArray<Route> => {
  const path = `${accounting}/${kind.name}/:key/Attachments`
  return [
    route("GET", path, [], (request, account) =>
      Either.map(parentIn(account, kind, request), (parent) =>
        answer(account, { Attachments: filesOn(account, parent).map((one) => view(kind, parent, one)) })
      )
    ),
    route("GET", `${path}/:file`, [], (request, account) =>
      Either.gen(function* () {
        const parent = yield* parentIn(account, kind, request)
        const { file = "" } = request.params
        const found = filesOn(account, parent).find((one) => one.AttachmentID === file || sameName(one, file))
        const base64 = account.get(contents, String(found?.AttachmentID))?.base64
        if (found === undefined || typeof base64 !== "string") return yield* Either.left(notFound)
        const headers = { "content-type": String(found.MimeType), "content-length": String(found.ContentLength) }
        return { status: 200, headers, body: Buffer.from(base64, "base64") }
      })
    ),
    route("PUT", `${path}/:file`, ["IncludeOnline"], upload(kind)),
    route("POST", `${path}/:file`, ["IncludeOnline"], upload(kind))
  ]
}
