import { Context, Effect, Layer } from "effect"
import type { Category } from "../canonical/Resource.ts"
import type { Authorization } from "../providers/axes/Authorization.ts"
import { Providers } from "../providers/Providers.ts"
import { Toolkits } from "../toolkits/Toolkits.ts"

/** What an end user can connect: a provider of records, or a toolkit. */
export interface Integration {
  readonly slug: string
  readonly name: string
  readonly category: Category | "toolkit"
  readonly authorization: Authorization
}

/** Every integration of this application, by slug. */
export class Integrations extends Context.Tag("tributary/connections/Integrations")<
  Integrations,
  {
    readonly get: (slug: string) => Integration | undefined
    readonly all: () => ReadonlyArray<Integration>
  }
>() {
  static readonly layer = Layer.effect(
    Integrations,
    Effect.gen(function* () {
      const providers = yield* Providers
      const toolkits = yield* Toolkits
      const all = (): ReadonlyArray<Integration> => [
        ...providers.all(),
        ...toolkits.all().map((toolkit) => ({ ...toolkit, category: "toolkit" as const }))
      ]
      return { all, get: (slug) => all().find((one) => one.slug === slug) }
    })
  )
}
