import { Context, Effect, Layer, type Scope } from "effect"
import type { Category } from "../canonical/Resource.ts"
import type { ProviderAdapter } from "./ProviderAdapter.ts"

/** The providers this application is made of. Each registers itself through its Layer; the last of a slug wins. */
export class Providers extends Context.Tag("tributary/providers/Providers")<
  Providers,
  {
    /** Adds a provider for as long as the scope lives. */
    readonly register: (adapter: ProviderAdapter) => Effect.Effect<void, never, Scope.Scope>
    readonly get: (slug: string) => ProviderAdapter | undefined
    readonly all: (category?: Category) => ReadonlyArray<ProviderAdapter>
  }
>() {
  static readonly layer = Layer.sync(Providers, () => {
    const stacks = new Map<string, ReadonlyArray<ProviderAdapter>>()
    return {
      register: (adapter) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            stacks.set(adapter.slug, [...(stacks.get(adapter.slug) ?? []), adapter])
          }),
          () =>
            Effect.sync(() => {
              stacks.set(
                adapter.slug,
                (stacks.get(adapter.slug) ?? []).filter((one) => one !== adapter)
              )
            })
        ),
      get: (slug) => stacks.get(slug)?.at(-1),
      all: (category) =>
        [...stacks.values()]
          .flatMap((stack) => stack.slice(-1))
          .filter((adapter) => category === undefined || adapter.category === category)
    }
  })
}

/** The Layer of a provider: registers what `make` builds. */
export const provider = <E, R>(make: Effect.Effect<ProviderAdapter, E, R>) =>
  Layer.scopedDiscard(
    Effect.flatMap(Effect.all([Providers, make]), ([providers, adapter]) => providers.register(adapter))
  )
