import { Deferred, Effect, Stream } from "effect"

/**
 * Sends on a content that may break off while it comes in: whoever takes it is then cut off too, before it has the end of it.
 * `send` gets a content that does not fail.
 */
export const unlessBroken = <A, E, R, E2>(
  content: Stream.Stream<Uint8Array, E2>,
  send: (content: Stream.Stream<Uint8Array>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | E2, R> =>
  Effect.gen(function* () {
    const broken = yield* Deferred.make<never, E2>()
    const unending = Stream.catchAllCause(content, (cause) =>
      Stream.concat(Stream.execute(Deferred.failCause(broken, cause)), Stream.never)
    )
    return yield* Effect.raceFirst(send(unending), Deferred.await(broken))
  })
