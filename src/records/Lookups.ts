import { Cache, Context, Effect, Equal, Exit, Hash, Layer } from "effect"
import { shared } from "../platform/Shared.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { ProviderError, Unsupported } from "../providers/ProviderError.ts"

/** A lookup of a connection; equal by what it names, so that callers share one load. */
class Key implements Equal.Equal {
  readonly connection: ConnectionRef
  readonly adapter: ProviderAdapter
  readonly name: string
  constructor(connection: ConnectionRef, adapter: ProviderAdapter, name: string) {
    this.connection = connection
    this.adapter = adapter
    this.name = name
  }
  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Key && that.connection.id === this.connection.id && that.name === this.name
  }
  [Hash.symbol](): number {
    return Hash.string(`${this.connection.id}/${this.name}`)
  }
}

/** What mappings look up (pipelines, preferences): cached for the connection, loaded once for all who wait. */
export class Lookups extends Context.Tag("tributary/records/Lookups")<
  Lookups,
  {
    readonly get: (
      connection: ConnectionRef,
      adapter: ProviderAdapter,
      names: ReadonlyArray<string>
    ) => Effect.Effect<{ readonly [name: string]: unknown }, ProviderError>
    /** Loads them again: a value a caller named was not among them. */
    readonly refresh: (
      connection: ConnectionRef,
      adapter: ProviderAdapter,
      names: ReadonlyArray<string>
    ) => Effect.Effect<{ readonly [name: string]: unknown }, ProviderError>
  }
>() {
  static readonly layer = Layer.effect(
    Lookups,
    Effect.gen(function* () {
      const cache = yield* Cache.makeWith({
        capacity: 10_000,
        lookup: ({ adapter, connection, name }: Key) => {
          const lookup = adapter.lookups[name]
          return lookup === undefined
            ? Effect.fail(
                new ProviderError({ provider: adapter.slug, operation: `lookup ${name}`, reason: new Unsupported() })
              )
            : shared(Effect.map(lookup.load(connection), (value) => ({ value, ttl: lookup.ttl })))
        },
        timeToLive: (exit) => (Exit.isSuccess(exit) ? `${exit.value.ttl} seconds` : 0)
      })
      const all = (connection: ConnectionRef, adapter: ProviderAdapter, names: ReadonlyArray<string>) =>
        names.length === 0
          ? Effect.succeed({})
          : Effect.forEach(
              names,
              (name) =>
                Effect.map(cache.get(new Key(connection, adapter, name)), ({ value }) => [name, value] as const),
              { concurrency: "unbounded" }
            ).pipe(Effect.map(Object.fromEntries))
      return {
        get: all,
        refresh: (connection, adapter, names) =>
          Effect.forEach(names, (name) => cache.invalidate(new Key(connection, adapter, name)), { discard: true }).pipe(
            Effect.zipRight(all(connection, adapter, names))
          )
      }
    })
  )
}
