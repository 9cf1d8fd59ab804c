import type { HttpClientResponse } from "@effect/platform"
import { Effect, Either, Scope, Stream } from "effect"
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib"
import { close } from "../../platform/Answer.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Busy, Malformed, type ProviderError, type Reason, TimedOut } from "../ProviderError.ts"
import { makeFairQueue } from "./FairQueue.ts"

/** Files that come in from one provider at once, in a process, and of one connection. */
const slots = 128
const ofConnection = 8

/**
 * Turns of downloads, apart from those of calls: a file is as long on its way as its reader likes, so it holds up downloads
 * alone, and of another organisation none.
 */
export const makeDownloads = () => {
  const turns = makeFairQueue(slots)
  return {
    /** Takes a turn for a file, which lasts as long as the scope. */
    hold: (connection: ConnectionRef, scope: Scope.Scope): Effect.Effect<void, Busy> =>
      Scope.extend(turns.hold(connection, ofConnection), scope)
  }
}

/**
 * The content of an answer, for as long as the scope lives: its end closes the provider's connection, whether anybody read
 * the content or not, and fails whoever reads on. A provider may be silent for `silence` milliseconds.
 */
export const contentOf = (
  answer: HttpClientResponse.HttpClientResponse,
  scope: Scope.Scope,
  silence: number,
  fail: (reason: Reason, detail: string) => ProviderError
): Effect.Effect<Stream.Stream<Uint8Array, ProviderError>> => {
  let isOver = false
  const end = Stream.suspend(() =>
    isOver ? Stream.fail(fail(new TimedOut(), "the file was not read in time")) : Stream.empty
  )
  return Effect.as(
    Scope.addFinalizer(
      scope,
      Effect.suspend(() => {
        isOver = true
        return close(answer)
      })
    ),
    answer.stream.pipe(
      Stream.mapError(() => fail(new Malformed(), "the answer broke off")),
      Stream.timeoutFail(() => fail(new TimedOut(), "the answer stood still"), silence),
      Stream.concat(end)
    )
  )
}

/** Bytes of a refusal that are unpacked: it is read for what it says of limits and credentials. */
const refusalLimit = 1024 * 1024

const unpackers: { readonly [coding: string]: typeof gunzipSync } = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync
}

/** A refusal as it came in, and as a text, which is empty where it cannot be unpacked. */
export const refusalOf = (answer: HttpClientResponse.HttpClientResponse) =>
  Effect.map(answer.arrayBuffer, (buffer) => {
    const bytes = new Uint8Array(buffer)
    const unpack = unpackers[answer.headers["content-encoding"]?.trim().toLowerCase() ?? ""]
    const text =
      unpack === undefined
        ? Either.right(bytes)
        : Either.try((): Uint8Array => unpack(bytes, { maxOutputLength: refusalLimit }))
    return { bytes, text: Either.match(text, { onLeft: () => "", onRight: (plain) => Buffer.from(plain).toString() }) }
  })
