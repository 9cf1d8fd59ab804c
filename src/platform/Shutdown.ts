import { Context, Deferred, Layer } from "effect"

/**
 * Done when streams have to end, because the service stops and they have no end of their own
 * (`Stream.interruptWhenDeferred(yield* Shutdown)`).
 */
export class Shutdown extends Context.Tag("tributary/platform/Shutdown")<Shutdown, Deferred.Deferred<void>>() {
  static readonly layer = Layer.effect(Shutdown, Deferred.make<void>())
}
