import { Either, Option, Predicate, Schema } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Reply, Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import { entityOf } from "./Entities.ts"
import type { Entity } from "./Entity.ts"
import { business, faultOf, missing, type Outcome, refuse, tid, unreadable, unsupported } from "./Faults.ts"
import { textAt } from "./Fields.ts"
import { find, present, write } from "./Records.ts"

// Files: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/attachable

const attachable = entityOf("Attachable")

/** Table of file contents, by the id of their Attachable. */
const contents = "file"

const host = "https://files.quickbooks.example"

/** Extensions of accepted files. */
const extensions = /\.(ai|csv|docx?|eps|gif|jpe?g|ods|pdf|png|rtf|tif|txt|xlsx?|xml)$/i

/** Stores the file of an Attachable just written. */
export const putFile = (account: Account, doc: Doc, bytes: Buffer): void => {
  const id = String(doc.Id)
  const link = `/temporary/${account.name}.${id}`
  account.put(contents, id, { base64: bytes.toString("base64") })
  account.put("Attachable", id, {
    ...account.get("Attachable", id),
    Size: bytes.length,
    FileAccessUri: `/v3/company/${account.name}/download/${id}`,
    TempDownloadUri: host + link
  })
}

interface Part {
  readonly name: string
  readonly fileName: string | undefined
  readonly contentType: string
  readonly bytes: Buffer
}

/** Returns the parts of a form; none where the body is not a form. */
const partsOf = ({ bytes, headers }: SimulatedRequest): ReadonlyArray<Part> => {
  const [, boundary] = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(headers["content-type"] ?? "") ?? []
  if (boundary === undefined) return []
  // one character is one byte, so positions in the text are positions in the bytes
  const text = `\r\n${Buffer.from(bytes).toString("latin1")}`
  const [, ...sections] = text.split(`\r\n--${boundary}`)
  if (sections.at(-1)?.startsWith("--") !== true) return []
  return sections.slice(0, -1).flatMap((section) => {
    const end = section.indexOf("\r\n\r\n")
    const head = Buffer.from(section.slice(0, end), "latin1").toString("utf8")
    const name = /[; ]name="([^"]*)"/i.exec(head)?.[1]
    if (end < 0 || name === undefined) return []
    return [
      {
        name,
        fileName: /filename="([^"]*)"/i.exec(head)?.[1]?.replaceAll("%22", '"'),
        contentType: /^content-type: *([^;\r\n]+)/im.exec(head)?.[1] ?? "application/octet-stream",
        bytes: Buffer.from(section.slice(end + 4), "latin1")
      }
    ]
  })
}

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

const metadataOf = (part: Part | undefined): Outcome<Doc> =>
  part === undefined
    ? Either.right({})
    : Option.match(parseJson(part.bytes.toString("utf8")), {
        onNone: () => refuse(unreadable),
        onSome: (body) => (Predicate.isRecord(body) ? Either.right(body) : refuse(unreadable))
      })

const taken = (account: Account, entity: Entity, file: Part, metadata: Part | undefined): Outcome<Doc> =>
  Either.gen(function* () {
    const said = yield* metadataOf(metadata)
    const FileName = textAt(said, "FileName") ?? file.fileName
    if (FileName === undefined) return yield* refuse(missing("FileName"))
    if (!extensions.test(FileName)) return yield* refuse(business("The file's type is not supported."))
    if (file.bytes.length === 0) return yield* refuse(business("The file is empty."))
    const doc = yield* write(account, entity, "create", { ContentType: file.contentType, ...said, FileName })
    putFile(account, doc, file.bytes)
    return present(account, entity, yield* find(account, entity, String(doc.Id)))
  })

/** Accepts files: `file_content_NN`, with optional `file_metadata_NN`. Returns a fault or a record for each. */
export const upload = (
  request: SimulatedRequest,
  account: Account
): Outcome<{ readonly AttachableResponse: unknown }> =>
  Either.gen(function* () {
    const parts = partsOf(request)
    const strange = parts.find(({ name }) => !/^file_(content|metadata)_\d+$/.test(name))
    const files = parts.filter(({ name }) => name.startsWith("file_content_"))
    if (attachable === undefined || strange !== undefined || files.length === 0) {
      return yield* refuse(unsupported("Cannot consume content type"))
    }
    const about = (name: string) => parts.find((part) => part.name === name.replace("content", "metadata"))
    return {
      AttachableResponse: files.map((file) =>
        Either.match(taken(account, attachable, file, about(file.name)), {
          onLeft: (errors) => ({ Fault: faultOf(errors) }),
          onRight: (doc) => ({ Attachable: doc })
        })
      )
    }
  })

/** Responds with the address of a file, as plain text. */
export const addressOf = (account: Account, id: string): Outcome<Reply> =>
  Either.gen(function* () {
    if (attachable === undefined) return yield* refuse(unsupported("download"))
    const doc = yield* find(account, attachable, id)
    const address = textAt(doc, "TempDownloadUri")
    if (address === undefined) return yield* refuse(business("The attachment has no file."))
    return { status: 200, headers: { ...tid(), "content-type": "text/plain" }, body: address }
  })

const ticketOf = ({ params }: SimulatedRequest) => params.ticket ?? ""

/** Serves files at their temporary addresses, without a token. */
export const temporary: Route = {
  method: "GET",
  path: "/temporary/:ticket",
  open: true,
  handle: (request, account) => {
    const id = ticketOf(request).slice(account.name.length + 1)
    const base64 = textAt(account.get(contents, id) ?? {}, "base64")
    const type = textAt(account.get("Attachable", id) ?? {}, "ContentType") ?? "application/octet-stream"
    if (base64 === undefined || account.get("Attachable", id) === undefined) {
      return {
        status: 404,
        headers: { "content-type": "application/xml" },
        body: "<Error><Code>NoSuchKey</Code></Error>"
      }
    }
    return { status: 200, headers: { "content-type": type }, body: Buffer.from(base64, "base64") }
  }
}
