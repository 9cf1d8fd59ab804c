import { Effect, type Scope } from "effect"
import { type Native, natives } from "../../mapping/Mapping.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Download, Upload, UploadRequest } from "../ProviderAdapter.ts"
import { Clash, Invalid, ProviderError, type Reason, Unsupported } from "../ProviderError.ts"
import { accounting, endpoints, malformed } from "./Objects.ts"

/**
 * The files of attachments. They are in the library of files too; only the Files API renames and removes them.
 * https://developer.xero.com/documentation/api/accounting/attachments
 * https://developer.xero.com/documentation/api/files/files
 */

const library = "/files.xro/1.0"

const jpeg = ["image/jpeg", "image/jpg"] as const
const office = "application/vnd.openxmlformats-officedocument"

/** Types of files that Xero accepts: https://central.xero.com/s/article/Supported-files-formats */
export const types: Upload["types"] = {
  "7z": ["application/x-7z-compressed"],
  bmp: ["image/bmp"],
  csv: ["text/csv"],
  doc: ["application/msword"],
  docx: [`${office}.wordprocessingml.document`],
  eml: ["message/rfc822"],
  gif: ["image/gif"],
  jpeg,
  jpg: jpeg,
  keynote: ["application/vnd.apple.keynote"],
  msg: ["application/vnd.ms-outlook"],
  numbers: ["application/vnd.apple.numbers"],
  odf: ["application/vnd.oasis.opendocument.formula"],
  ods: ["application/vnd.oasis.opendocument.spreadsheet"],
  odt: ["application/vnd.oasis.opendocument.text"],
  pages: ["application/vnd.apple.pages"],
  pdf: ["application/pdf"],
  png: ["image/png"],
  ppt: ["application/vnd.ms-powerpoint"],
  pptx: [`${office}.presentationml.presentation`],
  rar: ["application/vnd.rar", "application/x-rar-compressed"],
  rtf: ["application/rtf", "text/rtf"],
  tif: ["image/tiff"],
  tiff: ["image/tiff"],
  txt: ["text/plain"],
  xls: ["application/vnd.ms-excel"],
  xlsx: [`${office}.spreadsheetml.sheet`],
  zip: ["application/zip", "application/x-zip-compressed"]
}

/** Bytes of the largest file that Xero accepts, since April 2026. */
export const largest = 10 * 1024 * 1024

