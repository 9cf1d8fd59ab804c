import type { SqlClient } from "@effect/sql"
import { type ConfigError, Effect, Layer } from "effect"
import { Sandbox } from "./connections/Sandbox.ts"
import { InvalidPart, inOrder } from "./platform/Registry.ts"
import type { Budget } from "./providers/axes/Budget.ts"
import type { Upstream } from "./providers/axes/Upstream.ts"
import type { Credentials } from "./providers/Credentials.ts"
import { Providers } from "./providers/Providers.ts"
import { layer, type Simulator, type SimulatorSource } from "./providers/simulation/Simulator.ts"
import { Toolkits } from "./toolkits/Toolkits.ts"

/** What providers and toolkits may use. */
type Foundation = Providers | Toolkits | Upstream | Budget | Credentials | SqlClient.SqlClient

/** A provider, as `provider(...)` makes it. */
export type ProviderLayer = Layer.Layer<never, InvalidPart | ConfigError.ConfigError, Foundation>

/** A toolkit, as `toolkit(...)` makes it. */
export type ToolkitLayer = Layer.Layer<never, InvalidPart | ConfigError.ConfigError, Foundation>

/** The parts that a service is made of; those left out are none. */
export interface Parts {
  readonly providers?: ReadonlyArray<ProviderLayer>
  /** Of providers and toolkits: what their sandbox runs on. */
  readonly simulators?: ReadonlyArray<Simulator | SimulatorSource>
  readonly toolkits?: ReadonlyArray<ToolkitLayer>
}

/** The simulators of some parts, as far as possible not loaded yet. */
export const sourcesOf = ({ simulators = [] }: Parts): ReadonlyArray<SimulatorSource> =>
  simulators.map((one) => ("load" in one ? one : { slug: one.slug, load: Effect.succeed(one) }))

/** Slugs of the toolkits that the canonical resources make. */
const reserved = new Set(["crm", "accounting"])

/** Connections, settings and tools name both kinds by slug. */
const apart = Layer.effectDiscard(
  Effect.gen(function* () {
    const toolkits = new Set((yield* Toolkits).all().map(({ slug }) => slug))
    const taken = (yield* Providers).all().find(({ slug }) => toolkits.has(slug))
    if (taken !== undefined) {
      return yield* new InvalidPart({
        message: `provider ${taken.slug}: the slug is taken by a toolkit; each needs one of its own`
      })
    }
    const own = [...(yield* Providers).all(), ...(yield* Toolkits).all()].find(({ slug }) => reserved.has(slug))
    if (own !== undefined) {
      return yield* new InvalidPart({ message: `${own.slug}: the slug is taken by the tools over canonical records` })
    }
  })
)

/** Registers providers and toolkits. */
export const registered = ({ providers = [], toolkits = [] }: Parts) => inOrder([...providers, ...toolkits, apart])

/** The sandbox over the simulators of some parts: connects end users, and makes their calls reach the simulators. */
export const sandbox = (parts: Parts) => {
  const sources = sourcesOf(parts)
  return Layer.mergeAll(Sandbox.layer(sources), ...sources.map(layer))
}
