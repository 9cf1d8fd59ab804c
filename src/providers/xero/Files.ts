import { Effect, type Scope } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Download, Upload, UploadRequest } from "../ProviderAdapter.ts"
import { Clash, Invalid, ProviderError, type Reason } from "../ProviderError.ts"
import { accounting, endpoints, malformed } from "./Objects.ts"

/**
 * What is in attachments.
 * https://developer.xero.com/documentation/api/accounting/attachments
 */

const jpeg = ["image/jpeg", "image/jpg"] as const
const office = "application/vnd.openxmlformats-officedocument"

/** What Xero takes: https://central.xero.com/s/article/Supported-files-formats */
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

/** Bytes of the largest file, since April 2026. */
export const largest = 10 * 1024 * 1024

/** Characters that no name of a file may hold. */
const unfit = /[<>:"/\\|?*\p{Cc}]/u

/** A file that hangs on a record. */
interface Place {
  readonly connection: ConnectionRef
  readonly endpoint: string
  readonly id: string
}

/** Sending and fetching files. */
export const files = (call: Caller) => {
  const { ask, askOne } = endpoints(call)
  const member = "Attachments"

  const list = ({ connection, endpoint, id }: Place) =>
    Effect.map(
      ask(connection, member, {
        operation: "Attachments.list",
        method: "GET",
        path: `${accounting}/${endpoint}/:id/Attachments`,
        params: { id }
      }),
      ({ records }) => records
    )

  /** A file of a name that is there already would take its place, so it is refused. */
  const send = Effect.fnUntraced(function* (
    place: Place,
    { encoded, file: { content, contentType } }: Pick<UploadRequest, "encoded" | "file">
  ): Effect.fn.Return<Native, ProviderError> {
    const { FileName, IncludeOnline, ...others } = encoded.record
    const name = String(FileName)
    const operation = "Attachments.create"
    const fail = (reason: Reason, detail?: string) =>
      new ProviderError({ provider: "xero", operation, reason, ...(detail === undefined ? {} : { detail }) })
    const wrong = {
      ...(unfit.test(name) ? { FileName: 'must not hold any of < > : " / \\ | ? *, nor control characters' } : {}),
      ...(IncludeOnline === undefined || typeof IncludeOnline === "boolean"
        ? {}
        : { IncludeOnline: "must be a boolean" }),
      ...Object.fromEntries(Object.keys(others).map((other) => [other, "is nothing that Xero keeps of a file"]))
    }
    if (Object.keys(wrong).length > 0) return yield* fail(new Invalid({ fields: wrong }))
    const held = yield* list(place)
    if (held.some((one) => String(one.FileName).toLowerCase() === name.toLowerCase())) {
      return yield* fail(new Clash(), "the record has a file of that name, which this one would take the place of")
    }
    return yield* askOne(place.connection, member, {
      operation,
      method: "PUT",
      path: `${accounting}/${place.endpoint}/:id/Attachments/:file`,
      params: { id: place.id, file: name },
      ...(IncludeOnline === true ? { query: { IncludeOnline: "true" } } : {}),
      content: { type: contentType, stream: content }
    })
  })

  const download = Effect.fnUntraced(function* (
    { connection, endpoint, id }: Place,
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

  return { list, send, download }
}
