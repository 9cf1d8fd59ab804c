import { Effect, Either, Predicate, Stream } from "effect"
import { BadRequest, Forbidden, PayloadTooLarge } from "../platform/Errors.ts"
import { bodyLimit } from "../platform/Requests.ts"
import type { CredentialValues } from "../providers/Credentials.ts"
import type { NativeApi } from "../providers/NativeApi.ts"
import type { PassedBody } from "./PassedBody.ts"

type Parameters = Iterable<readonly [name: string, value: unknown]>

/** Parameters that carry credentials of OAuth: https://www.rfc-editor.org/rfc/rfc6750#section-2 */
const usual = ["access_token", "client_secret", "oauth_token", "refresh_token"]

/** A name as the most lenient servers read it: PHP takes dots, blanks and brackets for underscores, and whatever case for the same. */
const lenient = (name: string) =>
  name
    .replace(/\0.*$/s, "")
    .trim()
    .toLowerCase()
    .replace(/[\s.[\]]+/g, "_")
    .replace(/_+$/, "")

/** Why parameters are not the connection's: they bring a credential, or name another account. */
export const foreignIn = (
  { account, credentials = [] }: NativeApi,
  values: CredentialValues["values"],
  sent: Parameters
): string | undefined => {
  const marks = new Map(Object.entries(account?.query ?? {}).map(([name, value]) => [name, values[value] ?? ""]))
  for (const [written, value] of sent) {
    const name = lenient(written)
    if (usual.includes(name) || credentials.includes(name)) {
      return `${name}: carries a credential; the connection's own is always the one that is sent, so leave it out.`
    }
    const own = marks.get(name)
    if (own !== undefined && (written !== name || String(value) !== own)) {
      return `${name}: must be ${own}, the connection's own account, or left out.`
    }
  }
  return undefined
}

/** Members of a JSON object; none where a text is anything else. */
const membersIn = (text: string): Array<readonly [string, unknown]> => {
  if (!text.trimStart().startsWith("{")) return []
  const value = Either.getOrUndefined(Either.try((): unknown => JSON.parse(text)))
  return Predicate.isRecord(value) ? Object.entries(value) : []
}

/** Fields of a form, and those of JSON that it holds: Zoho's `JSONString`. */
const formed = (fields: Iterable<readonly [string, unknown]>): Parameters =>
  [...fields].flatMap(([name, value]) => [
    [name, value] as const,
    ...(typeof value === "string" ? membersIn(value) : [])
  ])

const multipart = "multipart/form-data"
const urlEncoded = "application/x-www-form-urlencoded"

const multipartIn = (type: string, content: Uint8Array) =>
  Effect.tryPromise({
    try: () => new Response(content, { headers: { "content-type": type } }).formData(),
    catch: () =>
      new BadRequest({ code: "INVALID_PARAMETER", message: "The body: cannot be read as multipart/form-data." })
  })

/** Parameters of a body that was read whole, as far as the provider may read any there. */
const parametersIn = Effect.fnUntraced(function* (api: NativeApi, type: string, content: Uint8Array) {
  const kind = kindOf(type)
  const text = () => new TextDecoder().decode(content)
  if (kind === urlEncoded) return formed(new URLSearchParams(text()))
  if (!readsBodies(api)) return []
  return kind === multipart ? formed(yield* multipartIn(type, content)) : membersIn(text())
})

const kindOf = (type: string) => (type.split(";")[0] ?? "").trim().toLowerCase()

const readsBodies = ({ account }: NativeApi) => Object.keys(account?.query ?? {}).length > 0

/** Bytes that are looked at again with those behind them: longer than the head of a part that names its field. */
const overlap = 200

/** Refuses a part of a multipart body that names an account, whichever: what is read as it comes in is not read twice. */
const watched = (api: NativeApi, stream: Extract<PassedBody, { kind: "stream" }>["stream"]) => {
  const names = Object.keys(api.account?.query ?? {}).join("|")
  const naming = new RegExp(`name\\s*=\\s*"?(${names})\\b`, "i")
  return Stream.mapAccumEffect(stream, "", (before, chunk) => {
    const text = before + Buffer.from(chunk).toString("latin1")
    const [, name] = naming.exec(text) ?? []
    return name === undefined
      ? Effect.succeed([text.slice(-overlap), chunk] as const)
      : Effect.fail(
          new Forbidden({ code: "FORBIDDEN", message: `${name}: leave it out of a body of more than 1 MiB.` })
        )
  })
}

/** Refuses a body that brings a credential or names another account, as the query is refused. */
export const ownBody = Effect.fnUntraced(function* (
  api: NativeApi,
  values: CredentialValues["values"],
  headers: { readonly [name: string]: string | undefined },
  body: PassedBody
) {
  if (body.kind === "whole" && body.bytes.length === 0) return body
  const type = headers["content-type"] ?? ""
  const kind = kindOf(type)
  const isRead = kind === urlEncoded || (readsBodies(api) && (kind === multipart || /\bjson$/.test(kind)))
  if (isRead && !/^(identity)?$/i.test(headers["content-encoding"] ?? "")) {
    return yield* new BadRequest({ code: "INVALID_PARAMETER", message: "Content-Encoding: send this body as it is." })
  }
  if (body.kind === "stream") {
    if (isRead && kind !== multipart) return yield* new PayloadTooLarge({ limit: bodyLimit })
    return isRead ? { ...body, stream: watched(api, body.stream) } : body
  }
  const fault = foreignIn(api, values, yield* parametersIn(api, type, body.bytes))
  if (fault !== undefined) return yield* new Forbidden({ code: "FORBIDDEN", message: fault })
  return body
})
