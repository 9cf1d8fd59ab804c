import { Context, Effect, Layer } from "effect"
import { makeCache } from "../platform/Shared.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { ProviderError, Unsupported } from "../providers/ProviderError.ts"
import { type Looked, LookupStore } from "./LookupStore.ts"

/** What mappings look up (pipelines, preferences): cached for the connection, loaded once for all who wait, of all instances. */
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
      const store = yield* LookupStore
      const cache = yield* makeCache<Looked, ProviderError>({ capacity: 10_000, ttl: ({ ttl }) => ttl })

      const one = (connection: ConnectionRef, adapter: ProviderAdapter, name: string) => {
        const lookup = adapter.lookups[name]
        return lookup === undefined
          ? Effect.fail(
              new ProviderError({ provider: adapter.slug, operation: `lookup ${name}`, reason: new Unsupported() })
            )
          : Effect.map(
              cache.get(
                `${connection.id}/${name}`,
                store.get(
                  connection,
                  name,
                  Effect.map(lookup.load(connection), (value) => ({ value, ttl: lookup.ttl }))
                )
              ),
              ({ value }) => [name, value] as const
            )
      }

      const all = (connection: ConnectionRef, adapter: ProviderAdapter, names: ReadonlyArray<string>) =>
        names.length === 0
          ? Effect.succeed({})
          : Effect.map(
              Effect.forEach(names, (name) => one(connection, adapter, name), { concurrency: "unbounded" }),
              Object.fromEntries
            )

      return {
        get: all,
        refresh: (connection, adapter, names) =>
          Effect.zipRight(
            Effect.forEach(
              names,
              (name) => Effect.zipRight(store.forget(connection, name), cache.forget(`${connection.id}/${name}`)),
              { discard: true }
            ),
            all(connection, adapter, names)
          )
      }
    })
  )
}
