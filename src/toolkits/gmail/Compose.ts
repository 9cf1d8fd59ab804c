import { Schema } from "effect"
import { anyText, formed, list, optional, text } from "../Fields.ts"
import { messageId } from "./Calls.ts"

/** `ann@example.com`, or with a name: `Ann Lee <ann@example.com>`. */
const addressPattern =
  /^(?:[^<>\r\n,;"]{1,200} <[^\s<>@,;"]{1,64}@[^\s<>@,;"]{1,255}>|[^\s<>@,;"]{1,64}@[^\s<>@,;"]{1,255})$/

const address = formed(
  "An address, or one with a name: `Ann Lee <ann@example.com>`.",
  addressPattern,
  "an address such as ann@example.com or Ann Lee <ann@example.com>"
)

const addresses = (description: string) => list(description, address, 50)

/** Fields of a new message. */
export const message = {
  to: optional(addresses("Whom it goes to. Left out of a reply, it goes to whom the answered message is from.")),
  cc: optional(addresses("Who gets a copy.")),
  bcc: optional(addresses("Who gets a copy that the others do not see.")),
  subject: optional(
    formed(
      "Subject, in one line. Left out of a reply, it is that of the answered message.",
      /^[^\r\n]{1,500}$/,
      "one line of at most 500 characters"
    )
  ),
  body: text("The text, plain, without HTML.", 100_000),
  reply_to_message_id: optional(
    messageId.annotations({ description: "Id of the message that this answers; it joins that conversation." })
  )
}

const Message = Schema.Struct(message)
export type Message = typeof Message.Type

/** A text that a draft is changed to; what is left out stays. */
export const changedBody = optional(anyText("The new text, plain; the present one when left out.", 100_000))

/** RFC 2047: words beyond ASCII in a header, in pieces of at most 75 characters that end between characters. */
const encoded = (words: string): string => {
  if (/^[ -~]*$/.test(words)) return words
  const pieces = [""]
  for (const character of words) {
    const last = pieces.length - 1
    if (Buffer.byteLength((pieces[last] ?? "") + character) > 45) pieces.push(character)
    else pieces[last] += character
  }
  return pieces.map((piece) => `=?UTF-8?B?${Buffer.from(piece).toString("base64")}?=`).join("\r\n ")
}

const encodedAddress = (one: string): string => {
  const [, name, plain] = /^(.+) (<[^<>]+>)$/.exec(one) ?? []
  if (name === undefined || plain === undefined) return one
  // an encoded word is no quoted string
  const words = /^[ -~]*$/.test(name) ? name : name.replace(/^"(.*)"$/, "$1").replaceAll(/\\(.)/g, "$1")
  return `${encoded(words)} ${plain}`
}

const line = (name: string, value: string | undefined) =>
  value === undefined || value === "" ? [] : [`${name}: ${value}`]

/** Headers of a message, in the words of RFC 5322. */
export interface Headers {
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly bcc: ReadonlyArray<string>
  readonly subject: string
  /** Message-ID of the message that is answered, and of those before it. */
  readonly inReplyTo?: string | undefined
  readonly references?: string | undefined
}

/** A message as Gmail takes it: RFC 5322, as base64url. The sender and the date are Gmail's business. */
export const compose = ({ bcc, cc, inReplyTo, references, subject, to }: Headers, body: string): string => {
  const people = (all: ReadonlyArray<string>) => all.map(encodedAddress).join(",\r\n ")
  const lines = [
    ...line("To", people(to)),
    ...line("Cc", people(cc)),
    ...line("Bcc", people(bcc)),
    `Subject: ${encoded(subject)}`,
    ...line("In-Reply-To", inReplyTo),
    ...line("References", references),
    "MIME-Version: 1.0",
    'Content-Type: text/plain; charset="UTF-8"',
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(body)
      .toString("base64")
      .replaceAll(/.{76}/g, (whole) => `${whole}\r\n`)
  ]
  return Buffer.from(lines.join("\r\n")).toString("base64url")
}

const quoted = String.raw`"(?:\\.|[^"\\])*"`

/** A list of addresses, apart; commas inside quotes do not part them. */
const apart = new RegExp(`(?:${quoted}|[^,"])+`, "g")

/** An address of a header, with its name, in quotes or not. */
const headerAddress = new RegExp(`^(?:(${quoted}\\s*|[^<>"]*)<([^\\s<>@]+@[^\\s<>@]+)>|([^\\s<>@"]+@[^\\s<>@"]+))$`)

/** Addresses of a header. A name keeps its quotes where it would not be one name without them. */
export const addressesIn = (value: string | undefined): ReadonlyArray<string> =>
  (value?.match(apart) ?? []).flatMap((one) => {
    const [, before = "", named, plain] = headerAddress.exec(one.replaceAll(/[\r\n]/g, "").trim()) ?? []
    const [name, address] = [before.trim(), named ?? plain]
    if (address === undefined) return []
    const words = name.startsWith('"') && !/[()<>[\]:;@\\,."]/.test(name.slice(1, -1)) ? name.slice(1, -1) : name
    return [words === "" ? address : `${words} <${address}>`]
  })
