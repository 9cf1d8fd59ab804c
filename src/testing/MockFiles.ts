import { Effect, Stream } from "effect"
import { resourcesOf } from "../canonical/Catalogue.ts"
import type { Native } from "../mapping/Mapping.ts"
import type { Download, Upload, UploadRequest } from "../providers/ProviderAdapter.ts"
import { nativeTypeOf } from "./MockMapping.ts"

/** The files of a mock's attachments, in memory; what is said of them is a record like others. */

/** Content types by the extension of a file's name. */
export const types: Upload["types"] = {
  csv: ["text/csv"],
  docx: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  gif: ["image/gif"],
  jpeg: ["image/jpeg"],
  jpg: ["image/jpeg"],
  pdf: ["application/pdf"],
  png: ["image/png"],
  txt: ["text/plain"],
  xlsx: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  xml: ["text/xml", "application/xml"]
}

/** Native types that files hang on: those of every resource. */
export const parents = resourcesOf("accounting").map(({ name }) => nativeTypeOf(name))

/** Takes a file in; gives the record of it, and its bytes. */
export const received = ({ encoded, file, parent }: UploadRequest) =>
  Effect.map(Stream.runCollect(file.content), (chunks) => {
    const bytes = Buffer.concat([...chunks])
    const related = parent === undefined ? {} : { related_object_type: parent.resource, related_object_id: parent.id }
    const record: Native = {
      ...encoded.record,
      ...related,
      content_type: file.contentType,
      file_size: bytes.length
    }
    return { bytes, record }
  })

/** The file of a record: what was uploaded, or, of a record that the mock was made with, its name as text. */
export const fileOf = ({ content_type, file_name }: Native, uploaded: Uint8Array | undefined): Download => {
  const content = uploaded ?? Buffer.from(String(file_name ?? ""))
  return {
    content: Stream.make(content),
    size: content.length,
    contentType: typeof content_type === "string" ? content_type : undefined
  }
}
