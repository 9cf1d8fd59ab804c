import type { HttpClientResponse } from "@effect/platform"
import { Effect, Scope, Stream } from "effect"
import { close } from "../../platform/Answer.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Busy, Malformed, type ProviderError, type Reason, TimedOut } from "../ProviderError.ts"
import { makeTurns } from "./Turns.ts"

/** Files that come in from one provider at once, in a process, and of one connection. */
const slots = 128
const ofConnection = 8

/**
 * Turns of downloads, apart from those of calls: a file is as long on its way as its reader likes, so it holds up downloads
 * alone, and of another organisation none.
 */
export const makeDownloads = () => {
  const turns = makeTurns(slots)
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
