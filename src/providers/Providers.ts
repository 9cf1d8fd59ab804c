import { Context, Effect, Layer } from "effect"
import type { Category } from "../canonical/Resource.ts"
import * as Registry from "../platform/Registry.ts"
import { faultsOf } from "./AdapterCheck.ts"
import type { ProviderAdapter } from "./ProviderAdapter.ts"

/** The providers this application is made of. */
export class Providers extends Context.Tag("tributary/providers/Providers")<
  Providers,
  Pick<Registry.Registry<ProviderAdapter>, "register" | "get"> & {
    readonly all: (category?: Category) => ReadonlyArray<ProviderAdapter>
  }
>() {
  static readonly layer = Layer.sync(Providers, () => {
    const { all, get, register } = Registry.make<ProviderAdapter>("provider")
    return {
      register: (adapter) => {
        const faults = faultsOf(adapter)
        return faults.length === 0 ? register(adapter) : new Registry.InvalidPart({ message: faults.join("\n") })
      },
      get,
      all: (category) => all().filter((adapter) => category === undefined || adapter.category === category)
    }
  })
}

/** The Layer of a provider: registers what `make` builds; fails with every mistake that its declarations hold. */
export const provider = <E, R>(make: Effect.Effect<ProviderAdapter, E, R>) =>
  Layer.scopedDiscard(
    Effect.flatMap(Effect.all([Providers, make]), ([providers, adapter]) => providers.register(adapter))
  )
