import { Context, Effect, Layer, RcRef, Redacted, type Scope } from "effect"
import * as DataDirectory from "../../platform/DataDirectory.ts"
import type { DatabaseUnavailable } from "../../platform/DatabaseUnavailable.ts"
import * as EmbeddedDatabase from "../../platform/EmbeddedDatabase.ts"
import type { ProviderError } from "../../providers/ProviderError.ts"
import { seed } from "./SandboxSeed.ts"
import { open, type Place } from "./Session.ts"

/** The sandbox's database serves one call at a time, so none may hold it for long. */
const patience = 8000

const start = Effect.gen(function* () {
  const directory = yield* DataDirectory.temporary
  // copying the build's own database is faster than making a new one; the seed empties it
  const snapshot = yield* EmbeddedDatabase.availableSnapshot
  const host = yield* EmbeddedDatabase.attach({ directory, role: "server", snapshot })
  const place: Place = {
    host,
    port: 5432,
    user: "postgres",
    password: Redacted.make("embedded"),
    database: "postgres",
    ssl: false,
    patience
  }
  yield* Effect.scoped(
    Effect.flatMap(open("sandbox", place), ({ run }) => Effect.forEach(seed, (statement) => run(statement)))
  )
  return place
})

/**
 * The database that connections of the sandbox reach: an embedded PostgreSQL apart from the service's own, with the
 * tables of a company. All of them see the same, and nobody changes it. It starts with its first use and stops when
 * it was not used for a while.
 */
export class SandboxDatabase extends Context.Tag("tributary/toolkits/postgres/SandboxDatabase")<
  SandboxDatabase,
  {
    readonly place: Effect.Effect<Place, DatabaseUnavailable | ProviderError, Scope.Scope>
    /** Stops it: it cannot end a statement that takes too long by itself. The next use starts a fresh one. */
    readonly stop: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    SandboxDatabase,
    Effect.map(RcRef.make({ acquire: start, idleTimeToLive: "10 minutes" }), (running) => ({
      place: RcRef.get(running),
      stop: RcRef.invalidate(running)
    }))
  )
}
