import { HttpClientRequest } from "@effect/platform"
import { Clock, Effect, Schema, Stream } from "effect"
import { GuardedClient } from "../platform/GuardedClient.ts"
import { type Policy, RateLimiter } from "../platform/RateLimiter.ts"

/** A document of a client was not fetched; `message` says why. */
export class DocumentRefused extends Schema.TaggedError<DocumentRefused>()("DocumentRefused", {
  message: Schema.String
}) {}

/** The result of a fetch. */
export interface Fetched {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const refuse = (message: string) => new DocumentRefused({ message })

/** Bytes of a document or of a key set that are read. */
const largest = 64 * 1024

/** Seconds that a fetch may take, and for which one that failed is not tried again. */
const patience = "2500 millis"
const pause = 60_000

const perHost: Policy = { name: "client-documents", limit: 30, window: "1 minute" }

/**
 * Fetches metadata documents and key sets of clients, from addresses that strangers name: public hosts by https only, no
 * redirects, little and quickly. What failed is left alone for a minute.
 */
export const clientDocuments = Effect.gen(function* () {
  const guarded = yield* GuardedClient
  const limiter = yield* RateLimiter
  const failed = new Map<string, number>()

  const noteFailure = (url: string) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      failed.delete(url)
      failed.set(url, now)
      const [oldest] = failed.keys()
      if (failed.size > 1000 && oldest !== undefined) failed.delete(oldest)
    })

  const fetched = Effect.fnUntraced(function* (url: URL) {
    const response = yield* Effect.mapError(
      guarded.send(HttpClientRequest.get(url.href, { headers: { accept: "application/json" } })),
      ({ message }) => refuse(message)
    )
    const isRedirect = response.status >= 300 && response.status < 400
    if (isRedirect) return yield* refuse("it leads elsewhere")
    const body = yield* response.stream.pipe(
      Stream.mapError(() => refuse("it broke off")),
      Stream.runFoldEffect(Buffer.alloc(0), (held, chunk) =>
        held.length + chunk.length > largest ? refuse("it is too large") : Effect.succeed(Buffer.concat([held, chunk]))
      )
    )
    return { status: response.status, headers: response.headers, body: body.toString("utf8") }
  }, Effect.scoped)

  return Effect.fn("ClientDocuments.fetch")(function* (address: string) {
    const url = yield* Effect.mapError(
      Effect.try(() => new URL(address)),
      () => refuse("its address cannot be read")
    )
    if (url.protocol !== "https:") return yield* refuse("its address must begin with https://")
    const failedAt = failed.get(url.href)
    if (failedAt !== undefined && (yield* Clock.currentTimeMillis) - failedAt < pause) {
      return yield* refuse("it could not be fetched a moment ago")
    }
    const { allowed } = yield* limiter.take(url.host, perHost)
    if (!allowed) return yield* refuse("too much was asked of its host")
    return yield* fetched(url).pipe(
      Effect.timeoutFail({ duration: patience, onTimeout: () => refuse("it took too long") }),
      Effect.tapError(() => noteFailure(url.href))
    )
  })
})

const Document = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/**
 * A client's metadata as the library is to see it. A scope would pin the client to it, unknown ones would be refused; a client
 * that does not say of what type it is lists addresses on its own machine, which only native ones may.
 */
export const settled = (metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { scope: _, ...rest } = metadata
  return { ...rest, application_type: "native" }
}

/** The same for a document; a text that is none stays as it is, to be refused. */
export const settledText = (text: string) =>
  Schema.decode(Document)(text).pipe(
    Effect.flatMap((document) => Schema.encode(Document)("client_id" in document ? settled(document) : document)),
    Effect.orElseSucceed(() => text)
  )
