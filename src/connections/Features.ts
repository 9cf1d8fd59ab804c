import { Context, Effect, Fiber, Layer, Option } from "effect"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { nameOf, type Requirement } from "../providers/Requirement.ts"
import type { Connection } from "./Connection.ts"

/** Whether an account has something; undefined where that is not known. */
export type Held = (requirement: Requirement) => boolean | undefined

/** Seconds that findings count: an account may be given another plan, or a module, at any time. */
const asked = 300
const refused = 3600

/** Time that whoever looks at a connection waits for its provider. */
const patience = "3 seconds"

/** Finds out which accounts have which of the scopes, tiers, editions and modules that resources require. */
export class Features extends Context.Tag("tributary/connections/Features")<
  Features,
  {
    /**
     * By the consent, else by what the provider tells when it is asked, else by what it refused of late. A provider that does
     * not tell in time is asked on for the next one who wants to know.
     */
    readonly of: (connection: Connection, adapter: ProviderAdapter) => Effect.Effect<Held>
    /** Notes what a call was refused for. */
    readonly note: (connection: ConnectionRef, error: ProviderError) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Features,
    Effect.gen(function* () {
      const told = SingleFlightCache.make<Held, ProviderError>({ capacity: 10_000, ttl: asked })
      const missing = SingleFlightCache.make<ReadonlySet<string>>({ capacity: 10_000, ttl: refused })

      const refusedOf = ({ id }: ConnectionRef) =>
        Effect.map(
          missing.known(id),
          Option.getOrElse((): ReadonlySet<string> => new Set())
        )

      const note = Effect.fn("Features.note")(function* (connection: ConnectionRef, { reason }: ProviderError) {
        if (reason._tag !== "NotPermitted" || reason.lacks === undefined) return
        const known = yield* refusedOf(connection)
        yield* missing.put(connection.id, new Set([...known, ...reason.lacks.map(nameOf)]))
      })

      const ask = (connection: Connection, { held }: ProviderAdapter): Effect.Effect<Held> =>
        held === undefined || connection.status !== "active"
          ? Effect.succeed(() => undefined)
          : told.get(connection.id, held(connection)).pipe(
              Effect.tapError((error) => note(connection, error)),
              // whoever causes a load would have to wait for it
              Effect.forkDaemon,
              Effect.flatMap(Fiber.join),
              Effect.timeoutOption(patience),
              Effect.map(Option.getOrElse((): Held => () => undefined)),
              Effect.orElseSucceed((): Held => () => undefined)
            )

      return {
        note,
        of: Effect.fn("Features.of")(function* (connection: Connection, adapter: ProviderAdapter) {
          const says = yield* ask(connection, adapter)
          const lost = yield* refusedOf(connection)
          return (requirement: Requirement) =>
            (requirement.kind === "scope" ? connection.scopes?.includes(requirement.name) : says(requirement)) ??
            (lost.has(nameOf(requirement)) ? false : undefined)
        })
      }
    })
  )
}
