import type { HttpServerRequest } from "@effect/platform"
import { Chunk, Effect, Sink, Stream } from "effect"
import { BadRequest, type Forbidden, PayloadTooLarge } from "../platform/Errors.ts"
import { bodyLimit, fileLimit } from "../platform/Requests.ts"

/** The body of a request, to be passed on: held whole where it is small, so that it can be sent again, and else as it comes in. */
export type PassedBody =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | {
      readonly kind: "stream"
      readonly stream: Stream.Stream<Uint8Array, BadRequest | Forbidden | PayloadTooLarge>
      /** Bytes, where the caller says them. */
      readonly size: number | undefined
    }

const tooLarge = new PayloadTooLarge({ limit: fileLimit })

const brokeOff = new BadRequest({ code: "INVALID_PARAMETER", message: "The body broke off." })

/** The part of a body that has come in: more than is held is left in its stream. */
const start = Sink.fold(
  { size: 0, chunks: Chunk.empty<Uint8Array>() },
  ({ size }) => size <= bodyLimit,
  ({ chunks, size }, chunk: Uint8Array) => ({ size: size + chunk.length, chunks: Chunk.append(chunks, chunk) })
)

/** Reads the body of a request, at most 25 MiB: those beyond 1 MiB are not held, and fail when they turn out to be larger. */
export const bodyOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const declared = request.headers["content-length"]
  const size = declared === undefined ? undefined : Number(declared)
  if (size !== undefined && size > fileLimit) return yield* tooLarge
  const isEmpty = request.source instanceof Request && request.source.body === null
  const stream = isEmpty ? Stream.empty : Stream.mapError(request.stream, () => brokeOff)
  const [first, rest] = yield* Stream.peel(stream, start)
  if (first.size <= bodyLimit) {
    return { kind: "whole", bytes: Buffer.concat([...first.chunks]) } satisfies PassedBody
  }
  const bounded = Stream.mapAccumEffect(rest, first.size, (sum, chunk) =>
    sum + chunk.length > fileLimit ? Effect.fail(tooLarge) : Effect.succeed([sum + chunk.length, chunk] as const)
  )
  return { kind: "stream", stream: Stream.concat(Stream.fromChunk(first.chunks), bounded), size } satisfies PassedBody
})
