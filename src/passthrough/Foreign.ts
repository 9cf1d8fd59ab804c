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

/** Parameters of a body that was read whole, as far as the provider may read any there. */
const parametersIn = (api: NativeApi, kind: string, content: Uint8Array): Parameters => {
  if (kind !== urlEncoded && !readsBodies(api)) return []
  const text = new TextDecoder().decode(content)
  return kind === urlEncoded ? formed(new URLSearchParams(text)) : membersIn(text)
}

const kindOf = (type: string) => (type.split(";")[0] ?? "").trim().toLowerCase()

const readsBodies = ({ account }: NativeApi) => Object.keys(account?.query ?? {}).length > 0

/** Bytes that are looked at again with those behind them: longer than the head of a part that names its field. */
const overlap = 200

/**
 * Refuses multipart bodies with a part, or JSON in one, that names an account, whichever: their parts are not taken apart, since
 * a server may do so otherwise.
 */
const refuseNaming = (api: NativeApi) => {
  const names = Object.keys(api.account?.query ?? {}).join("|")
  const naming = new RegExp(`name\\s*=\\s*"?(?:${names})\\b|"(?:${names})"\\s*:`, "i")
  return (text: string) =>
    naming.test(text)
      ? forbidden(`${names}: leave it out of a multipart body; it is the connection's own.`)
      : Effect.void
}

const forbidden = (message: string) => Effect.fail(new Forbidden({ code: "FORBIDDEN", message }))

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1")

const multipartBody = Effect.fnUntraced(function* (api: NativeApi, body: PassedBody) {
  const refuse = refuseNaming(api)
  if (body.kind === "whole") return yield* Effect.as(refuse(latin1(body.bytes)), body)
  const stream = Stream.mapAccumEffect(body.stream, "", (before, chunk) => {
    const text = before + latin1(chunk)
    return Effect.as(refuse(text), [text.slice(-overlap), chunk] as const)
  })
  return { ...body, stream } satisfies PassedBody
})

/** Refuses a body that brings a credential or names another account, as the query is refused. */
export const ownBody = Effect.fnUntraced(function* (
  api: NativeApi,
  values: CredentialValues["values"],
  headers: { readonly [name: string]: string | undefined },
  body: PassedBody
) {
  if (body.kind === "whole" && body.bytes.length === 0) return body
  const kind = kindOf(headers["content-type"] ?? "")
  const isRead = kind === urlEncoded || (readsBodies(api) && (kind === multipart || /\bjson$/.test(kind)))
  if (isRead && !/^(identity)?$/i.test(headers["content-encoding"] ?? "")) {
    return yield* new BadRequest({ code: "INVALID_PARAMETER", message: "Content-Encoding: send this body as it is." })
  }
  if (isRead && kind === multipart) return yield* multipartBody(api, body)
  if (body.kind === "stream") return isRead ? yield* new PayloadTooLarge({ limit: bodyLimit }) : body
  const fault = foreignIn(api, values, parametersIn(api, kind, body.bytes))
  return fault === undefined ? body : yield* forbidden(fault)
})
