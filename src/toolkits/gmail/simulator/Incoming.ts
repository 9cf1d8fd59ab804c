import { Either } from "effect"

/** Contents of a raw message. */
export interface Incoming {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly text: string
}

/** RFC 2047 words, decoded: `=?UTF-8?B?…?=`. */
const decodedWords = (value: string) =>
  value
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?b\?([\w+/=]*)\?=/gi, (_, data: string) => Buffer.from(data, "base64").toString())

const encodings: { readonly [name: string]: (body: string) => string } = {
  base64: (body) => Buffer.from(body, "base64").toString(),
  "7bit": (body) => body,
  "8bit": (body) => body
}

/** Takes apart a message of RFC 5322 with one part of text; left: what is wrong with it. */
export const read = (raw: string): Either.Either<Incoming, string> => {
  const whole = Buffer.from(raw, "base64url").toString()
  const end = whole.indexOf("\r\n\r\n")
  if (raw === "" || end < 0) return Either.left("Invalid value for ByteString: raw")
  const lines = whole
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")
  const headers = lines.map((line) => /^([!-9;-~]+):\s*(.*)$/.exec(line))
  if (headers.includes(null)) return Either.left("Invalid header")
  const read = headers.flatMap((found) => {
    const [, name, value] = found ?? []
    return name === undefined || value === undefined ? [] : [[name, decodedWords(value)] as const]
  })
  const of = (wanted: string) => read.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ""
  if (!/^(text\/plain|$)/i.test(of("content-type"))) return Either.left("Unsupported content type")
  const decode = encodings[(of("content-transfer-encoding") || "7bit").toLowerCase()]
  if (decode === undefined) return Either.left("Unsupported content transfer encoding")
  return Either.right({
    headers: read.filter(([name]) => !/^(content-|mime-)/i.test(name)),
    text: decode(whole.slice(end + 4))
  })
}
