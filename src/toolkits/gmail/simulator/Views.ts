import type { Message } from "./Tables.ts"

// How Gmail shows messages: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages

const encoded = (text: string) => Buffer.from(text).toString("base64url")

const textPart = (partId: string, type: string, text: string) => ({
  partId,
  mimeType: type,
  filename: "",
  headers: [{ name: "Content-Type", value: `${type}; charset="UTF-8"` }],
  body: { size: Buffer.byteLength(text), data: encoded(text) }
})

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")

const headersOf = ({ headers }: Message) => headers.map(([name, value]) => ({ name, value }))

const bodiesOf = ({ html, text }: Message, prefix: string) => [
  ...(text === "" && html !== null ? [] : [textPart(`${prefix}0`, "text/plain", text)]),
  ...(html === null ? [] : [textPart(`${prefix}1`, "text/html", html)])
]

/** A message with several parts is a tree of them. */
const payloadOf = (message: Message) => {
  const [only, ...others] = bodiesOf(message, "")
  const isAlone = message.attachments.length === 0 && others.length === 0
  if (isAlone && only !== undefined) return { ...only, partId: "", headers: [...headersOf(message), ...only.headers] }
  const outer = (type: string) => ({
    partId: "",
    mimeType: type,
    filename: "",
    headers: [...headersOf(message), { name: "Content-Type", value: `${type}; boundary="000000000000a1b2c3"` }],
    body: { size: 0 }
  })
  if (message.attachments.length === 0) return { ...outer("multipart/alternative"), parts: bodiesOf(message, "") }
  return {
    ...outer("multipart/mixed"),
    parts: [
      ...(others.length === 0
        ? bodiesOf(message, "")
        : [
            {
              partId: "0",
              mimeType: "multipart/alternative",
              filename: "",
              headers: [{ name: "Content-Type", value: 'multipart/alternative; boundary="000000000000d4e5f6"' }],
              body: { size: 0 },
              parts: bodiesOf(message, "0.")
            }
          ]),
      ...message.attachments.map(({ bytes, name, type }, at) => ({
        partId: String(at + 1),
        mimeType: type,
        filename: name,
        headers: [
          { name: "Content-Type", value: `${type}; name="${name}"` },
          { name: "Content-Disposition", value: `attachment; filename="${name}"` }
        ],
        body: { attachmentId: `ANGjdJ${message.id}${at}`, size: bytes }
      }))
    ]
  }
}

export const formats = ["minimal", "metadata", "full"] as const
export type Format = (typeof formats)[number]

/** The beginning of a message's text, which one without a text lacks. */
export const snippetOf = ({ html, text }: Message): { readonly snippet?: string } => {
  const words = text === "" ? (html ?? "").replaceAll(/<style.*?<\/style>|<[^>]*>/gs, " ") : escaped(text)
  const snippet = words.replaceAll(/\s+/g, " ").trim().slice(0, 180)
  return snippet === "" ? {} : { snippet }
}

/** The headers of a message, of a draft that nobody wrote in yet nothing. */
const headOf = (message: Message, wanted: ReadonlyArray<string>) => {
  if (message.headers.length === 0) return { partId: "" }
  const headers = headersOf(message)
  return {
    mimeType: payloadOf(message).mimeType,
    headers: headers.filter(({ name }) => wanted.length === 0 || wanted.includes(name.toLowerCase()))
  }
}

/** A message in a format; `names`: the only headers to show, of the format with headers alone. */
export const messageView = (message: Message, format: Format, names: ReadonlyArray<string> = []) => {
  const { date, id, labelIds, text, threadId } = message
  const wanted = names.map((name) => name.toLowerCase())
  const payload = format === "metadata" ? headOf(message, wanted) : payloadOf(message)
  return {
    id,
    threadId,
    ...(labelIds.length === 0 ? {} : { labelIds }),
    ...snippetOf(message),
    historyId: String(date % 10_000_000),
    internalDate: String(date),
    sizeEstimate: 900 + text.length + message.attachments.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(format === "minimal" ? {} : { payload })
  }
}
