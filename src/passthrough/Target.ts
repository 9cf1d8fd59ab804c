import { Either } from "effect"
import { BadRequest, Forbidden } from "../platform/Errors.ts"
import { isEncoded } from "../platform/Requests.ts"
import { fill } from "../providers/base/Addresses.ts"
import type { CredentialValues } from "../providers/Credentials.ts"
import type { NativeApi } from "../providers/NativeApi.ts"
import { foreignIn } from "./Foreign.ts"

/** Path and query that a caller asks a provider for, as they were written. */
export interface Asked {
  /** From its first slash on. */
  readonly path: string
  /** Without its question mark. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined }
}

const invalid = (message: string) => new BadRequest({ code: "INVALID_PARAMETER", message: `path: ${message}.` })

const forbidden = (message: string) => new Forbidden({ code: "FORBIDDEN", message })

/** Once more without escapes, as servers that are not meant to may read a path. Letters beyond ASCII lead nowhere. */
const decoded = (text: string) =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))

/** Some servers drop what stands behind a semicolon in a segment (RFC 3986, 3.3), and blanks. */
const bare = (segment: string) => segment.replace(/;.*$/, "").trim()

/** Fault of one reading of a path; undefined where there is none. */
const faultOf = (path: string): string | undefined => {
  if (/\p{Cc}/u.test(path)) return "holds a control character"
  if (path.includes("\\")) return "holds a backslash; segments are parted by /"
  if (/^\/+[a-z][a-z0-9+.-]*:(\/|$)/i.test(path)) {
    return "is an absolute URL; the host is always the connection's, so send what follows it"
  }
  if (path.startsWith("//")) return "begins with // and so names a host, which is always the connection's"
  if (path.includes("//")) return "has an empty segment (//)"
  return path.split("/").some((segment) => /^\.\.?$/.test(bare(segment)))
    ? "has . or .. as a segment; write the whole path"
    : undefined
}

/** Whether a path is another one, or below it; `*` stands for any end. */
const isAt = (path: string, other: string) =>
  other.endsWith("*") ? path.startsWith(other.slice(0, -1)) : path === other || path.startsWith(`${other}/`)

/** The same, for a server that does not look closely. */
const mayBeAt = (path: string, other: string) => isAt(path.toLowerCase().split("/").map(bare).join("/"), other)

/** Refuses a path that leads elsewhere than it seems to, by any of its readings: as it is, and with escapes read once and twice. */
const pathFor = (
  { account, closed = [], root }: NativeApi,
  values: CredentialValues["values"],
  { path, query }: Asked
): Either.Either<string, BadRequest | Forbidden> => {
  if (!/^[!-~]*$/.test(path + query) || (path + query).includes("#")) {
    return Either.left(invalid("blanks, # and letters beyond ASCII must be percent-encoded, here and in the query"))
  }
  if (!isEncoded(path)) return Either.left(invalid("what is percent-encoded must be UTF-8"))
  const once = decoded(path)
  const readings = [path, once, decoded(once)]
  const fault = readings.map(faultOf).find((one) => one !== undefined)
  if (fault !== undefined) return Either.left(invalid(fault))
  const shut = closed.find((one) => readings.some((reading) => mayBeAt(reading, one)))
  if (shut !== undefined) {
    return Either.left(
      forbidden(
        `path: ${root}${shut} hands out or takes tokens, or is about other accounts than the connection's, so it is not called.`
      )
    )
  }
  if (account?.path === undefined) return Either.right(path)
  const own = fill(account.path, values)
  const named = own !== undefined && isAt(path, account.path) ? own + path.slice(account.path.length) : path
  return own !== undefined && isAt(named, own)
    ? Either.right(named)
    : Either.left(
        forbidden(
          `path: must begin with ${own ?? account.path}, the connection's own account, or with ${account.path}, which stands for it.`
        )
      )
}

/** The query, with what says whose data is meant in front, so that whoever reads only the first value reads the connection's. */
const queryFor = (
  api: NativeApi,
  values: CredentialValues["values"],
  { query }: Asked
): Either.Either<string, Forbidden> => {
  // some servers part parameters by semicolons too
  const sent = new URLSearchParams(query.replaceAll(";", "&"))
  const fault = foreignIn(api, values, sent)
  if (fault !== undefined) return Either.left(forbidden(fault))
  const missing = Object.entries(api.account?.query ?? {}).flatMap(([name, value]) =>
    sent.has(name) ? [] : [`${name}=${encodeURIComponent(values[value] ?? "")}`]
  )
  return Either.right([...missing, ...(query === "" ? [] : [query])].join("&"))
}

/** Path and query that a caller's own call is sent to; or why it is not. */
export const targetOf = (
  api: NativeApi,
  values: CredentialValues["values"],
  asked: Asked
): Either.Either<string, BadRequest | Forbidden> =>
  Either.gen(function* () {
    const path = yield* pathFor(api, values, asked)
    for (const [name, value] of Object.entries(api.account?.headers ?? {})) {
      const [sent, own = ""] = [asked.headers[name], values[value]]
      if (sent !== undefined && sent.toLowerCase() !== own.toLowerCase()) {
        return yield* Either.left(forbidden(`${name}: must be ${own}, the connection's own account, or left out.`))
      }
    }
    const query = yield* queryFor(api, values, asked)
    return query === "" ? path : `${path}?${query}`
  })
