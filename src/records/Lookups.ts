import { Context, Effect, Layer, Schema } from "effect"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import { keeping } from "../providers/KeptValues.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { ProviderError, Unsupported } from "../providers/ProviderError.ts"

/** Lookups of mappings (pipelines, preferences): cached per connection, and loaded once for everyone on all instances. */
export class Lookups extends Context.Tag("tributary/records/Lookups")<
  Lookups,
  {
    readonly get: (
      connection: ConnectionRef,
      adapter: ProviderAdapter,
      names: ReadonlyArray<string>
    ) => Effect.Effect<{ readonly [name: string]: unknown }, ProviderError>
    /** Loads them again, because they lacked a value that a caller named. */
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
      const values = yield* keeping(Schema.Unknown)

      const one = (connection: ConnectionRef, { lookups, slug }: ProviderAdapter, name: string) => {
        const lookup = lookups[name]
        return lookup === undefined
          ? Effect.fail(new ProviderError({ provider: slug, operation: `lookup ${name}`, reason: new Unsupported() }))
          : Effect.map(
              values.get(connection, name, lookup.ttl, lookup.load(connection)),
              (value) => [name, value] as const
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
            Effect.forEach(names, (name) => values.forget(connection, name), { discard: true }),
            all(connection, adapter, names)
          )
      }
    })
  )
}
