import { Option } from "effect"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { filled } from "../Answers.ts"
import type { JsonObject } from "../Tool.ts"
import { textOfHtml } from "./Html.ts"

// Messages as Gmail shows them, already taken apart: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages#Message.MessagePart

/** A header of a message or part; names are in any case. */
export const header = (part: unknown, name: string): string | undefined => {
  const found = natives(getPath(part, "headers")).find(
    (one) => String(one["name"]).toLowerCase() === name.toLowerCase()
  )
  return typeof found?.["value"] === "string" ? found["value"] : undefined
}

/** All parts of a message, the outermost first. */
const partsOf = (part: unknown): ReadonlyArray<unknown> => [
  part,
  ...natives(getPath(part, "parts")).flatMap((inner) => partsOf(inner))
]

const decoderOf = Option.liftThrowable((charset: string) => new TextDecoder(charset))

const charsetOf = (part: unknown) => /charset="?([\w.:-]+)/i.exec(header(part, "content-type") ?? "")?.[1] ?? "utf-8"

/** The text of a part, whose bytes come as base64url. */
const contentOf = (part: unknown): string => {
  const data = getPath(part, "body.data")
  if (typeof data !== "string") return ""
  const decoder = Option.getOrElse(decoderOf(charsetOf(part)), () => new TextDecoder())
  return decoder.decode(Buffer.from(data, "base64url"))
}

const isAttachment = (part: unknown) => {
  const name = getPath(part, "filename")
  return typeof name === "string" && name !== ""
}

/** The text of a message as a person would read it: the plain text where there is one, else the HTML as text. */
export const textOf = (message: unknown): string => {
  const texts = partsOf(getPath(message, "payload")).filter((part) => !isAttachment(part))
  const of = (type: string) =>
    texts
      .filter((part) => getPath(part, "mimeType") === type)
      .map(contentOf)
      .filter((text) => text.trim() !== "")
  const plain = of("text/plain")
  return (plain.length > 0 ? plain : of("text/html").map(textOfHtml)).join("\n\n").replaceAll("\r\n", "\n").trim()
}

/** Files of a message by name; their content is not fetched. */
export const attachmentsOf = (message: unknown): ReadonlyArray<JsonObject> =>
  partsOf(getPath(message, "payload"))
    .filter(isAttachment)
    .map((part) =>
      filled({
        name: getPath(part, "filename"),
        type: getPath(part, "mimeType"),
        bytes: getPath(part, "body.size")
      })
    )

/** Headers that a list shows of a message. */
export const listed = ["From", "To", "Cc", "Subject", "Date"] as const

/** A message without its text. */
export const heading = (message: unknown): JsonObject => {
  const payload = getPath(message, "payload")
  const at = Number(getPath(message, "internalDate"))
  return filled({
    id: getPath(message, "id"),
    thread_id: getPath(message, "threadId"),
    from: header(payload, "From"),
    to: header(payload, "To"),
    cc: header(payload, "Cc"),
    bcc: header(payload, "Bcc"),
    subject: header(payload, "Subject"),
    date: Number.isFinite(at) ? new Date(at).toISOString() : header(payload, "Date"),
    labels: getPath(message, "labelIds"),
    snippet: textOfHtml(String(getPath(message, "snippet") ?? ""))
  })
}
