import { Context, Effect, Layer, type Scope } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import type { Connection } from "../connections/Connection.ts"

/** Hears of a record that was written. */
export type WriteListener = (connection: Connection, resource: Resource) => Effect.Effect<void>

/** Tells whoever listens which records were written through this service, once they are. */
export class Writes extends Context.Tag("tributary/records/Writes")<
  Writes,
  {
    readonly tell: WriteListener
    /** Listens while the scope is open. It is not to keep the writer waiting. */
    readonly listen: (listener: WriteListener) => Effect.Effect<void, never, Scope.Scope>
  }
>() {
  static readonly layer = Layer.sync(Writes, () => {
    const listeners = new Set<WriteListener>()
    return Writes.of({
      tell: (connection, resource) =>
        Effect.forEach(listeners, (listener) => listener(connection, resource), { discard: true }),
      listen: (listener) =>
        Effect.acquireRelease(
          Effect.sync(() => void listeners.add(listener)),
          () => Effect.sync(() => void listeners.delete(listener))
        )
    })
  })
}
