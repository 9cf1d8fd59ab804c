import { Context, Deferred, Effect, Layer } from "effect"

/**
 * Done when the service begins to stop. The HTTP server waits for its open answers, so a stream with no end of its own
 * would hold it for ever: such streams end on this (`Stream.interruptWhenDeferred(yield* Shutdown)`).
 * Build it inside the server's scope, so that it is released before the server is.
 */
export class Shutdown extends Context.Tag("tributary/platform/Shutdown")<Shutdown, Deferred.Deferred<void>>() {
  static readonly layer = Layer.scoped(
    Shutdown,
    Effect.acquireRelease(Deferred.make<void>(), (begun) => Deferred.succeed(begun, undefined))
  )
}