/** Characters that a file name must not contain. */
const unfit = /[<>:"/\\|?*\p{Cc}]/u

/** A file attached to a record. */
interface Owner {
  readonly connection: ConnectionRef
  readonly endpoint: string
  readonly id: string
}

const fault = (operation: string, reason: Reason, detail?: string) =>
  new ProviderError({ provider: "xero", operation, reason, ...(detail === undefined ? {} : { detail }) })

/** Errors in the fields written to a file, by member. */
const wrongIn = ({ FileName, ...others }: Native): { readonly [name: string]: string } => ({
  ...(unfit.test(String(FileName))
    ? { FileName: 'must not hold any of < > : " / \\ | ? *, nor control characters' }
    : {}),
  ...Object.fromEntries(Object.keys(others).map((other) => [other, "is not kept by Xero for a file"]))
})

/** Finds an attachment among its record's files: by id, or as the only one of its name and size. */
export const fileIn = (associations: ReadonlyArray<Native>, { AttachmentID, ContentLength, FileName }: Native) => {
  const alike = associations.filter(({ Name, Size }) => Name === FileName && Size === ContentLength)
  const found =
    associations.find(({ FileId }) => FileId === AttachmentID) ?? (alike.length === 1 ? alike[0] : undefined)
  return typeof found?.FileId === "string" ? found.FileId : undefined
}

/** Uploads, downloads, renames and removes files. */
export const files = (call: Caller) => {
  const { ask, askOne } = endpoints(call)
  const member = "Attachments"

  const list = ({ connection, endpoint, id }: Owner) =>
    Effect.map(
      ask(connection, member, {
        operation: "Attachments.list",
        method: "GET",
        path: `${accounting}/${endpoint}/:id/Attachments`,
        params: { id }
      }),
      ({ records }) => records
    )

  /** Refuses a name that another file of the record has: a file uploaded under that name would replace it. */
  const free = Effect.fnUntraced(function* (operation: string, owner: Owner, name: string, own?: unknown) {
    const held = yield* list(owner)
    const isTaken = held.some(
      (one) => one.AttachmentID !== own && String(one.FileName).toLowerCase() === name.toLowerCase()
    )
    if (isTaken) yield* fault(operation, new Clash(), "the record has another file of that name")
  })

  const send = Effect.fnUntraced(function* (
    owner: Owner,
    { encoded, file: { content, contentType } }: Pick<UploadRequest, "encoded" | "file">
  ): Effect.fn.Return<Native, ProviderError> {
    const { IncludeOnline, ...record } = encoded.record
    const name = String(record.FileName)
    const operation = "Attachments.create"
    const wrong = {
      ...wrongIn(record),
      ...(IncludeOnline === undefined || typeof IncludeOnline === "boolean"
        ? {}
        : { IncludeOnline: "must be a boolean" })
    }
    if (Object.keys(wrong).length > 0) return yield* fault(operation, new Invalid({ fields: wrong }))
    yield* free(operation, owner, name)
    return yield* askOne(owner.connection, member, {
      operation,
      method: "PUT",
      path: `${accounting}/${owner.endpoint}/:id/Attachments/:file`,
      params: { id: owner.id, file: name },
      ...(IncludeOnline === true ? { query: { IncludeOnline: "true" } } : {}),
      content: { type: contentType, stream: content }
    })
  })

  const download = Effect.fnUntraced(function* (
    { connection, endpoint, id }: Owner,
    file: string
  ): Effect.fn.Return<Download, ProviderError, Scope.Scope> {
    const operation = "Attachments.content"
    const { content, headers, status } = yield* call(connection, {
      operation,
      method: "GET",
      path: `${accounting}/${endpoint}/:id/Attachments/:file`,
      params: { id, file },
      download: yield* Effect.scope
    })
    if (content === undefined) return yield* malformed(operation, status, "no file in the answer")
    const size = headers["content-length"]
    return { content, contentType: headers["content-type"], size: size === undefined ? undefined : Number(size) }
  })

  /** Finds the id in the library of files; a file that the library does not list can be neither renamed nor removed. */
  const fileOf = Effect.fnUntraced(function* (operation: string, { connection, id }: Owner, attachment: Native) {
    const { body } = yield* call(connection, {
      operation: "Associations.list",
      method: "GET",
      path: `${library}/Associations/:id`,
      params: { id },
      query: { pagesize: 100 }
    })
    return fileIn(natives(body), attachment) ?? (yield* fault(operation, new Unsupported()))
  })

  const rename = Effect.fnUntraced(function* (owner: Owner, attachment: Native, record: Native) {
    const operation = "Files.update"
    const { FileName = attachment.FileName } = record
    const wrong = wrongIn({ ...record, FileName })
    if (Object.keys(wrong).length > 0) return yield* fault(operation, new Invalid({ fields: wrong }))
    if (FileName === attachment.FileName) return
    yield* free(operation, owner, String(FileName), attachment.AttachmentID)
    yield* call(owner.connection, {
      operation,
      method: "PUT",
      path: `${library}/Files/:file`,
      params: { file: yield* fileOf(operation, owner, attachment) },
      json: { Name: FileName }
    })
  })

  /** Detaches a file from its record, and deletes it unless other records have it too. */
  const remove = Effect.fnUntraced(function* (owner: Owner, attachment: Native) {
    const operation = "Files.remove"
    const { connection, id } = owner
    const file = yield* fileOf(operation, owner, attachment)
    const path = `${library}/Files/:file`
    const associations = `${path}/Associations`
    const { body } = yield* call(connection, { operation, method: "GET", path: associations, params: { file } })
    yield* call(connection, { operation, method: "DELETE", path: `${associations}/:id`, params: { file, id } })
    if (natives(body).some(({ ObjectId }) => ObjectId !== id)) return
    yield* Effect.mapError(
      call(connection, { operation, method: "DELETE", path, params: { file } }),
      (error) => new ProviderError({ ...error, done: ["association"] })
    )
  })

  return { list, send, download, rename, remove }
}
