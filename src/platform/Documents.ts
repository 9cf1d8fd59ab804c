import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

/** A large text that everybody gets alike. */
export interface Document {
  readonly text: string
  readonly contentType: string
  /** Further headers of its answers. */
  readonly headers?: { readonly [name: string]: string }
}

/** Best first. */
const encodings = ["br", "gzip", "identity"] as const
type Encoding = (typeof encodings)[number]

const compress: { readonly [encoding in Encoding]: (text: Buffer) => Promise<Buffer> } = {
  // more than this makes it a tenth smaller, and takes seconds
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (text) => promisify(gzip)(text),
  identity: (text) => Promise.resolve(text)
}

/** The encoding that a client likes best by its `Accept-Encoding` (RFC 9110, 12.5.3); ours where it likes several alike. */
export const encodingFor = (accepted: string | undefined): Encoding => {
  const weights = new Map<string, number>()
  for (const part of (accepted ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((one) => one.trim())
    const weight = parameters.find((one) => one.startsWith("q="))
    weights.set(name === "x-gzip" ? "gzip" : name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  // not to be encoded is always good enough, unless it is said otherwise
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get("*") ?? (encoding === "identity" ? Number.MIN_VALUE : 0)
  const best = Math.max(...encodings.map(weightOf))
  return best > 0 ? (encodings.find((encoding) => weightOf(encoding) === best) ?? "identity") : "identity"
}

/** Whether a client's copies, by its `If-None-Match`, include the one of this tag. A proxy that compresses makes tags weak. */
const hasCopy = (sent: string | undefined, tag: string) =>
  (sent ?? "").split(",").some((one) => [tag, "*"].includes(one.trim().replace(/^W\//, "")))

/**
 * Serves a document that is made when it is first asked for, and compressed when somebody first takes it so. Clients ask each
 * time whether their copy is current.
 */
export const serve = <E, R>(make: Effect.Effect<Document, E, R>) =>
  Effect.gen(function* () {
    // whoever asks first may go away: what was interrupted would be kept as well
    const once = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.cached(Effect.uninterruptible(effect))
    const made = yield* once(
      Effect.map(make, (document) => {
        const content = Buffer.from(document.text)
        const hash = createHash("sha256").update(content).digest("base64url").slice(0, 22)
        return { content, hash, contentType: document.contentType, headers: document.headers ?? {} }
      })
    )
    const encoded = (encoding: Encoding) =>
      once(Effect.flatMap(made, ({ content }) => Effect.promise(() => compress[encoding](content))))
    const bodies = { br: yield* encoded("br"), gzip: yield* encoded("gzip"), identity: yield* encoded("identity") }

    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { contentType, hash, headers } = yield* made
      const encoding = encodingFor(request.headers["accept-encoding"])
      const tag = `"${hash}-${encoding}"`
      const own = {
        ...headers,
        etag: tag,
        "cache-control": "no-cache",
        vary: "accept-encoding",
        "x-content-type-options": "nosniff"
      }
      if (hasCopy(request.headers["if-none-match"], tag)) return HttpServerResponse.empty({ status: 304, headers: own })
      return HttpServerResponse.uint8Array(yield* bodies[encoding], {
        contentType,
        headers: encoding === "identity" ? own : { ...own, "content-encoding": encoding }
      })
    })
  })
