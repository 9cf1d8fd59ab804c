import { Effect, type Scope, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import type { Download, Target, Upload, UploadRequest, Written } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { type Books, faulty, malformed, namesNone } from "./Books.ts"

/**
 * The files behind Attachables.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/attachable#upload-attachments
 */

const jpeg = ["image/jpeg", "image/jpg"] as const
const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
const sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

/** Types of files that Intuit accepts; its own spellings (`image/jpg`, `image/tif`) come after the registered types. */
export const types: Upload["types"] = {
  ai: ["application/postscript"],
  csv: ["text/csv"],
  doc: ["application/msword"],
  docx: [word],
  eps: ["application/postscript"],
  gif: ["image/gif"],
  jpeg,
  jpg: jpeg,
  ods: ["application/vnd.oasis.opendocument.spreadsheet"],
  pdf: ["application/pdf"],
  png: ["image/png"],
  rtf: ["text/rtf", "application/rtf"],
  tif: ["image/tiff", "image/tif"],
  txt: ["text/plain"],
  xls: ["application/vnd.ms-excel"],
  xlsx: [sheet],
  xml: ["text/xml", "application/xml"]
}

/** Builds the form for one file and its metadata. */
const formOf = (metadata: Native, { content, contentType, name }: UploadRequest["file"]) => {
  const boundary = `tributary-${randomUUID()}`
  const head = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="file_metadata_01"; filename="attachment.json"',
    "Content-Type: application/json; charset=UTF-8",
    "",
    JSON.stringify(metadata),
    `--${boundary}`,
    `Content-Disposition: form-data; name="file_content_01"; filename="${name.replaceAll('"', "%22")}"`,
    `Content-Type: ${contentType}`,
    "",
    ""
  ].join("\r\n")
  const bytes = (text: string) => Stream.sync(() => Buffer.from(text))
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    stream: Stream.concat(Stream.concat(bytes(head), content), bytes(`\r\n--${boundary}--\r\n`))
  }
}

/** Uploads and downloads files. */
export const files = ({ ask, call, company }: Books) => {
  const send = Effect.fnUntraced(function* ({
    connection,
    encoded,
    file,
    parent,
    variant
  }: UploadRequest): Effect.fn.Return<Written, ProviderError> {
    // the file can be sent only once, so call first: an expired token is renewed before the upload
    if (parent === undefined) yield* company(connection)
    const refs =
      parent === undefined
        ? {}
        : { AttachableRef: [{ EntityRef: { type: parent.nativeType, value: parent.id }, IncludeOnSend: false }] }
    const operation = "Attachable.upload"
    const answer = yield* ask(connection, {
      operation,
      method: "POST",
      path: "upload",
      content: formOf({ ContentType: file.contentType, ...refs, ...encoded.record }, file)
    })
    const [given] = natives(getPath(answer.body, "AttachableResponse"))
    const record = getPath(given, "Attachable")
    if (isNative(record)) return { id: String(record.Id), record: { nativeType: variant.nativeType, record } }
    return yield* getPath(given, "Fault") === undefined
      ? malformed(operation, answer.status, "no Attachable in the answer")
      : faulty(operation, { ...answer, body: given })
  })

  /** Fetches the file's temporary address, which is valid for 15 minutes, and then the file. */
  const download = Effect.fnUntraced(function* ({
    connection,
    id
  }: Target): Effect.fn.Return<Download, ProviderError, Scope.Scope> {
    const address = yield* ask(connection, {
      operation: "Attachable.download",
      method: "GET",
      path: "download/:id",
      params: { id },
      text: true
    }).pipe(Effect.mapError(namesNone))
    const operation = "Attachable.content"
    const elsewhere = String(address.body).trim()
    const { content, headers, status } = yield* call(connection, {
      operation,
      method: "GET",
      path: "",
      elsewhere,
      download: yield* Effect.scope
    })
    if (content === undefined) return yield* malformed(operation, status, "no file in the answer")
    const size = headers["content-length"]
    return { content, contentType: headers["content-type"], size: size === undefined ? undefined : Number(size) }
  })

  return { send, download }
}
