import type { HttpServerRequest } from "@effect/platform"
import { Chunk, Effect, Either, type Schema, Stream } from "effect"
import * as Deadline from "./Deadline.ts"
import { BadRequest, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "./Errors.ts"
import { decoder, fieldErrorsOf } from "./Issues.ts"
import { hasTooManyValues, overgrownIn, tooManyValues, unfitIn } from "./JsonBounds.ts"

/** Largest JSON body, in bytes. */
export const bodyLimit = 1024 * 1024

/** Largest file, and largest body that passes through to a provider, in bytes. */
export const fileLimit = 25 * 1024 * 1024

/** Largest body of forms that people fill in, on the connect page and the console, in bytes. */
export const formLimit = 16 * 1024

/** Milliseconds that a JSON body may take to come in, if the request's deadline leaves that much. */
const bodyTime = 60_000

const notComeIn = (milliseconds: number) =>
  new BadRequest({
    code: "INVALID_JSON",
    message: `The body did not come in within ${Math.ceil(milliseconds / 1000)} seconds.`
  })

/** Whether each % of a path begins an escape, and all escapes are UTF-8. */
export const isEncoded = (path: string): boolean =>
  Either.isRight(
    Either.try(() => {
      decodeURIComponent(path)
    })
  )

const decodeUtf8 = (bytes: Uint8Array) =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => new BadRequest({ code: "INVALID_JSON", message: "The body is not UTF-8." })
  })

/** The bytes of a body, refused as soon as it is known to be too large. */
export const limitedBytes = (
  request: HttpServerRequest.HttpServerRequest,
  limit = bodyLimit
): Effect.Effect<Uint8Array, BadRequest | PayloadTooLarge> => {
  const tooLarge = new PayloadTooLarge({ limit })
  const declared = request.headers["content-length"]
  if (declared !== undefined && Number(declared) > limit) return Effect.fail(tooLarge)
  return request.stream.pipe(
    Stream.mapError(() => new BadRequest({ code: "INVALID_JSON", message: "The body broke off." })),
    Stream.runFoldEffect(
      { size: 0, chunks: Chunk.empty<Uint8Array>() },
      ({ chunks, size }, chunk): Effect.Effect<{ size: number; chunks: Chunk.Chunk<Uint8Array> }, PayloadTooLarge> =>
        // the excess is read a little longer and dropped, since a client that still sends would not see the answer
        size + chunk.length > 4 * bodyLimit
          ? Effect.fail(tooLarge)
          : Effect.succeed({
              size: size + chunk.length,
              chunks: size + chunk.length > limit ? Chunk.empty() : Chunk.append(chunks, chunk)
            })
    ),
    Effect.flatMap(({ chunks, size }) =>
      size > limit ? Effect.fail(tooLarge) : Effect.succeed(Buffer.concat([...chunks]))
    ),
    (read) =>
      Effect.flatMap(Deadline.left, (left) => {
        const time = Math.min(bodyTime, left)
        return Effect.timeoutFail(read, { duration: time, onTimeout: () => notComeIn(time) })
      })
  )
}

/** The text of a body, refused as soon as it is known to be too large. */
export const limitedText = (request: HttpServerRequest.HttpServerRequest, limit = bodyLimit) =>
  Effect.flatMap(limitedBytes(request, limit), decodeUtf8)

const parseJson = (text: string): Either.Either<unknown, BadRequest> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) =>
      new BadRequest({
        code: "INVALID_JSON",
        message:
          text.trim() === ""
            ? "The body is empty; send a JSON object."
            : `The body is not valid JSON: ${error instanceof Error ? positionOf(error.message) : "it cannot be read"}.`
      })
  })

/** The engine's message, without the excerpt of the body that it may quote. */
const positionOf = (message: string) => /position \d+/.exec(message)?.[0] ?? "it ends too early or is something else"

/** The text of a JSON body, refused before it is parsed when it is too large or has too many values. */
export const limitedJson = (
  request: HttpServerRequest.HttpServerRequest,
  limit = bodyLimit
): Effect.Effect<string, BadRequest | PayloadTooLarge | Unprocessable> =>
  Effect.filterOrFail(
    limitedText(request, limit),
    (text) => !hasTooManyValues(text),
    () => new Unprocessable({ errors: tooManyValues })
  )

/** Characters above which a body is handled in several turns of the event loop. */
const largeText = 64 * 1024

/** Lets everything else that waits for the event loop go first. Effect's own yielding stays in the present turn. */
const othersFirst = Effect.async<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** Reads a JSON value of at most `limit` bytes: 415, 413, 400 when it is no JSON. */
export const jsonValue = (
  request: HttpServerRequest.HttpServerRequest,
  limit = bodyLimit
): Effect.Effect<
  { readonly json: unknown; readonly text: string },
  BadRequest | PayloadTooLarge | UnsupportedMediaType | Unprocessable
> =>
  Effect.gen(function* () {
    const [type = "", ...parameters] = (request.headers["content-type"] ?? "").toLowerCase().split(";")
    const charset = /charset="?([^";\s]+)/.exec(parameters.join(";"))?.[1] ?? "utf-8"
    const isJson = type.trim() === "application/json" || type.trim().endsWith("+json")
    if (!isJson || !/^utf-?8$/.test(charset) || request.headers["content-encoding"] !== undefined) {
      return yield* new UnsupportedMediaType({ expected: "application/json in UTF-8, not compressed" })
    }
    const text = yield* limitedJson(request, limit)
    const json = yield* parseJson(text)
    yield* letOthers(text)
    return { json, text }
  })

/** Lets others go first before a large text is processed further. */
export const letOthers = (text: string) => (text.length < largeText ? Effect.void : othersFirst)

/** Decodes a JSON value that a caller sent: 422 with the fields that are wrong. */
export const bodyDecoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = decoder(schema)
  return (json: unknown): Either.Either<A, Unprocessable> => {
    const overgrown = overgrownIn(json)
    if (overgrown !== undefined) return Either.left(new Unprocessable({ errors: overgrown }))
    const unfit = unfitIn(json)
    return Either.match(decode(json), {
      onLeft: (error) => Either.left(new Unprocessable({ errors: { ...unfit, ...fieldErrorsOf(error) } })),
      onRight: (body) => (unfit === undefined ? Either.right(body) : Either.left(new Unprocessable({ errors: unfit })))
    })
  }
}

/** Reads a JSON body of at most `limit` bytes: 415, 413, 400 when it is no JSON, 422 with the fields that are wrong. */
export const jsonBody = <A, I>(schema: Schema.Schema<A, I>, limit = bodyLimit) => {
  const decode = bodyDecoder(schema)
  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.gen(function* () {
      const { json, text } = yield* jsonValue(request, limit)
      const decoded = decode(json)
      yield* letOthers(text)
      return { body: yield* decoded, text }
    })
}
